"""The charts of pages by name: those of more than one measure, and all that `explorer.data.figure` keeps."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import altair as alt
import pandas as pd

from engine import lifts
from engine.charts import cells, courses, curve, dots, forest, heatmap, panels, scatter, steps
from engine.charts.written import written
from engine.errors import UsageError
from engine.measures.catalogue import find
from engine.measures.result import Result
from engine.schema import RUBRIC_PARADIGMS
from explorer import data, result_figures
from explorer.data import Asked, Drawn, StudyKey

Flags = tuple[tuple[str, Any], ...]
"""Filters, and options that are no texts."""

MOST = 40
"""Judges and generators drawn in a heatmap."""

MOST_COMMITTEES = 60
"""Committees of one size that a page takes; the command line takes 5,000."""

MATRIX_TITLES = (
    ("judge", "Judge"),
    ("generator", "Generator"),
    ("relation", "Relation"),
    ("words", "Shown [95% interval]"),
    ("over", "Credited of what failed"),
    ("under", "Failed of what was credited"),
    ("delta", "Centered delta, points"),
)
SCATTER_TITLES = (
    ("judge", "Judge"),
    ("paradigm", "Paradigm"),
    ("level", "Level"),
    ("x_words", "Accuracy [95% interval]"),
    ("y_words", "Ratio [95% interval]"),
    ("n", "n"),
    ("small", "Few cases"),
)
STEPS_TITLES = (
    ("judge", "Judge"),
    ("level", "Level"),
    ("kind", "Number"),
    ("series", "Of"),
    ("words", "Value [95% interval]"),
    ("n", "Own failures"),
    ("small", "Few cases"),
)
SIZES_TITLES = (
    ("judge", "Number"),
    ("series", "Level"),
    ("place", "Judges"),
    ("words", "Mean [95% interval]"),
    ("n", "Committees"),
    ("small", "Few cases"),
)
WITHOUT_TITLES = (
    ("label", "Without"),
    ("panel", "Number"),
    ("series", "Of"),
    ("words", "Value [95% interval]"),
    ("n", "Fewest own failures"),
    ("small", "Few cases"),
)
CURVE_TITLES = (
    ("level", "Level"),
    ("threshold", "Agreement of at least"),
    ("words", "Mean ratio [95% interval]"),
    ("judges", "Judges with a ratio"),
    ("kept_words", "Rubrics kept"),
)


def without(asked: Asked, *names: str) -> Asked:
    """Return the flags without some that a chart settles by itself."""
    return tuple((name, value) for name, value in asked if name not in names)


def attempt(key: StudyKey, measure: str, asked: Flags, by: str | None = None) -> Result:
    """Take a measure; where it refuses the slice, return no rows and the refusal as the reason."""
    try:
        return data.result(key, measure, asked, by)  # type: ignore[arg-type]
    except UsageError as error:
        name = data.study(key).name
        return Result(find(measure), name, dict(asked), [], {}, str(error), by)


def drawn_of(key: StudyKey, asked: Asked, role: str) -> tuple[tuple[str, ...], int]:
    """Return the judges or generators that a heatmap shows, and how many were asked for."""
    choices = data.choices(key)
    there = choices.judges if role == "judges" else choices.models
    chosen = dict(asked).get(role) or there
    kept = tuple(name for name in there if name in chosen)
    return kept[:MOST], len(kept)


def narrowed(key: StudyKey, asked: Asked, *roles: str) -> Asked:
    """Return the flags with as many judges or generators as a heatmap shows, where there are more.

    Intervals of some ten thousand cells that nobody sees would take a minute.
    """
    flags = dict(asked)
    for role in roles:
        kept, total = drawn_of(key, asked, role)
        if len(kept) < total:
            flags[role] = kept
    return data.asked_of(flags)


def cells_of(key: StudyKey, asked: Asked) -> Result:
    """Return both kinds of error in the cells that are drawn."""
    return _as_asked(data.result(key, "overestimation", narrowed(key, asked, "judges", "generators")), asked)


def deltas(key: StudyKey, asked: Asked) -> Result:
    """Return the score deltas of the judges that are drawn, over all generators asked for.

    They are of whole responses, whatever level is asked for.
    """
    return _as_asked(attempt(key, "delta", narrowed(key, without(asked, "level"), "judges")), asked)


def _as_asked(result: Result, asked: Asked) -> Result:
    """Return the result with the filters that the reader chose: the page says how many are shown."""
    chosen = {role: dict(asked).get(role, ()) for role in ("judges", "generators")}
    return replace(result, filters=result.filters | chosen)


def matrix(key: StudyKey, asked: Asked, shade: str, rows: str, columns: str) -> Drawn:
    """Draw the heatmap of judges and generators, with each judge's bonus beside its row."""
    study, moved = data.study(key), deltas(key, asked).rows
    kin = study.index.model_fields[dict(asked).get("relatives", "family")]
    generators, _ = drawn_of(key, asked, "generators")
    frame = cells.rows_of(
        cells_of(key, asked).rows,
        (row for row in moved if row["generator"] in generators),
        shade=shade,
        families=dict(zip(study.index.models, kin, strict=True)),
        row_order=rows,  # type: ignore[arg-type]
        column_order=columns,  # type: ignore[arg-type]
        most=MOST,
    )
    order = list(dict.fromkeys(frame["judge"]))
    bonus = dots.rows_of(lifts.own_rows(moved), dots.BONUS)
    drawn: alt.TopLevelMixin = heatmap.heatmap(frame, shade, width=500)
    if len(bonus):
        beside = dots.dots(
            bonus, dots.BONUS, title="bonus, points of 100", order=order, names=False, line=0, width=150
        )
        drawn = alt.hconcat(drawn, beside, spacing=4).resolve_scale(
            color="independent", stroke="independent", fill="independent", shape="independent"
        )
    shown, total = drawn_of(key, asked, "judges")
    return Drawn(written(drawn), frame, len(shown), total, MATRIX_TITLES)


