"""The odds that a judge credits its own responses more than other judges do (MEASURES section 15).

A conditional logistic regression: each cell (an instance, a rubric and the response to it) is a stratum with
the verdicts of all judges. What the response deserves is conditioned out, so that neither its quality nor how
well it convinces everybody can pass for self-preference; a cell on which all judges agree says nothing.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotri

from engine.stats import Bools, Floats, Ints
from engine.stats.conditional_likelihood import (
    GAP_OF_STEPS,
    PairChances,
    Point,
    Strata,
    Verdicts,
    members,
    sum_by,
)
from engine.stats.jackknife import Estimates

_TURNS, _STRIDE = 4, 2.0
"""Rounds towards the starting point of Newton's steps, and the largest move of one in log-odds."""
_MOST_STEPS, _MOST_HALVINGS, _CLOSE = 50, 20, 1e-9
"""The last step gains less likelihood than `_CLOSE`: what remains is of the order of the gain itself."""
_CLOSE_AGAIN = 1e-4  # of an estimate from other verdicts: to a hundredth of its error
_CLOSE_ENOUGH = 2e-2  # of fits that only say how much of an estimate is left: a further step gains far less
_RANK = 1e-9  # an eigenvalue of the scaled information below this share of the largest counts as 0
_FIRM = 1e-6  # if all its squared pivots are above this, no eigenvalue is computed
_FAR = 12.0  # log-odds that only separation leads to
_SOLVED, _MOST_SOLVING = 1e-6, 60


@dataclass(frozen=True, eq=False)
class LogOdds(Estimates):
    """Log-odds with their standard errors, NaN where `reason` says why.

    `freedom`: the instances that hold a cell of the kind on which verdicts differ, less one.
    """

    reason: tuple[str | None, ...]

    def part(self, which: slice) -> "LogOdds":
        return LogOdds(self.value[which], self.se[which], self.freedom[which], self.reason[which])


@dataclass(frozen=True, eq=False)
class Odds:
    """The model's estimates: `own` and `family` for each judge; `common`, the same two for all together.

    `placebo` and `placebo_se`, shape (judges, generators), are the log-odds of each judge's liking for each
    generator of another family, NaN elsewhere. `cells` counts the cells on which verdicts differ.
    """

    own: LogOdds
    family: LogOdds
    common: LogOdds
    placebo: Floats
    placebo_se: Floats
    cells: int


@dataclass(frozen=True, eq=False)
class FittedOdds:
    """The estimates with their model, from which fits of nearly the same verdicts begin."""

    odds: Odds
    model: "_FittedModel"

    def weighted(self, weight: Floats, kind: int) -> "Refitted | None":
        """Return the log-odds of one kind if the cells of the fit count so often, by `weight` (cells,).

        `kind` is a judge, or judges + a judge for its relatives. None where a term would be fitted exactly,
        so that cells have to be left out: the fit begins anew then.
        """
        return self.model.weighted(weight, kind)

    def with_rows(self, strata: Strata, kind: int) -> "Refitted | None":
        """Return the same from other rows of cells."""
        return self.model.with_rows(strata, kind)

    @property
    def strictness(self) -> Floats:
        """The judges' intercepts B, 0 for the first and for judges without a term: (judges,)."""
        return self.model.strictness


@dataclass(frozen=True)
class Refitted:
    """Log-odds, NaN where undefined, and the error that they would have if cells were independent."""

    value: float
    naive_se: float


def fit_odds(
    verdicts: Verdicts,
    own: Bools,
    family: Bools,
    *,
    errors: bool = True,
    pooled: bool = True,
    placebos: bool = True,
    start: FittedOdds | None = None,
) -> Odds:
    """Return the estimates of `fit_with_model`."""
    wanted = {"errors": errors, "pooled": pooled, "placebos": placebos}
    return fit_with_model(verdicts, own, family, **wanted, start=start).odds


