"""What the measures on pairs found, in words."""

from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]

FEW = 6
"""Judges named in a sentence."""


def points(row: Row, field: str) -> str:
    """Return `+12.0 points [+3.1, +20.4]`; without an interval where there is none."""
    low, high = row[f"{field}_low"], row[f"{field}_high"]
    ends = "" if low is None or high is None else f" [{100 * low:+.1f}, {100 * high:+.1f}]"
    return f"{100 * row[field]:+.1f} points{ends}"


def clear(row: Row, field: str) -> bool:
    """Return whether the interval leaves out 0."""
    low, high = row[f"{field}_low"], row[f"{field}_high"]
    return low is not None and high is not None and (low > 0 or high < 0)


def listed(rows: Sequence[Row], field: str) -> str:
    """Return the judges with their numbers, the first FEW by name."""
    told = "; ".join(f"{row['judge']} {points(row, field)}" for row in rows[:FEW])
    return f"{told}; and {len(rows) - FEW} more" if len(rows) > FEW else told


def archetypes(rows: Sequence[Row]) -> list[str]:
    """Say how many judges are of which archetype, and of how many that is open."""
    known = [row for row in rows if row["archetype"] is not None]
    if not known:
        return ["No judge has an archetype here: that takes D and SPB, of pairs far apart and of null pairs."]
    told = []
    for name in dict.fromkeys(row["archetype"] for row in known):
        names = [row["judge"] for row in known if row["archetype"] == name]
        rest = f" and {len(names) - FEW} more" if len(names) > FEW else ""
        told.append(f"{name}: {', '.join(names[:FEW])}{rest}.")
    unsure = sum(len(row["possible"] or ()) > 1 for row in known)
    if unsure:
        told.append(f"The intervals of {unsure} of {len(known)} judges leave another archetype open.")
    return told


def equal_quality(rows: Sequence[Row]) -> str:
    """Say which judges firmly prefer their own among equals."""
    return preferring(rows, "spb", "choose their own firmly more often than a third party's of equal quality")


def by_epsilon(rows: Sequence[Row]) -> str:
    """Say for how many judges SPB keeps its sign at every epsilon at which they have one."""
    found = [[spb for spb in row["spb_by_epsilon"] if spb is not None] for row in rows]
    found = [values for values in found if len(values) > 1]
    if not found:
        return "No judge has SPB at two epsilons."
    kept = sum(min(values) > 0 or max(values) < 0 for values in found)
    return f"SPB keeps its sign at every epsilon for {kept} of {len(found)} judges."


def by_category(rows: Sequence[Row]) -> str:
    """Say in which category judges lean most to and from themselves, and in how many cells that is clear."""
    known = [row for row in rows if row["judge"] is not None and row["spb"] is not None]
    if not known:
        return "No judge has SPB in a category."
    names = list(dict.fromkeys("(no value)" if row["slice"] is None else str(row["slice"]) for row in known))
    least, most = min(known, key=lambda row: row["spb"]), max(known, key=lambda row: row["spb"])
    sure = [row for row in known if clear(row, "spb")]
    above = sum(row["spb"] > 0 for row in sure)
    return (
        f"Of {len(known)} pairs of a judge and one of {len(names)} categories, SPB is clearly above 0 in "
        f"{above} and clearly below in {len(sure) - above}; chance alone would give about 1 of 40 each way. "
        f"Highest: {most['judge']} on {most['slice']}, {points(most, 'spb')}; lowest: {least['judge']} on "
        f"{least['slice']}, {points(least, 'spb')}."
    )


def baseline(rows: Sequence[Row]) -> str:
    """Say of whom T is above 0."""
    if not any(row["ilsp_updated"] is not None for row in rows):
        return (
            "T is not there: no lost example has a proxy, another model with the same outcome against the "
            "same opponent that the judge also judged. ILSP and LSP stand as they are, without a baseline."
        )
    votes = "vote for their own worse response more than for proxies as bad as it"
    return preferring(rows, "ilsp_updated", votes)


def dbg(rows: Sequence[Row]) -> str:
    """Say who lets itself win more often than gold judges do."""
    return preferring(rows, "dbg", "let their own response win more often than the gold judges do")


def preferring(rows: Sequence[Row], field: str, doing: str) -> str:
    """Say of how many judges a number is clearly above 0, of how many below, and of how many open."""
    known = sorted((row for row in rows if row[field] is not None), key=lambda row: -row[field])
    if not known:
        return "No judge has a number here."
    above = [row for row in known if clear(row, field) and row[field] > 0]
    below = [row for row in known if clear(row, field) and row[field] < 0]
    told = f"{len(above)} of {len(known)} judges {doing}"
    told += f" ({listed(above, field)})." if above else "."
    if below:
        told += f" {len(below)}: clearly the other way ({listed(below[::-1], field)})."
    left = len(known) - len(above) - len(below)
    return told + (f" {left}: the interval holds 0, or there is none." if left else "")


def mitigation(rows: Sequence[Row]) -> str:
    """Say how often each way of asking lowers |SPB|."""
    told = []
    for name in dict.fromkeys(row["variant"] for row in rows):
        known = [row for row in rows if row["variant"] == name and row["reduction"] is not None]
        if not known:
            told.append(f"{name}: no judge has SPB in both.")
            continue
        less = sum(row["reduction"] > 0 for row in known)
        sure = sum(clear(row, "reduction") and row["reduction"] > 0 for row in known)
        worse = sum(clear(row, "reduction") and row["reduction"] < 0 for row in known)
        told.append(
            f"{name} lowers |SPB| of {less} of {len(known)} judges, clearly of {sure}; it clearly raises "
            f"that of {worse}."
        )
    return " ".join(told)
