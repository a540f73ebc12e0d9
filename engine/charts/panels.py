"""Several numbers for the same judges side by side, a panel for each kind of number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from engine.charts import dot_plot, number_forms, style
from engine.charts.chart_rows import ChartRows
from engine.charts.dot_plot import Dot
from engine.charts.lazy_altair import alt
from engine.charts.style import Look


@dataclass(frozen=True)
class Panel:
    """One panel: its title, its kinds of marks, and the value of no effect, if it has one."""

    title: str
    kinds: tuple[Dot, ...]
    line: float | None = None

    @property
    def axis_title(self) -> str:
        """The title with the unit of its numbers."""
        differs = any(kind.form == "difference" for kind in self.kinds)
        return number_forms.with_unit(self.title, "difference") if differs else self.title


def _panel(title: str, *kinds: Dot, line: float | None = None) -> Panel:
    return Panel(title, kinds, line)


EQUAL_QUALITY = (
    _panel(
        "firm choices in equal-quality pairs",
        Dot("pir", "its own (PIR)", style.MEMBER, n="n_pairs"),
        Dot("null_pir", "a third party's (Null-PIR)", style.COMMITTEE, n="n_null_pairs"),
    ),
    _panel("SPB = PIR - Null-PIR", Dot("spb", "itself", style.MEMBER, "difference", "n_pairs"), line=0.0),
    _panel(
        "SPB for its family",
        Dot("spb_family", "its family", Look(style.FAMILY, style.SQUARE), "difference", "n_family_pairs"),
        line=0.0,
    ),
)
BASELINE = (
    _panel(
        "before and after the baseline",
        Dot("ilsp_matched", "before: ILSP", style.MEMBER),
        Dot("ilsp_updated", "after: T", style.COMMITTEE, "difference"),
        line=0.0,
    ),
    _panel(
        "votes for its own, when worse or better",
        Dot("ilsp", "worse: ILSP", style.SERIES[0], n="n_examples"),
        Dot("lsp", "better: LSP", style.SERIES[2], n="n_examples"),
    ),
    _panel(
        "entropy of votes, bits",
        Dot("entropy_self", "on its own", style.SERIES[1], "ratio"),
        Dot("entropy_proxy", "on proxies", style.SERIES[3], "ratio"),
    ),
)
DBG = (
    _panel(
        "share of pairs won",
        Dot("win_rate", "by the judge", style.MEMBER),
        Dot("gold_win_rate", "by the gold judges", style.COMMITTEE),
    ),
    _panel(
        "DBG score",
        Dot("dbg", "all pairs", style.LEVELS["rubric"], "difference"),
        Dot("dbg_decided", "decided pairs", style.LEVELS["instance"], "difference", "n_decided"),
        line=0.0,
    ),
)
LENGTH = (
    _panel(
        "longer answer preferred",
        Dot("longer", "all pairs", style.MEMBER, n="n"),
        Dot("longer_of_others", "without its own answer", style.COMMITTEE, n="n_others"),
        line=0.5,
    ),
)
BEST_OF_N = (
    _panel(
        "own answer picked, where another is better",
        Dot("picked_beside", "by the judge", style.MEMBER, n="n_beside"),
        Dot("picked_outside", "by judges of other families", style.COMMITTEE, n="n_beside"),
    ),
    _panel(
        "difference",
        Dot(
            "pick_excess",
            "the judge minus the others",
            style.LEVELS["rubric"],
            "difference",
            "n_beside",
        ),
        line=0.0,
    ),
    _panel(
        "lost more than by other judges' picks",
        Dot("lost_beyond", "the judge minus the others", style.SERIES[0], "difference", "choices"),
        line=0.0,
    ),
)
LISTS = (
    _panel(
        "share of lists in which its own is first",
        Dot("pick_own", "by the judge", style.MEMBER),
        Dot("pick_outside", "by judges of other families", style.COMMITTEE),
    ),
    _panel("difference", Dot("pick_gap", "itself", style.LEVELS["rubric"], "difference"), line=0.0),
    _panel(
        "rank minus other judges' (below 0: higher)",
        Dot("rank_gap", "itself", style.SERIES[0], "ratio"),
        line=0.0,
    ),
)
ROBUSTNESS = (
    _panel(
        "share of verdicts that stay the same",
        Dot("robustness_own", "its own answers", style.MEMBER, n="n_own"),
        Dot("robustness_other", "others'", style.COMMITTEE, n="n_other"),
    ),
    _panel(
        "difference", Dot("difference", "itself", style.LEVELS["rubric"], "difference", "n_own"), line=0.0
    ),
    _panel(
        "gain from the change, own minus others'",
        Dot("lift_difference", "itself", style.SERIES[0], "difference", "n_own"),
        line=0.0,
    ),
)
RECOGNITION = (
    _panel(
        "recognizes its own",
        Dot("recognition", "probability, or share right", style.MEMBER),
        Dot("share_right", "share right", style.COMMITTEE),
        line=0.5,
    ),
    _panel(
        "correlation with votes for its own (rho)",
        Dot("preference_rho", "over pairs", style.SERIES[0], "ratio", n=None),
        line=0.0,
    ),
)
FAMILIARITY = (
    _panel(
        "log-probability per token, own minus others'",
        Dot("familiarity_gap", "itself", style.LEVELS["rubric"], "ratio", "n_own"),
        line=0.0,
    ),
    _panel(
        "verdicts above other judges', own minus others'",
        Dot("own_effect", "unadjusted", style.MEMBER, "difference", "n_cases"),
        Dot("own_effect_held", "familiarity held constant", style.COMMITTEE, "difference", "n_cases"),
        line=0.0,
    ),
)
FLIPS = (
    _panel("flip rate", Dot("flip_rate", "flips", style.SERIES[0], n="n_pairs")),
    _panel(
        "chose the first shown, of all answers",
        Dot("first_share", "first", style.SERIES[2], n="n_pairs"),
        Dot("first_if_even", "if the order had no effect", style.COMMITTEE, n=None),
    ),
    _panel("flips to the first shown", Dot("flip_to_first", "to first", style.SERIES[1], n=None), line=0.5),
)
WITHOUT_FAMILY = (
    _panel(
        "mean ratio of remaining members",
        Dot("hspp_self", "without the family", style.MEMBER, "ratio", "n_self"),
        Dot("hspp_self_whole", "by all members", style.COMMITTEE, "ratio", "n_self"),
        line=1.0,
    ),
    _panel(
        "mean ratio of removed members",
        Dot("hspp_self_outside", "without the family", style.MEMBER, "ratio", "n_self_outside"),
        Dot("hspp_self_outside_whole", "by all members", style.COMMITTEE, "ratio", "n_self_outside"),
        line=1.0,
    ),
    _panel(
        "accuracy on criteria",
        Dot("mra", "without the family", style.SERIES[0], n=None),
        Dot("mra_whole", "by all members", style.SERIES[2], n=None),
    ),
)
PERMUTATION = (
    _panel(
        "Pearson's r with people",
        Dot("pearson_permutation", "orderings permuted", style.SERIES[0], "ratio", "n_scored"),
        Dot("pearson_repeat", "one ordering repeated", style.SERIES[2], "ratio", "n_scored"),
        Dot("pearson_corrected", "repeats corrected", style.SERIES[1], "ratio", "n_scored"),
    ),
    _panel(
        "r, permuted minus repeated",
        Dot("pearson_delta", "difference", style.SERIES[3], "ratio", "n_scored"),
        line=0.0,
    ),
)
MODEL_LIKENESS = (
    _panel("log likelihood ratio", Dot("log_ratio", "all forms", style.SERIES[0], "ratio"), line=0.0),
    _panel("for 100 forms", Dot("per_100", "100 forms", style.SERIES[2], "ratio"), line=0.0),
)
DISCERNED = (
    _panel("pairs in which it picks the better (D)", Dot("d", "better answer", style.SERIES[0]), line=0.5),
)
CORRECTED = (
    _panel(
        "mean score",
        Dot("score", "corrected", style.SERIES[0], n="n_labelled"),
        Dot("uncorrected", "by the judges", style.COMMITTEE, n="n_unlabelled"),
    ),
    _panel("rank by the corrected score", Dot("rank", "rank", style.SERIES[2], "ratio", n="n_labelled")),
)
CALLS = (_panel("answered calls", Dot("calls", "calls", style.SERIES[0], "ratio", n=None)),)
REVERSED = (
    _panel(
        "score above minus score below",
        Dot("lead", "by the ranking", style.MEMBER, "difference", n=None),
        Dot("lead_reference", "by the reference", style.COMMITTEE, "difference", n=None),
        line=0.0,
    ),
)


def panel_rows(
    rows: Iterable[Mapping[str, Any]], parts: Sequence[Panel], label: str = "judge"
) -> pd.DataFrame:
    """Return a row for each value of the field `label`, each panel and each defined number.

    Columns: `panel` (its title), and those of `forest.dot_rows`.
    """
    labelled = [{**row, "judge": row[label]} for row in rows]
    frames = [dot_plot.dot_rows(labelled, part.kinds).assign(panel=part.title) for part in parts]
    nonempty = [frame for frame in frames if len(frame)] or frames  # an empty one may change others' types
    frame = pd.concat(nonempty, ignore_index=True)[["panel", *dot_plot.DOT_COLUMNS]]
    places = {str(row["judge"]): place for place, row in reversed(list(enumerate(labelled)))}
    return frame.assign(label_order=frame["label"].map(places).astype(int))


def side_by_side(
    rows: Iterable[Mapping[str, Any]], parts: Sequence[Panel], label: str = "judge"
) -> ChartRows:
    """Return a chart of the numbers of rows: see `panel_rows` and `panels`."""
    return ChartRows(panel_rows(rows, parts, label), partial(panels, parts=parts))


def with_even_share(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of `order-effect` with `first_if_even`: half of the answers that name a winner.

    So many would choose the first shown if the order had no effect, as a tie chooses neither.
    """
    return [
        {**row, "first_if_even": None if row["tie_share"] is None else (1 - row["tie_share"]) / 2}
        for row in rows
    ]


