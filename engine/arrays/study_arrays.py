"""A study's judgments as arrays, read on first use and cached: what measures are computed from."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Self

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.arrays.bits.bitsets import Words
from engine.arrays.bits.rubric_agreement import RubricAgreement
from engine.arrays.bits.verdicts import VerdictCube, cached_verdicts
from engine.arrays.encoding import integers, numbers
from engine.arrays.index import StudyIndex
from engine.arrays.inventory import Inventory, cached_inventory
from engine.arrays.judgment_rows import Selection, read_rows, stored_responses
from engine.arrays.list_ranks import ListCube, read_lists
from engine.arrays.once_cache import Cached, OnceCache
from engine.arrays.pairs.pair_outcomes import PairCube, read_pairs
from engine.arrays.scores.criteria_of_scores import criteria_of_scores
from engine.arrays.scores.criterion_scores import CriterionScores, every_criterion, read_criterion_scores
from engine.arrays.scores.scores import ScoreCube, read_scores
from engine.arrays.slicing.resolve import ResolvedSlice
from engine.arrays.study_cache import StudyCache
from engine.arrays.truths.reference_planes import Planes, ReferencePlanes
from engine.arrays.truths.references import References, committee_members
from engine.errors import UsageError, unknown
from engine.paradigms import RUBRIC_PARADIGMS, TRAITS
from engine.phrases import quantity
from engine.slices import parts_of
from engine.stats import Floats, Ints
from engine.stats.intervals.bootstrap import cluster_weights
from engine.store.study_files import StudyFiles, StudyInfo

Cube = VerdictCube | ScoreCube | PairCube | ListCube

_MOST_DRAWN = 1 << 30
"""Most weights of questions in resamples, which take four bytes each."""
_MOST, _MOST_WEIGHTS = 16, 4
"""How many cubes, references and so on are cached, each: a committee chosen by hand adds its own."""


class StudyArrays:
    """One study as arrays. The stored tables never change under it.

    Safe to share between threads: arrays are built once, however many request them, and never changed.
    `only_runs` are the runs that count, if not all do.
    """

    def __init__(self, files: StudyFiles, only_runs: tuple[str, ...] = ()) -> None:
        self.files, self.only_runs = files, only_runs
        self._cache = StudyCache(files)
        self._facts, self._weights = OnceCache(), OnceCache(_MOST_WEIGHTS)
        self._cubes, self._references, self._planes, self._agreements, self._others = (
            OnceCache(_MOST) for _ in range(5)
        )

    def __reduce__(self) -> tuple[type[Self], tuple[StudyFiles, tuple[str, ...]]]:
        """Return what a copy is made of, in this process or another: it reads the files anew."""
        return type(self), (self.files, self.only_runs)

    def __eq__(self, other: object) -> bool:
        """Return whether the other is the same study in the same version, with the same runs."""
        if not isinstance(other, StudyArrays):
            return NotImplemented
        one, two = self.files.location, other.files.location
        return (one.path, self.only_runs, self.info) == (two.path, other.only_runs, other.info) and bool(
            one.filesystem == two.filesystem
        )

    def __hash__(self) -> int:
        return hash((self.files.location.path, self.only_runs))

    @property
    def name(self) -> str:
        return self.files.name

    @property
    def info(self) -> StudyInfo:
        return self.files.info

    def as_now(self) -> Self:
        """Return the study with the current `study.json` and the same arrays: stories change no number."""
        now = type(self).__new__(type(self))
        now.__dict__.update(vars(self))
        now.files = StudyFiles(self.files.location)
        return now

    @property
    def index(self) -> StudyIndex:
        """Models, instances and rubrics by position."""
        return self._facts.get("index", lambda: StudyIndex.read(self.files))

    @property
    def verdict_criteria(self) -> Words:
        """The criteria that an answer's score by verdicts takes: all but those that have scores instead."""

        def pack() -> Words:
            criteria = criteria_of_scores(self.files, self.index, self.inventory_of_all_runs)
            return self.index.layout.pack(~criteria)

        return self._facts.get("verdict criteria", pack)

    @property
    def inventory(self) -> Inventory:
        return self._facts.get("inventory", self._inventory)

    def _inventory(self) -> Inventory:
        whole = self.inventory_of_all_runs
        return whole.of_runs(self.only_runs) if self.only_runs else whole

    @property
    def inventory_of_all_runs(self) -> Inventory:
        """The judgments of the study, those of runs that are left out too."""
        return self._facts.get("inventory of all runs", lambda: cached_inventory(self._cache, self.files))

    @property
    def references(self) -> References:
        parts = (self.index, self._committee_verdicts, self._cache)
        return self._facts.get("references", lambda: References(self.files, *parts))

    @property
    def has_truth(self) -> bool:
        """Whether anything tells right from wrong: a reference, or a committee that may be one."""
        return bool(self.references.sources or self.info.committees)

    def within_runs(self, flags: Mapping[str, Any]) -> dict[str, Any]:
        """Return flags that keep no other than the study's `only_runs`; UsageError for another run."""
        within = dict(flags)
        if self.only_runs:
            runs = parts_of(within["run"]) if within.get("run") else self.only_runs
            for run in runs:
                if run not in self.only_runs:
                    raise unknown("run", run, self.only_runs)
            within["run"] = tuple(runs)
        return within

    def cube(self, selection: Selection) -> Cube:
        return self._cubes.get(selection, lambda: self._read(selection))

    def _read(self, selection: Selection) -> Cube:
        traits = TRAITS[selection.paradigm]
        if traits.of_rubrics:
            return cached_verdicts(self._cache, self.files, self.index, selection)
        if traits.subject in ("response", "words"):
            return read_scores(self.files, self.index, selection)
        if traits.of_pairs:
            return read_pairs(self.files, self.index, selection)
        if traits.of_lists:
            return read_lists(self.files, self.index, selection)
        if traits.subject == "options":
            return every_criterion(self.criterion_scores(selection))
        raise UsageError(f"{selection.paradigm!r} judgments cannot compare answers")

    def criterion_scores(self, selection: Selection) -> CriterionScores:
        """Return the scores by criterion of a selection."""
        key = ("criterion scores", selection)
        return self.remember(key, lambda: read_criterion_scores(self.files, self.index, selection))

    def reference_planes(self, cube: Cube, request: ResolvedSlice) -> ReferencePlanes:
        """Return the request's reference on the responses of a cube."""
        key = (request.source, request.exclusion, cube.judges.tobytes(), cube.generators.tobytes())
        arguments = (request.source, cube.judges, cube.generators, request.exclusion)
        return self._references.get(key, lambda: self.references.planes(*arguments))

    def planes(self, cube: VerdictCube, request: ResolvedSlice) -> Planes:
        """Return the cube compared with the request's reference."""
        reference = self.reference_planes(cube, request)
        key = (id(cube), id(reference))  # both live as long as the planes that hold them
        return self._planes.get(key, lambda: Planes(self.index, cube, reference))

    def agreement(self, selection: Selection) -> RubricAgreement:
        """Return how far the judges of a selection of rubric verdicts agree."""
        return self._agreements.get(selection, lambda: RubricAgreement(self.index, self._verdicts(selection)))

    def positions(self, selection: Selection) -> NDArray[np.int16]:
        """Return the place of each rubric in the order shown: (judges, generators, rubrics), 0 unknown."""
        cube, index = self._verdicts(selection), self.index
        rows = read_rows(self.files, index, selection, ("rubric_id", "position"))
        rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
        row, column = (
            np.searchsorted(cube.judges, rows.judge),
            np.searchsorted(cube.generators, rows.generator),
        )
        places = np.zeros((len(cube.judges), len(cube.generators), index.n_rubrics), dtype=np.int16)
        places[row, column, rubric] = integers(rows.table.column("position"), 0)
        return places

    def response_lengths(self, selection: Selection) -> Floats:
        """Return the characters of each response of the cube's generators, NaN where there is no text.

        Shape (generators, instances); for rubric verdicts that of the response under each rubric, shape
        (1, generators, rubrics).
        """
        cube, index = self.cube(selection), self.index
        lengths = self.characters(selection.transform)[cube.generators]
        return lengths[None, :, index.layout.instance_of] if isinstance(cube, VerdictCube) else lengths

    def characters(self, transform: str) -> Floats:
        """Return the characters of all responses, shape (models, instances); NaN where there is no text."""
        place, texts = stored_responses(self.files, self.index, transform, "text")
        lengths = np.full((len(self.index.models), self.index.n_instances), np.nan)
        lengths[place] = numbers(pc.utf8_length(texts))
        return lengths

    def _verdicts(self, selection: Selection) -> VerdictCube:
        cube = self.cube(selection)
        if not isinstance(cube, VerdictCube):
            raise UsageError(
                f"{selection.paradigm} judgments are not on criteria; choose a paradigm of criteria"
            )
        return cube

    def weights(self, resamples: int, seed: int) -> NDArray[np.float32]:
        """Return the bootstrap weights, shape (resamples, instances); the same for all slices.

        UsageError for more than memory holds.
        """
        most = _MOST_DRAWN // max(self.index.n_instances, 1)
        if resamples > most:
            questions = quantity(self.index.n_instances, "question")
            raise UsageError(
                f"resamples {resamples:,}: too many for {questions}; give at most {most:,}, 1000 to report "
                "numbers"
            )

        def draw() -> NDArray[np.float32]:
            return cluster_weights(self.index.n_instances, resamples, np.random.default_rng(seed))

        return self._weights.get((resamples, seed), draw)

    def remember(self, key: Hashable, make: Callable[[], Cached]) -> Cached:
        """Return the value cached under this key, else build it with `make`."""
        return self._others.get(key, make)

    def _committee_verdicts(self, name: str) -> tuple[Ints, VerdictCube]:
        committee = self.info.committees[name]
        present = [p for p in self.inventory.values("paradigm") if p in RUBRIC_PARADIGMS]
        paradigm = committee.paradigm or (present[0] if present else RUBRIC_PARADIGMS[0])
        runs = tuple(committee.runs or ())
        selection = Selection(paradigm=paradigm, variant=committee.variant or "default", runs=runs)
        return committee_members(self.files, self.index, name), self._verdicts(selection)
