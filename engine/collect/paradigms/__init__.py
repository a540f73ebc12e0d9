"""Paradigms: what a judge is asked, and how its answer is read.

- One module for each kind of paradigm: `ask` builds the messages, `read` makes judgment rows of the answer;
  `responses` does both for models that answer or rewrite, `schemas` has the JSON schema of an answer.
- `templates`: prompt templates (`templates/*/*.txt`), and texts in their places.
- `parsing`: what the readers share.

Asking needs no model, and reading neither plan nor texts.
"""

from collections.abc import Callable
from dataclasses import dataclass

from engine.collect.calls import CallRequest, Failure, Message, Reply
from engine.collect.paradigms import familiarity, listwise, pairwise, rubrics
from engine.collect.paradigms.parsing import Values, failed_rows, with_call
from engine.collect.paradigms.templates import Template, Texts
from engine.schema import Paradigm


@dataclass(frozen=True, slots=True)
class _Way:
    """A way of judging: its messages, the rows of a call before it is answered, and its reader."""

    ask: Callable[[CallRequest, Template, Texts], list[Message]]
    rows: Callable[[CallRequest], list[Values]]
    read: Callable[[CallRequest, Reply], list[Values]]


_WAYS: dict[Paradigm, _Way] = {
    "single_rubric": _Way(rubrics.ask_single_rubric, rubrics.rows_single_rubric, rubrics.read_single_rubric),
    "all_rubrics": _Way(rubrics.ask_all_rubrics, rubrics.rows_all_rubrics, rubrics.read_all_rubrics),
    "direct_assessment": _Way(
        rubrics.ask_direct_assessment, rubrics.rows_direct_assessment, rubrics.read_direct_assessment
    ),
    "pairwise": _Way(pairwise.ask, pairwise.rows, pairwise.read),
    "score_rubric": _Way(rubrics.ask_score_rubric, rubrics.rows_score_rubric, rubrics.read_score_rubric),
    "quality": _Way(rubrics.ask_quality, rubrics.rows_quality, rubrics.read_quality),
    "listwise": _Way(listwise.ask, listwise.rows, listwise.read),
    "recognition": _Way(pairwise.ask, pairwise.rows, pairwise.read_letter),
    "familiarity": _Way(familiarity.ask, familiarity.rows, familiarity.read),
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
        return with_call([each | {"status": "refused"} for each in way.rows(request)], reply)
    return with_call(way.read(request, reply), reply)


def failed(request: CallRequest, failure: Failure) -> list[Values]:
    """Return the rows of a call that has no answer: status `error`, the reason as explanation."""
    return failed_rows(_way(request).rows(request), failure)


def _way(request: CallRequest) -> _Way:
    if request.paradigm is None:
        raise ValueError(f"a request of role {request.role!r} makes no judgments")
    return _WAYS[request.paradigm]
