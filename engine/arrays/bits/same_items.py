"""A judge's odds among answers to the same criteria: those on which its verdict on its own counts."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.arrays.bits.bitsets import count
from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.one_thread import one_thread
from engine.stats import Bools, Floats, Ints
from engine.stats.conditional.conditional_logit import FittedOdds, fit_odds, fit_with_model
from engine.stats.conditional.conditional_model import Refitted
from engine.stats.conditional.strata import Verdicts
from engine.stats.outside.outside import FamilyMasks

MOST_TOGETHER = 20
"""Judges up to which all enter a fit that is made for each judge; with 200 it would take minutes."""
_MOST_KEPT = 20


@dataclass(frozen=True, eq=False)
class _BesideJudge:
    """The verdicts of some judges, the `rows`, on rubrics on which the one at `place` judged its own.

    `near` and `far` (generators,) are its own (or its relatives') responses and those of other families. In
    `cells` all generators to which none of these judges is related stand for one.
    """

    cells: Verdicts
    masks: FamilyMasks
    rows: Ints
    place: int
    near: Bools
    far: Bools

    def balanced(self, cells: Verdicts) -> Floats:
        """Return the weights of `_balanced` of some of these cells."""
        rubric, of = cells.rubric, cells.generator
        assert rubric is not None  # noqa: S101 - `JointVerdicts.verdicts` sets it
        return _balanced(rubric, self.near[of], self.far[of], cells.present[:, self.place])


def _balanced(rubric: Ints, near: Bools, far: Bools, judged: Bools) -> Floats:
    """Return weights with which on each rubric the `judged` cells that are `far` count like those `near`.

    All arguments have an entry for each cell. Cells of neither kind, and rubrics without both, have none.
    """
    near_cells, far_cells = (np.bincount(rubric, judged & of) for of in (near, far))
    share = np.divide(near_cells, far_cells, out=np.zeros_like(near_cells), where=far_cells > 0)[rubric]
    return np.asarray(np.where(near, share > 0, share * far), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class SameItems:
    """The odds of judges on the criteria on which their verdicts on their own answers count."""

    joint: JointVerdicts

    def odds(
        self, judge: int, *, family: bool = False, balanced: bool = False, errors: bool = True
    ) -> tuple[float, float]:
        """Return a judge's log-odds and their p on the rubrics on which its verdict on its own counts.

        With `family`, those of its relatives' responses. If `balanced`, all responses of other families to a
        rubric together weigh as much as those, so that leniency on some rubrics, whoever answers, cancels.
        Beyond MOST_TOGETHER judges, it is held against the outside judges with the most verdicts there.
        Without `errors` p is NaN, which saves most of the time.
        """
        same = self._beside(judge, family)
        cells = same.cells
        if balanced:
            weight = same.balanced(cells)
            cells = replace(cells, weight=weight).select(weight > 0)
        with one_thread():
            odds = fit_odds(
                cells,
                same.masks.own,
                same.masks.family,
                errors=errors,
                pooled=False,
                placebos=False,
            )
        number = odds.family if family else odds.own
        return float(number.value[same.place]), float(number.p()[same.place])

    def odds_left(self, judge: int, *, family: bool, balanced: bool) -> Refitted:
        """Return the log-odds of `odds` from the fit of all cells, weighing these anew.

        Beyond MOST_TOGETHER judges, or where a fit must begin anew, without an error.
        """
        if len(self.joint.counted) > MOST_TOGETHER:
            refitted = self._left_of_some(judge, family=family, balanced=balanced)
        else:
            near, far = self._near(judge, family), self.joint.masks.other[judge]
            cells = self.joint.fitted.model.point.strata.cells
            rubric = cells.rubric
            assert rubric is not None  # noqa: S101 - `verdicts` sets it
            items = self.joint.layout.unpack(np.bitwise_or.reduce(self.joint.counted[judge, near], axis=0))
            weight = items[rubric].astype(np.float64)
            if balanced:
                of = cells.generator
                weight *= _balanced(rubric, near[of] & items[rubric], far[of], cells.present[:, judge])
            with one_thread():
                refitted = self.joint.fitted.weighted(weight, judge + len(self.joint.counted) * family)
        if refitted is None:
            value, _ = self.odds(judge, family=family, balanced=balanced, errors=False)
            return Refitted(value, np.nan)
        return refitted

    def _left_of_some(self, judge: int, *, family: bool, balanced: bool) -> Refitted | None:
        """Return the log-odds beside some judges, from a fit to their verdicts alone."""
        if (judge, family) not in self._fitted:
            if len(self._fitted) >= _MOST_KEPT:
                self._fitted.clear()
            same = self._beside(judge, family)
            with one_thread():
                fitted = fit_with_model(
                    same.cells,
                    same.masks.own,
                    same.masks.family,
                    errors=False,
                    pooled=False,
                    placebos=False,
                    rough=True,
                )
            self._fitted[judge, family] = same, fitted
        same, fitted = self._fitted[judge, family]
        if not balanced:
            odds = fitted.odds.family if family else fitted.odds.own
            return Refitted(float(odds.value[same.place]), np.nan)
        weight = same.balanced(fitted.model.point.strata.cells)
        with one_thread():
            refitted = fitted.weighted(weight, same.place + len(same.rows) * family)
        return None if refitted is None else replace(refitted, naive_se=np.nan)

    @cached_property
    def _fitted(self) -> dict[tuple[int, bool], tuple[_BesideJudge, FittedOdds]]:
        """The fits beside some judges, of a few judges at a time: weighing their cells anew begins there."""
        return {}

    def _beside(self, judge: int, family: bool) -> _BesideJudge:
        """Return the verdicts on the rubrics on which a judge's verdict on its own (relatives') counts."""
        joint, of, near = self.joint, self.joint.masks, self._near(judge, family)
        items = np.bitwise_or.reduce(joint.counted[judge, near], axis=0)
        rows = np.arange(len(joint.counted))
        if len(rows) > MOST_TOGETHER:
            cells = np.where(of.outside[judge], count(joint.counted & items).sum(axis=1), -1)
            rows = np.union1d(np.argsort(-cells, kind="stable")[: MOST_TOGETHER - 1], [judge])
        outside = of.outside[np.ix_(rows, rows)]
        masks = FamilyMasks(of.own[rows], of.family[rows], of.other[rows], outside, of.unrelated)
        counted, favourable = joint.counted[rows] & items, joint.favourable[rows] & items
        same = replace(joint, counted=counted, favourable=favourable, masks=masks).verdicts
        strangers = np.asarray(masks.other.all(axis=0))
        # The model, which conditions quality out, tells none of these apart: as one they take fewer rows.
        generator = np.where(strangers[same.generator], strangers.argmax(), same.generator)
        place = int(np.flatnonzero(rows == judge)[0])
        answers = replace(same, generator=generator)
        return _BesideJudge(answers, masks, rows, place, near, of.other[judge])

    def _near(self, judge: int, family: bool) -> Bools:
        """Return the generators that are the judge itself, or its relatives."""
        masks = self.joint.masks
        return np.asarray((masks.family if family else masks.own)[judge])

    def cells_together(self, judge: int, *, family: bool) -> float:
        """Return how many own (relatives') cells of a judge share an instance, the mean over cells."""
        cells = self.joint.counted[judge, self._near(judge, family)]
        counts = self.joint.in_clusters(self.joint.layout.count_by_instance(cells).sum(axis=0))
        return float((counts.astype(np.float64) ** 2).sum() / max(counts.sum(), 1))
