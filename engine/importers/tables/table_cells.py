"""The cells of a table's row, by our columns, as a verdict, a truth value, a number or texts."""

from typing import Any

from engine import schema
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.rows import BadRowError, Choice, Row, UnknownValueError, number_of
from engine.importers.tables.verdict_words import MET, REFUSED, is_no_verdict, lookup_key
from engine.paradigms import TRAITS


def verdict_of(
    cells: Row, pair: str | None, side: Choice | None, spelling: OptionSpelling, *, has_scores: bool
) -> tuple[str, dict[str, Any]]:
    """Return the paradigm that a verdict suggests, and the verdict with its status; `side` is that of a pair.

    With `has_scores` the table has scores and no met: a row without a verdict lacks a score.
    """
    met, score = (cells.values.get(name) for name in ("met", "score"))
    status = cells.maybe_text("status")
    columns: dict[str, Any] = {}
    if pair is not None:
        paradigm = "pairwise"
        share = score_of(cells, "p_generator")
        if share is not None and not 0 <= share <= 1:
            raise BadRowError("p_generator is not from 0 to 1", share)
        columns = {"choice": side, "p_generator": share}
    elif met is not None or (score is None and not has_scores):
        paradigm = "single_rubric"
        columns = {"met": met_of(cells, "met", spelling)}
    else:
        has_rubric = cells.values.get("rubric_id") is not None or cells.values.get("criterion") is not None
        paradigm = "score_rubric" if has_rubric else "direct_assessment"
        traits = TRAITS.get(str(cells.values.get("paradigm")))
        is_likelihood = traits is not None and traits.subject == "words"  # a logarithm: -1 is one like others
        number = (optional_number if is_likelihood else score_of)(cells, "score")
        scale = number_of(cells.values.get("scale", 1))
        if scale is None or scale <= 0:
            raise BadRowError("scale is not a number above 0", cells.values["scale"])
        columns = {"score": None if number is None else number / scale}
    if status is not None and status not in schema.STATUSES:
        raise BadRowError("status is not one of " + ", ".join(schema.STATUSES), status)
    if status not in (None, "ok"):
        return paradigm, {"status": status}
    values = {name: value for name, value in columns.items() if value is not None}
    words = {lookup_key(cells.values.get(name)) for name in ("met", "score", "choice")}
    without = "unparsed" if words.isdisjoint(REFUSED) else "refused"
    return paradigm, {**values, "status": "ok" if values else without}


def met_of(cells: Row, name: str, spelling: OptionSpelling) -> bool | None:
    """Return a truth value of a row, None for a missing verdict; BadRowError for anything else."""
    value = cells.values.get(name)
    met = None if value is None else MET.get(lookup_key(value))
    if met is None and not is_no_verdict(value):
        says = spelling.meanings(name, {"VALUE": "yes"})
        reason = f"{spelling.name(name)} is neither true nor false ({says} says which)"
        raise UnknownValueError(reason, name, value)
    return met


def score_of(cells: Row, name: str) -> float | None:
    """Return a number of a row, None for a missing verdict; BadRowError for anything else."""
    return None if is_no_verdict(cells.values.get(name)) else optional_number(cells, name)


def optional_number(cells: Row, name: str) -> float | None:
    """Return an optional number of a row; BadRowError if the value is not a number."""
    value = cells.values.get(name)
    number = number_of(value)
    if number is None and value is not None:
        raise UnknownValueError(f"{name} is not a number", name, value)
    return number


def texts_of(cells: Row, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: cells.maybe_text(name) for name in names if name in cells.values}
