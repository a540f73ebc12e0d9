"""One visual language: who is who has the same colour and shape in every chart.

The three colours are told apart with any common colour blindness, and keep a contrast of 3 to 1 against
a white and a nearly black page.
"""

from dataclasses import dataclass

SELF = "#D55E00"
FAMILY = "#009E73"
OTHER = "#2E86C1"
NEUTRAL = "#7F7F7F"

COLOURS = {"self": SELF, "family": FAMILY, "other": OTHER}
"""The colour of each relation between a judge and a generator."""

CIRCLE = "circle"
DIAMOND = "diamond"
SQUARE = "square"
TRIANGLE = "triangle-up"

SEQUENTIAL = ("#F7FBFF", "#C6DBEF", "#6BAED6", "#2171B5", "#08306B")
"""Rates from the lowest shown to the highest."""

DIVERGING = ("#2166AC", "#9ECAE1", "#F7F7F7", "#FDBE85", "#B35806")
"""Points below and above nothing; blue and orange stay apart with any common colour blindness."""

CELL = "#FFFFFF"
INK = "#101418"
"""Writing on dark cells, and on light ones; cells look the same on a white and on a dark page."""


@dataclass(frozen=True)
class Look:
    """A colour with a shape, so that neither has to be seen to tell things apart."""

    colour: str
    shape: str


PARADIGMS = {
    "single_rubric": Look("#8E6BBF", CIRCLE),
    "all_rubrics": Look("#B07D12", SQUARE),
    "direct_assessment": Look("#C2588C", TRIANGLE),
    "pairwise": Look("#5F8391", DIAMOND),
}
"""The ways of judging; none has the colour of a relation."""

LEVELS = {"rubric": Look("#8E6BBF", CIRCLE), "instance": Look("#5F8391", DIAMOND)}
"""Rubrics, and comparisons of whole responses."""

MEMBER = Look(SELF, CIRCLE)
COMMITTEE = Look(NEUTRAL, DIAMOND)
"""A judge's own number, and that of the committee in its place."""

ARCHETYPES = {
    "Incompetent Randomizer": Look(NEUTRAL, SQUARE),
    "Objective": Look("#5F8391", CIRCLE),
    "Machiavellian": Look("#B07D12", TRIANGLE),
    "Blindly Biased": Look("#8E6BBF", DIAMOND),
}
"""What a judge is by its discriminability and its preference among equals."""

SERIES = (
    Look("#8E6BBF", CIRCLE),
    Look("#B07D12", SQUARE),
    Look("#5F8391", DIAMOND),
    Look("#C2588C", TRIANGLE),
)
"""Things without a colour of their own, in the order in which they come; more than four begin again."""
