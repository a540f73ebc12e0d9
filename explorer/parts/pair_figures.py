"""The charts of the pages on pairs and on all measures together; they join `figures.FIGURES` here."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import altair as alt
import pandas as pd

from engine.charts import arrows, courses, kinds, panels, quadrant, signs
from engine.charts.panels import Panel
from engine.charts.written import written
from engine.measures.picked import against, pooled
from engine.measures.result import Result
from explorer import components, data, figures
from explorer.data import Drawn, StudyKey
from explorer.figures import MOST, Flags, attempt

MOST_PANELS = 12
"""Judges that have a panel each."""

PANEL_TITLES = (
    ("label", "Row"),
    ("panel", "Panel"),
    ("series", "Of"),
    ("words", "Value [95% interval]"),
    ("n", "n"),
    ("small", "Few cases"),
)
QUADRANT_TITLES = (
    ("judge", "Judge"),
    ("archetype", "Archetype"),
    ("x_words", "D [95% interval]"),
    ("y_words", "SPB [95% interval]"),
    ("crosses", "Borders within"),
    ("n_contrast", "Answers behind D"),
    ("n", "n"),
    ("small", "Few cases"),
)
ARROW_TITLES = (
    ("judge", "Judge"),
    ("variant", "Asked"),
    ("series", "Of"),
    ("words", "SPB [95% interval]"),
    ("reduction_words", "Fall of |SPB|"),
    ("eta_words", "As a share (eta)"),
    ("n", "n"),
    ("small", "Few cases"),
)
CATEGORY_TITLES = (
    ("judge", "Judge"),
    ("kind", "Category"),
    ("words", "SPB [95% interval]"),
    ("n", "n"),
    ("small", "Few cases"),
)
EPSILONS = ("epsilons", ("0.1", "0.25", "0.5", "1", "1.5", "2"))
"""The option of `equal-quality` by which the page shows how SPB hangs on epsilon."""

EPSILON_TITLES = (
    ("judge", "Judge"),
    ("place", "Epsilon"),
    ("words", "SPB"),
    ("n", "n"),
    ("small", "Few cases"),
)
PROXY_TITLES = (("judge", "Judge"), ("place", "Proxies"), ("words", "T"), ("n", "n"), ("small", "Few cases"))
SIGN_TITLES = (
    ("judge", "Judge"),
    ("measure", "Measure"),
    ("words", "Value [95% interval]"),
    ("says", "Says"),
    ("rank", "Rank"),
    ("n", "n"),
)


SIGNS_TOLD = "Judges in rows, measures in columns; colours say for or against self-preference."
SIGN_COLOURS = (
    "Orange: for self-preference, blue: against it, grey: a number that tells of another thing; pale: the "
    "95% interval holds the value that means no preference, or there is none. Hovering shows interval and n."
)


def only(result: Result, rows: Sequence[dict[str, Any]]) -> Result:
    """Return a measure's result with some of its rows."""
    return replace(result, rows=list(rows))


def say_cut(drawn: Drawn) -> None:
    """Say how many judges are drawn, where that is not all."""
    if drawn.panels < drawn.all_panels:
        components.note(
            f"The first {drawn.panels} of {drawn.all_panels} judges are drawn; choose judges in the filters.",
            key=f"cut_{drawn.panels}_{drawn.all_panels}_{len(drawn.rows)}",
        )


def in_panels(rows: Sequence[dict[str, Any]], parts: Sequence[Panel], label: str = "judge") -> Drawn:
    """Draw numbers of rows in panels, of at most MOST rows."""
    every = panels.rows_of(rows, parts, label)
    frame = every[every["label_order"] < MOST].reset_index(drop=True)
    spec = written(panels.panels(frame, parts)) if len(frame) else {}
    return Drawn(spec, frame, frame["label"].nunique(), every["label"].nunique(), PANEL_TITLES)


def of_first_judges(
    frame: pd.DataFrame,
    draw: Callable[[pd.DataFrame], alt.TopLevelMixin],
    titles: tuple[tuple[str, str], ...],
    most: int = MOST_PANELS,
) -> Drawn:
    """Draw the first `most` judges of a frame."""
    shown = list(dict.fromkeys(frame["judge"]))
    drawn = frame[frame["judge"].isin(shown[:most])].reset_index(drop=True)
    spec = written(draw(drawn)) if len(drawn) else {}
    return Drawn(spec, drawn, min(len(shown), most), len(shown), titles)


