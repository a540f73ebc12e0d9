"""Entries on rubric verdicts and whole scores, and on judges compared with outside judges."""

from engine.measures.committees import committee_families_table, committee_size_table, committee_table
from engine.measures.entry import (
    BESIDE_OUTSIDE,
    DELETED,
    EPSILON,
    FAMILY,
    JUDGE,
    OF_FEW_CASES,
    OF_JUDGE,
    QUALITY,
    SMALL,
    Field,
    FieldKind,
    Measure,
    Option,
    choice,
    count,
    difference,
    estimate,
    key,
    number,
    portion,
    ratio,
    share,
)
from engine.measures.outside_judges import outside_table, prepare_outside
from engine.measures.self_preference import (
    accuracy_table,
    agreement_curve_table,
    delta_table,
    hspp_table,
    overestimation_table,
)
from engine.schema import COMPARABLE, OPTION_PARADIGMS, RESPONSE_SCORES, RUBRIC_PARADIGMS

# ------------------------------------------------------------------------------
# Self-preference in rubric verdicts and whole scores (MEASURES sections 2 and 5 to 8).


_COMMITTEE = (
    Option("members", "names", "the committee's judges (default: the first committee in study.json)"),
    Option(
        "combine",
        "name",
        "how judgments are combined: verdicts and pairs by majority, scores by mean or median",
        choices=("majority", "mean", "median"),
    ),
)


def _over_committees(name: str, kind: FieldKind, meaning: str) -> tuple[Field, ...]:
    """Return the fields of a number over committees: its mean and its extremes."""
    return (
        Field(name, kind, f"mean {meaning} over committees", interval=True),
        Field(f"{name}_least", kind, "smallest value of any committee"),
        Field(f"{name}_most", kind, "largest value of any committee"),
    )


def _with_whole(name: str, whom: str, judges: str = "the remaining members") -> tuple[Field, ...]:
    """Return the fields of a ratio for `whom`, without a family and from the full committee."""
    mean = f"mean ratio for {whom}, judged by"
    full = ratio(f"{name}_whole", f"{mean} the full committee", tested=False)
    return ratio(name, f"{mean} {judges}", tested=False), full


_LOST = "at instance level, comparisons they lost"

HSPP = Measure(
    name="hspp",
    title="Harmful self-preference ratio",
    question="How many times as likely is a judge to pass its own failed rubrics as those of other families?",
    formula="O(J, J) / mean of O(J, G) over generators G outside J's family",
    paper="rubric-self-preference, equations 1 and 2",
    left_out="generators without a failed rubric have no rate and do not enter the means",
    function=hspp_table,
    has_chart=True,
    headline="hspp_self",
    compared_as="ratio",
    intervals={
        DELETED: ("hspp_matched", "hspp_mantel_haenszel"),
        OF_FEW_CASES: (
            *("o_self", "o_family", "o_other", "hspp_self", "hspp_family", "hspp_family_with_self"),
            "difference_self",
        ),
    },
    fields=(
        JUDGE,
        FAMILY,
        share("o_self", "how often the judge passes rubrics that its own responses failed"),
        share(
            "o_family", "how often it passes rubrics failed by its family's other models, averaged over them"
        ),
        share(
            "o_other", "how often it passes rubrics failed by models of other families, averaged over them"
        ),
        ratio("hspp_self", "o_self / o_other; 1 means no self-preference"),
        ratio("hspp_family", "o_family / o_other; 1 means no preference for its family"),
        ratio("hspp_family_with_self", "the family ratio with the judge counted in its own family"),
        ratio(
            "hspp_matched",
            "the ratio over rubrics that both the judge's own response and the other response failed",
        ),
        ratio(
            "hspp_mantel_haenszel",
            "the matched ratio with each rubric weighted by its information (Mantel-Haenszel)",
        ),
        difference("difference_self", "o_self - o_other"),
        count("n_self", f"rubrics failed by its own responses; {_LOST}"),
        count("n_family", f"rubrics failed by its family's responses; {_LOST}"),
        count("n_other", f"rubrics failed by other families' responses; {_LOST}"),
        count("n_matched", "rubrics that both responses failed, over all generators outside its family"),
        portion("l2w_share_self", "of its own losses that it overestimated, the share turned into wins"),
        portion("l2w_share_other", "of others' losses that it overestimated, the share turned into wins"),
        SMALL,
        count("judges", "on the row of means: judges whose ratio is defined"),
    ),
)

