"""Reads the likelihood for the judge of its last message, a response: `{"logprob": -210.4, "tokens": 96}`."""

from engine.collect.calls import CallRequest, Reply
from engine.collect.paradigms.answers.parts.answer_forms import only_object
from engine.collect.paradigms.answers.parts.numbers import number
from engine.collect.paradigms.judgment_rows import Values, blank_rows


def read_familiarity(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with the mean log-probability per token as its score."""
    answer = only_object(reply, "logprob") or {}
    total, tokens = (number(answer.get(name)) for name in ("logprob", "tokens"))
    if total is None or tokens is None or total > 0 or tokens < 1:
        return blank_rows(request)
    return [blank_rows(request)[0] | {"status": "ok", "score": total / tokens}]
