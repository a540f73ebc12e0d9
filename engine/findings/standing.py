"""Whether a claim stands: the marks of doubt on it, and which of them overturn it.

`own_marks` gives those of its own number; `cross_checks` adds what other rules say, and a rule whatever else
it knows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.findings.claimed_number import ClaimedNumber, Row, adjusted_p_of, ends_of
from engine.measures.rows import FEW, SURE

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


class MarkKind(StrEnum):
    """What a reader must know before trusting a claim."""

    SMALL = "small"
    NOT_SIGNIFICANT = "not_significant"
    NOT_CONCLUDED = "not_concluded"
    CAUSE_OPEN = "cause_open"
    FRAGILE = "fragile"
    SIMULATED = "simulated"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True)
class Mark:
    """A caveat on a claim, and why it applies; `tag` names it more closely than its kind."""

    kind: MarkKind
    why: str
    tag: str = ""

    @property
    def title(self) -> str:
        return self.tag or self.kind.value.replace("_", " ")


def stands(marks: Iterable[Mark]) -> bool:
    """Return whether a claim with these marks is significant, concluded, and not contradicted."""
    return not has_mark(marks, *_OVERTURNING)


_OVERTURNING = (MarkKind.NOT_SIGNIFICANT, MarkKind.NOT_CONCLUDED, MarkKind.CONTRADICTED)

OPEN = "cause open"
"""The tag of a claim on a judge that rates its own too high, if whether because they are its own is open."""

ADJUSTED = "not significant after adjustment"
"""The tag of a number whose p, adjusted for all that was tested, is too large, whatever its interval."""


def lacks_only_cause(marks: Iterable[Mark]) -> bool:
    """Return whether a claim does not stand for the one reason that its cause is open."""
    tags = {mark.tag for mark in marks if mark.kind in _OVERTURNING}
    return tags == {OPEN}


def has_mark(marks: Iterable[Mark], *kinds: MarkKind) -> bool:
    return any(mark.kind in kinds for mark in marks)


def own_marks(row: Row, number: ClaimedNumber, study: "MeasuredStudy") -> Iterator[Mark]:
    """Yield the marks of a number: few cases, lack of significance, and simulated judgments.

    It is not significant if p is not below 0.05 or, without a test, if the interval includes `null`.
    """
    if number.n is not None and (n := int(row[number.n])) < number.few:
        yield Mark(MarkKind.SMALL, f"it rests on {n:,} {number.cases}, fewer than {number.few}")
    elif row.get("small"):
        yield Mark(MarkKind.SMALL, f"one side of it rests on fewer than {FEW} cases")
    (low, high), (p, is_tested) = ends_of(row, number.field), adjusted_p_of(row, number.field)
    why, tag = None, ""
    if number.null is not None and p is not None:
        why = f"p is {p:.2f} after adjusting for everything tested" if p >= SURE else None
        if low is not None and high is not None and not low <= number.null <= high:
            tag = ADJUSTED
    elif number.null is not None:
        if low is None or high is None:
            why = "there is no interval"
        elif low <= number.null <= high:
            why = f"its interval includes {number.null:g}"
        elif is_tested:
            why = "there are too few questions for a test"
    if why is not None:
        yield Mark(MarkKind.NOT_SIGNIFICANT, why, tag)
    judgments = {"simulated": "all judgments", "mixed": "some judgments"}.get(study.info.provenance)
    if judgments is not None:
        yield Mark(MarkKind.SIMULATED, f"a program simulated {judgments} of this study")
