"""One visual language: the same colour and shape for the same thing in every chart."""

from dataclasses import dataclass

SELF = "#D55E00"
FAMILY = "#009E73"
OTHER = "#2E86C1"
NEUTRAL = "#7F7F7F"

COLOURS = {"self": SELF, "family": FAMILY, "other": OTHER}
"""The colour of each relation between a judge and a generator."""

CIRCLE, DIAMOND, SQUARE, TRIANGLE = "circle", "diamond", "square", "triangle-up"

SEQUENTIAL = ("#F7FBFF", "#C6DBEF", "#6BAED6", "#2171B5", "#08306B")
"""Rates from the lowest shown to the highest."""

DIVERGING = ("#2166AC", "#9ECAE1", "#F7F7F7", "#FDBE85", "#B35806")
"""Points below and above 0; blue and orange stay distinct in all common colour blindness."""

CELL = "#FFFFFF"  # text on dark cells; cells look the same on light and dark pages
INK = "#101418"  # text on light cells


@dataclass(frozen=True)
class Look:
    """A colour with a shape, so that either alone tells things apart."""

    colour: str
    shape: str


PARADIGMS = {
    "single_rubric": Look("#8E6BBF", CIRCLE),
    "all_rubrics": Look("#B07D12", SQUARE),
    "direct_assessment": Look("#C2588C", TRIANGLE),
    "pairwise": Look("#5F8391", DIAMOND),
}
"""The paradigms; none has the colour of a relation."""

LEVELS = {"rubric": Look("#8E6BBF", CIRCLE), "instance": Look("#5F8391", DIAMOND)}
ACCURACIES = {"rubric": "mra", "instance": "mipa"}  # the field of a judge's accuracy at each level
MEMBER = Look(SELF, CIRCLE)  # a judge's own number
COMMITTEE = Look(NEUTRAL, DIAMOND)  # that of the committee in its place

ARCHETYPES = {
    "Incompetent Randomizer": Look(NEUTRAL, SQUARE),
    "Objective": Look("#5F8391", CIRCLE),
    "Machiavellian": Look("#B07D12", TRIANGLE),
    "Blindly Biased": Look("#8E6BBF", DIAMOND),
}

SERIES = (
    Look("#8E6BBF", CIRCLE),
    Look("#B07D12", SQUARE),
    Look("#5F8391", DIAMOND),
    Look("#C2588C", TRIANGLE),
)
"""Looks of series without their own, in order; they repeat after four."""
