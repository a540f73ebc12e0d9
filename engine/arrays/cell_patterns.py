"""Cells with the same generator, judges and number of passes, counted from packed bits (section 19)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.arrays.bitsets import Words
from engine.arrays.joint_verdicts import JointVerdicts
from engine.stats import Bools, Floats, Ints
from engine.stats.conditional_likelihood import Strata, same_sets
from engine.stats.given_and_expected import CellPatterns, OwnCells


@dataclass(frozen=True, eq=False)
class Patterns:
    """All cells of joint verdicts by pattern, and each judge's own and its relatives' that count."""

    cells: CellPatterns
    own: list[OwnCells]
    family: list[OwnCells]


def patterns_of(joint: JointVerdicts) -> Patterns:
    """Count the cells of all generators by pattern, and own cells by what outside judges said of them."""
    masks, judges = joint.masks, len(joint.counted)
    rows: list[_PatternRows] = []
    near: list[dict[int, list[_PatternRows]]] = [{j: [] for j in range(judges)} for _ in range(2)]
    passed = np.zeros((2, judges))
    number = np.zeros((2, judges))
    favourable = np.zeros((joint.counted.shape[1], judges))
    for g in range(joint.counted.shape[1]):
        present, passes = _bits(joint.counted[:, g]), _bits(joint.favourable[:, g])
        judged = present.any(axis=0)
        if not judged.all():
            present, passes = present[:, judged], passes[:, judged]
        favourable[g] = passes.sum(axis=1)
        rows += _grouped(g, present, passes, np.arange(judges))
        for kind, of in enumerate((masks.own, masks.family)):
            for j in np.flatnonzero(of[:, g]).tolist():
                outside = masks.outside[j]
                cells = present[j] & present[outside].any(axis=0)
                if cells.any():
                    near[kind][j] += _grouped(g, present[:, cells], passes[:, cells], np.flatnonzero(outside))
                    passed[kind, j] += passes[j, cells].sum()
                    number[kind, j] += cells.sum()
    given = np.divide(passed, number, out=np.full(passed.shape, np.nan), where=number > 0)
    parts = _PatternRows.together(rows, judges)
    cells_of = CellPatterns(parts.generator, parts.present, parts.credited, parts.count, favourable)
    own, family = (
        [
            OwnCells(**vars(_PatternRows.together(near[kind][j], judges)), given=float(given[kind, j]))
            for j in range(judges)
        ]
        for kind in range(2)
    )
    return Patterns(cells_of, own, family)


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
    anew = _grouped(g, present, passes, np.arange(len(present)))
    rows = _PatternRows.together([before, *anew, after], len(present))
    favourable = cells.favourable.copy()
    favourable[g] = passes.sum(axis=1)
    return Strata.of_rows(rows.generator, rows.present, rows.credited, rows.count, favourable)


@dataclass(frozen=True, eq=False)
class _PatternRows:
    generator: Ints
    present: Bools
    credited: Ints
    count: Floats

    @classmethod
    def together(cls, rows: "list[_PatternRows]", judges: int) -> "_PatternRows":
        nothing = np.zeros(0, dtype=np.int64)
        empty = cls(nothing, np.zeros((0, judges), dtype=bool), nothing, np.zeros(0))
        parts = zip(*(vars(part).values() for part in [empty, *rows]), strict=True)
        return cls(*(np.concatenate(part) for part in parts))


def _bits(words: Words) -> Bools:
    """Return the bits of each row of words, those of no rubric too: they are never set."""
    rows = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(rows, axis=-1, bitorder="little").view(np.bool_)


def _grouped(g: int, present: Bools, passes: Bools, among: Ints) -> Iterator[_PatternRows]:
    """Yield the patterns of one generator's cells, for the verdicts of some judges; both (judges, cells)."""
    judges, (present, passes) = len(present), (part[among] for part in (present, passes))
    with_any = present.any(axis=1)
    credited = passes.sum(axis=0, dtype=np.int64)
    complete = present[with_any].all(axis=0)
    if complete.any():
        counts = np.bincount(credited[complete])
        totals = np.flatnonzero(counts)
        shown = np.zeros((len(totals), judges), dtype=bool)
        shown[:, among[with_any]] = True
        yield _PatternRows(np.full(len(totals), g), shown, totals, counts[totals].astype(np.float64))
    if not complete.all():
        rest, credited = np.ascontiguousarray(present[:, ~complete].T), credited[~complete]
        key = same_sets(rest) * (len(among) + 1) + credited
        _, first, counts = np.unique(key, return_index=True, return_counts=True)
        shown = np.zeros((len(first), judges), dtype=bool)
        shown[:, among] = rest[first]
        yield _PatternRows(np.full(len(first), g), shown, credited[first], counts.astype(np.float64))
