"""Columns of a table that nothing is read from, although they look like verdicts on criteria of their own."""

from collections.abc import Sequence

from engine.importers.import_options import ImportOptions
from engine.importers.tables.guessing.criterion_columns import (
    add_amounts,
    is_called_measured,
    is_within_scale,
    like_columns,
    may_be_of_criterion,
)
from engine.importers.tables.judge_agreement import dependence
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import FirstRows
from engine.importers.tables.verdict_names import is_called_bad
from engine.importers.tables.verdict_words import MET, NO_VERDICT
from engine.phrases import join_names


def unread_criteria(plan: TablePlan, sample: FirstRows) -> str | None:
    """Return a note on unread columns that judges decide, with verdicts like those read; None without any.

    A table that names its criteria, or is of pairs, has none.
    """
    places = plan.places
    verdict, judge = places.get("met") or places.get("score"), places.get("judge")
    question = places.get("instance_id") or places.get("prompt")
    if verdict is None or judge is None or question is None or plan.wide:
        return None
    if places.keys() & {"rubric_id", "criterion", "opponent"}:
        return None
    things = [question, *([places["generator"]] if "generator" in places else [])]
    of = (question, judge, places.get("generator"))
    others = [
        column
        for column in plan.unread(sample.columns)
        if may_be_of_criterion(sample, column, *of, any_name=True)
        and dependence(sample, column, judge, things).differing
    ]
    called_alike = [column for column in others if may_be_of_criterion(sample, column, *of)]
    columns = like_columns(sample, [verdict, *called_alike])
    if verdict not in columns:
        return None
    columns = add_amounts(sample, columns, [column for column in others if column not in called_alike])
    spelling, unread = plan.options.spelling, columns[1:]
    subject = "looks like verdicts on a criterion" if len(unread) == 1 else "look like verdicts on criteria"
    return (
        f"{join_names(list(map(repr, unread)))} {subject} of {'its' if len(unread) == 1 else 'their'} own, "
        f"and {'is' if len(unread) == 1 else 'are'} not read ({spelling.criteria(columns)} in place of "
        f"{spelling.name('met' if 'met' in places else 'score')} reads all)"
    )


def left_out_as_bad(plan: TablePlan, sample: FirstRows) -> str | None:
    """Return a note on unread verdicts beside columns of criteria that are of something bad by their names.

    They depend on who judged. None without any.
    """
    places = plan.places
    judge, question = places.get("judge"), places.get("instance_id") or places.get("prompt")
    if plan.wide_names != "rubric_id" or plan.verdict != "met" or judge is None or question is None:
        return None
    things = [question, *([places["generator"]] if "generator" in places else [])]
    columns = [
        column
        for column in plan.unread(sample.columns)
        if is_called_bad(column)
        and sample.labels(column).keys() - NO_VERDICT <= MET.keys()
        and dependence(sample, column, judge, things).differing
    ]
    if not columns:
        return None
    spelling, by = plan.options.spelling, "its name says" if len(columns) == 1 else "their names say"
    names, it, what = _as_criteria(columns)
    points = spelling.meanings("points", dict.fromkeys(columns, "-1"))
    return (
        f"left out {names}, as {by} something bad; if {what}, add {it} to "
        f"{spelling.option('criterion-columns')}, with {points} if yes is bad"
    )


def left_out_by_name(plan: TablePlan, sample: FirstRows, likely: ImportOptions) -> str | None:
    """Return a note on unread numbers that are like the scores but for their names; None without any.

    They depend on who judged, and are on the scale of what is read by the plan and the `likely` options.
    """
    places = {**plan.places, **likely.map}
    is_wide = bool(plan.wide) and plan.wide_names == "rubric_id"
    read = list(plan.wide) if is_wide else [places[name] for name in ("score",) if name in places]
    judge, question = places.get("judge"), places.get("instance_id") or places.get("prompt")
    if not read or judge is None or question is None or (plan.wide and not is_wide):
        return None
    if not is_wide and places.keys() & {"rubric_id", "criterion", "opponent"}:
        return None
    author = places.get("generator")
    things = [question, *([] if author is None else [author])]
    columns = [
        column
        for column in plan.unread(sample.columns)
        if column not in likely.map.values()
        and is_called_measured(column)
        and may_be_of_criterion(sample, column, question, judge, author, any_name=True)
        and is_within_scale(sample, column, read)
        and dependence(sample, column, judge, things).differing
    ]
    if not columns:
        return None
    spelling, by = plan.options.spelling, "its name" if len(columns) == 1 else "their names"
    names, it, what = _as_criteria(columns)
    left_out = f"left out {names}, by {by}"
    if is_wide:
        return f"{left_out}; add {it} to {spelling.option('criterion-columns')} if {what}"
    in_place = f"{spelling.criteria([*read, *columns])} in place of {spelling.name('score')}"
    return f"{left_out}; give {in_place} if {what}"


def _as_criteria(columns: Sequence[str]) -> tuple[str, str, str]:
    """Return columns by name, as it or them, and that they are criteria."""
    names = join_names(list(map(repr, columns)))
    return (names, "it", "it is a criterion") if len(columns) == 1 else (names, "them", "they are criteria")
