"""The fitted conditional model: its estimates with their errors, fits that begin at it, and placebos."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.linalg.blas import dtrmm

from engine.stats import Bools, Floats, Ints
from engine.stats.conditional.conditional_likelihood import Point
from engine.stats.conditional.conditional_steps import CLOSE, RANK, invert, newton
from engine.stats.conditional.pair_chances import PairChances
from engine.stats.conditional.separated_verdicts import without_separated
from engine.stats.conditional.strata import Strata, Verdicts, members, sum_by
from engine.stats.conditional.term_columns import FAR, Beginning, TermColumns, marks
from engine.stats.intervals.jackknife import Estimates

CLOSE_ENOUGH = 2e-2  # of fits that only say how much of an estimate is left: a further step gains far less
_CLOSE_AGAIN = 1e-4  # of an estimate from other verdicts: to a hundredth of its error
_SOLVED, _MOST_SOLVING = 1e-6, 60


@dataclass(frozen=True, eq=False)
class LogOdds(Estimates):
    """Log-odds with their standard errors, NaN where `reason` says why.

    `freedom`: the instances that hold a cell of the kind on which verdicts differ, less one.
    """

    reason: tuple[str | None, ...]

    def part(self, which: slice) -> "LogOdds":
        return LogOdds(self.value[which], self.se[which], self.freedom[which], self.reason[which])


@dataclass(frozen=True)
class Refitted:
    """Log-odds, NaN where undefined, and the error that they would have if cells were independent."""

    value: float
    naive_se: float


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted model, whose design has the judges' intercepts first."""

    masks: Bools
    place: Ints  # the term of each mask, -1 for none
    why: list[str | None]  # the reason for each mask that is not a term
    design: TermColumns
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
        start: Beginning | None = None,
        close: float = CLOSE,
    ) -> "FittedModel":
        """Fit a term for each of `masks` (terms, judges, generators), and for each judge but one."""
        verdicts, judges, why = without_separated(verdicts, masks)
        estimable = np.array([reason is None for reason in why], dtype=bool)
        shape = masks.shape[1:]
        base = np.flatnonzero(judges)[1:]
        design = TermColumns.of(base, masks[estimable])
        place = np.where(estimable, len(base) + np.cumsum(estimable) - 1, -1)
        begin = None if start is None else start.theta(judges, estimable)
        strata = Strata.of(verdicts, shape[1])
        theta, before = newton(strata, design, begin, close)
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
        return invert(self.information)

    @property
    def inverse(self) -> Floats:
        return self._inverted[0]

    def loose(self, *, errors: bool) -> Bools:
        """Return which terms are not identified; what takes no `errors` is spared the information."""
        return (self._inverted if errors else invert(self.before))[1]

    @property
    def strictness(self) -> Floats:
        values = np.zeros(self.design.judges)
        values[self.design.judge[: self.design.bases]] = self.theta[: self.design.bases]
        return values

    @property
    def beginning(self) -> Beginning:
        """Where a fit begins that has the same masks."""
        of_masks = np.where(self.place >= 0, self.theta[self.place] if len(self.theta) else 0.0, 0.0)
        return Beginning(self.strictness, of_masks)

    def weighted(self, weight: Floats, kind: int) -> Refitted | None:
        """Return the estimate of one mask with other weights of cells: see `FittedOdds.weighted`."""
        if self._on_instances(weight, kind) < 2:
            return Refitted(np.nan, np.nan)
        strata = self.point.strata
        counts = strata.weighted((weight > 0).astype(np.float64))
        return self._again(strata.weighted(weight), counts, kind, None, CLOSE_ENOUGH)

    def with_rows(self, strata: Strata, kind: int) -> Refitted | None:
        """Return the estimate of one mask from other rows of cells."""
        return self._again(strata, strata, kind, self.beginning, _CLOSE_AGAIN)

    def _again(
        self, strata: Strata, counts: Strata, kind: int, start: Beginning | None, close: float
    ) -> Refitted | None:
        """Return the estimate of one mask from other rows, `counts` saying how many cells they are."""
        shape = self.masks.shape[1:]
        judged = sum_by(counts.generator, counts.count[:, None] * counts.present, shape[1]).T
        credited = counts.favourable.T
        mask, *marked = marks(self.masks)
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
        design = TermColumns.of(base, self.masks[estimable])
        begin = None if start is None else start.theta(judges, estimable)
        theta, information = newton(strata, design, begin, close)
        place = len(base) + int(np.cumsum(estimable)[kind]) - 1
        inverse, loose = invert(information)
        if loose[place] or abs(theta[place]) > FAR:
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
            elif is_term[n] and abs(estimate[n]) > FAR:
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
        kind, judge, generator = marks(self.masks)
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
            enough = mask[:, g] & (information > RANK * np.maximum(alone, 1e-12) * 1e3) & (squares > 0)
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
