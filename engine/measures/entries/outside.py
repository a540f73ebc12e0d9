"""A judge held against judges outside its family (MEASURES section 15)."""

from engine.measures.entry import (
    EPSILON,
    FAMILY,
    ONE_JUDGE,
    QUALITY,
    Field,
    Measure,
    Option,
    choice,
    count,
    difference,
    number,
    ratio,
    share,
)
from engine.measures.outside import outside_table, prepare_outside

_TASTES = "with the spread of judges' tastes in its error"


def _tested_with_tastes(name: str) -> tuple[Field, ...]:
    return (
        number(f"{name}_p_tastes", f"p-value of {name}, {_TASTES}"),
        number(f"{name}_p_tastes_adjusted", f"p-value of {name} with tastes, adjusted over judges"),
    )


OUTSIDE = Measure(
    name="outside",
    title="Comparison with outside judges",
    question="Does a judge pass its own responses more often than outside judges pass the same responses?",
    formula=(
        "(own share passed by J / by outside judges) / (others' share passed by J / by outside judges); "
        "odds: conditional logistic regression with a stratum for each cell"
    ),
    paper="none of the papers; MEASURES section 15",
    left_out="cells without a verdict from the judge or from any outside judge; pairs and scores likewise",
    function=outside_table,
    prepare=prepare_outside,
    keys=("judge",),
    headline="ratio_outside",
    compared_as="ratio",
    empty="no judge has judged its own responses in this slice",
    options=(
        Option(
            "truth",
            "name",
            "which rubric verdicts count: on rubrics that the reference fails (default where there "
            "is a reference), on those it passes, or on any; any needs no reference",
            choices=("failed", "met", "any"),
        ),
        choice(
            "pairs",
            "which pairs count: all; those that the response loses, ties or wins by the gold "
            "judges; or those of equal quality",
            "all",
            "lost",
            "tied",
            "won",
            "equal",
        ),
        choice("opponents", "which opponents count: models of other families, or all", "outside", "all"),
        EPSILON,
        *QUALITY,
    ),
    fields=(
        ONE_JUDGE,
        FAMILY,
        ratio(
            "ratio_outside",
            "(own_judge / own_outside) / (other_judge / other_outside); 1 means no self-preference",
        ),
        difference(
            "difference_outside",
            "(own_judge - own_outside) - (other_judge - other_outside); 0 means no self-preference",
        ),
        ratio("ratio_outside_family", "ratio_outside for its family's responses in place of its own"),
        share("own_judge", "share of its own responses' cells that the judge passes", interval=False),
        share("own_outside", "share of its own responses' cells that outside judges pass", interval=False),
        share("other_judge", "share of other families' cells that the judge passes", interval=False),
        share("other_outside", "share of other families' cells that outside judges pass", interval=False),
        count("n_own", "cells (or pairs) of its own responses judged by it and by an outside judge"),
        count(
            "n_other", "cells (or pairs) of other families' responses judged by it and by an outside judge"
        ),
        count("n_outside", "outside judges compared with"),
        ratio(
            "odds_self", "odds that it passes its own responses, relative to outside judges on the same cells"
        ),
        *_tested_with_tastes("odds_self"),
        ratio(
            "odds_family",
            "odds that it passes its family's responses, relative to outside judges on the same cells",
        ),
        *_tested_with_tastes("odds_family"),
        ratio("odds_common", "odds_self estimated as one value for all judges"),
        Field("odds_shrunken", "ratio", "odds_self shrunk toward the judges' mean"),
        difference(
            "bonus_outside",
            "points of 100 that it gives its own responses above outside judges', minus those it "
            "gives others'",
            "points",
        ),
        *_tested_with_tastes("bonus_outside"),
        difference(
            "vote_outside",
            "its vote for its own response minus the mean vote of outside judges on the same pairs",
        ),
        *_tested_with_tastes("vote_outside"),
        count("placebo_rank", "rank of itself among the generators that it favours; 1 is the most favoured"),
        count("placebo_of", "generators ranked in placebo_rank"),
        number("taste_spread", "spread of judges' tastes for models of other families"),
        Field(
            "tastes_assumed",
            "flag",
            "taste_spread is that of the published study, because there are fewer than 5 judges",
        ),
        number(
            "p_placebo", "share of random assignments of judges to other models that give as large a value"
        ),
    ),
)

OUTSIDE_ENTRIES = (OUTSIDE,)
