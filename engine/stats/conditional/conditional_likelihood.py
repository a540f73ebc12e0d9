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

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from engine.stats import Bools, Floats, Ints
from engine.stats.conditional.pair_chances import PairChances
from engine.stats.conditional.strata import FEWEST_ROWS, Strata, sum_by, usual_values

GAP, GAP_OF_STEPS = 1e-5, 1e-8
"""Log-odds nearer to each other are moved this far apart where their difference is a divisor."""
_BLOCK = 1 << 22
"""The most numbers in memory at a time in the Fourier sums."""
_MOST_TILTS, _LEAST, _NEGLIGIBLE = 100, 1e-9, 1e-18


def _chances(eta: Floats, present: Bools, credited: Ints) -> tuple[Floats, Floats]:
    """Return each judge's chance of a favourable verdict given their number, and log e_n(exp eta).

    `eta` and `present` have shape (rows, judges). Adding a constant to a row's log-odds changes no chance:
    the tilt is roughly the one that makes n the expected number, so that the chance of n is not small. Rows
    with the same tilt share the sums over judges that are alike in most rows.
    """
    number = present.sum(axis=1)
    tilt = _tilts(eta, present, credited, number)
    eta = np.where(present, eta, -np.inf)
    usual = usual_values(eta)
    turns = int(number.max(initial=0)) + 1
    chances, log_sum = np.empty_like(eta), np.empty(len(eta))
    step = max(FEWEST_ROWS, _BLOCK // (eta.shape[1] * turns))
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

    def pairs(self, gap: float = GAP) -> PairChances:
        """Return the chances of pairs of verdicts, with log-odds moved at least `gap` apart."""
        strata, eta, chances = self.strata, _apart(self.eta, gap), self.chances
        moved = np.flatnonzero((eta != self.eta).any(axis=1)[strata.generator])
        if len(moved):
            chances = chances.copy()
            parts = strata.generator[moved], strata.present[moved], strata.credited[moved]
            chances[moved], _ = _chances(eta[parts[0]], *parts[1:])
        return PairChances(strata, eta, chances)
