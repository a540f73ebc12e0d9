"""How alike two judges err: agreement beyond chance within each truth, and beyond what each has with all.

Two judges that are right agree, and so do two that find the same cells hard. What is left once the truth and
each judge's own agreement with all others are taken away is what the two have in common with each other.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from engine.stats import Floats, Ints
from engine.stats.ratios import rate

FEWEST_TO_CENTRE = 4
"""With three judges each pair's excess is 0 by construction."""
FEWEST_FOR_MANTEL = 5
"""With four models there are 24 ways to name them: no p below .04."""
PERMUTATIONS = 999


def kappa_within_truth(counts: Floats) -> Floats:
    """Return Cohen's kappa of two judges' verdicts within each truth, shape (..., pairs).

    `counts` (..., pairs, truths, 4): cells, those the first judge calls favourable, the second, and both.
    Over truths, sum n (po - pe) / sum n (1 - pe). NaN without a cell, or where all verdicts are alike.
    """
    n, first, second, both = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    p, q = np.nan_to_num(rate(first, n)), np.nan_to_num(rate(second, n))
    expected = n * (p * q + (1 - p) * (1 - q))
    observed = n - first - second + 2 * both
    return rate((observed - expected).sum(axis=-1), (n - expected).sum(axis=-1))


def beyond_means(kappa: Floats, first: Ints, second: Ints, judges: int) -> Floats:
    """Return what each pair's kappa is above its two judges' means, shape (..., pairs).

    The residuals of the least-squares fit kappa_ab = m + u_a + u_b over the pairs that are defined. NaN with
    fewer than four judges.
    """
    defined = ~np.isnan(kappa).reshape(-1, kappa.shape[-1]).any(axis=0)
    excess = np.full(kappa.shape, np.nan)
    if len(np.union1d(first[defined], second[defined])) < FEWEST_TO_CENTRE:
        return excess
    design = np.zeros((int(defined.sum()), judges))
    rows = np.arange(len(design))
    design[rows, first[defined]] = 1
    design[rows, second[defined]] += 1
    left = np.eye(len(design)) - design @ np.linalg.pinv(design)
    excess[..., defined] = kappa[..., defined] @ left.T
    return excess


def tree(excess: Floats) -> tuple[Floats, Ints]:
    """Return the average-linkage tree of a symmetric matrix of excesses, and its leaves from left to right.

    The distance of two judges is how far their excess is below the largest one.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage  # slow: imports all of SciPy's statistics

    upper = np.triu_indices(len(excess), 1)
    distance = excess[upper].max() - excess[upper]
    merges = linkage(distance, "average")
    return merges, leaves_list(merges).astype(np.int64)


def two_way_margins(rates: Floats) -> Floats:
    """Return rates (judges, generators) less the means of their judge and generator; own ones are left out.

    The residuals of the fit m + u_judge + v_generator by least squares over what is defined off the diagonal.
    """
    judge, generator = np.nonzero(~np.isnan(rates) & ~np.eye(len(rates), dtype=bool))
    design = np.zeros((len(judge), 2 * len(rates)))
    rows = np.arange(len(judge))
    design[rows, judge] = 1
    design[rows, len(rates) + generator] = 1
    values = rates[judge, generator]
    margins = np.full(rates.shape, np.nan)
    margins[judge, generator] = values - design @ (np.linalg.pinv(design) @ values)
    return margins


@dataclass(frozen=True)
class Growth:
    """The correlation of two matrices over pairs of models, its interval and p; NaN with too few models."""

    value: float
    low: float
    high: float
    p: float
    n: int


def mantel(overrating: Floats, related: Floats, rng: np.random.Generator) -> Growth:
    """Return how overrating of models grows with relatedness to them: (models, models) each, NaN for none.

    Pearson's r over ordered pairs of two models. p: the share of random renamings of the models of one matrix
    with |r| at least as large, two-sided (Mantel 1967). Interval: Student's t with the error from deleting
    each model in turn, on the scale of atanh r (Fisher 1921), so that it lies within -1 to 1; NaN where r is
    undefined without some model.
    """
    models = len(related)
    everyone = np.arange(models)
    value, n = _correlation(overrating, related, everyone)
    if models < FEWEST_FOR_MANTEL or np.isnan(value):
        return Growth(np.nan, np.nan, np.nan, np.nan, n)
    others = np.array(
        [_correlation(overrating, related[np.ix_(o, o)], everyone)[0] for o in _orders(models, rng)]
    )
    extreme = np.abs(others) >= abs(value) - 1e-12
    without = np.array([_correlation(overrating, related, np.delete(everyone, m))[0] for m in everyone])
    low, high = _interval_of_deletions(value, without)
    return Growth(value, low, high, float((1 + extreme.sum()) / (1 + len(others))), n)


def _interval_of_deletions(value: float, without: Floats) -> tuple[float, float]:
    """Return the ends around a correlation, from those without each model in turn."""
    models = len(without)
    middle, deleted = _fisher(np.array(value)), _fisher(without)
    se = np.sqrt((models - 1) / models * ((deleted - deleted.mean()) ** 2).sum())
    half = stdtrit(models - 1, 0.975) * se
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))


def _fisher(r: Floats) -> Floats:
    """Return atanh r, of 1 and -1 what is nearly theirs, which is finite."""
    return np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))


def _orders(models: int, rng: np.random.Generator) -> list[Ints]:
    return [rng.permutation(models) for _ in range(PERMUTATIONS)]


def _correlation(one: Floats, two: Floats, models: Ints) -> tuple[float, int]:
    places = np.ix_(models, models)
    x, y = one[places], two[places]
    both = ~np.isnan(x) & ~np.isnan(y) & ~np.eye(len(models), dtype=bool)
    x, y = x[both], y[both]
    if len(x) < FEWEST_TO_CENTRE or x.std() < 1e-12 or y.std() < 1e-12:
        return np.nan, len(x)
    return float(np.corrcoef(x, y)[0, 1]), len(x)
