"""The first rows of a table, and what the values of each column look like."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from engine.importers.reading.columns import value_at
from engine.importers.reading.rows import number_of
from engine.importers.tables.fractions import is_share
from engine.importers.tables.stray_numbers import stray_numbers
from engine.importers.tables.table_columns import plain
from engine.importers.tables.verdict_words import MET, NO_VERDICT, ORDERS, SIDES, lookup_key

SAMPLE = 20_000
"""Rows by which columns are guessed, and which are checked before any is imported.

In whatever order the rows of a smaller table are, it is read alike.
"""

_DEEPEST = 3
_MOST_COLUMNS = 1000
_LONGEST_NAME = 120
_LONGEST_LABEL = 40
MOST_LABELS = 12
"""A column of more values holds no groups, runs or words of verdicts."""
_MOST_WORDS = 5
_SENTENCE = 4
"""So many words are more than a label."""
_MANY_ROWS = 40
_NEARLY_ALL = 0.95
"""If so many rows have the text of their answer, the others are mistakes of the table."""


@dataclass(frozen=True, slots=True)
class FirstRows:
    """The first rows of a table: its columns, paths into objects among them, and the values of each.

    `models` are the models of the table, in the form for look-ups.
    """

    rows: Sequence[Mapping[str, Any]]
    columns: tuple[str, ...]
    _labels: dict[str, Counter[str]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> "FirstRows":
        columns: dict[str, None] = {}
        for row in rows:
            columns |= dict.fromkeys(islice(_paths(row, "", 1), _MOST_COLUMNS))
            if len(columns) > _MOST_COLUMNS:
                break
        return cls(rows, tuple(columns))

    def values(self, column: str) -> list[Any]:
        cells = (value_at(row, column) for row in self.rows)
        return [value for value in cells if value is not None and value != ""]

    def has_one_for_each(self, column: str, *things: str) -> bool:
        """Return whether a column has one value, or none, for each thing that some other columns name."""
        return all(len(each) == 1 for each in self._values_of_each(column, *things).values())

    def has_one_for_nearly_each(self, column: str, *things: str) -> bool:
        """Return the same, if nearly all rows of a thing that is in several have its commonest value."""
        several = [each for each in self._values_of_each(column, *things).values() if each.total() > 1]
        commonest = sum(max(each.values()) for each in several)
        return commonest >= _NEARLY_ALL * sum(each.total() for each in several)

    def _values_of_each(self, column: str, *things: str) -> dict[tuple[str, ...], Counter[str]]:
        """Return the values of a column with their counts, for each thing that some other columns name."""
        values = defaultdict[tuple[str, ...], Counter[str]](Counter)
        for row in self.rows:
            if (value := value_at(row, column)) is not None:
                values[tuple(str(value_at(row, thing)) for thing in things)][str(value)] += 1
        return values

    def differs_within(self, thing: str, column: str, part: str) -> bool:
        """Return whether a column differs in a thing, and has one value for each part of it."""
        return not self.has_one_for_each(column, thing) and self.has_one_for_each(column, thing, part)

    def labels(self, column: str) -> Counter[str]:
        """Return the values of a column with their counts, as for look-up."""
        if column not in self._labels:
            self._labels[column] = Counter(map(lookup_key, self.values(column)))
        return self._labels[column]

    def is_name(self, column: str) -> bool:
        """Return whether a column holds names; of letters only if it is called a model's."""
        labels = self.labels(column)
        words = labels.keys() - NO_VERDICT
        return (
            bool(words)
            and (not words <= SIDES.keys() | MET.keys() or "model" in plain(column).split("_"))
            and not any(number_of(word) is not None for word in words)
            and all(len(word) <= _LONGEST_NAME and _may_name(word) for word in words)
            and (len(labels) <= labels.total() / 2 or labels.total() < _MANY_ROWS)
        )

    def is_label(self, column: str) -> bool:
        labels = self.labels(column)
        return bool(labels) and all(len(label) <= _LONGEST_NAME and "\n" not in label for label in labels)

    def has_lines(self, column: str) -> bool:
        """Return whether some value of a column has several lines."""
        return any("\n" in label for label in self.labels(column))

    def _short_words(self, column: str, models: Collection[str]) -> set[str] | None:
        """Return the values of a column of few short labels that name no model; None for any other column."""
        words = self.labels(column).keys() - NO_VERDICT - set(models)
        if len(words) > MOST_LABELS or any(len(word) > _LONGEST_LABEL for word in words):
            return None
        return words

    def is_run(self, column: str) -> bool:
        """Return whether a column holds a few names, each in several rows, and not the numbers of repeats."""
        labels = self.labels(column)
        few = 0 < len(labels) <= MOST_LABELS and 2 * len(labels) <= labels.total()
        return few and self.is_label(column) and not self.is_number(column)

    def is_choice(self, column: str, models: Collection[str]) -> bool:
        """Return whether a column holds models or few short labels, if it is not empty."""
        return bool(self.labels(column)) and self._short_words(column, models) is not None

    def is_truth(self, column: str, models: Collection[str]) -> bool:
        """Return whether a column holds words, or 0 and 1, and not just numbers or parts of a whole.

        Stray numbers beside verdicts do not count.
        """
        words = self._short_words(column, models)
        if words is None or not self.labels(column) or self.is_share(column):
            return False
        words -= stray_numbers(self.labels(column))
        return words <= MET.keys() or not any(number_of(word) is not None for word in words)

    def is_number(self, column: str) -> bool:
        labels = {label: n for label, n in self.labels(column).items() if label not in NO_VERDICT}
        numbers = sum(n for label, n in labels.items() if number_of(label) is not None)
        return numbers > sum(labels.values()) / 2

    def numbers(self, column: str) -> set[str]:
        """Return the values of a column that are numbers, as for look-up."""
        return {label for label in self.labels(column) if number_of(label) is not None}

    def is_share(self, column: str) -> bool:
        """Return whether a column holds percentages or fractions such as 7/10."""
        labels = {label: n for label, n in self.labels(column).items() if label not in NO_VERDICT}
        return sum(n for label, n in labels.items() if is_share(label)) > sum(labels.values()) / 2

    def is_id(self, column: str) -> bool:
        values = self.values(column)
        has_blanks = plain(column) in ("question", "prompt", "item") and any(
            " " in str(v).strip() for v in values
        )
        return bool(values) and not has_blanks and self.is_label(column)

    def is_text(self, column: str) -> bool:
        values = self.values(column)
        return bool(values) and all(isinstance(value, str) for value in values)

    def is_prompt(self, column: str) -> bool:
        values = self.values(column)
        return self.is_text(column) and any(" " in value.strip() for value in values)

    def has_words_of(self, column: str, verdicts: Sequence[str]) -> bool:
        """Return whether all values are words for verdicts or of the columns `verdicts`, not all numbers."""
        labels = self.labels(column).keys() - NO_VERDICT
        words = {*MET, *(label for each in verdicts for label in self.labels(each))}
        return labels <= words and not all(number_of(label) is not None for label in labels)

    def is_sentences(self, column: str) -> bool:
        """Return whether most values of a column are of several words."""
        values = self.values(column)
        n_sentences = sum(len(value.split()) >= _SENTENCE for value in values if isinstance(value, str))
        return 2 * n_sentences > len(values)

    def is_answer(self, column: str) -> bool:
        return self.is_text(column) and not set(self.labels(column)) <= SIDES.keys() | MET.keys()

    def is_order(self, column: str, models: Collection[str]) -> bool:
        labels = self.labels(column).keys() - NO_VERDICT
        words = labels - set(models)
        return bool(labels) and (words <= ORDERS.keys() | MET.keys())


def _may_name(text: str) -> bool:
    """Return whether a text may be a name, and is no sentence."""
    return "\n" not in text and not text.endswith((".", "!", "?")) and len(text.split()) <= _MOST_WORDS


def _paths(row: Mapping[str, Any], before: str, depth: int) -> Iterator[str]:
    for name, value in row.items():
        if isinstance(value, Mapping):
            if depth < _DEEPEST:
                yield from _paths(value, f"{before}{name}.", depth + 1)
        elif not isinstance(value, list):
            yield before + name
