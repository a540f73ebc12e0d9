"""Which truth counts: programs, people, committees (MEASURES section 7); people's labels of items."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isfinite
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.bitsets import CacheEntry, StudyCache, Words
from engine.arrays.confusion import ReferencePlanes
from engine.arrays.index import Relatives, StudyIndex, integers, positions
from engine.arrays.verdicts import VerdictCube
from engine.errors import BadInputError, UsageError, bad_row, unknown
from engine.stats import Bools, Ints
from engine.stats.agreement import majority, packed_majority
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# Which truth counts: programs, people, committees (MEASURES section 7).


FEWEST_MEMBERS = 3  # the fewest committee members with a verdict for a reference
COMMITTEE = "committee:"
NONE = "none"  # the source that means no reference
HUMAN = "human"  # all people together; one person is `human:NAME`


@dataclass(frozen=True)
class Exclusion:
    """Which members of a committee do not vote when a judge is compared with it."""

    exclude_family: bool = False
    leave_self_out: bool = False
    relatives: Relatives = "family"

    def __bool__(self) -> bool:
        """Whether the reference depends on the judge."""
        return self.exclude_family or self.leave_self_out


@dataclass(frozen=True, eq=False)
class References:
    """The reference sources of a study."""

    _files: StudyFiles
    _index: StudyIndex
    _committee_verdicts: Callable[[str], tuple[Ints, VerdictCube]]  # of members, by name
    _cache: StudyCache  # what was read, from one opening to the next

    @cached_property
    def stored_sources(self) -> tuple[str, ...]:
        """The sources in the table, sorted."""

        def read() -> tuple[str, ...]:
            column = self._files.table("references", ("source",)).column("source")
            return tuple(sorted(pc.unique(column.cast(pa.string())).to_pylist()))

        return self._cache.cached_or_built(
            "reference sources",
            read,
            lambda sources: CacheEntry(facts={"sources": sources}),
            lambda entry: tuple(entry.facts["sources"]),
        )

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Every source: the stored ones, `human` if there is a person, and the committees."""
        people = [HUMAN] if any(is_human(source) for source in self.stored_sources) else []
        committees = [COMMITTEE + name for name in self._files.info.committees]
        return tuple(dict.fromkeys((*people, *self.stored_sources, *committees)))

    def choose(self, source: str | None) -> str | None:
        """Return the source requested, or the default: `program`, else `human`, else the only one.

        None if the study has none, or none is wanted; UsageError if the choice is ambiguous or unknown.
        """
        if source == NONE:
            return None
        if source is not None:
            if source not in self.sources:
                raise unknown("reference", source, self.sources)
            return source
        for preferred in ("program", HUMAN):
            if preferred in self.sources:
                return preferred
        if len(self.sources) > 1:
            problem = "the study has several references and no default"
            raise UsageError(f"{problem}; choose one with --reference: {', '.join(self.sources)}")
        return self.sources[0] if self.sources else None

    def planes(
        self, source: str | None, judges: Ints, generators: Ints, exclusion: Exclusion
    ) -> ReferencePlanes:
        """Return the source's verdicts on the generators' responses, for each judge where they differ."""
        if source is None:
            nothing = np.zeros((1, len(generators), self._index.layout.n_words), dtype=np.uint64)
            return ReferencePlanes(nothing, nothing, nothing)
        name = source.removeprefix(COMMITTEE)
        defined = source.startswith(COMMITTEE) and name in self._files.info.committees
        if defined and (exclusion or source not in self.stored_sources):
            return self._committee(name, judges, generators, exclusion)
        if exclusion and source.startswith(COMMITTEE):
            raise UsageError(
                f"study.json does not list the members of {source!r}, so none can be left out; "
                f"define it with `spb reference committee --name {name} --members ...`"
            )
        of_all = self._cache.cached_or_built(
            f"reference {source}",
            lambda: self._stored_planes(source),
            lambda planes: CacheEntry(vars(planes)),
            self._unpack,
        )
        return ReferencePlanes(*(plane[:, generators] for plane in vars(of_all).values()))

    def _unpack(self, entry: CacheEntry) -> ReferencePlanes:
        planes = ReferencePlanes(**entry.arrays)
        shape = (1, len(self._index.models), self._index.layout.n_words)
        if any(plane.shape != shape for plane in vars(planes).values()):
            raise ValueError(f"it has the shape {planes.met.shape}, the study {shape}")
        return planes

    def _stored_planes(self, source: str) -> ReferencePlanes:
        """Return stored verdicts on the responses of all models; for people, the strict majority."""
        sources = [s for s in self.stored_sources if (is_human(s) if source == HUMAN else s == source)]
        columns = ("instance_id", "generator", "rubric_id", "met")
        table = self._files.table("references", columns, {"source": sources})
        (model, _), rubric = self._index.responses_of(table), self._index.rubrics_of(table)
        valid = (model >= 0) & (rubric >= 0)
        shape = (len(self._index.models), self._index.n_rubrics)
        met = integers(table.column("met").cast(pa.int8()), -1)
        cell = model * shape[1] + rubric
        size = int(np.prod(shape))
        voters = np.bincount(cell[valid & (met >= 0)], minlength=size)
        ayes = np.bincount(cell[valid & (met == 1)], minlength=size)
        verdict, decided = majority(ayes, voters)
        divided = (voters > 0) & ~decided
        if source.startswith(COMMITTEE):  # stored without a verdict where its members were divided
            divided[cell[valid & (met < 0)]] = True
        pack = self._index.layout.pack
        return ReferencePlanes(*(pack(part.reshape(1, *shape)) for part in (verdict, decided, divided)))

    def _committee(self, name: str, judges: Ints, generators: Ints, exclusion: Exclusion) -> ReferencePlanes:
        """Return the majority of the members' verdicts, without those that `exclusion` leaves out."""
        members, cube = self._committee_verdicts(name)
        is_member = np.isin(cube.judges, members)
        relations = self._index.relations(judges, cube.judges, exclusion.relatives)
        out = relations.family_with_self if exclusion.exclude_family else relations.self_mask
        votes = is_member & ~out if exclusion else is_member[None, :]
        judged = np.isin(generators, cube.generators)
        column = np.searchsorted(cube.generators, generators[judged])
        met, ok = cube.met[:, column], cube.ok[:, column]
        shape = (len(votes), len(generators), self._index.layout.n_words)
        verdict, decided, divided = (np.zeros(shape, dtype=np.uint64) for _ in range(3))
        for row, voting in enumerate(votes):
            verdict[row, judged], decided[row, judged], divided[row, judged] = vote(met[voting], ok[voting])
        return ReferencePlanes(verdict, decided, divided)


