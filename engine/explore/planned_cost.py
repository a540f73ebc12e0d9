"""The cost of a planned study in calls, tokens and dollars, with assumptions from an existing one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Literal

from engine.errors import UsageError
from engine.stats.power import Assumptions, StudySize

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import HsppRow, OverestimationRow


Way = Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise"]

WAYS: dict[Way, str] = {
    "single_rubric": "one call for each criterion of each answer",
    "all_rubrics": "one call for each answer, with a verdict on every criterion",
    "direct_assessment": "one call for each answer, with one score",
    "pairwise": "two calls for each pair of answers, one in each order",
}
"""The ways of judging, and the calls that they need."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Tokens of one call on a single rubric, and US dollars per million tokens sent and received."""

    tokens_in: float = 1000.0
    tokens_out: float = 50.0
    price_in: float = 1.0
    price_out: float = 4.0

    def __post_init__(self) -> None:
        for name in ("tokens_in", "tokens_out", "price_in", "price_out"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise UsageError(f"{name} {getattr(self, name)!r} is not a number of 0 or more; give one")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one way of judging: calls, tokens in and out, US dollars."""

    way: Way
    calls: int
    tokens_in: float
    tokens_out: float
    dollars: float


def cost_of(way: Way, assumptions: Assumptions, size: StudySize, prices: Prices) -> Cost:
    """Return the cost of the judgments of a study, without responses and retries.

    A call on a pair reads twice as much, and one on all rubrics gives an answer for each.
    """
    rubrics = assumptions.rubrics_per_instance
    pairs = size.instances * assumptions.judges * comb(assumptions.responses, 2)
    calls = {"single_rubric": size.verdicts, "pairwise": 2 * pairs}.get(way, size.responses)
    tokens_in = calls * prices.tokens_in * (2 if way == "pairwise" else 1)
    tokens_out = calls * prices.tokens_out * (rubrics if way == "all_rubrics" else 1)
    dollars = (tokens_in * prices.price_in + tokens_out * prices.price_out) / 1e6
    return Cost(way, calls, tokens_in, tokens_out, dollars)


def assumptions_from(study: "MeasuredStudy") -> dict[str, float]:
    """Return the `Assumptions` estimated from a study; empty without rubric verdicts and a reference.

    They are those of its first rubric paradigm, over all judges: the share of references that are
    unfavourable, and the mean over judges of their overestimation of other families.
    """
    try:
        cells: list[OverestimationRow] = study.result("overestimation", level="rubric", resamples=0).rows
        means: list[HsppRow] = study.result("hspp", level="rubric", resamples=0).rows
    except UsageError:
        return {}
    failed, met = sum(row["n"] for row in cells), sum(row["under_n"] for row in cells)
    rates = [row["o_other"] for row in means if row["judge"] and row["o_other"]]
    if not failed or not met or not rates:
        return {}
    return _sizes(study, cells) | {
        "failure_rate": failed / (failed + met),
        "overestimation": sum(rates) / len(rates),
    }


def _sizes(study: "MeasuredStudy", cells: "Sequence[OverestimationRow]") -> dict[str, float]:
    index, family = study.index, study.families()
    generators = {row["generator"] for row in cells}
    judges = {row["judge"] for row in cells} & generators
    return {
        "judges": max(len(judges), 1),
        "generators": max(len(generators), 2),
        "families": max(len({family[name] for name in generators}), 2),
        "rubrics_per_instance": max(index.n_rubrics / max(index.n_instances, 1), 1.0),
    }
