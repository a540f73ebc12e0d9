"""The charts that draw one result: ratios, a comparison, a claim, ranks; `explorer.data` keeps them.

Specifications are kept and not charts, because writing one out takes longer than measuring. Whether it is a
valid one is for tests: checking it would take as long again.
"""

from engine.charts import claimed, forest, rankings
from engine.charts import compared as sides_compared
from engine.charts.written import written
from engine.measures.against import compared_as_ratio
from engine.wording import title
from explorer import data
from explorer.data import Asked, Drawn, Sides, StudyKey

MOST_JUDGES = 40
"""Judges drawn one under another; of more, those with the highest ratios."""

COMPARED_TITLES = (
    ("panel", "Side"),
    ("label", "Row"),
    ("words", "Value [95% interval]"),
    ("n", "n"),
    ("small", "Few cases"),
)
RANKING_TITLES = (
    ("model", "Model"),
    ("by", "Ranked by"),
    ("words", "Rank [95% interval]"),
    ("shift", "Place"),
    ("n", "n"),
)


def ratios(
    key: StudyKey, asked: Asked, by: str | None, shown: tuple[str, ...], width: int, most: int = 13
) -> Drawn:
    """Draw the forest plot of `hspp`: of at most `most` panels, or without a grouping of MOST_JUDGES."""
    rows = forest.rows_of(data.result(key, "hspp", asked, by).rows, by=by, shown=shown)
    drawn = forest.highest(rows, MOST_JUDGES) if by is None else rows[rows["panel_order"] < most]
    spec = written(forest.forest(drawn, width=width))
    column = "label" if by is None else "panel"
    counts = (part.loc[part[column] != forest.MEANS, column].nunique() for part in (drawn, rows))
    return Drawn(spec, drawn, *counts)


def compared(sides: Sides, fields: tuple[str, ...], common: bool) -> Drawn:
    """Draw a comparison: a row for each judge, or for each number of two judges.

    Of many judges those highest on side A are drawn.
    """
    told = data.comparison(sides, fields, common)
    as_ratio = compared_as_ratio(told.measure, fields[0])
    label = sides_compared.judge_of if sides.judge_a is None else lambda row: title(row["field"])
    foremost = told.rows
    if len(foremost) > MOST_JUDGES + 1:
        ranked = (row for row in foremost if row["judge"] is None or row["rank_a"] is not None)
        foremost = [row for row in ranked if row["judge"] is None or row["rank_a"] <= MOST_JUDGES]
    rows = sides_compared.rows_of(foremost, as_ratio=as_ratio, label=label)
    spec = written(sides_compared.compared(rows, as_ratio=as_ratio))
    return Drawn(spec, rows, len(foremost), len(told.rows), COMPARED_TITLES)


def claim(key: StudyKey, asked: Asked, claim_id: str, width: int) -> Drawn:  # noqa: ARG001 - a claim has its own
    """Draw the small chart of a claim."""
    claims = data.outcome(key, claim_id.partition(":")[0]).claims
    told = next(each for each in claims if each.id == claim_id)
    rows = claimed.rows_of(told)
    if rows.empty:
        return Drawn({}, rows)
    form = claimed.form_of(told)
    drawn = claimed.claimed(rows, title=title(told.field), line=told.null, form=form, width=width)
    return Drawn(written(drawn), rows)


def ranks(key: StudyKey, asked: Asked) -> Drawn:
    """Draw the models' ranks by several rankings."""
    rows = rankings.rows_of(data.result(key, "ranking", asked).rows)
    if rows.empty:
        return Drawn({}, rows)
    return Drawn(written(rankings.rankings(rows)), rows, titles=RANKING_TITLES)
