"""Given and expected by a plain mixed model: numerical integration, no patterns (MEASURES section 19).

logit P(J passes c) = a_c + B_J + s_J [own] + f_J [family's], a_c ~ N(mu_G, sigma^2).

Readings:
 1. The integral over a_c is a sum over a fine even grid of standard deviations (-8 to 8), not Gauss-Hermite.
 2. The ridge of 1e-4 is 1e-4 / 2 times the sum of squares of s and f, taken from the log likelihood.
 3. A judge without own (relatives') verdicts has no s (f); every verdict counts in the fit, those of cells
    that one judge alone judged too.
 4. Outside judges of J's own cells: judges outside fam(J); of a relative's cells likewise.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit

GRID = np.linspace(-8.0, 8.0, 161)
WEIGHTS = np.exp(-(GRID**2) / 2) / np.exp(-(GRID**2) / 2).sum()
RIDGE = 1e-4
Relations = Mapping[tuple[str, str], str]


class Cell(NamedTuple):
    """One answer to one criterion: whose it is, and who passed it."""

    generator: str
    passed: Mapping[str, bool]


class Marginal(NamedTuple):
    """The fitted model."""

    base: dict[str, float]
    own: dict[str, float]
    family: dict[str, float]
    mean: dict[str, float]
    sigma: float
    likelihood: float


class GivenExpected(NamedTuple):
    """Of 1: how much was given, and expected, with the ends of its interval."""

    given: float | None
    expected: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0


def fit(cells: Sequence[Cell], judges: Sequence[str], relations: Relations) -> Marginal:
    """Maximise the marginal likelihood by L-BFGS-B on numerical derivatives of a plain sum over cells."""
    generators = sorted({cell.generator for cell in cells})
    has = {
        kind: [j for j in judges if any(relations[j, c.generator] == kind and j in c.passed for c in cells)]
        for kind in ("self", "family")
    }
    n_judges, n_own, n_family = len(judges), len(has["self"]), len(has["family"])

    def unpack(values: np.ndarray) -> Marginal:
        base = list(values[: n_judges - 1])
        base.append(-sum(base))
        rest = values[n_judges - 1 :]
        own, rest = rest[:n_own], rest[n_own:]
        family, rest = rest[:n_family], rest[n_family:]
        return Marginal(
            dict(zip(judges, map(float, base), strict=True)),
            dict(zip(has["self"], map(float, own), strict=True)),
            dict(zip(has["family"], map(float, family), strict=True)),
            dict(zip(generators, map(float, rest[:-1]), strict=True)),
            float(math.exp(rest[-1])),
            0.0,
        )

    of = np.array([generators.index(cell.generator) for cell in cells])
    judged = {judge: np.array([judge in cell.passed for cell in cells]) for judge in judges}
    passed = {judge: np.array([int(cell.passed.get(judge, False)) for cell in cells]) for judge in judges}

    def loss(values: np.ndarray) -> float:
        model = unpack(values)
        a = np.array([model.mean[generator] for generator in generators])[:, None] + model.sigma * GRID
        product = np.ones((len(cells), len(GRID)))
        for judge, here in judged.items():
            shift = np.array([predictor(model, judge, generator, relations) for generator in generators])
            logit = a + shift[:, None]
            product[here] *= expit(np.stack([-logit, logit]))[passed[judge][here], of[here]]
        squares = sum(v**2 for v in (*model.own.values(), *model.family.values()))
        return -float(np.log(product @ WEIGHTS).sum()) + RIDGE / 2 * squares

    start = np.zeros(n_judges - 1 + n_own + n_family + len(generators) + 1)
    best = minimize(loss, start, method="L-BFGS-B", options={"maxiter": 500, "maxfun": 10**6, "ftol": 1e-12})
    return unpack(best.x)._replace(likelihood=-float(best.fun))


def predictor(model: Marginal, judge: str, generator: str, relations: Relations) -> float:
    """B_J + s_J [own] + f_J [family's]."""
    kind = relations[judge, generator]
    extra = model.own if kind == "self" else model.family if kind == "family" else {}
    return model.base[judge] + extra.get(judge, 0.0)


def likelihoods(
    model: Marginal, cell: Cell, relations: Relations, only: Callable[[str], bool] = lambda _judge: True
) -> np.ndarray:
    """P(the verdicts of these judges | a_c) at every point of the grid."""
    a = model.mean[cell.generator] + model.sigma * GRID
    product = np.ones_like(GRID)
    for judge, passed in cell.passed.items():
        if only(judge):
            p = expit(a + predictor(model, judge, cell.generator, relations))
            product = product * (p if passed else 1 - p)
    return product


def own_cells(cells: Sequence[Cell], judge: str, relations: Relations, kind: str = "self") -> list[Cell]:
    """The cells (its own or its relatives') that the judge judged, and at least one outside judge too."""
    return [
        cell
        for cell in cells
        if relations[judge, cell.generator] == kind
        and judge in cell.passed
        and any(relations[judge, b] == "other" for b in cell.passed)
    ]


def rate(
    model: Marginal, cells: Sequence[Cell], judge: str, relations: Relations
) -> Callable[[float], float]:
    """d -> the mean over the cells of E[expit(a_c + B_J + d)], given the outside judges' verdicts."""
    pieces = []
    for cell in cells:
        weights = WEIGHTS * likelihoods(model, cell, relations, lambda b: relations[judge, b] == "other")
        a = model.mean[cell.generator] + model.sigma * GRID
        pieces.append((weights / weights.sum(), a + model.base[judge]))

    def at(d: float) -> float:
        return float(np.mean([weights @ expit(a + d) for weights, a in pieces]))

    return at


def given_and_expected(
    model: Marginal,
    cells: Sequence[Cell],
    judge: str,
    relations: Relations,
    log_odds: float | None,
    ends: tuple[float, float] | None = None,
    kind: str = "self",
) -> GivenExpected:
    """What the judge passed, and what is expected where its log-odds (and their ends) are taken away."""
    counted = own_cells(cells, judge, relations, kind)
    if not counted:
        return GivenExpected(None)
    given = sum(cell.passed[judge] for cell in counted) / len(counted)
    if log_odds is None or given in (0.0, 1.0):
        return GivenExpected(given, n=len(counted))
    at = rate(model, counted, judge, relations)
    d1 = brentq(lambda d: at(d) - given, -60.0, 60.0, xtol=1e-12)
    low, high = (None, None) if ends is None else (at(d1 - ends[1]), at(d1 - ends[0]))
    return GivenExpected(given, at(d1 - log_odds), low, high, len(counted))


def expected_of_group(
    by_family: Mapping[str, Sequence[tuple[Callable[[float], float], float]]],
    given: Mapping[str, Sequence[float]],
    estimate: float,
) -> tuple[float, float]:
    """The group's given and expected: means over families of their members' means.

    `by_family`: for each member its rate and the d1 at which the rate is what it gave.
    """

    def mean_of_means(groups: Sequence[Sequence[float]]) -> float:
        return sum(sum(group) / len(group) for group in groups) / len(groups)

    expected = [[at(d1 - estimate) for at, d1 in members] for members in by_family.values()]
    return mean_of_means(list(given.values())), mean_of_means(expected)


def less(given: float | None, number: float | None) -> float | None:
    """Pairs and scores: expected = given less the deciding number (both of 1)."""
    return None if given is None or number is None else given - number
