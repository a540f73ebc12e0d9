"""How many own cases a judge gave, and how many were expected of judges as strict (MEASURES section 19).

A model with a random effect for each cell c, a response of generator G held against one rubric:

    logit P(J passes c) = a_c + B_J + s_J [c is J's own] + f_J [c is its family's],   a_c ~ N(mu_G, sigma^2).

What other judges say of J's own cells, in the posterior of a_c, gives the rate at which a judge as strict as
J would pass them; the odds that decided say by how much J's own rate exceeds it. Only the number of cells
with the same generator, judges and number of passes enters the likelihood.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.special import expit, lambertw

from engine.stats import Bools, Floats, Ints
from engine.stats.conclusion_rules import Scale
from engine.stats.conditional_likelihood import sum_by

NODES = 31
RIDGE = 1e-4  # on s and f, so that they stay finite where verdicts separate
_CLOSE, _ROUNDING = 1e-8, 1e-5
"""The last step gains less likelihood than `_CLOSE`; a fall within `_ROUNDING` is none."""
_RANK, _STRIDE, _FAST = 1e-9, 3.0, 100.0
_LESS = 0.9, 0.5  # shares of what is missing from complete data
_MOST_STEPS, _MOST_HALVINGS, _MOST_SOLVING = 60, 20, 100
_BEGIN = 0.1, 3.0  # the bounds of sigma within which the search begins
_BOUNDS = np.log(1e-3), np.log(50.0)  # of log sigma
_FITS = 600.0  # the exponential of less fits into a number
_MOST_NODES = 1 << 17  # numbers at the nodes that are computed together
_FURTHEST = 40.0  # log-odds beyond which a rate is 0 or 1


@dataclass(frozen=True, eq=False)
class CellPatterns:
    """Cells with the same generator, judges present and number of passes: `count` of them in each row.

    `generator`, `credited` and `count` have shape (rows,), `present` (rows, judges); `favourable`,
    (generators, judges), are the passes of each judge. Rows are ordered by generator.
    """

    generator: Ints
    present: Bools
    credited: Ints
    count: Floats
    favourable: Floats

    @cached_property
    def ends(self) -> Ints:
        """Where the rows of each generator begin, and the end."""
        return np.searchsorted(self.generator, np.arange(len(self.favourable) + 1))

    @cached_property
    def judged(self) -> Floats:
        """The cells that each judge judged, (generators, judges)."""
        rows = (slice(*ends) for ends in pairwise(self.ends))
        return np.array([self.count[of] @ self.present[of] for of in rows]).reshape(self.favourable.shape)

    @cached_property
    def spread(self) -> float:
        """Roughly sigma: the root of how much passes vary from cell to cell beyond chance.

        With the judges' rates r the passes of a cell vary by V = sum r (1 - r) plus about sigma^2 V^2.
        """
        beyond = scale = 0.0
        rate = (self.favourable + 0.5) / (self.judged + 1)
        for g, (first, last) in enumerate(pairwise(self.ends)):
            present, count = self.present[first:last], self.count[first:last]
            variance = present @ (rate[g] * (1 - rate[g]))
            apart = self.credited[first:last] - present @ rate[g]
            beyond += float(count @ (apart**2 - variance))
            scale += float(count @ variance**2)
        return float(np.clip(np.sqrt(max(beyond, 0.0) / max(scale, 1e-9)), *_BEGIN))


@dataclass(frozen=True, eq=False)
class OwnCells:
    """The own cells of one judge that an outside judge judged too, by what outside judges said of them.

    Each row counts the cells of a generator with these outside judges present and this many passes. `given`
    is the share of the cells that the judge itself passed, NaN without a cell.
    """

    generator: Ints
    present: Bools
    credited: Ints
    count: Floats
    given: float


_Curvature = Literal["observed", "complete"]


@lru_cache(maxsize=1)
def _nodes() -> tuple[Floats, Floats]:
    """Return the standard normal's nodes and the logarithms of their weights."""
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    return node, np.log(weight / weight.sum())


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
        node, log_weight = _nodes()
        effect = self.spread * node
        level, share = [], []
        for g in np.unique(cells.generator):
            rows = cells.generator == g
            passes, _ = _passes(self.mean[g] + self.strictness, effect)
            log = log_weight + cells.credited[rows, None] * effect - cells.present[rows] @ passes
            posterior = np.exp(log - log.max(axis=1, keepdims=True))
            posterior /= posterior.sum(axis=1, keepdims=True)
            level.append(self.mean[g] + self.strictness[judge] + effect)
            share.append(cells.count[rows] @ posterior)
        weight = np.concatenate(share)
        return np.concatenate(level), weight / weight.sum()


