"""A measure's rows as a table to be read: titles, formats, intervals, and why a number is not there."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from engine.measures.catalogue import Field, Measure
from engine.measures.reasons import meaning
from engine.measures.result import Result
from engine.wording import title

Row = dict[str, Any]


def readable(result: Result, fields: Sequence[str], *, by: str | None = None) -> pd.DataFrame:
    """Return the rows with the fields named, every cell a text: `1.08 [1.03, 1.14]`, `– (why not)`."""
    declared = declarations(result.measure)
    columns: dict[str, list[str]] = {}
    if by is not None:
        columns["slice"] = [
            "(no value)" if row["slice"] is None else str(row["slice"]) for row in result.rows
        ]
    for name in fields:
        columns[name] = [cell(row, declared[name]) for row in result.rows]
    return pd.DataFrame(columns)


def declarations(measure: Measure) -> dict[str, Field]:
    """Return a measure's fields by name, those of their p-values too."""
    fields = {field.name: field for field in measure.fields}
    for field in measure.fields:
        if field.null is not None:
            name = f"{field.name}_p_adjusted"
            meaning = f"is it {field.null:g}? bootstrap p-value, adjusted for the number of judges"
            fields[name] = Field(name, "number", meaning)
    return fields


def cell(row: Row, field: Field) -> str:
    """Return a row's field as a reader's text."""
    value = row[field.name]
    if value is None:
        if field.name == "judge":
            return "mean of judges"
        if field.name == "family":
            return ""
        return f"– ({meaning(row['reasons'].get(field.name))})"
    if field.kind == "list":
        return "; ".join(str(part) for part in value) or "–"
    if field.kind == "text":
        return str(value)
    if field.name == "small":
        return "fewer than 30" if value else ""
    if field.kind == "flag":
        return "yes" if value else "no"
    text = _number(value, field)
    if not field.interval:
        return text
    low, high = row[f"{field.name}_low"], row[f"{field.name}_high"]
    if low is None or high is None:
        return f"{text} [– {meaning(row['reasons'].get(f'{field.name}_low'))}]"
    return f"{text} [{_number(low, field)}, {_number(high, field)}]"


def _number(value: float, field: Field) -> str:
    if field.kind == "count":
        return f"{value:,}"
    if field.kind == "share":
        return f"{100 * value:.1f}%"
    if field.kind == "points":
        return f"{value:+.1f}"
    if field.name.endswith(("_p", "_p_adjusted")) or field.name in ("p", "p_adjusted"):
        return "<0.001" if value < 0.001 else f"{value:.3f}"
    return f"{value:.2f}"


def plainly(row: Row, name: str, low: str | None = None, high: str | None = None, *, kind: str = "") -> str:
    """Return a number of a row as a reader's text, with its interval where `low` and `high` name its ends.

    `kind` is that of `engine.measures.catalogue.Field`: a share in percent, a ratio with two places.
    """
    shape = Field(name, "share" if kind == "share" else "number", "")
    if row[name] is None:
        return f"– ({meaning(row['reasons'].get(name))})"
    text = _number(row[name], shape)
    if low is None or high is None or row[low] is None or row[high] is None:
        return text
    return f"{text} [{_number(row[low], shape)}, {_number(row[high], shape)}]"


def difference(row: Row, *, kind: str) -> str:
    """Return what is between two sides: a ratio, or for shares a difference in points of 100."""
    if kind != "share":
        return plainly(row, "difference", "low", "high")
    if row["difference"] is None:
        return f"– ({meaning(row['reasons'].get('difference'))})"
    value, low, high = (
        None if row[name] is None else f"{100 * row[name]:+.1f}" for name in ("difference", "low", "high")
    )
    return f"{value} points" if low is None else f"{value} points [{low}, {high}]"


def heading(name: str, by: str | None = None) -> str:
    """Return a column's title."""
    return title(by or "slice") if name == "slice" else title(name)
