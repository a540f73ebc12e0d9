"""A study's judgments as arrays, read when first asked for and kept: what measures are taken of."""

from collections.abc import Callable, Hashable
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.cubes.agreement import Agreement
from engine.cubes.cells import read_positions, read_response_lengths
from engine.cubes.index import Ints, StudyIndex
from engine.cubes.inventory import Inventory
from engine.cubes.pairs import PairCube, read_pairs
from engine.cubes.planes import Planes, ReferencePlanes
from engine.cubes.rows import Selection
from engine.cubes.scores import ScoreCube, read_scores
from engine.cubes.stored import Stored
from engine.cubes.verdicts import VerdictCube, pack, read_verdicts, unpack
from engine.errors import UsageError
from engine.metrics.resampling import cluster_weights
from engine.references import References, committee_members
from engine.request import Request
from engine.schema import RUBRIC_PARADIGMS
from engine.store import StudyFiles, StudyInfo

Cube = VerdictCube | ScoreCube | PairCube
Floats = NDArray[np.float64]
Made = TypeVar("Made")


_MOST_PLANES = 16
"""Cubes held against references that are kept; a committee chosen by hand makes a cube of its own."""


class StudyArrays:
    """One study, read. The stored tables never change under it.

    Safe to share between threads: arrays are never changed once made.
    """

    def __init__(self, files: StudyFiles) -> None:
        """Take the study's files; nothing is read yet."""
        self.files = files
        self._stored = Stored(files)
        self._cubes: dict[Selection, Cube] = {}
        self._references: dict[tuple[Any, ...], ReferencePlanes] = {}
        self._planes: dict[tuple[Any, ...], Planes] = {}
        self._agreements: dict[Selection, Agreement] = {}
        self._weights: dict[tuple[int, int], NDArray[np.float32]] = {}
        self._kept: dict[Hashable, Any] = {}

    @property
    def name(self) -> str:
        """The study's name."""
        return self.files.name

    @property
    def info(self) -> StudyInfo:
        """What `study.json` says."""
        return self.files.info

    @cached_property
    def index(self) -> StudyIndex:
        """Models, instances and rubrics by position."""
        rubrics = ("instance_id", "rubric_id", "criterion", "length", "points", "axis", "theme", "checker")
        instances = ("instance_id", "theme", "category", "language")
        return StudyIndex.build(
            self.files.table("models"),
            self.files.table("instances", instances),
            self.files.table("rubrics", rubrics),
        )

    @cached_property
    def inventory(self) -> Inventory:
        """Which judgments there are."""
        return self._stored.kept(
            "inventory", lambda: Inventory.read(self.files), Inventory.pack, Inventory.unpack
        )

    @cached_property
    def references(self) -> References:
        """The reference sources."""
        return References(self.files, self.index, self._committee_verdicts)

    def cube(self, selection: Selection) -> Cube:
        """Return the selection's judgments as arrays."""
        if selection not in self._cubes:
            self._cubes[selection] = self._read(selection)
        return self._cubes[selection]

    def _read(self, selection: Selection) -> Cube:
        if selection.paradigm in RUBRIC_PARADIGMS:
            return self._stored.kept(
                f"verdicts {selection!r}",
                lambda: read_verdicts(self.files, self.index, selection),
                pack,
                partial(unpack, self.index),
            )
        if selection.paradigm == "direct_assessment":
            return read_scores(self.files, self.index, selection)
        if selection.paradigm == "pairwise":
            return read_pairs(self.files, self.index, selection)
        raise UsageError(f"{selection.paradigm!r} judgments make no comparison of responses")

    def reference_planes(self, cube: Cube, request: Request) -> ReferencePlanes:
        """Return the request's reference on the responses of a cube."""
        key = (request.source, request.exclusion, cube.judges.tobytes(), cube.generators.tobytes())
        if key not in self._references:
            self._references[key] = self.references.planes(
                request.source, cube.judges, cube.generators, request.exclusion
            )
        return self._references[key]

    def planes(self, cube: VerdictCube, request: Request) -> Planes:
        """Return the cube held against the request's reference."""
        reference = self.reference_planes(cube, request)
        key = (id(cube), id(reference))  # both live as long as the planes that hold them
        planes = self._planes.get(key)
        if planes is None:
            planes = self._planes[key] = Planes(self.index, cube, reference)
            while len(self._planes) > _MOST_PLANES:
                self._planes.pop(next(iter(self._planes)))
        return planes

    def agreement(self, selection: Selection) -> Agreement:
        """Return how far the judges of a selection of rubric verdicts agree."""
        if selection not in self._agreements:
            self._agreements[selection] = Agreement(self.index, self._verdicts(selection))
        return self._agreements[selection]

    def positions(self, selection: Selection) -> NDArray[np.int16]:
        """Return the place of each rubric in the order shown: (judges, generators, rubrics), 0 unknown."""
        return read_positions(self.files, self.index, self._verdicts(selection), selection)

    def response_lengths(self, selection: Selection) -> Floats:
        """Return the length of each response of the cube's generators, NaN where it is not known.

        Shape (generators, instances); for rubric verdicts that of the response under each rubric, shape
        (1, generators, rubrics).
        """
        cube = self.cube(selection)
        lengths = read_response_lengths(self.files, self.index, selection.transform)[cube.generators]
        if not isinstance(cube, VerdictCube):
            return lengths
        return lengths[:, self.index.layout.instance_of][None, :, :]

    def _verdicts(self, selection: Selection) -> VerdictCube:
        cube = self.cube(selection)
        if not isinstance(cube, VerdictCube):
            raise UsageError(f"{selection.paradigm} judgments are not of rubrics; choose a rubric paradigm")
        return cube

    def weights(self, resamples: int, seed: int) -> NDArray[np.float32]:
        """Return the bootstrap weights, shape (resamples, instances); the same for all slices."""
        key = (resamples, seed)
        if key not in self._weights:
            rng = np.random.default_rng(seed)
            self._weights[key] = cluster_weights(self.index.n_instances, resamples, rng)
        return self._weights[key]

    def remember(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` gave when it was first asked for under this key."""
        if key not in self._kept:
            self._kept[key] = make()
        made: Made = self._kept[key]
        return made

    def _committee_verdicts(self, name: str) -> tuple[Ints, VerdictCube]:
        committee = self.info.committees[name]
        present = [p for p in self.inventory.values("paradigm") if p in RUBRIC_PARADIGMS]
        paradigm = committee.paradigm or (present[0] if present else "single_rubric")
        selection = Selection(paradigm=paradigm, variant=committee.variant or "default")
        return committee_members(self.files, self.index, name), self._verdicts(selection)
