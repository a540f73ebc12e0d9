"""Rows that repeat a judgment for a further label, as a merge with the labels of several people does."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.importers.tables.table_columns import TRUTHS
from engine.importers.tables.table_reading import TablePlan

_WHOSE = ("annotator", "reference_source")
"""Our columns that say whose a label is."""


@dataclass(slots=True)
class FurtherLabels:
    """How often each judgment was read, and each of its labels, as hashes; `count` are the rows passed over.

    Rows that are equal but for their labels are one judgment; those with a label of one person, or with equal
    labels of nobody, are its repeats.
    """

    count: int = 0
    _judgments: Counter[int] = field(default_factory=Counter)
    _labelled: Counter[tuple[int, int]] = field(default_factory=Counter)

    def repeats(self, values: Mapping[str, Any], plan: TablePlan) -> bool:
        """Return whether a row gives but a further label of a judgment that was read already."""
        whose, truths = (
            [plan.places[name] for name in names if plan.places.get(name) in values]
            for names in (_WHOSE, TRUTHS)
        )
        if not (columns := {*whose, *truths}):
            return False
        judgment = _hash([(name, cell) for name, cell in values.items() if name not in columns])
        label = _hash([(name, values.get(name)) for name in sorted(whose or truths)])
        self._labelled[judgment, label] += 1
        if self._labelled[judgment, label] <= self._judgments[judgment]:
            self.count += 1
            return True
        self._judgments[judgment] += 1
        return False

    def notes(self, plan: TablePlan, n_repeats: int) -> Iterator[tuple[str, bool]]:
        """Yield what became of such rows, and what repeats may be instead; the latter is a caution."""
        if self.count:
            yield f"rows that give a further label of a judgment, which counts once: {self.count:,}", False
        if n_repeats and (self.count or "annotator" in plan.places):
            people = plan.options.spelling.columns({"annotator": plan.places.get("annotator", "FIELD")})
            text = (
                "rows that are equal but for labels of several people are one judgment: if repeated ones are "
                f"there for these, name them ({people}), and leave out what else differs with them"
            )
            yield text, True


def _hash(cells: Sequence[tuple[str, Any]]) -> int:
    try:
        return hash(tuple(cells))
    except TypeError:  # a list, or another value without a hash
        return hash(tuple((name, repr(cell)) for name, cell in cells))
