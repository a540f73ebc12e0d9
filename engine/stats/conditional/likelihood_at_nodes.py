"""The marginal likelihood of cells at the nodes of their random effect, and its curvature."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from scipy.linalg.blas import dsyrk

from engine.stats import Floats, Ints
from engine.stats.conditional.counted_cells import CellPatterns
from engine.stats.conditional.strata import sum_by

NODES = 31
_FITS = 600.0  # the exponential of less fits into a number


@lru_cache(maxsize=1)
def nodes() -> tuple[Floats, Floats]:
    """Return the standard normal's nodes and the logarithms of their weights."""
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    return node, np.log(weight / weight.sum())


@dataclass(frozen=True, eq=False)
class Curved:
    """The information from cells of some generators: among judges plus' plus - minus' minus + diag(alone).

    `plus` has shape (rows, judges), those of a generator between two `ends`; `minus` (generators, nodes,
    judges). `alone` and `with_sigma`, which is between judges and sigma, have shape (generators, judges).
    """

    ends: Ints
    plus: Floats
    minus: Floats
    alone: Floats
    with_sigma: Floats
    of_sigma: float

    @property
    def among_judges(self) -> Floats:
        """The information among judges summed over the generators, (judges, judges), above the diagonal."""
        judges = self.minus.shape[-1]
        total = np.zeros((judges, judges))
        for rows, sign in ((self.plus, 1.0), (self.minus.reshape(-1, judges), -1.0)):
            if len(rows):
                total += dsyrk(sign, rows.T)
        total[np.diag_indices_from(total)] += self.alone.sum(axis=0)
        return np.asarray(total)

    @cached_property
    def sums(self) -> Floats:
        """The sums over judges of each generator's, (generators, judges)."""
        generator = np.repeat(np.arange(len(self.alone)), np.diff(self.ends))
        plus = sum_by(generator, self.plus.sum(axis=1, keepdims=True) * self.plus, len(self.alone))
        minus = self.minus.sum(axis=2)[:, None] @ self.minus
        return np.asarray(plus - minus[:, 0] + self.alone)

    def rows(self, g: int, judge: Ints) -> Floats:
        """Return the rows of some judges in one generator's, (rows, judges)."""
        plus, minus = self.plus[self.ends[g] : self.ends[g + 1]], self.minus[g]
        rows = plus[:, judge].T @ plus - minus[:, judge].T @ minus
        rows[np.arange(len(judge)), judge] += self.alone[g, judge]
        return np.asarray(rows)


