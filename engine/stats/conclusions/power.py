"""How many instances a study needs to distinguish its self-preference ratio from 1.

A ratio of two rates is distinguished from 1 if its 95% interval excludes 1. The percentile interval of
O_self / O_other does so exactly when that of O_self - O_other excludes 0, and the difference is closer to
normal where failures are few. Its variance falls as one over the number of instances; that of one instance
follows from what is assumed of the study (the delta method). The mean of the ratios over judges is taken on
the log scale. `simulated_power` draws such studies and computes their intervals, to check the
approximation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Literal, get_args

import numpy as np
from scipy.special import ndtr, ndtri

from engine.errors import UsageError
from engine.stats import Floats, Ints
from engine.stats.intervals.bootstrap import cluster_weights, percentile_interval, resample
from engine.stats.ratios import mean_of_defined
from engine.stats.self_preference import Relations, self_preference

Target = Literal["judge", "adjusted", "mean"]
TARGETS: tuple[Target, ...] = get_args(Target)
ALPHA = 0.05
FEWEST = 10  # instances below which a study gives no p-values (MEASURES section 6)


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is assumed of a study; shares are fractions of 1.

    `effect` is HSPP-R_self of every judge. Judges are among the generators, and families as even as possible;
    results are for a judge of one of the largest, which has the fewest generators to compare with.
    `overestimation` is the chance that a judge credits a failed rubric of another family. `clustering` is the
    intraclass correlation within one response, of its failures and of a judge's verdicts on them: 0 if
    rubrics of a response are independent, 1 if they all come out alike.
    """

    effect: float
    judges: int = 6
    generators: int | None = None
    families: int = 3
    failure_rate: float = 0.2
    overestimation: float = 0.3
    rubrics_per_instance: float = 6.0
    clustering: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.effect < float("inf") or self.effect == 1:
            raise UsageError(
                f"effect {self.effect!r} is not a ratio above 0 other than 1; give one such as 1.2"
            )
        if self.judges < 1:
            raise UsageError(f"judges {self.judges!r}: give a whole number from 1")
        if self.responses < self.judges:
            raise UsageError(
                f"models {self.responses!r} are fewer than the {self.judges} judges, who judge their own "
                "answers too; give as many or more"
            )
        if self.responses < 2:
            raise UsageError(
                f"judges {self.judges!r}: with one model there are no answers but its own; give 2 or more "
                "judges, or more models"
            )
        if not 2 <= self.families <= self.responses:
            raise UsageError(f"families {self.families!r}: give 2 to {self.responses}, the models")
        for name in ("failure_rate", "overestimation"):
            if not 0 < getattr(self, name) < 1:
                raise UsageError(f"{name} {getattr(self, name)!r}: give a share above 0 and below 1")
        if self.own_rate >= 1:
            highest = 1 / self.overestimation
            raise UsageError(
                f"effect {self.effect!r} times overestimation {self.overestimation!r} is not a "
                f"probability; give an effect below {highest:.3g}, or a lower overestimation"
            )
        if not 1 <= self.rubrics_per_instance < float("inf"):
            raise UsageError(f"rubrics_per_instance {self.rubrics_per_instance!r}: give a number from 1")
        if not 0 <= self.clustering < 1:
            raise UsageError(f"clustering {self.clustering!r}: give a share from 0 to below 1")

    @property
    def responses(self) -> int:
        """The number of generators; the judges unless given."""
        return self.judges if self.generators is None else self.generators

    @property
    def strangers(self) -> int:
        """Generators outside the family of a judge in one of the largest families."""
        return self.responses - ceil(self.responses / self.families)

    @property
    def own_rate(self) -> float:
        return self.effect * self.overestimation


@dataclass(frozen=True, slots=True)
class StudySize:
    """The size of a study of `instances`, and the share of such studies whose interval excludes 1.

    `own_failures` are the unfavourable references expected of one judge's own responses, `verdicts` the
    rubric verdicts of all judges, and `responses` what they judge: so many calls if each gives all verdicts.
    """

    instances: int
    power: float
    own_failures: float
    responses: int
    verdicts: int


def power_at(assumed: Assumptions, instances: float, target: Target = "judge") -> float:
    """Return the share of studies of so many instances in which the interval excludes 1."""
    distance, critical = _per_instance(assumed, target)
    shift = sqrt(instances) * distance
    return float(ndtr(shift - critical) + ndtr(-shift - critical))


def instances_needed(assumed: Assumptions, power: float = 0.8, target: Target = "judge") -> StudySize:
    """Return the fewest instances, at least 10, with which the share `power` of studies excludes 1."""
    if not ALPHA < power < 1:
        raise UsageError(f"power {power!r}: give a share above {ALPHA} and below 1, such as 0.8")
    distance, critical = _per_instance(assumed, target)
    guess = ceil(((critical + float(ndtri(power))) / distance) ** 2)  # without the other end of the interval
    return study_of(assumed, max(guess, FEWEST), target)