def vote(met: Words, ok: Words, at_least: int = FEWEST_MEMBERS) -> tuple[Words, Words, Words]:
    """Return (verdict, decided, divided) of a committee from its members' planes along the first axis.

    Decided where at least three members (or `at_least`) have a verdict and one side has more than half of
    them; divided where enough have one and the sides are even.
    """
    return packed_majority(met & ok, ok & ~met, at_least)


def is_human(source: str) -> bool:
    """Return whether a source is a person, or all people together."""
    return source == HUMAN or source.startswith(f"{HUMAN}:")


def committee_members(files: StudyFiles, index: StudyIndex, name: str) -> Ints:
    """Return the positions of a committee's members; UsageError for one that the study does not know."""
    members = files.info.committees[name].members
    for member in members:
        if member not in index.models:
            raise unknown(f"member of committee {name!r}", member, index.models)
    return positions(members, index.models)


# ------------------------------------------------------------------------------
# The table `annotations`: people's labels of each item of a task.


Kind = Literal["equal_pair", "preference", "rubric_verdict", "score", "clusters"]
Level = Literal["nominal", "ordinal", "interval"]
Row = dict[str, Any]

ADJUDICATOR = "adjudicated"  # the annotator's name on a settled label, which counts in place of the majority
NO_LABEL = "cannot_tell"

LABELS: dict[str, tuple[str, ...]] = {
    "equal_pair": ("opponent", "equal", "generator"),
    "preference": ("opponent", "tie", "generator"),
    "rubric_verdict": ("not_met", "met"),
}
"""The labels of each kind, in ascending order; those of a score are numbers, clusters are a JSON object."""

EQUAL = {"equal_pair": 1, "clusters": 1}
"""Which label of a kind means that two responses are of equal quality."""

SAYS_EQUAL = EQUAL | {"preference": 1}
"""The same with preferences, although nobody labelled their ties as of equal quality."""

LEVELS: dict[str, Level] = {"equal_pair": "ordinal", "preference": "ordinal", "score": "interval"}


@dataclass(frozen=True, eq=False)
class LabelTable:
    """One task's labels: `labels` and `again` of shape (items, people), -1 for none.

    `again` are those of the hidden repeats, `adjudicated` (items,) those that override a majority. For pairs
    and clusters, `one` and `two` are the models, the earlier first, else -1; `instance` is -1 for none.
    `skipped` and `cannot_tell` count rows without a label: skipped, or the person could not tell.
    """

    name: str
    kind: str
    people: tuple[str, ...]
    classes: tuple[Any, ...]
    labels: Ints
    again: Ints
    adjudicated: Ints
    instance: Ints
    one: Ints
    two: Ints
    skipped: int
    cannot_tell: int

    @property
    def level(self) -> Level:
        return LEVELS.get(self.kind, "nominal")

    def of_items(self, keep: Bools) -> "LabelTable":
        names = ("labels", "again", "adjudicated", "instance", "one", "two")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})

    def of_people(self, keep: list[int]) -> "LabelTable":
        """Return the task with some of its people, given by their places."""
        people = tuple(self.people[place] for place in keep)
        return replace(self, people=people, labels=self.labels[:, keep], again=self.again[:, keep])


