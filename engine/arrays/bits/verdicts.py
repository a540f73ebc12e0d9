"""Rubric verdicts as packed bits, read whole or by shards, cached, and packed ahead of a first opening."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from engine.arrays.bits.bitsets import Words, count
from engine.arrays.bits.judge_verdicts import JudgeRows, JudgeVerdicts, JudgeVotes
from engine.arrays.index import StudyIndex
from engine.arrays.inventory import Inventory, cached_inventory
from engine.arrays.judgment_rows import Failures, Selection, row_batches
from engine.arrays.study_cache import CacheEntry, StudyCache
from engine.dask_client import connect, run_in_order, shards_for
from engine.errors import StoreError, UsageError
from engine.paradigms import RUBRIC_PARADIGMS
from engine.process import read_only
from engine.stats import Ints
from engine.store.study_files import StudyFiles


@dataclass(frozen=True, eq=False)
class VerdictCube:
    """The verdicts of one selection: two planes of shape (judges, generators, words)."""

    judges: Ints  # positions of models, ascending; so are `generators`
    generators: Ints
    met: Words  # unset where there is no verdict
    ok: Words  # whether there is one
    failures: Failures


_COLUMNS = ("rubric_id", "met")


def read_verdicts(files: StudyFiles, index: StudyIndex, selection: Selection) -> VerdictCube:
    """Read and pack the verdicts of one selection; repeats are merged as it says."""
    by_judge: dict[int, JudgeVerdicts] = {}
    for rows in row_batches(files, index, selection, _COLUMNS):
        for batch in JudgeRows.of_each_judge(index, rows):
            if batch.judge not in by_judge:
                by_judge[batch.judge] = JudgeVerdicts(index)
            by_judge[batch.judge].add(batch)
    votes = {
        judge: JudgeVotes(len(verdicts.ok)) for judge, verdicts in by_judge.items() if verdicts.has_repeats
    }
    if votes:  # several verdicts on one cell: read these judges again
        names = [index.models[judge] for judge in votes]
        for rows in row_batches(files, index, selection, _COLUMNS, names):
            for batch in JudgeRows.of_each_judge(index, rows):
                votes[batch.judge].add(batch)
    for judge, judge_votes in votes.items():
        by_judge[judge].merge_repeats(judge_votes, selection.repeats)
    return _pack_judges(index, by_judge)


def cached_verdicts(
    cache: StudyCache,
    files: StudyFiles,
    index: StudyIndex,
    selection: Selection,
    read: Callable[[StudyFiles, StudyIndex, Selection], VerdictCube] = read_verdicts,
) -> VerdictCube:
    """Return the cached verdicts of one selection, else those that `read` reads."""
    make = partial(read, files, index, selection)
    return cache.cached_or_built(name_of(selection), make, pack, partial(unpack, index))


def name_of(selection: Selection) -> str:
    return f"verdicts {selection!r}"


def pack(cube: VerdictCube) -> CacheEntry:
    codes = sorted(set(cube.failures.code))
    failed = dict(vars(cube.failures))
    failed["code"] = np.searchsorted(np.array(codes, dtype=str), failed["code"].astype(str))
    arrays = {"judges": cube.judges, "generators": cube.generators, "met": cube.met, "ok": cube.ok}
    for name, values in failed.items():  # in as few bytes as hold them: a large study has millions of these
        arrays[f"failed_{name}"] = values.astype(np.min_scalar_type(int(values.max(initial=0))))
    return CacheEntry(arrays, {"codes": codes})


def unpack(index: StudyIndex, entry: CacheEntry) -> VerdictCube:
    """Return the cube of a cache entry; raises ValueError or LookupError if it does not fit this study."""
    arrays, codes = entry.arrays, np.array(entry.facts["codes"], dtype=object)
    judges, generators = arrays["judges"], arrays["generators"]
    shape = (len(judges), len(generators), index.layout.n_words)
    places = np.concatenate([judges, generators])
    if arrays["met"].shape != shape or arrays["ok"].shape != shape or (places >= len(index.models)).any():
        raise ValueError(f"it has the shape {arrays['met'].shape}, the study {shape}")
    judge, generator, place, code, count = (
        arrays[f"failed_{name}"].astype(np.int64) for name in ("judge", "generator", "place", "code", "count")
    )
    failures = Failures(judge, generator, place, codes[code], count)
    return VerdictCube(judges, generators, arrays["met"], arrays["ok"], failures)


def _pack_judges(index: StudyIndex, by_judge: dict[int, JudgeVerdicts]) -> VerdictCube:
    """Pack the verdicts of each judge on the generators that have a row."""
    judges = sorted(by_judge)
    nothing = np.empty(0, dtype=np.int64)
    generators = np.unique(np.concatenate([nothing, *(by_judge[judge].generators for judge in judges)]))
    shape = (len(judges), len(generators), index.layout.n_words)
    met, ok = np.empty(shape, dtype=np.uint64), np.empty(shape, dtype=np.uint64)
    failures = [Failures(nothing, nothing, nothing, nothing.astype(object), nothing)]
    for row, judge in enumerate(judges):
        verdicts = by_judge.pop(judge)
        for plane, values in ((met, verdicts.met), (ok, verdicts.ok)):
            plane[row] = index.layout.pack(values.reshape(len(index.models), -1)[generators])
        cell, code, count = (np.concatenate(pieces) for pieces in zip(*verdicts.failures, strict=True))
        order = np.argsort(cell, kind="stable")  # by place, however the rows were batched
        generator, rubric = np.divmod(cell[order], index.n_rubrics)
        place = np.searchsorted(generators, generator)
        failures.append(Failures(np.full(len(cell), row), place, rubric, code[order], count[order]))
    return VerdictCube(np.array(judges, dtype=np.int64), generators, met, ok, Failures.concatenate(failures))


Each = Callable[[Callable[["InstanceShard"], VerdictCube], Sequence["InstanceShard"]], Iterable[VerdictCube]]
"""Applies a function to every shard and returns the results in order: `map`, or a cluster's."""

