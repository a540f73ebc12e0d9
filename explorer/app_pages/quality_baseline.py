"""Quality baseline: a judge's votes for its own worse responses, beyond those for equally bad ones."""

import streamlit as st

from engine.measures.result import opponent_rows, pooled_rows
from engine.report.exhibit import ABOUT, OF_RUBRICS
from explorer import data
from explorer.new_run import studies
from explorer.parts import components, figures, pair_figures, selection
from explorer.parts.context import Context, show_page
from explorer.parts.sections import section
from explorer.workbench import filters

WITHOUT_PROXIES = ("sp", "acc", "bias", "ilsp", "lsp", "n_examples")
NUMBERS = (
    *("judge", "ilsp_matched", "ilsp_updated", "relative_change", "p", "p_adjusted", "n", "small"),
    *WITHOUT_PROXIES,
)
ENTROPIES = (
    *("judge", "entropy_self", "entropy_proxy", "entropy_gap", "entropy_correlation"),
    *("proxy_win_rate", "n_proxies", "all_minus_out_of_family"),
)
SUMMARY = (
    *("scope", "n_rows", "mean_relative_change", "share_not_positive", "share_significant_adjusted"),
    *("rank_correlation", "fairness_correlation"),
)
WINS = (
    *("judge", "win_rate", "gold_win_rate", "dbg", "dbg_p_adjusted", "dbg_decided", "dbg_soft"),
    *("flip_rate", "dbg_least", "dbg_greatest", "gold_judges", "n", "n_decided"),
)
PROXIES = {"all": "every model", "out_of_family": "other families", "out_of_provider": "other providers"}
BAND = (
    "Bands are a standard error over random choices of proxies; hollow marks rest on fewer than 30 examples."
)


def render(context: Context) -> None:
    """Show the baseline, its curve, and DBG, for all judges or for one by opponent."""
    slice_flags = filters.bar(context, OF_RUBRICS)
    proxies, judge = _proxies_and_judge(context)
    flags = (*slice_flags, ("proxies", proxies))
    if _baseline(context, flags, judge):
        _curve(context, (*flags, ("curves", True)))
    _dbg(context, slice_flags, judge)


def _proxies_and_judge(context: Context) -> tuple[str, str | None]:
    """Show the choices of proxies and of the judge shown by opponent, and return them."""
    selection.drop_unknown("proxies", tuple(PROXIES), "Proxies from")
    selection.drop_unknown("judge", context.choices.judges, "By opponent, of")
    left, right = st.columns(2)
    with left:
        proxies = selection.choice(
            "proxies", tuple(PROXIES), "Proxies from", PROXIES["all"], PROXIES.__getitem__
        )
    with right:
        judge = selection.choice("judge", context.choices.judges, "By opponent, of", "all judges, pooled")
    return proxies or "all", judge


@section
def _baseline(context: Context, flags: data.FlagValues, judge: str | None) -> bool:
    """Show the baseline, and return whether any example has a proxy."""
    result = figures.attempt(context.key, "quality-baseline", flags)
    if studies.lacks_rows(context, result):
        return False
    rows = pooled_rows(result)
    components.say(pair_figures.baseline_words(rows), key="finding_baseline")
    description, empty = ABOUT["baseline"], "No number of the baseline is defined here."
    pair_figures.show(context.key, "baseline", flags, description, result, empty=empty, options=(judge,))
    visible_rows = rows if judge is None else opponent_rows(result, judge)
    numbers = NUMBERS if any(row["n_proxies"] for row in visible_rows) else ("judge", *WITHOUT_PROXIES)
    fields = numbers if judge is None else (numbers[0], "opponent", *numbers[1:])
    components.measure_table(result.with_rows(visible_rows), fields, "baseline_numbers")
    with st.expander("Entropies, fairness of proxies, and summary", key="baseline_more"):
        components.measure_table(result.with_rows(visible_rows), ENTROPIES, "baseline_entropies")
        summary = figures.attempt(context.key, "quality-baseline-summary", flags)
        if not components.lacks_rows(summary):
            components.measure_table(summary, SUMMARY, "baseline_summary")
    return any(row["n_proxies"] for row in rows)


@section
def _curve(context: Context, flags: data.FlagValues) -> None:
    st.subheader("By number of proxies", anchor=False)
    result = figures.attempt(context.key, "quality-baseline", flags)
    description = "T of each judge with at most 1, 2, ... proxies drawn for each example."
    empty = "No lost example has a proxy here, so there is no curve."
    pair_figures.show(context.key, "proxies", flags, description, result, empty=empty, marks=BAND)


@section
def _dbg(context: Context, flags: data.FlagValues, judge: str | None) -> None:
    st.subheader("For comparison: the DBG score", anchor=False)
    result = figures.attempt(context.key, "dbg", flags)
    if components.lacks_rows(result):
        return
    rows = pooled_rows(result)
    doing = "let their own response win more often than the gold judges do"
    components.say(pair_figures.preferring(rows, "dbg", doing), key="finding_dbg")
    description = "Share of pairs that the judge lets its own response win, and that gold judges do; DBG."
    empty = "No win rate and no DBG score is defined here."
    pair_figures.show(context.key, "dbg", flags, description, result, empty=empty, options=(judge,))
    visible_rows = rows if judge is None else opponent_rows(result, judge)
    fields = WINS if judge is None else (WINS[0], "opponent", *WINS[1:])
    components.measure_table(result.with_rows(visible_rows), fields, "dbg_numbers")


show_page(render)
