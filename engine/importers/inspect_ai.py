"""Inspect's evaluation logs, `.eval` and `.json`: samples with the scores that scorers gave.

A scorer that asks a model (`model_graded_qa`, one with a grader among its options, or that kept the grading
conversation) is a judge; any other is a reference of source `program`. `C` and true are met, `I` and false
are not; partial credit (`P`), no answer (`N`) and anything else are no verdict on a criterion: unparsed.
Scorers that answer with these letters are of one rubric, `correct`, so that a judge can be held against a
program. A number between 0 and 1 is a judge's direct assessment. A second epoch of a sample is an instance of
its own.
"""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.importers.foreign.eval_archive import EvalArchive
from engine.importers.foreign.formats import Asked, Field, Format, files_in
from engine.importers.foreign.gathered import Found
from engine.importers.foreign.json_files import json_object
from engine.importers.foreign.rows import BadRowError, Row, Tally, number_of, objects, refuse

_EXPECTED = (
    "a log of Inspect: .eval, or .json with eval, status and samples (`inspect log convert` makes one of the "
    "other)"
)
CORRECT = "correct"
"""The rubric of all scorers that say with a letter whether the answer is correct."""

_MET = {"C": True, "I": False}
_LETTERS = ("C", "I", "P", "N")


class InspectLogs:
    """Samples being read, of one log or of a folder of them."""

    def __init__(self, path: Path, asked: Asked, tally: Tally) -> None:
        self.files = files_in(path, ".eval", ".json", expected=_EXPECTED)
        self.asked, self.tally = asked, tally
        self.log = _Log({})

    def rows(self) -> Iterator[Row]:
        """Yield the samples of each log; of an archive one is held at a time."""
        for file in self.files:
            if file.suffix == ".eval":
                with EvalArchive(file, _EXPECTED) as archive:
                    self.log = _Log(archive.header())
                    yield from archive.samples()
                continue
            told = json_object(file, _EXPECTED)
            samples = told.get("samples")
            if not isinstance(told.get("eval"), dict) or not isinstance(samples, list):
                raise refuse(file.name, "it has no eval and samples", _EXPECTED)
            self.log = _Log(told)
            yield from objects(file.name, samples, self.tally)

    def read(self, row: Row) -> Found:
        """Return a sample's question, answer, and what each scorer says of it."""
        if row.values.get("error"):
            error = row.values["error"]
            raise BadRowError("the sample failed", error.get("message") if isinstance(error, dict) else error)
        epoch = number_of(row.values.get("epoch", 1)) or 1
        instance = f"{self.log.task}-{row.text('id')}" + ("" if epoch == 1 else f"-epoch-{epoch:g}")
        generator = self.asked.generator or self.log.model
        if generator is None:
            raise BadRowError("the log names no model: give --generator")
        keys = {"instance_id": instance, "generator": generator}
        answer = _answer(row)
        found: Found = {
            "instances": [
                {
                    "instance_id": instance,
                    "prompt": _prompt(row),
                    "category": self.log.task,
                    "reference_answer": _target(row),
                }
            ],
            "responses": [{**keys, "text": answer}] if answer is not None else [],
            "rubrics": [],
            "references": [],
            "judgments": [],
        }
        scores = row.object_of("scores")
        for scorer, score in scores.values.items():
            for rubric, one in _parts(scorer, scores.within(scorer, score)):
                self._score(found, keys, scorer, rubric, one)
        if not (found["references"] or found["judgments"]):
            raise BadRowError("no score is a verdict", str(dict(scores.values)))
        return found

    def _score(self, found: Found, keys: dict[str, str], scorer: str, rubric: str, score: Row) -> None:
        """Add what one scorer says of a sample, to the references or the judgments."""
        value = score.values.get("value")
        met = _MET.get(value) if isinstance(value, str) else _truth(value)
        rubric_row = {"instance_id": keys["instance_id"], "rubric_id": rubric}
        by_model = self.log.grader(scorer, score)
        if by_model is None:
            if met is not None:
                if any(one["rubric_id"] == rubric for one in found["references"]):
                    self.tally.note(f"{scorer!r} is a second program for {rubric!r}: not stored")
                    return
                self.tally.note(f"the scorer {scorer!r} is taken for a program: its scores are references")
                found["rubrics"].append(rubric_row)
                found["references"].append({**keys, "rubric_id": rubric, "source": "program", "met": met})
            else:
                self.tally.note(f"scores of {scorer!r} that are neither true nor false are not stored")
            return
        judge = self.asked.judge or by_model
        told = {"judge": judge, **keys, "explanation": score.maybe_text("explanation")}
        share = number_of(value) if not isinstance(value, str | bool) else None
        if met is None and share is not None and 0 <= share <= 1:
            found["judgments"].append(
                told | {"paradigm": "direct_assessment", "score": share, "status": "ok"}
            )
            return
        if rubric_row not in found["rubrics"]:
            found["rubrics"].append(rubric_row)
        verdict = {"status": "unparsed"} if met is None else {"status": "ok", "met": met}
        told |= {"paradigm": "single_rubric", "rubric_id": rubric}
        found["judgments"].append(told | verdict)


