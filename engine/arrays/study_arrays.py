"""StudyArrays: a study read once and cached; positions, lengths and costs of its judgments."""

import copy
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, Self, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.arrays.bitsets import StudyCache
from engine.arrays.confusion import Planes, ReferencePlanes
from engine.arrays.criterion_scores import CriterionScores, every_criterion, read_criterion_scores
from engine.arrays.index import (
    Inventory,
    Selection,
    StudyIndex,
    cached_inventory,
    encode,
    integers,
    numbers,
    read_rows,
    stored_responses,
)
from engine.arrays.pair_outcomes import PairCube, read_pairs
from engine.arrays.references import References, committee_members
from engine.arrays.resolve import ResolvedSlice
from engine.arrays.score_options import ListCube, read_lists
from engine.arrays.scores import ScoreCube, read_scores
from engine.arrays.verdicts import Agreement, VerdictCube, cached_verdicts
from engine.errors import UsageError
from engine.schema import RUBRIC_PARADIGMS, TRAITS
from engine.stats import Bools, Floats, Ints
from engine.stats.bootstrap import cluster_weights
from engine.store.arrow_types import text_array
from engine.store.study_files import StudyFiles, StudyInfo

# ------------------------------------------------------------------------------
# Which call each judgment came from, and what was recorded about it.


ONE_EACH = tuple(name for name, traits in TRAITS.items() if traits.one_rubric_a_call)
"""The paradigms in which a call asks for one rubric; in the others it may ask for several."""

IDENTITY = ("instance_id", "generator", "opponent", "first", "ordering", "trial", "run_id", "transform")
"""What distinguishes calls of one judge, paradigm and variant that have no `call_id`."""

RECORDED = ("prompt_tokens", "completion_tokens", "cost_usd")
"""What one row of each call holds, if it was recorded."""

_COLUMNS = ("judge", "paradigm", "variant", "call_id", "status", "rubric_id", *IDENTITY, *RECORDED)


@dataclass(frozen=True, eq=False)
class CallRows:
    """Judgment rows with the number of their call; `paradigm` and `variant` are places in the lists."""

    judge: Ints
    paradigms: list[str]
    paradigm: Ints
    variants: list[str]
    variant: Ints
    call: Ints
    ok: Bools
    recorded: Mapping[str, Floats]  # tokens and cost, NaN for none

    @classmethod
    def read(cls, files: StudyFiles, index: StudyIndex, where: Mapping[str, tuple[str, ...]]) -> "CallRows":
        table = files.judgments(_COLUMNS, where)
        paradigms, paradigm = _values(table, "paradigm")
        variants, variant = _values(table, "variant")
        ok = encode(table.column("status"), text_array(("ok",))) == 0
        recorded = {name: numbers(table.column(name)) for name in RECORDED}
        judge = encode(table.column("judge"), index.model_names)
        return cls(judge, paradigms, paradigm, variants, variant, _calls(table), ok, recorded)


def _calls(table: pa.Table) -> Ints:
    """Return for each row the number of its call, below 0 where no call was recorded."""
    call_id = _codes(table.column("call_id"))
    alone = encode(table.column("paradigm"), text_array(ONE_EACH)) >= 0
    key = np.where(alone, _codes(table.column("rubric_id")), -1)
    for name in ("judge", "paradigm", "variant", *IDENTITY):
        codes = _codes(table.column(name))
        _, key = np.unique((key + 1) * (int(codes.max(initial=0)) + 2) + codes + 1, return_inverse=True)
    return np.where(call_id < 0, -1 - key, call_id)


def _codes(column: pa.ChunkedArray) -> Ints:
    """Return the place of each value among the distinct ones, -1 for null."""
    return encode(column, pc.unique(column.cast(pa.string())).drop_null())


def _values(table: pa.Table, name: str) -> tuple[list[str], Ints]:
    """Return the values of a column in the order found, and the place of each row's among them."""
    values = pc.unique(table.column(name).cast(pa.string()))
    return values.to_pylist(), encode(table.column(name), values)


# ------------------------------------------------------------------------------
# The cost of judging, judge by judge.


