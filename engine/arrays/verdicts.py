"""Rubric verdicts as bits; judges' agreement."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bitsets import Words
from engine.arrays.index import Relatives, StudyIndex
from engine.arrays.packed_cache import Packed, Stored
from engine.arrays.rows import OK, Failures, Repeats, Rows, Selection, first_of_each, row_batches
from engine.schema import STATUSES
from engine.stats.committees import majority, pair_agreement
from engine.stats.types import Bools, Floats, Ints
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# One judge's verdicts while they are read, batch by batch: two bytes for each rubric of each response.


Objects = NDArray[np.object_]

_CODES = np.array(STATUSES, dtype=object)


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows of one judge, each of shape (rows,); `cell` is generator x rubrics + rubric, over all models."""

    judge: int
    cell: Ints
    status: Ints
    met: Bools
    trial: Ints

    @classmethod
    def of_each_judge(cls, index: StudyIndex, rows: Rows) -> Iterator["Batch"]:
        """Take rows apart by judge."""
        rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
        cell = rows.generator * index.n_rubrics + rubric
        met = rows.number("met") == 1
        for judge in np.unique(rows.judge).tolist():
            mine = np.flatnonzero(rows.judge == judge)
            yield cls(judge, cell[mine], rows.status[mine], met[mine], rows.trial[mine])


