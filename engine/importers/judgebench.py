"""JudgeBench's outputs: a judge on pairs of answers of one model, of which one is objectively correct.

`dataset=judgebench,response_model=...,judge_name=...,judge_model=....jsonl`: each line a pair with `label`
(`A>B`: A is correct) and up to two `judgments`, the second with the answers swapped. Both answers are of the
same model; they stand as two, `MODEL (A)` and `MODEL (B)`, of one family, so that accuracy and the effect of
the order can be measured, but no preference of a judge for itself.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format
from engine.importers.reading.json_rows import json_lines
from engine.importers.reading.rows import BadRowError, Row, object_or_empty, text_or_none
from engine.importers.reading.verdicts import CHOICES, OUTCOMES, Side, side_of, verdict

_EXPECTED = (
    "JudgeBench's outputs (JSON Lines with pair_id, question, response_model, response_A, response_B, label "
    "and judgments, a list of objects with decision)"
)
_JUDGE = re.compile(r"judge_model=(?P<judge>[^,]+?)\.jsonl(?:\.gz)?$")
_ORDERS: tuple[tuple[str, dict[Side | None, str]], ...] = (
    ("generator", CHOICES),
    ("opponent", {"first": "opponent", "second": "generator", "tie": "tie"}),
)


class JudgeBench(FileReader):
    """Pairs being read, of one file or a folder of them."""

    suffixes = (".jsonl",)
    expected = _EXPECTED
    judge: str | None = None

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the pairs of a file, whose judge stands in its name."""
        named = _JUDGE.search(file.name)
        self.judge = self.options.judge or (named["judge"] if named else None)
        yield from json_lines(file, self.tally, _EXPECTED)

    def read(self, row: Row) -> StudyRows:
        """Return both answers, which is correct, and what the judge said in each order."""
        model = row.text("response_model")
        instance = {"instance_id": row.text("pair_id")}
        keys = {**instance, "generator": f"{model} (A)", "opponent": f"{model} (B)"}
        label = side_of(row.values.get("label"))
        games = row.listed("judgments")
        if not 1 <= len(games) <= 2:
            raise BadRowError("neither one judgment nor two", len(games))
        prompt = {"prompt": row.text("question"), "category": row.maybe_text("source")}
        preference = {**keys, "source": "human:correct", "outcome": OUTCOMES.get(label)}
        return {
            "instances": [instance | prompt],
            "responses": [
                {**instance, "generator": f"{model} ({side})", "text": row.words(f"response_{side}")}
                for side in "AB"
            ],
            "judgments": [
                {"paradigm": "pairwise", **keys, **self._game(place, game)}
                for place, game in enumerate(games)
            ],
            "preferences": [preference] if label else [],
        }

    def _game(self, place: int, game: object) -> dict[str, Any]:
        """Return a verdict of one order; a judgment that is null is a call that failed."""
        first, sides = _ORDERS[place]
        values = object_or_empty(game)
        inner = object_or_empty(values.get("judgment"))
        judge = self.judge or inner.get("judge_model")
        if not isinstance(judge, str):
            raise BadRowError("the judge is not named: give --judge")
        shared = {"judge": judge, "first": first, "raw": text_or_none(inner.get("response"))}
        if game is None:
            return shared | {"status": "error"}
        return shared | verdict("choice", sides.get(side_of(values.get("decision"))))


FORMAT = Format(
    "judgebench",
    "JudgeBench outputs",
    "https://github.com/ScalerLab/JudgeBench",
    _EXPECTED,
    (
        Field("pair_id", "instances.instance_id"),
        Field("question", "instances.prompt"),
        Field("source", "instances.category"),
        Field("response_model", "judgments.generator, opponent", "with (A) and (B)"),
        Field("response_A, response_B", "responses.text"),
        Field("label", "preferences.outcome", "which answer is correct"),
        Field("judgments", "judgments.choice, first, raw", "the second with the answers swapped"),
    ),
    JudgeBench,
    notes="Both answers of a pair are one model's: no judge can be seen to prefer its own.",
)
