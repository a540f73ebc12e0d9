"""Families: what judges give the other models of their family, beyond what other judges give these."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from engine.charts import style
from engine.charts.dot_plot import Dot
from engine.charts.panels import Panel, side_by_side
from engine.charts.style import Look
from engine.conclusions import TOO_FEW, group_code
from engine.explore.diagnosis import JudgeRelations
from engine.explore.doctor import judge_relations
from engine.measures.result import Result
from engine.measures.undefined_reasons import meaning
from engine.views.drawing import figure_of_panels
from engine.views.keys import Filters, filters
from engine.views.of_measure import measure, shown_of, table_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words import conclusions
from engine.words.families import conclusion_sentences, effect_sentences, too_few_families
from engine.words.group_conclusions import group_row

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import OutsideRow, ScorecardRow

MOST = 400
"""Most rows of the table: each judge has one, and the families, which come after them, theirs."""

EFFECTS = ("judge", "family", "effect_family", "low", "high", "p", "bonus_outside_family", "n_family")
CONCLUSIONS = (
    *("judge", "family", "family_conclusion", "family_given", "family_expected", "excess_family"),
    "n_family",
)
FAMILY = Look(style.FAMILY, style.SQUARE)
POINTS = (
    Panel(
        "points of 100 for its family, beyond other judges'",
        (Dot("effect_family", "its family", FAMILY, "points", "n_family"),),
        0.0,
    ),
)
EXCESS = (
    Panel(
        "for its family, beyond what is expected",
        (Dot("excess_family", "its family", FAMILY, "difference", "n_family"),),
        0.0,
    ),
)
MARKS = (
    "Lines are 95% intervals of each family alone: of twenty without any preference, one would lie beside 0 "
    "by chance. Families of too few judges or answers for an interval are in the numbers alone."
)


@dataclass(frozen=True)
class FamiliesKeys:
    """The slice."""

    slice_: Annotated[Filters, filters()]


def answer(study: "MeasuredStudy", keys: FamiliesKeys) -> Shown:
    """Show each family's effect on scores; where there is none with an interval, the scorecard's numbers."""
    result = measure(study, "outside", keys.slice_)
    every: list[OutsideRow] = result.rows
    families = [row for row in every if row["judge"] is None and row["effect_family"] is not None]
    if any(row["low"] is not None for row in families):
        return _effects(study, keys, result, families)
    return _concluded(study, keys, result)


def _effects(
    study: "MeasuredStudy", keys: FamiliesKeys, result: Result, families: "Sequence[OutsideRow]"
) -> Shown:
    bounded = [row for row in families if row["low"] is not None]
    shown_rows = sorted(bounded, key=lambda row: -row["effect_family"])
    ends = [{**row, "effect_family_low": row["low"], "effect_family_high": row["high"]} for row in shown_rows]
    caption = "Points of 100 that each family's judges add to its answers, beyond other judges'."
    figure = figure_of_panels(side_by_side(ends, POINTS, "family"), caption, MARKS)
    shown = shown_of(study, result, keys.slice_, EFFECTS, sentences=effect_sentences(families), figure=figure)
    return replace(shown, table=table_of(result, EFFECTS, MOST))


def _concluded(study: "MeasuredStudy", keys: FamiliesKeys, outside: Result) -> Shown:
    result = measure(study, "scorecard", keys.slice_)
    rows = [row for row in conclusions.judges_of(result.rows) if row["family_expected"] is not None]
    if not rows:
        reason = outside.reason or _why_none(result.rows)
        empty = Result(outside.measure, study.name, outside.filters, {}, outside.left_out, reason, None)
        return shown_of(study, empty, keys.slice_, EFFECTS)
    shown_rows = sorted(rows, key=lambda row: -(row["excess_family"] or 0.0))
    caption = "What each judge gives its family's other models, beyond what other judges as strict would."
    figure = figure_of_panels(side_by_side(shown_rows, EXCESS), caption, MARKS)
    sentences = conclusion_sentences(result.rows)
    return shown_of(study, result, keys.slice_, CONCLUSIONS, sentences=sentences, figure=figure)


def _why_none(rows: "Sequence[ScorecardRow]") -> str:
    """Return why no judge's family has numbers, and what would give them."""
    group = group_row(rows)
    if group is not None and group["family_conclusion"] == group_code(TOO_FEW):
        sentence = too_few_families(group).removesuffix(".")
        return f"{sentence[0].lower()}{sentence[1:]}"
    whys = dict.fromkeys(
        meaning(row["family_reason"]) for row in rows if row["judge"] and row["family_reason"]
    )
    return "; ".join(whys) or "no judge of another family has judged the same answers of a judge's family"


def relations(study: "MeasuredStudy") -> Sequence[JudgeRelations]:
    """Return how each judge is related to the models that it judged, read once."""
    return study.remember("relations of judges", lambda: judge_relations(study))


def needs(study: "MeasuredStudy") -> str | None:
    """Return why families cannot be compared, None if some judge has judged another model of its family."""
    if any(each.relatives for each in relations(study)):
        return None
    return (
        "No judge has judged another model of its own family. Give models their families with --models on "
        "import, or have the judges judge such models."
    )


FAMILIES = View(
    "families",
    "Families",
    "Do judges favour the other models of their own family?",
    FamiliesKeys,
    answer,
    needs,
)
