"""Rubric verdicts as packed bits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import StudyIndex
from engine.cubes.reading import Batch, JudgeVerdicts, Votes
from engine.cubes.rows import Failures, Selection, row_batches
from engine.cubes.stored import Packed, Stored
from engine.packing import Words
from engine.store import StudyFiles

Ints = NDArray[np.int64]


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


_COLUMNS = ("rubric_id", "met")


def read_verdicts(files: StudyFiles, index: StudyIndex, selection: Selection) -> VerdictCube:
    """Read and pack the verdicts of one selection; repeats are merged as it says."""
    found: dict[int, JudgeVerdicts] = {}
    for rows in row_batches(files, index, selection, _COLUMNS):
        for batch in Batch.of_each_judge(index, rows):
            if batch.judge not in found:
                found[batch.judge] = JudgeVerdicts(index)
            found[batch.judge].add(batch)
    _settle(files, index, selection, found)
    return _packed(index, found)


def kept_verdicts(
    stored: Stored,
    files: StudyFiles,
    index: StudyIndex,
    selection: Selection,
    read: Callable[[StudyFiles, StudyIndex, Selection], VerdictCube] = read_verdicts,
) -> VerdictCube:
    """Return the verdicts of one selection as they are kept beside the study, else as `read` reads them."""
    return stored.kept(
        name_of(selection), lambda: read(files, index, selection), pack, partial(unpack, index)
    )


def name_of(selection: Selection) -> str:
    """Return the name under which the verdicts of a selection are kept."""
    return f"verdicts {selection!r}"


def pack(cube: VerdictCube) -> Packed:
    """Return what is kept of a cube."""
    failures = cube.failures
    codes = sorted(set(failures.code))
    failed = {
        "failed_judge": failures.judge,
        "failed_generator": failures.generator,
        "failed_place": failures.place,
        "failed_code": np.searchsorted(np.array(codes, dtype=str), failures.code.astype(str)),
        "failed_count": failures.count,
    }
    arrays = {"judges": cube.judges, "generators": cube.generators, "met": cube.met, "ok": cube.ok}
    return Packed(arrays | {name: _narrow(values) for name, values in failed.items()}, {"codes": codes})


def _narrow(values: Ints) -> NDArray[np.unsignedinteger]:
    """Return numbers from 0 on in as few bytes as hold them: a large study has millions of these."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def unpack(index: StudyIndex, packed: Packed) -> VerdictCube:
    """Return the cube that was kept; raises ValueError or LookupError where it is not one of this study."""
    arrays, codes = packed.arrays, np.array(packed.facts["codes"], dtype=object)
    judges, generators = arrays["judges"], arrays["generators"]
    shape = (len(judges), len(generators), index.layout.n_words)
    places = np.concatenate([judges, generators])
    if arrays["met"].shape != shape or arrays["ok"].shape != shape or (places >= len(index.models)).any():
        raise ValueError(f"it has the shape {arrays['met'].shape}, the study {shape}")
    judge, generator, place, code, count = (
        arrays[f"failed_{name}"].astype(np.int64) for name in ("judge", "generator", "place", "code", "count")
    )
    return VerdictCube(
        judges=judges,
        generators=generators,
        met=arrays["met"],
        ok=arrays["ok"],
        failures=Failures(judge, generator, place, codes[code], count),
    )


def _settle(
    files: StudyFiles, index: StudyIndex, selection: Selection, found: dict[int, JudgeVerdicts]
) -> None:
    """Count the votes of the judges that gave several verdicts on one thing."""
    votes = {judge: Votes(len(one.ok)) for judge, one in found.items() if one.has_repeats}
    if not votes:
        return
    names = [index.models[judge] for judge in votes]
    for rows in row_batches(files, index, selection, _COLUMNS, names):
        for batch in Batch.of_each_judge(index, rows):
            votes[batch.judge].add(batch)
    for judge, cast in votes.items():
        found[judge].settle(cast, selection.repeats)


def _packed(index: StudyIndex, found: dict[int, JudgeVerdicts]) -> VerdictCube:
    """Pack the verdicts of each judge on the generators of which there is a row."""
    judges = sorted(found)
    nothing = np.empty(0, dtype=np.int64)
    generators = np.unique(np.concatenate([nothing, *(found[judge].generators for judge in judges)]))
    shape = (len(judges), len(generators), index.layout.n_words)
    met, ok = np.empty(shape, dtype=np.uint64), np.empty(shape, dtype=np.uint64)
    failures = [Failures(nothing, nothing, nothing, nothing.astype(object), nothing)]
    for row, judge in enumerate(judges):
        one = found.pop(judge)
        for plane, values in ((met, one.met), (ok, one.ok)):
            plane[row] = index.layout.pack(values.reshape(len(index.models), -1)[generators])
        cell, code, count = (np.concatenate(pieces) for pieces in zip(*one.lost, strict=True))
        order = np.argsort(cell, kind="stable")  # by place, in whatever pieces the rows were read
        generator, rubric = np.divmod(cell[order], index.n_rubrics)
        place = np.searchsorted(generators, generator)
        failures.append(Failures(np.full(len(cell), row), place, rubric, code[order], count[order]))
    return VerdictCube(np.array(judges, dtype=np.int64), generators, met, ok, Failures.joined(failures))
