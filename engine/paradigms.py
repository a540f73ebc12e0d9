"""The paradigms of judging, declared once, and what an answer may lack."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

Paradigm = Literal[
    "single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise",
    "recognition", "familiarity",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ParadigmTraits:
    """The traits of a paradigm; code tests one of these rather than a paradigm's name.

    `meaning` is what a judgment is, `choice` the words by which a run's paradigms are chosen on a page.
    `subject` is what a judgment is about: a rubric of a response, a whole response, a pair of responses, a
    list of them, the scores that a rubric offers, one of `DIMENSIONS`, or the words of a response, which are
    scored without a question. `gives` is its result: a verdict, a score, an outcome, the ranks of a list,
    which response the judge wrote itself, or how likely the judge finds the words. `comparable`: whether
    responses can be compared by it. `lists_rubrics`: one call shows all rubrics of a response, so that each
    has a position. `one_rubric_a_call`: one call asks for one rubric. `shows` are the texts that a template
    may contain, besides the prompt, the reference answer and the context. `needs` are the required ones.
    `answer_tokens` is the typical length of an answer, per judged item if there are several.
    """

    name: Paradigm
    meaning: str
    choice: str
    subject: Literal["rubric", "response", "pair", "list", "options", "dimension", "words"]
    gives: Literal["verdict", "score", "outcome", "ranks", "author", "likelihood"]
    shows: tuple[str, ...]
    needs: tuple[str, ...]
    answer_tokens: int
    comparable: bool = True
    lists_rubrics: bool = False
    one_rubric_a_call: bool = False

    @property
    def of_rubrics(self) -> bool:
        return self.gives == "verdict"

    @property
    def of_pairs(self) -> bool:
        return self.subject == "pair"

    @property
    def of_lists(self) -> bool:
        return self.subject == "list"


_TRAITS = (
    ParadigmTraits(
        "single_rubric", "a verdict on one criterion of an answer",
        "one criterion at a time",
        "rubric", "verdict",
        shows=("response", "rubric"), needs=("response", "rubric"), answer_tokens=60,
        one_rubric_a_call=True,
    ),
    ParadigmTraits(
        "all_rubrics", "verdicts on all criteria of an answer at once",
        "all criteria of an answer at once",
        "rubric", "verdict",
        shows=("response", "rubrics", "count"), needs=("response", "rubrics"), answer_tokens=10,
        lists_rubrics=True,
    ),
    ParadigmTraits(
        "direct_assessment", "one score for an answer",
        "one score for an answer",
        "response", "score",
        shows=("response", "rubrics", "count"), needs=("response", "rubrics"), answer_tokens=10,
    ),
    ParadigmTraits(
        "pairwise", "the better of two answers",
        "two answers side by side, in both orders",
        "pair", "outcome",
        shows=("response_a", "response_b", "rubrics"), needs=("response_a", "response_b"), answer_tokens=10,
    ),
    ParadigmTraits(
        "score_rubric", "one of the scores that a criterion offers",
        "a score on each criterion that has levels",
        "options", "score",
        shows=("response", "rubric", "options"), needs=("response", "options"), answer_tokens=120,
        comparable=False, one_rubric_a_call=True,
    ),
    ParadigmTraits(
        "quality", "a score on each dimension",
        "the quality of each answer, which pairs of equal quality need",
        "dimension", "score",
        shows=("response",), needs=("response",), answer_tokens=40, comparable=False,
    ),
    ParadigmTraits(
        "listwise", "the ranks of several answers shown together",
        "all answers to a question ranked together",
        "list", "ranks",
        shows=("responses", "count", "rubrics"), needs=("responses",), answer_tokens=4, comparable=False,
    ),
    ParadigmTraits(
        "recognition", "which of two answers the judge wrote itself",
        "which of two answers the judge wrote itself",
        "pair", "author",
        shows=("response_a", "response_b"), needs=("response_a", "response_b"), answer_tokens=1,
        comparable=False,
    ),
    ParadigmTraits(
        "familiarity", "how likely the judge finds the words of an answer",
        "how likely the judge finds the words of each answer, if its server reports it",
        "words", "likelihood",
        shows=("response",), needs=("response",), answer_tokens=1, comparable=False,
    ),
)  # fmt: skip

TRAITS: dict[str, ParadigmTraits] = {traits.name: traits for traits in _TRAITS}
"""The traits of each paradigm, in order of preference."""


def _paradigms(has_trait: Callable[[ParadigmTraits], bool]) -> tuple[Paradigm, ...]:
    return tuple(traits.name for traits in _TRAITS if has_trait(traits))


PARADIGMS = _paradigms(lambda _: True)
RUBRIC_PARADIGMS = _paradigms(lambda traits: traits.of_rubrics)
LIST_PARADIGMS = _paradigms(lambda traits: traits.lists_rubrics)
PAIR_PARADIGMS = _paradigms(lambda traits: traits.gives == "outcome")
AUTHOR_PARADIGMS = _paradigms(lambda traits: traits.gives == "author")
LIKELIHOOD_PARADIGMS = _paradigms(lambda traits: traits.gives == "likelihood")
RANK_PARADIGMS = _paradigms(lambda traits: traits.of_lists)
OPTION_PARADIGMS = _paradigms(lambda traits: traits.subject == "options")
SCORED_CRITERIA = _paradigms(lambda traits: traits.subject in ("options", "dimension"))
"""The paradigms that give an answer scores on its criteria."""
COMPARABLE = _paradigms(lambda traits: traits.comparable)
"""The paradigms in which responses can be compared, in order of preference."""
SCORED = _paradigms(lambda traits: traits.comparable and not traits.of_pairs)
"""The comparable paradigms that give each response its own score, or verdicts that make one."""
RESPONSE_SCORES = (*SCORED, *OPTION_PARADIGMS)
"""The paradigms from which each response has a score, those by criterion included."""
Shortfall = Literal["cut_off", "empty", "only_thinking", "malformed"]
"""What is wrong with an answer that arrived, and was paid for, but has no readable verdict.

`cut_off`: it ended at the token limit; `empty`: it has no text; `only_thinking`: it consists of thinking
alone; `malformed`: it lacks the requested shape, or the response contains no answer.
"""
SHORTFALLS: tuple[Shortfall, ...] = get_args(Shortfall)
NO_ANSWER: tuple[Shortfall, ...] = ("empty", "only_thinking", "malformed")
"""The shortfalls of a collected response without any text: it is missing, unlike an imported blank one."""
