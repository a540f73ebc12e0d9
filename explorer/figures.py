"""The charts of pages that draw more than one measure; `explorer.data.figure` keeps what they return."""

from collections.abc import Callable

import altair as alt

from engine import lifts
from engine.charts import cells, dots, heatmap
from engine.errors import UsageError
from engine.measures.catalogue import find
from engine.measures.result import Result
from explorer import data
from explorer.data import Asked, Drawn, StudyKey

MOST = 40
"""Judges and generators drawn in a heatmap."""

MATRIX_TITLES = (
    ("judge", "Judge"),
    ("generator", "Generator"),
    ("relation", "Relation"),
    ("words", "Shown [95% interval]"),
    ("over", "Credited of what failed"),
    ("under", "Failed of what was credited"),
    ("delta", "Centered delta, points"),
)


def without(asked: Asked, *names: str) -> Asked:
    """Return the flags without some that a chart settles by itself."""
    return tuple((name, value) for name, value in asked if name not in names)


def attempt(
    key: StudyKey,
    measure: str,
    asked: Asked,
    by: str | None = None,
    options: tuple[tuple[str, object], ...] = (),
) -> Result:
    """Take a measure; where it refuses the slice, return no rows and the refusal as the reason."""
    try:
        return data.result(key, measure, (*asked, *options), by)  # type: ignore[arg-type]
    except UsageError as error:
        name = data.study(key).name
        return Result(find(measure), name, dict(asked), [], {}, str(error), by)


def deltas(key: StudyKey, asked: Asked) -> Result:
    """Return the score deltas of a slice, which are of whole responses whatever level is asked for."""
    return attempt(key, "delta", without(asked, "level"))


def matrix(key: StudyKey, asked: Asked, shade: str, rows: str, columns: str) -> Drawn:
    """Draw the heatmap of judges and generators, with each judge's bonus beside its row."""
    study, moved = data.study(key), deltas(key, asked).rows
    kin = study.index.model_fields[dict(asked).get("relatives", "family")]
    families = dict(zip(study.index.models, kin, strict=True))
    credited = data.result(key, "overestimation", asked).rows
    frame = cells.rows_of(
        credited,
        moved,
        shade=shade,
        families=families,
        row_order=rows,  # type: ignore[arg-type]
        column_order=columns,  # type: ignore[arg-type]
        most=MOST,
    )
    order = list(dict.fromkeys(frame["judge"]))
    bonus = dots.rows_of((row for row in lifts.own_rows(moved) if row["judge"] in set(order)), dots.BONUS)
    drawn: alt.TopLevelMixin = heatmap.heatmap(frame, shade, width=500)
    if len(bonus):
        beside = dots.dots(
            bonus, dots.BONUS, title="bonus, points of 100", order=order, names=False, line=0, width=150
        )
        drawn = alt.hconcat(drawn, beside, spacing=4).resolve_scale(
            color="independent", stroke="independent", fill="independent", shape="independent"
        )
    judges = {row["judge"] for row in credited}
    return Drawn(drawn.to_dict(validate=False), frame, len(order), len(judges), MATRIX_TITLES)


FIGURES: dict[str, Callable[..., Drawn]] = {"matrix": matrix}
