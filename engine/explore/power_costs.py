"""What a planned study costs in calls, tokens and dollars, and what a study at hand says of it."""

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any, Literal

from engine.errors import UsageError
from engine.measures.catalogue import find
from engine.stats.power import Assumed, Needed

if TYPE_CHECKING:
    from engine.study import Study


Way = Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise"]

WAYS: dict[Way, str] = {
    "single_rubric": "one call for each rubric of each response",
    "all_rubrics": "one call for each response, with a verdict on every rubric",
    "direct_assessment": "one call for each response, with one score",
    "pairwise": "two calls for each pair of responses, one in each order",
}
"""The ways of judging, and the calls that they take."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Tokens of one call of a single rubric, and US dollars for a million tokens sent and received."""

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
    """What one way of judging costs: calls, tokens in and out, US dollars."""

    way: Way
    calls: int
    tokens_in: float
    tokens_out: float
    dollars: float


def cost_of(way: Way, assumed: Assumed, needed: Needed, prices: Prices) -> Cost:
    """Return what the judgments of a study cost; responses and retries are not in it.

    A call on a pair reads twice as much, and one on all rubrics answers as often as there are rubrics.
    """
    rubrics = assumed.rubrics_per_instance
    pairs = needed.instances * assumed.judges * comb(assumed.responses, 2)
    calls = {"single_rubric": needed.verdicts, "pairwise": 2 * pairs}.get(way, needed.responses)
    sent = calls * prices.tokens_in * (2 if way == "pairwise" else 1)
    received = calls * prices.tokens_out * (rubrics if way == "all_rubrics" else 1)
    dollars = (sent * prices.price_in + received * prices.price_out) / 1e6
    return Cost(way, calls, sent, received, dollars)


def assumed_from(study: "Study") -> dict[str, float]:
    """Return what a study says of the fields of `Assumed`; empty without rubric verdicts and a reference.

    Failures and overestimation are those of its first rubric paradigm, over all judges: the share of
    references that are unfavourable, and the mean over judges of what others are credited of them.
    """
    try:
        cells = study.result(find("overestimation"), level="rubric", resamples=0).rows
        means = study.result("hspp", level="rubric", resamples=0).rows
    except UsageError:
        return {}
    failed, met = (sum(row[name] for row in cells) for name in ("n", "under_n"))
    strangers = [row["o_other"] for row in means if row["judge"] and row["o_other"]]
    if not failed or not met or not strangers:
        return {}
    return _sizes(study, cells) | {
        "failure_rate": failed / (failed + met),
        "overestimation": sum(strangers) / len(strangers),
    }


def _sizes(study: "Study", cells: list[dict[str, Any]]) -> dict[str, float]:
    index = study.index
    family = dict(zip(index.models, index.model_fields["family"], strict=True))
    generators = {row["generator"] for row in cells}
    judges = {row["judge"] for row in cells} & generators
    return {
        "judges": max(len(judges), 1),
        "generators": max(len(generators), 2),
        "families": max(len({family[name] for name in generators}), 2),
        "rubrics_per_instance": max(index.n_rubrics / max(index.n_instances, 1), 1.0),
    }
