"""How many of a list of criteria a response does well on: `{"score": "X/Y"}`."""

import re

from engine.calls import Message, Reply, Request
from engine.paradigms.asking import ask_of_list
from engine.paradigms.reading import field_of, last_object
from engine.paradigms.rows import Values, explanation, row
from engine.paradigms.template import Template
from engine.paradigms.texts import Texts

_FRACTION = re.compile(r"([0-9]{1,12})[ \t]{0,8}/[ \t]{0,8}([0-9]{1,12})")


def ask(request: Request, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the undesirable criteria are marked."""
    return ask_of_list(request, template, texts, marks=True)


def rows(request: Request) -> list[Values]:
    """Return the row that an answer fills."""
    return [row(request, "unparsed")]


def read(request: Request, reply: Reply) -> list[Values]:
    """Return the row with its score, X of the Y criteria shown; more than Y is stored as 1."""
    answer = last_object(reply.text)
    score = _share(field_of(answer, "score", lambda value: value), len(request.subject.rubric_ids))
    status = "unparsed" if score is None else "ok"
    reason = field_of(answer, "explanation", explanation)
    return [rows(request)[0] | {"status": status, "score": score, "explanation": reason}]


def _share(value: object, shown: int) -> float | None:
    """Return the share that a fraction names; None where it is none, or of another number of criteria."""
    match = _FRACTION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or int(match[2]) != shown or shown == 0:
        return None
    return min(int(match[1]) / shown, 1.0)
