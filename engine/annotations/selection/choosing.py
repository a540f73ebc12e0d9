"""From what is wanted to items."""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.annotations.items import Item
from engine.annotations.selection.clusters import hard_cases
from engine.annotations.selection.pairs import equal_pairs
from engine.annotations.selection.scores import scored
from engine.annotations.selection.source import Source
from engine.annotations.selection.verdicts import disagreements, overestimations
from engine.annotations.selection.wanted import Wanted

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

_MAKERS: dict[str, Callable[[Source], list[Item]]] = {
    "equal": equal_pairs,
    "hard": hard_cases,
    "disagreement": disagreements,
    "overestimation": overestimations,
    "scores": scored,
}


def select(study: "StudyArrays", wanted: Wanted) -> list[Item]:
    """Return the items wanted; LackingError where the study has nothing to select from."""
    return _MAKERS[wanted.selection](Source(study, wanted))


def counted(items: list[Item]) -> dict[str, int]:
    """Return how many items there are for each reason for which they were taken."""
    return dict(Counter(item.hidden.why for item in items))
