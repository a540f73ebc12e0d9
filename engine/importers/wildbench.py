"""WildBench's `eval_results`: a score from 1 to 10 of each answer, or pairs against a reference model.

The judge does not stand in a file but in the folder over it (`eval=gpt-4o-2024-05-13`). The files hold no
questions, only their session ids. In a pair model A was shown first; `A++` and `A+` are both for it. Answers
whose evaluation could not be parsed were left out by WildBench itself and cannot be counted.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, ImportOptions
from engine.importers.reading.rows import BadRowError, ImportStats, Row, object_or_empty, text_or_none
from engine.importers.reading.verdicts import choice_of, tenth_of, verdict

_EXPECTED = (
    "an evaluation file of WildBench (eval_results/.../eval=JUDGE/MODEL.json: a list of objects with "
    "session_id, parsed_result, and model_test and score, or model_A, model_B and winner), or a folder"
)


class WildBench(FileReader):
    """Evaluations being read, of one file or a folder of them."""

    expected = _EXPECTED
    judge = ""

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        super().__init__(path, options, tally)
        self.judges = {file: options.judge or _judge_of(file) for file in self.files}

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the evaluations of a file, whose judge is its folder's."""
        self.judge = self.judges[file]
        yield from super().file_rows(file)

    def read(self, row: Row) -> StudyRows:
        """Return the answers and the score, or who won."""
        instance = {"instance_id": row.text("session_id")}
        parsed = object_or_empty(row.values.get("parsed_result"))
        shared: dict[str, Any] = {"judge": self.judge, **instance}
        if "model_test" in row.values:
            model = row.text("model_test")
            outputs = {model: row.values.get("model_output")}
            reasons = [str(parsed[name]) for name in ("strengths", "weaknesses") if parsed.get(name)]
            shared |= {"generator": model, "explanation": "\n\n".join(reasons) or None}
            score = tenth_of(row.values.get("score", parsed.get("score")))
            judgment = {**shared, "paradigm": "direct_assessment", **verdict("score", score)}
        elif "model_A" in row.values:
            outputs = object_or_empty(row.values.get("model_outputs"))
            choice, (one, two) = parsed.get("choice"), (row.text("model_A"), row.text("model_B"))
            sides = {one: "generator", two: "opponent", "tie": "tie"}
            won = verdict("choice", sides.get(row.text("winner"))) if choice is None else choice_of(choice)
            shared |= {"generator": one, "explanation": text_or_none(parsed.get("reason"))}
            judgment = {**shared, "paradigm": "pairwise", "opponent": two, "first": "generator", **won}
        else:
            raise BadRowError("neither model_test nor model_A")
        responses = [
            {**instance, "generator": model, "text": text}
            for model, text in outputs.items()
            if isinstance(text, str)
        ]
        return {"instances": [instance], "responses": responses, "judgments": [judgment]}


def _judge_of(file: Path) -> str:
    """Return the judge that a folder names; UsageError where none does."""
    named = [part.removeprefix("eval=") for part in file.parts[:-1] if part.startswith("eval=")]
    if not named:
        raise UsageError(
            f"{file.name!r} does not say who judged, and no folder over it is named eval=JUDGE; "
            "give --judge NAME"
        )
    return named[-1]


FORMAT = Format(
    "wildbench",
    "WildBench evaluation results",
    "https://github.com/allenai/WildBench",
    _EXPECTED,
    (
        Field("session_id", "instances.instance_id"),
        Field("model_test", "judgments.generator"),
        Field("model_output, model_outputs", "responses.text"),
        Field("score", "judgments.score, status", "a tenth of it; outside 1 to 10 unparsed"),
        Field("parsed_result", "judgments.explanation, choice", "strengths and weaknesses, or the reason"),
        Field("model_A", "judgments.generator, first", "pairs: shown first"),
        Field("model_B", "judgments.opponent"),
        Field("winner", "judgments.choice", "where parsed_result has no choice"),
    ),
    WildBench,
    notes="Answers whose evaluation could not be parsed are not in WildBench's files.",
)
