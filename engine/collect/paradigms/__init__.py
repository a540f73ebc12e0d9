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


class _Way(NamedTuple):
    """A way of judging: its messages, and the rows of an answer."""

    ask: Callable[[CallRequest, Template, Texts], list[Message]]
    read: Callable[[CallRequest, Reply], list[Values]]


_WAYS: dict[Paradigm, _Way] = {
    "single_rubric": _Way(judging.ask_rubric, judging.read_verdict),
    "all_rubrics": _Way(partial(judging.ask_rubrics, marks=False), judging.read_verdicts),
    "direct_assessment": _Way(partial(judging.ask_rubrics, marks=True), judging.read_share),
    "pairwise": _Way(judging.ask_pair, judging.read_pair),
    "score_rubric": _Way(judging.ask_options, judging.read_option),
    "quality": _Way(judging.ask_quality, judging.read_quality),
    "listwise": _Way(judging.ask_list, judging.read_ranking),
    "recognition": _Way(judging.ask_pair, judging.read_letter),
    "familiarity": _Way(judging.ask_familiarity, judging.read_familiarity),
}


def ask(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages that put the request's question; MissingTextError where a text is not there."""
    return _way(request).ask(request, template, texts)


def read(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the judgment rows of an answer, without run_id: one for each thing that was asked.

    Whatever was answered, there are as many rows as were asked for: `ok` with a verdict, `unparsed` without
    one, or all `refused` where the provider says so. Tokens, cost, latency and raw stand on the first.
    """
    way = _way(request)
    if reply.refused:
        return with_call([each | {"status": "refused"} for each in blank_rows(request)], reply)
    return with_call(way.read(request, reply), reply)


def failed(request: CallRequest, failure: Failure) -> list[Values]:
    """Return the rows of a call that has no answer: status `error`, the reason as explanation."""
    return failed_rows(blank_rows(request), failure)


def _way(request: CallRequest) -> _Way:
    if request.paradigm is None:
        raise ValueError(f"a request of role {request.role!r} makes no judgments")
    return _WAYS[request.paradigm]
