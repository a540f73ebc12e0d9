"""The chart of the workbench: its forms, how it is split and sorted, and what a click on a mark chooses."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from engine.charts.forest import MEANS, NO_VALUE, outside_series
from engine.charts.heatmap import ALL_SHADES
from engine.measures.result import Result
from engine.report.exhibit import ABOUT
from engine.slices import COLUMNS, NULL
from engine.words import conclusions, sentences, title
from explorer import data
from explorer.data import Chart, FlagValues
from explorer.new_run import studies
from explorer.parts import components, figures, selection
from explorer.parts.components import choose_mark, show_marked
from explorer.parts.context import Context
from explorer.parts.sections import section
from explorer.workbench import board

# ------------------------------------------------------------------------------
# What is shown and how: the few choices above the chart.


AGAINST = {"responses": "other responses", "judges": "outside judges"}
"""What a judge's verdicts on its own responses are compared with: `hspp`, and `outside`."""

FORMS = {"judges": "By judge", "matrix": "Judges × generators", "curve": "Curve"}
ORDERS = {"study": "study order", "value": "by value", "size": "by cases", "sure": "by certainty"}
ORDERS |= {"name": "by name"}
CELL_ORDERS = {"study": "study order", "family": "by family", "value": "by value", "name": "by name"}
SHADE_WORDS = {
    "overestimation": "overestimation",
    "underestimation": "underestimation",
    "delta": "centered score delta",
}
ORDINAL = tuple(name for name, column in COLUMNS.items() if column.groups != "texts" and name != "polarity")
"""Ordered columns, along which a curve can go."""


def against(context: Context) -> None:
    """Show what own responses are compared with: without a reference, outside judges by default."""
    usual = AGAINST["responses" if context.study.references.sources else "judges"]
    selection.choice("against", tuple(AGAINST), "Against", usual, AGAINST.__getitem__, width=165)


def form_of() -> str:
    """Return the form chosen; removes from the view what the controls do not offer."""
    for key, options, label in (
        ("chart", FORMS, "Chart"),
        ("against", AGAINST, "Against"),
        ("shade", SHADE_WORDS, "Cells show"),
    ):
        selection.drop_unknown(key, tuple(options), label)
    return selection.value("chart") or "judges"


def forms(form: str) -> None:
    """Show the forms of the chart."""
    selection.button_row("chart", "Show as", FORMS, form, _form_changed, required=True, width="content")


def _form_changed(now: str) -> None:
    selection.keep("chart", (now,))
    selection.choose("by")
    selection.choose("value")


def order(form: str) -> None:
    """Show the choice of orders."""
    words = CELL_ORDERS if form == "matrix" else ORDERS
    usual = words["study"]
    selection.choice("sort", tuple(words), "Sort", usual, words.__getitem__, width=140, clears=None)


def order_of(form: str) -> Any:
    """Return the order chosen; None for the study's."""
    words = CELL_ORDERS if form == "matrix" else ORDERS
    name = selection.value("sort")
    return None if name == "study" or name not in words else name


def columns(context: Context, form: str) -> tuple[str, ...]:
    """Return the columns that the chart is split by: at most two, the second one that has a filter.

    A curve goes along an ordered column, the first one by default.
    """
    groupings = context.choices.groupings
    names = selection.view().get("by", ())
    missing = [name for name in names if name not in groupings]
    if missing:
        words = ", ".join(map(repr, missing))
        components.say(f"Split by {words} was removed from the view: this study has no such column.")
        names = tuple(name for name in names if name in groupings)
        selection.choose("by", *names)
    if form == "matrix":
        return names[:1]
    if form == "curve":
        ordered = along_columns(context)
        return tuple(name for name in names if name in ordered)[:1] or ordered[:1]
    filterable = [name for name in names[:2] if name in context.choices.values]
    if len(names) < 2 or not filterable:
        return names[:1]
    return (*(name for name in names[:2] if name != filterable[-1]), filterable[-1])


def along_columns(context: Context) -> tuple[str, ...]:
    """Return the columns of the study along which a curve can go."""
    return tuple(name for name in ORDINAL if name in context.choices.groupings)


def split(context: Context, by: tuple[str, ...], *, most: int) -> None:
    """Show the columns that the chart can be split by, `most` at a time."""
    st.multiselect(
        "Split by",
        context.choices.groupings,
        by,
        key=selection.begin("by", list(by)),
        format_func=title,
        placeholder="nothing",
        max_selections=most,
        width=170,
        on_change=selection.store_widget,
        args=("by", tuple, "value"),
    )


def along(context: Context, by: tuple[str, ...]) -> None:
    """Show the columns that a curve can go along."""
    ordered = along_columns(context)
    if ordered:
        selection.choice("by", ordered, "Along", title(by[0]), title, width=200, clears="value")


