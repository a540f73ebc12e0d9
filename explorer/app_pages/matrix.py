"""Judges x generators: every judge on every model's responses, and what its bias means in points."""

from dataclasses import replace

import streamlit as st

from engine import lifts
from engine.charts.cells import SHADES
from engine.charts.heatmap import PICK
from engine.measures.result import Result
from explorer import components, context, data, figures, filters, selection

LIFTS = ("judge", "bonus", "family_bonus", "leniency", "rank_shift", "pair_order", "bonus_p_adjusted")
LIFTS += ("n",)
WORDS = {
    "overestimation": "overestimation: share credited of what the reference failed",
    "underestimation": "underestimation: share failed of what the reference credited",
    "delta": "centered score delta, in points of 100",
}
ORDERS = {"study": "as in the study", "family": "by family", "value": "by value"}
# The judgments that a click on a cell opens.
BEHIND = {"overestimation": "overestimation", "underestimation": "underestimation", "delta": "disagreement"}
MARKS = (
    "Solid outline: the judge's own responses; dashed: its relatives'; hollow dot: fewer than 30 cases. "
    "Hovering shows a cell's whole confusion table; a click opens its judgments."
)


def render(here: context.Context) -> None:
    """Show the heatmap, and for each judge what its bias amounts to."""
    asked = filters.sidebar(here.choices)
    shade, rows, columns = _chosen()
    deltas = figures.deltas(here.key, asked)
    shown = deltas if shade == "delta" else figures.cells_of(here.key, asked)
    if not components.lacks_rows(shown):
        _heatmap(here, asked, shown, (shade, rows, columns))
    _lifts(here, asked, deltas)


def _chosen() -> tuple[str, str, str]:
    """Show what cells hold and how they are ordered, and return it."""
    selection.drop_unknown("shade", tuple(WORDS), "Cells show")
    for key, label in (("row_order", "Order of judges"), ("column_order", "Order of generators")):
        selection.drop_unknown(key, tuple(ORDERS), label)
    left, middle, right = st.columns([4, 2, 2])
    with left:
        shade = selection.choice(
            "shade", tuple(WORDS), "Cells show", WORDS["overestimation"], WORDS.__getitem__
        )
    with middle:
        rows = selection.choice(
            "row_order", tuple(ORDERS), "Order of judges", ORDERS["study"], ORDERS.__getitem__
        )
    with right:
        columns = selection.choice(
            "column_order", tuple(ORDERS), "Order of generators", ORDERS["study"], ORDERS.__getitem__
        )
    return shade or "overestimation", rows or "study", columns or "study"


def _heatmap(here: context.Context, asked: data.Asked, shown: Result, chosen: tuple[str, str, str]) -> None:
    drawn = data.figure(here.key, "matrix", asked, chosen)
    if drawn.panels < drawn.all_panels:
        components.say(
            f"The first {drawn.panels} of {drawn.all_panels} judges are shown, and as many generators; "
            "choose judges and generators in the filters."
        )
    told = f"Judges in rows, generators in columns: {SHADES[chosen[0]].words}. The rows of the chart follow."
    picked = components.chart(drawn, "matrix", told, shown, picks=PICK, marks=MARKS)
    here_now = set(zip(drawn.rows["judge"], drawn.rows["generator"], strict=True))
    for cell in picked:
        judge, generator = cell.get("judge"), cell.get("generator")
        if (judge, generator) in here_now:
            context.open_page(
                "verdicts",
                judge=(judge,),
                generator=(generator,),
                value=(),
                show=(BEHIND[chosen[0]],),
                q=(),
                item=(),
            )


def _lifts(here: context.Context, asked: data.Asked, deltas: Result) -> None:
    """Show bonus, leniency, ranks and pair order of each judge, and say what they amount to."""
    st.subheader("Is that much? What it means in points and places", anchor=False)
    if components.lacks_rows(deltas):
        return
    ratios = data.result(here.key, "hspp", asked).rows
    told = lifts.sentences(deltas.rows, ratios)
    first = lifts.foremost(deltas.rows)
    if first is not None:
        components.say(told[first], key="finding_lifts")
    own = replace(deltas, rows=lifts.own_rows(deltas.rows))
    components.measured(own, LIFTS, "lifts")
    components.basis(deltas, "lifts")
    with st.expander("In words, for each judge", key="lifts_words"):
        components.note(*list(told.values())[: figures.MOST], key="lifts_sentences")


context.show(render)
