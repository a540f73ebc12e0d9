"""A judge held against judges outside its family (MEASURES section 15)."""

from engine.measures.entry import (
    EPSILON,
    FAMILY,
    ONE_JUDGE,
    QUALITY,
    Field,
    Measure,
    Option,
    count,
    ratio,
    share,
)
from engine.measures.outside import outside_table, prepare_outside

_TASTES = "with what judges' tastes for some model or other add to its error"


def _tested_with_tastes(name: str) -> tuple[Field, ...]:
    return (
        Field(f"{name}_p_tastes", "number", f"p of {name}, {_TASTES}"),
        Field(f"{name}_p_tastes_adjusted", "number", "the same, adjusted for the judges tested"),
    )


OUTSIDE = Measure(
    name="outside",
    title="Held against outside judges",
    question="Does a judge pass its own responses more often than judges of other families do?",
    formula=(
        "(own share passed by J / by outside judges) / (others' share passed by J / by outside judges); "
        "odds: conditional logistic regression with a stratum for each cell"
    ),
    paper="none of the papers; MEASURES section 15",
    left_out="cells that the judge or the outside judge has no verdict on; pairs and scores likewise",
    function=outside_table,
    prepare=prepare_outside,
    keys=("judge",),
    headline="ratio_outside",
    compared_as="ratio",
    empty="no judge has judged a response of its own here",
    options=(
        Option(
            "truth",
            "name",
            "which rubric verdicts count: on what the reference fails (where there is one), on what it has "
            "met, or on anything, which needs no reference",
            choices=("failed", "met", "any"),
        ),
        Option(
            "pairs",
            "name",
            "which pairs count: all, those that the gold judges have the response lose, tie or win, or those "
            "of equal quality",
            "all",
            ("all", "lost", "tied", "won", "equal"),
        ),
        Option(
            "opponents",
            "name",
            "whose responses stand in the pairs: of other families, or of its own too",
            "outside",
            ("outside", "all"),
        ),
        EPSILON,
        *QUALITY,
    ),
    fields=(
        ONE_JUDGE,
        FAMILY,
        ratio("ratio_outside", "own_judge / own_outside over other_judge / other_outside; 1: no preference"),
        Field("difference_outside", "share", "the same as a difference", interval=True, null=0.0),
        ratio("ratio_outside_family", "the ratio with its family's responses in the place of its own"),
        share("own_judge", "share of its own cells that the judge passes", interval=False),
        share("own_outside", "share of these that outside judges pass", interval=False),
        share("other_judge", "share of others' cells that the judge passes", interval=False),
        share("other_outside", "share of these that outside judges pass", interval=False),
        count("n_own", "own cells (responses, pairs) judged by it and by an outside judge"),
        count("n_other", "the same of generators outside its family"),
        count("n_outside", "outside judges that it is held against"),
        ratio("odds_self", "odds of a favourable verdict on its own response, against other judges' there"),
        *_tested_with_tastes("odds_self"),
        ratio("odds_family", "the same for its family's responses"),
        *_tested_with_tastes("odds_family"),
        ratio("odds_common", "odds_self, were it the same for all judges"),
        Field("odds_shrunken", "ratio", "odds_self shrunk to the mean of all judges' by their true spread"),
        Field(
            "bonus_outside",
            "points",
            "points of 100 above outside judges' on its own responses, less those on others'",
            interval=True,
            null=0.0,
        ),
        *_tested_with_tastes("bonus_outside"),
        Field(
            "vote_outside",
            "share",
            "its vote for its own response, less the mean vote of outside judges on the same pairs",
            interval=True,
            null=0.0,
        ),
        *_tested_with_tastes("vote_outside"),
        count("placebo_rank", "place of its own response among the generators that it likes; 1: the most"),
        count("placebo_of", "so many generators have a place"),
        Field("taste_spread", "number", "spread of judges' tastes for models that are not of their family"),
        Field("tastes_assumed", "flag", "the spread is that of the published study: fewer than 5 judges"),
        Field(
            "p_placebo", "number", "share of random assignments of judges to others that do as the true one"
        ),
    ),
)

OUTSIDE_ENTRIES = (OUTSIDE,)