def power_curve(
    assumed: Assumptions, instances: Sequence[int] | None = None, target: Target = "judge"
) -> list[StudySize]:
    """Return the power and size of studies of these numbers of instances; by default 25 up to power .99."""
    if instances is None:
        last = max(instances_needed(assumed, 0.99, target).instances, 2 * FEWEST)
        instances = sorted({round(number) for number in np.geomspace(FEWEST, last, 25)})
    return [study_of(assumed, number, target) for number in instances]


def study_of(assumed: Assumptions, instances: int, target: Target = "judge") -> StudySize:
    if instances < 1:
        raise UsageError(f"questions {instances!r}: give a whole number from 1")
    responses = instances * assumed.responses * assumed.judges
    rubrics = instances * assumed.rubrics_per_instance
    return StudySize(
        instances=instances,
        power=power_at(assumed, instances, target),
        own_failures=rubrics * assumed.failure_rate,
        responses=responses,
        verdicts=round(responses * assumed.rubrics_per_instance),
    )


def _per_instance(assumed: Assumptions, target: Target) -> tuple[float, float]:
    """Return the effect in standard errors of one instance, and the number of standard errors required.

    The mean over one judge is its own ratio.
    """
    own, other = assumed.own_rate, assumed.overestimation
    if target == "mean" and assumed.judges > 1:
        variance = _spread(assumed) * ((1 - own) / own + (1 - other) / other / assumed.strangers)
        distance = log(assumed.effect) / sqrt(variance / assumed.judges)
    else:
        variance = _spread(assumed) * (own * (1 - own) + other * (1 - other) / assumed.strangers)
        distance = (own - other) / sqrt(variance)
    tests = assumed.judges if target == "adjusted" else 1
    return abs(distance), -float(ndtri(ALPHA / tests / 2))


def _spread(assumed: Assumptions) -> float:
    """Return the variance of O over one instance, in units of O (1 - O).

    It is (1 + clustering m) / f, f the mean failures of a response and m those expected beside one failure.
    """
    others = assumed.rubrics_per_instance - 1
    beside = others * (assumed.failure_rate + assumed.clustering * (1 - assumed.failure_rate))
    return (1 + assumed.clustering * beside) / (assumed.rubrics_per_instance * assumed.failure_rate)


def simulated_power(
    assumed: Assumptions,
    instances: int,
    studies: int,
    rng: np.random.Generator,
    *,
    target: Target = "judge",
    resamples: int = 1000,
) -> float:
    """Return the share of so many simulated studies whose percentile interval excludes 1.

    Every instance has `rubrics_per_instance` rubrics, rounded; the share is over studies and judges.
    """
    family = np.arange(assumed.responses) % assumed.families  # dealt in turn; the first ones are judges
    own = np.eye(assumed.judges, assumed.responses, dtype=bool)
    same = family[: assumed.judges, None] == family
    relations = Relations(self_mask=own, family=same & ~own, unrelated_mask=~same)
    level = 1 - ALPHA / (assumed.judges if target == "adjusted" else 1)
    excluded = []
    for _ in range(studies):
        over, failed = _draw(assumed, relations, instances, rng)
        weights = cluster_weights(instances, resamples, rng)
        sums = resample(over, weights), resample(failed, weights)[:, None]
        ratios = self_preference(*sums, relations).hspp_self
        if target == "mean":
            ratios = mean_of_defined(ratios)[:, None]
        interval = percentile_interval(ratios, level)
        excluded.append(((interval.low > 1) | (interval.high < 1)).mean())
    return float(np.mean(excluded))


def _draw(
    assumed: Assumptions, relations: Relations, instances: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Draw overestimations (judges, generators, instances) and failures (generators, instances)."""
    rubrics = round(assumed.rubrics_per_instance)
    failing = _alike(np.full((assumed.responses, instances), assumed.failure_rate), assumed, rng)
    failed = rng.binomial(rubrics, failing)
    rates = np.where(relations.self_mask, assumed.own_rate, assumed.overestimation)[..., None]
    credit = _alike(np.broadcast_to(rates, (*relations.self_mask.shape, instances)), assumed, rng)
    return rng.binomial(failed, credit), failed


def _alike(mean: Floats, assumed: Assumptions, rng: np.random.Generator) -> Floats:
    """Draw chances with this mean, whose outcomes have the intraclass correlation assumed."""
    if assumed.clustering == 0:
        return mean
    size = 1 / assumed.clustering - 1
    return rng.beta(mean * size, (1 - mean) * size)
