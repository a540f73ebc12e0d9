"""Everything that can be held against something else: references, preferences, judges, runs.

A source holds verdicts, outcomes of pairs, or scores, each about an item; two sources are compared on the
items that both have (MEASURES section 14).

- `values`: what a source says, what filters keep of it, and what people say together.
- `judged`: what judges say.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.cubes.arrow import encode, integers, numbers, text_array
from engine.cubes.rows import Selection
from engine.errors import UsageError, unknown
from engine.sources.judged import judged, of_run
from engine.sources.values import (
    KINDS,
    Bools,
    Floats,
    Kept,
    Kind,
    Values,
    majority,
    mean,
    most,
    pair_item,
    rubric_item,
)

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

__all__ = ["KINDS", "OTHERS", "Kept", "Kind", "Sources", "Values", "check"]

OTHERS = "human:others"
"""The majority of all people but the one it is compared with."""

_PERSON = "human:"


class Sources:
    """The sources of a study, read for one selection of judgments."""

    def __init__(self, study: "StudyArrays", selection: Selection | None, kept: Kept) -> None:
        """Take what judges are read by, and what the filters keep."""
        self._study, self._selection, self._kept = study, selection, kept

    def names(self) -> list[str]:
        """Return every source with a name of its own: references, preferences, judges, runs."""
        study = self._study
        judges = [f"judge:{name}" for name in study.inventory.values("judge")]
        runs = [f"run:{name}" for name in study.inventory.values("run_id")]
        others = [OTHERS] if len(self.people()) > 2 else []
        told = [*study.references.sources, *self._preferring(), *others, *judges, *runs]
        return list(dict.fromkeys(told))

    def people(self) -> list[str]:
        """Return the persons who gave verdicts, scores or preferences."""
        told = dict.fromkeys([*self._study.references.stored, *self._preferring()])
        return [name for name in told if name.startswith(_PERSON)]

    def _preferring(self) -> list[str]:
        names: list[str] = pc.unique(
            self._study.files.table("preferences").column("source").cast(pa.string())
        ).to_pylist()
        return names

    def read(self, source: str, kind: Kind, against: str) -> Values | None:
        """Return what a source says of one kind, None where it says nothing of that kind.

        `against` is the other source: people's majority leaves it out where it is one of them.
        """
        spoken, _, name = source.partition(":")
        if spoken in ("judge", "run"):
            return self._judged(spoken, name, kind)
        readers: dict[Kind, Callable[[str, str], Values | None]] = {
            "verdict": self._verdicts,
            "outcome": self._outcomes,
            "score": self._scores,
        }
        return readers[kind](source, against)

    def persons(self) -> Values:
        """Return every person's verdicts, one speaker each."""
        table = self._references(lambda name: name.startswith(_PERSON) or name == "human")
        names = pc.unique(table.column("source").cast(pa.string()))
        values = self._told(table, numbers(table.column("met")))
        speaker = encode(table.column("source"), names)
        return replace(values, speaker=speaker[self._told_of(table, numbers(table.column("met")))])

    def _verdicts(self, source: str, against: str) -> Values | None:
        if source == OTHERS or source == "human":
            return majority(self._told_by(self._people(source, against), "met"))
        if source.startswith("committee:") and source not in self._study.references.stored:
            raise UsageError(f"{source!r} is defined but not written; write it with `spb committee`")
        return self._told_by(lambda name: name == source, "met")

    def _scores(self, source: str, against: str) -> Values | None:
        if source == OTHERS or source == "human":
            return mean(self._told_by(self._people(source, against), "score"))
        return self._told_by(lambda name: name == source, "score")

    def _people(self, source: str, against: str) -> Callable[[str], bool]:
        left_out = against if source == OTHERS else None
        return lambda name: (name.startswith(_PERSON) or name == "human") and name != left_out

    def _told_by(self, who: Callable[[str], bool], column: str) -> Values | None:
        table = self._references(who)
        values = self._told(table, numbers(table.column(column)))
        return values if len(values.item) else None

    def _references(self, who: Callable[[str], bool]) -> pa.Table:
        table = self._study.files.table("references")
        wanted = text_array([name for name in self._study.references.stored if who(name)])
        return table.filter(pc.is_in(table.column("source").cast(pa.string()), value_set=wanted))

    def _told_of(self, table: pa.Table, values: Floats) -> Bools:
        """Return which rows of references have a value, and are kept."""
        index = self._study.index
        instance = encode(table.column("instance_id"), index.instances)
        rubric = index.rubric_positions(instance, table.column("rubric_id"))
        generator = encode(table.column("generator"), index.model_names)
        known = ~np.isnan(values) & (rubric >= 0) & self._kept.generators[generator]
        return np.asarray(known & np.append(self._kept.rubrics, False)[rubric])

    def _told(self, table: pa.Table, values: Floats) -> Values:
        index, kept = self._study.index, self._told_of(table, values)
        instance = encode(table.column("instance_id"), index.instances)
        rubric = index.rubric_positions(instance, table.column("rubric_id"))
        item = rubric_item(index, encode(table.column("generator"), index.model_names), rubric)
        return Values(item, instance, np.full(len(item), -1), values).where(kept)

    def _outcomes(self, source: str, against: str) -> Values | None:
        table, index = self._study.files.table("preferences"), self._study.index
        people = self._people(source, against)
        names = [
            name
            for name in self._preferring()
            if (people(name) if source in (OTHERS, "human") else name == source)
        ]
        table = table.filter(pc.is_in(table.column("source").cast(pa.string()), value_set=text_array(names)))
        one, two = (encode(table.column(side), index.model_names) for side in ("generator", "opponent"))
        instance = encode(table.column("instance_id"), index.instances)
        outcome = integers(table.column("outcome"), 0) * np.where(one > two, -1, 1)
        item = pair_item(index, instance, np.minimum(one, two), np.maximum(one, two))
        told = Values(item, instance, np.full(len(item), -1), outcome.astype(np.float64), one > two)
        told = told.where(self._kept.whole(instance, one, two))
        if not len(told.item):
            return None
        return most(told) if source in (OTHERS, "human") else told

    def _judged(self, spoken: str, name: str, kind: Kind) -> Values | None:
        if self._selection is None:
            return None
        selection = self._selection if spoken == "judge" else of_run(self._selection, name)
        judges = np.flatnonzero(self._kept.judges)
        if spoken == "judge":
            judges = judges[judges == self._study.index.models.index(name)]
        told = judged(self._study, selection, judges, kind, self._kept)
        if told is None or not len(told.item):
            return None
        return told if spoken == "run" else replace(told, speaker=np.full(len(told.item), -1))


def check(name: str, names: list[str]) -> None:
    """Raise UsageError for a source that is none of `names`."""
    if name not in names:
        raise unknown("source", name, names)