class JudgeVerdicts:
    """The verdicts of one judge while they are read.

    `met` says what it found, `ok` whether there is a verdict, each of shape (cells,). Rows that come to
    nothing are `lost`: (cells, code of each, rows of each).
    """

    def __init__(self, index: StudyIndex) -> None:
        """Begin with no verdict."""
        self._n_rubrics = index.n_rubrics
        size = len(index.models) * index.n_rubrics
        self.met, self.ok = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
        self.lost: list[tuple[Ints, Objects, Ints]] = []
        self._verdicts = 0

    def add(self, batch: Batch) -> None:
        """Take in some rows."""
        good = batch.status == OK
        cell, failed = batch.cell[good], batch.cell[~good]
        self.met[cell], self.ok[cell] = batch.met[good], True
        self._verdicts += len(cell)
        self.lost.append((failed, _CODES[batch.status[~good]], np.ones(len(failed), dtype=np.int64)))

    @property
    def generators(self) -> Ints:
        """The models of which there is a row."""
        judged = np.flatnonzero(self.ok.reshape(-1, self._n_rubrics).any(axis=1))
        return np.unique(np.concatenate([judged, *(cell // self._n_rubrics for cell, _, _ in self.lost)]))

    @property
    def has_repeats(self) -> bool:
        """Whether a cell has several verdicts, of which any one stands until they are settled."""
        return self._verdicts > int(np.count_nonzero(self.ok))

    def settle(self, votes: "Votes", repeats: Repeats) -> None:
        """Let each cell have what its votes come to."""
        if repeats == "first":
            self.met = votes.first
        else:
            self.met, self.ok = majority(votes.ayes, votes.number)
        lost = votes.number - self.ok  # of repeats that are divided, all
        cell = np.flatnonzero(lost)
        merged = np.full(len(cell), "merged", dtype=object)
        self.lost.append((cell, merged, lost[cell].astype(np.int64)))


class Votes:
    """How many verdicts one judge gave on each cell, how many said met, and what the first one says."""

    def __init__(self, size: int) -> None:
        """Begin with no vote."""
        self.number, self.ayes = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
        self.first = np.zeros(size, dtype=bool)
        self._trial = np.full(size, np.iinfo(np.int64).max)

    def add(self, batch: Batch) -> None:
        """Count some rows, which come in stored order."""
        good = np.flatnonzero(batch.status == OK)
        cell, met, trial = batch.cell[good], batch.met[good], batch.trial[good]
        np.add.at(self.number, cell, 1)
        np.add.at(self.ayes, cell[met], 1)
        first = first_of_each(cell, trial)
        first = first[trial[first] < self._trial[cell[first]]]
        self.first[cell[first]], self._trial[cell[first]] = met[first], trial[first]


# ------------------------------------------------------------------------------
# Rubric verdicts as packed bits.


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
    by_judge: dict[int, JudgeVerdicts] = {}
    for rows in row_batches(files, index, selection, _COLUMNS):
        for batch in Batch.of_each_judge(index, rows):
            if batch.judge not in by_judge:
                by_judge[batch.judge] = JudgeVerdicts(index)
            by_judge[batch.judge].add(batch)
    _settle(files, index, selection, by_judge)
    return _packed(index, by_judge)


def kept_verdicts(
    stored: Stored,
    files: StudyFiles,
    index: StudyIndex,
    selection: Selection,
    read: Callable[[StudyFiles, StudyIndex, Selection], VerdictCube] = read_verdicts,
) -> VerdictCube:
    """Return the verdicts of one selection as they are kept beside the study, else as `read` reads them."""
    return stored.cached_or_built(
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
    files: StudyFiles, index: StudyIndex, selection: Selection, by_judge: dict[int, JudgeVerdicts]
) -> None:
    """Count the votes of the judges that gave several verdicts on one thing."""
    votes = {judge: Votes(len(one.ok)) for judge, one in by_judge.items() if one.has_repeats}
    if not votes:
        return
    names = [index.models[judge] for judge in votes]
    for rows in row_batches(files, index, selection, _COLUMNS, names):
        for batch in Batch.of_each_judge(index, rows):
            votes[batch.judge].add(batch)
    for judge, cast in votes.items():
        by_judge[judge].settle(cast, selection.repeats)


def _packed(index: StudyIndex, by_judge: dict[int, JudgeVerdicts]) -> VerdictCube:
    """Pack the verdicts of each judge on the generators of which there is a row."""
    judges = sorted(by_judge)
    nothing = np.empty(0, dtype=np.int64)
    generators = np.unique(np.concatenate([nothing, *(by_judge[judge].generators for judge in judges)]))
    shape = (len(judges), len(generators), index.layout.n_words)
    met, ok = np.empty(shape, dtype=np.uint64), np.empty(shape, dtype=np.uint64)
    failures = [Failures(nothing, nothing, nothing, nothing.astype(object), nothing)]
    for row, judge in enumerate(judges):
        one = by_judge.pop(judge)
        for plane, values in ((met, one.met), (ok, one.ok)):
            plane[row] = index.layout.pack(values.reshape(len(index.models), -1)[generators])
        cell, code, count = (np.concatenate(pieces) for pieces in zip(*one.lost, strict=True))
        order = np.argsort(cell, kind="stable")  # by place, in whatever pieces the rows were read
        generator, rubric = np.divmod(cell[order], index.n_rubrics)
        place = np.searchsorted(generators, generator)
        failures.append(Failures(np.full(len(cell), row), place, rubric, code[order], count[order]))
    return VerdictCube(np.array(judges, dtype=np.int64), generators, met, ok, Failures.joined(failures))


# ------------------------------------------------------------------------------
# How far judges agree on a rubric (MEASURES section 6).


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of all judges of a cube, whatever judges are shown; NaN with fewer than two verdicts."""

    index: StudyIndex
    cube: VerdictCube

    @cached_property
    def of_verdicts(self) -> Floats:
        """Share of judge pairs with the same verdict on a response, shape (generators, rubrics)."""
        return self._among(np.ones(len(self.cube.judges), dtype=bool))

    @cached_property
    def of_rubrics(self) -> Floats:
        """Its mean over the generators that have one, shape (rubrics,)."""
        return _mean_over_generators(self.of_verdicts)

    def without_family(self, relatives: Relatives) -> Floats:
        """Agreement on each rubric of the judges outside each judge's family, shape (judges, rubrics)."""
        judges: Ints = self.cube.judges
        relations = self.index.relations(judges, judges, relatives).family_with_self
        return np.stack([_mean_over_generators(self._among(~relative)) for relative in relations])

    def _among(self, judges: NDArray[np.bool_]) -> Floats:
        unpack = self.index.layout.unpack
        shape = (len(self.cube.generators), self.index.n_rubrics)
        ayes, voters = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        for met, ok in zip(self.cube.met[judges], self.cube.ok[judges], strict=True):
            ayes += unpack(met)
            voters += unpack(ok)
        return pair_agreement(ayes, voters)


def _mean_over_generators(values: Floats) -> Floats:
    known = ~np.isnan(values)
    total, number = np.where(known, values, 0).sum(axis=0), known.sum(axis=0)
    mean: Floats = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
    return mean