def fit_with_model(
    verdicts: Verdicts,
    own: Bools,
    family: Bools,
    *,
    errors: bool = True,
    pooled: bool = True,
    placebos: bool = True,
    start: FittedOdds | None = None,
    rough: bool = False,
) -> FittedOdds:
    """Fit logit P = a(cell) + B(judge) + s(judge) [own] + f(judge) [family], with a conditioned out.

    `own` and `family`, shape (judges, generators), mark each judge's own responses and its relatives'. Errors
    are CR3: each instance is deleted in turn, by one Newton step from the estimate. A log-odds is undefined
    for one of the reasons `absent`, `verdicts_agree` (on every such cell), `verdicts_all_alike` (the
    judge's, on such cells), `separated`, `not_identified`, `single_instance`, `hangs_on_one_instance`.
    Without `errors` the estimates have none, which saves half of the time; without `pooled` those of all
    judges together are undefined (`absent`), which saves another fit; without `placebos` these are NaN.
    A placebo is the efficient score of a further log-odds of (judge, generator) at the estimate, divided by
    its information; its error is that of the scores summed by instance. `start` is a fit of nearly the same
    verdicts by the same judges. A `rough` fit ends where what remains is a hundredth of the error.
    """
    judges = len(own)
    each = np.eye(judges, dtype=bool)[..., None]
    n_instances = int(verdicts.instance.max(initial=-1)) + 1
    disputed = verdicts.without(np.zeros_like(own))
    begin = None if start is None else start.model.beginning
    close = _CLOSE_ENOUGH if rough else _CLOSE
    single = _FittedModel.fit(
        disputed, np.concatenate([each & own, each & family]), n_instances, begin, close
    )
    judged = _judged(verdicts, own.shape) > 0
    kinds = single.log_odds(judged, errors=errors)
    nothing = np.full(2, np.nan)
    common = LogOdds(nothing, nothing, np.zeros(2, dtype=np.int64), ("absent", "absent"))
    if pooled:
        both = _FittedModel.fit(disputed, np.stack([own, family]), n_instances)
        common = both.log_odds(judged, errors=errors)
    own_odds, family_odds = kinds.part(slice(judges)), kinds.part(slice(judges, None))
    placebo, placebo_se = single.placebos(~own & ~family & placebos)
    odds = Odds(own_odds, family_odds, common, placebo, placebo_se, cells=len(disputed.generator))
    return FittedOdds(odds, single)


def shrink(estimate: Floats, se: Floats) -> Floats:
    """Return estimates shrunk towards their mean by their spread beyond chance (DerSimonian and Laird 1986).

    The spread is max(0, (Q - (k - 1)) / (sum w - sum w^2 / sum w)) of the k defined, w = 1 / se^2; NaN stay.
    """
    shrunken = np.full(len(estimate), np.nan)
    defined = np.isfinite(estimate) & np.isfinite(se) & (se > 0)
    if not defined.any():
        return shrunken
    value, weight = estimate[defined], se[defined] ** -2
    mean = (weight * value).sum() / weight.sum()
    scale = weight.sum() - (weight**2).sum() / weight.sum()
    excess = (weight * (value - mean) ** 2).sum() - (len(value) - 1)
    spread = max(0.0, excess / scale) if scale > 0 else 0.0
    total = 1 / (1 / weight + spread)
    centre = (total * value).sum() / total.sum()
    trust = spread / (spread + 1 / weight)
    shrunken[defined] = centre + trust * (value - centre)
    return shrunken


def _judged(verdicts: Verdicts, shape: tuple[int, int]) -> Floats:
    """Return how many verdicts each judge gave on each generator, shape (judges, generators)."""
    return sum_by(verdicts.generator, verdicts.present, shape[1]).T


def _marks(masks: Bools) -> tuple[Ints, Ints, Ints]:
    """Return the mask, judge and generator of each mark of some masks (judges, generators)."""
    mask, judge, generator = np.unravel_index(np.flatnonzero(masks), masks.shape)  # faster than np.nonzero
    return mask, judge, generator


