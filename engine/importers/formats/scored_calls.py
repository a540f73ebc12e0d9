"""Calls of models with scores by judges, people and programs, and the rows of a study that they become."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

from engine.importers.import_options import ImportOptions
from engine.importers.reading.format import FileReader, instance_of
from engine.importers.reading.json_rows import allowance, apply_limits
from engine.importers.reading.rows import BadRowError, ImportStats, Row, excerpt
from engine.importers.reading.study_builder import InstanceRows, StudyRows
from engine.values import parse_float

By = Literal["model", "person", "program"]

_MET = {
    **dict.fromkeys(("true", "yes", "y", "pass", "passed", "correct", "met", "success"), True),
    **dict.fromkeys(("false", "no", "n", "fail", "failed", "incorrect", "not_met", "failure"), False),
}

_WORDS = ("content", "text", "output", "answer", "response", "question", "input", "query", "prompt")


@dataclass(frozen=True, slots=True)
class Score:
    """A score of an output: its name, value, author and explanation, and whether the scoring call failed.

    If it is `numeric`, a missing value is a missing score, else a missing verdict on a rubric. If `lower`,
    the best value is the lowest: it measures something undesirable.
    """

    name: str
    value: Any
    by: By
    judge: str | None = None
    explanation: str | None = None
    failed: bool = False
    numeric: bool = False
    lower: bool = False


def rows_of_call(
    options: ImportOptions,
    scores: Iterable[Score],
    *,
    question: str,
    output: str | None,
    model: str | None,
    instance: str | None = None,
    **about_instance: str | None,
) -> StudyRows:
    """Return the rows of a call and its scores; `options` has the names the user gave.

    Raises BadRowError if the model, or a model that judged, is not named anywhere, or nothing is scored.

    A score named `correctness` is a rubric of that name. True and false, and words for them, are a verdict on
    it; a number is a score; anything else is no verdict. Scores by people are references of source `human`,
    those by programs of source `program`. A rubric on which lower is better has points of -1.
    """
    model = options.generator or model
    if model is None:
        raise BadRowError(
            f"the model that answered is not named: give {options.spelling.option('generator')}"
        )
    rows = InstanceRows(instance or instance_of(question), prompt=question, **about_instance)
    rows.response(model, output)
    for score in scores:
        rows.rubric(score.name, criterion=score.name, points=-1.0 if score.lower else None)
        if score.by == "model":
            rows.judgment(generator=model, rubric_id=score.name, **_judgment(score, options))
        elif value := _value(score):
            person = f"human:{score.judge}" if score.judge else "human"
            rows.reference("program" if score.by == "program" else person, model, score.name, **value)
    if not rows.tables.keys() & {"judgments", "references"}:
        raise BadRowError("it has no scores")
    return rows.tables


def met_of(value: Any) -> bool | None:
    """Return the truth value of a boolean or word; None for a number, which is a score."""
    if isinstance(value, bool):
        return value
    return _MET.get(value.strip().lower()) if isinstance(value, str) else None


def _judgment(score: Score, options: ImportOptions) -> dict[str, Any]:
    name = options.judge or score.judge
    if name is None:
        raise BadRowError(f"who judged {score.name} is not named: give {options.spelling.option('judge')}")
    row: dict[str, Any] = {"judge": name, "explanation": score.explanation, "paradigm": "single_rubric"}
    value = _value(score)
    if "score" in value or (score.numeric and not value):
        row["paradigm"] = "score_rubric"
    if score.failed:
        return row | {"status": "error"}
    return row | value | {"status": "ok" if value else "unparsed"}


def _value(score: Score) -> dict[str, Any]:
    """Return a score's value under its column, met or score; empty if it is no verdict."""
    met, number = met_of(score.value), parse_float(score.value)
    return {"met": met} if met is not None else {"score": number} if number is not None else {}


def words_of(value: Any) -> str | None:
    """Return the text of an input or output: a string, the main text of an object, else JSON; None for None.

    A list of chat messages gives the last one, a model's reply its message.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        for name in _WORDS:
            if isinstance(value.get(name), str):
                return str(value[name])
        for name in ("messages", "choices", "message", "generations"):
            if value.get(name):
                return words_of(value[name])
    if isinstance(value, list) and value and isinstance(value[-1], dict | list):
        return words_of(value[-1])
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


_NO_VALUE = frozenset(
    (
        *("", "-", "-1", "?", "error", "invalid", "n/a", "na", "nan", "none", "null"),
        *("not_parsable", "unknown", "unparsable", "unparsed", "undefined"),
    )
)
"""Words that stand for a verdict that could not be had."""


class ScoredCalls(FileReader):
    """Base of the readers of calls whose scores may be words: of these some are verdicts, others categories.

    A word that is neither true nor false is a missing verdict if other values of the score are verdicts,
    else a category (`tone: friendly`), which nobody failed to give: it is left out, and noted.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.verdict_names: set[str] = set()
        self._categories: set[str] = set()

    def rows(self) -> Iterator[Row]:
        """Yield the calls, after a first pass that finds the scores with verdicts."""
        first = copy(self)
        first.tally = ImportStats()
        with apply_limits(allowance().limits):  # the files are unpacked twice, and counted once
            for row in first.calls():
                with suppress(BadRowError):
                    self.verdict_names.update(each.name for each in first.scores(row) if _value(each))
        yield from self.calls()

    def calls(self) -> Iterator[Row]:
        """Yield the calls with their scores."""
        yield from super().rows()

    def scores(self, row: Row) -> list[Score]:
        """Return the scores of a call."""
        raise NotImplementedError

    def verdicts(self, row: Row) -> list[Score]:
        """Return the scores of a call that are verdicts, or missing ones."""
        return [
            score
            for score in self.scores(row)
            if not self.leaves_out(score.name) and not self._is_category(score)
        ]

    def _is_category(self, score: Score) -> bool:
        value = score.value
        if score.failed or score.name in self.verdict_names or not isinstance(value, str | list | dict):
            return False
        if isinstance(value, str) and value.strip().lower() in _NO_VALUE:
            return False
        if score.name not in self._categories:
            self._categories.add(score.name)
            self.tally.note(
                f"{score.name!r} is a category, such as {excerpt(value)!r}, and neither true, false nor a "
                "number: it is not stored"
            )
        return True
