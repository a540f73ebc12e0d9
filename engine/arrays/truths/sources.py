"""Everything that can be compared item by item: references, preferences, judges, runs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.encoding import encode, integers, numbers
from engine.arrays.judgment_rows import Selection
from engine.arrays.truths.gold_preferences import PLAIN, preferences_under
from engine.arrays.truths.item_values import (
    Kind,
    RatedValues,
    SourceFilter,
    judge_values,
    majority,
    mean,
    pair_item,
    plurality_of,
    rubric_item,
)
from engine.arrays.truths.references import COMMITTEE, HUMAN, is_human, stored_as, voters_among
from engine.errors import UsageError
from engine.stats import Ints

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


OTHERS = "human:others"  # the majority of all people but the one it is compared with
_TOGETHER = (HUMAN, OTHERS)


class Sources:
    """The sources of a study: those of its judgments in one selection, all in what the filters keep."""

    def __init__(
        self, study: "StudyArrays", selection: Selection | None, source_filter: SourceFilter
    ) -> None:
        self._study, self._selection, self._filter = study, selection, source_filter

    def names(self) -> list[str]:
        """Return every source with a name of its own: references, preferences, judges, runs."""
        study = self._study
        judges = [f"judge:{name}" for name in study.inventory.values("judge")]
        runs = [f"run:{name}" for name in study.inventory.runs]
        others = [OTHERS] if len(self.voters()) > 2 else []
        names = [*study.references.sources, *self.voters(), *self._preferring(), *others, *judges, *runs]
        return list(dict.fromkeys(names))

    def people(self) -> list[str]:
        """Return the persons who gave verdicts, scores or preferences."""
        names = dict.fromkeys([*self._study.references.stored_sources, *self._preferring()])
        return [name for name in names if is_human(name) and name != HUMAN]

    def voters(self) -> list[str]:
        """Return those whose majority is `human`: the persons, and what is stored without a name as one."""
        of_references = self._study.references.voters
        return list(dict.fromkeys([*of_references, *voters_among(self._preferring())]))

    def is_stored(self, source: str) -> bool:
        """Return whether a source has stored values; a committee may only be defined."""
        return not source.startswith(COMMITTEE) or source in self._study.references.stored_sources

    def _preferring(self) -> list[str]:
        column = self._study.files.table("preferences").column("source")
        return list(pc.unique(column.cast(pa.string())).to_pylist())

    def read(self, source: str, kind: Kind, against: str) -> RatedValues | None:
        """Return a source's values of a kind, or None.

        People together, `human` and `human:others`, are the majority without the person they are compared
        with.
        """
        prefix, _, name = source.partition(":")
        if prefix in ("judge", "run"):
            return self._judge_values(prefix, name, kind)
        if kind == "verdict" and not self.is_stored(source):
            raise UsageError(
                f"{source!r} is defined but has no verdicts; compute them with `spb reference committee`"
            )
        values = self._votes(source, kind, against)
        if not len(values.item):
            return None
        return _together(values, kind) if source in _TOGETHER else values

    def tied(self, source: str, kind: Kind, against: str) -> Ints:
        """Return the items on which the people, or the committee, of a source are divided evenly."""
        if source.startswith(COMMITTEE) and kind == "verdict":
            table = self._references((source,))
            return self._of_references(table, "met", missing=True).item
        if source not in _TOGETHER:
            return np.zeros(0, dtype=np.intp)
        votes = self._votes(source, kind, against)
        return np.setdiff1d(votes.item, _together(votes, kind).item)

    def persons(self, against: str) -> RatedValues:
        """Return the verdicts of every person but the one they are compared with, one rater each."""
        table = self._references(_others_than(against, self._study.references.stored_sources))
        names = pc.unique(table.column("source").cast(pa.string()))
        return self._of_references(table, "met", encode(table.column("source"), names))

    def _votes(self, source: str, kind: Kind, against: str) -> RatedValues:
        """Return a source's values of a kind before they are put together, one for each person."""
        stored = self._preferring() if kind == "outcome" else self._study.references.stored_sources
        names = _others_than(against, stored) if source in _TOGETHER else stored_as(source, stored)
        if kind == "outcome":
            return self._outcomes(names)
        return self._of_references(self._references(names), "met" if kind == "verdict" else "score")

    def _references(self, sources: tuple[str, ...]) -> pa.Table:
        return self._study.files.table("references", where={"source": sources})

    def _of_references(
        self, table: pa.Table, column: str, rater: Ints | None = None, *, missing: bool = False
    ) -> RatedValues:
        """Return the values present (or those `missing`) and kept in a column, without raters by default."""
        index, values = self._study.index, numbers(table.column(column))
        (generator, instance), rubric = index.responses_of(table), index.rubrics_of(table)
        keep = (np.isnan(values) == missing) & (rubric >= 0) & self._filter.generators[generator]
        keep &= np.append(self._filter.rubrics, False)[rubric]
        rater = np.full(len(values), -1) if rater is None else rater
        return RatedValues(rubric_item(index, generator, rubric), instance, rater, values).select(keep)

    def _outcomes(self, sources: tuple[str, ...]) -> RatedValues:
        index = self._study.index
        stored = self._study.files.table("preferences", where={"source": sources})
        transform = PLAIN if self._selection is None else self._selection.transform
        table = preferences_under(stored, transform)
        (one, instance), two = index.responses_of(table), encode(table.column("opponent"), index.model_names)
        outcome = integers(table.column("outcome"), 0) * np.where(one > two, -1, 1)
        item = pair_item(index, instance, np.minimum(one, two), np.maximum(one, two))
        outcomes = RatedValues(item, instance, np.full(len(item), -1), outcome.astype(np.float64), one > two)
        return outcomes.select(self._filter.responses(instance, one, two))

    def _judge_values(self, prefix: str, name: str, kind: Kind) -> RatedValues | None:
        if self._selection is None:
            return None
        selection, judges = self._selection, np.flatnonzero(self._filter.judges)
        if prefix == "run":
            selection = replace(selection, runs=(name,))
        else:
            judges = judges[judges == self._study.index.models.index(name)]
        values = judge_values(self._study, selection, judges, kind, self._filter)
        if values is None or not len(values.item):
            return None
        return values if prefix == "run" else replace(values, rater=np.full(len(values.item), -1))


def _others_than(person: str, stored: Sequence[str]) -> tuple[str, ...]:
    """Return the stored sources of people but those of one person."""
    own = () if person in _TOGETHER else stored_as(person, stored)
    return tuple(name for name in stored if is_human(name) and name not in own)


def _together(votes: RatedValues, kind: Kind) -> RatedValues:
    """Return what several people say together, one value for each item on which they are not tied."""
    if kind == "outcome":
        return plurality_of(votes)
    return majority(votes) if kind == "verdict" else mean(votes)
