"""The handler of each paradigm: how its messages are made, and how its answers are read."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms import (
    criterion_verdicts,
    familiarity,
    list_ranks,
    list_verdicts,
    option_scores,
    pair_choices,
    quality_scores,
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
    "single_rubric": Handler(criterion_verdicts.ask_rubric, criterion_verdicts.read_verdict),
    "all_rubrics": Handler(partial(list_verdicts.ask_rubrics, marks=False), list_verdicts.read_verdicts),
    "direct_assessment": Handler(partial(list_verdicts.ask_rubrics, marks=True), list_verdicts.read_share),
    "pairwise": Handler(pair_choices.ask_pair, pair_choices.read_pair),
    "score_rubric": Handler(option_scores.ask_options, option_scores.read_option),
    "quality": Handler(quality_scores.ask_quality, quality_scores.read_quality),
    "listwise": Handler(list_ranks.ask_list, list_ranks.read_ranking),
    "recognition": Handler(pair_choices.ask_pair, pair_choices.read_pair),
    "familiarity": Handler(familiarity.ask_familiarity, familiarity.read_familiarity),
}
