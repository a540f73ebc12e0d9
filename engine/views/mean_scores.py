"""Mean scores: how the judges together, and people or another reference, score each model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.charts import style
from engine.charts.dot_plot import Dot
from engine.charts.panels import Panel, side_by_side
from engine.paradigms import RESPONSE_SCORES
from engine.views.drawing import figure_of_panels
from engine.views.keys import Filters, filters, needs_paradigm
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.mean_scores import ALL, REFERENCE, score_sentences

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import RankingRow

FIELDS = ("by", "model", "score", "rank", "n")
CAPTION = "Mean score of each model, by all judges together and by the reference."
MARKS = (
    "Lines are 95% intervals over questions. Only questions on which a judge scored every answer count, so a "
    "judge that scored few of them adds little."
)
PANELS = (
    Panel(
        "mean score",
        (
            Dot("score", "all judges", style.SERIES[0]),
            Dot("reference_score", "the reference", style.COMMITTEE, n="reference_n"),
        ),
    ),
)


@dataclass(frozen=True)
class MeanScoresKeys:
    """The slice."""

    slice_: Annotated[Filters, filters("level", "min_agreement")]


def answer(study: "MeasuredStudy", keys: MeanScoresKeys) -> Shown:
    """Show the mean score of each model, the highest first."""
    result = measure(study, "ranking", keys.slice_)
    reference = result.filters.get("reference")
    return shown_of(
        study,
        result,
        keys.slice_,
        FIELDS,
        sentences=score_sentences(result.rows, reference) if result.rows else (),
        figure=figure_of_panels(side_by_side(_models(result.rows), PANELS, "model"), CAPTION, MARKS),
    )


def _models(rows: "Sequence[RankingRow]") -> Sequence[dict[str, Any]]:
    """Return a row for each model that all judges together score, with the reference's score beside it."""
    names = ("score", "score_low", "score_high", "n")
    by_reference = {row["model"]: row for row in rows if row["by"] == REFERENCE}
    scored = [row for row in rows if row["by"] == ALL and row["score"] is not None]
    return [
        {**row, **{f"reference_{name}": by_reference.get(row["model"], {}).get(name) for name in names}}
        for row in sorted(scored, key=lambda row: -row["score"])
    ]


MEAN_SCORES = View(
    "mean_scores",
    "Mean scores",
    "Which models do the judges score highest?",
    MeanScoresKeys,
    answer,
    needs_paradigm(*RESPONSE_SCORES),
)