OVERESTIMATION = Measure(
    name="overestimation",
    title="Overestimation",
    question="How often does a judge pass what a generator failed, or fail what it passed?",
    formula="O(J, G) = favourable verdicts on unfavourable references / unfavourable references",
    paper="rubric-self-preference, equations 3 and 4",
    left_out="verdicts without a reference; cells without a failed rubric have no rate",
    function=overestimation_table,
    has_chart=True,
    keys=("judge", "generator"),
    headline="rate",
    intervals={OF_FEW_CASES: ("rate", "under_rate")},
    fields=(
        JUDGE,
        key("generator", "the model that wrote the responses"),
        key("relation", "self (the judge itself), family, or other"),
        share("rate", "overestimations / rubrics that the reference fails"),
        count("over", "overestimations"),
        count("n", "rubrics that the reference fails; at instance level, comparisons lost"),
        share("under_rate", "underestimations / rubrics that the reference passes"),
        count("under", "underestimations"),
        count("under_n", "rubrics that the reference passes; at instance level, comparisons won"),
        SMALL,
    ),
)

ACCURACY = Measure(
    name="accuracy",
    title="Accuracy",
    question="How often does a judge agree with the reference, on rubrics and on comparisons?",
    formula="MRA: verdicts equal to the reference / verdicts; MIPA: the same for outcomes of comparisons",
    paper="rubric-self-preference, equations 5 and 6",
    left_out="verdicts without a reference; comparisons where a response has no score",
    function=accuracy_table,
    has_chart=True,
    headline="mra",
    fields=(
        JUDGE,
        FAMILY,
        share("mra", "share of rubric verdicts that equal the reference"),
        count("mra_correct", "rubric verdicts that equal the reference"),
        count("mra_total", "rubric verdicts with a reference"),
        share(
            "mipa", "share of pairs of responses that the judge orders as the reference does, ties included"
        ),
        count("mipa_correct", "pairs that the judge orders as the reference does"),
        count("mipa_total", "pairs with an outcome from both judge and reference"),
    ),
)

DELTA = Measure(
    name="delta",
    title="Centered score delta",
    question="By how many points does a judge raise its own score, beyond its general leniency?",
    formula="delta(J, G) = 100 (raw(J, G) - mean over G of raw(J, G)), raw = Score_J(G) - Score*(G)",
    paper="rubric-self-preference, Figure 5",
    left_out="responses without a score from judge or reference",
    function=delta_table,
    has_chart=True,
    keys=("judge", "generator"),
    headline="delta",
    level="instance",
    paradigms=RESPONSE_SCORES,
    fields=(
        JUDGE,
        key("generator", "the model that is scored"),
        Field(
            "delta",
            "points",
            "the judge's score minus the reference's, centered over generators, in points of 100",
            interval=True,
        ),
        difference("raw_delta", "the judge's score minus the reference's, not centered", tested=False),
        count("n", "instances scored by both judge and reference"),
        difference(
            "bonus", "the judge's own delta minus its mean delta for models of other families", "points"
        ),
        difference(
            "family_bonus",
            "its family's mean delta minus its mean delta for models of other families",
            "points",
        ),
        difference("leniency", "mean of raw_delta over all generators", tested=False),
        estimate(
            "rank_shift",
            "the judge's own rank by its scores minus its rank by the reference; below 0 it moves up",
        ),
        share(
            "pair_order", "share of pairs of generators that the judge's scores order as the reference's do"
        ),
    ),
)

AGREEMENT_CURVE = Measure(
    name="agreement-curve",
    title="Agreement curve",
    question="Does self-preference vanish on rubrics that judges agree on?",
    formula="mean HSPP ratio over judges, on rubrics with agreement of at least t",
    paper="rubric-self-preference, Figure 4",
    left_out="rubrics judged by fewer than two judges, which have no agreement",
    function=agreement_curve_table,
    has_chart=True,
    keys=("threshold", "level"),
    headline="hspp_self_mean",
    compared_as="ratio",
    paradigms=RUBRIC_PARADIGMS,
    fields=(
        portion("threshold", "lowest agreement included"),
        key("level", "rubric or instance"),
        ratio("hspp_self_mean", "mean HSPP ratio over judges", tested=False),
        count("judges", "judges whose ratio is defined"),
        portion("rubrics_kept", "share of rubrics included"),
    ),
)

