"""Kinds of criteria: the mean ratio by polarity, length, axis or theme."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.charts import forest
from engine.charts.chart_spec import spec_of
from engine.measures.row_kinds import only_judge, over_judges
from engine.phrases import sentence_case
from engine.views.keys import Filters, choice, choices_in, filters, needs_verdicts
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Figure, Shown
from engine.views.view import View
from engine.words import slice_words
from engine.words.paradigm_words import of_whom
from engine.words.ratio_words import within_slices
from engine.words.short_titles import title

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import HsppRow

COLUMNS = ("polarity", "length", "axis", "theme")
"""The columns by which the papers divide criteria."""

ALL = "all criteria"
"""The name of the row beside the kinds."""

FIELDS = ("judge", "hspp_self", "n_self", "hspp_family", "n_family")
MARKS = (
    "Lines are 95% intervals; a mark without one has too few cases for it. "
    "Hollow marks rest on fewer than 30 cases."
)


def columns_of(study: "MeasuredStudy") -> Mapping[str, str]:
    """Return those of the columns in which the study's criteria differ, with their titles."""
    return {by: title(by) for by in COLUMNS if by in choices_in(study).groupings}


def needs(study: "MeasuredStudy") -> str | None:
    """Return why criteria cannot be divided, None if they can."""
    if columns_of(study):
        return needs_verdicts(study)
    return "The criteria of this study do not differ in polarity, length, axis or theme."


@dataclass(frozen=True)
class KindsKeys:
    """The slice, and the column by which its criteria are divided."""

    slice_: Annotated[Filters, filters()]
    by: Annotated[str | None, choice("By", "The column by which criteria are divided", columns_of)]


def answer(study: "MeasuredStudy", keys: KindsKeys) -> Shown:
    """Show the mean ratio over judges for each kind of criteria."""
    if keys.by is None:
        return Shown(problems=(str(needs(study)),))
    options = {**keys.slice_, "by": keys.by}
    result = measure(study, "hspp", options)
    overall = measure(study, "hspp", keys.slice_)
    of_all: list[HsppRow] = overall.rows
    of_kinds: list[HsppRow] = result.rows
    every = [{**row, "slice": ALL} for row in over_judges(of_all)]
    means = over_judges(of_kinds)
    frame = forest.forest_rows([*every, *means], by=keys.by, fields=("hspp_self", "hspp_family"))
    column = title(keys.by).lower()
    caption = f"{sentence_case(of_whom(of_kinds))} by {column}, beside that of all criteria."
    figure = Figure(spec_of(forest.forest(frame, width=740)), caption, MARKS) if len(frame) else None
    findings = []
    if result.rows:
        of_one = only_judge(of_kinds) is not None
        findings = [slice_words.slices(of_kinds, column), within_slices(keys.by, of_one=of_one)]
    return shown_of(study, result, options, FIELDS, sentences=findings, figure=figure)


KINDS = View(
    "kinds",
    "Kinds of criteria",
    "Does self-preference differ by polarity, length, axis or theme?",
    KindsKeys,
    answer,
    needs,
)