class _Log:
    """What a log's header says: the task, the model that answered, and who grades for a scorer."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        spec = header.get("eval")
        self.spec: dict[str, Any] = spec if isinstance(spec, dict) else {}
        self.task = str(self.spec.get("task", "task")).rpartition("/")[2]
        model = self.spec.get("model")
        self.model = model if isinstance(model, str) and model and model != "none/none" else None

    def grader(self, scorer: str, score: Row) -> str | None:
        """Return the model that decides for a scorer, None where a program does.

        Without a grader of its own a model-graded scorer asks the model that is evaluated.
        """
        options = self._options(scorer)
        named = options.get("model") or options.get("grader") or options.get("grader_model")
        if isinstance(named, str) and named:
            return named
        metadata = score.values.get("metadata")
        grading = metadata.get("grading") if isinstance(metadata, dict) else None
        if isinstance(grading, list):
            said = [one.get("model") for one in grading if isinstance(one, dict)]
            if found := next((name for name in said if isinstance(name, str)), None):
                return found
        if grading is None and "model_graded" not in scorer:
            return None
        roles = self.spec.get("model_roles")
        role = roles.get("grader") if isinstance(roles, dict) else None
        named = role.get("model") if isinstance(role, dict) else role
        return named if isinstance(named, str) else self.model

    def _options(self, scorer: str) -> dict[str, Any]:
        listed = self.spec.get("scorers")
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict) and str(one.get("name", "")).rpartition("/")[2] == scorer:
                options = one.get("options")
                return options if isinstance(options, dict) else {}
        return {}


def _parts(scorer: str, score: Row) -> Iterator[tuple[str, Row]]:
    """Yield a score, or each of those that it holds by name, with the rubric that it is.

    Inspect's own graders give letters; where one found no grade, the value is NaN.
    """
    value = score.values.get("value")
    by_letter = isinstance(value, str) and value in _LETTERS
    failed = scorer.startswith("model_graded") and (value is None or _is_nan(value))
    if isinstance(value, dict):
        for name, one in value.items():
            yield f"{scorer}.{name}", Row(score.file, score.number, {**score.values, "value": one})
    else:
        yield CORRECT if by_letter or failed else scorer, score


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _truth(value: object) -> bool | None:
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else None


def _prompt(row: Row) -> str | None:
    asked = row.values.get("input")
    if isinstance(asked, list):
        turns = [row.within("input", turn) for turn in asked]
        shown = [
            {"role": turn.text("role"), "content": _content(turn.values.get("content"))} for turn in turns
        ]
        return json.dumps(shown, ensure_ascii=False)
    return asked if isinstance(asked, str) else None


def _answer(row: Row) -> str | None:
    output = row.values.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return None
    message = choices[0].get("message")
    return _content(message.get("content")) if isinstance(message, dict) else None


def _content(content: object) -> str:
    """Return the words of a message, whose content is a text or a list of parts."""
    if isinstance(content, list):
        parts = [one.get("text") for one in content if isinstance(one, dict) and one.get("type") == "text"]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _target(row: Row) -> str | None:
    target = row.values.get("target")
    if isinstance(target, list):
        target = "\n".join(map(str, target))
    return target if isinstance(target, str) and target else None


FORMAT = Format(
    "inspect",
    "Inspect log",
    "https://github.com/UKGovernmentBEIS/inspect_ai",
    _EXPECTED,
    (
        Field("id, epoch", "instances.instance_id", "with the task's name before it"),
        Field("input", "instances.prompt"),
        Field("target", "instances.reference_answer"),
        Field("output", "responses.text", "the first choice"),
        Field("scores", "judgments.met, score, status", "of scorers that ask a model"),
        Field("scores{}.value", "references.met", "of all other scorers"),
        Field("scores{}.explanation", "judgments.explanation"),
    ),
    InspectLogs,
    ("judge", "generator"),
)