def by_paradigm(key: StudyKey, asked: Asked, common: bool) -> tuple[Result, Result]:
    """Return accuracy and ratio of each way of judging, at instance level."""
    flags = (*without(asked, "level", "paradigm"), ("common", common))
    return (
        attempt(key, "accuracy", flags, "paradigm"),
        attempt(key, "hspp", (*flags, ("level", "instance")), "paradigm"),
    )


def paradigms(key: StudyKey, asked: Asked, common: bool) -> Drawn:
    """Draw accuracy against ratio: whole responses, and beside it rubrics where they are judged."""
    accuracy, ratios = by_paradigm(key, asked, common)
    flags = (*without(asked, "level", "paradigm"), ("common", common))
    of_rubrics = [
        row for row in attempt(key, "hspp", flags, "paradigm").rows if row["slice"] in RUBRIC_PARADIGMS
    ]
    every = {
        level: scatter.rows_of(accuracy.rows, rows, level)
        for level, rows in (("instance", ratios.rows), ("rubric", of_rubrics))
    }
    frames = {level: frame for level, frame in every.items() if len(frame)}
    panels = [scatter.scatter(frame, level) for level, frame in frames.items()]
    filled = frames or every
    rows = pd.concat([frame.assign(level=level) for level, frame in filled.items()], ignore_index=True)
    spec = written(alt.hconcat(*panels, spacing=24)) if panels else {}
    return Drawn(spec, rows, titles=SCATTER_TITLES)


def committee(key: StudyKey, asked: Asked, members: tuple[str, ...]) -> Drawn:
    """Draw the way from each member's numbers to the committee's."""
    frame = steps.rows_of(committee_of(key, asked, members).rows)
    spec = written(steps.steps(frame)) if len(frame) else {}
    return Drawn(spec, frame, titles=STEPS_TITLES)


def committee_of(key: StudyKey, asked: Asked, members: tuple[str, ...]) -> Result:
    """Return the members' and the committee's numbers at both levels."""
    return attempt(key, "committee", (*without(asked, "level"), ("members", members)))


def committee_sizes(key: StudyKey, asked: Asked, members: tuple[str, ...]) -> Drawn:
    """Draw ratio and accuracy along the size of the committee."""
    result = sizes_of(key, asked, members)
    frame = pd.concat(courses.of_sizes(result.rows), ignore_index=True)
    spec = written(courses.sizes(result.rows)) if len(frame) else {}
    return Drawn(spec, frame, titles=SIZES_TITLES)


def sizes_of(key: StudyKey, asked: Asked, members: tuple[str, ...]) -> Result:
    """Return the numbers of committees of each size, a draw of them where there are many."""
    options = (("members", members), ("most_committees", MOST_COMMITTEES))
    return attempt(key, "committee-size", (*without(asked, "level"), *options))


def committee_families(key: StudyKey, asked: Asked, members: tuple[str, ...], level: str) -> Drawn:
    """Draw the committee without each family, at one level."""
    rows = [row for row in families_of(key, asked, members).rows if row["level"] == level]
    frame = panels.rows_of(rows, panels.WITHOUT_FAMILY, "without")
    spec = written(panels.panels(frame, panels.WITHOUT_FAMILY)) if len(frame) else {}
    return Drawn(spec, frame, titles=WITHOUT_TITLES)


def families_of(key: StudyKey, asked: Asked, members: tuple[str, ...]) -> Result:
    """Return the numbers of the committee without each family."""
    return attempt(key, "committee-families", (*without(asked, "level"), ("members", members)))


def agreement(key: StudyKey, asked: Asked) -> Drawn:
    """Draw the agreement curve at both levels."""
    frame = curve.rows_of(agreement_of(key, asked).rows)
    spec = written(curve.curve(frame, width=640)) if len(frame) else {}
    return Drawn(spec, frame, titles=CURVE_TITLES)


def agreement_of(key: StudyKey, asked: Asked) -> Result:
    """Return the agreement curve; the filter on agreement is its axis and left out."""
    return attempt(key, "agreement-curve", without(asked, "level", "min_agreement"))


def means(key: StudyKey, asked: Asked, by: str) -> Drawn:
    """Draw the mean ratio over judges in each slice of a grouping."""
    rows = [row for row in attempt(key, "hspp", asked, by).rows if row["judge"] is None]
    frame = forest.rows_of(rows, by=by, shown=("hspp_self", "hspp_family"))
    spec = written(forest.forest(frame, width=740)) if len(frame) else {}
    return Drawn(spec, frame)


FIGURES: dict[str, Callable[..., Drawn]] = {
    "ratios": result_figures.ratios,
    "claim": result_figures.claim,
    "ranks": result_figures.ranks,
    "matrix": matrix,
    "paradigms": paradigms,
    "committee": committee,
    "committee_sizes": committee_sizes,
    "committee_families": committee_families,
    "agreement": agreement,
    "means": means,
}
