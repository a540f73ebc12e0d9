"""A claim as it is shown: its chart, its number in words, its doubts, and the rows that it rests on."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.charts.chart_spec import spec_of
from engine.charts.claim_chart import drawing_of
from engine.explore.find_slices import FIND
from engine.findings.claims import Claim
from engine.findings.standing import MarkKind
from engine.measures.catalogue import MEASURES
from engine.measures.entry import Field, FieldKind, Measure
from engine.measures.result import Result
from engine.views.shown import Figure, Shown
from engine.words import written_numbers
from engine.words.row_cells import cell
from engine.words.short_titles import field_title, title, within_words

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


def number_of(claim: Claim, *, with_name: bool = True) -> tuple[str, ...]:
    """Return the number, its name and its interval, unless its sentence has cases of 100; n and p if any.

    A count that is n itself stands once.
    """
    parts = []
    is_n = _kind(claim) == "count" and claim.value == claim.n
    if claim.measure != "scorecard" and not is_n:  # its sentence has the cases of 100
        is_named = with_name and claim.value is not None
        name = within_words(name_of_number(claim)) if is_named else ""
        parts.append(f"{name} {_value(claim)}".strip())
    if claim.n:  # advice for a study without own cases has none
        parts.append(f"{claim.n:,} {claim.cases}" if claim.cases else f"n {claim.n:,}")
    if claim.p_adjusted is not None:
        parts.append(f"adjusted p {written_numbers.p_value(claim.p_adjusted)}{claim.p_means}")
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


_PLACES = "rank_shift"
"""The number that is below 0 where a judge moves up; claims say by how many places it does."""


def name_of_number(claim: Claim) -> str:
    """Return the title of the number that a claim is based on."""
    if claim.field == _PLACES:
        return "Places up"
    measure = _measure_of(claim)
    return title(claim.field) if measure is None else field_title(measure, claim.field)


def _measure_of(claim: Claim) -> Measure | None:
    return FIND if claim.measure == FIND.name else MEASURES.get(claim.measure)


def _kind(claim: Claim) -> FieldKind:
    measure = _measure_of(claim)
    fields = () if measure is None else measure.fields
    return next((field.kind for field in fields if field.name == claim.field), "number")


def _value(claim: Claim) -> str:
    if claim.field == _PLACES and claim.value is not None:
        low, high = (None if end is None else -end for end in (claim.high, claim.low))
        return written_numbers.with_interval(-claim.value, low, high)
    if claim.value is None:
        return "no number"
    has_interval = claim.low is not None and claim.high is not None
    row: dict[str, Any] = {
        claim.field: claim.value,
        f"{claim.field}_low": claim.low,
        f"{claim.field}_high": claim.high,
        "reasons": {},
    }
    return cell(row, Field(claim.field, _kind(claim), "", interval=has_interval))
