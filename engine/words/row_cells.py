"""A measure's rows as a readable table: titles, formats, intervals, and why a number is missing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from engine.conclusions import (
    NOT_COMPARED,
    NOT_TESTED,
    TOO_FEW,
    WORDS,
    group_code,
    lacks_judges,
    lacks_spread,
)
from engine.measures.entry import JUDGE, Field, Measure
from engine.measures.result import Result
from engine.measures.undefined_reasons import meaning
from engine.words.given_expected import decided_by, head_of
from engine.words.plain_names import value_words
from engine.words.short_titles import field_title, slice_place, title
from engine.words.written_numbers import FORM_OF, WRITTEN_FORMS, in_brackets, number, p_value, with_interval

Row = Mapping[str, Any]  # a row of a measure, or one like it


def format_rows(result: Result, fields: Sequence[str]) -> pd.DataFrame:
    """Return these fields of the rows, every cell as text: `1.08 [1.03, 1.14]`, `– (why not)`.

    A row says once why several of its numbers are missing.
    """
    declared = declared_fields(result)
    shown = [declared[name] for name in fields]
    groups = result.group_columns
    columns = {
        name: [group_cell(row[name], by, result.names) for row in result.rows] for name, by in groups.items()
    }
    rows = [_cells(row, shown) for row in result.rows]
    columns |= {name: [cells[place] for cells in rows] for place, name in enumerate(fields)}
    return pd.DataFrame(columns)


def _cells(row: Row, fields: Sequence[Field]) -> list[str]:
    """Return fields of a row as texts; a reason that an earlier one, or the column of it, says is a dash."""
    has_reason = row.get("reason") and any(field.name == "reason" for field in fields)
    before = {f"– ({meaning(row['reason'])})"} if has_reason else set()
    texts = []
    for field in fields:
        text = cell(row, field)
        texts.append("–" if text in before else text)
        if row[field.name] is None and text.startswith("– ("):
            before.add(text)
    return texts


def group_cell(value: Any, by: str, names: Mapping[str, str]) -> str:
    """Return the value of a column grouped by as readable text; `names` are those of a result."""
    return "(no value)" if value is None else names.get(str(value), value_words(by, value))


def declarations(measure: Measure) -> dict[str, Field]:
    """Return a measure's fields by name, including those of p-values."""
    fields = {field.name: field for field in measure.fields}
    for field in measure.fields:
        if field.null is not None:
            name = f"{field.name}_p_adjusted"
            meaning = f"is it {field.null:g}? bootstrap p-value, adjusted for the number of judges"
            fields[name] = Field(name, "number", meaning)
    return fields


_OF_CASES = re.compile(r"(own|family)_(given|expected)(_low|_high)?")


def declared_fields(result: Result) -> dict[str, Field]:
    """Return the fields of a result by name; what was given and expected of scores is points of 100."""
    fields = declarations(result.measure)
    is_known = result.filters.get("decided_by") or result.filters.get("paradigm")
    if is_known and decided_by(result).startswith("bonus"):
        for name in filter(_OF_CASES.fullmatch, fields):
            fields[name] = replace(fields[name], kind="hundred")
    return fields


