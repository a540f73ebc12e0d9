"""How far the annotators of a task agree."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from engine.measures.rows import FEW
from engine.measures.undefined_reasons import meaning
from engine.phrases import quantity
from engine.words.written_numbers import with_interval

if TYPE_CHECKING:
    from engine.annotations.agreement import Agreement, ResampledEstimate


def agreement_of_people(result: "Agreement", kind: str) -> str:
    """Return kappa and alpha of a task of this kind, or why they are undefined."""
    if result.reason is not None:
        return f"Agreement is undefined: {meaning(result.reason)}"
    alpha = f"Krippendorff's alpha {_estimate(result.alpha)}"
    both = alpha if kind == "score" else f"Fleiss' kappa {_estimate(result.kappa)}; {alpha}"
    few = f", fewer than {FEW}: too few to rely on" if result.shared < FEW else ""
    return f"{both}; n {result.shared:,} with two labels or more{few}"


AS_STORED = (
    "These count which answer is better as stored, first or second: sides on the page and in files are "
    "shuffled, and kappa of left and right differs a little."
)
"""Of pairs: which labels kappa is of, since it changes with the order in which pairs are seen."""


def shown_again(numbers: Collection[int]) -> str:
    """Return how many items are shown a second time, of each person's number of them, and what for."""
    up_to = "up to " if len(set(numbers)) > 1 else ""
    return f"{up_to}{quantity(max(numbers), 'item')} a second time, to see whether the label stays the same"


def kappa_of_two(kappa: "ResampledEstimate") -> str:
    """Return the kappa of two people, or why it is undefined: only labels that are all alike make it so."""
    return f"– ({meaning('labels_all_alike')})" if kappa.value is None else _estimate(kappa)


def _estimate(value: "ResampledEstimate") -> str:
    return with_interval(value.value, value.low, value.high)
