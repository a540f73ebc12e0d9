"""What the order shown does, in words."""

from collections.abc import Sequence
from typing import Any

from engine.measures.table import SURE

Row = dict[str, Any]

FEW = 6


def positions(rows: Sequence[Row]) -> str:
    """Say which position each judge picks most, and for how many that is no chance."""
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    told, sure = [], 0
    for judge in judges:
        mine = [row for row in rows if row["judge"] == judge and row["share"] is not None]
        if not mine:
            continue
        most = max(mine, key=lambda row: row["share"])
        sure += most["chi2_shuffle_p"] is not None and most["chi2_shuffle_p"] < SURE
        told.append(f"{judge} position {most['position']} ({most['share']:.1%})")
    if not told:
        return "No judge has a selection here."
    rest = f", and {len(told) - FEW} more" if len(told) > FEW else ""
    return (
        f"Picked most, where each position would have {1 / rows[0]['n_options']:.1%}: "
        f"{', '.join(told[:FEW])}{rest}. Dealing the scores of each item out anew, {sure} of {len(told)} "
        f"judges are beyond chance (p below {SURE:g})."
    )


def orderings(rows: Sequence[Row]) -> str:
    """Say which ordering is recommended for each judge."""
    best = [row for row in rows if row["recommended"] and row["cost"] is not None]
    if not best:
        return "No ordering has a cost here."
    told = "; ".join(f"{row['judge']} {row['ordering']} ({row['cost']:.1f} points)" for row in best[:FEW])
    rest = f"; and {len(best) - FEW} more" if len(best) > FEW else ""
    return f"Recommended, the lowest bias cost: {told}{rest}."


def permutation(rows: Sequence[Row]) -> str:
    """Say for how many judges permuting goes better with people than repeating."""
    known = [row for row in rows if row["pearson_delta"] is not None]
    if not known:
        return "No judge has both arms with human scores, so that permuting cannot be held against repeating."
    better = sum(row["pearson_delta"] > 0 for row in known)
    sure = [row for row in known if row["pearson_delta_low"] is not None]
    clearly = sum(row["pearson_delta_low"] > 0 for row in sure)
    worse = sum(row["pearson_delta_high"] < 0 for row in sure)
    return (
        f"Permuted orderings go better with people than as many repeats of one for {better} of "
        f"{len(known)} judges, clearly for {clearly}; clearly worse for {worse}."
    )


def along_list(rows: Sequence[Row], field: str, words: str) -> str:
    """Say for how many judges a number differs between the first and the last place of a list."""
    ends = {}
    for row in rows:
        if row["position"] is not None and row[field] is not None:
            ends.setdefault((row["judge"], row["ordering"]), {})[row["position"]] = row[field]
    moved = [(told[min(told)], told[max(told)]) for told in ends.values() if len(told) > 1]
    if not moved:
        return "No judge has this number at two places of a list."
    fell = sum(first > last for first, last in moved)
    return (
        f"From the first place to the last the number ({words}) falls in {fell} of {len(moved)} courses "
        "of judges and orderings; the intervals at each place say how far that is chance."
    )


def flips(rows: Sequence[Row]) -> str:
    """Say who flips most, and how many lean to the first or the second shown."""
    known = [row for row in rows if row["flip_rate"] is not None]
    if not known:
        return "No pair has a winner named in both orders."
    most = max(known, key=lambda row: row["flip_rate"])
    leaning = [row for row in known if row["flip_to_first_low"] is not None]
    first = sum(row["flip_to_first_low"] > 0.5 for row in leaning)
    second = sum(row["flip_to_first_high"] < 0.5 for row in leaning)
    return (
        f"{most['judge']} (variant {most['variant']}) names another winner in the other order most often: "
        f"{most['flip_rate']:.1%} of pairs. Of {len(known)} judges and variants {first} clearly flip to the "
        f"response shown first, {second} to the one shown second."
    )
