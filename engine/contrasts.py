"""Sentences about ways of judging, committees and agreement, from the rows of their measures.

Names of models stand in the sentences as they are; whoever shows them shows them as text.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def paradigms(rows: Iterable[Row]) -> str:
    """Say from the rows of `hspp` grouped by paradigm in which way of judging the mean ratio is highest."""
    means = [row for row in rows if row["judge"] is None and row["hspp_self"] is not None]
    if not means:
        return "No way of judging has a mean ratio here."
    told = [f"{_plain(row['slice'])} {_ratio(row, 'hspp_self')}" for row in _highest(means, "hspp_self")]
    if len(told) == 1:
        return f"The mean ratio over judges is, with {told[0]}; there is no other way of judging to compare."
    return f"The mean ratio over judges is highest with {told[0]}; then {', '.join(told[1:])}."


def slices(rows: Iterable[Row], named: str) -> str:
    """Say from the rows of `hspp` grouped by a column in which slice the mean ratio is highest, and lowest.

    `named` says what the slices are of, such as `axis`.
    """
    means = [row for row in rows if row["judge"] is None and row["hspp_self"] is not None]
    if len(means) < 2:
        return f"There are no two slices by {named} with a mean ratio to compare."
    first, *_, last = _highest(means, "hspp_self")
    apart = first["hspp_self_low"] is not None and last["hspp_self_high"] is not None
    apart = apart and first["hspp_self_low"] > last["hspp_self_high"]
    doubt = "their intervals lie apart" if apart else "their intervals overlap, so that this may be chance"
    return (
        f"By {named}, the mean ratio over judges is highest for {_plain(first['slice'])} "
        f"{_ratio(first, 'hspp_self')} and lowest for {_plain(last['slice'])} {_ratio(last, 'hspp_self')}; "
        f"{doubt}."
    )


def committee(rows: Sequence[Row]) -> list[str]:
    """Say from the rows of `committee` for how many members its ratio is lower, and its accuracy higher."""
    sentences = []
    for level, accuracy in (("rubric", "mra"), ("instance", "mipa")):
        here = [row for row in rows if row["level"] == level]
        lower = _pairs(here, "hspp_self")
        better = _pairs(here, accuracy)
        if not lower and not better:
            continue
        fewer = sum(joined < alone for alone, joined in lower)
        more = sum(joined > alone for alone, joined in better)
        sentences.append(
            f"At {level} level the committee's ratio is lower than the member's for {fewer} of {len(lower)} "
            f"members, and its accuracy is higher for {more} of {len(better)}."
        )
    left = [row for row in rows if (row["hspp_self_committee_low"] or 0) > 1]
    if left:
        told = ", ".join(f"{row['judge']} ({row['level']} level)" for row in left)
        sentences.append(f"The committee still credits more: {told}.")
    return sentences


def committee_sizes(rows: Sequence[Row], combine: str = "majority") -> list[str]:
    """Say from the rows of `committee-size` how the mean ratio moves from one judge alone to all together."""
    sentences = []
    for level in ("rubric", "instance"):
        here = [row for row in rows if row["level"] == level and row["hspp_self"] is not None]
        if len(here) < 2:
            continue
        first, last = here[0], here[-1]
        sentences.append(
            f"At {level} level the mean ratio for members goes from {_ratio(first, 'hspp_self')} with "
            f"{_judges(first['size'])} to {_ratio(last, 'hspp_self')} with {_judges(last['size'])} together."
        )
    even = [row for row in rows if row["size"] % 2 == 0]
    if sentences and combine == "majority" and even:
        sentences.append(
            "Committees of an even number leave out what they are divided on, which are the hard cases: read "
            "odd sizes with odd ones."
        )
    return sentences or ["No two sizes of committee have a ratio to compare."]


def committee_families(rows: Sequence[Row]) -> str:
    """Say from the rows of `committee-families` for which families the others' verdict on them differs."""
    here = [row for row in rows if row["level"] == rows[0]["level"]]
    both = [row for row in here if row["hspp_self_outside"] is not None]
    both = [row for row in both if row["hspp_self_outside_whole"] is not None]
    if not both:
        return "Without any one family too few members, or no failures, are left for a ratio."
    lower = [row for row in both if row["hspp_self_outside"] < row["hspp_self_outside_whole"]]
    told = [
        f"{row['without']} {row['hspp_self_outside_whole']:.2f}, then {_ratio(row, 'hspp_self_outside')}"
        for row in both
    ]
    return (
        f"At {here[0]['level']} level a family's mean ratio is lower when its members do not vote for "
        f"{len(lower)} of {len(both)} families: {'; '.join(told)}."
    )


def _judges(number: int) -> str:
    return "one judge" if number == 1 else f"{number} judges"


def agreement(rows: Sequence[Row], level: str = "rubric") -> str:
    """Say from the rows of `agreement-curve` how the mean ratio moves from no threshold to the highest."""
    known = [row for row in rows if row["level"] == level and row["hspp_self_mean"] is not None]
    if len(known) < 2:
        return "There are too few thresholds with a ratio to tell whether agreement lowers self-preference."
    first, last = known[0], known[-1]
    return (
        f"From an agreement of {first['threshold']:.0%} to one of {last['threshold']:.0%} the mean ratio "
        f"goes from {_ratio(first, 'hspp_self_mean')} to {_ratio(last, 'hspp_self_mean')}, with "
        f"{last['rubrics_kept']:.0%} of the rubrics left."
    )


def _pairs(rows: Iterable[Row], field: str) -> list[tuple[float, float]]:
    """Return the numbers of members and of the committee in their place, where both are there."""
    both = [(row[field], row[f"{field}_committee"]) for row in rows]
    return [(alone, joined) for alone, joined in both if alone is not None and joined is not None]


def _highest(rows: Iterable[Row], field: str) -> list[Row]:
    return sorted(rows, key=lambda row: -float(row[field]))


def _ratio(row: Row, field: str) -> str:
    """Return `1.08 [1.03, 1.14]`, the value alone where it has no interval."""
    low, high = row[f"{field}_low"], row[f"{field}_high"]
    told = f"{row[field]:.2f}"
    return told if low is None or high is None else f"{told} [{low:.2f}, {high:.2f}]"


def _plain(value: Any) -> str:
    return str(value).replace("_", " ")
