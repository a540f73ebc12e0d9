"""What is kept of a large study, packed ahead of its first opening: here, or on a Dask cluster."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.clusters import connected, in_order, shards_for
from engine.cubes.index import StudyIndex
from engine.cubes.inventory import Inventory, kept_inventory
from engine.cubes.rows import Selection
from engine.cubes.shards import build, reached, reached_at
from engine.cubes.stored import Stored
from engine.cubes.verdicts import VerdictCube, kept_verdicts, name_of, read_verdicts
from engine.errors import StoreError, UsageError
from engine.packing import count
from engine.read_only import read_only
from engine.schema import RUBRIC_PARADIGMS
from engine.store import StudyFiles


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
        raise UsageError("SPB_READ_ONLY is 1, so that nothing may be written; pack where it is not set")
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
                    f"what was packed of {files.path!r} could not be kept; see that its store can be "
                    "written, that its disk is not full, and that nothing changes the study meanwhile"
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
