"""Verdicts packed by shards, wherever each of them is read, and put together.

A shard is of some instances, or of some judges where the rows lie by judge, so that it reads row groups of
its own. It knows nothing of the others: every verdict is of one instance and one judge, and every instance
begins at a byte of its own, so that the shards' planes stand side by side in the whole one.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from engine.cubes.index import Ints, StudyIndex
from engine.cubes.rows import Failures, Selection
from engine.cubes.verdicts import VerdictCube, read_verdicts
from engine.errors import StoreError, UsageError
from engine.packing import Words
from engine.store import StudyFiles

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
            f"a worker finds no study at {path!r}; let all workers reach the store at the same path, such as "
            "that of a shared disk, or at an s3:// URL"
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