COMMITTEE = Measure(
    name="committee",
    title="Committee",
    question="Does a committee's majority favour a member's responses less than the member does?",
    formula="HSPP ratio and accuracy of each member, and of the committee's majority in its place",
    paper="rubric-self-preference, Figure 3",
    left_out="rubrics (or pairs) on which the committee is split or fewer than three members gave a verdict",
    function=committee_table,
    has_chart=True,
    keys=("judge", "level"),
    headline="hspp_self_committee",
    compared_as="ratio",
    options=_COMMITTEE,
    fields=(
        JUDGE,
        key("level", "rubric or instance"),
        Field("members", "list", "the committee's members"),
        ratio("hspp_self", "the member's ratio for its own responses"),
        ratio("hspp_self_committee", "the committee's ratio for that member's responses"),
        ratio("hspp_family", "the member's ratio for its family's responses"),
        ratio("hspp_family_committee", "the committee's ratio for the member's family"),
        share("mra", "the member's rubric accuracy"),
        share("mra_committee", "the committee's rubric accuracy"),
        share("mipa", "the member's pair accuracy"),
        share("mipa_committee", "the committee's pair accuracy"),
        ratio("ratio_outside", "the member's ratio against outside judges, one by one"),
        ratio(
            "ratio_outside_committee", "the same ratio with the committee's verdicts in place of the member's"
        ),
        number(
            "n_effective",
            "how many independent judges the committee is worth: n / (1 + (n - 1) r), r the mean correlation "
            "of two members' errors; an error at instance level, of pairs and scores too, is a comparison of "
            "two responses that is not the reference's (of pairs without one: the gold votes')",
        ),
        number("n_effective_without", "the same without this member"),
        count("n_self", f"rubrics failed by the member's own responses; {_LOST}"),
        count("n_self_committee", "those of n_self on which the committee is not split"),
        SMALL,
    ),
)

COMMITTEE_SIZE = Measure(
    name="committee-size",
    title="Committees by size",
    question="How many judges does a committee need before it stops favouring its members' responses?",
    formula="mean over all committees of k judges of their HSPP ratio and accuracy for their members",
    paper="rubric-self-preference, Figure 3, by size",
    left_out="rubrics (or pairs) that split a committee, or that fewer than three members judged (two, where "
    "both must)",
    function=committee_size_table,
    has_chart=True,
    keys=("size", "level"),
    headline="hspp_self",
    compared_as="ratio",
    options=(
        *_COMMITTEE,
        Option("sizes", "names", "committee sizes (default: from one judge to all of them)", ()),
        Option(
            "most_committees",
            "integer",
            "most committees per size; where there are more, this many are drawn at random",
            5000,
        ),
    ),
    fields=(
        count("size", "judges in a committee; 1 means each judge alone"),
        key("level", "rubric or instance"),
        Field("members", "list", "the judges that committees are drawn from"),
        count("committees", "committees counted; all of them, up to most_committees"),
        *_over_committees("hspp_self", "ratio", "HSPP ratio for its members"),
        *_over_committees("hspp_family", "ratio", "HSPP ratio for its members' families"),
        *_over_committees("mra", "share", "rubric accuracy"),
        *_over_committees("mipa", "share", "pair accuracy"),
        portion("divided", "mean share of judged rubrics (or pairs) on which a committee is split"),
        count("n_self", "fewest own failures behind any member's ratio"),
        SMALL,
    ),
)