_SAMPLE = 4  # shards whose row groups are counted


@dataclass(frozen=True)
class InstanceShard:
    """The instances from `first` to before `last` of a study that is at `path` wherever it is read."""

    path: str
    stamp: str
    selection: Selection
    first: int
    last: int
    judges: tuple[str, ...] | None = None  # None: all; if given, in all instances


@dataclass(frozen=True, kw_only=True)
class _PartOfRows(Selection):
    """A selection of the rows of only some instances or judges."""

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
    """Return the cube of `read_verdicts`, read in at most `count` shards; `judges` are those with rows.

    Workers elsewhere must reach the study at the same path or address. Raises the errors of reading.
    """
    shards = cut(files, index, selection, judges, count)
    return _join_shards(index, list(zip(shards, each(read_shard, shards), strict=True)))


def cut(
    files: StudyFiles, index: StudyIndex, selection: Selection, judges: Sequence[str], count: int
) -> list[InstanceShard]:
    """Return shards of instances, or of judges if those read fewer row groups."""
    full = InstanceShard(shared_path(files), files.stamp(slices=False), selection, 0, index.n_instances)
    by_instance = [replace(full, first=first, last=last) for first, last in _pieces(index.n_instances, count)]
    by_judge = [replace(full, judges=tuple(judges[start:end])) for start, end in _pieces(len(judges), count)]
    return min((by_instance, by_judge), key=lambda shards: _row_groups(files, index, shards))


def _pieces(size: int, count: int) -> list[tuple[int, int]]:
    return list(pairwise(np.unique(np.linspace(0, size, count + 1).astype(int)).tolist()))