# ------------------------------------------------------------------------------
# The chart in each form, with what it says and the numbers behind it.


FIELDS: tuple[str, ...] = (
    *("judge", "hspp_self", "hspp_matched", "hspp_family", "o_self", "o_other"),
    *("n_self", "n_matched", "n_other", "hspp_self_p_adjusted", "hspp_matched_p_adjusted"),
)

NO_REFERENCE = (
    "Each judge is compared with judges of other families on the same answers, which needs no reference."
)
VOTES = "Each cell is the share of a judge's votes that go to a model, which needs no reference."
LIFTS = ("judge", "bonus", "family_bonus", "leniency", "rank_shift", "pair_order", "bonus_p_adjusted", "n")
NUMBERS: tuple[str, ...] = ("hspp_self", "hspp_matched")
CLICK = "Click a mark to list its judgments."
CELLS = (
    "Solid outline: the judge's own responses; dashed: its family's; hollow dot: fewer than 30 cases. "
    "Hover over a cell for its confusion table; click it to list its judgments."
)
VOTE_CELLS = (
    "Solid outline: the judge's own responses; dashed: its family's; hollow dot: fewer than 30 pairs. "
    "Click a cell to list its judgments."
)
BEHIND = {"overestimation": "overestimation", "underestimation": "underestimation", "delta": "disagreement"}
BEHIND |= {"votes": "all"}
"""The judgments that a click on a cell lists."""


def ratios(
    context: Context, flags: FlagValues, by: tuple[str, ...], sort: Any, room: int, *, along: bool = False
) -> None:
    """Show the number of each judge, split by up to two columns, or `along` the bins of one."""
    result = _result(context, flags, by, sort, room)
    if result is None:
        return
    fields = NUMBERS
    if result.measure.name == "outside":
        fields, flags = (outside_series(result.rows).field,), _pairs(context, flags)
    options = (by, fields, sort, result.measure.name)
    _draw(data.figure(context.key, "curve" if along else "ratios", flags, options), result, by, room)


def _result(
    context: Context, flags: FlagValues, by: tuple[str, ...], sort: str | None, room: int
) -> Result | None:
    """Compute the chosen measure, or `outside` if `hspp` has no rows, and show it in sentences.

    None without rows; then the votes of pairs are shown, or else what is missing.
    """
    first = by[0] if by else None
    measure = "outside" if selection.value("against") == "judges" else "hspp"
    result = figures.attempt(
        context.key, measure, flags if measure == "hspp" else _pairs(context, flags), first
    )
    if not result.rows and measure == "hspp":
        outside = figures.attempt(context.key, "outside", _pairs(context, flags), first)
        if outside.rows:
            components.note(NO_REFERENCE, f"The HSPP ratio is not shown: {result.reason}.", key="instead")
            result = outside
    if not result.rows and board.votes_instead(context, flags, by, sort, room):
        return None
    if studies.lacks_rows(context, result):
        return None
    if result.measure.name == "hspp":
        components.say(*_in_words(result, first), key="finding")
    elif first is None:
        field = outside_series(result.rows).field
        lines = conclusions.outside_sentences(result.rows, field, result.filters.get("truth"))
        components.say(" ".join(lines), key="finding")
    return result


def _pairs(context: Context, flags: FlagValues) -> FlagValues:
    """Return the filters with the pairs that the board of judges counts, so that both agree."""
    if "pairwise" not in context.study.inventory.values("paradigm"):
        return flags
    pairs = figures.attempt(context.key, "scorecard", ()).filters.get("pairs")
    return flags if pairs is None else data.flags_of(dict(flags) | {"pairs": str(pairs)})


def _in_words(result: Result, by: str | None) -> list[str]:
    """Return the result in sentences: which judge favours itself most, or in which slice judges do."""
    if by is not None:
        return [sentences.slices(result.rows, title(by).lower())]
    every = sentences.self_preference(result.rows, result.filters["level"] or "rubric")
    return [" ".join(every[:2]), *([" ".join(every[2:])] if every[2:] else [])]


def _draw(chart: Chart, result: Result, by: tuple[str, ...], room: int) -> None:
    of_hspp = result.measure.name == "hspp"
    if chart.rows.empty:
        components.say("No ratio is defined in this slice; the table says why.")
        components.basis(result, "forest")
    else:
        if chart.panels < chart.all_panels:
            which = "" if by else ", those with the highest ratios"
            components.say(
                f"Showing {chart.panels} of {chart.all_panels} judges{which}; choose others in the filters."
            )
        words = ABOUT["slice" if of_hspp else "outside"]
        lines = (*components.basis_of(result), f"{components.MARKS} {CLICK}")
        mark, choose = _mark_of(chart, by), partial(_open, chart, by)
        show_marked(
            chart,
            "forest",
            words,
            lines,
            study=result.study,
            mark=mark,
            on_choice=choose,
            room=room,
            measure=result.measure,
        )
    with st.expander("All numbers", key="all_numbers", on_change="rerun") as numbers:
        if numbers.open:
            fields = FIELDS
            if not of_hspp:
                fields = ("judge", outside_series(result.rows).field, "n_own", "n_other", "n_outside")
            components.measure_table(result, fields, "numbers", by=by[0] if by else None)


