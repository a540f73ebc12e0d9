"""Newton's steps to the estimate of the conditional model, and the inverse of its information."""

from contextlib import suppress

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.lapack import dpotri

from engine.stats import Bools, Floats
from engine.stats.conditional.conditional_likelihood import GAP_OF_STEPS, Point
from engine.stats.conditional.strata import Strata, sum_by
from engine.stats.conditional.term_columns import FAR, TermColumns

CLOSE = 1e-9
"""The last step gains less likelihood than this: what remains is of the order of the gain itself."""
RANK = 1e-9  # an eigenvalue of the scaled information below this share of the largest counts as 0
_TURNS, _STRIDE = 4, 2.0
"""Rounds towards the starting point, and the largest move of one in log-odds."""
_MOST_STEPS, _MOST_HALVINGS = 50, 20
_FIRM = 1e-6  # if all its squared pivots are above this, no eigenvalue is computed


def newton(
    strata: Strata, design: TermColumns, theta: Floats | None = None, close: float = CLOSE
) -> tuple[Floats, Floats]:
    """Return the estimate, by steps H^-1 X' (y - p), halved if the likelihood falls, and the last H.

    The steps begin at `theta`, an earlier estimate, and end with one that gains less likelihood than `close`.
    """
    if theta is None:
        theta = _start(strata, design)
    point = Point(strata, design.eta(theta))
    for _ in range(_MOST_STEPS):
        score, information = design.add(point.residuals), design.information(point.pairs(GAP_OF_STEPS))
        step = _solve(information, score)
        if score @ step < close:
            return theta + step, information
        for _ in range(_MOST_HALVINGS):
            further = Point(strata, design.eta(theta + step))
            if further.likelihood >= point.likelihood - 1e-9:
                break
            step = step / 2
        theta, point = theta + step, further
        if np.abs(theta).max() > 3 * FAR:
            break
    return theta, information


def _start(strata: Strata, design: TermColumns) -> Floats:
    """Return a starting point: the estimate of independent verdicts, whose rows have their own log-odds.

    In turns, each row's log-odds and each term take one Newton step, as if it alone were unknown. With k
    judges the terms come out k / (k - 1) times as far from 0 (Andersen 1973, for all items of one test).
    """
    number, present = strata.present.sum(axis=1), strata.present.astype(np.float64)
    of_row, theta = np.log(strata.credited / (number - strata.credited)), np.zeros(design.terms)

    def chances() -> Floats:
        p = -design.eta(theta)[strata.generator]
        p -= of_row[:, None]
        np.exp(p, out=p)  # in place: each new array of this size costs as much as the exponential
        p += 1
        return np.divide(present, p, out=p)

    def step(score: Floats, information: Floats) -> Floats:
        return np.clip(score / np.maximum(information, RANK), -_STRIDE, _STRIDE)

    def by_generator(values: Floats) -> Floats:
        values *= strata.count[:, None]
        return sum_by(strata.generator, values, strata.n_generators)

    for _ in range(_TURNS):
        p = chances()
        expected = p.sum(axis=1)
        of_row += step(strata.credited - expected, expected - np.einsum("rj,rj->r", p, p))
        p = chances()
        squares = by_generator(p**2)
        expected = by_generator(p)
        theta += step(design.add(strata.favourable - expected), design.add(expected - squares))
    verdicts = max(float(strata.count @ number), 1.0)
    return theta * (1 - float(strata.count.sum()) / verdicts)


def _solve(information: Floats, score: Floats) -> Floats:
    """Return the inverse information times the score, by Cholesky unless it is nearly singular."""
    scale = np.sqrt(np.maximum(np.diag(information), np.finfo(np.float64).tiny))
    with suppress(np.linalg.LinAlgError):
        factor = np.linalg.cholesky(information / np.outer(scale, scale))
        if (np.diag(factor) ** 2).min(initial=1.0) >= _FIRM:
            return np.asarray(cho_solve((factor, True), score / scale) / scale)
    return np.asarray(invert(information)[0] @ score)


def invert(information: Floats) -> tuple[Floats, Bools]:
    """Return the inverse, or else the pseudo-inverse, and which terms are then not identified."""
    if not len(information):  # LAPACK would print an error
        return information, np.zeros(0, dtype=bool)
    scale = np.sqrt(np.maximum(np.diag(information), 0))
    scale = np.where(scale > 0, scale, 1.0)
    scaled = information / np.outer(scale, scale)
    with suppress(LinAlgError):
        lower, _ = dpotri(cho_factor(scaled, lower=True)[0], lower=True)
        inverse = np.tril(lower) + np.tril(lower, -1).T
        if len(scaled) * np.trace(inverse) < 1 / RANK:  # the size bounds the largest eigenvalue,
            return inverse / np.outer(scale, scale), np.zeros(len(scaled), dtype=bool)  # the trace the least
    values, vectors = np.linalg.eigh(scaled)
    good = values > RANK * max(float(values.max(initial=0.0)), 1e-300)
    inverse = (vectors[:, good] / values[good]) @ vectors[:, good].T / np.outer(scale, scale)
    return inverse, np.asarray((vectors[:, ~good] ** 2).sum(axis=1) > 1e-6)
