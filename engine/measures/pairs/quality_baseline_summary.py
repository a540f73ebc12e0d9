"""`quality-baseline`, rows `summary`: the quality baseline over all judges (MEASURES section 10)."""

from collections.abc import Mapping

import numpy as np

from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.entry import PAIRWISE, Measure
from engine.measures.pairs.quality_baseline import (
    BASELINE_OPTIONS,
    EQB,
    correlation,
    prepare_quality_baseline,
    quality_baseline_table,
)
from engine.measures.rows import Column, Options, Table, stack_rows
from engine.stats import Bools
from engine.stats.judges.agreement import weighted_pearson, weighted_spearman
from engine.stats.pairs.equal_pairs import ALPHA
from engine.stats.ratios import mean_of_defined

_NO_ROW = "no_row_with_a_proxy"
_FEW = "fewer_than_3_rows_or_a_constant_side"


def baseline_summary_table(view: SliceView, options: Options) -> Table:
    """Return a row for the judges, and one for the judges' rows against each opponent."""
    table = quality_baseline_table(view, options)
    pooled = np.array([opponent is None for opponent in table.columns["opponent"].values])
    has_proxy = table.keep & (np.asarray(table.columns["n"].values) > 0)
    scopes = {"pooled": has_proxy & pooled, "opponent": has_proxy & ~pooled}
    rows = [_row(table.columns, name, rows) for name, rows in scopes.items()]
    return Table(stack_rows(rows), np.full(len(rows), table.keep.any()), table.instances, table.left_out)


def _row(columns: Mapping[str, Column], scope: str, rows: Bools) -> dict[str, Column]:
    t, matched, change, acc, fair = (
        np.asarray(columns[name].values, dtype=np.float64)[rows]
        for name in ("ilsp_updated", "ilsp_matched", "relative_change", "acc", "proxy_win_rate")
    )
    draws = columns["relative_change"].draws
    mean = None if draws is None else mean_of_defined(draws[:, rows])[:, None]
    return {
        "scope": Column([scope]),
        "n_rows": Column([int(rows.sum())]),
        "mean_relative_change": Column([float(mean_of_defined(change))], mean, _NO_ROW),
        "share_not_positive": Column([_share(t <= 0)], reasons=_NO_ROW),
        "share_significant": _share_below(columns["p"], rows),
        "share_significant_adjusted": _share_below(columns["p_adjusted"], rows),
        "rank_correlation": Column([correlation(weighted_spearman, matched, t)], reasons=_FEW),
        "fairness_correlation": Column([correlation(weighted_pearson, acc, fair)], reasons=_FEW),
    }


def _share(marks: Bools) -> float:
    return float(marks.mean()) if len(marks) else np.nan


def _share_below(p: Column, rows: Bools) -> Column:
    p_values = np.asarray(p.values, dtype=np.float64)[rows]
    return Column([_share(p_values[~np.isnan(p_values)] < ALPHA)], reasons="no_row_tested")


BASELINE_SUMMARY = Measure(
    name="quality-baseline-summary",
    part_of=("quality-baseline", "summary"),
    title="Summary of the quality baseline",
    question="How much self-preference remains beyond the baseline, over all judges?",
    formula="means, shares and correlations over the rows of quality-baseline that have a proxy",
    paper=f"{EQB}, section 5 and Figure 4",
    left_out="rows without an example that has a proxy",
    function=baseline_summary_table,
    prepare=prepare_quality_baseline,
    empty="no pair with a judge's own answer has both orders and a known better answer",
    keys=("scope",),
    headline="mean_relative_change",
    paradigms=PAIRWISE,
    options=BASELINE_OPTIONS,
    fields=(
        entry.key("scope", "`pooled`: a row for each judge; `opponent`: a row for each judge and opponent"),
        entry.count("n_rows", "rows with at least one example that has a proxy"),
        entry.estimate("mean_relative_change", "mean of the rows' relative changes, in percent"),
        entry.portion("share_not_positive", "share of rows with T at or below 0"),
        entry.portion("share_significant", "share of tested rows with naive one-sided p-value below 0.05"),
        entry.portion(
            "share_significant_adjusted",
            "share of tested rows with adjusted naive one-sided p-value below 0.05",
            title="Share significant, adjusted (naive)",
        ),
        entry.number("rank_correlation", "Spearman's rho of ilsp_matched and T over rows"),
        entry.number("fairness_correlation", "Pearson's r of accuracy and the proxies' accuracy over rows"),
    ),
)