class CostedRows:
    """Judgment rows with what each cost: `generator` and, for pairs, `opponent` are positions of models."""

    def __init__(self, files: StudyFiles, index: StudyIndex, selection: Selection) -> None:
        """Read the rows of one selection, whatever their status."""
        rows = read_rows(files, index, selection, ("opponent", "cost_usd"))
        self.judge, self.instance, self.generator = rows.judge, rows.instance, rows.generator
        self.opponent = encode(rows.table.column("opponent"), index.model_names)
        self._cost = rows.number("cost_usd")

    def total(self, judges: Ints, keep: Callable[[Any], Bools]) -> Floats:
        """Return the cost of each judge's rows that `keep` marks; NaN where none is stored."""
        rows = keep(self) & np.isin(self.judge, judges) & ~np.isnan(self._cost)
        place = np.searchsorted(judges, self.judge[rows])
        number = np.bincount(place, minlength=len(judges))
        cost = np.bincount(place, weights=self._cost[rows], minlength=len(judges))
        return np.where(number > 0, cost, np.nan)


# ------------------------------------------------------------------------------
# A cache of values that are built once for all threads.


Cached = TypeVar("Cached")


@dataclass
class _Place:
    """The place of one value; a thread that requests it while it is built waits for the lock."""

    lock: Any = field(default_factory=RLock)
    values: list[Any] = field(default_factory=list)


class OnceCache:
    """The `most` values requested last (None: all), by key; each is built by one thread only.

    A thread that requests a value while another builds it waits, so that it is built only once. Building a
    value may request others, as long as none of them needs it in turn.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._lock = Lock()
        self._places: dict[Hashable, _Place] = {}

    def get(self, key: Hashable, make: Callable[[], Cached]) -> Cached:
        """Return the value cached under the key, else build it with `make`; its errors are not cached."""
        with self._lock:
            place = self._places.pop(key) if key in self._places else _Place()
            self._places[key] = place  # at the end, with those requested last
            if self._most is not None and len(self._places) > self._most:
                del self._places[next(iter(self._places))]
        with place.lock:
            if not place.values:
                place.values.append(make())
            value: Cached = place.values[0]
            return value


# ------------------------------------------------------------------------------
# A study's judgments as arrays, read on first use and cached: what measures are computed from.


Cube = VerdictCube | ScoreCube | PairCube | ListCube


_MOST, _MOST_WEIGHTS = 16, 4
"""How many cubes, references and so on are cached, each: a committee chosen by hand adds its own."""


class StudyArrays:
    """One study as arrays. The stored tables never change under it.

    Safe to share between threads: arrays are built once, however many request them, and never changed.
    """

    def __init__(self, files: StudyFiles) -> None:
        self.files = files
        self._cache = StudyCache(files)
        self._facts, self._weights = OnceCache(), OnceCache(_MOST_WEIGHTS)
        self._cubes, self._references, self._planes, self._agreements, self._others = (
            OnceCache(_MOST) for _ in range(5)
        )

    @property
    def name(self) -> str:
        return self.files.name

    @property
    def info(self) -> StudyInfo:
        return self.files.info

    def as_now(self) -> Self:
        """Return the study with the current `study.json` and the same arrays: stories change no number."""
        now = copy.copy(self)
        now.files = StudyFiles(self.files.location)
        return now

    @property
    def index(self) -> StudyIndex:
        """Models, instances and rubrics by position."""
        return self._facts.get("index", lambda: StudyIndex.read(self.files))

    @property
    def inventory(self) -> Inventory:
        return self._facts.get("inventory", lambda: cached_inventory(self._cache, self.files))

    @property
    def references(self) -> References:
        parts = (self.index, self._committee_verdicts, self._cache)
        return self._facts.get("references", lambda: References(self.files, *parts))

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
        raise UsageError(f"{selection.paradigm!r} judgments cannot compare responses")

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

    def agreement(self, selection: Selection) -> Agreement:
        """Return how far the judges of a selection of rubric verdicts agree."""
        return self._agreements.get(selection, lambda: Agreement(self.index, self._verdicts(selection)))

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
        place, texts = stored_responses(self.files, index, selection.transform, "text")
        lengths = np.full((len(index.models), index.n_instances), np.nan)
        lengths[place] = numbers(pc.utf8_length(texts))
        lengths = lengths[cube.generators]
        return lengths[None, :, index.layout.instance_of] if isinstance(cube, VerdictCube) else lengths

    def _verdicts(self, selection: Selection) -> VerdictCube:
        cube = self.cube(selection)
        if not isinstance(cube, VerdictCube):
            raise UsageError(f"{selection.paradigm} judgments are not on rubrics; choose a rubric paradigm")
        return cube

    def weights(self, resamples: int, seed: int) -> NDArray[np.float32]:
        """Return the bootstrap weights, shape (resamples, instances); the same for all slices."""

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
        selection = Selection(paradigm=paradigm, variant=committee.variant or "default")
        return committee_members(self.files, self.index, name), self._verdicts(selection)
