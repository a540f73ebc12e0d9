"""The measures: their list, what each asks, computes and takes, and the words that they use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.measures.catalogue import MEASURES, PRESENT
from engine.measures.entry import Field, Measure
from engine.phrases import sentence_case
from engine.views.keys import NoKeys, choice
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words.glossary import GLOSSARY

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


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
    "Its ends are _low and _high. From 1,000 resamples of questions, by percentiles unless another method is "
    "named, which holds better there"
)

MEASURE_COLUMNS = {
    "title": ("Measure", ""),
    "question": ("What it asks", ""),
    "measure": ("Name", "In commands, notebooks and addresses"),
}
OPTION_COLUMNS = {
    "option": ("Option", "In Python: underscores, no leading hyphens"),
    "meaning": ("Meaning", ""),
    "choices": ("Choices", ""),
    "default": ("Default", ""),
}
TERM_COLUMNS = {"term": ("Term", ""), "meaning": ("Meaning", "")}

COLUMNS = {
    "field": ("Field", "Its name in JSON, CSV and Python"),
    "meaning": ("Meaning", ""),
    "kind": ("Kind", ""),
    "interval": ("Interval", INTERVAL),
    "tested": ("Tested", "Its p-values are _p and _p_adjusted"),
}


def _titles(_: "MeasuredStudy") -> Mapping[str, str]:
    return {name: measure.title for name, measure in MEASURES.items()}


@dataclass(frozen=True)
class DefinitionKeys:
    """The measure."""

    measure: Annotated[str, choice("Measure", "The measure that is explained", _titles)]


def answer(_: "MeasuredStudy", keys: DefinitionKeys) -> Shown:
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


def measure_list(_study: "MeasuredStudy", _keys: NoKeys) -> Shown:
    """Show every measure with its question."""
    rows = [(measure.title, measure.question, measure.name) for measure in PRESENT.values()]
    table = ShownTable.under(MEASURE_COLUMNS, rows, _records(MEASURE_COLUMNS, rows))
    return Shown(table=table, commands=("spb measure list",))


def click_measure(row: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """Return the key that opens the measure of a row."""
    return {"measure": (str(row["measure"]),)}


def options(_: "MeasuredStudy", keys: DefinitionKeys) -> Shown:
    """Show a measure's own options."""
    rows = [
        (
            "--" + option.name.replace("_", "-"),
            sentence_case(option.meaning),
            ", ".join(option.choices) or option.kind,
            "" if option.default is None else str(option.default),
        )
        for option in MEASURES[keys.measure].options
    ]
    if not rows:
        return Shown(sentences=("It has no options of its own.",))
    return Shown(table=ShownTable.under(OPTION_COLUMNS, rows, _records(OPTION_COLUMNS, rows)))


def glossary(_study: "MeasuredStudy", _keys: NoKeys) -> Shown:
    """Show the words of the field with their meanings."""
    rows = [(term.name, term.meaning) for term in GLOSSARY]
    return Shown(table=ShownTable.under(TERM_COLUMNS, rows, _records(TERM_COLUMNS, rows)))


def _records(columns: Mapping[str, object], rows: Sequence[tuple[str, ...]]) -> list[dict[str, str]]:
    return [dict(zip(columns, row, strict=True)) for row in rows]


MEASURE_LIST = View(
    "measure_list",
    "All measures",
    "Which measures are there?",
    NoKeys,
    measure_list,
    click=click_measure,
    picks_rows=True,
)
MEASURE_OPTIONS = View(
    "measure_options", "Its options", "Which options does a measure take?", DefinitionKeys, options
)
GLOSSARY_VIEW = View("glossary", "Glossary", "What do the words mean?", NoKeys, glossary)
DEFINITION = View("measures", "Measures", "What does a measure ask, and how?", DefinitionKeys, answer)