@dataclass(frozen=True, eq=False)
class _Design:
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
    def of(cls, base: Ints, masks: Bools) -> "_Design":
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
class _Beginning:
    """Where a fit begins: the judges' intercepts and the log-odds of each mask, 0 without a term."""

    strictness: Floats
    of_masks: Floats

    def theta(self, judges: Bools, estimable: Bools) -> Floats:
        """Return the terms of a fit that has them for these judges but the first, and for these masks."""
        base = np.flatnonzero(judges)
        first = self.strictness[base[0]] if len(base) else 0.0
        parts = self.strictness[base[1:]] - first, self.of_masks[estimable]
        return np.asarray(np.clip(np.concatenate(parts), -_FAR, _FAR))


@dataclass(frozen=True, eq=False)
class _FittedModel:
    """A fitted model, whose design has the judges' intercepts first."""

    masks: Bools
    place: Ints  # the term of each mask, -1 for none
    why: list[str | None]  # the reason for each mask that is not a term
    design: _Design
    theta: Floats
    before: Floats  # the information of the last step but one, for what takes no errors
    point: Point
    n_instances: int

    @classmethod
    def fit(
        cls,
        verdicts: Verdicts,
        masks: Bools,
        n_instances: int,
        start: _Beginning | None = None,
        close: float = _CLOSE,
    ) -> "_FittedModel":
        """Fit a term for each of `masks` (terms, judges, generators), and for each judge but one."""
        verdicts, judges, why = _without_separated(verdicts, masks)
        estimable = np.array([reason is None for reason in why], dtype=bool)
        shape = masks.shape[1:]
        base = np.flatnonzero(judges)[1:]
        design = _Design.of(base, masks[estimable])
        place = np.where(estimable, len(base) + np.cumsum(estimable) - 1, -1)
        begin = None if start is None else start.theta(judges, estimable)
        strata = Strata.of(verdicts, shape[1])
        theta, before = _newton(strata, design, begin, close)
        point = Point(strata, design.eta(theta))
        return cls(masks, place, why, design, theta, before, point, n_instances)

    @cached_property
    def pairs(self) -> PairChances:
        return self.point.pairs()

    @cached_property
    def information(self) -> Floats:
        return self.design.information(self.pairs)

    @cached_property
    def _inverted(self) -> tuple[Floats, Bools]:
        return _invert(self.information)

    @property
    def inverse(self) -> Floats:
        return self._inverted[0]

    def loose(self, *, errors: bool) -> Bools:
        """Return which terms are not identified; what takes no `errors` is spared the information."""
        return (self._inverted if errors else _invert(self.before))[1]

    @property
    def strictness(self) -> Floats:
        values = np.zeros(self.design.judges)
        values[self.design.judge[: self.design.bases]] = self.theta[: self.design.bases]
        return values

    @property
    def beginning(self) -> _Beginning:
        """Where a fit begins that has the same masks."""
        of_masks = np.where(self.place >= 0, self.theta[self.place] if len(self.theta) else 0.0, 0.0)
        return _Beginning(self.strictness, of_masks)

    def weighted(self, weight: Floats, kind: int) -> Refitted | None:
        """Return the estimate of one mask with other weights of cells: see `FittedOdds.weighted`."""
        if self._on_instances(weight, kind) < 2:
            return Refitted(np.nan, np.nan)
        strata = self.point.strata
        counts = strata.weighted((weight > 0).astype(np.float64))
        return self._again(strata.weighted(weight), counts, kind, None, _CLOSE_ENOUGH)

    def with_rows(self, strata: Strata, kind: int) -> Refitted | None:
        """Return the estimate of one mask from other rows of cells."""
        return self._again(strata, strata, kind, self.beginning, _CLOSE_AGAIN)

    def _again(
        self, strata: Strata, counts: Strata, kind: int, start: _Beginning | None, close: float
    ) -> Refitted | None:
        """Return the estimate of one mask from other rows, `counts` saying how many cells they are."""
        shape = self.masks.shape[1:]
        judged = sum_by(counts.generator, counts.count[:, None] * counts.present, shape[1]).T
        credited = counts.favourable.T
        mask, *marked = _marks(self.masks)
        number, favourable = (np.bincount(mask, of[*marked], len(self.masks)) for of in (judged, credited))
        estimable = (self.place >= 0) & (number > 0)
        of_judge, passed = judged.sum(axis=1), credited.sum(axis=1)
        judges = of_judge > 0
        alike = (favourable == 0) | (favourable == number)
        if (alike & (number > 0)).any() or (judges & ((passed == 0) | (passed == of_judge))).any():
            return None
        if not estimable[kind]:
            return Refitted(np.nan, np.nan)
        base = np.flatnonzero(judges)[1:]
        design = _Design.of(base, self.masks[estimable])
        begin = None if start is None else start.theta(judges, estimable)
        theta, information = _newton(strata, design, begin, close)
        place = len(base) + int(np.cumsum(estimable)[kind]) - 1
        inverse, loose = _invert(information)
        if loose[place] or abs(theta[place]) > _FAR:
            return Refitted(np.nan, np.nan)
        return Refitted(float(theta[place]), float(np.sqrt(inverse[place, place])))

    def _on_instances(self, weight: Floats, kind: int) -> int:
        """Return the number of instances on which cells of one kind have a weight."""
        cells, (judge, generator) = self.point.strata.cells, np.nonzero(self.masks[kind])
        instances: list[Ints] = []
        for j, g in zip(judge, generator, strict=True):
            of = slice(*self.point.strata.cell_ends[g : g + 2])
            instances.append(cells.instance[of][cells.present[of, j] & (weight[of] > 0)])
        return len(np.unique(np.concatenate(instances)))

    def log_odds(self, judged: Bools, *, errors: bool) -> LogOdds:
        """Return the log-odds of each mask; `judged` (judges, generators) says where there are verdicts."""
        is_term, freedom, why = self.place >= 0, self._instances - 1, list(self.why)
        estimate, se = (np.full(len(self.place), np.nan) for _ in range(2))
        estimate[is_term] = self.theta[self.place[is_term]]
        if errors:
            se[is_term] = self._deleted_errors[self.place[is_term]]
        present, loose = np.asarray((self.masks & judged).any(axis=(1, 2))), self.loose(errors=errors)
        for n in range(len(why)):
            if not present[n]:
                why[n] = "absent"
            elif is_term[n] and loose[self.place[n]]:
                why[n] = "not_identified"
            elif is_term[n] and abs(estimate[n]) > _FAR:
                why[n] = "separated"
            elif is_term[n] and freedom[n] < 1:
                why[n] = "single_instance"
            elif is_term[n] and errors and not se[n] > 0:
                why[n] = "hangs_on_one_instance"
            if why[n] is not None:
                estimate[n] = se[n] = np.nan
        return LogOdds(estimate, se, np.maximum(freedom, 0), tuple(why))

    @cached_property
    def _instances(self) -> Ints:
        """The instances with a cell of each kind on which verdicts differ and the judge has a verdict."""
        cells = self.point.strata.cells
        kind, judge, generator = _marks(self.masks)
        cell, starts = members(self.point.strata.cell_ends, generator)
        kind, judge = (np.repeat(part, np.diff(starts)) for part in (kind, judge))
        present = cells.present[cell, judge]
        on = np.zeros((len(self.masks), self.n_instances), dtype=bool)
        on[kind[present], cells.instance[cell[present]]] = True
        return np.asarray(on.sum(axis=1))

    @cached_property
    def _cell_residuals(self) -> Floats:
        strata = self.point.strata
        return strata.cells.weighted(strata.cells.favourable - self.point.chances[strata.row])

    @cached_property
    def _scores(self) -> Floats:
        """The score of each instance, X' (y - p), shape (instances, terms)."""
        return self._by_instance(self._cell_residuals)

    @cached_property
    def _elsewhere(self) -> tuple[Ints, Ints]:
        """The cell and the column of every mark that the design has `elsewhere`."""
        column, generator = self.design.elsewhere
        cell, starts = members(self.point.strata.cell_ends, generator)
        return cell, np.repeat(column, np.diff(starts))

    def _by_instance(self, values: Floats) -> Floats:
        """Return X' values by instance, for values of shape (cells, judges)."""
        instance, design, (cell, column) = self.point.strata.cells.instance, self.design, self._elsewhere
        totals = np.zeros((self.n_instances, len(design.term)))
        np.add.at(totals, (instance[cell], column), values[cell, design.judge[column]])
        of_judge, bases = sum_by(instance, values, self.n_instances), design.bases
        totals[:, :bases] = of_judge[:, design.judge[:bases]]
        return design.pool(totals.T).T

    def _times_information(self, x: Floats) -> Floats:
        """Return X' Cov(verdicts) X x of each instance, for its row of x: shape (instances, terms)."""
        cells, design, (cell, column) = self.point.strata.cells, self.design, self._elsewhere
        of_judge = np.zeros((self.n_instances, design.judges))
        of_judge[:, design.judge[: design.bases]] = x[:, : design.bases]
        v = of_judge[cells.instance]
        np.add.at(v, (cell, design.judge[column]), x[cells.instance[cell], design.term[column]])
        return self._by_instance(cells.weighted(self.pairs.times_covariance(v)))

    @cached_property
    def _deleted_errors(self) -> Floats:
        """The CR3 sandwich: the root of (n - 1) / n times the sum of x_i^2, the changes without instance i.

        Each x_i solves (H - H_i) x_i = u_i, with information H and scores u, by conjugate gradients for all
        instances at once, preconditioned by H.
        """
        x = np.zeros_like(self._scores)
        r = self._scores.copy()
        z = r @ self.inverse
        p, rz = z.copy(), (r * z).sum(axis=1)
        goal = _SOLVED**2 * np.maximum(rz, 0.0)
        for _ in range(_MOST_SOLVING):
            if not (rz > goal).any():
                break
            hp = p @ self.information - self._times_information(p)
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

    def placebos(self, mask: Bools) -> tuple[Floats, Floats]:
        """Return the one-step log-odds of a further term for each (judge, generator), and its error.

        With u_i and H the score of instance i and the information of the model's terms, U_i and I those of
        the further one, and C the information between them: the efficient score E_i = U_i - C' H^-1 u_i has
        the information J = I - C' H^-1 C; the estimate is sum E_i / J, its error sqrt(sum E_i^2) / J. A
        judge whose verdicts on all of these are alike has no finite strictness, and none.
        """
        strata, cells = self.point.strata, self.point.strata.cells
        theta, se = (np.full(mask.shape, np.nan) for _ in range(2))
        mask = mask & ~self._alike(mask)[:, None]
        if not mask.any():
            return theta, se
        steps = self._scores @ self.inverse
        for g, (first, last) in enumerate(pairwise(strata.cell_ends)):
            if first == last or not mask[:, g].any():
                continue
            covariance = self.pairs.covariance(g)
            alone = np.diag(covariance)
            near = self.design.on[:, g]
            term, c = self.design.term[near], covariance[self.design.judge[near]]
            information = alone - self._quadratic(term, c)
            efficient = -steps[:, term] @ c
            instance = cells.instance[first:last]
            starts = np.flatnonzero(np.diff(instance, prepend=-1))
            efficient[instance[starts]] += np.add.reduceat(self._cell_residuals[first:last], starts)
            score, squares = efficient.sum(axis=0), (efficient**2).sum(axis=0)
            enough = mask[:, g] & (information > _RANK * np.maximum(alone, 1e-12) * 1e3) & (squares > 0)
            theta[enough, g] = score[enough] / information[enough]
            se[enough, g] = np.sqrt(squares[enough]) / information[enough]
        return theta, se

    def _alike(self, mask: Bools) -> Bools:
        """Return whose verdicts on the marked generators are all alike, shape (judges,)."""
        strata = self.point.strata
        verdicts = strata.count[:, None] * strata.present
        judged = (sum_by(strata.generator, verdicts, strata.n_generators).T * mask).sum(axis=1)
        credited = (strata.favourable.T * mask).sum(axis=1)
        return np.asarray((credited == 0) | (credited == judged))

    def _quadratic(self, term: Ints, c: Floats) -> Floats:
        """Return the diagonal of C' H^-1 C, from the rows `c` of C that are not 0, those of `term`.

        The judges' intercepts come first: there H^-1 is T + T', T triangular, and 2 C' T C is faster.
        """
        own, near = slice(self.design.bases), slice(self.design.bases, None)
        of_near = self.inverse[term[near]]
        of_bases = (c[own] * dtrmm(2.0, self._half, c[own].T, side=1, lower=1, trans_a=1).T).sum(axis=0)
        towards = 2 * of_near[:, own] @ c[own] + of_near[:, term[near]] @ c[near]
        return np.asarray(of_bases + (c[near] * towards).sum(axis=0), dtype=np.float64)

    @cached_property
    def _half(self) -> Floats:
        own = self.inverse[: self.design.bases, : self.design.bases]
        return np.asfortranarray(np.tril(own) - np.diag(np.diag(own)) / 2)


