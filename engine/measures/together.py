"""`together`: what every measure that the study allows says of each judge (MEASURES section 14)."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.by_judge import BIASES, OTHERS, Row, Taken, rows_of
from engine.measures.table import Column, Table
from engine.metrics.delta import average_ranks
from engine.request import LackingError
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Weights = NDArray[np.float32]

_TOLERANCE = 1e-9
_WORDS = {
    "hspp": "the ratio of harmful self-preference",
    "hspp_matched": "the ratio on matched rubrics",
    "bonus": "the score bonus",
    "spb": "the preference among equals (SPB)",
    "dbg": "the DBG score",
    "dbg_decided": "DBG on decided items",
    "t": "the baseline-corrected T",
}
"""How measures of a preference for oneself are named in sentences; that for kin is not among them."""


def compute(study: "StudyArrays", spec: Slice, options: dict[str, Any], weights: Weights | None) -> Table:
    """Return a row for each judge and measure; LackingError where the study allows none."""
    resamples = 0 if weights is None else len(weights)
    told = list(rows_of(study, spec, (*BIASES, *OTHERS), resamples, options["seed"]))
    first: dict[tuple[str, str], tuple[Taken, Row]] = {}
    for one, row in told:  # of several variants the first
        first.setdefault((row["judge"], one.name), (one, row))
    allowed = {one.name for one, row in first.values() if row[one.field] is not None}
    place = {name: i for i, name in enumerate(study.index.models)}
    made = [_row(one, row) for one, row in first.values() if one.name in allowed]
    made.sort(key=lambda row: place[row["judge"]])
    if not made:
        raise LackingError("the study allows none of the measures of judges")
    _add_ranks(made)
    for judge in dict.fromkeys(row["judge"] for row in made):
        mine = [row for row in made if row["judge"] == judge]
        biases = [row for row in mine if row["name"] in _WORDS and row["sign"] is not None]
        for row in mine:
            row["agree"] = _agreement([bias["sign"] for bias in biases])
            row["sentence"] = _sentence(judge, biases)
    names = [name for name in made[0] if name not in ("why", "name")]
    columns = {
        name: Column([row[name] for row in made], reasons=[row["why"] for row in made]) for name in names
    }
    return Table(columns, np.ones(len(made), dtype=bool), study.index.n_instances)


def _row(one: Taken, row: Row) -> Row:
    value, low, high = (row.get(name) for name in (one.field, f"{one.field}_low", f"{one.field}_high"))
    sign = None
    if value is not None and one.null is not None:
        distance = value - one.null
        sign = 0 if abs(distance) < _TOLERANCE else 1 if distance > 0 else -1
    clear = None
    if low is not None and high is not None and one.null is not None:
        clear = bool(low > one.null or high < one.null)
    why = "tells_of_something_else" if value is not None else row["reasons"].get(one.field, "undefined")
    if value is not None and one.null is not None:
        why = row["reasons"].get(f"{one.field}_low", "no_resamples")
    return {
        "judge": row["judge"],
        "measure": one.title,
        "name": one.name,
        "value": value,
        "low": low,
        "high": high,
        "null": one.null,
        "sign": sign,
        "clear": clear,
        "n": row[one.count],
        "needs": one.needs,
        "field": f"{one.measure}.{one.field}",
        "rank": None,
        "why": why,
    }


def _add_ranks(made: list[Row]) -> None:
    """Rank the judges by each measure, 1 the highest value."""
    for name in {row["measure"] for row in made}:
        rows = [row for row in made if row["measure"] == name and row["value"] is not None]
        for row, rank in zip(rows, average_ranks(np.array([row["value"] for row in rows])), strict=True):
            row["rank"] = float(rank)


def _agreement(signs: list[int]) -> float | None:
    """Return the share of pairs of a judge's signs that agree; None with fewer than two."""
    pairs = [a == b for i, a in enumerate(signs) for b in signs[i + 1 :]]
    return sum(pairs) / len(pairs) if pairs else None


def _sentence(judge: str, biases: list[Row]) -> str:
    """Say which measures find that a judge prefers itself, which that it does not, and which leave it open.

    A measure finds so where its interval lies on one side; without an interval it leaves it open.
    """
    if not biases:
        return f"No measure of self-preference is defined for {judge}."
    above = [row for row in biases if row["clear"] and row["sign"] == 1]
    below = [row for row in biases if row["clear"] and row["sign"] == -1]
    doubtful = [row for row in biases if not row["clear"]]
    parts = []
    if above:
        parts.append(f"{_listed(above)} {_verb(above, 'say')} that {judge} prefers itself")
    if below:
        parts.append(f"{_listed(below)} {_verb(below, 'say')} that {judge} holds itself back")
    if doubtful:
        whether = "it open" if parts else f"open whether {judge} prefers itself"
        parts.append(f"{_listed(doubtful)} {_verb(doubtful, 'leave')} {whether}")
    if above and below:
        parts.append("the measures disagree")
    elif above and any(row["name"] == "t" for row in doubtful):
        parts.append("corrected for what it gives to others as wrong, nothing certain is left")
    joined = "; ".join(parts)
    return f"{joined[0].upper()}{joined[1:]}."


def _listed(rows: list[Row]) -> str:
    words = [_WORDS[row["name"]] for row in rows]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _verb(rows: list[Row], verb: str) -> str:
    return f"{verb}s" if len(rows) == 1 else verb
