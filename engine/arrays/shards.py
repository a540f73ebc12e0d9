"""Build that cache by shards, ahead too."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from engine.arrays.bitsets import Words, count
from engine.arrays.index import Inventory, StudyIndex, kept_inventory
from engine.arrays.packed_cache import Stored
from engine.arrays.rows import Failures, Selection
from engine.arrays.verdicts import VerdictCube, kept_verdicts, name_of, read_verdicts
from engine.dask_client import connected, in_order, shards_for
from engine.errors import StoreError, UsageError
from engine.schema import RUBRIC_PARADIGMS
from engine.stats.types import Ints
from engine.store.study_files import StudyFiles
from engine.values import read_only

# ------------------------------------------------------------------------------
# Verdicts packed by shards, wherever each of them is read, and put together.


Each = Callable[[Callable[["Shard"], VerdictCube], Sequence["Shard"]], Iterable[VerdictCube]]
"""Does some work on every shard and gives back what comes of it in their order: `map`, or a cluster's."""

_LOOKED_AT = 4
"""Shards of which it is counted how many row groups they read."""


@dataclass(frozen=True)
class Shard:
    """The instances from `first` to before `last` of a study that is at `path` wherever it is read.

    Of all judges; or of some, and then of all instances.
    """

    path: str
    stamp: str
    selection: Selection
    first: int
    last: int
    judges: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class _Part(Selection):
    """A selection of the rows of some instances or judges alone."""

    column: str
    names: tuple[str, ...]

    def where(self) -> dict[str, tuple[str | None, ...]]:
        return super().where() | {self.column: self.names}


def build(
    files: StudyFiles,
    index: StudyIndex,
    selection: Selection,
    *,
    judges: Sequence[str],
    each: Each = map,
    count: int = 1,
) -> VerdictCube:
    """Return what `read_verdicts` returns, read in at most `count` shards; `judges` are those with rows.

    Workers elsewhere must reach the study at the same path or address. Raises what reading raises.
    """
    shards = cut(files, index, selection, judges, count)
    return _joined(index, list(zip(shards, each(read_shard, shards), strict=True)))


def cut(
    files: StudyFiles, index: StudyIndex, selection: Selection, judges: Sequence[str], count: int
) -> list[Shard]:
    """Return shards of instances, or of judges where those read fewer row groups."""
    whole = Shard(reached_at(files), files.stamp(slices=False), selection, 0, index.n_instances)
    by_instance = [
        replace(whole, first=first, last=last) for first, last in _pieces(index.n_instances, count)
    ]
    by_judge = [
        replace(whole, judges=tuple(judges[first:last])) for first, last in _pieces(len(judges), count)
    ]
    return min((by_instance, by_judge), key=lambda shards: _row_groups(files, index, shards))


def _pieces(size: int, count: int) -> list[tuple[int, int]]:
    return list(pairwise(np.unique(np.linspace(0, size, count + 1).astype(int)).tolist()))


