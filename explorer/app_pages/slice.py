"""Slice: the ratio in any slice, grouped by any column."""

import streamlit as st

from engine.measures.result import Result
from engine.slices import NULL
from explorer import address, components, context, data, filters
from explorer.wording import title

FIELDS = (
    "judge",
    "hspp_self",
    "hspp_matched",
    "hspp_family",
    "o_self",
    "o_other",
    "n_self",
    "n_matched",
    "n_other",
)
TESTS = ("hspp_self_p_adjusted", "hspp_matched_p_adjusted")
MOST_PANELS = 13


def render(here: context.Context) -> None:
    """Show filters, the forest and the table of the slice."""
    asked = filters.sidebar(here.choices)
    by = _grouping(here)
    result = data.result(here.key, "hspp", asked, by)
    if components.lacks_rows(result):
        return
    _forest(result, by)
    _table(result, by)


def _grouping(here: context.Context) -> str | None:
    """Show what to group by and return it."""
    key, offered = address.widget("by"), here.choices.groupings
    chosen = address.value("by")
    if chosen is not None and chosen not in offered:
        components.say(f"This study cannot be grouped by {chosen!r}; it was taken out of the selection.")
        address.view().pop("by")
        st.session_state.pop(key, None)
    if key not in st.session_state:
        st.session_state[key] = address.value("by")
    st.selectbox(
        "Group by",
        offered,
        index=None,
        key=key,
        format_func=title,
        placeholder="nothing",
        width=260,
        on_change=_regroup,
    )
    return address.value("by")


def _regroup() -> None:
    address.choose("slice")
    chosen = st.session_state[address.widget("by")]
    address.keep("by", () if chosen is None else (chosen,))


def _forest(result: Result, by: str | None) -> None:
    from engine.charts.forest import forest, rows_of

    rows = rows_of(result.rows, by=by, shown=("hspp_self", "hspp_matched"))
    shown = rows[rows["panel_order"] < MOST_PANELS]
    if len(shown) < len(rows):
        components.say(
            f"The first {MOST_PANELS - 1} judges are drawn; choose judges in the filters for others."
        )
    if rows.empty:
        components.say("No ratio is defined in this slice; the table says why.")
        components.basis(result, "forest")
    else:
        told = "Ratio of each judge for its own responses, on all and on matched rubrics."
        components.chart(forest(shown, width=980 if by else 740), shown, "forest", told, result)


def _table(result: Result, by: str | None) -> None:
    components.note("Choose a row to read the judgments behind it.", key="choose")
    row = components.measured(result, (*FIELDS, *TESTS), "numbers", by=by, selectable=True)
    if row is None:
        return
    chosen = result.rows[row]
    judge = () if chosen["judge"] is None else (chosen["judge"],)
    value = (NULL if chosen["slice"] is None else str(chosen["slice"]),) if by else ()
    context.open_page(
        "verdicts", judge=judge, generator=judge, slice=value, show=("overestimation",), q=(), item=()
    )


context.show(render)
