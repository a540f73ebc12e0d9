"""The ways of judging: what a judge is asked, and what its answer says.

- One module for each paradigm: `ask` builds the messages, `read` makes judgment rows of the answer;
  `responses` does both for models that answer or rewrite.
- `template`, `choosing`: prompt templates (`templates/*.txt`); `asking`, `fence`: texts in their places.
- `reading`, `rows`: what the readers share.

Asking needs no model and reading no plan and no texts. It may import `engine.schema`, `engine.calls`,
`engine.errors`, `engine.conversation`, `engine.score_options` and `engine.text_files`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from engine.calls import Failure, Message, Reply, Request
from engine.paradigms import (
    all_rubrics,
    direct_assessment,
    pairwise,
    quality,
    score_rubric,
    single_rubric,
)
from engine.paradigms.responses import read_response
from engine.paradigms.rows import Values, failed_rows, with_call
from engine.paradigms.template import MissingTextError, Template
from engine.paradigms.texts import Criterion, Texts
from engine.schema import Paradigm
from engine.score_options import Option

__all__ = [
    "Criterion",
    "MissingTextError",
    "Option",
    "Template",
    "Texts",
    "ask",
    "failed",
    "read",
    "read_response",
]


@dataclass(frozen=True, slots=True)
class _Way:
    """A way of judging: its messages, the rows of a call before it is answered, and its reader."""

    ask: Callable[[Request, Template, Texts], list[Message]]
    rows: Callable[[Request], list[Values]]
    read: Callable[[Request, Reply], list[Values]]


_WAYS: dict[Paradigm, _Way] = {
    "single_rubric": _Way(single_rubric.ask, single_rubric.rows, single_rubric.read),
    "all_rubrics": _Way(all_rubrics.ask, all_rubrics.rows, all_rubrics.read),
    "direct_assessment": _Way(direct_assessment.ask, direct_assessment.rows, direct_assessment.read),
    "pairwise": _Way(pairwise.ask, pairwise.rows, pairwise.read),
    "score_rubric": _Way(score_rubric.ask, score_rubric.rows, score_rubric.read),
    "quality": _Way(quality.ask, quality.rows, quality.read),
}


def ask(request: Request, template: Template, texts: Texts) -> list[Message]:
    """Return the messages that put the request's question; MissingTextError where a text is not there."""
    return _way(request).ask(request, template, texts)


def read(request: Request, reply: Reply) -> list[Values]:
    """Return the judgment rows of an answer, without run_id: one for each thing that was asked.

    Whatever was answered, there are as many rows as were asked for: `ok` with a verdict, `unparsed` without
    one, or all `refused` where the provider says so. Tokens, cost, latency and raw stand on the first.
    """
    way = _way(request)
    if reply.refused:
        return with_call([each | {"status": "refused"} for each in way.rows(request)], reply)
    return with_call(way.read(request, reply), reply)


def failed(request: Request, failure: Failure) -> list[Values]:
    """Return the rows of a call that has no answer: status `error`, the reason as explanation."""
    return failed_rows(_way(request).rows(request), failure)


def _way(request: Request) -> _Way:
    if request.paradigm is None:
        raise ValueError(f"a request of role {request.role!r} makes no judgments")
    return _WAYS[request.paradigm]