@dataclass(frozen=True, eq=False)
class AtNodes:
    """The rows of some generators at the nodes of a_c - mu: (rows, nodes) and (generators, judges, nodes).

    The rows of a generator are between two `ends`.
    """

    ends: Ints
    present: Floats
    count: Floats
    credited: Ints
    chance: Floats
    posterior: Floats
    log_likelihood: float

    @classmethod
    def of(cls, cells: CellPatterns, generators: slice, eta: Floats, sigma: float) -> "AtNodes":
        ends = cells.ends[generators.start : generators.start + len(eta) + 1]
        rows, ends = slice(ends[0], ends[-1]), ends - ends[0]
        node, log_weight = nodes()
        present, count = cells.present[rows].astype(np.float64), cells.count[rows]
        credited = cells.credited[rows]
        passes, chance = passes_at(eta, sigma * node)
        log = log_weight + credited[:, None] * (sigma * node)
        for g, (first, last) in enumerate(pairwise(ends)):
            log[first:last] -= present[first:last] @ passes[g]
        top = log.max(axis=1, keepdims=True)
        posterior = np.exp(log - top)
        total = posterior.sum(axis=1, keepdims=True)
        likelihood = float(count @ (np.log(total) + top)[:, 0])
        return cls(ends, present, count, credited, chance, posterior / total, likelihood)

    @cached_property
    def _weight(self) -> Floats:
        """The cells of each judge at each node, (generators, judges, nodes)."""
        counted, weight = self.count[:, None] * self.present, np.empty_like(self.chance)
        for g, (first, last) in enumerate(pairwise(self.ends)):
            np.matmul(counted[first:last].T, self.posterior[first:last], out=weight[g])
        return weight

    @property
    def expected(self) -> Floats:
        """The passes expected of each judge, (generators, judges)."""
        return np.asarray(np.einsum("gjn,gjn->gj", self._weight, self.chance))

    @cached_property
    def _pull(self) -> Floats:
        """The slope by sigma of each row at each node, (rows, nodes)."""
        node, _ = nodes()
        expected = np.empty_like(self.posterior)
        for g, (first, last) in enumerate(pairwise(self.ends)):
            np.matmul(self.present[first:last], self.chance[g], out=expected[first:last])
        return np.asarray(node * (self.credited[:, None] - expected))

    @cached_property
    def _mean_pull(self) -> Floats:
        return np.asarray((self.posterior * self._pull).sum(axis=1))

    @property
    def slope(self) -> float:
        """The slope by sigma."""
        return float(self.count @ self._mean_pull)

    @property
    def complete(self) -> Curved:
        """The information of complete data: see `observed`."""
        node, _ = nodes()
        each, judges = self._weight * self.chance * (1 - self.chance), self.present.shape[1]
        nothing, none = np.zeros((0, judges)), np.zeros((len(each), 0, judges))
        of_sigma = float(each.sum(axis=(0, 1)) @ node**2)
        return Curved(np.zeros_like(self.ends), nothing, none, each.sum(axis=2), each @ node, of_sigma)

    @property
    def observed(self) -> Curved:
        """The information on the judges' log-odds, between these and sigma, and on sigma.

        That of complete data less the posterior covariance of its score (Louis 1982).
        """
        node, _ = nodes()
        favourable = self._weight * self.chance
        squares = favourable * self.chance
        each = favourable - squares
        apart = self.posterior * (self._pull - self._mean_pull[:, None])
        counted, plus = self.count[:, None] * apart, np.empty_like(self.present)
        mass, with_pull = np.empty((len(each), NODES)), np.empty((len(each), NODES, self.present.shape[1]))
        for g, (first, last) in enumerate(pairwise(self.ends)):
            np.matmul(self.posterior[first:last], self.chance[g].T, out=plus[first:last])
            np.matmul(counted[first:last].T, self.present[first:last], out=with_pull[g])
            np.matmul(self.count[first:last], self.posterior[first:last], out=mass[g])
        plus *= self.present
        plus *= np.sqrt(self.count)[:, None]
        scale = 1 / np.sqrt(np.maximum(mass, 1e-300))
        minus = np.multiply(favourable.swapaxes(1, 2), scale[..., None], order="C")
        # A judge's own variance is known: what the products have on the diagonal is replaced.
        alone = each.sum(axis=2) - squares.sum(axis=2) + np.einsum("gnj,gnj->gj", minus, minus)
        with_sigma = each @ node + np.einsum("gnj,gjn->gj", with_pull, self.chance)
        of_sigma = float(each.sum(axis=(0, 1)) @ node**2 - self.count @ (apart * self._pull).sum(axis=1))
        return Curved(self.ends, plus, minus, alone, with_sigma, of_sigma)


def passes_at(eta: Floats, effect: Floats) -> tuple[Floats, Floats]:
    """Return log(1 + exp(at)) and expit(at) at each eta plus each effect: shape (..., effects) each."""
    if np.abs(eta).max(initial=0.0) + np.abs(effect).max(initial=0.0) < _FITS:
        odds = np.exp(eta)[..., None] * np.exp(effect)
        beyond = 1 + odds
        return np.log(beyond), odds / beyond
    at = eta[..., None] + effect
    passes = np.maximum(at, 0.0) + np.log1p(np.exp(-np.abs(at)))
    return passes, np.exp(at - passes)
