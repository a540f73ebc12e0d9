"""One visual language: the same colour and shape for the same thing in every chart.

Every colour of a chart is here; the modules of charts and views name it.
"""

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

CLEAR_FOR, LEANS_FOR = "#B35806", "#FDD9AE"
LEANS_AGAINST, CLEAR_AGAINST = "#C9DEEC", "#2166AC"
NEITHER, OTHER_SUBJECT = "#F7F7F7", "#E3E3E3"
"""Cells by what their number says of self-preference; the last is not about it."""

CONCLUSIONS = {
    ("firm", 1): "#B4460A",
    ("open", 1): "#A0622F",
    ("alike", 0): "#5F7F6A",
    ("undecided", 0): "#6F7479",
    ("open", -1): "#3F78A8",
    ("firm", -1): "#1F6AA5",
}
"""Conclusions by kind and side: orange for itself, blue against, grey if nothing is shown."""

DOUBT = "#D97706"  # the mark of a doubt on a conclusion

CELL = "#FFFFFF"  # text on dark cells and filled chips; they look the same on light and dark pages
INK = "#101418"  # text on light cells
PAGE = "currentColor"  # text outside cells: that of the surrounding page


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
