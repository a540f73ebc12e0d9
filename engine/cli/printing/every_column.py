"""Every column of a measure's rows, each under its name in data."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.cli.output import say
from engine.cli.printing.columns import print_columns
from engine.cli.printing.fitting_columns import DASH, on_one_line

if TYPE_CHECKING:
    from engine.measures.entry import Field
    from engine.measures.result import Result
    from engine.words.row_cells import Row

_DIGITS = {"ratio": 2, "number": 3}
_OF_100 = ("share", "difference", "points")
_PROBABILITIES = ("p", "p_two_sided", "p_adjusted", "p_tastes", "p_placebo")
_LEAST_P = 0.001
_ENDINGS = ("_p", "_p_adjusted")
_IN_WORDS = ("conclusion", "family_conclusion", "reason", "family_reason", "crosses")


def print_every_column(result: "Result") -> None:
    """Print all columns that have a value to standard output, in blocks where a terminal is too narrow.

    A number has its 95% interval in brackets and its p-value. Shares and differences are of 100, as in the
    narrower table. An undefined number is a dash; the reasons follow.
    """
    from engine.measures.undefined_reasons import meaning

    fields = [field for field in result.measure.fields if result.has_values(field.name)]
    slices = [*result.group_columns]
    names = [*slices, *(field.name for field in fields)]
    rows = (
        [
            *(_text(result.names.get(row[name], row[name]), None) for name in slices),
            *(_cell(row, field) for field in fields),
        ]
        for row in result.rows
    )
    print_columns(names, rows, keys=(*slices, *result.measure.keys))
    fields_of: dict[str, list[str]] = {}
    for field in fields:
        rows_without = [row for row in result.rows if row[field.name] is None and field.kind != "text"]
        codes = dict.fromkeys(row["reasons"].get(field.name) for row in rows_without)
        for code in filter(None, codes):
            fields_of.setdefault(meaning(code), []).append(field.name)
    sys.stdout.flush()
    for reason, names in fields_of.items():
        say(f"{DASH} ({reason}): {', '.join(names)}", caution=True)


def _cell(row: "Row", field: "Field") -> str:
    from engine.words.row_cells import cell
    from engine.words.written_numbers import in_brackets

    value = row[field.name]
    if (field.name == "judge") if value is None else (field.name in _IN_WORDS):
        return on_one_line(cell(row, field))
    if field.name in ("p", "p_adjusted") and row.get("p_is_smallest"):
        return cell(row, field)
    text = _text(value, field)
    if value is not None and {field.kind, field.members} & {"difference", "points"}:
        text += " points"
    if field.interval and row[f"{field.name}_low"] is not None:
        text = in_brackets(text, *(_text(row[f"{field.name}_{end}"], field) for end in ("low", "high")))
    if field.null is not None and (p := row[f"{field.name}_p"]) is not None:
        text += f" p<{_LEAST_P:g}" if p < _LEAST_P else f" p={p:.3f}"
    return text


def _text(value: Any, field: "Field | None") -> str:
    from engine.words.written_numbers import FORM_OF, number

    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        member = None if field is None else replace(field, kind=field.members)
        of_100 = member is not None and member.kind in _OF_100
        return on_one_line(", ".join(_text(each, member) if of_100 else str(each) for each in value))
    if field is not None and field.kind in (*_DIGITS, *_OF_100) and isinstance(value, int | float):
        probability = field.name in _PROBABILITIES or field.name.endswith(_ENDINGS)
        if probability:
            return f"<{_LEAST_P:g}" if 0 <= value < _LEAST_P else f"{value:.3f}"
        if field.kind in _OF_100:
            return number(value, FORM_OF[field.kind])
        if field.kind == "number" and value == round(value):
            return f"{value:,.0f}"
        return f"{value:.{_DIGITS[field.kind]}f}"
    return f"{value:,}" if isinstance(value, int) else on_one_line(str(value))
