"""What the measures of the order of score options share: fields, groups, what is left out."""

from engine.measures import entry

PAPER = "rubric-position-bias"
N_OPTIONS = entry.count(
    "n_options", "number of options in the list; lists of different lengths are never pooled"
)
SCALE = entry.key("scale", "the options' scores in ascending order")
LEFT_OUT = (
    "orderings that are not among the 2n balanced ones (other_ordering), scores that match no "
    "option (off_scale), repeats (other_trial)"
)
