"""What changed from one run to another, in sentences."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from engine.explore.run_changes import strictness_or_accuracy_changes
from engine.phrases import join_names, quantity
from engine.words.written_numbers import number

if TYPE_CHECKING:
    from engine.explore.run_changes import NumberChange
    from engine.measures.measured_study import MeasuredStudy

MOST_NAMED = 3
"""Most judges whose changes are written out; the rest are counted."""

_VERBS: Mapping[tuple[str, bool], tuple[str, str]] = {
    ("strictness", True): ("passes less", "passes more"),
    ("strictness", False): ("gives lower scores", "gives higher scores"),
    ("accuracy", True): ("is less accurate", "is more accurate"),
}
"""What a judge does whose number fell or rose, by the measure and whether it is of verdicts on criteria."""

_MORE_DECIMALS = 4


def changed_between(
    study: "MeasuredStudy", before: str, after: str, options: Mapping[str, Any] = MappingProxyType({})
) -> str:
    """Say which judges changed in strictness or accuracy from one run to another; empty if none did.

    `options` are those of every number, such as resamples.
    """
    return changes_words(strictness_or_accuracy_changes(study, before, after, options), before, after)


def changes_words(changes: "Sequence[NumberChange]", before: str, after: str) -> str:
    """Return what changed of each judge, in which direction, from what to what; empty for no change."""
    of_judges: dict[str, list[NumberChange]] = {}
    for each in sorted(changes, key=lambda each: -abs(each.after - each.before)):
        of_judges.setdefault(each.judge, []).append(each)
    if not of_judges:
        return ""
    parts = [
        f"{judge} {join_names([_change(each) for each in of_judge])}"
        for judge, of_judge in list(of_judges.items())[:MOST_NAMED]
    ]
    if len(of_judges) > MOST_NAMED:
        parts.append(f"{quantity(len(of_judges) - MOST_NAMED, 'other judge')} changed too")
    return f"From run {before} to run {after}, {'; '.join(parts)}."


def _change(change: "NumberChange") -> str:
    verb = _VERBS[change.measure, change.of_criteria][change.after > change.before]
    was, now = next(
        texts
        for more in range(_MORE_DECIMALS + 1)
        if len(set(texts := [number(each, "percent", more) for each in (change.before, change.after)])) > 1
        or more == _MORE_DECIMALS
    )
    return f"{verb} ({was} to {now})"