def _without_separated(verdicts: Verdicts, masks: Bools) -> tuple[Verdicts, Bools, list[str | None]]:
    """Drop what a term would fit exactly; return the cells left, judges with a term, and reasons for none."""
    why: list[str | None] = [None] * len(masks)
    shape = masks.shape[1:]
    kind, *marked = _marks(masks)
    excluded = np.zeros(shape, dtype=bool)
    while True:
        judged = _judged(verdicts, shape)
        credited = sum_by(verdicts.generator, verdicts.favourable, shape[1]).T
        dropped = np.zeros(shape, dtype=bool)
        number, favourable = (np.bincount(kind, of[*marked], len(masks)) for of in (judged, credited))
        for n in np.flatnonzero((favourable == 0) | (favourable == number)):
            if why[n] is None:
                why[n] = "verdicts_all_alike" if number[n] else "verdicts_agree"
                dropped |= masks[n]
        alike = (credited.sum(axis=1) == 0) | (credited.sum(axis=1) == judged.sum(axis=1))
        dropped |= alike[:, None]
        if not (dropped & ~excluded).any():
            return verdicts, ~alike, why
        excluded |= dropped
        verdicts = verdicts.without(excluded)


def _start(strata: Strata, design: _Design) -> Floats:
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
        return np.clip(score / np.maximum(information, _RANK), -_STRIDE, _STRIDE)

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


