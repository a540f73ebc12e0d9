"""What judges add to the scores of their families' responses, without any judge scoring its own."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.stats import Bools, Floats, Ints
from engine.stats.intervals.jackknife import Estimates

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class FamilyEffects:
    """The effect of each family, shape (families,), in the unit of the scores; NaN where undefined.

    `cells` are the scores that its judges gave to its responses, by `judges` judges on `instances` instances.
    """

    estimates: Estimates
    cells: Ints
    judges: Ints
    instances: Ints
    n: int


def family_effects(
    scores: Floats, of_judge: Ints, of_generator: Ints, own: Bools, families: int
) -> FamilyEffects:
    """Fit score = response + judge + effect of the family, for a judge and a response of one family.

    `scores` has shape (judges, generators, instances), NaN for none; `of_judge` and `of_generator` are the
    families as numbers, the first `families` of which have effects; `own` (judges, generators) marks judges'
    own responses, which take no part. Ordinary least squares; errors hold for scores that hang together
    within judges and within instances (Cameron, Gelbach and Miller 2011, eq. 2.11: variance by judge + by
    instance - by both, each times m / (m - 1) for its m clusters).

    Student's t with the smaller of the family's judges and instances, less 1, as degrees of freedom: only
    these say something of its effect (with all judges less 1 in their place p is below .05 in 11 to 28 % of
    null cases, where judges have tastes and families 2 to 4 members; so in at most 3 %). Undefined without
    such scores, or where judge and response effects explain them all; without error where one judge scores
    its family. MEASURES section 20.
    """
    present = ~np.isnan(scores) & ~own[:, :, None]
    judge, generator, instance = np.nonzero(present)
    value = scores[judge, generator, instance]
    n_judges, _, n_instances = scores.shape
    effects = of_judge[judge] == of_generator[generator]
    response = np.unique(generator * n_instances + instance, return_inverse=True)[1].reshape(-1)
    fit = _TwoWay(judge, response, n_judges)
    regressors = np.array(
        [fit.residual((effects & (of_judge[judge] == f)).astype(np.float64)) for f in range(families)]
    ).reshape(families, len(value))
    outcome = fit.residual(value)
    cross = regressors @ regressors.T
    inverse = np.linalg.pinv(cross, rcond=1e-10, hermitian=True)
    told_apart = np.isclose(np.diag(inverse @ cross), 1.0, atol=1e-6) & (np.diag(cross) > _ROUNDING)
    coefficients = inverse @ (regressors @ outcome)
    scored = (outcome - coefficients @ regressors) * regressors
    both = np.unique(judge * n_instances + instance, return_inverse=True)[1].reshape(-1)
    meat = _clustered(scored, judge) + _clustered(scored, instance) - _clustered(scored, both)
    variance = np.diag(inverse @ meat @ inverse)
    marks = [effects & (of_judge[judge] == f) for f in range(families)]
    judges, instances, cells = (
        np.array([number(mark) for mark in marks], dtype=np.int64)
        for number in (
            lambda mark: len(np.unique(judge[mark])),
            lambda mark: len(np.unique(instance[mark])),
            np.count_nonzero,
        )
    )
    se = np.sqrt(np.where(variance > _ROUNDING**2, variance, np.nan))
    freedom = np.minimum(judges, instances) - 1
    value, se = (np.where(told_apart, part, np.nan) for part in (coefficients, se))
    return FamilyEffects(Estimates(value, se, freedom), cells, judges, instances, len(outcome))


class _TwoWay:
    """Residuals after judge and response effects, of values by cell."""

    def __init__(self, judge: Ints, response: Ints, n_judges: int) -> None:
        from scipy import sparse

        self._judge, self._response, self._n = judge, response, n_judges
        self._sizes = np.maximum(np.bincount(response), 1)
        weight = np.sqrt(1 / self._sizes)[response]
        seen: Any = sparse.csr_array((weight, (response, judge)), (len(self._sizes), n_judges))
        common = np.asarray((seen.T @ seen).toarray(), dtype=np.float64)
        normal = np.diag(np.bincount(judge, minlength=n_judges).astype(np.float64)) - common
        self._inverse = np.linalg.pinv(normal, rcond=1e-10, hermitian=True)

    def residual(self, values: Floats) -> Floats:
        centred = self._centred(values)
        effect: Floats = self._inverse @ np.bincount(self._judge, weights=centred, minlength=self._n)
        of_judges = self._centred(np.asarray(effect[self._judge], dtype=np.float64))
        return np.asarray(centred - of_judges)

    def _centred(self, values: Floats) -> Floats:
        """Return values less the mean of their response."""
        total = np.bincount(self._response, weights=values, minlength=len(self._sizes))
        return np.asarray(values - (total / self._sizes)[self._response])


def _clustered(scored: Floats, cluster: Ints) -> Floats:
    """Return the sum over clusters of the outer products of their sums, times m / (m - 1)."""
    m = int(cluster.max(initial=-1)) + 1
    sums = np.array([np.bincount(cluster, weights=row, minlength=m) for row in scored]).reshape(
        len(scored), m
    )
    present = len(np.unique(cluster))
    return np.asarray(sums @ sums.T * (present / max(present - 1, 1)))
