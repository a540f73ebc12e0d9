"""The odds that a judge credits its own responses more than other judges do (MEASURES section 15).

A conditional logistic regression: each cell (an instance, a rubric and the response to it) is a stratum with
the verdicts of all judges. What the response deserves is conditioned out, so that neither its quality nor how
well it convinces everybody can pass for self-preference; a cell on which all judges agree says nothing.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.special import stdtr, stdtrit

from engine.stats.conditional_likelihood import Point, Strata, Verdicts, sum_by
from engine.stats.types import Bools, Floats, Ints

_MOST_STEPS, _MOST_HALVINGS, _CLOSE = 50, 20, 1e-16
_RANK = 1e-9
"""An eigenvalue of the scaled information below this share of the largest is 0."""
_FAR = 12.0
"""Log-odds that only a separation leads to."""
_SOLVED, _MOST_SOLVING = 1e-6, 60


@dataclass(frozen=True, eq=False)
class LogOdds:
    """Log-odds with their standard errors, NaN where `reason` says why.

    `freedom` are the degrees of freedom of Student's t: the instances that hold a cell of the kind on which
    verdicts differ, less one.
    """

    estimate: Floats
    se: Floats
    freedom: Ints
    reason: tuple[str | None, ...]

    def interval(self, level: float = 0.95, taste: float = 0.0) -> tuple[Floats, Floats]:
        """Return the ends of the interval; `taste` is a variance that is added to the squared error."""
        reach = stdtrit(np.maximum(self.freedom, 1), (1 + level) / 2) * np.sqrt(self.se**2 + taste)
        return self.estimate - reach, self.estimate + reach

    def p(self, taste: float = 0.0) -> Floats:
        """Return the two-sided p of each against 0; `taste` is a variance added to the squared error."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(self.estimate) / np.sqrt(self.se**2 + taste)
        return np.asarray(2 * stdtr(np.maximum(self.freedom, 1), -t), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Odds:
    """What the model says: `own` and `family` for each judge; `common`, two numbers, own and family of all.

    `placebo` and `placebo_se`, shape (judges, generators), are the log-odds of each judge's liking for each
    generator of another family, NaN elsewhere. `cells` counts the cells on which verdicts differ.
    """

    own: LogOdds
    family: LogOdds
    common: LogOdds
    placebo: Floats
    placebo_se: Floats
    cells: int


def fit_odds(
    verdicts: Verdicts, own: Bools, family: Bools, *, errors: bool = True, shared: bool = True
) -> Odds:
    """Fit logit P = a(cell) + B(judge) + s(judge) [own] + f(judge) [family], with a conditioned out.

    `own` and `family`, shape (judges, generators), mark each judge's own responses and its relatives'. Errors
    are CR3: each instance is deleted in turn, by one Newton step from the estimate. A log-odds is undefined
    for one of the reasons `absent`, `verdicts_agree` (on every such cell), `verdicts_all_alike` (the
    judge's, on such cells), `separated`, `not_identified`, `single_instance`, `hangs_on_one_instance`.
    Without `errors` the estimates have none, which saves half of the time; without `shared` those of all
    judges together are undefined (`absent`), which saves another fit.
    A placebo is the efficient score of a further log-odds of (judge, generator) at the estimate, divided by
    its information; its error is that of the scores summed by instance.
    """
    judges = len(own)
    each = np.eye(judges, dtype=bool)[..., None]
    n_instances = int(verdicts.instance.max(initial=-1)) + 1
    start = verdicts.without(np.zeros_like(own))
    single = _Model.fit(start, np.concatenate([each & own, each & family]), n_instances)
    there = _judged(verdicts, own.shape) > 0
    kinds = single.log_odds(there, errors=errors)
    common = _undefined(2)
    if shared:
        both = _Model.fit(start, np.stack([own, family]), n_instances)
        common = both.log_odds(there, errors=errors)
    placebo, se = single.placebos(~own & ~family)
    return Odds(
        own=_part(kinds, slice(judges)),
        family=_part(kinds, slice(judges, None)),
        common=common,
        placebo=placebo,
        placebo_se=se,
        cells=len(start.generator),
    )


def shrink(estimate: Floats, se: Floats) -> Floats:
    """Return estimates shrunk to their mean by their spread beyond chance (DerSimonian and Laird 1986).

    The spread is max(0, (Q - (k - 1)) / (sum w - sum w^2 / sum w)) of the k defined, w = 1 / se^2; one that
    is undefined stays so.
    """
    shrunken = np.full(len(estimate), np.nan)
    known = np.isfinite(estimate) & np.isfinite(se) & (se > 0)
    if not known.any():
        return shrunken
    value, weight = estimate[known], se[known] ** -2
    mean = (weight * value).sum() / weight.sum()
    scale = weight.sum() - (weight**2).sum() / weight.sum()
    excess = (weight * (value - mean) ** 2).sum() - (len(value) - 1)
    spread = max(0.0, excess / scale) if scale > 0 else 0.0
    total = 1 / (1 / weight + spread)
    centre = (total * value).sum() / total.sum()
    trust = spread / (spread + 1 / weight)
    shrunken[known] = centre + trust * (value - centre)
    return shrunken


def _undefined(number: int) -> LogOdds:
    nothing = np.full(number, np.nan)
    return LogOdds(nothing, nothing, np.zeros(number, dtype=np.int64), ("absent",) * number)


def _part(kinds: LogOdds, which: slice) -> LogOdds:
    return LogOdds(kinds.estimate[which], kinds.se[which], kinds.freedom[which], kinds.reason[which])


def _judged(verdicts: Verdicts, shape: tuple[int, int]) -> Floats:
    """Return how many verdicts each judge gave on each generator, shape (judges, generators)."""
    return sum_by(verdicts.generator, verdicts.present, shape[1]).T


@dataclass(frozen=True, eq=False)
class _Model:
    """A fitted model: `design` of shape (terms, generators, judges), the judges' own terms first.

    `why` holds the reason of each log-odds wanted that is not among the terms, `place` its term else.
    """

    wanted: Bools
    place: Ints
    why: list[str | None]
    design: Floats
    theta: Floats
    point: Point
    inverse: Floats
    loose: Bools
    n_instances: int

    @classmethod
    def fit(cls, verdicts: Verdicts, wanted: Bools, n_instances: int) -> "_Model":
        """Fit a term for each of `wanted`, masks (terms, judges, generators), and for each judge but one."""
        verdicts, judges, why = _without_separated(verdicts, wanted)
        estimable = np.array([reason is None for reason in why], dtype=bool)
        shape = wanted.shape[1:]
        base = np.eye(shape[0], dtype=bool)[np.flatnonzero(judges)[1:]]
        masks = np.concatenate([np.broadcast_to(base[:, :, None], (len(base), *shape)), wanted[estimable]])
        design = np.ascontiguousarray(masks.transpose(0, 2, 1), dtype=np.float64)
        place = np.where(estimable, len(base) + np.cumsum(estimable) - 1, -1)
        theta, point, inverse, loose = _newton(Strata.of(verdicts, shape[1]), design)
        return cls(wanted, place, why, design, theta, point, inverse, loose, n_instances)

    def log_odds(self, judged: Bools, *, errors: bool) -> LogOdds:
        """Return the log-odds wanted; `judged` (judges, generators) says where there are verdicts."""
        there = self.place >= 0
        estimate, se = (np.full(len(self.place), np.nan) for _ in range(2))
        estimate[there] = self.theta[self.place[there]]
        if errors:
            se[there] = self._deleted_errors[self.place[there]]
        freedom = self._instances - 1
        why = list(self.why)
        for n, mask in enumerate(self.wanted):
            if not (mask & judged).any():
                why[n] = "absent"
            elif there[n] and self.loose[self.place[n]]:
                why[n] = "not_identified"
            elif there[n] and abs(estimate[n]) > _FAR:
                why[n] = "separated"
            elif there[n] and freedom[n] < 1:
                why[n] = "single_instance"
            elif there[n] and errors and not se[n] > 0:
                why[n] = "hangs_on_one_instance"
            if why[n] is not None:
                estimate[n] = se[n] = np.nan
        return LogOdds(estimate, se, np.maximum(freedom, 0), tuple(why))

    @cached_property
    def _instances(self) -> Ints:
        """Instances with a cell of each kind on which verdicts differ and the judge has one."""
        cells = self.point.strata.cells
        number = np.zeros(len(self.wanted), dtype=np.int64)
        for n, mask in enumerate(self.wanted):
            judges, generators = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
            near = np.flatnonzero(np.isin(cells.generator, generators))
            here = cells.present[np.ix_(near, judges)] & mask[judges].T[cells.generator[near]]
            number[n] = len(np.unique(cells.instance[near[here.any(axis=1)]]))
        return number

    @cached_property
    def _cell_residuals(self) -> Floats:
        strata = self.point.strata
        return strata.cells.favourable - self.point.chances[strata.row]

    @cached_property
    def _scores(self) -> Floats:
        """The score of each instance, shape (instances, terms)."""
        return self._by_instance(self._cell_residuals)

    def _by_instance(self, values: Floats) -> Floats:
        """Return what values of shape (cells, judges) add up to in each term, instance by instance."""
        cells = self.point.strata.cells
        starts, adds = self.point.strata.blocks
        generator, instance = cells.generator[starts], cells.instance[starts]
        sums = np.asarray(adds @ values)
        totals = np.zeros((self.n_instances, len(self.design)))
        ends = np.searchsorted(generator, np.arange(self.design.shape[1] + 1))
        for g, (first, last) in enumerate(pairwise(ends)):
            totals[instance[first:last]] += sums[first:last] @ self.design[:, g].T
        return totals

    def _times_information(self, x: Floats) -> Floats:
        """Return each instance's own information times its row of x, shape (instances, terms)."""
        strata, chances = self.point.strata, self.point.distinct.chances
        a, b = self.point.pairing
        products = np.empty((len(strata.row), self.design.shape[2]))
        for g, (first, last) in enumerate(pairwise(strata.cell_ends)):
            v = (x @ self.design[:, g])[strata.cells.instance[first:last]]
            p, here = chances[strata.row[first:last]], strata.cells.present[first:last]
            pv = p * v
            both = here * (pv @ a[g].T) - p * ((here * v) @ b[g].T)
            products[first:last] = both + pv - p * pv.sum(axis=1, keepdims=True)
        return self._by_instance(products)

    @cached_property
    def _deleted_errors(self) -> Floats:
        """The CR3 errors: (n - 1) / n times the squared changes that deleting each instance makes, summed.

        Each change solves (H - H_i) x = g_i by conjugate gradients, all instances at once, with H as
        preconditioner.
        NaN for a term that some instance alone identifies.
        """
        x = np.zeros_like(self._scores)
        r = self._scores.copy()
        z = r @ self.inverse
        p, rz = z.copy(), (r * z).sum(axis=1)
        goal = _SOLVED**2 * np.maximum(rz, 0.0)
        for _ in range(_MOST_SOLVING):
            if not (rz > goal).any():
                break
            hp = p @ self._information - self._times_information(p)
            curve = (p * hp).sum(axis=1)
            size = np.divide(rz, curve, out=np.zeros_like(rz), where=(rz > goal) & (curve > 0))[:, None]
            x, r = x + size * p, r - size * hp
            z = r @ self.inverse
            new = (r * z).sum(axis=1)
            p = z + np.divide(new, rz, out=np.zeros_like(rz), where=rz > goal)[:, None] * p
            rz = np.where(size[:, 0] > 0, new, 0.0)
        number = np.count_nonzero(self._scores.any(axis=1))
        squared = (x**2).sum(axis=0)
        return np.asarray(np.sqrt(squared * (number - 1) / max(number, 1)), dtype=np.float64)

    @cached_property
    def _information(self) -> Floats:
        return _information(self.design, self.point.covariance)

    def placebos(self, wanted: Bools) -> tuple[Floats, Floats]:
        """Return the one-step log-odds of a further term for each (judge, generator), and its error."""
        strata, cells = self.point.strata, self.point.strata.cells
        theta, se = np.full(wanted.shape, np.nan), np.full(wanted.shape, np.nan)
        for g, (first, last) in enumerate(pairwise(strata.cell_ends)):
            instance = cells.instance[first:last]
            if not len(instance):
                continue
            starts = np.flatnonzero(np.diff(instance, prepend=-1))
            residual = np.add.reduceat(self._cell_residuals[first:last], starts)
            covariance = self.point.covariance[g]
            known = self.inverse @ (self.design[:, g] @ covariance)  # terms, judges
            information = np.diag(covariance) - ((self.design[:, g] @ covariance) * known).sum(axis=0)
            score = residual.sum(axis=0) - self._scores.sum(axis=0) @ known
            fitted = self._scores[instance[starts]] @ known
            everywhere = ((self._scores @ known) ** 2).sum(axis=0)
            squares = ((residual - fitted) ** 2).sum(axis=0) + everywhere - (fitted**2).sum(axis=0)
            enough = wanted[:, g] & (information > _RANK * np.maximum(np.diag(covariance), 1e-12) * 1e3)
            enough &= squares > 0
            theta[enough, g] = score[enough] / information[enough]
            se[enough, g] = np.sqrt(squares[enough]) / information[enough]
        return theta, se


def _without_separated(verdicts: Verdicts, wanted: Bools) -> tuple[Verdicts, Bools, list[str | None]]:
    """Drop verdicts that a term would fit exactly, until there are none.

    Returns the cells left on which verdicts differ, which judges have a term of their own, and why each of
    `wanted` has none.
    """
    why: list[str | None] = [None] * len(wanted)
    shape = wanted.shape[1:]
    gone = np.zeros(shape, dtype=bool)
    while True:
        judged = _judged(verdicts, shape)
        credited = sum_by(verdicts.generator, verdicts.favourable, shape[1]).T
        dropped = np.zeros(shape, dtype=bool)
        for n, mask in enumerate(wanted):
            number, favourable = judged[mask].sum(), credited[mask].sum()
            if why[n] is None and favourable in (0, number):
                why[n] = "verdicts_all_alike" if number else "verdicts_agree"
                dropped |= mask
        alike = (credited.sum(axis=1) == 0) | (credited.sum(axis=1) == judged.sum(axis=1))
        dropped |= alike[:, None]
        if not (dropped & ~gone).any():
            return verdicts, ~alike, why
        gone |= dropped
        verdicts = verdicts.without(gone)


def _information(design: Floats, covariance: Floats) -> Floats:
    """Return the information on the terms, shape (terms, terms)."""
    times = np.matmul(design.transpose(1, 0, 2), covariance)  # generators, terms, judges
    return np.asarray(np.einsum("gtj,ugj->tu", times, design, optimize=True), dtype=np.float64)


def _newton(strata: Strata, design: Floats) -> tuple[Floats, Point, Floats, Bools]:
    """Return the estimate, the likelihood there, the inverse information and which terms it leaves open."""
    theta = np.zeros(len(design))
    point = Point(strata, np.zeros(design.shape[1:]))
    for _ in range(_MOST_STEPS):
        score = np.einsum("tgj,gj->t", design, point.residuals)
        inverse, _ = _invert(_information(design, point.covariance))
        step = inverse @ score
        if score @ step < _CLOSE:
            break
        for _ in range(_MOST_HALVINGS):
            further = Point(strata, np.tensordot(theta + step, design, 1))
            if further.likelihood >= point.likelihood - 1e-9:
                break
            step = step / 2
        theta, point = theta + step, further
        if np.abs(theta).max() > 3 * _FAR:
            break
    return theta, point, *_invert(_information(design, point.covariance))


def _invert(information: Floats) -> tuple[Floats, Bools]:
    """Return the inverse, where there is none the pseudo-inverse, and which terms that leaves open."""
    scale = np.sqrt(np.maximum(np.diag(information), 0))
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    good = values > _RANK * max(float(values.max(initial=0.0)), 1e-300)
    inverse = (vectors[:, good] / values[good]) @ vectors[:, good].T / np.outer(scale, scale)
    return inverse, np.asarray((vectors[:, ~good] ** 2).sum(axis=1) > 1e-6)
