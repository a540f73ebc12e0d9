"""Paradigms: the messages to a judge, and the parsing of its answer.

- `judging`: the messages of each paradigm, its judgment rows, and the JSON schema of its answers.
- `templates`: prompt templates (`templates/*/*.txt`), filled with texts.
- `parsing`: what the parsers share, and the rows of models that answer or rewrite.

Building messages needs no model, and parsing needs neither plan nor texts.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from engine.collect.calls import CallRequest, Failure, Message, Reply
from engine.collect.paradigms import judging
from engine.collect.paradigms.parsing import Values, blank_rows, failed_rows, with_call
from engine.collect.paradigms.templates import Template, Texts
from engine.schema import Paradigm


class _Handler(NamedTuple):
    """How a paradigm is asked and read: its messages, and the rows of an answer."""

    ask: Callable[[CallRequest, Template, Texts], list[Message]]
    read: Callable[[CallRequest, Reply], list[Values]]


_HANDLERS: dict[Paradigm, _Handler] = {
    "single_rubric": _Handler(judging.ask_rubric, judging.read_verdict),
    "all_rubrics": _Handler(partial(judging.ask_rubrics, marks=False), judging.read_verdicts),
    "direct_assessment": _Handler(partial(judging.ask_rubrics, marks=True), judging.read_share),
    "pairwise": _Handler(judging.ask_pair, judging.read_pair),
    "score_rubric": _Handler(judging.ask_options, judging.read_option),
    "quality": _Handler(judging.ask_quality, judging.read_quality),
    "listwise": _Handler(judging.ask_list, judging.read_ranking),
    "recognition": _Handler(judging.ask_pair, judging.read_letter),
    "familiarity": _Handler(judging.ask_familiarity, judging.read_familiarity),
}


def ask(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages that put the request's question; MissingTextError where a text is not there."""
    return _handler_of(request).ask(request, template, texts)


def read(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the judgment rows of an answer, without run_id: one for each thing that was asked.

    Whatever was answered, there are as many rows as were asked for: `ok` with a verdict, `unparsed` without
    one, or all `refused` where the provider says so. Tokens, cost, latency and raw stand on the first.
    """
    handler = _handler_of(request)
    if reply.refused:
        return with_call([each | {"status": "refused"} for each in blank_rows(request)], reply)
    return with_call(handler.read(request, reply), reply)


def failed(request: CallRequest, failure: Failure) -> list[Values]:
    """Return the rows of a call that has no answer: status `error`, the reason as explanation."""
    return failed_rows(blank_rows(request), failure)


def _handler_of(request: CallRequest) -> _Handler:
    if request.paradigm is None:
        raise ValueError(f"a request of role {request.role!r} makes no judgments")
    return _HANDLERS[request.paradigm]
