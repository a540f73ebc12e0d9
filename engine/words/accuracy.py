"""How often judges are right, in sentences."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

from engine.words.row_cells import Row
from engine.words.written_numbers import in_sentence

if TYPE_CHECKING:
    from engine.measures.row_types import AccuracyRow

THINGS: Mapping[Literal["mra", "mipa"], str] = {
    "mra": "verdicts on criteria",
    "mipa": "comparisons of two answers",
}
"""What each kind of accuracy counts, the first that a study has."""


def accuracy_sentences(rows: "Iterable[AccuracyRow]") -> tuple[str, ...]:
    """Return which judges agree with the reference most and least often; empty without a number."""
    every = list(rows)
    kind = next((name for name in THINGS if any(row[name] is not None for row in every)), None)
    if kind is None:
        return ()
    judges = sorted((row for row in every if row[kind] is not None), key=lambda row: -float(row[kind]))

    def of(row: Row) -> str:
        return in_sentence(row[kind], row[f"{kind}_low"], row[f"{kind}_high"], "percent")

    first, last = judges[0], judges[-1]
    agrees = f"{first['judge']} agrees with the reference in {of(first)} of {THINGS[kind]}"
    if first is last:
        return (f"{agrees}.",)
    return (f"Of {len(judges):,} judges, {agrees}, {last['judge']} in {of(last)}.",)
