"""Several numbers of the same judges side by side, a panel for each kind of number.

`rows_of` turns the rows of a measure into the frame that `panels` draws; `dots` draws each panel.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from engine.charts import dots
from engine.charts.dots import Dot
from engine.charts.palette import COMMITTEE, FAMILY, LEVELS, MEMBER, SELF, SERIES, SQUARE, Look


@dataclass(frozen=True)
class Panel:
    """One panel: its title, its kinds of marks, and the value that means nothing, where there is one."""

    title: str
    kinds: tuple[Dot, ...]
    line: float | None = None


EQUAL_QUALITY = (
    Panel(
        "firmly chosen, of pairs of equals",
        (
            Dot("pir", "its own (PIR)", Look(SELF, "circle"), "share", "n_pairs"),
            Dot("null_pir", "a third party's (Null-PIR)", COMMITTEE, "share", "n_null_pairs"),
        ),
    ),
    Panel("SPB = PIR - Null-PIR", (Dot("spb", "itself", MEMBER, "share", "n_pairs"),), 0.0),
    Panel(
        "SPB of relatives",
        (Dot("spb_family", "relatives", Look(FAMILY, SQUARE), "share", "n_family_pairs"),),
        0.0,
    ),
)
BASELINE = (
    Panel(
        "its own, and less the proxies'",
        (
            Dot("ilsp_matched", "before: ILSP", MEMBER, "share", "n"),
            Dot("ilsp_updated", "after: T", COMMITTEE, "share", "n"),
        ),
        0.0,
    ),
    Panel(
        "where its own is worse, better",
        (
            Dot("ilsp", "worse: ILSP", SERIES[0], "share", "n_examples"),
            Dot("lsp", "better: LSP", SERIES[2], "share", "n_examples"),
        ),
    ),
    Panel(
        "entropy of votes, bits",
        (
            Dot("entropy_self", "on its own", SERIES[1], "ratio", "n"),
            Dot("entropy_proxy", "on proxies", SERIES[3], "ratio", "n"),
        ),
    ),
)
DBG = (
    Panel(
        "share of pairs won",
        (
            Dot("win_rate", "by the judge", MEMBER, "share", "n"),
            Dot("gold_win_rate", "by the gold judges", COMMITTEE, "share", "n"),
        ),
    ),
    Panel(
        "DBG score",
        (
            Dot("dbg", "all pairs", LEVELS["rubric"], "share", "n"),
            Dot("dbg_decided", "decided pairs", LEVELS["instance"], "share", "n_decided"),
        ),
        0.0,
    ),
)
FLIPS = (
    Panel("flip rate", (Dot("flip_rate", "flips", SERIES[0], "share", "n_pairs"),)),
    Panel("chose the first shown", (Dot("first_share", "first", SERIES[2], "share", "n_pairs"),)),
    Panel("of flips, to the first", (Dot("flip_to_first", "to first", SERIES[1], "share"),), 0.5),
)
WITHOUT_FAMILY = (
    Panel(
        "mean ratio of the members left",
        (
            Dot("hspp_self", "without the family", MEMBER, "ratio", "n_self"),
            Dot("hspp_self_whole", "by all members", COMMITTEE, "ratio", "n_self"),
        ),
        1.0,
    ),
    Panel(
        "mean ratio of those left out",
        (
            Dot("hspp_self_outside", "without the family", MEMBER, "ratio", "n_self_outside"),
            Dot("hspp_self_outside_whole", "by all members", COMMITTEE, "ratio", "n_self_outside"),
        ),
        1.0,
    ),
    Panel(
        "rubric accuracy",
        (
            Dot("mra", "without the family", SERIES[0], "share"),
            Dot("mra_whole", "by all members", SERIES[2], "share"),
        ),
    ),
)
PERMUTATION = (
    Panel(
        "Pearson's r with people",
        (
            Dot("pearson_permutation", "orderings permuted", SERIES[0], "ratio", "n_scored"),
            Dot("pearson_repeat", "one ordering repeated", SERIES[2], "ratio", "n_scored"),
            Dot("pearson_corrected", "repeats corrected", SERIES[1], "ratio", "n_scored"),
        ),
    ),
    Panel(
        "r, permuted minus repeated",
        (Dot("pearson_delta", "difference", SERIES[3], "ratio", "n_scored"),),
        0.0,
    ),
)


def rows_of(rows: Iterable[Mapping[str, Any]], parts: Sequence[Panel], label: str = "judge") -> pd.DataFrame:
    """Return a row for each thing named by the rows' field `label`, each panel and each number defined.

    Columns: `panel` (its title), and those of `dots.rows_of`.
    """
    named = [{**row, "judge": row[label]} for row in rows]
    frames = [dots.rows_of(named, part.kinds).assign(panel=part.title) for part in parts]
    filled = [frame for frame in frames if len(frame)] or frames  # an empty one may change others' types
    frame = pd.concat(filled, ignore_index=True)[["panel", *dots.COLUMNS]]
    places = {str(row["judge"]): place for place, row in reversed(list(enumerate(named)))}
    return frame.assign(label_order=frame["label"].map(places).astype(int))


def panels(frame: pd.DataFrame, parts: Sequence[Panel], *, width: int = 200) -> alt.TopLevelMixin:
    """Draw the frame of `rows_of`: a panel for each of `parts` that has a number, names at the first only."""
    order = list(frame.sort_values("label_order", kind="stable")["label"].unique())
    drawn: list[Any] = []
    for part in parts:
        mine = frame[frame["panel"] == part.title].reset_index(drop=True)
        if mine.empty:
            continue
        chart = dots.dots(
            mine, part.kinds, title=part.title, order=order, names=not drawn, line=part.line, width=width
        )
        drawn.append(chart)
    joined: alt.HConcatChart = alt.hconcat(*drawn, spacing=16).resolve_scale(
        color="independent", stroke="independent", shape="independent", yOffset="independent"
    )
    return joined
