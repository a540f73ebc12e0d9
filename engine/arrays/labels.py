"""The table `annotations`: what people said of each item of a task."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite
from typing import Any, Literal

import numpy as np

from engine.arrays.index import StudyIndex
from engine.errors import BadInputError, bad_row
from engine.stats.types import Bools, Ints
from engine.store.study_files import StudyFiles

Kind = Literal["equal_pair", "preference", "rubric_verdict", "score", "clusters"]
Level = Literal["nominal", "ordinal", "interval"]
Row = dict[str, Any]
Labelled = tuple[Row, tuple[Any, ...], Any]  # a row, the item that it is about, and its label

SETTLED = "adjudicated"
"""The annotator in whose name a settled label stands: it counts in the place of the majority."""

NO_LABEL = "cannot_tell"

LABELS: dict[str, tuple[str, ...]] = {
    "equal_pair": ("opponent", "equal", "generator"),
    "preference": ("opponent", "tie", "generator"),
    "rubric_verdict": ("not_met", "met"),
}
"""The labels of each kind, in ascending order; those of a score are numbers, clusters are a JSON object."""

EQUAL = {"equal_pair": 1, "clusters": 1}
"""Which label of a kind says that two responses are of equal quality."""

SAYS_EQUAL = EQUAL | {"preference": 1}
"""The same with preferences, of whose ties nobody said that they are of equal quality."""

LEVELS: dict[str, Level] = {"equal_pair": "ordinal", "preference": "ordinal", "score": "interval"}


@dataclass(frozen=True, eq=False)
class LabelTable:
    """One task's labels: `labels` and `again` of shape (items, people), -1 for none.

    `again` are those of the hidden repeats, `settled` (items,) those that stand over a majority. Of pairs,
    clusters too, `one` and `two` are the models, the earlier first; else -1, as `instance` is where none is
    named. `skipped` and `untold` count rows without a label: skipped, and of people who could not tell.
    """

    name: str
    kind: str
    people: tuple[str, ...]
    classes: tuple[Any, ...]
    labels: Ints
    again: Ints
    settled: Ints
    instance: Ints
    one: Ints
    two: Ints
    skipped: int
    untold: int

    @property
    def level(self) -> Level:
        """What the labels' differences mean."""
        return LEVELS.get(self.kind, "nominal")

    def of_items(self, keep: Bools) -> "LabelTable":
        """Return the task with some of its items."""
        names = ("labels", "again", "settled", "instance", "one", "two")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})

    def of_people(self, keep: list[int]) -> "LabelTable":
        """Return the task with some of its people, given by their places."""
        people = tuple(self.people[place] for place in keep)
        return replace(self, people=people, labels=self.labels[:, keep], again=self.again[:, keep])


def read_tasks(files: StudyFiles, index: StudyIndex) -> list[LabelTable]:
    """Read all tasks, in the order in which they first stand.

    Raises BadInputError naming the row for a kind or a label that is none.
    """
    return tasks_of(files.table("annotations").to_pylist(), index.models, index.instances.to_pylist())


def tasks_of(rows: Iterable[Row], models: Sequence[str], instances: Sequence[str]) -> list[LabelTable]:
    """Make tasks of rows of the table, in the order in which they stand; raises as `read_tasks` does."""
    tasks: dict[str, list[Row]] = {}
    for number, row in enumerate(rows, start=1):
        tasks.setdefault(row["task"], []).append(row | {"number": number})
    places = {model: place for place, model in enumerate(models)}
    known = {instance_id: place for place, instance_id in enumerate(instances)}
    return [_task(name, rows, places, known) for name, rows in tasks.items()]


def _task(name: str, rows: list[Row], models: dict[str, int], known: dict[str, int]) -> LabelTable:
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    if len(kinds) > 1:
        raise BadInputError(
            f"annotations: task {name!r} has several kinds, {kinds!r}; give each kind a task of its own"
        )
    kind = kinds[0]
    if kind not in (*LABELS, "score", "clusters"):
        raise _bad(rows[0], "kind", kind, (*LABELS, "score", "clusters"))
    skipped = sum(row["value"] is None for row in rows)
    untold = sum(row["value"] == NO_LABEL for row in rows)
    answered = [row for row in rows if row["value"] not in (None, NO_LABEL)]
    labelled = [one for row in answered for one in _labels(kind, row, models)]
    classes: tuple[Any, ...] = LABELS.get(kind, ("apart", "together"))
    if kind == "score":
        classes = tuple(sorted({label for _, _, label in labelled}))
        labelled = [(row, item, classes.index(label)) for row, item, label in labelled]
    people = tuple(dict.fromkeys(row["annotator"] for row in rows if row["annotator"] != SETTLED))
    places = {item: place for place, item in enumerate(dict.fromkeys(item for _, item, _ in labelled))}
    labels, again = (np.full((len(places), len(people)), -1) for _ in range(2))
    settled, instance, one, two = (np.full(len(places), -1) for _ in range(4))
    for row, item, label in labelled:
        place = places[item]
        instance[place] = known.get(row["instance_id"], -1)
        one[place], two[place] = item[1:] if len(item) > 1 else (-1, -1)
        if row["annotator"] == SETTLED:
            settled[place] = label
        else:
            (labels if row["round"] == 1 else again)[place, people.index(row["annotator"])] = label
    return LabelTable(
        name, kind, people, classes, labels, again, settled, instance, one, two, skipped, untold
    )


def _labels(kind: str, row: Row, models: dict[str, int]) -> Iterator[Labelled]:
    """Yield what a row says of which item; pairs are turned to the model that is earlier in the study."""
    value = row["value"]
    if kind == "clusters":
        levels = _levels(row, models)
        for one, two in combinations(sorted(levels), 2):
            yield row, (row["item"], one, two), int(levels[one] == levels[two])
    elif kind == "score":
        yield row, (row["item"],), _score(row)
    elif value not in LABELS[kind]:
        raise _bad(row, "value", value, LABELS[kind])
    elif kind == "rubric_verdict" or row["generator"] is None or row["opponent"] is None:
        yield row, (row["item"],), LABELS[kind].index(value)
    else:
        one, two = models[row["generator"]], models[row["opponent"]]
        label = LABELS[kind].index(value)
        turned = len(LABELS[kind]) - 1 - label
        yield row, (row["item"], min(one, two), max(one, two)), turned if one > two else label


def _score(row: Row) -> float:
    try:
        score = float(row["value"])
    except ValueError:
        score = float("nan")
    if not isfinite(score):
        raise _bad(row, "value", row["value"], ("a number",))
    return score


def _levels(row: Row, models: dict[str, int]) -> dict[int, Any]:
    try:
        levels = json.loads(row["value"])
    except json.JSONDecodeError:
        levels = None
    if not isinstance(levels, dict) or not set(levels) <= set(models):
        raise _bad(row, "value", row["value"], ('a JSON object of models and levels, {"model": 1, ...}',))
    return {models[name]: level for name, level in levels.items()}


def _bad(row: Row, column: str, value: Any, wanted: tuple[str, ...]) -> BadInputError:
    return bad_row("annotations", row["number"], f"{column} is {value!r}", f"write {', '.join(wanted)}")
