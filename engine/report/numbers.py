"""A claim's number in a reader's words."""

from typing import Any

from engine.finder import FIND
from engine.findings import Claim
from engine.measures.catalogue import MEASURES, Field
from engine.measures.catalogue.declare import FieldKind
from engine.readable import cell


def number_of(claim: Claim) -> tuple[str, ...]:
    """Return the number with its interval, and then n and p, as far as there are any."""
    told = [_value(claim)]
    if claim.n is not None:
        told.append(f"n {claim.n:,} {claim.cases}".rstrip())
    if claim.p_adjusted is not None:
        told.append(
            "p <0.001, adjusted" if claim.p_adjusted < 0.001 else f"p {claim.p_adjusted:.3f}, adjusted"
        )
    return tuple(told)


def kinds_of_doubt(claim: Claim) -> list[tuple[str, list[str]]]:
    """Return what a reader must know of a claim, by kind, each with all that is said of it."""
    found: dict[str, list[str]] = {}
    for mark in claim.marks:
        found.setdefault(mark.title, []).append(mark.why)
    return list(found.items())


def _value(claim: Claim) -> str:
    measure = FIND if claim.measure == FIND.name else MEASURES.get(claim.measure)
    fields = () if measure is None else measure.fields
    kind: FieldKind = next((field.kind for field in fields if field.name == claim.field), "number")
    if claim.value is None:
        return "no number"
    whole = claim.low is not None and claim.high is not None
    row: dict[str, Any] = {
        claim.field: claim.value,
        f"{claim.field}_low": claim.low,
        f"{claim.field}_high": claim.high,
        "reasons": {},
    }
    return cell(row, Field(claim.field, kind, "", interval=whole))
