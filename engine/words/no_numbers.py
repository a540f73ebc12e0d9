"""Why a table has not one number, in words."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from engine.measures.undefined_reasons import meaning

if TYPE_CHECKING:
    from engine.measures.result import Result

_OF_OTHERS = frozenset({"not_of_these_judgments", "instance_level_only", "row_of_one_judge"})
"""The codes of numbers that other rows or judgments have, which say nothing of why these have none."""


def why_undefined(rows: Iterable[Mapping[str, Any]], name: str) -> str:
    """Return `its own answers failed no criterion`, why no row has this number; empty without a reason."""
    codes = dict.fromkeys(row.get("reasons", {}).get(name) for row in rows)
    return "; ".join(meaning(code) for code in codes if code and code not in _OF_OTHERS)


def number_with_reason(result: "Result", fields: Iterable[str]) -> tuple[str, str]:
    """Return the number that a table without any should have, the first with a reason, and the reason.

    `fields` come before the others of the measure. Rows of the judges together have no number where no judge
    has one, and give no reason.
    """
    measure = result.measure
    numbers = [field.name for field in measure.fields if field.is_number and field.name not in measure.keys]
    numbers = [*(name for name in (*fields, measure.headline) if name in numbers), *numbers]
    rows = [row for row in result.rows if row[measure.keys[0]] is not None] or result.rows
    reasons = ((name, why_undefined(rows, name)) for name in numbers)
    return next((each for each in reasons if each[1]), (numbers[0], ""))
