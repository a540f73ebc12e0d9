"""Why a ranking of models lacks the rows of the reference."""

from typing import TYPE_CHECKING

from engine.arrays.truths.references import NONE
from engine.measures.rankings.ranking import RANKING
from engine.measures.rankings.ranking_distance import RANKING_DISTANCE
from engine.slices import FLAG_NAMES
from engine.wording import Sentence

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result
    from engine.measures.row_types import RankingRow


def without_reference_row(study: "MeasuredStudy", result: "Result") -> list[Sentence]:
    """Return why none of a ranking's rows is the reference's, though the study has one; else empty."""
    filters = result.filters
    rows: list[RankingRow] = result.rows
    has_reference = filters.get("reference") not in (None, NONE)
    if result.measure.name != RANKING.name or not rows or not has_reference or "against" in filters:
        return []
    if any(row["by"] == "reference" for row in rows):
        return []
    flags = {name: value for name, value in filters.items() if name in FLAG_NAMES and value is not None}
    reason = study.result(RANKING_DISTANCE, **flags, resamples=0).reason
    return [Sentence("The reference's ranking is not among these: ", reason, ".")] if reason else []
