"""How likely a simulated judge is to err: the planted quantity, before anything is drawn."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.simulation.design import Model
from engine.simulation.truth import Truth

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """One judge's chances of error, for G generators, K rubrics and N instances.

    `over` (G, K): the chance of a favourable verdict where the reference is unfavourable.
    `under` (K,): that of an unfavourable one where it is favourable, the same for all generators.
    `over_pair` (G, N): the chance that a comparison which the response loses in the reference is not
    lost in the judge's (half of them won, half tied); it is the mean of `over` on the instance's rubrics.
    """

    over: Floats
    under: Floats
    over_pair: Floats


def chances(judge: Model, truth: Truth, instance_factor: Floats) -> Chances:
    """Return the chances of one judge.

    `instance_factor` (N,) multiplies both kinds of error. Where the bias has no slice and there are no
    hard items, over[G] is ratio(G) times the same base on every rubric, so that for any set of rubrics
    the expected ratio is the planted one.
    """
    factor = instance_factor[truth.items.instance]
    base = judge.overestimation * factor * _hardness(judge, truth)
    over = np.stack([base * _ratio(judge, generator, truth) for generator in truth.generators])
    return Chances(
        over=over,
        under=judge.underestimation * factor,
        over_pair=truth.items.mean_over_instance(over),
    )


def _hardness(judge: Model, truth: Truth) -> Floats:
    """Return the factor (K,) of rubrics that the judge's own response fails; 1 where it has none."""
    for row, generator in enumerate(truth.generators):
        if generator.name == judge.name:
            return np.where(truth.favourable[row], 1.0, judge.bias.hard_items)
    return np.ones(truth.favourable.shape[1])


def _ratio(judge: Model, generator: Model, truth: Truth) -> Floats:
    """Return the planted ratio on each rubric (K,) for responses of one generator."""
    bias = judge.bias
    if generator.name == judge.name:
        ratio = bias.self_ratio
    elif generator.family == judge.family:
        ratio = bias.family_ratio
    else:
        ratio = 1.0
    if bias.on is None or ratio == 1.0:
        return np.full(truth.favourable.shape[1], ratio)
    return np.where(truth.items.chosen(bias.on), ratio, 1 + bias.elsewhere * (ratio - 1))


@dataclass(frozen=True, slots=True)
class Expected:
    """What a measurement of one judge would find on average, given the reference; None where undefined.

    The ratios are those of the expected rates, over all rubrics: `hspp_self` and `hspp_family` with the
    mean over generators of other families below, `hspp_matched` over the rubrics that both the judge's
    own response and the other fail, and `hspp_self_pairwise` over lost comparisons.
    """

    o_self: float | None
    o_other: float | None
    hspp_self: float | None
    hspp_family: float | None
    hspp_matched: float | None
    hspp_self_pairwise: float | None


def expected(judge: Model, truth: Truth, of_judge: Chances) -> Expected:
    """Compute what is expected of one judge from its chances and the reference, without drawing."""
    own, kin, strangers = _relations(judge, truth)
    failed = ~truth.favourable
    rates = _weighted_mean(of_judge.over, failed)
    pair_rates = _weighted_mean(of_judge.over_pair, _losses(truth))
    matched = None
    if own:
        shared = failed[strangers] & failed[own[0]]
        matched = _divide(
            float((of_judge.over[own[0]] * shared).sum()), float((of_judge.over[strangers] * shared).sum())
        )
    other = _mean(rates[strangers])
    return Expected(
        o_self=_mean(rates[own]),
        o_other=other,
        hspp_self=_divide(_mean(rates[own]), other),
        hspp_family=_divide(_mean(rates[kin]), other),
        hspp_matched=matched,
        hspp_self_pairwise=_divide(_mean(pair_rates[own]), _mean(pair_rates[strangers])),
    )


def _relations(judge: Model, truth: Truth) -> tuple[list[int], list[int], list[int]]:
    """Return the rows of the judge's own responses, its relatives' and all others'."""
    own, kin, strangers = [], [], []
    for row, generator in enumerate(truth.generators):
        if generator.name == judge.name:
            own.append(row)
        elif generator.family == judge.family:
            kin.append(row)
        else:
            strangers.append(row)
    return own, kin, strangers


def _losses(truth: Truth) -> npt.NDArray[np.int64]:
    """Return to how many opponents each response loses on each instance, shape (G, N)."""
    counts = truth.favourable_counts()
    return np.stack([(counts > mine).sum(axis=0) for mine in counts])


def _weighted_mean(values: Floats, weights: npt.NDArray[np.bool_ | np.int64]) -> Floats:
    """Average along the last axis; NaN where the weights are all 0."""
    total = weights.sum(axis=-1)
    sums = (values * weights).sum(axis=-1)
    means: Floats = np.full(sums.shape, np.nan)
    np.divide(sums, total, out=means, where=total > 0)
    return means


def _mean(rates: Floats) -> float | None:
    defined = rates[~np.isnan(rates)]
    return float(defined.mean()) if defined.size else None


def _divide(numerator: float | None, denominator: float | None) -> float | None:
    if numerator is None or not denominator:
        return None
    return numerator / denominator
