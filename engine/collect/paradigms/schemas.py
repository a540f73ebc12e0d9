"""The JSON schema of an answer, for servers that hold a model to one.

A template whose words ask for "one JSON object and nothing else" has one, made of the fields that it names
after these words, in their order: a reason that is asked for first is written first. A judge that is to think
in writing, or to answer with a letter, is held to nothing. Answers are read as they are without it.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from engine.collect.calls import CallRequest
from engine.collect.paradigms.one_response import scores_of
from engine.collect.paradigms.parsing import STRUCTURED
from engine.collect.paradigms.templates import Template
from engine.schema import DIMENSIONS, TRAITS, shown_models

Schema = dict[str, Any]

_ONLY_JSON = re.compile(r"\bone JSON object and nothing else\b", re.IGNORECASE)
_NAMED = re.compile(r'"(\w+)"\s*:')
_OUTCOMES = ("A is better", "B is better", "tie")
_REASON: Schema = {"type": "string"}


def answer_schema(template: Template, request: CallRequest) -> Schema | None:
    """Return the schema of a request's answer; None where the template's answer is no JSON object alone."""
    if request.paradigm is None:
        return None
    named = _fields_named(template.text)
    traits = TRAITS[request.paradigm]
    subject = "rubrics" if traits.lists_rubrics else traits.subject
    make = _SCHEMAS.get(subject)
    return make(named, request) if named and make else None


@lru_cache(maxsize=256)
def _fields_named(text: str) -> tuple[str, ...]:
    """Return the fields of the object that a template asks for, in their order; none where it does not."""
    marks = list(_ONLY_JSON.finditer(text))
    if not marks:
        return ()
    return tuple(dict.fromkeys(_NAMED.findall(text, marks[-1].end())))


def _object(fields: dict[str, Schema]) -> Schema:
    shape = {"type": "object", "properties": fields, "required": list(fields)}
    return {**shape, "additionalProperties": False}


def _of(named: tuple[str, ...], needed: dict[str, Schema]) -> Schema | None:
    """Return the object of the needed fields with the reasons that a template asks for beside them."""
    if not needed.keys() <= set(named):
        return None
    known = needed | dict.fromkeys(("explanation", "feedback"), _REASON)
    return _object({name: known[name] for name in named if name in known})


def _single_rubric(named: tuple[str, ...], _: CallRequest) -> Schema | None:
    return _of(named, {"criteria_met": {"type": "boolean"}})


def _all_rubrics(named: tuple[str, ...], request: CallRequest) -> Schema | None:
    verdict = _of(named, {"criteria_met": {"type": "boolean"}})
    if verdict is None or "results" not in named:
        return None
    count = len(request.subject.rubric_ids)
    return _object({"results": {"type": "array", "items": verdict, "minItems": count, "maxItems": count}})


def _direct_assessment(named: tuple[str, ...], request: CallRequest) -> Schema | None:
    count = len(request.subject.rubric_ids)
    shares = [f"{number}/{count}" for number in range(count + 1)]
    return _of(named, {"score": {"type": "string", "enum": shares}})


def _pairwise(named: tuple[str, ...], request: CallRequest) -> Schema | None:
    if request.variant == STRUCTURED:
        return _of(named, {name: {"type": "string", "enum": ["A", "B"]} for name in DIMENSIONS})
    return _of(named, {"outcome": {"type": "string", "enum": list(_OUTCOMES)}})


def _score_rubric(named: tuple[str, ...], request: CallRequest) -> Schema | None:
    offered = sorted(scores_of(request.subject.ordering))
    return _of(named, {"score": {"type": "number", "enum": offered}}) if offered else None


def _quality(named: tuple[str, ...], _: CallRequest) -> Schema | None:
    return _of(named, {name: {"type": "number"} for name in DIMENSIONS})


def _listwise(named: tuple[str, ...], request: CallRequest) -> Schema | None:
    """Return the schema of a ranking; that no number stands in it twice no schema of servers can say."""
    count = len(shown_models(request.subject.ordering) or ())
    number = {"type": "integer", "enum": list(range(1, count + 1))}
    return _of(named, {"ranking": {"type": "array", "items": number, "minItems": count, "maxItems": count}})


_SCHEMAS: dict[str, Callable[[tuple[str, ...], CallRequest], Schema | None]] = {
    "rubric": _single_rubric,
    "rubrics": _all_rubrics,
    "response": _direct_assessment,
    "pair": _pairwise,
    "list": _listwise,
    "options": _score_rubric,
    "dimension": _quality,
}
"""By what a judgment is about; `rubrics` where one call is about several. Words alone have no answer."""
