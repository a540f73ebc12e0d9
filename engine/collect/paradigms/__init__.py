"""Paradigms: the messages to a judge, and the parsing of its answer.

- `judge_messages`: the messages of each paradigm; `answers/`: a reader of answers for each, in a module of
  its name; `handlers` joins the two.
- `templates`: prompt templates, which `template_files` finds by name or path, filled with `request_texts`;
  `answer_schemas`: the JSON schema of an answer.
- `judgment_rows` and `response_rows`: the rows of judgments, and of models that answer or rewrite.
- `thinking`: a model's thinking, told apart from its answer.

Building messages needs no model, and parsing needs neither plan nor texts.
"""

import math
from contextlib import suppress
from dataclasses import replace

from engine.collect.calls import CallRequest, Failure, Message, Reply
from engine.collect.paradigms.answers.parts.answer_forms import UnclearAnswerError
from engine.collect.paradigms.answers.parts.quotations import without_shown_texts
from engine.collect.paradigms.answers.parts.sides import is_lone_letter
from engine.collect.paradigms.handlers import HANDLERS, Handler
from engine.collect.paradigms.judgment_rows import (
    LONGEST_EXPLANATION,
    LONGEST_RAW,
    Values,
    blank_rows,
    shorten,
)
from engine.collect.paradigms.request_texts import RequestTexts
from engine.collect.paradigms.templates import Template
from engine.collect.paradigms.thinking import without_thinking


def ask(request: CallRequest, template: Template, texts: RequestTexts) -> list[Message]:
    """Return the messages of a request; MissingTextError if a text is missing."""
    return _handler_of(request).ask(request, template, texts)


def read(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the judgment rows of an answer, without run_id: one per judged item.

    Whatever the answer, every item has a row: `ok` with a verdict, `unparsed` without one, or all `refused`
    if the provider reports a refusal. Thinking is never read, nor an answer that was cut off, unless it is
    one letter. Tokens, cost, latency and raw are on the first row.
    """
    rows = blank_rows(request)
    if reply.refused:
        rows = [each | {"status": "refused"} for each in rows]
    elif reply.shortfall != "only_thinking" and (not _is_cut_off(reply) or is_lone_letter(reply.text)):
        answer = replace(reply, text=without_shown_texts(without_thinking(reply.text)))
        with suppress(UnclearAnswerError):
            rows = _handler_of(request).read(request, answer)
    for name in ("latency_s", "prompt_tokens", "completion_tokens", "cost_usd"):
        value = getattr(reply, name)
        rows[0][name] = value if value is not None and 0 <= value < math.inf else None
    rows[0]["raw"] = shorten(reply.text or reply.refusal or "", LONGEST_RAW)
    return rows


def _is_cut_off(reply: Reply) -> bool:
    return reply.finish_reason == "length" or reply.shortfall == "cut_off"


def failure_rows(request: CallRequest, failure: Failure) -> list[Values]:
    status = "" if failure.status is None else f" (HTTP {failure.status})"
    reason = shorten(f"{failure.kind}{status}: {failure.message}", LONGEST_EXPLANATION)
    return [each | {"status": "error", "explanation": reason} for each in blank_rows(request)]


def _handler_of(request: CallRequest) -> Handler:
    if request.paradigm is None:
        raise ValueError(f"a request of role {request.role!r} makes no judgments")
    return HANDLERS[request.paradigm]
