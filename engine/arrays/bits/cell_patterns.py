"""Cells with the same generator, judges and number of passes, counted from packed bits (section 19)."""

from dataclasses import dataclass, replace

import numpy as np

from engine.arrays.bits.bitsets import Words
from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.stats import Bools, Floats, Ints
from engine.stats.conditional.counted_cells import CellPatterns, OwnCells
from engine.stats.conditional.strata import Strata, members, same_sets
from engine.stats.outside.outside import blocks


@dataclass(frozen=True, eq=False)
class Patterns:
    """All cells of joint verdicts by pattern, and each judge's own and its relatives' that count."""

    cells: CellPatterns
    own: list[OwnCells]
    family: list[OwnCells]


def patterns_of(joint: JointVerdicts) -> Patterns:
    """Count the cells of all generators by pattern, and own cells by what outside judges said of them."""
    masks, (judges, generators, words) = joint.masks, joint.counted.shape
    rows: list[_PatternRows] = []
    near = _NearRows(judges), _NearRows(judges)
    favourable = np.zeros((generators, judges))
    for part in blocks(generators, judges * words * 64):
        planes = _bits(joint.counted[:, part]), _bits(joint.favourable[:, part])
        generator, cell = np.nonzero(planes[0].any(axis=0))
        present, passes = (np.ascontiguousarray(plane[:, generator, cell].T) for plane in planes)
        generator += part.start
        favourable[part] = planes[1].sum(axis=2).T
        rows.append(_grouped(generator, present, passes.sum(axis=1, dtype=np.int64)))
        ends = np.searchsorted(generator, np.arange(generators + 1))
        for of, among in zip((masks.own, masks.family), near, strict=True):
            judge, column = np.nonzero(of[:, part])
            among.add(judge, column + part.start, ends, masks.outside, present, passes)
    cells = _PatternRows.together(rows, judges)
    patterns = CellPatterns(cells.owner, cells.present, cells.credited, cells.count, favourable)
    own, family = (among.of_judges() for among in near)
    return Patterns(patterns, own, family)


def rows_with_generator(cells: CellPatterns, joint: JointVerdicts, g: int) -> Strata:
    """Return the rows of all cells for a fit, those of one generator counted anew from other verdicts."""
    present, passes = _bits(joint.counted[:, g]), _bits(joint.favourable[:, g])
    judged = present.any(axis=0)
    present, passes = present[:, judged], passes[:, judged]
    first, last = cells.ends[g : g + 2]
    before, after = (
        _PatternRows(cells.generator[where], cells.present[where], cells.credited[where], cells.count[where])
        for where in (slice(None, first), slice(last, None))
    )
    anew = _grouped(np.full(present.shape[1], g), present.T, passes.sum(axis=0, dtype=np.int64))
    rows = _PatternRows.together([before, anew, after], len(present))
    favourable = cells.favourable.copy()
    favourable[g] = passes.sum(axis=1)
    return Strata.of_rows(rows.owner, rows.present, rows.credited, rows.count, favourable)


@dataclass(frozen=True, eq=False)
class _PatternRows:
    """Patterns of the cells of some owners: generators, or pairs of a judge and a generator."""

    owner: Ints
    present: Bools
    credited: Ints
    count: Floats

    @classmethod
    def together(cls, rows: "list[_PatternRows]", judges: int) -> "_PatternRows":
        nothing = np.zeros(0, dtype=np.int64)
        empty = cls(nothing, np.zeros((0, judges), dtype=bool), nothing, np.zeros(0))
        parts = zip(*(vars(part).values() for part in [empty, *rows]), strict=True)
        return cls(*(np.concatenate(part) for part in parts))


class _NearRows:
    """The patterns of each judge's own (or its relatives') cells among outside judges, as they add up."""

    def __init__(self, judges: int) -> None:
        self._judge: list[Ints] = [np.zeros(0, dtype=np.int64)]
        self._rows: list[_PatternRows] = []
        self._passed, self._number = np.zeros(judges), np.zeros(judges)

    def add(
        self, judge: Ints, generator: Ints, ends: Ints, outside: Bools, present: Bools, passes: Bools
    ) -> None:
        """Add the cells of pairs of a judge and a generator; those of a generator are between two `ends`.

        `present` and `passes` have shape (cells, judges), `outside` (judges, judges).
        """
        judges = len(self._number)
        cell, starts = members(ends, generator)
        pair = np.repeat(np.arange(len(judge)), np.diff(starts))
        among = present[cell] & outside[judge[pair]]
        counted = present[cell, judge[pair]] & among.any(axis=1)
        pair, cell, among = pair[counted], cell[counted], among[counted]
        rows = _grouped(pair, among, (passes[cell] & among).sum(axis=1, dtype=np.int64))
        self._judge.append(judge[rows.owner])
        self._rows.append(replace(rows, owner=generator[rows.owner]))
        self._passed += np.bincount(judge[pair], passes[cell, judge[pair]], judges)
        self._number += np.bincount(judge[pair], minlength=judges)

    def of_judges(self) -> list[OwnCells]:
        """Return the cells of each judge, by generator."""
        judges, judge = len(self._number), np.concatenate(self._judge)
        rows = _PatternRows.together(self._rows, judges)
        order = np.argsort(judge, kind="stable")
        ends = np.searchsorted(judge[order], np.arange(judges + 1))
        given = np.divide(self._passed, self._number, out=np.full(judges, np.nan), where=self._number > 0)
        return [
            OwnCells(rows.owner[of], rows.present[of], rows.credited[of], rows.count[of], share)
            for of, share in zip(np.split(order, ends[1:-1]), given.tolist(), strict=True)
        ]


def _bits(words: Words) -> Bools:
    """Return the bits of each row of words, those of no rubric too: they are never set."""
    rows = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(rows, axis=-1, bitorder="little").view(np.bool_)


def _grouped(owner: Ints, present: Bools, credited: Ints) -> _PatternRows:
    """Return the patterns of cells, (cells,) and (cells, judges), by owner; those of an owner are together.

    On most cells all of an owner's judges have verdicts; these are counted without being sorted.
    """
    totals, first = present.shape[1] + 1, np.flatnonzero(np.diff(owner, prepend=-1))
    if not len(owner):
        return _PatternRows.together([], present.shape[1])
    place = np.cumsum(np.bincount(first, minlength=len(owner))) - 1
    everyone = np.logical_or.reduceat(present, first, axis=0)
    complete = (present == everyone[place]).all(axis=1)
    counts = np.bincount(place[complete] * totals + credited[complete])
    key = np.flatnonzero(counts)
    which = key // totals
    parts = [_PatternRows(owner[first[which]], everyone[which], key % totals, counts[key].astype(np.float64))]
    if not complete.all():
        rest = np.flatnonzero(~complete)
        sets = same_sets(present[rest])
        key = (place[rest] * (sets.max() + 1) + sets) * totals + credited[rest]
        _, at, counts = np.unique(key, return_index=True, return_counts=True)
        at = rest[at]
        parts.append(_PatternRows(owner[at], present[at], credited[at], counts.astype(np.float64)))
    rows = _PatternRows.together(parts, present.shape[1])
    order = np.argsort(rows.owner, kind="stable")
    return _PatternRows(*(part[order] for part in vars(rows).values()))
