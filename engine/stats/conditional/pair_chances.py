"""The chances that two judges both favour a cell, given how many do.

They follow from the chances of each (Chen and Liu, Statistica Sinica 7, 1997): see `_coupling`. The
information of `conditional_likelihood` is made of them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.stats import Bools, Floats, Ints
from engine.stats.conditional.strata import FEWEST_ROWS, Strata, members, sum_by, usual_values

_NEAR = 1 << 19
"""The most numbers together where they are read several times, so that they stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class PairChances:
    """The joint chances of two favourable verdicts, from those of each: see `_coupling`."""

    strata: Strata
    eta: Floats
    chances: Floats

    @cached_property
    def usual(self) -> Floats:
        """The log-odds that each judge has on most generators, if there are such."""
        return usual_values(self.eta)

    @cached_property
    def unusual(self) -> Bools:
        """Where a judge's log-odds differ from these, shape (generators, judges)."""
        return np.asarray(self.eta != self.usual)

    @cached_property
    def _between(self) -> Floats:
        """The coupling of judges with the usual log-odds."""
        return _coupling(self.usual, self.usual)

    @cached_property
    def _apart(self) -> tuple[Ints, Floats, Ints]:
        """The judge of each mark of `unusual`, its coupling with all judges, and where generators begin."""
        generator, judge = np.nonzero(self.unusual)
        b = _coupling(self.eta[generator], self.eta[generator, judge])
        return judge, b, np.searchsorted(generator, np.arange(self.strata.n_generators + 1))

    def _coupling_on(self, g: int) -> Floats:
        """Return the coupling of all judges on a generator."""
        judge, rows, ends = self._apart
        judges, of_judges = (part[ends[g] : ends[g + 1]] for part in (judge, rows))
        b = self._between.copy()
        b[:, judges] = -1 - of_judges.T
        b[judges] = of_judges
        return b

    def times_covariance(self, values: Floats) -> Floats:
        """Return the covariance of each cell's verdicts times its values, shape (cells, judges).

        That is sum_k P(j and k) v_k - p_j sum_k p_k v_k, where P(j and k) = p_k + b[j, k] (p_k - p_j).
        """
        product, strata = np.empty_like(values), self.strata
        step = max(FEWEST_ROWS, _NEAR // max(8 * values.shape[1], 1))
        for first in range(0, len(values), step):
            cells = slice(first, first + step)
            p, present, v = self.chances[strata.row[cells]], strata.cells.present[cells], values[cells]
            pv = p * v
            total = pv.sum(axis=1, keepdims=True)
            of_p, of_present = self._coupled(cells, np.stack([pv, present * v]))
            product[cells] = present * (of_p + total) - p * (of_present + total)
        return product

    def _coupled(self, cells: slice, values: Floats) -> Floats:
        """Return sum_k b[j, k] v_k for values of these cells, shape (any, cells, judges).

        The coupling is the usual one, but for the few judges whose log-odds differ on the generator.
        """
        judge, rows, ends = self._apart
        product = values @ self._between.T
        first, last, _ = cells.indices(len(self.strata.cells.generator))
        for g in np.unique(self.strata.cells.generator[cells]).tolist():
            judges, of_judges = (part[ends[g] : ends[g + 1]] for part in (judge, rows))
            if len(judges):
                begin, end = np.clip(self.strata.cell_ends[g : g + 2], first, last) - first
                v = values[:, begin:end]
                product[:, begin:end] += v[..., judges] @ (-1 - of_judges - self._between[:, judges].T)
                product[:, begin:end, judges] = v @ of_judges.T
        return product

    def covariance(self, g: int) -> Floats:
        """Return the verdicts' covariance summed over the cells of a generator, shape (judges, judges)."""
        block, strata = slice(*self.strata.row_ends[g : g + 2]), self.strata
        present, count = strata.present[block], strata.count[block]
        return _covariance(present, self.chances[block], count, self._coupling_on(g))

    def usual_covariance(self, apart: Bools) -> Floats:
        """Return the same over all cells, for judges not `apart` and with the usual log-odds there."""
        usual, strata = ~(apart | self.unusual)[self.strata.generator], self.strata
        return _covariance(strata.present & usual, self.chances * usual, strata.count, self._between)

    def covariances(self, generator: Ints, judge: Ints) -> Floats:
        """Return the rows of these judges in the covariances of these generators, shape (rows, judges)."""
        from scipy import sparse

        row, starts = members(self.strata.row_ends, generator)
        own, shape = (row, np.repeat(judge, np.diff(starts))), (len(judge), len(self.chances))
        present, p = self.strata.present.astype(np.float64), self.chances
        weighted = p * self.strata.count[:, None]
        one, other, both = (
            np.asarray(sparse.csr_array((left[own], row, starts), shape) @ right)
            for left, right in ((present, weighted), (weighted, present), (p, weighted))
        )
        b = _coupling(self.eta[generator], self.eta[generator, judge])
        total = one + b * (one - other) - both
        everyone = np.arange(len(judge))
        variance = (weighted * (1 - p))[own]
        of_row = np.repeat(everyone, np.diff(starts))
        total[everyone, judge] = sum_by(of_row, variance[:, None], len(judge))[:, 0]
        return np.asarray(total, dtype=np.float64)


def _coupling(eta: Floats, of: Floats) -> Floats:
    """Return b with P(j and k) = P(k) + b[j, k] (P(k) - P(j)), shape (judges j, judges k), 0 for equal ones.

    b = 1 / (exp(eta_j - eta_k) - 1), and b[k, j] = -1 - b[j, k]; `of` are the log-odds of the judges j.
    """
    odds = np.exp(eta)
    apart = np.exp(of)[:, None] - odds
    return np.asarray(np.divide(odds, apart, out=np.zeros_like(apart), where=apart != 0), dtype=np.float64)


def _covariance(present: Bools, p: Floats, count: Floats, b: Floats) -> Floats:
    """Return the covariance of judges with chances p and coupling b, in rows of `count` cells.

    It sums count (P(j and k) - p_j p_k) over the rows, on the diagonal count p_j (1 - p_j).
    """
    one = present.T.astype(np.float64) @ (p * count[:, None])  # of k, where j too has a verdict
    total = one - one.T
    total *= b
    total += one
    root = p * np.sqrt(count)[:, None]
    total -= root.T @ root
    np.fill_diagonal(total, count @ (p * (1 - p)))
    return np.asarray(total, dtype=np.float64)
