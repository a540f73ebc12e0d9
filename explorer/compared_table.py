"""A comparison as tables to be read."""

from typing import Any

import pandas as pd
import streamlit as st

from engine.comparison import Comparison
from engine.readable import difference, plainly
from engine.wording import title
from explorer import components

HEADS = {
    "row": ("Row", "The judge, or the number where two judges are compared"),
    "a": ("A [95% interval]", "The number on side A"),
    "b": ("B [95% interval]", "The number on side B"),
    "difference": ("A against B", "Ratios: A / B; shares: A - B, in points"),
    "p": ("p", "Of no difference, from the resamples"),
    "p_adjusted": ("p, adjusted", "For the number of judges, after Benjamini and Hochberg"),
    "n": ("n, A and B", "Cases behind the number on each side"),
    "rank": ("Rank, A to B", "1 is highest, among judges on both sides"),
}
SWAPS = {
    "above": ("Higher in A", "The judge of the two that is higher on side A"),
    "below": ("Higher in B", "The judge of the two that is higher on side B"),
    "share": ("Seen in", "Resamples in which both orders are so; by chance about a quarter"),
}


def cells(row: dict[str, Any], kind: str) -> dict[str, str]:
    """Return a compared row as a reader's texts."""
    name = title(str(row["field"])) if row["judge"] != row["judge_b"] else row["judge"]
    return {
        "row": "mean of judges" if name is None else str(name),
        "a": plainly(row, "a", "a_low", "a_high", kind=kind),
        "b": plainly(row, "b", "b_low", "b_high", kind=kind),
        "difference": difference(row, kind=kind),
        "p": plainly(row, "p"),
        "p_adjusted": "–" if row["judge"] is None else plainly(row, "p_adjusted"),
        "n": f"{row['n_a']:,} and {row['n_b']:,}",
        "rank": "–" if row["rank_a"] is None else f"{row['rank_a']} to {row['rank_b']}",
    }


def swaps(comparison: Comparison) -> pd.DataFrame:
    """Return the pairs of judges that change places, as a reader's texts."""
    shown = [
        (swap.above, swap.below, "–" if swap.share is None else f"{100 * swap.share:.0f}%")
        for swap in comparison.swaps
    ]
    return pd.DataFrame(shown, columns=list(SWAPS))


def show_swaps(comparison: Comparison) -> None:
    """Show the pairs of judges that change places, or that there are none."""
    st.subheader("Judges that change places", anchor=False)
    if not comparison.swaps:
        components.note("The judges stand in the same order on both sides.", key="no_swaps")
        return
    config = {name: st.column_config.TextColumn(words, help=told) for name, (words, told) in SWAPS.items()}
    typed = pd.DataFrame([vars(swap) for swap in comparison.swaps])
    components.table(swaps(comparison), config, "swaps", typed=lambda: typed)