def read_tasks(files: StudyFiles, index: StudyIndex) -> list[LabelTable]:
    """Read all tasks in the order in which they first appear; BadInputError for an invalid kind or label."""
    return tasks_of(files.table("annotations").to_pylist(), index.models, index.instances.to_pylist())


def tasks_of(rows: Iterable[Row], models: Sequence[str], instances: Sequence[str]) -> list[LabelTable]:
    """Make tasks from rows of the table, in their order; raises as `read_tasks`."""
    tasks: dict[str, list[Row]] = {}
    for number, row in enumerate(rows, start=1):
        tasks.setdefault(row["task"], []).append(row | {"number": number})
    places = {model: place for place, model in enumerate(models)}
    instance_places = {instance_id: place for place, instance_id in enumerate(instances)}
    return [_task(name, rows, places, instance_places) for name, rows in tasks.items()]


def _task(name: str, rows: list[Row], models: dict[str, int], instance_places: dict[str, int]) -> LabelTable:
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    if len(kinds) > 1:
        problem = f"annotations: task {name!r} has several kinds, {kinds!r}"
        raise BadInputError(f"{problem}; give each kind a task of its own")
    kind, values = kinds[0], [row["value"] for row in rows]
    if kind not in (*LABELS, "score", "clusters"):
        raise _bad(rows[0], "kind", kind, (*LABELS, "score", "clusters"))
    answered = [row for row in rows if row["value"] not in (None, NO_LABEL)]
    labelled = [each for row in answered for each in _labels(kind, row, models)]
    classes: tuple[Any, ...] = LABELS.get(kind, ("apart", "together"))
    if kind == "score":
        classes = tuple(sorted({label for _, _, label in labelled}))
        labelled = [(row, item, classes.index(label)) for row, item, label in labelled]
    people = tuple(dict.fromkeys(row["annotator"] for row in rows if row["annotator"] != ADJUDICATOR))
    places = {item: place for place, item in enumerate(dict.fromkeys(item for _, item, _ in labelled))}
    labels, again = (np.full((len(places), len(people)), -1) for _ in range(2))
    adjudicated, instance, one, two = (np.full(len(places), -1) for _ in range(4))
    for row, item, label in labelled:
        place = places[item]
        instance[place] = instance_places.get(row["instance_id"], -1)
        one[place], two[place] = item[1:] if len(item) > 1 else (-1, -1)
        if row["annotator"] == ADJUDICATOR:
            adjudicated[place] = label
        else:
            (labels if row["round"] == 1 else again)[place, people.index(row["annotator"])] = label
    no_label = (values.count(None), values.count(NO_LABEL))
    return LabelTable(name, kind, people, classes, labels, again, adjudicated, instance, one, two, *no_label)


def _labels(kind: str, row: Row, models: dict[str, int]) -> Iterator[tuple[Row, tuple[Any, ...], Any]]:
    """Yield a row with each item it is about and its label; pairs are seen from the earlier model."""
    value = row["value"]
    if kind == "clusters":
        levels = _levels(row, models)
        for one, two in combinations(sorted(levels), 2):
            yield row, (row["item"], one, two), int(levels[one] == levels[two])
    elif kind == "score":
        try:
            score = float(value)
        except ValueError:
            score = float("nan")
        if not isfinite(score):
            raise _bad(row, "value", value, ("a number",))
        yield row, (row["item"],), score
    elif value not in LABELS[kind]:
        raise _bad(row, "value", value, LABELS[kind])
    elif kind == "rubric_verdict" or row["generator"] is None or row["opponent"] is None:
        yield row, (row["item"],), LABELS[kind].index(value)
    else:
        one, two = models[row["generator"]], models[row["opponent"]]
        label = LABELS[kind].index(value)
        opposite = len(LABELS[kind]) - 1 - label
        yield row, (row["item"], min(one, two), max(one, two)), opposite if one > two else label


def _levels(row: Row, models: dict[str, int]) -> dict[int, Any]:
    try:
        levels = json.loads(row["value"])
    except (json.JSONDecodeError, RecursionError):
        levels = None
    fits = isinstance(levels, dict) and set(levels) <= set(models)
    if not fits or not all(type(level) in (int, float) and isfinite(level) for level in levels.values()):
        raise _bad(row, "value", row["value"], ('a JSON object of models and levels, {"model": 1, ...}',))
    return {models[name]: level for name, level in levels.items()}


def _bad(row: Row, column: str, value: Any, choices: tuple[str, ...]) -> BadInputError:
    return bad_row("annotations", row["number"], f"{column} is {value!r}", f"write {', '.join(choices)}")
