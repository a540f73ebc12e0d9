"""StudyArrays: what is read once and cached."""

import copy
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.arrays.attributes import read_positions, read_response_lengths
from engine.arrays.confusion import Planes, ReferencePlanes
from engine.arrays.index import Inventory, StudyIndex, kept_inventory
from engine.arrays.lists import ListCube, read_lists
from engine.arrays.packed_cache import Stored
from engine.arrays.pair_outcomes import PairCube, read_pairs
from engine.arrays.references import References, committee_members
from engine.arrays.resolve import ResolvedSlice
from engine.arrays.rows import Selection
from engine.arrays.scores import ScoreCube, read_scores
from engine.arrays.verdicts import Agreement, VerdictCube, kept_verdicts
from engine.errors import UsageError
from engine.schema import RUBRIC_PARADIGMS, TRAITS
from engine.stats.bootstrap import cluster_weights
from engine.stats.types import Floats, Ints
from engine.store.study_files import StudyFiles, StudyInfo

# ------------------------------------------------------------------------------
# What was made once and is kept for all who ask, of whatever thread.


Cached = TypeVar("Cached")


class _Place:
    """Where one value stands once it is made; those who ask meanwhile wait for it here."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.values: list[Any] = []


class OnceCache:
    """Values by key, the `most` that were asked for last of them; each is made by one thread alone.

    Who asks for a value that another thread is making waits for it, so that there are never two of it. One
    that is made may ask for others, as long as none of them needs it in turn.
    """

    def __init__(self, most: int | None = None) -> None:
        """Keep `most` values, all of them where it is None."""
        self._most = most
        self._lock = Lock()
        self._places: dict[Hashable, _Place] = {}

    def get(self, key: Hashable, make: Callable[[], Cached]) -> Cached:
        """Return what is kept under the key, else what `make` makes; an error that it raises is not kept."""
        with self._lock:
            place = self._places.pop(key) if key in self._places else _Place()
            self._places[key] = place  # at the end, where those asked for last stand
            if self._most is not None and len(self._places) > self._most:
                del self._places[next(iter(self._places))]
        with place.lock:
            if not place.values:
                place.values.append(make())
            value: Cached = place.values[0]
            return value


# ------------------------------------------------------------------------------
# A study's judgments as arrays, read when first asked for and kept: what measures are taken of.


Cube = VerdictCube | ScoreCube | PairCube | ListCube


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
        self._facts, self._weights = OnceCache(), OnceCache(_MOST_WEIGHTS)
        self._cubes, self._references, self._planes, self._agreements, self._others = (
            OnceCache(_MOST) for _ in range(5)
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
        traits = TRAITS[selection.paradigm]
        if traits.of_rubrics:
            return kept_verdicts(self._stored, self.files, self.index, selection)
        if traits.subject in ("response", "words"):
            return read_scores(self.files, self.index, selection)
        if traits.of_pairs:
            return read_pairs(self.files, self.index, selection)
        if traits.of_lists:
            return read_lists(self.files, self.index, selection)
        raise UsageError(f"{selection.paradigm!r} judgments cannot compare responses")

    def reference_planes(self, cube: Cube, request: ResolvedSlice) -> ReferencePlanes:
        """Return the request's reference on the responses of a cube."""
        key = (request.source, request.exclusion, cube.judges.tobytes(), cube.generators.tobytes())
        return self._references.get(
            key,
            lambda: self.references.planes(request.source, cube.judges, cube.generators, request.exclusion),
        )

    def planes(self, cube: VerdictCube, request: ResolvedSlice) -> Planes:
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
            raise UsageError(f"{selection.paradigm} judgments are not on rubrics; choose a rubric paradigm")
        return cube

    def weights(self, resamples: int, seed: int) -> NDArray[np.float32]:
        """Return the bootstrap weights, shape (resamples, instances); the same for all slices."""
        return self._weights.get(
            (resamples, seed),
            lambda: cluster_weights(self.index.n_instances, resamples, np.random.default_rng(seed)),
        )

    def remember(self, key: Hashable, make: Callable[[], Cached]) -> Cached:
        """Return what `make` gave when it was first asked for under this key."""
        return self._others.get(key, make)

    def _committee_verdicts(self, name: str) -> tuple[Ints, VerdictCube]:
        committee = self.info.committees[name]
        present = [p for p in self.inventory.values("paradigm") if p in RUBRIC_PARADIGMS]
        paradigm = committee.paradigm or (present[0] if present else RUBRIC_PARADIGMS[0])
        selection = Selection(paradigm=paradigm, variant=committee.variant or "default")
        return committee_members(self.files, self.index, name), self._verdicts(selection)
