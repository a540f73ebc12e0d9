"""Which verdicts, scores and pairs a judge lacks that others have, and where that is unequal (section 16)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from engine.arrays.bits.bitsets import Words, count
from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.bits.missing_planes import absent_verdicts, missing_verdicts
from engine.arrays.judgment_rows import Failures
from engine.arrays.pairs.judged_pairs import JudgedPairs
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.view import SliceView
from engine.measures.pairs.own_pairs import OwnPairs
from engine.stats import Bools, Floats, Ints
from engine.stats.judges.missing import MissingShares, beyond_chance, larger_by_gap
from engine.stats.outside.outside import FamilyMasks

Whose = Literal["own", "other", "family"]
"""Whose responses: the judge's own, those of other families, or its relatives'."""


class MissingCells(Protocol):
    """The cells of some judgments that each judge judged, and those that it lacks."""

    def shares(self, whose: Whose) -> MissingShares:
        """Return the shares of each judge's cells that are missing and absent."""

    def by_instance(self, judge: int, whose: Whose) -> tuple[Ints, Ints]:
        """Return by instance how many cells a judge lacks, and of how many: (instances,)."""


def unequal(cells: MissingCells, whose: Whose = "own") -> Ints:
    """Return 1 where a judge lacks more own (relatives') cells than others', -1 where fewer, else 0.

    By 2 points or more, and beyond chance by the paired t over instances.
    """
    near, far = cells.shares(whose), cells.shares("other")
    sign = larger_by_gap(near, far).astype(np.int64) - larger_by_gap(far, near)
    for judge in np.flatnonzero(sign).tolist():
        if not beyond_chance(*cells.by_instance(judge, whose), *cells.by_instance(judge, "other")):
            sign[judge] = 0
    return sign


@dataclass(frozen=True, eq=False)
class MissingVerdicts:
    """Rubric verdicts of one truth: `missing` those asked about without a verdict, `absent` without a row."""

    joint: JointVerdicts
    missing: Words
    absent: Words

    @classmethod
    def of(cls, view: SliceView, joint: JointVerdicts, truth: str) -> "MissingVerdicts":
        return cls(joint, missing_verdicts(view, truth), absent_verdicts(view, joint, truth))

    @cached_property
    def cells(self) -> Words:
        """All that a judge lacks."""
        return self.missing | self.absent

    def filled(self, of: Bools, *, favourable: bool) -> JointVerdicts:
        """Return the verdicts with those lacking filled in for the (judges, generators) marked in `of`."""
        return self.joint.impute(of, self.cells, favourable=favourable)

    @cached_property
    def _numbers(self) -> list[Ints]:
        """How many cells each judge judged, and how many are missing and absent: (judges, generators)."""
        return [count(plane) for plane in (self.joint.counted, self.missing, self.absent)]

    def shares(self, whose: Whose) -> MissingShares:
        of = getattr(self.joint.masks, whose)
        return MissingShares.of(*((number * of).sum(axis=1) for number in self._numbers))

    def by_instance(self, judge: int, whose: Whose) -> tuple[Ints, Ints]:
        of, layout = getattr(self.joint.masks, whose)[judge], self.joint.layout
        lacking, judged = (
            np.asarray(layout.count_by_instance(plane[judge, of]).sum(axis=0), dtype=np.int64)
            for plane in (self.cells, self.joint.counted)
        )
        return lacking, lacking + judged


@dataclass(frozen=True, eq=False)
class MissingScores:
    """Scores of responses: three masks of shape (judges, generators, instances)."""

    masks: FamilyMasks
    scored: Bools
    missing: Bools
    absent: Bools

    @classmethod
    def of(cls, view: SliceView) -> "MissingScores":
        """Find the responses with a judgment and no score, and those that only other judges have scored."""
        cube, scores, masks = view.cube, view.scored.judge.values, family_masks(view)
        requested = np.zeros((len(cube.judges), len(cube.generators), scores.shape[2]), dtype=bool)
        failures = cube.failures
        if isinstance(failures, Failures):
            requested[failures.judge, failures.generator, failures.place] = True
        cells = np.asarray(view.kept_cells)
        shown = cells if len(cells) == 1 else cells[view.columns]
        scored = ~np.isnan(scores)
        missing = requested[np.ix_(view.rows, view.columns)] & shown & ~scored
        requested = scored | missing
        absent = ~requested & requested.any(axis=1, keepdims=True) & scored.any(axis=0) & shown
        for j, g in zip(*np.nonzero(~masks.other), strict=True):
            absent[j, g] &= scored[masks.outside[j], g].any(axis=0)
        return cls(masks, scored, missing, absent)

    @cached_property
    def cells(self) -> Bools:
        """All that a judge lacks."""
        return self.missing | self.absent

    def filled(self, scores: Floats, of: Bools, *, favourable: bool) -> Floats:
        """Return the scores with those lacking set to the highest or the lowest, where `of` marks them."""
        return np.where(self.cells & of[..., None], float(favourable), scores)

    def shares(self, whose: Whose) -> MissingShares:
        of = getattr(self.masks, whose)
        parts = (self.scored, self.missing, self.absent)
        return MissingShares.of(*((part.sum(axis=-1) * of).sum(axis=1) for part in parts))

    def by_instance(self, judge: int, whose: Whose) -> tuple[Ints, Ints]:
        of = getattr(self.masks, whose)[judge]
        lacking = self.cells[judge, of].sum(axis=0)
        return lacking, lacking + self.scored[judge, of].sum(axis=0)


@dataclass(frozen=True, eq=False)
class MissingPairs:
    """Pairs: those with an outcome, those asked without one, and those that only other judges judged."""

    pairs: OwnPairs
    instances: int

    def _of(self, whose: Whose) -> tuple[JudgedPairs, JudgedPairs, JudgedPairs]:
        return self.pairs.own if whose == "own" else self.pairs.other

    def shares(self, whose: Whose) -> MissingShares:
        judges = len(self.pairs.tie_share)
        if whose == "family":
            nothing = np.full(judges, np.nan)
            return MissingShares(nothing, nothing)
        return MissingShares.of(*(np.bincount(part.row, minlength=judges) for part in self._of(whose)))

    def by_instance(self, judge: int, whose: Whose) -> tuple[Ints, Ints]:
        judged, missing, absent = (
            np.bincount(part.instance[part.row == judge], minlength=self.instances)
            for part in self._of(whose)
        )
        return missing + absent, judged + missing + absent