def quadrants(key: StudyKey, asked: Flags) -> Drawn:
    """Draw discriminability against SPB."""
    frame = quadrant.rows_of(attempt(key, "archetypes", asked).rows)
    spec = written(quadrant.quadrant(frame)) if len(frame) else {}
    return Drawn(spec, frame, titles=QUADRANT_TITLES)


def firm_choices(key: StudyKey, asked: Flags) -> Drawn:
    """Draw PIR beside Null-PIR, and what is between them."""
    return in_panels(attempt(key, "equal-quality", asked).rows, panels.EQUAL_QUALITY)


def by_epsilon(key: StudyKey, asked: Flags) -> Drawn:
    """Draw SPB along epsilon, a panel for each judge."""
    frame = courses.of_epsilons(attempt(key, "equal-quality", (*asked, EPSILONS)).rows)
    draw = partial(courses.courses, along="epsilon", title="SPB", form="share", line=0.0, counted=False)
    return of_first_judges(frame, draw, EPSILON_TITLES)


def categories(key: StudyKey, asked: Flags) -> Drawn:
    """Draw SPB by category, a panel for each judge."""
    frame = kinds.rows_of(attempt(key, "equal-quality", asked, "category").rows, "spb", "n_pairs")
    return of_first_judges(frame, partial(kinds.kinds, title="SPB", line=0.0), CATEGORY_TITLES)


def mitigation(key: StudyKey, asked: Flags) -> Drawn:
    """Draw SPB before and after, for each other way of asking."""
    frame = arrows.rows_of(attempt(key, "mitigation", asked).rows)
    return of_first_judges(frame, arrows.arrows, ARROW_TITLES, MOST)


def baseline(key: StudyKey, asked: Flags, judge: str | None = None) -> Drawn:
    """Draw ILSP before and after, LSP and entropies: of all judges, or of one by opponent."""
    result = attempt(key, "quality-baseline", asked)
    if judge is None:
        return in_panels(pooled(result), panels.BASELINE)
    return in_panels(against(result, judge), panels.BASELINE, "opponent")


def dbg(key: StudyKey, asked: Flags, judge: str | None = None) -> Drawn:
    """Draw win rates and DBG: of all judges, or of one by opponent."""
    result = attempt(key, "dbg", asked)
    if judge is None:
        return in_panels(pooled(result), panels.DBG)
    return in_panels(against(result, judge), panels.DBG, "opponent")


def proxies(key: StudyKey, asked: Flags) -> Drawn:
    """Draw T by number of proxies."""
    frame = courses.of_proxies(pooled(attempt(key, "quality-baseline", asked)))
    draw = partial(
        courses.courses, along="proxies for each example", title="T, after baseline", form="share", line=0.0
    )
    return of_first_judges(frame, draw, PROXY_TITLES)


def together(key: StudyKey, asked: Flags) -> Drawn:
    """Draw what each measure says of each judge."""
    frame = signs.rows_of(attempt(key, "together", asked).rows)
    return of_first_judges(frame, signs.signs, SIGN_TITLES, MOST)


def drawn(key: StudyKey, name: str, asked: Flags, *options: Any) -> Drawn:
    """Return one of these charts, kept by `explorer.data`."""
    return data.figure(key, name, asked, options)


def show(
    key: StudyKey,
    name: str,
    asked: Flags,
    told: str,
    result: Result,
    *,
    empty: str,
    options: tuple[Any, ...] = (),
    marks: str = components.MARKS,
) -> None:
    """Show one of these charts with all that belongs to it, or say `empty` where there is nothing to draw."""
    shown = drawn(key, name, asked, *options)
    if shown.rows.empty:
        components.say(empty)
        return
    say_cut(shown)
    components.chart(shown, name, told, result, marks=marks)


figures.FIGURES |= {
    "quadrant": quadrants,
    "firm_choices": firm_choices,
    "categories": categories,
    "by_epsilon": by_epsilon,
    "mitigation": mitigation,
    "baseline": baseline,
    "dbg": dbg,
    "proxies": proxies,
    "together": together,
}
