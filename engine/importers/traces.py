"""What platforms that trace and score calls have in common: a call, and what somebody says of its output.

Each platform's module finds calls and scores; here they become rows. A score named `correctness` is a rubric
of that name. True and false, and the words that mean them, are a verdict on it; a number is a score; anything
else is no verdict. Scores that people gave are references of source `human`, those of programs of `program`.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import instance_of
from engine.importers.reading.rows import BadRowError
from engine.values import parse_float

By = Literal["model", "person", "program"]

_MET = {
    **dict.fromkeys(("true", "yes", "y", "pass", "passed", "correct", "met", "success"), True),
    **dict.fromkeys(("false", "no", "n", "fail", "failed", "incorrect", "not_met", "failure"), False),
}


_WORDS = ("content", "text", "output", "answer", "response", "question", "input", "query", "prompt")


@dataclass(frozen=True, slots=True)
class Call:
    """A call whose output is judged: the question, the output, and the model that answered."""

    question: str
    output: str | None
    model: str | None
    identity: str | None = None
    category: str | None = None
    reference_answer: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """What somebody says of an output: by whom, under which name, the value, and why.

    `failed` says that there is no value since the judge's call failed.
    """

    name: str
    value: Any
    by: By
    judge: str | None = None
    explanation: str | None = None
    failed: bool = False


def found_in(call: Call, scores: Iterable[Score], judge: str | None, generator: str | None) -> StudyRows:
    """Return the rows of a call and its scores; `judge` and `generator` are what the user names.

    Raises BadRowError where the model, or a model that judged, is not named anywhere, or nothing is scored.
    """
    model = generator or call.model
    if model is None:
        raise BadRowError("the model that answered is not named: give --generator")
    instance = call.identity or instance_of(call.question)
    keys = {"instance_id": instance, "generator": model}
    about = {"category": call.category, "reference_answer": call.reference_answer}
    tables: StudyRows = {
        "instances": [{"instance_id": instance, "prompt": call.question, **about}],
        "responses": [{**keys, "text": call.output}] if call.output is not None else [],
        "rubrics": [],
        "references": [],
        "judgments": [],
    }
    for score in scores:
        rubric = {"instance_id": instance, "rubric_id": score.name, "criterion": score.name}
        if rubric not in tables["rubrics"]:
            tables["rubrics"].append(rubric)
        row = {**keys, "rubric_id": score.name}
        if score.by == "model":
            tables["judgments"].append(row | _judgment(score, judge))
        elif reference := _reference(score):
            tables["references"].append(row | reference)
    if not (tables["judgments"] or tables["references"]):
        raise BadRowError("nothing of it is scored")
    return tables


def met_of(value: Any) -> bool | None:
    """Return the truth that a value says in words; None for a number, which is a score."""
    if isinstance(value, bool):
        return value
    return _MET.get(value.strip().lower()) if isinstance(value, str) else None


def _judgment(score: Score, judge: str | None) -> dict[str, Any]:
    name = judge or score.judge
    if name is None:
        raise BadRowError(f"who judged {score.name} is not named: give --judge")
    row: dict[str, Any] = {"judge": name, "explanation": score.explanation, "paradigm": "single_rubric"}
    value = _value(score)
    if score.failed:
        return row | {"status": "error"}
    if "score" in value:
        row["paradigm"] = "score_rubric"
    return row | value | {"status": "ok" if value else "unparsed"}


def _reference(score: Score) -> dict[str, Any] | None:
    source = "program" if score.by == "program" else f"human:{score.judge}" if score.judge else "human"
    value = _value(score)
    return {"source": source, **value} if value else None


def _value(score: Score) -> dict[str, Any]:
    """Return the column that a score's value stands in; none where it says nothing."""
    met, number = met_of(score.value), parse_float(score.value)
    return {"met": met} if met is not None else {"score": number} if number is not None else {}


def words_of(value: Any) -> str | None:
    """Return the words of an input or output: a text, the only text of an object, or its JSON; None for none.

    Of a list of chat messages what the last one says, of a model's reply its message.
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
