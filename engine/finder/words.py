"""What the finder found, in sentences. Names of models and values stand in them as they are."""

from collections.abc import Sequence
from typing import Any

from engine.measures.table import SURE

Row = dict[str, Any]


def claimed(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that stand apart, in their order."""
    return [row for row in rows if row["p_adjusted"] < SURE]


def foremost(rows: Sequence[Row]) -> Row | None:
    """Return the row to be told first of those that stand apart, None where none does.

    It is the surest in which a judge credits itself more than elsewhere (else the surest), or the plainer
    slice that holds it and stands apart in the same way.
    """
    sure = claimed(rows)
    more = [row for row in sure if row["difference"] > 1] or sure
    if not more:
        return None
    first = more[0]
    plainer = [
        row
        for row in more
        if row["judge"] == first["judge"]
        and _parts(row) < _parts(first)
        and (row["difference"] > 1) == (first["difference"] > 1)
    ]
    return plainer[0] if plainer else first


def sentences(rows: Sequence[Row], tried: int) -> list[str]:
    """Say which slice stands apart, how surely, and how many do of those tried; or that none does."""
    if not rows:
        return ["No slice could be tested, so nothing can be said of where judges favour themselves most."]
    first, sure = foremost(rows), claimed(rows)
    if first is None:
        return [
            f"No slice stands apart: none of the {tried:,} tried surely differs from its judge's other ones.",
            f"The surest, and it is not sure: {described(rows[0])}.",
        ]
    count = "1 slice stands" if len(sure) == 1 else f"{len(sure):,} slices stand"
    told = [f"{count} apart of {tried:,} tried. Foremost: {described(first)}.", _matched(first)]
    judges = dict.fromkeys(row["judge"] for row in sure if row["judge"] != first["judge"])
    if judges:
        told.append(f"Slices of {_list(list(judges))} stand apart too.")
    return [sentence for sentence in told if sentence]


def described(row: Row) -> str:
    """Return a row in words: the judge, the slice, the difference with its interval, n and p."""
    p = row["p_adjusted"]
    sure = "below 0.001" if p < 0.001 else f"{p:.3f}"
    few = ", few cases" if row["small"] else ""
    return (
        f"on {place(row)} the ratio of {row['judge']} is {row['difference']:.2f} times "
        f"[{row['difference_low']:.2f}, {row['difference_high']:.2f}] what it is elsewhere "
        f"({row['hspp_self']:.2f} against {row['hspp_rest']:.2f}; n {row['n_self']:,}{few}; "
        f"adjusted p {sure})"
    )


def place(row: Row) -> str:
    """Return the slice in words: `polarity negative and language en`."""
    return " and ".join(part.replace("=", " ", 1) for part in row["where"].split("; "))


def _matched(row: Row) -> str:
    matched = row["hspp_matched"]
    if matched is None:
        return "There are no matched rubrics to tell whether its failures there are just the hard ones."
    return f"On rubrics there that both responses failed the ratio is {matched:.2f} (n {row['n_matched']:,})."


def _parts(row: Row) -> frozenset[str]:
    return frozenset(row["where"].split("; "))


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
