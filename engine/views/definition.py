"""The definition of a measure: what it asks, its formula, what it leaves out, and its fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.measures.catalogue import MEASURES
from engine.measures.entry import Field, Measure
from engine.phrases import sentence_case
from engine.views.keys import choice
from engine.views.shown import Shown, ShownTable
from engine.views.view import View

if TYPE_CHECKING:
    from engine.study import Study


KINDS = {
    "text": "text",
    "count": "count",
    "share": "share of 1",
    "difference": "difference of shares of 1",
    "ratio": "ratio",
    "points": "percent points",
    "number": "number",
    "flag": "yes or no",
    "list": "list",
}
"""The kinds of numbers."""

INTERVAL = (
    "Its ends are _low and _high. From 1,000 resamples of instances, by percentiles unless another method is "
    "named, which holds better there (docs/intervals.md)"
)

COLUMNS = {
    "field": ("Field", "Its name in JSON, CSV and Python"),
    "meaning": ("Meaning", ""),
    "kind": ("Kind", ""),
    "interval": ("Interval", INTERVAL),
    "tested": ("Tested", "Its p-values are _p and _p_adjusted"),
}


def _titles(study: "Study") -> Mapping[str, str]:  # noqa: ARG001 - the same for every study
    return {name: measure.title for name, measure in MEASURES.items()}


@dataclass(frozen=True)
class DefinitionKeys:
    """The measure."""

    measure: Annotated[str, choice("Measure", "The measure that is explained", _titles)]


def answer(study: "Study", keys: DefinitionKeys) -> Shown:  # noqa: ARG001 - the same for every study
    """Show what a measure asks, its formula, and its fields."""
    entry = MEASURES[keys.measure]
    rows = (_cells(entry, field) for field in entry.fields)
    return Shown(
        sentences=(entry.question, entry.formula, f"Left out: {entry.left_out}.", f"From: {entry.paper}."),
        table=ShownTable.under(COLUMNS, rows),
        measures=(keys.measure,),
    )


def _cells(entry: Measure, field: Field) -> tuple[str, ...]:
    method = entry.method(field.name)
    interval = "" if not field.interval else "95%" if method is None else f"95%, {method}"
    tested = "" if field.null is None else f"against {field.null:g}"
    return field.name, sentence_case(field.meaning), KINDS[field.kind], interval, tested


DEFINITION = View("measures", "Measures", "What does a measure ask, and how?", DefinitionKeys, answer)
