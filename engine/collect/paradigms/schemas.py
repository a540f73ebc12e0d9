"""The JSON schema of an answer, for servers that hold a model to one.

A template whose words ask for "one JSON object and nothing else" has one, made of the fields that it names
after these words, in their order: a reason that is asked for first is written first. A judge that is to think
in writing, or to answer with a letter, is held to nothing. Answers are read as they are without it.
"""

import re
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
    named, needed = _fields_named(template.text), _needed_fields(request)
    if not needed or not needed.keys() <= set(named):
        return None
    known = needed | dict.fromkeys(("explanation", "feedback"), _REASON)
    answer = _object({name: known[name] for name in named if name in known})
    if not TRAITS[request.paradigm].lists_rubrics:
        return answer
    results = _list_of(answer, len(request.subject.rubric_ids))
    return _object({"results": results}) if "results" in named else None


@lru_cache(maxsize=256)
def _fields_named(text: str) -> tuple[str, ...]:
    """Return the fields of the object that a template asks for, in their order; none where it does not."""
    marks = list(_ONLY_JSON.finditer(text))
    if not marks:
        return ()
    return tuple(dict.fromkeys(_NAMED.findall(text, marks[-1].end())))


def _needed_fields(request: CallRequest) -> dict[str, Schema]:
    """Return the fields without which an answer says nothing, or nothing about one of several rubrics.

    There are none where no JSON is asked for. That no number stands twice in a ranking, no schema that
    servers know can say.
    """
    subject = request.subject
    match TRAITS[request.paradigm or ""].subject:
        case "rubric":
            return {"criteria_met": {"type": "boolean"}}
        case "response":
            count = len(subject.rubric_ids)
            shares = [f"{number}/{count}" for number in range(count + 1)]
            return {"score": {"type": "string", "enum": shares}}
        case "pair" if request.variant == STRUCTURED:
            return {name: {"type": "string", "enum": ["A", "B"]} for name in DIMENSIONS}
        case "pair":
            return {"outcome": {"type": "string", "enum": list(_OUTCOMES)}}
        case "list":
            count = len(shown_models(subject.ordering) or ())
            return {"ranking": _list_of({"type": "integer", "enum": list(range(1, count + 1))}, count)}
        case "options":
            offered = sorted(scores_of(subject.ordering))
            return {"score": {"type": "number", "enum": offered}} if offered else {}
        case "dimension":
            return {name: {"type": "number"} for name in DIMENSIONS}
    return {}


def _object(fields: dict[str, Schema]) -> Schema:
    shape = {"type": "object", "properties": fields, "required": list(fields)}
    return {**shape, "additionalProperties": False}


def _list_of(item: Schema, count: int) -> Schema:
    return {"type": "array", "items": item, "minItems": count, "maxItems": count}
