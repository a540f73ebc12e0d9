"""A study's judgments as arrays, read when first asked for and kept: what measures are taken of."""

import copy
from collections.abc import Callable, Hashable
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.cubes.agreement import Agreement
from engine.cubes.cells import read_positions, read_response_lengths
from engine.cubes.index import Ints, StudyIndex
from engine.cubes.inventory import Inventory, kept_inventory
from engine.cubes.pairs import PairCube, read_pairs
from engine.cubes.planes import Planes, ReferencePlanes
from engine.cubes.rows import Selection
from engine.cubes.scores import ScoreCube, read_scores
from engine.cubes.stored import Stored
from engine.cubes.verdicts import VerdictCube, kept_verdicts
from engine.errors import UsageError
from engine.kept import Kept
from engine.metrics.resampling import cluster_weights
from engine.references import References, committee_members
from engine.request import Request
from engine.schema import RUBRIC_PARADIGMS
from engine.store import StudyFiles, StudyInfo

Cube = VerdictCube | ScoreCube | PairCube
Floats = NDArray[np.float64]
Made = TypeVar("Made")


_MOST, _MOST_WEIGHTS = 16, 4
"""Cubes, references and so on that are kept, of each: a committee chosen by hand makes its own."""


class StudyArrays:
    """One study, read. The stored tables never change under it.

    Safe to share between threads: arrays are made once, however many ask for them, and never changed.
    """

    def __init__(self, files: StudyFiles) -> None:
        """Take the study's files; nothing is read yet."""
        self.files = files
        self._stored = Stored(files)
        self._facts, self._weights = Kept(), Kept(_MOST_WEIGHTS)
        self._cubes, self._references, self._planes, self._agreements, self._others = (
            Kept(_MOST) for _ in range(5)
        )

    @property
    def name(self) -> str:
        """The study's name."""
        return self.files.name

    @property
    def info(self) -> StudyInfo:
        """What `study.json` says."""
        return self.files.info

    def as_now(self) -> Self:
        """Return the study with `study.json` as it is now and the same arrays: stories change no number."""
        now = copy.copy(self)
        now.files = StudyFiles(self.files.location)
        return now

    @property
    def index(self) -> StudyIndex:
        """Models, instances and rubrics by position."""
        return self._facts.get("index", lambda: StudyIndex.read(self.files))

    @property
    def inventory(self) -> Inventory:
        """Which judgments there are."""
        return self._facts.get("inventory", lambda: kept_inventory(self._stored, self.files))

    @property
    def references(self) -> References:
        """The reference sources."""
        return self._facts.get(
            "references", lambda: References(self.files, self.index, self._committee_verdicts, self._stored)
        )

    def cube(self, selection: Selection) -> Cube:
        """Return the selection's judgments as arrays."""
        return self._cubes.get(selection, lambda: self._read(selection))

    def _read(self, selection: Selection) -> Cube:
        if selection.paradigm in RUBRIC_PARADIGMS:
            return kept_verdicts(self._stored, self.files, self.index, selection)
        if selection.paradigm == "direct_assessment":
            return read_scores(self.files, self.index, selection)
        if selection.paradigm == "pairwise":
            return read_pairs(self.files, self.index, selection)
        raise UsageError(f"{selection.paradigm!r} judgments make no comparison of responses")

    def reference_planes(self, cube: Cube, request: Request) -> ReferencePlanes:
        """Return the request's reference on the responses of a cube."""
        key = (request.source, request.exclusion, cube.judges.tobytes(), cube.generators.tobytes())
        return self._references.get(
            key,
            lambda: self.references.planes(request.source, cube.judges, cube.generators, request.exclusion),
        )

    def planes(self, cube: VerdictCube, request: Request) -> Planes:
        """Return the cube held against the request's reference."""
        reference = self.reference_planes(cube, request)
        key = (id(cube), id(reference))  # both live as long as the planes that hold them
        return self._planes.get(key, lambda: Planes(self.index, cube, reference))

    def agreement(self, selection: Selection) -> Agreement:
        """Return how far the judges of a selection of rubric verdicts agree."""
        return self._agreements.get(selection, lambda: Agreement(self.index, self._verdicts(selection)))

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
        return self._weights.get(
            (resamples, seed),
            lambda: cluster_weights(self.index.n_instances, resamples, np.random.default_rng(seed)),
        )

    def remember(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` gave when it was first asked for under this key."""
        return self._others.get(key, make)

    def _committee_verdicts(self, name: str) -> tuple[Ints, VerdictCube]:
        committee = self.info.committees[name]
        present = [p for p in self.inventory.values("paradigm") if p in RUBRIC_PARADIGMS]
        paradigm = committee.paradigm or (present[0] if present else "single_rubric")
        selection = Selection(paradigm=paradigm, variant=committee.variant or "default")
        return committee_members(self.files, self.index, name), self._verdicts(selection)
