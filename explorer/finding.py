"""The panel that finds slices: what stands apart, in words and as a list to choose from."""

import streamlit as st

from engine import exports, readable
from engine.errors import SpbError
from engine.finder import FIND, words
from engine.measures.result import Result
from engine.wording import applied, left_out, title
from explorer import address, components, context, data, selection
from explorer.filters import DECLARED

KEY = "found"
MOST = 50
"""Slices listed; all of them are in what is downloaded."""

FIELDS = (
    *("judge", "where", "difference", "p_adjusted", "hspp_self", "hspp_rest", "hspp_matched"),
    *("n_self", "n_rest", "small"),
)

TITLES = {
    "where": "Slice",
    "difference": "There / elsewhere",
    "p_adjusted": "p, adjusted",
    "hspp_self": "Ratio there",
    "hspp_rest": "Elsewhere",
    "hspp_matched": "Matched there",
    "n_self": "n there",
    "n_rest": "n elsewhere",
}


def switch() -> bool:
    """Show whether slices are looked for and return it: the search takes longer than a click should."""
    meaning = "Hold every slice of one column and of two against the rest, and list the surest"
    return selection.switch("find", "Find slices", meaning, clears=None)


def panel(here: context.Context, asked: data.Asked) -> None:
    """Search within the filters chosen; a row chosen opens its slice."""
    try:
        result = data.found(here.key, tuple((name, value) for name, value in asked if name != "level"))
    except SpbError as error:  # pairs, whose page shows their ratios all the same
        components.say(str(error), key="finding_slices")
        return
    if components.lacks_rows(result):
        return
    tried = int(result.filters["slices_tried"])
    components.say(*words.sentences(result.rows, tried), key="finding_slices")
    shown = min(MOST, len(result.rows))
    components.note(
        f"The surest {shown:,} of {tried:,} slices; choose one to open it. There / elsewhere: the ratio "
        "there over the judge's ratio on all other rubrics, with its 95% interval.",
        applied(result.filters),
        left_out(result.left_out),
        key=KEY,
    )
    _list(result)


def _list(result: Result) -> None:
    frame = readable.readable(result, FIELDS).head(MOST)
    declared = {field.name: field for field in FIND.fields}
    config = {
        name: st.column_config.TextColumn(
            TITLES.get(name) or title(name), help=declared[name].meaning.capitalize()
        )
        for name in FIELDS
    }
    components.table(
        frame,
        config,
        KEY,
        selectable=True,
        on_pick=lambda: _open(result),
        typed=lambda: exports.frame_of(result),
    )


def _open(result: Result) -> None:
    """Choose the filters of the slice picked, what it is grouped by, and end the search."""
    picked = st.session_state[KEY]["selection"]["rows"]
    if not picked:
        return
    row = result.rows[picked[0]]
    for name, value in row["filters"].items():
        if name in DECLARED:
            address.choose(name, *([value] if isinstance(value, str) else value))
    address.choose("by", row["by"])
    address.choose("find")
