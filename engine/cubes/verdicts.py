"""Rubric verdicts as packed bits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import StudyIndex
from engine.cubes.rows import OK, Failures, Rows, Selection, first_of_each, read_rows
from engine.cubes.stored import Packed
from engine.metrics.majority import majority
from engine.packing import Words
from engine.schema import STATUSES
from engine.store import StudyFiles

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class VerdictCube:
    """The verdicts of one selection: two planes of shape (judges, generators, words).

    `met` says what the judge found, `ok` whether there is a verdict at all (met is unset where there is
    none). `judges` and `generators` hold the models' positions, ascending.
    """

    judges: Ints
    generators: Ints
    met: Words
    ok: Words
    failures: Failures


def read_verdicts(files: StudyFiles, index: StudyIndex, selection: Selection) -> VerdictCube:
    """Read and pack the verdicts of one selection; repeats are merged as it says."""
    rows = read_rows(files, index, selection, ("rubric_id", "met"))
    rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
    judges, generators = np.unique(rows.judge), np.unique(rows.generator)
    shape = (len(judges), len(generators), index.n_rubrics)
    where = (np.searchsorted(judges, rows.judge), np.searchsorted(generators, rows.generator))
    cell = (where[0] * shape[1] + where[1]) * shape[2] + rubric
    met, ok, merged = _settle(cell, rows, selection, int(np.prod(shape)))
    failed = np.flatnonzero(rows.status != OK)
    return VerdictCube(
        judges=judges,
        generators=generators,
        met=_pack(index, met.reshape(shape)),
        ok=_pack(index, ok.reshape(shape)),
        failures=_failures(cell[failed], rows.status[failed], merged, shape),
    )


def pack(cube: VerdictCube) -> Packed:
    """Return what is kept of a cube."""
    failures = cube.failures
    codes = sorted(set(failures.code))
    arrays = {
        "judges": cube.judges,
        "generators": cube.generators,
        "met": cube.met,
        "ok": cube.ok,
        "failed_judge": failures.judge,
        "failed_generator": failures.generator,
        "failed_place": failures.place,
        "failed_code": np.searchsorted(np.array(codes, dtype=str), failures.code.astype(str)),
        "failed_count": failures.count,
    }
    return Packed(arrays, {"codes": codes})


def unpack(index: StudyIndex, packed: Packed) -> VerdictCube:
    """Return the cube that was kept; raises ValueError or LookupError where it is not one of this study."""
    arrays, codes = packed.arrays, np.array(packed.facts["codes"], dtype=object)
    judges, generators = arrays["judges"], arrays["generators"]
    shape = (len(judges), len(generators), index.layout.n_words)
    places = np.concatenate([judges, generators])
    if arrays["met"].shape != shape or arrays["ok"].shape != shape or (places >= len(index.models)).any():
        raise ValueError(f"it has the shape {arrays['met'].shape}, the study {shape}")
    return VerdictCube(
        judges=judges,
        generators=generators,
        met=arrays["met"],
        ok=arrays["ok"],
        failures=Failures(
            arrays["failed_judge"],
            arrays["failed_generator"],
            arrays["failed_place"],
            codes[arrays["failed_code"]],
            arrays["failed_count"],
        ),
    )


def _settle(
    cell: Ints, rows: Rows, selection: Selection, size: int
) -> tuple[Bools, Bools, tuple[Ints, Ints]]:
    """Return met and ok for every cell, and the cells with repeats, with the rows that they lost."""
    good = np.flatnonzero(rows.status == OK)
    cell, yes = cell[good], rows.number("met")[good] == 1
    met, ok = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    ok[cell] = True
    if np.count_nonzero(ok) == len(cell):
        met[cell] = yes
        return met, ok, (cell[:0], cell[:0])
    places, votes = np.unique(cell, return_counts=True)
    if selection.repeats == "first":
        kept = first_of_each(cell, rows.trial[good])
        met[cell[kept]] = yes[kept]
    else:
        ayes = np.bincount(np.searchsorted(places, cell), weights=yes, minlength=len(places))
        met[places], ok[places] = majority(ayes, votes)
    lost = votes - ok[places]  # of repeats that are divided, all
    return met, ok, (places[lost > 0], lost[lost > 0])


def _pack(index: StudyIndex, dense: Bools) -> Words:
    packed = np.empty((*dense.shape[:2], index.layout.n_words), dtype=np.uint64)
    for target, values in zip(packed, dense, strict=True):
        target[:] = index.layout.pack(values)
    return packed


def _failures(cell: Ints, status: Ints, merged: tuple[Ints, Ints], shape: tuple[int, int, int]) -> Failures:
    places, lost = merged
    judge, generator, rubric = np.unravel_index(np.concatenate([cell, places]), shape)
    codes = [np.array(STATUSES, dtype=object)[status], np.full(len(places), "merged", dtype=object)]
    count = np.concatenate([np.ones(len(cell), dtype=np.int64), lost])
    return Failures(judge, generator, rubric, np.concatenate(codes), count)