def _row_groups(files: StudyFiles, index: StudyIndex, shards: Sequence[InstanceShard]) -> float:
    """Estimate how many row groups all shards read, from a few of them."""
    few = shards[:: max(len(shards) // _SAMPLE, 1)]
    counts = [files.row_groups(_part(shard, index.within(shard.first, shard.last)).where()) for shard in few]
    return sum(counts) * len(shards) / max(len(few), 1)


def _part(shard: InstanceShard, index: StudyIndex) -> Selection:
    """Return the selection of a shard's rows; `index` is that of its instances."""
    if shard.judges is not None:
        return _PartOfRows(**vars(shard.selection), column="judge", names=shard.judges)
    return _PartOfRows(
        **vars(shard.selection), column="instance_id", names=tuple(index.instances.to_pylist())
    )


def shared_path(files: StudyFiles) -> str:
    """Return the study's path or address as other machines know it."""
    return files.location.path if files.location.is_local else files.path


def open_on_worker(path: str) -> StudyFiles:
    """Open the study on a worker; StoreError if it is not there."""
    try:
        return StudyFiles.at(path)
    except UsageError as error:
        raise StoreError(
            f"a worker finds no study at {path!r}; make the store reachable at the same path for all "
            "workers, such as a shared disk or an s3:// URL"
        ) from error


def read_shard(shard: InstanceShard) -> VerdictCube:
    """Read and pack the verdicts of one shard, by its own index; raises like `open_on_worker`."""
    files = open_on_worker(shard.path)
    index = _index_of(shard.path, shard.stamp).within(shard.first, shard.last)
    return read_verdicts(files, index, _part(shard, index))


@lru_cache(maxsize=1)
def _index_of(path: str, stamp: str) -> StudyIndex:  # noqa: ARG001 - a study that changed is read again
    """Cache a study's index between shards."""
    return StudyIndex.read(StudyFiles.at(path))


def _join_shards(index: StudyIndex, shards: Sequence[tuple[InstanceShard, VerdictCube]]) -> VerdictCube:
    """Join the shards' planes and failures."""
    nobody = np.empty(0, dtype=np.int64)
    judges = np.unique(np.concatenate([nobody, *(cube.judges for _, cube in shards)]))
    generators = np.unique(np.concatenate([nobody, *(cube.generators for _, cube in shards)]))
    shape = (len(judges), len(generators), index.layout.n_words)
    met, ok = np.zeros(shape, dtype=np.uint64), np.zeros(shape, dtype=np.uint64)
    failures = [Failures(nobody, nobody, nobody, nobody.astype(object), nobody)]
    for shard, cube in shards:
        rubrics = np.searchsorted(index.layout.instance_of, [shard.first, shard.last])
        rows, columns = np.searchsorted(judges, cube.judges), np.searchsorted(generators, cube.generators)
        if rubrics[0] < rubrics[1]:
            for plane, part in ((met, cube.met), (ok, cube.ok)):
                place, content = index.layout.part(part, *rubrics)
                plane.view(np.uint8)[rows[:, None], columns[None, :], place] |= content
        own, place = cube.failures, cube.failures.place + rubrics[0]
        failures.append(Failures(rows[own.judge], columns[own.generator], place, own.code, own.count))
    merged = Failures.concatenate(failures)
    by_place = np.lexsort((merged.place, merged.generator, merged.judge))  # a stable order
    return VerdictCube(judges, generators, met, ok, merged.select(by_place))


@dataclass(frozen=True)
class CachedSelection:
    """One selection whose verdicts are cached, and their numbers."""

    selection: Selection
    judges: int
    generators: int
    verdicts: int


def prebuild_cache(files: StudyFiles, cluster: str | None = None) -> Iterator[CachedSelection]:
    """Pack the rubric verdicts of each paradigm, variant and transform that a study has, one after another.

    What is cached already stays. With `cluster`, the address of a Dask scheduler, shards of instances are
    read by its workers, which must reach the study at the same path or address. A study too small to be
    cached yields nothing. Raises UsageError if nothing may be written or the cluster does not answer,
    StoreError if the packed data could not be stored.
    """
    if read_only():
        problem = "SPB_READ_ONLY is 1, so nothing may be written"
        raise UsageError(f"{problem}; pack on a machine where it is not set")
    cache = StudyCache(files)
    if not cache.worthwhile:
        return
    with nullcontext() if cluster is None else connect(cluster) as client:
        index = StudyIndex.read(files)
        count_rows = Inventory.read if client is None else partial(_count_by_parts, client)
        inventory = cached_inventory(cache, files, count_rows)
        for selection in _selections(inventory):
            read = read_verdicts if client is None else _reader(client, inventory, selection)
            cube = cached_verdicts(cache, files, index, selection, read)
            if not cache.has(name_of(selection)):
                raise StoreError(
                    f"the packed data of {files.path!r} could not be stored; check that the store is "
                    "writable, the disk is not full and no other program changes the study"
                )
            sizes = (len(cube.judges), len(cube.generators), int(count(cube.ok).sum()))
            yield CachedSelection(selection, *sizes)


def _selections(inventory: Inventory) -> Iterator[Selection]:
    """Yield the selections that measures of rubric verdicts start from: every run, the default ordering."""
    for paradigm in inventory.values("paradigm"):
        for variant in inventory.values("variant", paradigm=paradigm):
            for transform in inventory.values("transform", paradigm=paradigm, variant=variant):
                selection = Selection(paradigm=str(paradigm), variant=str(variant), transform=str(transform))
                if paradigm in RUBRIC_PARADIGMS and inventory.total(**selection.where()):
                    yield selection


def _reader(
    client: Any, inventory: Inventory, selection: Selection
) -> Callable[[StudyFiles, StudyIndex, Selection], VerdictCube]:
    judges = [str(name) for name in inventory.values("judge", **selection.where())]
    return partial(build, judges=judges, each=partial(run_in_order, client), count=shards_for(client))


def _count_by_parts(client: Any, files: StudyFiles) -> Inventory:
    return Inventory.merge(run_in_order(client, partial(_count_part, shared_path(files)), files.parts()))


def _count_part(path: str, part: str) -> Inventory:
    return Inventory.read(open_on_worker(path), [part])
