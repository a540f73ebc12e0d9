"""The panel that finds slices: those that stand out, in words and as a list to choose from."""

import streamlit as st

from engine.charts import export
from engine.errors import SpbError
from engine.explore.find_slices import FIND
from engine.measures.result import Result
from engine.phrases import sentence_case
from engine.words import row_cells
from engine.words.based_on import basis_of, left_out_of
from engine.words.short_titles import title
from engine.words.slice_words import slice_sentences
from explorer import data
from explorer.parts import components, selection
from explorer.parts.context import Context
from explorer.parts.sections import section
from explorer.workbench.filters import FILTER_FLAGS

KEY = "found"
MOST = 50
"""Most slices listed; the download has all of them."""


FIELDS = (
    *("judge", "where", "difference", "p_adjusted", "hspp_self", "hspp_rest", "hspp_matched"),
    *("n_self", "n_rest", "small"),
)


SLICE_TITLES = {
    "where": "Slice",
    "difference": "Slice / elsewhere",
    "p_adjusted": "p, adjusted",
    "hspp_self": "Ratio in slice",
    "hspp_rest": "Ratio elsewhere",
    "hspp_matched": "Matched ratio in slice",
    "n_self": "n in slice",
    "n_rest": "n elsewhere",
}


@section
def panel(context: Context, flags: data.FlagValues) -> None:
    """Search within the chosen filters; choosing a row opens its slice."""
    try:
        result = data.find_result(
            context.key, tuple((name, value) for name, value in flags if name != "level")
        )
    except SpbError as error:  # pairs, whose ratios the page still shows
        components.say(str(error), key="slices_that_stand_out")
        return
    if components.lacks_rows(result):
        return
    n_slices = int(result.filters["slices_tried"])
    components.say(*slice_sentences(result.rows, n_slices), key="slices_that_stand_out")
    n_shown = min(MOST, len(result.rows))
    components.note(
        f"The clearest {n_shown:,} of {n_slices:,} slices; choose one to open it. Slice / elsewhere: the "
        "ratio in the slice divided by the judge's ratio on all other rubrics, with its 95% interval.",
        basis_of(result.filters),
        left_out_of(result),
        key=KEY,
    )
    _list(result)


def _list(result: Result) -> None:
    frame = row_cells.format_rows(result, FIELDS).head(MOST)
    fields_by_name = {field.name: field for field in FIND.fields}
    config = {
        name: (SLICE_TITLES.get(name) or title(name), sentence_case(fields_by_name[name].meaning))
        for name in FIELDS
    }
    components.table(
        frame,
        config,
        KEY,
        selectable=True,
        on_pick=lambda: _open_slice(result),
        download=lambda: export.frame_of(result),
    )


def _open_slice(result: Result) -> None:
    """Choose the filters and the grouping of the picked slice, and end the search."""
    places = st.session_state[KEY]["selection"]["rows"]
    if not places:
        return
    row = result.rows[places[0]]
    for name, value in row["filters"].items():
        if name in FILTER_FLAGS:
            texts = ["true"] if value is True else [value] if isinstance(value, str) else value
            selection.choose(name, *texts)
    selection.choose("by", row["by"])
    selection.choose("find")
