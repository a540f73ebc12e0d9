"""The model behind given and expected, fitted by marginal likelihood (MEASURES section 19).

A model with a random effect for each cell c, a response of generator G held against one rubric:

    logit P(J passes c) = a_c + B_J + s_J [c is J's own] + f_J [c is its family's],   a_c ~ N(mu_G, sigma^2).

What other judges say of J's own cells, in the posterior of a_c, gives the rate at which a judge as strict as
J would pass them; the odds that decided say by how much J's own rate exceeds it. Only the number of cells
with the same generator, judges and number of passes enters the likelihood.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import lambertw

from engine.stats import Bools, Floats, Ints
from engine.stats.conditional.counted_cells import CellPatterns, OwnCells
from engine.stats.conditional.likelihood_at_nodes import NODES, AtNodes, Curved, nodes, passes_at

RIDGE = 1e-4  # on s and f, so that they stay finite where verdicts separate
_CLOSE, _ROUNDING = 1e-8, 1e-5
"""The last step gains less likelihood than `_CLOSE`; a fall within `_ROUNDING` is none."""
_RANK, _STRIDE, _FAST = 1e-9, 3.0, 100.0
_LESS = 0.9, 0.5  # shares of what is missing from complete data
_MOST_STEPS, _MOST_HALVINGS = 60, 20
_BOUNDS = np.log(1e-3), np.log(50.0)  # of log sigma
_MOST_NODES = 1 << 17  # numbers at the nodes that are computed together

_Curvature = Literal["observed", "complete"]


@dataclass(frozen=True, eq=False)
class MarginalFit:
    """The model's estimates: mu (generators,), the other three (judges,), with sum of B 0, and sigma."""

    mean: Floats
    strictness: Floats
    own: Floats
    family: Floats
    spread: float

    def rates(self, judge: int, cells: OwnCells) -> tuple[Floats, Floats]:
        """Return the level and the weight of each point of how often a judge as strict would pass some cells.

        That is sum weight expit(level): the posterior of a_c at the nodes, from outside judges' verdicts, is
        averaged over the cells.
        """
        effect, (_, log_weight) = self._effect, nodes()
        level, share = [], []
        for g in np.unique(cells.generator):
            rows = cells.generator == g
            log = log_weight + cells.credited[rows, None] * effect - cells.present[rows] @ self._passes[g]
            posterior = np.exp(log - log.max(axis=1, keepdims=True))
            posterior /= posterior.sum(axis=1, keepdims=True)
            level.append(self.mean[g] + self.strictness[judge] + effect)
            share.append(cells.count[rows] @ posterior)
        weight = np.concatenate(share)
        return np.concatenate(level), weight / weight.sum()

    @property
    def _effect(self) -> Floats:
        return self.spread * nodes()[0]

    @cached_property
    def _passes(self) -> Floats:
        """log(1 + exp(log-odds)) without own effects, shape (generators, judges, nodes)."""
        return passes_at(self.mean[:, None] + self.strictness, self._effect)[0]


def fit_marginal(
    cells: CellPatterns, own: Bools, family: Bools, start: MarginalFit | None = None
) -> MarginalFit:
    """Fit the model by marginal likelihood: Gauss-Hermite, 31 nodes, ridge 1e-4 on s and f.

    `own` and `family`, (judges, generators), mark each judge's own responses and its relatives'. Newton's
    steps, halved where the likelihood falls; `start` is an earlier fit.
    """
    terms = _Terms.of(cells, own, family)
    theta = terms.far_where_alike(cells, terms.start(cells) if start is None else terms.of_fit(start))
    at, last = terms.at(cells, theta, "observed"), np.inf
    solve = terms.solver(cells, theta, at.information)
    for _ in range(_MOST_STEPS):
        step = solve(at.score)
        gain = float(at.score @ step)
        step *= min(1.0, _STRIDE / float(np.abs(step).max(initial=_STRIDE)))
        slow = gain > last / _FAST  # the curvature is computed anew only where steps gain little by little
        for _ in range(_MOST_HALVINGS):
            moved = _within(theta + step)
            further = terms.at(cells, moved, "observed" if slow else None)
            if further.likelihood >= at.likelihood - _ROUNDING:
                break
            step = step / 2
        theta, at, last = moved, further, gain
        if gain < _CLOSE:
            break
        if slow:
            solve = terms.solver(cells, theta, at.information)
    return terms.fit(theta)


def beginning(cells: CellPatterns, strictness: Floats, own: Floats, family: Floats) -> MarginalFit:
    """Return where a fit may begin whose judges' terms are roughly known, as from the conditional model.

    NaN are taken as 0. The generators' means are the logits of their rates, for judges so strict.
    """
    centred = strictness - strictness.mean()
    passed, judged = cells.favourable.sum(axis=1), cells.judged.sum(axis=1)
    mean = np.log((passed + 0.5) / (judged - passed + 0.5))
    return MarginalFit(mean, centred, np.nan_to_num(own), np.nan_to_num(family), cells.spread)


