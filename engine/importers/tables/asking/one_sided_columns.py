"""Columns that say one side alone, or not who says it: points, and what is true."""

from collections.abc import Collection, Sequence

from engine.importers.reading.columns import that_columns
from engine.importers.tables.table_columns import TRUTHS
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.verdict_names import is_of_people
from engine.phrases import part_of, quantity

_MANY = 0.1
"""So large a share of rows without what is true may mean something."""


def points_caution(field: str, points: Sequence[object]) -> str:
    """Return where criteria have no points, or none but 0, so that meeting them is good; else empty."""
    lacking, of = points.count(None), part_of(points.count(None), len(points), "criterion")
    if lacking:
        what = f"no points for {of}"
    elif points and not any(points):
        what = f"no points but 0 for {part_of(len(points), len(points), 'criterion')}"
    else:
        return ""
    it = "it" if lacking == 1 else "them"
    return f"{field!r} has {what}: meeting {it} counts as good; give points below 0 where it is bad"


def no_points_note(plan: TablePlan) -> str:
    """Return that criteria of verdicts have no column of points, so that meeting each is good; else empty."""
    of_columns = plan.wide_names == "rubric_id" and plan.wide  # of which the guess says so
    if of_columns or "met" not in plan.names or plan.places.keys().isdisjoint(("rubric_id", "criterion")):
        return ""
    if plan.options.study is not None or plan.names & {"points", "opponent"}:
        return ""
    points = plan.options.spelling.columns({"points": "FIELD"})
    return (
        "criteria have no points: to meet each counts as good; if some are bad to meet, name a column that "
        f"has points below 0 for these ({points})"
    )


def truth_caution(field: str, met: Collection[object], n_without: int, n_rows: int) -> str:
    """Return where what is true is one value or none, and many rows have none; else empty."""
    if len(met) != 1 or n_without < _MANY * n_rows:
        return ""
    only, other = ("true", "false") if True in met else ("false", "true")
    return (
        f"{field!r} says {only} or nothing: {quantity(n_without, 'row')} in which it says nothing "
        f"{'has' if n_without == 1 else 'have'} no truth; if that means {other}, write so"
    )


def unnamed_source(plan: TablePlan) -> str:
    """Return where nothing says whose the truth is, which is stored as people's; else empty."""
    places = [plan.places[name] for name in TRUTHS if name in plan.places]
    fields = [field for field in places if not is_of_people(field, beside_judges=True)]
    if not fields or plan.names & {"reference_source", "annotator"}:
        return ""
    people, program = (
        plan.options.spelling.constant("reference_source", each) for each in ("human", "program")
    )
    return (
        f"{that_columns(fields, 'says', 'say')} what is true, and nothing says who decided it: it is stored "
        f"as people's; give {people} if it is, or else who, such as {program}"
    )
