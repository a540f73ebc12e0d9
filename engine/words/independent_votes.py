"""How many independent votes a committee is worth, in sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.measures.row_types import CommitteeRow

LEAST = 0.05
"""The difference in votes below which no member is said to add more than another."""


def votes_worth(rows: "Sequence[CommitteeRow]") -> tuple[str, ...]:
    """Return what a committee is worth and which member adds most; empty without a reference.

    Neither number has an interval, so members that add nearly the same are not told apart.
    """
    members = [row for row in rows if row["n_effective"] is not None]
    if not members:
        return ()
    members = [row for row in members if row.get("level") == members[0].get("level")]
    whole = members[0]["n_effective"]
    size = len(members)
    worth = f"As its members err together, this committee of {size} is worth {whole:.1f} independent votes"
    each = sorted(
        (row for row in members if row["n_effective_without"] is not None),
        key=lambda row: float(row["n_effective_without"]),
    )
    if len(each) < 2 or each[1]["n_effective_without"] - each[0]["n_effective_without"] < LEAST:
        return (f"{worth}; no member clearly adds most.",)
    first = each[0]
    return (f"{worth}; {first['judge']} adds most: without it {first['n_effective_without']:.1f} remain.",)
