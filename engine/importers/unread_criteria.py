"""Columns of a table that nothing is read from, although they look like verdicts on criteria of their own."""

from engine.importers.guessing.criterion_columns import like_columns, may_be_of_criterion
from engine.importers.judge_agreement import dependence
from engine.importers.table_reading import TablePlan
from engine.importers.table_sample import FirstRows
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
    others = [
        column
        for column in plan.unread(sample.columns)
        if may_be_of_criterion(sample, column, question, judge, places.get("generator"))
        and dependence(sample, column, judge, things).differing
    ]
    columns = like_columns(sample, [verdict, *others])
    if verdict not in columns:
        return None
    spelling, unread = plan.options.spelling, columns[1:]
    subject = "looks like verdicts on a criterion" if len(unread) == 1 else "look like verdicts on criteria"
    return (
        f"{join_names(list(map(repr, unread)))} {subject} of {'its' if len(unread) == 1 else 'their'} own, "
        f"and {'is' if len(unread) == 1 else 'are'} not read ({spelling.criteria(columns)} in place of "
        f"{spelling.name('met' if 'met' in places else 'score')} reads all)"
    )
