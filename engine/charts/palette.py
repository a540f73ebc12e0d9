"""One visual language: who is who has the same colour and shape in every chart.

The three colours are told apart with any common colour blindness, and keep a contrast of 3 to 1 against
a white and a nearly black page.
"""

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
