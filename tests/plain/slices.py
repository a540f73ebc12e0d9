"""The slices of one column, as options to ask each of (MEASURES section 6).

Reading: values in ascending order as text (positions as numbers), null last.
Bins of length are not made here.
"""

from typing import Any

from plain.study import PlainStudy


def slices(study: PlainStudy, by: str) -> list[tuple[Any, dict[str, Any]]]:
    """(value, options) for each value of a column of texts, of polarity, or of position."""
    if by == "polarity":
        return [(value, {by: value}) for value in ("negative", "positive")]
    values = column_values(study, by)
    present = sorted(value for value in values if value is not None)
    if None in values:
        present.append(None)
    return [(value, {by: [value]}) for value in present]


def column_values(study: PlainStudy, by: str) -> set[Any]:
    """The column's values in the study; a rubric without a theme has its instance's."""
    if by in ("axis", "checker"):
        return {rubric[by] for rubric in study.rubrics}
    if by == "position":
        return {row[by] for row in study.judgments if row["paradigm"] == "all_rubrics"}
    if by in ("category", "language", "segment"):
        return {row[by] for row in study.instances}
    themes = {row["instance_id"]: row["theme"] for row in study.instances}
    return {rubric["theme"] or themes[rubric["instance_id"]] for rubric in study.rubrics}
