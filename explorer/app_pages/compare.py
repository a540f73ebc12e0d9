"""Compare: slices, judges, runs or studies side by side, with the doubt of their difference."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from engine.comparison import Comparison
from explorer import address, compared_words, comparing, components, context, data, selection
from explorer.comparing import Chosen
from explorer.sitemap import FILTERS
from explorer.tables import difference, plainly
from explorer.wording import title

TABLE = "compared_numbers"
MARKS = "Lines are 95% intervals; hollow marks rest on fewer than 30 cases; both sides have one scale."
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


def render(here: context.Context) -> None:
    """Show what is compared, both sides, what is between them, and who changes places."""
    comparing.settle_saved(here)
    told = comparing.chosen(here)
    if told is None:
        return
    comparing.refuse_alike(told)
    comparison = data.comparison(told.sides, told.fields, told.common)
    if not comparison.rows:
        components.say(f"Nothing to compare: {comparison.reason}.", *compared_words.basis(comparison))
        return
    _say(told, comparison)
    _chart(told, comparison)
    _table(told, comparison)
    if told.mode != "judges":
        _swaps(comparison)


def _say(told: Chosen, comparison: Comparison) -> None:
    """Say what comes out, what is common to both sides and what only one has."""
    if told.sides.alike:
        components.say("Both sides are the same: choose filters of A or of B at the left.", key="finding")
        return
    finding = compared_words.finding(comparison, told.number)
    rest = (compared_words.common(comparison), compared_words.one_side_only(comparison))
    components.say(*finding, *filter(None, rest), key="finding")


def _chart(told: Chosen, comparison: Comparison) -> None:
    drawn = data.compared_chart(told.sides, told.fields, told.common)
    if drawn.panels < drawn.all_panels:
        components.say(
            f"The {drawn.panels} rows highest in A are drawn, of {drawn.all_panels}; the table has all."
        )
    words = f"Side A, side B and A against B by {comparing.NUMBERS[told.number]}."
    lines = (*compared_words.basis(comparison), MARKS)
    components.figure(
        drawn,
        "compared",
        words,
        lines,
        study=comparison.sides[0].study,
        caption=[compared_words.common(comparison)],
    )


def _table(told: Chosen, comparison: Comparison) -> None:
    """Show the numbers; the row chosen stands in the address and leads to the judgments of either side."""
    kind = "ratio" if told.number in comparing.RATIOS else "share"
    frame = pd.DataFrame([_cells(row, kind) for row in comparison.rows])
    if told.mode == "judges":
        frame = frame.drop(columns=["rank", "p_adjusted"])
    config = {name: st.column_config.TextColumn(HEADS[name][0], help=HEADS[name][1]) for name in frame}
    place = _shown_row(list(frame["row"]))
    typed = pd.DataFrame(comparison.rows)
    components.table(frame, config, TABLE, selectable=True, on_pick=_picked(frame), typed=lambda: typed)
    row = None if place is None else comparison.rows[place]
    if row is None or row["judge"] is None:
        components.note("Choose a judge's row to read the judgments behind it.", key="choose")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text("Judgments on the judge's own responses:", width="content")
        for side, judge in (("A", row["judge"]), ("B", row["judge_b"])):
            if st.button(f"Read those of {judge} in {side}", key=f"read_{side.lower()}"):
                _read(told, side, str(judge))


def _shown_row(names: list[str]) -> int | None:
    """Let the table show the row of the view as chosen, and return its place."""
    selection.drop_unknown("row", names, "Row")
    name = address.value("row")
    place = None if name is None else names.index(name)
    rows = [] if place is None else [place]
    st.session_state[TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    return place


def _picked(frame: pd.DataFrame) -> Callable[[], None]:
    names = list(frame["row"])

    def keep() -> None:
        rows = st.session_state[TABLE]["selection"]["rows"]
        address.keep("row", (names[rows[0]],) if rows else ())

    return keep


def _read(told: Chosen, side: str, judge: str) -> None:
    """Open the judgments of a judge on one side."""
    asked = dict(told.sides.asked_a if side == "A" else told.sides.asked_b)
    texts = {name: (value,) if isinstance(value, str) else value for name, value in asked.items()}
    study = {"study": (address.value("b_study") or "",)} if side == "B" and told.sides.apart else {}
    place = {"judge": (judge,), "generator": (judge,), "show": ("overestimation",)}
    nothing = dict.fromkeys((*FILTERS, "by", "value", "q", "item"), ())
    context.open_page("verdicts", **(nothing | texts | place | study))


def _cells(row: dict[str, Any], kind: str) -> dict[str, str]:
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


def _swaps(comparison: Comparison) -> None:
    st.subheader("Judges that change places", anchor=False)
    if not comparison.swaps:
        components.note("The judges stand in the same order on both sides.", key="no_swaps")
        return
    shown = [
        (swap.above, swap.below, "–" if swap.share is None else f"{100 * swap.share:.0f}%")
        for swap in comparison.swaps
    ]
    config = {name: st.column_config.TextColumn(words, help=told) for name, (words, told) in SWAPS.items()}
    typed = pd.DataFrame([vars(swap) for swap in comparison.swaps])
    components.table(pd.DataFrame(shown, columns=list(SWAPS)), config, "swaps", typed=lambda: typed)


context.show(render)
