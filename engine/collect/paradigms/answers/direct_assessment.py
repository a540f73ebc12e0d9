"""Reads how many of the criteria a response meets: `{"score": "3/4"}`."""

from engine.collect.calls import CallRequest, Reply
from engine.collect.paradigms.answers.parts.answer_forms import only_object
from engine.collect.paradigms.answers.parts.numbers import share
from engine.collect.paradigms.judgment_rows import Values, blank_rows, explanation


def read_share(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its score, X of the Y criteria shown; more than Y is stored as 1."""
    answer = only_object(reply, "score") or {}
    blank = blank_rows(request)[0] | {"explanation": explanation(answer.get("explanation"))}
    score = share(answer.get("score"), len(request.subject.rubric_ids))
    return [blank if score is None else blank | {"status": "ok", "score": score}]
