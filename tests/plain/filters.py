"""Which rubrics and instances the filters keep (MEASURES sections 1 and 6)."""

from plain.asking import Query, RefusedError, instance_of, named, rubrics_of
from plain.study import Row


def is_favourable(rubric: Row, met: bool) -> bool:
    """Section 1: met if points >= 0, not met if points < 0."""
    return met if rubric["points"] >= 0 else not met


def length_of(query: Query, rubric: Row) -> int | None:
    """Characters (of the criterion if stored), or words, which need the criterion."""
    criterion = rubric["criterion"]
    if query.length_unit == "words":
        return None if criterion is None else len(criterion.split())
    return rubric["length"] if criterion is None else len(criterion)


def rubric_is_kept(query: Query, rubric: Row) -> bool:
    """Whether a rubric passes the filters on rubrics and on its instance (agreement aside)."""
    key = "kept", rubric["instance_id"], rubric["rubric_id"]
    return bool(query.remembered(key, lambda: _passes(query, rubric)))


def _passes(query: Query, rubric: Row) -> bool:
    instance = instance_of(query, rubric["instance_id"])
    polarity = "positive" if rubric["points"] >= 0 else "negative"
    theme = rubric["theme"] if rubric["theme"] is not None else instance["theme"]
    return (
        named(query.polarity, polarity)
        and _length_is_kept(query, rubric)
        and named(query.axis, rubric["axis"])
        and named(query.theme, theme)
        and named(query.checker, rubric["checker"])
        and named(query.category, instance["category"])
        and named(query.language, instance["language"])
        and named(query.segment, instance["segment"])
    )


def _length_is_kept(query: Query, rubric: Row) -> bool:
    if query.length is None:
        return True
    low, high = query.length
    length = length_of(query, rubric)
    if length is None:
        return False
    return (low is None or length >= low) and (high is None or length <= high)


def instance_is_kept(query: Query, instance_id: str) -> bool:
    """Direct assessment and pairs: whether the filters keep the instance; RefusedError if only in part."""
    query.remembered("constant", lambda: _refuse_filters_that_split_instances(query))
    rubrics = rubrics_of(query, instance_id)
    if rubrics:
        return rubric_is_kept(query, rubrics[0])
    instance = instance_of(query, instance_id)
    asks_for_rubrics = any(
        query.options[name] is not None for name in ("polarity", "length", "axis", "checker")
    )
    return (
        not asks_for_rubrics
        and named(query.theme, instance["theme"])
        and named(query.category, instance["category"])
        and named(query.language, instance["language"])
        and named(query.segment, instance["segment"])
    )


def _refuse_filters_that_split_instances(query: Query) -> bool:
    for instance in query.study.instances:
        answers = {rubric_is_kept(query, rubric) for rubric in rubrics_of(query, instance["instance_id"])}
        if len(answers) > 1:
            raise RefusedError(f"the filter splits the rubrics of instance {instance['instance_id']!r}")
    return True