def cell(row: Row, field: Field) -> str:
    """Return a row's field as readable text."""
    value = row[field.name]
    if value is None:
        if field.name == "judge":
            if "conclusion" in row:
                return "the judges together"
            others = "the family's judges" if "effect_family" in row else "all judges"
            return "mean of judges" if field == JUDGE else others
        of_family = field.name in ("family_given", "family_expected")
        if field.name == "reason" or (
            of_family and (row["judge"] is None or not row.get("family_conclusion"))
        ):
            return "–"  # another column says why
        if field.name == "family":
            return ""
        return f"– ({meaning(row['reasons'].get(field.name))})"
    if field.name in ("conclusion", "family_conclusion"):
        reason = row.get(field.name.replace("conclusion", "reason"))
        if lacks_judges(value, reason):
            return NOT_COMPARED
        if lacks_spread(value, reason):
            return NOT_TESTED
        words = WORDS.get(str(value), meaning(str(value)))
        families = row.get("families_with_relatives")
        if field.name == "family_conclusion" and value == group_code(TOO_FEW) and families is not None:
            return f"{words} of two models or more ({families:,} of 4)"
        return words
    if field.name == "reason" and field.kind == "text":
        return meaning(str(value))
    if field.name == "where":
        return slice_place(str(value), criterion=row.get("criterion"))
    if field.name == "crosses":
        return borders(value)
    if field.kind == "list":
        return _list(row, field)
    if field.kind == "text":
        return value_words(field.name, value)
    if field.name == "small":
        return "fewer than 30" if value else ""
    if field.kind == "flag":
        return "yes" if value else "no"
    if field.name in ("p", "p_adjusted"):
        return text_of(row, field.name)
    text = f"{_number(value, field)}{_unit(field.kind)}"
    if not field.interval:
        return text
    low, high = row[f"{field.name}_low"], row[f"{field.name}_high"]
    if low is None or high is None:
        return f"{text} (no interval: {meaning(row['reasons'].get(f'{field.name}_low'))})"
    return in_brackets(text, _number(low, field), _number(high, field))


def _list(row: Row, field: Field) -> str:
    """Return the members of a list as text, numbers with their intervals, undefined ones as dashes."""
    values: Sequence[Any] = row[field.name]
    if all(value is None for value in values):
        return "–"
    lows, highs = (row.get(f"{field.name}_{end}") or [None] * len(values) for end in ("low", "high"))
    return "; ".join(
        _member(value, low, high, replace(field, kind=field.members))
        for value, low, high in zip(values, lows, highs, strict=True)
    )


def _member(value: Any, low: float | None, high: float | None, field: Field) -> str:
    if value is None:
        return "–"
    if field.kind == "text":
        return f"{value:g}" if isinstance(value, float) else str(value)
    text = f"{_number(value, field)}{_unit(field.kind)}"
    return (
        text if low is None or high is None else in_brackets(text, _number(low, field), _number(high, field))
    )


def _unit(kind: str) -> str:
    return WRITTEN_FORMS[FORM_OF[kind]][2] if kind in ("difference", "hundred") else ""


def borders(codes: Sequence[str]) -> str:
    """Return the borders of archetypes that intervals include, such as `d 0.8`, as `D 80%; SPB -5 points`."""
    parts = []
    for name, at in (code.split() for code in codes):
        parts.append(f"D {float(at):.0%}" if name == "d" else f"SPB {100 * float(at):+g} points")
    return "; ".join(parts) or "none"


def _number(value: float, field: Field) -> str:
    if field.kind == "count":
        return f"{value:,}"
    if field.name.endswith(("_p", "_p_adjusted")) or field.name == "p_two_sided":
        return p_value(value)
    return number(value, FORM_OF.get(field.kind, "ratio"))


def text_of(row: Row, name: str, low: str | None = None, high: str | None = None, *, kind: str = "") -> str:
    """Return a number of a row as readable text, with its interval if `low` and `high` name its ends.

    `kind` is that of `engine.measures.entry.Field`; a share is in percent, a difference of shares in points
    of 100, points have a sign, and a ratio has two decimals.
    """
    if row[name] is None:
        return f"– ({meaning(row['reasons'].get(name))})"
    if name in ("p", "p_adjusted"):
        return p_value(row[name], is_smallest=bool(row.get("p_is_smallest")))
    first, last = (None if end is None else row[end] for end in (low, high))
    return with_interval(row[name], first, last, FORM_OF.get(kind, "ratio"))


def difference(row: Row, *, kind: str) -> str:
    """Return the difference of two sides as text; shares differ in points of 100."""
    of_shares = kind in ("share", "difference")
    return text_of(row, "difference", "low", "high", kind="difference" if of_shares else "")


def heading(name: str, result: Result) -> str:
    """Return a column's title in a measure's table; that of `slice` is the title of the column grouped by."""
    groups = result.group_columns
    if name in groups:
        return title(groups[name])
    return head_of(name, result) or field_title(result.measure, name)
