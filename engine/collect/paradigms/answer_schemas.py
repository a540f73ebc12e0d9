"""The JSON schema of an answer, for servers that enforce one.

A template that asks for "one JSON object and nothing else" has a schema, made of the fields that it names
after these words, in order: a reason that is requested first is written first. A judge that thinks in
writing, or answers with a letter, has none. Answers are parsed in the same way with and without it.
"""

import re
from functools import lru_cache
from typing import Any

from engine.collect.calls import CallRequest
from engine.collect.paradigms.judgment_rows import STRUCTURED
from engine.collect.paradigms.templates import Template
from engine.paradigms import TRAITS
from engine.schema import DIMENSIONS
from engine.shown_order import shown_models, shown_scores

Schema = dict[str, Any]


_ONLY_JSON = re.compile(r"\bone JSON object and nothing else\b", re.IGNORECASE)
_FIELD_NAME = re.compile(r'"(\w+)"\s*:')
_CHOICES = ("A is better", "B is better", "tie")
_REASON: Schema = {"type": "string"}


def answer_schema(template: Template, request: CallRequest) -> Schema | None:
    """Return the schema of a request's answer; None unless the template asks for a JSON object alone."""
    if request.paradigm is None:
        return None
    names, required = _field_names(template.text), _required_fields(request)
    if not required or not required.keys() <= set(names):
        return None
    schemas = required | dict.fromkeys(("explanation", "feedback"), _REASON)
    answer = _object({name: schemas[name] for name in names if name in schemas})
    if not TRAITS[request.paradigm].lists_rubrics:
        return answer
    results = _list_of(answer, len(request.subject.rubric_ids))
    return _object({"results": results}) if "results" in names else None


@lru_cache(maxsize=256)
def _field_names(text: str) -> tuple[str, ...]:
    """Return the fields of the object that a template asks for, in order; none if it asks for no object."""
    marks = list(_ONLY_JSON.finditer(text))
    if not marks:
        return ()
    return tuple(dict.fromkeys(_FIELD_NAME.findall(text, marks[-1].end())))


def _required_fields(request: CallRequest) -> dict[str, Schema]:
    """Return the required fields of an answer, or of its part about a rubric; none if it is no JSON."""
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
            return {"outcome": {"type": "string", "enum": list(_CHOICES)}}
        case "list":
            count = len(shown_models(subject.ordering) or ())
            return {"ranking": _list_of({"type": "integer", "enum": list(range(1, count + 1))}, count)}
        case "options":
            offered = sorted(shown_scores(subject.ordering))
            return {"score": {"type": "number", "enum": offered}} if offered else {}
        case "dimension":
            return {name: {"type": "number"} for name in DIMENSIONS}
    return {}


def _object(fields: dict[str, Schema]) -> Schema:
    shape = {"type": "object", "properties": fields, "required": list(fields)}
    return {**shape, "additionalProperties": False}


def _list_of(item: Schema, count: int) -> Schema:
    return {"type": "array", "items": item, "minItems": count, "maxItems": count}
