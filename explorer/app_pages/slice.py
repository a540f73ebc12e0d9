"""Slice: the ratio in any slice, grouped by any column."""

import streamlit as st

from engine import contrasts, findings
from engine.measures.result import Result
from engine.report.pages import TOLD
from engine.slices import NULL
from engine.wording import title
from explorer import components, context, data, filters, finding, selection

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


def render(here: context.Context) -> None:
    """Show filters, the forest and the table of the slice."""
    asked = filters.sidebar(here.choices)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = selection.grouping(here)
        searching = finding.switch()
    if searching:
        finding.panel(here, asked)
    result = data.result(here.key, "hspp", asked, by)
    if components.lacks_rows(result):
        return
    components.say(*_found(result, by), key="finding")
    _forest(here, asked, by, result)
    _table(result, by)


def _found(result: Result, by: str | None) -> list[str]:
    """Return what comes out in sentences: who credits itself most, or in which slice judges do."""
    if by is not None:
        return [contrasts.slices(result.rows, title(by).lower())]
    told = findings.self_preference(result.rows, result.filters["level"] or "rubric").sentences
    return [" ".join(told[:2]), *([" ".join(told[2:])] if told[2:] else [])]


def _forest(here: context.Context, asked: data.Asked, by: str | None, result: Result) -> None:
    shown = by, ("hspp_self", "hspp_matched"), 900 if by else 740
    drawn = data.figure(here.key, "ratios", asked, shown)
    if drawn.panels < drawn.all_panels:
        which = "" if by else ", those with the highest ratios"
        told = f"{drawn.panels} of {drawn.all_panels} judges are drawn{which}; choose judges in the filters."
        components.say(told)
    if drawn.rows.empty:
        components.say("No ratio is defined in this slice; the table says why.")
        components.basis(result, "forest")
    else:
        components.chart(drawn, "forest", TOLD["slice"], result)


def _table(result: Result, by: str | None) -> None:
    components.note("Choose a row to read the judgments behind it.", key="choose")
    row = components.measured(result, (*FIELDS, *TESTS), "numbers", by=by, selectable=True)
    if row is None:
        return
    chosen = result.rows[row]
    judge = () if chosen["judge"] is None else (chosen["judge"],)
    value = (NULL if chosen["slice"] is None else str(chosen["slice"]),) if by else ()
    context.open_page(
        "verdicts", judge=judge, generator=judge, value=value, show=("overestimation",), q=(), item=()
    )


context.show(render)
