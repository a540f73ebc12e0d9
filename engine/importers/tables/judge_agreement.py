"""Whether a column depends on who judged: what judges said does, and what is true does not."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.columns import value_at
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import FirstRows
from engine.importers.tables.verdict_names import is_called_bad, is_of_key, is_of_program
from engine.importers.tables.verdict_words import NO_VERDICT, lookup_key

_FEWEST = 3
"""Of fewer answers or questions, verdicts agree by chance."""

_TIMES = 10
"""A truth differs between judges by a mistake of the table at most: that much more rarely than verdicts."""

_MANY = 50
"""On so many answers, judges who always agree are hardly judges."""

_OF = ("instance_id", "prompt", "generator", "opponent", "rubric_id", "criterion", "first")
_TRUTH_OF = {"met": "reference_met", "score": "reference_score", "choice": "preference"}


@dataclass(frozen=True, slots=True)
class Dependence:
    """Of the answers that several judges judged, their number, and those on which a column differs."""

    several: int
    differing: int

    @property
    def is_none(self) -> bool:
        """Whether several judges judged some answers, and the column differs on none."""
        return self.several >= _FEWEST and not self.differing

    def is_truth_beside(self, other: "Dependence") -> bool:
        """Whether a column does not depend on the judge, while another one does."""
        return self.several >= _FEWEST and other.differing > 0 and _TIMES * self.differing <= other.differing


def dependence(sample: FirstRows, column: str, judge: str, things: Sequence[str]) -> Dependence:
    """Return how far a column depends on the judge; `things` are the columns that say what was judged."""
    values = defaultdict[tuple[str, ...], set[str]](set)
    judges = defaultdict[tuple[str, ...], set[str]](set)
    for row in sample.rows:
        value = value_at(row, column)
        if value is None or (key := lookup_key(value)) in NO_VERDICT:
            continue
        thing = tuple(str(value_at(row, each)) for each in things)
        values[thing].add(key)
        judges[thing].add(str(value_at(row, judge)))
    several = [thing for thing, names in judges.items() if len(names) > 1]
    return Dependence(len(several), sum(len(values[thing]) > 1 for thing in several))


def is_of_questions(sample: FirstRows, column: str, question: str) -> bool:
    """Return whether several questions have several rows, and each has one value of a column in all.

    A verdict is about an answer, so that such a column is about the question.
    """
    return has_several_rows_of_questions(sample, question) and sample.has_one_for_each(column, question)


def has_several_rows_of_questions(sample: FirstRows, question: str) -> bool:
    """Return whether several questions have several rows."""
    return sum(count > 1 for count in sample.labels(question).values()) >= _FEWEST


def has_no_verdicts(sample: FirstRows, column: str, question: str | None) -> bool:
    """Return whether a column is about the question, of a program or a key, or counts what is bad."""
    if is_of_program(column) or is_of_key(column) or (is_called_bad(column) and sample.is_number(column)):
        return True
    return question is not None and is_of_questions(sample, column, question)


@dataclass(slots=True)
class UnanimousVerdicts:
    """The verdicts on each answer, as long as no two judges of one differ."""

    _first: dict[Hashable, tuple[str, str]] = field(default_factory=dict)
    _several: set[Hashable] = field(default_factory=set)
    _differ: bool = False

    def add(self, cells: Mapping[str, Any]) -> None:
        """Take the verdict of a row of cells."""
        if self._differ:
            return
        name = next((each for each in _TRUTH_OF if cells.get(each) is not None), None)
        if name is None or cells.get("judge") is None or (verdict := lookup_key(cells[name])) in NO_VERDICT:
            return
        thing = tuple(str(cells[each]) for each in _OF if cells.get(each) is not None)
        judge, earlier = self._first.setdefault(thing, (str(cells["judge"]), verdict))
        if verdict != earlier:
            self._differ = True
            self._first.clear()
            self._several.clear()
        elif judge != str(cells["judge"]):
            self._several.add(thing)

    def caution(self, plan: TablePlan, spelling: OptionSpelling) -> str | None:
        """Return a sentence if judges agree on so many answers that their verdicts may be the truth."""
        name = next((each for each in _TRUTH_OF if each in plan.places), None)
        if self._differ or len(self._several) < _MANY or name is None or plan.wide:
            return None
        if plan.names & {*_TRUTH_OF.values()}:
            return None
        column, has_criteria = plan.places[name], plan.names & {"rubric_id", "criterion"}
        things = "pairs" if name == "choice" else "answers and criteria" if has_criteria else "answers"
        given = spelling.columns({_TRUTH_OF[name]: column, name: "FIELD"})
        return (
            f"all judges agree on all {len(self._several):,} {things} that several judged, by {column!r}: if "
            f"that is what is true, the judges' verdicts are missing, and {given} names both"
        )