@dataclass(frozen=True, eq=False)
class Rates:
    """The rate at which each judge passes its cells, made more lenient by d: sum weight expit(level + d).

    Both have shape (judges, points), with weights of 0 where a judge has fewer points.
    """

    level: Floats
    weight: Floats

    def at(self, shift: Floats) -> Floats:
        return np.asarray((self.weight * expit(self.level + shift[:, None])).sum(axis=1))

    def shifts_to(self, rate: Floats) -> Floats:
        """Return the d at which each rate is this one, by Newton's steps within a bracket; NaN for NaN."""
        low, high, shift = (np.full(len(rate), end) for end in (-_FURTHEST, _FURTHEST, 0.0))
        for _ in range(_MOST_SOLVING):
            p = expit(self.level + shift[:, None])
            gap = (self.weight * p).sum(axis=1) - rate
            far = np.abs(gap) >= 1e-12
            if not far.any():
                break
            low, high = np.where(gap > 0, low, shift), np.where(gap > 0, shift, high)
            slope = (self.weight * p * (1 - p)).sum(axis=1)
            step = shift - gap / np.maximum(slope, 1e-300)
            step = np.where((low < step) & (step < high), step, (low + high) / 2)
            shift = np.where(far, step, shift)
        return np.where(np.isnan(rate), np.nan, shift)


@dataclass(frozen=True, eq=False)
class Expectations:
    """Of own cases, the share that each judge gave, of 1, and how the expected one follows from its number.

    Odds: rate(`shift` - log odds), with the `rates` of a judge as strict as J; a ratio: given / ratio; a
    difference of votes or points: given less the difference, points being of 100. `given` and `shift` have
    shape (judges,); a shift is NaN without a case, or where all or none was passed.
    """

    given: Floats
    scale: Scale
    rates: Rates | None = None
    shift: Floats | None = None

    def expected(self, number: Floats | float) -> Floats:
        """Return the shares expected if the deciding numbers were these, logarithms for odds and ratios.

        One number stands for all judges. NaN where the number or the shift is.
        """
        if self.scale == "ratio":
            return np.asarray(self.given / np.exp(number))
        if self.scale != "odds":
            return self.given - number / (100 if self.scale == "points" else 1)
        if self.rates is None or self.shift is None:
            return np.full(len(self.given), np.nan)
        shift = self.shift - number
        rate = np.where(np.isinf(shift), shift > 0, self.rates.at(shift))
        return np.where(np.isnan(shift), np.nan, rate)


def expectations(fit: MarginalFit, cells: Sequence[OwnCells]) -> Expectations:
    """Return what was given and expected of each judge's own cells."""
    given = np.array([own.given for own in cells])
    each = {j: fit.rates(j, own) for j, own in enumerate(cells) if len(own.count) and 0 < own.given < 1}
    level, weight = np.zeros((2, len(cells), max((len(of) for of, _ in each.values()), default=0)))
    for j, (of_level, of_weight) in each.items():
        level[j, : len(of_level)], weight[j, : len(of_level)] = of_level, of_weight
    rates = Rates(level, weight)
    return Expectations(given, "odds", rates, rates.shifts_to(np.where(weight.any(axis=1), given, np.nan)))


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
            nodes = _AtNodes.of(cells, near, eta[near], sigma)
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

    def _add(self, total: Floats, first: int, of: "_Curved") -> None:
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


@dataclass(frozen=True, eq=False)
class _Curved:
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
class _AtNodes:
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
    def of(cls, cells: CellPatterns, generators: slice, eta: Floats, sigma: float) -> "_AtNodes":
        ends = cells.ends[generators.start : generators.start + len(eta) + 1]
        rows, ends = slice(ends[0], ends[-1]), ends - ends[0]
        node, log_weight = _nodes()
        present, count = cells.present[rows].astype(np.float64), cells.count[rows]
        credited = cells.credited[rows]
        passes, chance = _passes(eta, sigma * node)
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
        node, _ = _nodes()
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
    def complete(self) -> _Curved:
        """The information of complete data: see `observed`."""
        node, _ = _nodes()
        each, judges = self._weight * self.chance * (1 - self.chance), self.present.shape[1]
        nothing, none = np.zeros((0, judges)), np.zeros((len(each), 0, judges))
        of_sigma = float(each.sum(axis=(0, 1)) @ node**2)
        return _Curved(np.zeros_like(self.ends), nothing, none, each.sum(axis=2), each @ node, of_sigma)

    @property
    def observed(self) -> _Curved:
        """The information on the judges' log-odds, between these and sigma, and on sigma.

        That of complete data less the posterior covariance of its score (Louis 1982).
        """
        node, _ = _nodes()
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
        return _Curved(self.ends, plus, minus, alone, with_sigma, of_sigma)


def _passes(eta: Floats, effect: Floats) -> tuple[Floats, Floats]:
    """Return log(1 + exp(at)) and expit(at) at each eta plus each effect: shape (..., effects) each."""
    if np.abs(eta).max(initial=0.0) + np.abs(effect).max(initial=0.0) < _FITS:
        odds = np.exp(eta)[..., None] * np.exp(effect)
        beyond = 1 + odds
        return np.log(beyond), odds / beyond
    at = eta[..., None] + effect
    passes = np.maximum(at, 0.0) + np.log1p(np.exp(-np.abs(at)))
    return passes, np.exp(at - passes)
