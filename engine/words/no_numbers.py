"""Why a table has not one number, in words."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from engine.measures.undefined_reasons import meaning
from engine.phrases import how_many, join_names, part_of, quantity

if TYPE_CHECKING:
    from engine.measures.result import Result

MOST_NAMED = 6
"""Judges without a number that a sentence names for each reason; the rest are counted."""

_OF_OTHERS = frozenset({"not_of_these_judgments", "instance_level_only", "row_of_one_judge"})
"""The codes of numbers that other rows or judgments have, which say nothing of why these have none."""


def why_undefined(rows: Iterable[Mapping[str, Any]], name: str) -> str:
    """Return `its own answers failed no criterion`, why no row has this number; empty without a reason."""
    codes = dict.fromkeys(row.get("reasons", {}).get(name) for row in rows)
    return "; ".join(meaning(code) for code in codes if code and code not in _OF_OTHERS)


def judges_without(rows: Iterable[Mapping[str, Any]], name: str, lacking: str) -> str:
    """Return `No interval: a and b (fewer than ...)`, the judges whose number is null; empty if none is."""
    of_reason: dict[str, list[str]] = {}
    for row in rows:
        if row[name] is None:
            reason = meaning(row.get("reasons", {}).get(name))
            of_reason.setdefault(reason, []).append(str(row["judge"]))
    parts = [f"{join_names(judges, MOST_NAMED)} ({reason})" for reason, judges in of_reason.items()]
    return f"{lacking}: {'; '.join(parts)}." if parts else ""


def count_of_tested(n_tested: int, total: int, n_sure: int, verb: str, verbs: str) -> str:
    """Return how many of the judges that can be tested do what `verb` says: `of 6 judges only 2 can ...`.

    `verbs` is the same of several: `differs`, `differ`.
    """
    if n_tested == total:
        return f"{part_of(n_sure, total, 'judge')} {verb if n_sure < 2 else verbs}"
    tested = f"of {quantity(total, 'judge')} only {n_tested:,} can be tested"
    if n_tested == 1:
        return f"{tested}: {'it' if n_sure else 'it is not shown that it'} {verb}"
    who = "neither" if (n_sure, n_tested) == (0, 2) else how_many(n_sure, n_tested)
    return f"{tested}: {who} {verb if n_sure < 2 else verbs}"


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


def without_number(result: "Result") -> str:
    """Return `score: every question has a reference`, if no row has a number with an interval.

    Empty for rows that say why in a column of their own.
    """
    measure = result.measure
    says_why = any(field.name == "reason" for field in measure.fields)
    if not result.rows or says_why or "against" in result.filters:
        return ""
    estimates = (measure.headline, *(field.name for field in measure.fields if field.interval))
    if any(map(result.has_values, estimates)):
        return ""
    why = why_undefined(result.rows, measure.headline)
    return f"{measure.headline}: {why}" if why else ""
