"""A claim as it is shown: its chart, its number in words, its doubts, and the rows that it rests on."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.charts.chart_spec import spec_of
from engine.charts.claim_chart import drawing_of
from engine.explore.find_slices import FIND
from engine.findings.claims import Claim
from engine.findings.standing import MarkKind
from engine.measures.catalogue import MEASURES
from engine.measures.entry import Field, FieldKind
from engine.measures.result import Result
from engine.views.shown import Figure, Shown
from engine.words import written_numbers
from engine.words.row_cells import cell

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


def figure_of_claims(claims: Sequence[Claim], width: int) -> Figure | None:
    """Draw the numbers of claims of one rule, beside what they are compared with; None without any."""
    rows, draw = drawing_of(claims, width=width)
    if rows.empty:
        return None
    first = claims[0].sentence if claims else ""
    caption = f"{first} The other rows are what it is compared with."
    return Figure(spec_of(draw(rows)), caption)


def rows_behind(study: "MeasuredStudy", result: Result, options: Mapping[str, Any]) -> Shown:
    """Return the chart and rows of the measure that a claim rests on, computed with these options."""
    from engine.views.results import shown_of_result

    caption = f"{result.measure.title}: a mark for each row of the table that follows."
    return shown_of_result(study, result, options, caption)


def number_of(claim: Claim) -> tuple[str, ...]:
    """Return the number with its interval, unless its sentence has cases of 100; n and p if any."""
    parts = [] if claim.measure == "scorecard" else [_value(claim)]  # its sentence has the cases of 100
    if claim.n:  # advice for a study without own cases has none
        parts.append(f"{claim.n:,} {claim.cases}" if claim.cases else f"n {claim.n:,}")
    if claim.p_adjusted is not None:
        parts.append(f"adjusted p {written_numbers.p_value(claim.p_adjusted)}")
    return tuple(parts)


def kinds_of_doubt(claim: Claim, *implied: MarkKind) -> list[tuple[str, list[str]]]:
    """Return the caveats on a claim, each kind with its reasons, without those that a reader knows already.

    That judgments are simulated is said once, above all claims.
    """
    reasons: dict[str, list[str]] = {}
    for mark in claim.marks:
        if mark.kind not in (MarkKind.SIMULATED, *implied):
            reasons.setdefault(mark.title, []).append(mark.why)
    return list(reasons.items())


def _value(claim: Claim) -> str:
    measure = FIND if claim.measure == FIND.name else MEASURES.get(claim.measure)
    fields = () if measure is None else measure.fields
    kind: FieldKind = next((field.kind for field in fields if field.name == claim.field), "number")
    if claim.value is None:
        return "no number"
    has_interval = claim.low is not None and claim.high is not None
    row: dict[str, Any] = {
        claim.field: claim.value,
        f"{claim.field}_low": claim.low,
        f"{claim.field}_high": claim.high,
        "reasons": {},
    }
    return cell(row, Field(claim.field, kind, "", interval=has_interval))
