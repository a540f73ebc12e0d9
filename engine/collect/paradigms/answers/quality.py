"""Reads a score from 0 to 10 on each of five dimensions: `{"relevance": 8.25, "accuracy": 7, ...}`."""

from engine.collect.calls import CallRequest, Reply
from engine.collect.paradigms.answers.parts.answer_forms import only_object
from engine.collect.paradigms.answers.parts.numbers import number
from engine.collect.paradigms.judgment_rows import Values, blank_rows
from engine.schema import DIMENSIONS

_TOP = 10


def read_quality(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the rows with their scores; one out of range leaves only its own row unparsed."""
    answer = only_object(reply, *DIMENSIONS) or {}
    rows = []
    for blank in blank_rows(request):
        score = number(answer.get(blank["rubric_id"]), top=_TOP)
        is_valid = score is not None and 0 <= score <= _TOP
        rows.append(blank | ({"status": "ok", "score": score} if is_valid else {}))
    return rows