def _newton(
    strata: Strata, design: _Design, theta: Floats | None = None, close: float = _CLOSE
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
        if np.abs(theta).max() > 3 * _FAR:
            break
    return theta, information


def _solve(information: Floats, score: Floats) -> Floats:
    """Return the inverse information times the score, by Cholesky unless it is nearly singular."""
    scale = np.sqrt(np.maximum(np.diag(information), np.finfo(np.float64).tiny))
    with suppress(np.linalg.LinAlgError):
        factor = np.linalg.cholesky(information / np.outer(scale, scale))
        if (np.diag(factor) ** 2).min(initial=1.0) >= _FIRM:
            return np.asarray(cho_solve((factor, True), score / scale) / scale)
    return np.asarray(_invert(information)[0] @ score)


def _invert(information: Floats) -> tuple[Floats, Bools]:
    """Return the inverse, or else the pseudo-inverse, and which terms are then not identified."""
    if not len(information):  # LAPACK would print an error
        return information, np.zeros(0, dtype=bool)
    scale = np.sqrt(np.maximum(np.diag(information), 0))
    scale = np.where(scale > 0, scale, 1.0)
    scaled = information / np.outer(scale, scale)
    with suppress(LinAlgError):
        lower, _ = dpotri(cho_factor(scaled, lower=True)[0], lower=True)
        inverse = np.tril(lower) + np.tril(lower, -1).T
        if len(scaled) * np.trace(inverse) < 1 / _RANK:  # the size bounds the largest eigenvalue,
            return inverse / np.outer(scale, scale), np.zeros(len(scaled), dtype=bool)  # the trace the least
    values, vectors = np.linalg.eigh(scaled)
    good = values > _RANK * max(float(values.max(initial=0.0)), 1e-300)
    inverse = (vectors[:, good] / values[good]) @ vectors[:, good].T / np.outer(scale, scale)
    return inverse, np.asarray((vectors[:, ~good] ** 2).sum(axis=1) > 1e-6)
