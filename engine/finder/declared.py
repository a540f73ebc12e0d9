"""What the finder's rows hold, declared as measures are: the command, the page and the docs read it here.

It is none of `spb metrics`, which are taken of one slice: it goes through all of them.
"""

from engine.measures.catalogue.declare import SMALL, Field, Measure, count, key
from engine.schema import RUBRIC_PARADIGMS

FIND = Measure(
    name="find",
    title="Slices that stand apart",
    question="In which slices does a judge's ratio differ from its ratio on all other rubrics?",
    formula="difference = HSPP ratio of the slice / HSPP ratio of the rest; slices of one column and of two",
    paper="rubric-self-preference, section 3",
    left_out="slices too small to be tested (too_small), and what the ratio leaves out",
    module="engine.finder",
    keys=("judge", "where"),
    headline="difference",
    compared_as="ratio",
    paradigms=RUBRIC_PARADIGMS,
    level="rubric",
    sliced=False,
    fields=(
        key("judge", "the judge"),
        key("where", "the values that make the slice"),
        Field("difference", "ratio", "the slice's ratio / the rest's", interval=True),
        Field("p", "number", "two-sided p of no difference"),
        Field("p_adjusted", "number", "adjusted over all slices tried, of all judges (Benjamini, Hochberg)"),
        Field("hspp_self", "ratio", "HSPP ratio in the slice"),
        Field("hspp_rest", "ratio", "HSPP ratio on all other rubrics"),
        Field("hspp_matched", "ratio", "matched ratio in the slice"),
        count("n_self", "own unfavourable references in the slice"),
        count("n_rest", "own unfavourable references outside it"),
        count("n_matched", "matched rubrics in the slice"),
        count("instances", "instances with own failures, of the slice or the rest, whichever has fewer"),
        SMALL,
        Field("filters", "list", "filters that open the slice"),
        key("by", "the column to group by, where a value of the slice is none that a filter keeps"),
    ),
    empty="no slice holds enough own failures to be tested",
)
