"""Verdicts packed by shards of instances, wherever each of them is read, and put together.

A shard knows nothing of the others: every verdict is of one instance, and every instance begins at a byte of
its own, so that the shards' planes stand side by side in the whole one.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from engine.cubes.index import Ints, StudyIndex
from engine.cubes.rows import Failures, Selection
from engine.cubes.verdicts import VerdictCube, read_verdicts
from engine.packing import Words
from engine.store import StudyFiles

Each = Callable[[Callable[["Shard"], VerdictCube], Sequence["Shard"]], Iterable[VerdictCube]]
"""Does some work on every shard and gives back what comes of it in their order: `map`, or a cluster's."""


@dataclass(frozen=True)
class Shard:
    """The instances from `first` to before `last` of a study that is at `path` wherever it is read."""

    path: str
    stamp: str
    selection: Selection
    first: int
    last: int


@dataclass(frozen=True, kw_only=True)
class _Within(Selection):
    """A selection of the rows of some instances alone."""

    instances: tuple[str, ...]

    def where(self) -> dict[str, tuple[str | None, ...]]:
        return super().where() | {"instance_id": self.instances}


def build(
    files: StudyFiles, index: StudyIndex, selection: Selection, each: Each = map, count: int = 1
) -> VerdictCube:
    """Return what `read_verdicts` returns, read in `count` shards of instances.

    Workers elsewhere must reach the study at the same path or address. Raises what reading raises.
    """
    bounds = np.unique(np.linspace(0, index.n_instances, count + 1).astype(int)).tolist()
    path, stamp = reached_at(files), files.stamp(slices=False)
    shards = [Shard(path, stamp, selection, *ends) for ends in pairwise(bounds)]
    return _joined(index, list(zip(shards, each(read_shard, shards), strict=True)))


def reached_at(files: StudyFiles) -> str:
    """Return the study's path or address as other machines know it."""
    return files.location.path if files.location.is_local else files.path


def read_shard(shard: Shard) -> VerdictCube:
    """Read and pack the verdicts of one shard, by the index of its instances."""
    files = StudyFiles.at(shard.path)
    index = _index_of(shard.path, shard.stamp).within(shard.first, shard.last)
    instances = tuple(index.instances.to_pylist())
    return read_verdicts(files, index, _Within(**vars(shard.selection), instances=instances))


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