def _mark_of(chart: Chart, by: tuple[str, ...]) -> dict[str, str] | None:
    """Return the mark chosen in the view, as the chart names it; None if the chart has no such mark."""
    judge, values = selection.value("judge"), selection.view().get("value", ())
    words = [NO_VALUE if value == NULL else value for value in values]
    if len(words) != len(by) or (judge is None and not by):
        return None
    name = judge or MEANS
    mark = {"panel": " · ".join(words), "label": name} if len(by) != 1 else {"panel": name, "label": words[0]}
    rows = chart.rows
    return mark if ((rows["panel"] == mark["panel"]) & (rows["label"] == mark["label"])).any() else None


def _open(chart: Chart, by: tuple[str, ...], pick: Mapping[str, Any] | None) -> None:
    """Choose the judgments behind a mark; without one, all of them again."""
    panel, label = ("", "") if pick is None else (str(pick["panel"]), str(pick["label"]))
    judge, slices = (panel, [label]) if len(by) == 1 else (label, [])
    if len(by) > 1 and pick is not None:
        row = chart.rows[chart.rows["panel"] == panel].iloc[0]
        slices = [row["first"], row["second"]]
    model = judge if judge not in ("", MEANS) else None
    choose_mark(model, model, *(NULL if value == NO_VALUE else value for value in slices if pick is not None))


def matrix(context: Context, flags: FlagValues, by: tuple[str, ...], sort: Any, room: int) -> None:
    """Show every judge on every model's responses, in each slice of a column if split by one."""
    shade, first = selection.value("shade") or "overestimation", by[0] if by else None
    compute = figures.deltas if shade == "delta" else figures.cells_of
    result = compute(context.key, flags, first)
    of_pairs = None if result.rows else figures.attempt(context.key, "votes", flags)
    if of_pairs is not None and of_pairs.rows:
        components.note(VOTES, f"Overestimation is not shown: {result.reason}.", key="instead")
        board.vote_caution(of_pairs)
        result, shade, first = of_pairs, "votes", None
    if components.lacks_rows(result):
        return
    options = (board.columns_in(room),) if shade == "votes" else (shade, sort or "study", first)
    chart = data.figure(context.key, "votes" if shade == "votes" else "matrix", flags, options)
    if shade == "votes":
        board.say_cut(chart, result, "cells")
    if chart.panels < chart.all_panels:
        components.say(
            f"Showing the first {chart.panels} of {chart.all_panels} judges, and as many generators; choose "
            "others in the filters."
        )
    words = f"Judges in rows, generators in columns: {ALL_SHADES[shade].words}. The rows of the chart follow."
    if first is not None:
        words = f"{words} One panel for each {title(first).lower()}."
    marks, split = VOTE_CELLS if shade == "votes" else CELLS, first is not None
    kind = BEHIND[shade]
    components.show_cells(chart, "matrix", words, result, marks=marks, split=split, kind=kind, room=room)


def shade() -> None:
    """Show the choice of what the cells show."""
    usual = SHADE_WORDS["overestimation"]
    selection.choice("shade", tuple(SHADE_WORDS), "Cells show", usual, SHADE_WORDS.__getitem__, width=240)


@section
def points(context: Context, flags: FlagValues) -> None:
    """Show the effect of each judge's treatment of itself in points and ranks."""
    deltas = figures.deltas(context.key, flags)
    if not deltas.rows:
        components.note(f"Points and ranks are not shown: {deltas.reason}.", key="no_points")
        return
    st.subheader("Effect in points and ranks", anchor=False)
    ratios_of = figures.attempt(context.key, "hspp", flags).rows
    sentence_of = sentences.score_bonus_sentences(deltas.rows, ratios_of)
    first = sentences.largest_bonus(deltas.rows)
    if first is not None:
        components.say(sentence_of[first], key="finding_lifts")
    components.measure_table(deltas.with_rows(sentences.own_rows(deltas.rows)), LIFTS, "lifts")
    components.basis(deltas, "lifts")
    with st.expander("In words, for each judge", key="lifts_words"):
        components.note(*list(sentence_of.values())[: figures.MOST], key="lifts_sentences")