COMMITTEE_FAMILIES = Measure(
    name="committee-families",
    title="Committees without a family",
    question="Does a committee's preference come from the members of one family?",
    formula="mean HSPP ratio and accuracy for the other members, from the full committee and without one "
    "family",
    paper="rubric-self-preference, Figure 3, leaving a family out",
    left_out="rubrics (or pairs) on which the committee is split or fewer than three members gave a verdict",
    function=committee_families_table,
    has_chart=True,
    keys=("without", "level"),
    headline="hspp_self",
    compared_as="ratio",
    options=_COMMITTEE,
    fields=(
        key("without", "the family that is left out"),
        key("level", "rubric or instance"),
        Field("members", "list", "the remaining members"),
        *_with_whole("hspp_self", "the remaining members", "them together"),
        *_with_whole("hspp_family", "the remaining members' families"),
        *_with_whole("hspp_self_outside", "the members left out"),
        share("mra", "rubric accuracy of the remaining members together"),
        share("mra_whole", "rubric accuracy of the full committee"),
        share("mipa", "pair accuracy of the remaining members together"),
        share("mipa_whole", "pair accuracy of the full committee"),
        count("n_self", "fewest own failures behind the ratio of any remaining member"),
        count("n_self_outside", "fewest own failures behind the ratio of any member left out"),
        SMALL,
    ),
)

RUBRIC_ENTRIES = (
    *(HSPP, OVERESTIMATION, ACCURACY, DELTA, AGREEMENT_CURVE),
    *(COMMITTEE, COMMITTEE_SIZE, COMMITTEE_FAMILIES),
)


# ------------------------------------------------------------------------------
# A judge compared with judges outside its family (MEASURES section 15).


_TASTES = "allowing for the spread of judges' tastes"


def _tested_with_tastes(name: str) -> tuple[Field, ...]:
    return (
        number(f"{name}_p_tastes", f"p-value of {name}, {_TASTES}"),
        number(f"{name}_p_tastes_adjusted", f"p-value of {name} with tastes, adjusted over judges"),
    )


_BESIDE = "relative to outside judges on the same cells"
ODDS_FAMILY = ratio("odds_family", f"odds that it passes its family's responses, {_BESIDE}")

OUTSIDE = Measure(
    name="outside",
    title="Comparison with outside judges",
    question="Does a judge pass its own responses more often than outside judges pass the same responses?",
    formula=(
        "(own share passed by J / by outside judges) / (others' share passed by J / by outside judges); "
        "odds: conditional logistic regression with a stratum for each cell"
    ),
    paper="none; defined by this project",
    left_out="cells without a verdict from the judge or from any outside judge; pairs and scores likewise",
    function=outside_table,
    prepare=prepare_outside,
    paradigms=(*COMPARABLE, *OPTION_PARADIGMS),
    headline="ratio_outside",
    compared_as="ratio",
    keys=("judge", "family"),
    empty=(
        "no judge has judged its own or its family's responses in this slice; pairs count only if judged in "
        "both orders"
    ),
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
    intervals={
        DELETED: (
            *("ratio_outside", "difference_outside", "ratio_outside_family"),
            *("odds_self", "odds_family", "odds_common", "bonus_outside", "vote_outside"),
            *("bonus_outside_family", "vote_outside_family"),
        )
    },
    fields=(
        *OF_JUDGE,
        ratio(
            "ratio_outside",
            "(own_judge / own_outside) / (other_judge / other_outside); 1 means no self-preference",
        ),
        difference(
            "difference_outside",
            "(own_judge - own_outside) - (other_judge - other_outside); 0 means no self-preference",
        ),
        ratio("ratio_outside_family", "ratio_outside for its family's responses in place of its own"),
        portion("own_judge", "share of its own responses' cells that the judge passes"),
        portion("own_outside", "share of its own responses' cells that outside judges pass"),
        portion("other_judge", "share of other families' cells that the judge passes"),
        portion("other_outside", "share of other families' cells that outside judges pass"),
        *BESIDE_OUTSIDE,
        ratio("odds_self", f"odds that it passes its own responses, {_BESIDE}"),
        *_tested_with_tastes("odds_self"),
        ODDS_FAMILY,
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
        difference(
            "bonus_outside_family",
            "points of 100 that it gives its family's other models above outside judges', minus those it "
            "gives others'",
            "points",
        ),
        difference(
            "vote_outside_family",
            "its vote for its family's other models minus the mean vote of outside judges on the same pairs",
        ),
        count(
            "n_family", "cells (or pairs) of its family's other models judged by it and by an outside judge"
        ),
        Field(
            "effect_family",
            "points",
            "of a family, on its row: points of 100 that its judges add to their family's responses",
        ),
        number("low", "lower end of the 95 % interval of effect_family, clustered by judge and by instance"),
        number("high", "upper end of the 95 % interval of effect_family"),
        number("p", "p-value of no effect_family"),
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
