"""The likelihood of verdicts on cells, given how many of each cell are favourable (MEASURES section 15).

Within a cell with n favourable verdicts among the judges present, the likelihood is that of independent
verdicts y with log-odds eta(judge, generator), given their sum (Breslow and Day 1980, chapter 7):

    L = prod over cells of exp(sum_j y_j eta_j) / e_n(exp eta),    e_n the elementary symmetric polynomial.

With eta = X theta its score is X' (y - p), and its information X' (P - p p') X, summed over cells: p_j is the
chance of a favourable verdict of j, P[j, k] that of j and k both, P[j, j] = p_j. The chances are Fourier sums
over the characteristic function, so that no subset is ever enumerated (Fernandez and Williams, IEEE
Transactions on Aerospace and Electronic Systems 46, 2010); P follows from p (Chen and Liu, Statistica Sinica
7, 1997). Cells that share their generator, their judges and n are one row with a count.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from engine.stats import Bools, Floats, Ints, ParallelArrays

GAP, GAP_OF_STEPS = 1e-5, 1e-8
"""Log-odds nearer to each other are moved this far apart where their difference is a divisor."""
_BLOCK, _FEWEST_ROWS = 1 << 22, 16
"""The most numbers in memory at a time in the Fourier sums, and the fewest rows."""
_NEAR = 1 << 19
"""The most numbers together where they are read several times, so that they stay in the processor's cache."""
_FEW_VALUES = 5_000  # below which counting into bins is faster than a sparse matrix
_SAMPLE, _MOST_TILTS, _LEAST, _NEGLIGIBLE = 64, 100, 1e-9, 1e-18


@dataclass(frozen=True, eq=False)
class Verdicts(ParallelArrays):
    """Verdicts of shape (cells, judges)."""

    favourable: Bools
    present: Bools
    generator: Ints  # the place of each cell's generator; so `instance`: (cells,)
    instance: Ints
    weight: Floats | None = None  # how often each cell counts; None: once
    rubric: Ints | None = None  # for those who weigh cells by it

    def without(self, dropped: Bools) -> "Verdicts":
        """Return the cells on which verdicts differ without those of `dropped` (judges, generators)."""
        present = self.present & ~dropped.T[self.generator]
        favourable = self.favourable & present
        number = favourable.sum(axis=1)
        keep = (number > 0) & (number < present.sum(axis=1))
        return replace(self, favourable=favourable, present=present).select(keep)

    def weighted(self, values: Floats) -> Floats:
        return values if self.weight is None else values * self.weight[:, None]


def sum_by(place: Ints, values: NDArray[np.generic], size: int) -> Floats:
    """Return the sums of the rows of `values` that share a place, shape (size, columns)."""
    rows, columns = values.shape
    if values.size < _FEW_VALUES:  # a sparse matrix would take longer to make than to use
        places = (place[:, None] * columns + np.arange(columns)).ravel()
        sums = np.bincount(places, values.ravel(), size * columns)
        return np.asarray(sums.reshape(size, columns), dtype=np.float64)
    from scipy import sparse  # takes as long to load as everything else a study needs

    # Each row is a column of the matrix, with one entry.
    pick = sparse.csc_array((np.ones(rows), place, np.arange(rows + 1)), shape=(size, rows))
    return np.asarray(pick @ values.astype(np.float64), dtype=np.float64)


def members(ends: Ints, group: Ints) -> tuple[Ints, Ints]:
    """Return the members, from ends[g] to ends[g + 1], of some groups g in turn, and where each begins."""
    starts = np.concatenate([[0], np.cumsum(ends[group + 1] - ends[group])])
    return np.arange(starts[-1]) + np.repeat(ends[group] - starts[:-1], np.diff(starts)), starts


