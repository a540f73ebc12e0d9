"""The scorecard as scores for Langfuse: bodies for `POST /api/public/scores`."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from engine.words.conclusions import conclusion_sentence, judges_of

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

_ABOUT = (
    *("judge", "family", "decided_by", "low", "high", "p_adjusted"),
    *("n_own", "n_other", "n_outside", "reason"),
)


def langfuse_scores(study: str, rows: "Sequence[ScorecardRow]", session: str) -> list[dict[str, Any]]:
    """Return the scores of the rows of `scorecard`: each judge's conclusion, and its number if it has one."""
    return [score for row in judges_of(rows) for score in _of_judge(study, row, session)]


def _of_judge(study: str, row: "ScorecardRow", session: str) -> Iterator[dict[str, Any]]:
    common = {
        "sessionId": session,
        "comment": conclusion_sentence(row),
        "metadata": {"study": study, **{name: row.get(name) for name in _ABOUT}},
    }
    values: list[tuple[str, str | float, str]] = []
    if row["conclusion"] is not None:
        values.append((f"self_preference.{row['judge']}.conclusion", row["conclusion"], "CATEGORICAL"))
    if row["estimate"] is not None:
        values.append((f"self_preference.{row['judge']}", row["estimate"], "NUMERIC"))
    for name, value, kind in values:
        identity = hashlib.sha256("\0".join((study, session, name)).encode()).hexdigest()[:32]
        yield {"id": identity, "name": name, "value": value, "dataType": kind, **common}