@dataclass(frozen=True, eq=False)
class _Terms:
    """The parameters, in one vector: mu, B of all judges but the first, s, f, log sigma.

    `own` and `family` (judges, generators) are those with a term; `kinds` marks the judges that have one.
    """

    own: Bools
    family: Bools

    @classmethod
    def of(cls, cells: CellPatterns, own: Bools, family: Bools) -> "_Terms":
        judged = cells.judged.T > 0
        return cls(own & judged, family & judged)

    @cached_property
    def with_own(self) -> Ints:
        return np.flatnonzero(self.own.any(axis=1))

    @cached_property
    def with_family(self) -> Ints:
        return np.flatnonzero(self.family.any(axis=1))

    @cached_property
    def _parts(self) -> tuple[slice, slice, slice, slice]:
        judges, generators = self.own.shape
        sizes = np.cumsum([0, generators, judges - 1, len(self.with_own), len(self.with_family)])
        return tuple(slice(*sizes[n : n + 2]) for n in range(4))  # type: ignore[return-value]

    @property
    def size(self) -> int:
        return int(self._parts[3].stop) + 1

    def start(self, cells: CellPatterns) -> Floats:
        """Return where the search begins: the logits of the generators' rates, nobody strict."""
        theta = np.zeros(self.size)
        passed, judged = cells.favourable.sum(axis=1), cells.judged.sum(axis=1)
        theta[self._parts[0]] = np.log((passed + 0.5) / (judged - passed + 0.5))
        by_judge, of_judge = cells.favourable.sum(axis=0), cells.judged.sum(axis=0)
        odds = np.log((by_judge + 0.5) / (of_judge - by_judge + 0.5))
        theta[self._parts[1]] = odds[1:] - odds[0]
        theta[self._parts[0]] += odds[0] - odds.mean()
        theta[-1] = np.log(cells.spread)
        return theta

    def far_where_alike(self, cells: CellPatterns, theta: Floats) -> Floats:
        """Return a beginning whose s and f are where the ridge holds them if all of those verdicts are alike.

        If all were passed, sum n exp(-eta - s) = ridge s there, over n cells of log-odds eta without the
        term, which Lambert's W solves; -s and -eta take the place of s and eta if none was.
        """
        theta, plain = theta.copy(), theta.copy()
        for part in self._parts[2:]:
            plain[part] = 0.0
        passed, judged, eta = cells.favourable.T, cells.judged.T, self.eta(plain).T
        parts = zip(self._parts[2:], (self.with_own, self.with_family), (self.own, self.family), strict=True)
        for part, with_term, mask in parts:
            number = (judged * mask)[with_term]
            passes = (passed * mask)[with_term].sum(axis=1)
            none, every = (
                lambertw((number * np.exp(sign * eta[with_term])).sum(axis=1) / RIDGE).real
                for sign in (1, -1)
            )
            theta[part] = np.select([passes == 0, passes == number.sum(axis=1)], [-none, every], theta[part])
        return theta

    def of_fit(self, fit: MarginalFit) -> Floats:
        theta = np.zeros(self.size)
        parts = (
            fit.mean + fit.strictness[0],
            (fit.strictness - fit.strictness[0])[1:],
            fit.own[self.with_own],
            fit.family[self.with_family],
        )
        for place, part in zip(self._parts, parts, strict=True):
            theta[place] = part
        theta[-1] = np.log(fit.spread)
        return theta

    def fit(self, theta: Floats) -> MarginalFit:
        mean, strictness = (theta[part] for part in self._parts[:2])
        strictness = np.concatenate([[0.0], strictness])
        centre, near = strictness.mean(), self._of_judges(theta)
        return MarginalFit(mean + centre, strictness - centre, *near, float(np.exp(theta[-1])))

    def eta(self, theta: Floats) -> Floats:
        """Return the log-odds of each judge on each generator at a_c = mu, (generators, judges)."""
        mean, strictness = (theta[part] for part in self._parts[:2])
        own, family = self._of_judges(theta)
        near = own[:, None] * self.own + family[:, None] * self.family
        return np.asarray(mean[:, None] + np.concatenate([[0.0], strictness]) + near.T, dtype=np.float64)

    def _of_judges(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return s and f of each judge, 0 without a term: (judges,)."""
        own, family = (np.zeros(len(self.own)) for _ in range(2))
        own[self.with_own], family[self.with_family] = (theta[part] for part in self._parts[2:])
        return own, family

    def pool(self, values: Floats) -> Floats:
        """Return the sums of values of (generators, judges) by term; log sigma has 0."""
        total = np.zeros(self.size)
        total[self._parts[0]] = values.sum(axis=1)
        total[self._parts[1]] = values.sum(axis=0)[1:]
        total[self._parts[2]] = np.where(self.own, values.T, 0.0).sum(axis=1)[self.with_own]
        total[self._parts[3]] = np.where(self.family, values.T, 0.0).sum(axis=1)[self.with_family]
        return total

    def at(self, cells: CellPatterns, theta: Floats, curvature: "_Curvature | None") -> "_Point":
        """Return the log-likelihood with its ridge, its slope and a curvature if one is named.

        The `observed` one takes judges' verdicts to be missing independently of each other, so that it is a
        little off where they are not, and need not be positive; the estimates do not depend on it. That of
        `complete` data, as if the effects of cells were known, is positive, but too large.
        """
        eta, sigma = self.eta(theta), float(np.exp(theta[-1]))
        value, residual = float((cells.favourable * eta).sum()), cells.favourable.copy()
        information, of_sigma = np.zeros((self.size, self.size) if curvature else (1, 1)), 0.0
        step = max(1, _MOST_NODES // max(eta.shape[1] * NODES, 1))
        for first in range(0, len(eta), step):
            near = slice(first, first + step)
            nodes = AtNodes.of(cells, near, eta[near], sigma)
            value += nodes.log_likelihood
            residual[near] -= nodes.expected
            of_sigma += nodes.slope
            if curvature is not None:
                self._add(information, first, nodes.observed if curvature == "observed" else nodes.complete)
        score = self.pool(residual)
        score[-1] = of_sigma * sigma
        if theta[-1] == _BOUNDS[0 if score[-1] < 0 else 1]:
            score[-1] = 0.0
        if curvature is not None:
            information = np.triu(information) + np.triu(information, 1).T
            information[-1] *= sigma
            information[:, -1] *= sigma
            information[-1, -1] += abs(score[-1])  # 0 at the estimate; if sigma is small it bends otherwise
            ridge = np.arange(self._parts[2].start, self._parts[3].stop)
            information[ridge, ridge] += RIDGE
        for part in self._parts[2:]:
            value -= RIDGE * float((theta[part] ** 2).sum()) / 2
            score[part] -= RIDGE * theta[part]
        return _Point(value, score, information)

    def solver(self, cells: CellPatterns, theta: Floats, observed: Floats) -> Callable[[Floats], Floats]:
        """Return a function that multiplies by the inverse information.

        Where that is not positive, less is taken off the information of complete data.
        """
        with suppress(np.linalg.LinAlgError):
            return _inverse(observed)
        complete = self.at(cells, theta, "complete").information
        for share in _LESS:
            with suppress(np.linalg.LinAlgError):
                return _inverse(complete - share * (complete - observed))
        return _inverse(complete)

    def _add(self, total: Floats, first: int, of: "Curved") -> None:
        """Add the information from the cells of some generators, from the `first` on, above the diagonal.

        mu has the sums of the information among judges, B its rows but the first, s and f the row of their
        judge.
        """
        strictness, near = self._parts[1], self._near[first : first + len(of.sums)]
        mean = self._parts[0].start + first + np.arange(len(near))
        total[mean, mean] += of.sums.sum(axis=1)
        total[mean, strictness] += of.sums[:, 1:]
        total[mean, -1] += of.with_sigma.sum(axis=1)
        total[strictness, strictness] += of.among_judges[1:, 1:]
        total[strictness, -1] += of.with_sigma.sum(axis=0)[1:]
        total[-1, -1] += of.of_sigma
        for g, (judge, term) in enumerate(near):
            rows = of.rows(g, judge)
            total[mean[g], term] += of.sums[g, judge]
            total[strictness, term] += rows[:, 1:].T
            total[term[:, None], term] += rows[:, judge]
            total[term, -1] += of.with_sigma[g, judge]

    @cached_property
    def _near(self) -> list[tuple[Ints, Ints]]:
        """For each generator the judges with a term of their own there, and those terms."""
        judges = np.concatenate([self.with_own, self.with_family])
        on = np.concatenate([self.own[self.with_own], self.family[self.with_family]])
        terms = self._parts[2].start + np.arange(len(judges))
        return [(judges[near], terms[near]) for near in on.T]


@dataclass(frozen=True, eq=False)
class _Point:
    likelihood: float
    score: Floats
    information: Floats


def _inverse(information: Floats) -> Callable[[Floats], Floats]:
    """Return a function that multiplies by the inverse; LinAlgError where it is not positive."""
    from scipy.linalg import cho_solve

    scale = np.sqrt(np.maximum(np.diag(information), _RANK))
    scaled = information / np.outer(scale, scale)
    np.fill_diagonal(scaled, np.diag(scaled) + _RANK)
    factor = np.linalg.cholesky(scaled)
    return lambda score: np.asarray(cho_solve((factor, True), score / scale) / scale)


def _within(theta: Floats) -> Floats:
    """Return parameters whose last, log sigma, is within its bounds."""
    return np.append(theta[:-1], np.clip(theta[-1], *_BOUNDS))