@dataclass(frozen=True, eq=False)
class Strata:
    """Cells grouped in rows that share generator, judges present and number of favourable verdicts.

    Cells are ordered by generator and instance, rows by generator. `favourable` are the favourable verdicts
    by generator and judge.
    """

    cells: Verdicts
    row: Ints
    generator: Ints
    present: Bools
    credited: Ints
    count: Floats
    favourable: Floats

    @property
    def n_generators(self) -> int:
        return len(self.favourable)

    @classmethod
    def of(cls, cells: Verdicts, n_generators: int) -> "Strata":
        cells = cells.select(np.lexsort((cells.instance, cells.generator)))
        credited = cells.favourable.sum(axis=1).astype(np.int64)
        sets = same_sets(cells.present)
        key = (cells.generator * (sets.max(initial=0) + 1) + sets) * (cells.present.shape[1] + 1) + credited
        _, first, row = np.unique(key, return_index=True, return_inverse=True)
        row = row.reshape(-1).astype(np.int64)
        count = np.bincount(row, cells.weight, len(first)).astype(np.float64)
        generator, present = cells.generator[first], cells.present[first]
        verdicts = cells.weighted(cells.favourable.astype(np.float64))
        favourable = sum_by(cells.generator, verdicts, n_generators)
        return cls(cells, row, generator, present, credited[first], count, favourable)

    @classmethod
    def of_rows(
        cls, generator: Ints, present: Bools, credited: Ints, count: Floats, favourable: Floats
    ) -> "Strata":
        """Return rows without their cells, for a fit; those on which all agree are left out.

        `favourable` are the favourable verdicts on all of them, (generators, judges).
        """
        number = present.sum(axis=1)
        passed, disputed = credited == number, (credited > 0) & (credited < number)
        unanimous = sum_by(generator[passed], count[passed, None] * present[passed], len(favourable))
        nothing = np.zeros((0, present.shape[1]), dtype=bool)
        cells = Verdicts(nothing, nothing, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        rows = generator[disputed], present[disputed], credited[disputed], count[disputed]
        return cls(cells, np.zeros(0, dtype=np.int64), *rows, favourable - unanimous)

    def weighted(self, weight: Floats) -> "Strata":
        """Return the rows with other weights of the cells, for a fit: those without any are left out."""
        count = np.bincount(self.row, weight, len(self.count)).astype(np.float64)
        keep = count > 0
        rows = self.generator[keep], self.present[keep], self.credited[keep], count[keep]
        favourable = np.zeros_like(self.favourable)
        for g in np.flatnonzero(np.diff(self.cell_ends)):
            of = slice(*self.cell_ends[g : g + 2])
            favourable[g] = weight[of].astype(np.float32) @ self._passes[of]
        return Strata(self.cells, self.row, *rows, favourable)

    @cached_property
    def _passes(self) -> NDArray[np.float32]:
        return self.cells.favourable.astype(np.float32)

    @cached_property
    def row_ends(self) -> Ints:
        """Where the rows of each generator begin, and the end."""
        return np.searchsorted(self.generator, np.arange(self.n_generators + 1))

    @cached_property
    def cell_ends(self) -> Ints:
        """Where the cells of each generator begin, and the end."""
        return np.searchsorted(self.cells.generator, np.arange(self.n_generators + 1))


def same_sets(present: Bools) -> Ints:
    """Return a number for each row of flags, equal where the rows are."""
    number = np.zeros(len(present), dtype=np.int64)
    if present.all():
        return number
    packed = np.packbits(present, axis=1)
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    words = padded.view(np.uint64)
    order = np.lexsort(words.T)
    ordered = words[order]
    number[order[1:]] = np.cumsum((ordered[1:] != ordered[:-1]).any(axis=1))
    return number


def _chances(eta: Floats, present: Bools, credited: Ints) -> tuple[Floats, Floats]:
    """Return each judge's chance of a favourable verdict given their number, and log e_n(exp eta).

    `eta` and `present` have shape (rows, judges). Adding a constant to a row's log-odds changes no chance:
    the tilt is roughly the one that makes n the expected number, so that the chance of n is not small. Rows
    with the same tilt share the sums over judges that are alike in most rows.
    """
    number = present.sum(axis=1)
    tilt = _tilts(eta, present, credited, number)
    eta = np.where(present, eta, -np.inf)
    usual = _usual(eta)
    turns = int(number.max(initial=0)) + 1
    chances, log_sum = np.empty_like(eta), np.empty(len(eta))
    step = max(_FEWEST_ROWS, _BLOCK // (eta.shape[1] * turns))
    order = np.argsort(tilt, kind="stable")
    for alike in np.split(order, np.flatnonzero(np.diff(tilt[order])) + 1):
        for part in (alike[first : first + step] for first in range(0, len(alike), step)):
            chances[part], log_sum[part] = _chances_at(tilt[part[0]], eta[part], usual, credited[part], turns)
    return chances, log_sum


@np.errstate(over="ignore")
def _tilts(eta: Floats, present: Bools, credited: Ints, number: Ints) -> Floats:
    """Return for each row roughly the t with sum expit(eta + t) = n, rounded to few distinct values."""
    target = np.log(credited / (number - credited))
    tilt = target - np.where(present, eta, 0.0).sum(axis=1) / number
    for _ in range(_MOST_TILTS):
        q = present / (1 + np.exp(-(eta + tilt[:, None])))
        mean = q.sum(axis=1)
        spread = mean - np.einsum("rj,rj->r", q, q)
        far = np.abs(mean - credited) > (1 + np.sqrt(np.maximum(spread, 0))) / 4
        if not far.any():
            break
        mean = np.clip(mean, _LEAST, number - _LEAST)
        slope = spread * number / (mean * (number - mean))  # of the logit of mean / number, at most 1
        gap = target - np.log(mean / (number - mean))
        tilt += np.where(far, gap / np.maximum(slope, 0.5), 0.0)
    # Moves the expected number by two standard deviations at most, where n has a seventh of the chance.
    grid = 8 / np.sqrt(eta.shape[1])
    return np.asarray(np.rint(tilt / grid) * grid, dtype=np.float64)


@np.errstate(divide="ignore", invalid="ignore")  # at log-odds to which no step is taken
def _chances_at(
    tilt: float, eta: Floats, usual: Floats, credited: Ints, most_turns: int
) -> tuple[Floats, Floats]:
    """Compute `_chances` for rows with one tilt; absent judges have log-odds of -inf.

    With q = expit(eta + tilt) the sum of w^-n prod(1 - q + q w) over the roots w of 1 is the chance of n
    favourable verdicts, and that of q w / (1 - q + q w) times it the chance that a judge's is one of them.
    Conjugate roots add the same. A factor that differs from the `usual` one replaces it.
    """
    row, judge = np.nonzero(eta != usual)
    q, own_q = expit(usual + tilt)[:, None], expit(eta[row, judge] + tilt)[:, None]
    variance, own_variance = q * (1 - q), own_q * (1 - own_q)
    mean, spread = (
        usual_part.sum() + np.bincount(row, (own - usual_part[judge])[:, 0], len(eta))
        for usual_part, own in ((q, own_q), (variance, own_variance))
    )
    turns = _turns(float(np.abs(mean - credited).max()), float(spread.max()), most_turns)
    roots = np.exp(2j * np.pi / turns * np.arange(turns))
    w = roots[: len(roots) // 2 + 1]
    # |1 - q + q w|^2 = 1 - 2 q (1 - q) (1 - Re w) <= exp(-2 q (1 - q) (1 - Re w)): nothing far from 1.
    w = w[~(spread.min() * (1 - w.real) > -np.log(_NEGLIGIBLE))]
    factors = 1 + q * (w - 1)
    inverse = 1 / factors  # to divide by each but once
    product = np.tile(factors.prod(axis=0), (len(eta), 1))
    first = np.flatnonzero(np.diff(row, prepend=-1))
    if len(first):
        exchanged = inverse[judge]
        exchanged *= 1 + own_q * (w - 1)
        product[row[first]] *= np.multiply.reduceat(exchanged, first, axis=0)
    product *= roots[-credited[:, None] * np.arange(len(w)) % len(roots)]
    product[:, 1:] *= 2
    total = product.real.sum(axis=1)
    # Real parts of products as products of real numbers: Re x y = Re x Re y - Im x Im y.
    joint = product.conj().view(np.float64) @ (q * w * inverse).view(np.float64).T
    # Re x w / (1 - q + q w) = Re x (q + (1 - q) w) / |1 - q + q w|^2, since |w| = 1.
    plain, rotated = np.ascontiguousarray(product.real)[row], (product * w).real[row]
    own_pulls = (own_q * plain + (1 - own_q) * rotated) / (1 - 2 * own_variance * (1 - w.real))
    joint[row, judge] = own_q[:, 0] * own_pulls.sum(axis=1)
    scale = np.logaddexp(0.0, usual + tilt)
    own_scale = np.logaddexp(0.0, eta[row, judge] + tilt) - scale[judge]
    log_sum = np.log(total / len(roots)) + scale.sum() + np.bincount(row, own_scale, len(eta))
    return joint / total[:, None], log_sum - credited * tilt


def _turns(apart: float, variance: float, most: int) -> int:
    """Return how many roots of 1 give the chance of n, up to what is negligible; `most` give it exactly.

    m roots give the chance of n, n + m, n - m and so on together. By Bernstein's inequality a number lies t
    or more from its mean, on one side, with a chance below exp(-t^2 / (2 V + 2 t / 3)). The mean is at most
    `apart` from n. The number of roots is odd, since at -1 a factor may be 0.
    """
    log = -np.log(_NEGLIGIBLE)
    furthest = apart + log / 3 + np.sqrt((log / 3) ** 2 + 2 * log * variance)
    return (int(furthest) + 1 if furthest < most else most) | 1  # NaN is not below it


def _apart(eta: Floats, gap: float) -> Floats:
    """Return log-odds (generators, judges), moved so that no two of a generator are nearer than `gap`."""
    order = np.argsort(eta, axis=1, kind="stable")
    rank = np.arange(eta.shape[1]) * gap
    ordered = np.take_along_axis(eta, order, axis=1)
    least = np.maximum.accumulate(ordered - rank, axis=1)
    ordered = np.where(least > ordered - rank, least + rank, ordered)
    apart = np.empty_like(eta)
    np.put_along_axis(apart, order, ordered, axis=1)
    return apart


@dataclass(frozen=True, eq=False)
class Point:
    """The likelihood at some log-odds eta, shape (generators, judges)."""

    strata: Strata
    eta: Floats

    @cached_property
    def _at(self) -> tuple[Floats, Floats]:
        strata = self.strata
        return _chances(self.eta[strata.generator], strata.present, strata.credited)

    @property
    def chances(self) -> Floats:
        """The chance of each judge in each row."""
        return self._at[0]

    @cached_property
    def likelihood(self) -> float:
        """The logarithm of the conditional likelihood, sum y eta - sum log e_n(exp eta)."""
        return float((self.strata.favourable * self.eta).sum() - self.strata.count @ self._at[1])

    @cached_property
    def residuals(self) -> Floats:
        """Favourable verdicts less those expected, y - p summed over cells, shape (generators, judges)."""
        strata = self.strata
        expected = sum_by(strata.generator, strata.count[:, None] * self.chances, strata.n_generators)
        return strata.favourable - expected

    def pairs(self, gap: float = GAP) -> "PairChances":
        """Return the chances of pairs of verdicts, with log-odds moved at least `gap` apart."""
        strata, eta, chances = self.strata, _apart(self.eta, gap), self.chances
        moved = np.flatnonzero((eta != self.eta).any(axis=1)[strata.generator])
        if len(moved):
            chances = chances.copy()
            parts = strata.generator[moved], strata.present[moved], strata.credited[moved]
            chances[moved], _ = _chances(eta[parts[0]], *parts[1:])
        return PairChances(strata, eta, chances)


@dataclass(frozen=True, eq=False)
class PairChances:
    """The joint chances of two favourable verdicts, from those of each: see `_coupling`."""

    strata: Strata
    eta: Floats
    chances: Floats

    @cached_property
    def usual(self) -> Floats:
        """The log-odds that each judge has on most generators, if there are such."""
        return _usual(self.eta)

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
        step = max(_FEWEST_ROWS, _NEAR // max(8 * values.shape[1], 1))
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


def _usual(values: Floats) -> Floats:
    """Return the value that most rows have in each column, if there is one: the median of a sample."""
    some = np.sort(values[:: len(values) // _SAMPLE + 1], axis=0)
    return np.asarray(some[len(some) // 2] if len(some) else np.zeros(values.shape[1]))


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
