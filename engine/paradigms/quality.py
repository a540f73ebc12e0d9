"""A score from 0 to 10 on each of five dimensions: `{"relevance": 8.25, "accuracy": 7, ...}`."""

from engine.calls import Message, Reply, Request
from engine.paradigms.asking import fence_of, values_of
from engine.paradigms.reading import field_of, last_object, number
from engine.paradigms.rows import Values, row
from engine.paradigms.template import Template
from engine.paradigms.texts import Texts
from engine.schema import DIMENSIONS

_TOP = 10


def ask(request: Request, template: Template, texts: Texts) -> list[Message]:
    """Return the messages."""
    del request
    return template.render(values_of(texts, fence_of(texts), {}))


def rows(request: Request) -> list[Values]:
    """Return the rows that an answer fills, one for each dimension."""
    return [row(request, "unparsed", rubric_id=dimension) for dimension in DIMENSIONS]


def read(request: Request, reply: Reply) -> list[Values]:
    """Return the rows with their scores; one out of range spoils its own row only."""
    answer = last_object(reply.text)
    read = []
    for asked in rows(request):
        score = field_of(answer, asked["rubric_id"], number)
        good = score is not None and 0 <= score <= _TOP
        read.append(asked | ({"status": "ok", "score": score} if good else {}))
    return read
