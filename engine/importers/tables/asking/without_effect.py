"""What is given for a table without effect: meanings of values that no row has, a verdict beside another."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.importers.reading.columns import that_columns
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.verdict_words import KNOWN_WORDS, is_no_verdict
from engine.phrases import quantity

_ONE_OF_EACH = ("choice", "met", "score")
"""Our columns of which a judgment has one."""

Fields = Callable[[str], tuple[str, ...]]
"""Which columns of the file fill one of ours."""


@dataclass(slots=True)
class VerdictsBeside:
    """How many rows have a verdict beside the one that is read, by our columns of both."""

    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def count(self, cells: Mapping[str, Any], judgment: Mapping[str, Any]) -> None:
        """Count the verdicts of a row that its judgment has not."""
        stored = next((name for name in _ONE_OF_EACH if name in judgment), None)
        for name in _ONE_OF_EACH:
            if stored is not None and name not in judgment and not is_no_verdict(cells.get(name)):
                self._counts[name, stored] += 1

    def notes(self, plan: TablePlan, fields: Fields) -> Iterator[str]:
        """Yield which columns were not read for it."""
        for (name, stored), count in self._counts.items():
            unread = fields(name)
            yield (
                f"a row has one verdict: {that_columns(unread, 'is', 'are')} not read as {name} in "
                f"{quantity(count, 'row')}, where {that_columns(fields(stored), 'has', 'have')} {stored}; "
                f"{plan.options.spelling.without(unread)}, or give each a row of its own"
            )


def unmatched_notes(
    explained: Mapping[str, Mapping[str, str]], plan: TablePlan, fields: Fields
) -> Iterator[str]:
    """Yield which values that the user `explained` no row has, but for words that are read without that."""
    for name, words in explained.items():
        several = Counter(map(str.casefold, words))
        unmatched = {
            each: word
            for each, word in words.items()
            if (name, each) not in plan.matched and (each not in KNOWN_WORDS or several[each.casefold()] > 1)
        }
        if unmatched:
            given = plan.options.spelling.meanings(name, unmatched)
            why = f"no column is read as {name}"
            if name in plan.places:
                why = f"{that_columns(fields(name), 'holds', 'hold')} no such value"
            yield f"{given} is without effect: {why}"
