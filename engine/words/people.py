"""Agreement with people in sentences: who agrees most, the ceiling, who may stand in for a person."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engine.measures.quality.people import FEWEST_SHARED
from engine.measures.rows import FEW
from engine.phrases import join_names, quantity
from engine.words.row_cells import Row
from engine.words.written_numbers import confidence, number

if TYPE_CHECKING:
    from engine.measures.row_types import PeopleRow

AGREEMENT = {"verdict": "kappa", "outcome": "kappa", "score": "correlation"}
"""The field that holds a judge's agreement with people, by the kind of what both gave."""

KINDS = {"verdict": "verdicts", "outcome": "outcomes of pairs", "score": "scores"}

MOST_NAMED = 4
"""How many judges a sentence names; the rest are counted."""


def agreement_of(row: Row) -> tuple[float | None, float | None, float | None]:
    """Return a judge's agreement with people and its interval, of a row of `people`."""
    name = AGREEMENT[str(row["kind"])]
    return row[name], row[f"{name}_low"], row[f"{name}_high"]


def people_sentences(rows: "Iterable[PeopleRow]") -> tuple[str, ...]:
    """Return what rows of `people` say, one kind of value after the other."""
    of_kind: dict[str, list[PeopleRow]] = {}
    for row in rows:
        of_kind.setdefault(str(row["kind"]), []).append(row)
    sentences = []
    for kind, judges in of_kind.items():
        of = f"Of {KINDS[kind]}: " if len(of_kind) > 1 else ""
        parts = (_order(kind, judges), _ceiling(judges), _stand_in(judges), _near_the_mean(judges))
        sentences += [f"{of}{part}" for part in parts if part]
    return tuple(sentences)


def _order(kind: str, rows: "Sequence[PeopleRow]") -> str:
    agreeing = [row for row in rows if agreement_of(row)[0] is not None]
    defined = [row for row in agreeing if not row["small"]]
    if not defined:
        return f"No judge shares {FEW} items or more with people."
    defined.sort(key=lambda row: -(agreement_of(row)[0] or 0.0))
    first, last = defined[0], defined[-1]
    name = AGREEMENT[kind]
    if first is last:
        return f"{_with_agreement(first)}, by {name}, is how far {first['judge']} agrees with people."
    of = "" if len(defined) == len(agreeing) else f"Of judges that share {FEW} items or more with people, "
    return (
        f"{of}{first['judge']} agrees most with people, by {name}: {_with_agreement(first)}; {last['judge']} "
        f"least: {_with_agreement(last)}."
    )


def _with_agreement(row: "PeopleRow") -> str:
    value, low, high = agreement_of(row)
    return f"{number(value or 0.0)} ({confidence(low, high)})"


def _ceiling(rows: "Sequence[PeopleRow]") -> str:
    row = rows[0]  # it is of the people, and so the same for every judge
    if row["ceiling"] is None:
        return "How far people agree among themselves is not known: no two of them share enough items."
    if row["n_ceiling"] < FEWEST_SHARED:
        return (
            "How far people agree among themselves is not known: too few items have verdicts of two of them "
            f"({row['n_ceiling']}); {FEWEST_SHARED} are needed."
        )
    interval = confidence(row["ceiling_low"], row["ceiling_high"])
    unnamed = " What has no person's name in the study counts as one of them."
    return (
        f"The ceiling, each person's agreement with the other people: {number(row['ceiling'])} ({interval}). "
        f"A judge can lie above it, as it is held against all of them together."
        f"{unnamed if row.get('ceiling_unnamed') else ''}"
    )


def _stand_in(rows: "Sequence[PeopleRow]") -> str:
    tested = [row for row in rows if row["may_stand_in"] is not None]
    if not tested:
        return (
            "Whether a judge may stand in for a person cannot be tested: that takes three people with 30 "
            "questions each."
        )
    able = [str(row["judge"]) for row in tested if row["may_stand_in"]]
    if not able:
        return "No judge passes the test for standing in for a person."
    who = f"All {quantity(len(able), 'judge')}" if len(able) == len(tested) > 1 else _names(able)
    verb = "passes" if len(able) == 1 else "pass"
    return f"{who} {verb} the alternative annotator test, which asks whether a judge may replace a person."


def _near_the_mean(rows: "Sequence[PeopleRow]") -> str:
    """Return a warning on judges that pass the test though they follow people less than people each other."""
    hollow = [
        str(row["judge"])
        for row in rows
        if row["kind"] == "score"
        and row["may_stand_in"]
        and row["correlation_high"] is not None
        and row["ceiling_low"] is not None
        and row["correlation_high"] < row["ceiling_low"]
    ]
    if not hollow:
        return ""
    return (
        f"For {_names(hollow)} that means little: the test rewards scores near people's mean, whether or not "
        "they rise and fall with people's, and the correlation is low."
    )


def _names(judges: Sequence[str]) -> str:
    return join_names(judges, MOST_NAMED)