def by_variant(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows judge by judge, with `who`: the judge, and its prompt template where there are several."""
    entries = list(rows)
    several = len({row["variant"] for row in entries}) > 1
    judges = list(dict.fromkeys(row["judge"] for row in entries))
    labelled = [
        {**row, "who": f"{row['judge']}, {row['variant']}" if several else row["judge"]} for row in entries
    ]
    return sorted(labelled, key=lambda row: judges.index(row["judge"]))


def panels(frame: pd.DataFrame, parts: Sequence[Panel]) -> alt.TopLevelMixin:
    """Draw the frame of `panel_rows`: a panel for each of `parts` with a number, names at the first only."""
    order = list(frame.sort_values("label_order", kind="stable")["label"].unique())
    legend = any(len(part.kinds) > 1 for part in parts)  # the title names a single kind
    charts: list[Any] = []
    for part in parts:
        numbers = frame[frame["panel"] == part.title].reset_index(drop=True)
        if len(numbers):
            look: dict[str, Any] = {"title": part.axis_title, "line": part.line, "legend": legend}
            charts.append(
                dot_plot.dots(numbers, part.kinds, order=order, names=not charts, width=200, **look)
            )
    chart: alt.HConcatChart = alt.hconcat(*charts, spacing=16).resolve_scale(
        color="independent", stroke="independent", shape="independent", yOffset="independent"
    )
    return chart