def _row_groups(files: StudyFiles, index: StudyIndex, shards: Sequence[Shard]) -> float:
    """Return about how many row groups are read for all shards, from a few of them."""
    few = shards[:: max(len(shards) // _LOOKED_AT, 1)]
    read = [files.row_groups(_part(shard, index.within(shard.first, shard.last)).where()) for shard in few]
    return sum(read) * len(shards) / max(len(few), 1)


def _part(shard: Shard, index: StudyIndex) -> Selection:
    """Return the selection of a shard's rows; `index` is that of its instances."""
    if shard.judges is not None:
        return _Part(**vars(shard.selection), column="judge", names=shard.judges)
    return _Part(**vars(shard.selection), column="instance_id", names=tuple(index.instances.to_pylist()))


def reached_at(files: StudyFiles) -> str:
    """Return the study's path or address as other machines know it."""
    return files.location.path if files.location.is_local else files.path


def reached(path: str) -> StudyFiles:
    """Open the study on a worker; StoreError where it is not there."""
    try:
        return StudyFiles.at(path)
    except UsageError as error:
        raise StoreError(
            f"a worker finds no study at {path!r}; make the store reachable at the same path for all "
            "workers, such as a shared disk or an s3:// URL"
        ) from error


def read_shard(shard: Shard) -> VerdictCube:
    """Read and pack the verdicts of one shard, by the index of its instances; raises as `reached` does."""
    files = reached(shard.path)
    index = _index_of(shard.path, shard.stamp).within(shard.first, shard.last)
    return read_verdicts(files, index, _part(shard, index))


@lru_cache(maxsize=1)
def _index_of(path: str, stamp: str) -> StudyIndex:  # noqa: ARG001 - a study that changed is read again
    """Keep a study's index from shard to shard."""
    return StudyIndex.read(StudyFiles.at(path))


def _joined(index: StudyIndex, shards: Sequence[tuple[Shard, VerdictCube]]) -> VerdictCube:
    """Put the shards' planes and failures side by side."""
    nobody = np.empty(0, dtype=np.int64)
    judges = np.unique(np.concatenate([nobody, *(cube.judges for _, cube in shards)]))
    generators = np.unique(np.concatenate([nobody, *(cube.generators for _, cube in shards)]))
    shape = (len(judges), len(generators), index.layout.n_words)
    met, ok = np.zeros(shape, dtype=np.uint64), np.zeros(shape, dtype=np.uint64)
    failures = [Failures(nobody, nobody, nobody, nobody.astype(object), nobody)]
    for shard, cube in shards:
        rubrics = np.searchsorted(index.layout.instance_of, [shard.first, shard.last])
        rows, columns = np.searchsorted(judges, cube.judges), np.searchsorted(generators, cube.generators)
        for whole, part in ((met, cube.met), (ok, cube.ok)):
            _put(index, whole, part, rubrics, rows, columns)
        lost = cube.failures
        failures.append(
            Failures(
                rows[lost.judge], columns[lost.generator], lost.place + rubrics[0], lost.code, lost.count
            )
        )
    return VerdictCube(judges, generators, met, ok, _by_place(Failures.joined(failures)))


def _put(index: StudyIndex, whole: Words, part: Words, rubrics: Ints, rows: Ints, columns: Ints) -> None:
    """Copy the bytes of a shard's rubrics into their place."""
    first, last = rubrics
    if first == last:
        return
    start, stop = index.layout.bits[first] // 8, index.layout.bits[last - 1] // 8 + 1
    at = (rows[:, None], columns[None, :], slice(start, stop))
    whole.view(np.uint8)[at] = part.view(np.uint8)[..., : stop - start]


def _by_place(failures: Failures) -> Failures:
    order = np.lexsort((failures.place, failures.generator, failures.judge))  # a stable one
    return Failures(**{name: values[order] for name, values in vars(failures).items()})


# ------------------------------------------------------------------------------
# What is kept of a large study, packed ahead of its first opening: here, or on a Dask cluster.


@dataclass(frozen=True)
class PackedAhead:
    """One selection of which the verdicts are kept, and how many they are."""

    selection: Selection
    judges: int
    generators: int
    verdicts: int


def pack_ahead(files: StudyFiles, cluster: str | None = None) -> Iterator[PackedAhead]:
    """Pack the rubric verdicts of each paradigm, variant and transform that a study has, one after another.

    What is kept already stays. With `cluster`, the address of a Dask scheduler, shards of instances are read
    by its workers, which must reach the study at the same path or address. Nothing comes of a study too
    small for anything to be kept of it. Raises UsageError where nothing may be written or the cluster does
    not answer, StoreError where what was packed could not be kept.
    """
    if read_only():
        raise UsageError(
            "SPB_READ_ONLY is 1, so nothing may be written; pack on a machine where it is not set"
        )
    stored = Stored(files)
    if not stored.worthwhile:
        return
    with nullcontext() if cluster is None else connected(cluster) as client:
        index = StudyIndex.read(files)
        inventory = kept_inventory(stored, files, Inventory.read if client is None else _counting(client))
        for selection in _selections(inventory):
            read = read_verdicts if client is None else _reading(client, inventory, selection)
            cube = kept_verdicts(stored, files, index, selection, read)
            if not stored.has(name_of(selection)):
                raise StoreError(
                    f"the packed data of {files.path!r} could not be stored; check that the store is "
                    "writable, the disk is not full and no other program changes the study"
                )
            verdicts = int(count(cube.ok).sum())
            yield PackedAhead(selection, len(cube.judges), len(cube.generators), verdicts)


def _selections(inventory: Inventory) -> Iterator[Selection]:
    """Return what measures of rubric verdicts begin with: every run, orderings as they come."""
    for paradigm in inventory.values("paradigm"):
        for variant in inventory.values("variant", paradigm=paradigm):
            for transform in inventory.values("transform", paradigm=paradigm, variant=variant):
                selection = Selection(paradigm=str(paradigm), variant=str(variant), transform=str(transform))
                if paradigm in RUBRIC_PARADIGMS and inventory.total(**selection.where()):
                    yield selection


def _reading(
    client: Any, inventory: Inventory, selection: Selection
) -> Callable[[StudyFiles, StudyIndex, Selection], VerdictCube]:
    judges = [str(name) for name in inventory.values("judge", **selection.where())]
    return partial(build, judges=judges, each=partial(in_order, client), count=shards_for(client))


def _counting(client: Any) -> Callable[[StudyFiles], Inventory]:
    def read(files: StudyFiles) -> Inventory:
        return Inventory.joined(in_order(client, partial(_counted, reached_at(files)), files.parts()))

    return read


def _counted(path: str, part: str) -> Inventory:
    return Inventory.read(reached(path), [part])
