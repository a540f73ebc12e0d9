"""What a judge's self-preference means in points and places, in words, so that 1.2 can be said to be much.

Names of models stand in the sentences as they are; whoever shows them shows them as text.
"""

from collections.abc import Iterable, Mapping
from typing import Any

Row = Mapping[str, Any]


def own_rows(deltas: Iterable[Row]) -> list[dict[str, Any]]:
    """Return of the rows of `delta` those that carry a judge's own numbers, one for each judge."""
    return [dict(row) for row in deltas if row["generator"] in (None, row["judge"])]


def sentences(deltas: Iterable[Row], ratios: Iterable[Row]) -> dict[str, str]:
    """Return a sentence or two for each judge, from the rows of `delta` and `hspp` (one slice).

    What is not defined is said to be so, never taken for nothing.
    """
    ratio_of = {row["judge"]: row for row in ratios if row["judge"] is not None}
    return {row["judge"]: _sentence(row, ratio_of.get(row["judge"])) for row in own_rows(deltas)}


def foremost(deltas: Iterable[Row]) -> str | None:
    """Return the judge with the largest bonus for itself, None where no judge has one."""
    known = [row for row in own_rows(deltas) if row["bonus"] is not None]
    return max(known, key=lambda row: float(row["bonus"]))["judge"] if known else None


def _sentence(row: Row, ratio: Row | None) -> str:
    parts = [f"{row['judge']} {_bonus(row)}{_places(row)}."]
    if ratio is not None and ratio["hspp_self"] is not None:
        parts.append(_ratio(ratio))
    return " ".join(parts)


def _bonus(row: Row) -> str:
    value, low, high = row["bonus"], row["bonus_low"], row["bonus_high"]
    if value is None:
        return "has no bonus here, for want of scores of its own or of another family's"
    verb = "gives itself" if value >= 0 else "takes from itself"
    told = f"{verb} {abs(value):.1f} points of 100"
    if low is None:
        return told + (
            " more than other families' models" if value >= 0 else " against other families' models"
        )
    doubt = "" if low > 0 or high < 0 else ", which may be nothing"
    return f"{told} [{low:+.1f}, {high:+.1f}] compared with other families' models{doubt}"


def _places(row: Row) -> str:
    shift = row["rank_shift"]
    if shift is None:
        return ""
    if shift == 0:
        return ", and ranks itself where the reference does"
    places = f"{abs(shift):g} place{'' if abs(shift) == 1 else 's'}"
    return f", and ranks itself {places} {'higher' if shift < 0 else 'lower'} than the reference does"


def _ratio(row: Row) -> str:
    own, others = 100 * row["o_self"], 100 * row["o_other"]
    return (
        f"Its ratio of {row['hspp_self']:.2f} stands for {own:.0f} of 100 own failures passed, "
        f"where it passes {others:.0f} of 100 of others'."
    )
