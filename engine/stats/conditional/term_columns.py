"""The design matrix of the conditional model: which verdicts each of its terms is about."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.stats import Bools, Floats, Ints
from engine.stats.conditional.pair_chances import PairChances
from engine.stats.conditional.strata import sum_by

FAR = 12.0  # log-odds that only separation leads to


def marks(masks: Bools) -> tuple[Ints, Ints, Ints]:
    """Return the mask, judge and generator of each mark of some masks (judges, generators)."""
    mask, judge, generator = np.unravel_index(np.flatnonzero(masks), masks.shape)  # faster than np.nonzero
    return mask, judge, generator


@dataclass(frozen=True, eq=False)
class TermColumns:
    """The design matrix X: a column is one judge's verdicts on some generators, and belongs to a term.

    `judge` and `term` have shape (columns,), `on` (columns, generators). A term shared by judges has a column
    for each. The first `bases` terms and columns are the judges' intercepts, on all generators.
    """

    judge: Ints
    term: Ints
    on: Bools
    bases: int
    terms: int
    judges: int

    @classmethod
    def of(cls, base: Ints, masks: Bools) -> "TermColumns":
        """Return the design of a term for each judge in `base`, then one for each of `masks`."""
        term, judge = np.nonzero(masks.any(axis=2))
        terms, judges, generators = masks.shape
        bases = len(base)
        on = np.concatenate([np.ones((bases, generators), dtype=bool), masks[term, judge]])
        terms_of = np.concatenate([np.arange(bases), bases + term])
        return cls(np.concatenate([base, judge]), terms_of, on, bases, bases + terms, judges)

    @cached_property
    def elsewhere(self) -> tuple[Ints, Ints]:
        """The column and the generator of every mark in columns beyond the first `bases`."""
        column, generator = np.nonzero(self.on[self.bases :])
        return self.bases + column, generator

    def pool(self, values: Floats) -> Floats:
        if len(self.term) == self.terms:  # a column for each
            return values
        return sum_by(self.term, values, self.terms)

    def eta(self, theta: Floats) -> Floats:
        """Return X theta, the log-odds of verdicts, shape (generators, judges)."""
        column, generator = self.elsewhere
        of_base = np.zeros(self.judges)
        of_base[self.judge[: self.bases]] = theta[: self.bases]
        eta = np.tile(of_base, (self.on.shape[1], 1))
        np.add.at(eta, (generator, self.judge[column]), theta[self.term[column]])
        return eta

    def add(self, values: Floats) -> Floats:
        """Return X' values, the sums by term of values of verdicts, shape (generators, judges)."""
        by_column = (self.on * values.T[self.judge]).sum(axis=1)
        return self.pool(by_column[:, None])[:, 0]

    def information(self, pairs: PairChances) -> Floats:
        """Return the information on the terms, X' Cov(verdicts) X summed over cells, shape (terms, terms).

        For two columns it is the covariance of their judges, summed over the generators that both have. The
        first `bases` have all generators, so sums over the other column's are enough.
        """
        bases, judge, (column, generator) = self.bases, self.judge, self.elsewhere
        marked = np.zeros((self.on.shape[1], self.judges), dtype=bool)
        marked[generator, judge[column]] = True
        apart = marked | pairs.unusual
        at, one = np.nonzero(apart)
        covariance = pairs.covariances(at, one)
        summed = pairs.usual_covariance(marked) + sum_by(one, covariance, self.judges)
        summed += sum_by(one, np.where(apart[at], 0, covariance), self.judges).T
        place = np.zeros(apart.shape, dtype=np.int64)
        place[at, one] = np.arange(len(at))
        of_column = covariance[place[generator, judge[column]]]
        rows = sum_by(column, of_column, len(judge))
        rows[:bases] = summed[judge[:bases]]
        total = sum_by(column, of_column[:, judge] * self.on[:, generator].T, len(judge))
        total[:, :bases] = rows[:, judge[:bases]]
        total[:bases] = total[:, :bases].T
        return self.pool(self.pool(total).T)


@dataclass(frozen=True, eq=False)
class Beginning:
    """Where a fit begins: the judges' intercepts and the log-odds of each mask, 0 without a term."""

    strictness: Floats
    of_masks: Floats

    def theta(self, judges: Bools, estimable: Bools) -> Floats:
        """Return the terms of a fit that has them for these judges but the first, and for these masks."""
        base = np.flatnonzero(judges)
        first = self.strictness[base[0]] if len(base) else 0.0
        parts = self.strictness[base[1:]] - first, self.of_masks[estimable]
        return np.asarray(np.clip(np.concatenate(parts), -FAR, FAR))
