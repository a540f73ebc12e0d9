"""The handler of each paradigm: how its messages are made, and how its answers are read."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms import judge_messages as messages
from engine.collect.paradigms.answers import (
    all_rubrics,
    direct_assessment,
    familiarity,
    listwise,
    pairwise,
    quality,
    score_rubric,
    single_rubric,
)
from engine.collect.paradigms.judgment_rows import Values
from engine.collect.paradigms.request_texts import RequestTexts
from engine.collect.paradigms.templates import Template
from engine.paradigms import Paradigm


class Handler(NamedTuple):
    """The messages of a request, and the judgment rows of its answer."""

    ask: Callable[[CallRequest, Template, RequestTexts], list[Message]]
    read: Callable[[CallRequest, Reply], list[Values]]


HANDLERS: dict[Paradigm, Handler] = {
    "single_rubric": Handler(messages.ask_rubric, single_rubric.read_verdict),
    "all_rubrics": Handler(partial(messages.ask_rubrics, marks=False), all_rubrics.read_verdicts),
    "direct_assessment": Handler(partial(messages.ask_rubrics, marks=True), direct_assessment.read_share),
    "pairwise": Handler(messages.ask_pair, pairwise.read_pair),
    "score_rubric": Handler(messages.ask_options, score_rubric.read_option),
    "quality": Handler(messages.ask_quality, quality.read_quality),
    "listwise": Handler(messages.ask_list, listwise.read_ranking),
    "recognition": Handler(messages.ask_pair, pairwise.read_pair),
    "familiarity": Handler(messages.ask_familiarity, familiarity.read_familiarity),
}
