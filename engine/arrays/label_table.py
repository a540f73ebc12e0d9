"""The table `annotations`: people's labels of each item of a task."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite
from typing import Any, Literal

import numpy as np

from engine.arrays.index import StudyIndex
from engine.errors import BadInputError, bad_row
from engine.phrases import join_names
from engine.stats import Bools, Ints
from engine.store.study_files import StudyFiles

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


_OF_PAIRS = ("equal_pair", "preference")

LEVELS: dict[str, Level] = {"equal_pair": "ordinal", "preference": "ordinal", "score": "interval"}


@dataclass(frozen=True, eq=False)
class LabelTable:
    """One task's labels: `labels` and `again` of shape (items, people), -1 for none.

    `again` are those of the hidden repeats, `adjudicated` (items,) those that override a majority. For pairs
    and clusters, `one` and `two` are the models, else -1: of pairs in the order of the item's first label, so
    that kappa is that of the labels as stored, of clusters the earlier first; `instance` is -1 for none.
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
        tasks.setdefault(row["task"], []).append({"number": number} | row)
    places = {model: place for place, model in enumerate(models)}
    instance_places = {instance_id: place for place, instance_id in enumerate(instances)}
    return [_task(name, rows, places, instance_places) for name, rows in tasks.items()]


def _task(name: str, rows: list[Row], models: dict[str, int], instance_places: dict[str, int]) -> LabelTable:
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    if len(kinds) > 1:
        problem = f"labels: task {name!r} has several kinds, {kinds!r}"
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
    is_turned: dict[int, bool] = {}
    for row, item, label in labelled:
        place = places[item]
        instance[place] = instance_places.get(row["instance_id"], -1)
        if place not in is_turned:
            is_turned[place] = kind in _OF_PAIRS and len(item) > 1 and models[row["generator"]] != item[1]
        if is_turned[place]:
            label = len(classes) - 1 - label
        pair = item[1:] if len(item) > 1 else (-1, -1)
        one[place], two[place] = pair[::-1] if is_turned[place] else pair
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
            raise _bad(row, "value", value, allowed_labels(kind))
        yield row, (row["item"],), score
    elif value not in LABELS[kind]:
        raise _bad(row, "value", value, allowed_labels(kind))
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
        raise _bad(row, "value", row["value"], allowed_labels("clusters"))
    return {models[name]: level for name, level in levels.items()}


def allowed_labels(kind: str) -> tuple[str, ...]:
    """Return what the labels of a kind may be, in words where they are numbers or levels."""
    if kind == "clusters":
        return ('a JSON object of models and levels, {"model": 1, ...}',)
    if kind == "score":
        return ("a number",)
    return (*LABELS[kind][::-1], *((NO_LABEL,) if kind == "rubric_verdict" else ()))


def _bad(row: Row, column: str, value: Any, choices: tuple[str, ...]) -> BadInputError:
    remedy = f"write {join_names(choices, last='or')}"
    if column == "value":
        remedy += ", or leave it empty where the item was skipped"
    return bad_row("annotations", row["number"], f"{column} is {value!r}", remedy)
