"""A measure's rows as a table in the terminal."""

import sys
from collections.abc import Mapping
from typing import Any

from engine.cli.options import say
from engine.measures.catalogue import Field
from engine.measures.reasons import meaning
from engine.measures.result import Result
from engine.views.left_out import CODES

_DIGITS = {"share": 3, "ratio": 2, "points": 2, "number": 3}
_WIDE = 500
_PROBABILITIES, _LEAST_P = ("p", "p_adjusted"), 0.001


def print_table(result: Result) -> None:
    """Print the rows to standard output, and what applied and was left out to standard error.

    A number stands with its 95% interval in brackets and its p-value; a column without a value in any row
    is left out, an undefined number is a dash, and why follows.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    fields = [field for field in result.measure.fields if _used(result, field)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    names = [*(["slice"] if result.by else []), *(field.name for field in fields)]
    for name in names:
        table.add_column(name, no_wrap=True)
    for row in result.rows:
        cells = [_text(row["slice"], None)] if result.by else []
        table.add_row(*(Text(cell) for cell in [*cells, *(_cell(row, field) for field in fields)]))
    width = None if sys.stdout.isatty() else _WIDE
    Console(width=width, soft_wrap=True).print(table)
    say("; ".join(_applied(result.filters)))
    counted = {code: number for code, number in result.left_out.items() if number}
    told = (f"{number:,} {CODES.get(code, code)} ({code})" for code, number in counted.items())
    say("left out: " + ("; ".join(told) or "nothing"))
    lacking = _lacking(result, fields)
    if lacking:
        say("a dash: " + "; ".join(f"{name}: {', '.join(words)}" for name, words in lacking.items()))


def _applied(filters: Mapping[str, Any]) -> list[str]:
    """Return what applied, an item each; of a slice held against another, only where the two differ."""
    told = []
    for name, value in filters.items():
        if name == "against":
            other = {key: said for key, said in value.items() if said != filters.get(key)}
            told.append("against " + (", ".join(_applied(other)) or "itself"))
        elif value not in (None, (), False):
            told.append(f"{name} {', '.join(map(str, value)) if isinstance(value, list | tuple) else value}")
    return told


def _lacking(result: Result, fields: list[Field]) -> dict[str, list[str]]:
    """Return why numbers are not there, by field, each reason once."""
    told: dict[str, list[str]] = {}
    for field in fields:
        if field.kind == "text":
            continue
        codes = dict.fromkeys(
            row["reasons"].get(field.name) for row in result.rows if row[field.name] is None
        )
        if known := [meaning(code) for code in codes if code]:
            told[field.name] = known
    return told


def _used(result: Result, field: Field) -> bool:
    return any(row[field.name] is not None for row in result.rows)


def _cell(row: dict[str, Any], field: Field) -> str:
    if field.name == "judge" and row["judge"] is None and row.get("judges") is not None:
        return "mean of judges"
    text = _text(row[field.name], field)
    if field.interval and row[f"{field.name}_low"] is not None:
        text += f" [{_text(row[f'{field.name}_low'], field)}, {_text(row[f'{field.name}_high'], field)}]"
    if field.null is not None and row[f"{field.name}_p"] is not None:
        text += f" p={row[f'{field.name}_p']:.3f}"
    return text


def _text(value: Any, field: Field | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        return _on_one_line(", ".join(map(str, value)))
    if field is not None and field.name in _PROBABILITIES and 0 <= value < _LEAST_P:
        return f"<{_LEAST_P:g}"
    if field is not None and field.kind in _DIGITS and isinstance(value, int | float):
        return f"{value:.{_DIGITS[field.kind]}f}"
    return f"{value:,}" if isinstance(value, int) else _on_one_line(str(value))


def _on_one_line(text: str) -> str:
    """Return a name as a terminal may show it: line breaks and what steers a terminal are spaces."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
