"""Entries that bring measures together: conclusions on each judge, sources, rankings."""

from dataclasses import replace

from engine.measures.agreement_with_people import people_table
from engine.measures.entries.rubrics import ODDS_FAMILY, OUTSIDE
from engine.measures.entry import (
    BESIDE_OUTSIDE,
    DELETED,
    EPSILON,
    FAMILY,
    JUDGE,
    OF_JUDGE,
    QUALITY,
    SMALL,
    STUDENT,
    Field,
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
from engine.measures.expected import expected_table
from engine.measures.judge_summary import association_table, judge_costs_table, measure_summary_table
from engine.measures.outside_judges import prepare_outside
from engine.measures.people import annotators_table
from engine.measures.rankings import (
    prepare_ranking,
    ranking_distance_table,
    ranking_flips_table,
    ranking_table,
)
from engine.measures.reference_agreement import corrected_table, reference_agreement_table
from engine.measures.scorecard import scorecard_table
from engine.measures.scorecard_inputs import LOST_PAIRS
from engine.measures.transforms import transforms_table
from engine.schema import RESPONSE_SCORES

# ------------------------------------------------------------------------------
# The conclusion on each judge (MEASURES section 16).


SCORECARD = Measure(
    name="scorecard",
    title="Conclusion on each judge",
    question="Do the judges favour themselves, which of them stand out, and how certain is that?",
    formula=(
        "a judge's grades of its own answers against those of judges of other families: larger than chance, "
        "counting all judges tested, is overrating; also larger than differences in liking between any two "
        "models, and there on the same criteria, is favouring. By the first possible of odds_self on failed "
        "rubrics, hspp_matched, vote_outside, bonus_outside, odds_self on all cells; first row: the judges "
        "together, by family"
    ),
    paper="none; defined by this project",
    left_out="judges that judged none of their own responses and none of their family's",
    function=scorecard_table,
    headline="estimate",
    sliced=False,
    empty="no judge has judged its own responses in this slice",
    options=(
        Option(
            "decide",
            "name",
            "the deciding number (default: the first that the study allows); vote_outside_lost "
            "counts lost pairs only",
            choices=("odds_self", "hspp_matched", "vote_outside", LOST_PAIRS, "bonus_outside"),
        ),
        choice(
            "clusters",
            "what standard errors delete one at a time; theme needs rubric verdicts in 10 or more "
            "themes and allows for self-preference that differs between themes",
            "instance",
            "theme",
        ),
        Option(
            "material",
            "number",
            "bound of no material preference: odds or ratios from 1/B to B (default 1.25), for "
            "scores points from -B to B (default 2)",
            None,
        ),
    ),
    intervals={DELETED: ("ratio_outside",)},
    fields=(
        key("judge", "the judge; empty on the first row, of the judges together"),
        FAMILY,
        key(
            "conclusion",
            "favours_itself, overrates_itself, no_material_preference, not_shown, too_few_cases, "
            "underrates_itself or disfavours_itself; of the judges together judges_favour_themselves, "
            "judges_overrate_themselves, judges_underrate_themselves, judges_disfavour_themselves, not_shown "
            "or too_few_families",
        ),
        key("reason", "what is open, or why nothing is shown; empty where the conclusion is complete"),
        key("decided_by", "name of the deciding number, the same for all judges"),
        key("truth", "for rubric verdicts, which cells decide: failed or any"),
        number("estimate", "value of the deciding number"),
        number("low", "lower end of the interval by sampling alone, which agrees with p_adjusted"),
        number("high", "upper end of the interval by sampling alone, which agrees with p_adjusted"),
        number("low_plain", "lower end of the 95 % interval by sampling alone, not adjusted"),
        number("high_plain", "upper end of the 95 % interval by sampling alone, not adjusted"),
        number("low_tastes", "lower end of the interval with tastes, agreeing with p_tastes_adjusted"),
        number(
            "high_tastes",
            "upper end of the interval with tastes, agreeing with p_tastes_adjusted",
        ),
        number("p", "p-value of question 1, by sampling alone"),
        number("p_tastes", "p-value of question 2, allowing for judges' tastes"),
        number("p_adjusted", "p, adjusted over all judges and families"),
        number("p_tastes_adjusted", "p_tastes, adjusted over all judges and families"),
        number(
            "p_families",
            "of the judges together: share of assignments of families to other families' responses that "
            "reach the estimate",
        ),
        number("assignments", "of the judges together: assignments of families that were compared"),
        number("families", "of the judges together: families with a number"),
        portion("own_given", "share of its own cases that the judge passed or voted for, or its mean score"),
        portion("own_expected", "share expected of other judges as strict as it"),
        portion("own_expected_low", "lower end of own_expected"),
        portion("own_expected_high", "upper end of own_expected"),
        Field("excess", "difference", "own_given less own_expected"),
        Field("excess_low", "difference", "lower end of excess, as of the estimate's interval"),
        Field("excess_high", "difference", "upper end of excess, as of the estimate's interval"),
        Field("excess_low_plain", "difference", "lower end of excess at 95 %, not adjusted"),
        Field("excess_high_plain", "difference", "upper end of excess at 95 %, not adjusted"),
        Field("excess_low_tastes", "difference", "lower end of excess with judges' tastes"),
        Field("excess_high_tastes", "difference", "upper end of excess with judges' tastes"),
        number(
            "discerned",
            "the estimate without what the judge's discernment explains; question 1 must hold for it",
        ),
        ratio(
            "ratio_outside",
            "pass ratio to outside judges, own responses over others'; it decides nothing",
        ),
        Field("hspp_self", "ratio", "HSPP ratio as published"),
        Field("hspp_matched", "ratio", "HSPP ratio on rubrics that both responses failed"),
        key(
            "family_conclusion",
            "the conclusion on its family's other models: favours_family, overrates_family, "
            "no_material_preference, not_shown, too_few_cases, underrates_family or disfavours_family; "
            "of the judges together judges_favour_their_families and so on",
        ),
        key("family_reason", "what is open about its family, or why nothing is shown"),
        replace(ODDS_FAMILY, null=None),
        number("odds_family_p", "p-value of odds_family, by sampling alone"),
        number("odds_family_p_adjusted", "odds_family_p, adjusted together with the judges' own"),
        number("odds_family_p_tastes_adjusted", "the same, allowing for judges' tastes"),
        portion("family_given", "share of its family's other models' cases that it passed"),
        portion("family_expected", "share of these expected of other judges as strict as it"),
        portion("family_expected_low", "lower end of family_expected"),
        portion("family_expected_high", "upper end of family_expected"),
        Field("excess_family", "difference", "family_given less family_expected"),
        Field("excess_family_low", "difference", "lower end of excess_family"),
        Field("excess_family_high", "difference", "upper end of excess_family"),
        number("family_estimate", "of the judges together: the mean of odds_family over families"),
        number("family_low", "lower end of the 95 % interval of family_estimate"),
        number("family_high", "upper end of the 95 % interval of family_estimate"),
        number("family_p", "p-value of family_estimate by Student's t over families"),
        number("family_p_families", "as p_families, for families"),
        number(
            "families_with_relatives", "of the judges together: families with a number on their other models"
        ),
        count("agreeing", "other numbers of the study that point the same way"),
        count("disagreeing", "other numbers of the study that point the other way"),
        *BESIDE_OUTSIDE,
        count(
            "n_family", "cells (or pairs) of its family's other models judged by it and by an outside judge"
        ),
        portion(
            "family_in_reference",
            "share of the reference's members that are the judge itself or of its family",
        ),
        portion("missing_own", "share of its own responses' cells that were asked and have no verdict"),
        portion("missing_other", "share of other families' cells that were asked and have no verdict"),
        portion("absent_own", "share of its own responses' cells that only other judges have a row for"),
        portion("absent_other", "share of other families' cells that only other judges have a row for"),
        number("bound_low", "the estimate if all its missing own verdicts were unfavourable"),
        number("bound_high", "the estimate if all its missing own verdicts were favourable"),
        portion("tie_share", "share of its own pairs that the gold judges call ties"),
        number(
            "tipping",
            "how many own failures that it passed the reference must have wrong to overturn the conclusion",
        ),
        portion("tipping_share", "tipping as a share of the own failures that it passed"),
        number("placebo_rank", "rank of itself among the generators that it favours; 1 is the most favoured"),
        number("placebo_of", "generators ranked in placebo_rank"),
        number("detectable", "smallest effect that would be detected with power 0.8, by sampling alone"),
        number("needed", "own cases needed in all to answer question 1, if the estimate is right"),
        number("themes_for", "themes in which it passes its own responses more often than outside judges do"),
        number(
            "themes_against", "themes in which it passes its own responses less often than outside judges do"
        ),
        Field("cautions", "list", "codes of the caveats to give with the conclusion"),
    ),
)

EXPECTED = Measure(
    name="expected",
    title="Own cases given and expected",
    question="Of 100 own cases, how many did a judge pass, and how many would other judges as strict pass?",
    formula=(
        "own_given - own_expected; rubric verdicts: the rate at which a judge as strict would pass the own "
        "cells, by a model with a random effect for each cell and what outside judges say of it, so that the "
        "odds between the two are odds_self; pairs: vote_outside; scores: bonus_outside"
    ),
    paper="none; defined by this project",
    left_out="own cells that no outside judge judged; pairs and scores likewise",
    function=expected_table,
    prepare=prepare_outside,
    headline="excess",
    empty="no judge has judged its own responses in this slice; pairs count only if judged in both orders",
    options=OUTSIDE.options,
    paradigms=OUTSIDE.paradigms,
    intervals={DELETED: ("own_expected", "excess")},
    fields=(
        *OF_JUDGE,
        portion("own_given", "share of its own cases that the judge passed or voted for, or its mean score"),
        share("own_expected", "share expected of other judges as strict as it"),
        difference("excess", "own_given less own_expected; 0 means no self-preference"),
        count("n_own", "cells (or pairs) of its own responses judged by it and by an outside judge"),
    ),
)

CORRECTED = Measure(
    name="corrected",
    title="Corrected scores and ranks",
    question="Which generator is best once the judges' errors are corrected by instances with a reference?",
    formula=(
        "prediction_powered: mean judge score without a reference + mean of (reference - judge) with one; "
        "rogan_gladen: (share - overestimation) / (sensitivity - overestimation), own and others' apart"
    ),
    paper="none of the papers; Angelopoulos et al. 2023, Rogan and Gladen 1978",
    left_out="instances on which some generator has no score from a judge",
    function=corrected_table,
    keys=("model",),
    headline="score",
    paradigms=("single_rubric", "all_rubrics", "direct_assessment"),
    level="instance",
    options=(choice("method", "how scores are corrected", "prediction_powered", "rogan_gladen"),),
    intervals={STUDENT: ("score",)},
    fields=(
        key("model", "the generator"),
        share("score", "corrected score"),
        number("rank", "rank by the corrected score; 1 is the highest"),
        number("rank_low", "best rank in the joint 95 % confidence set"),
        number("rank_high", "worst rank in the joint 95 % confidence set"),
        portion("uncorrected", "mean of the judges' scores"),
        count("n_labelled", "instances with a reference for every generator"),
        count("n_unlabelled", "instances scored by judges only"),
        number("labels_to_halve", "additional references needed to halve the interval"),
    ),
)

CONCLUSION_ENTRIES = (SCORECARD, EXPECTED, CORRECTED)


# ------------------------------------------------------------------------------
# Agreement of sources, and measures compared with each other (MEASURES section 14).

REFERENCE_AGREEMENT = Measure(
    name="reference-agreement",
    title="Agreement of two sources",
    question="How well do two references, people, judges or runs agree?",
    formula="share equal, Cohen's kappa, balanced F1 = mean of the F1 of met and of not met, correlations",
    paper="rubric-self-preference, Table 3",
    left_out="items that only one of the two covers",
    function=reference_agreement_table,
    keys=("a", "b", "kind"),
    headline="agreement",
    sliced=False,
    options=(
        Option("a", "name", "one source: a reference, a preference source, judge:<name> or run:<id>"),
        Option("b", "name", "the other source, written in the same way"),
    ),
    fields=(
        key("a", "one source"),
        key("b", "the other source"),
        key("kind", "verdict, outcome or score"),
        count("n", "items that both cover"),
        share("agreement", "share of items on which both are equal"),
        estimate("kappa", "Cohen's kappa"),
        share("balanced_f1", "mean of the F1 of met and of not met"),
        portion("win_rate_a", "share won by the first response, according to a"),
        portion("win_rate_b", "share won by the first response, according to b"),
        estimate("spearman", "Spearman's rank correlation of the scores"),
        estimate("pearson", "Pearson's correlation of the scores"),
        number("mean_difference", "mean of |difference| between the scores"),
        number("median_difference", "median of |difference| between the scores"),
        number("sd_difference", "standard deviation of |difference| between the scores"),
        Field("within", "list", "cumulative shares of |difference| up to 0, 0.25, 0.5, 1, 1.5, 2 and all"),
    ),
)

PEOPLE = Measure(
    name="people",
    title="Agreement with people",
    question="How far does each judge agree with people, and may it stand in for one of them?",
    formula=(
        "kappa with the people's majority, Pearson's correlation with their mean; winning_rate = share of "
        "people whom the judge represents the others no worse than, but for epsilon (Benjamini-Yekutieli at "
        ".05)"
    ),
    paper="none of the papers; Calderon et al. 2025, the alternative annotator test",
    left_out="items that no person, or not the judge, has judged",
    function=people_table,
    keys=("judge", "kind"),
    headline="kappa",
    sliced=False,
    options=(
        Option(
            "epsilon",
            "number",
            "how much more often than the judge a person may win before it may not be replaced",
            0.15,
        ),
    ),
    fields=(
        *OF_JUDGE,
        key("kind", "verdict, outcome (of pairs) or score"),
        estimate("kappa", "Cohen's kappa with the people's majority (verdicts and outcomes)"),
        estimate("correlation", "Pearson's correlation with the people's mean (scores)"),
        share("balanced_f1", "mean F1 of met and of not met, every item and person counted (verdicts)"),
        estimate(
            "ceiling",
            "the people's own agreement, each with the others: mean kappa, or correlation of scores",
        ),
        share("winning_rate", "share of people whom the judge may stand in for; .5 or more passes the test"),
        share(
            "advantage_probability",
            "mean probability that the judge represents the other people no worse than a person does",
        ),
        Field("may_stand_in", "flag", "winning_rate is .5 or more"),
        count("n_people", "people tested: those with 30 instances or more"),
        count("n", "items that the judge and people both judged"),
        Field("small", "flag", "fewer than 30 items"),
    ),
    empty="no judge has judged an item that people judged too",
)

RANKING = Measure(
    name="ranking",
    title="Ranking of the generators",
    question="How do the judges, all judges together and the reference rank the generators?",
    formula="rank by mean score over the instances on which a source scores every generator",
    paper="rubric-self-preference, section 2.4",
    left_out="instances on which a source does not score every response (incomplete)",
    function=ranking_table,
    has_chart=True,
    prepare=prepare_ranking,
    keys=("by", "model"),
    headline="score",
    level="instance",
    paradigms=RESPONSE_SCORES,
    fields=(
        key(
            "by",
            "whose ranking: a judge, all (the mean over judges), all-without-self, "
            "all-without-family (of the model), committee:<name> or reference",
        ),
        key("model", "the generator"),
        estimate("rank", "1 is the highest; equal scores share their mean rank"),
        share("score", "mean score of the model's responses"),
        count("n", "complete instances; for all judges together, the most of any judge"),
    ),
)

_BY = key("by", "whose ranking: a judge, all, all-without-self, all-without-family or committee:<name>")

RANKING_DISTANCE = Measure(
    name="ranking-distance",
    title="Distance from the reference's ranking",
    question="Whose ranking is closest to the reference's, and how many pairs of models does it reverse?",
    formula="Kendall's tau-b, mean |rank - reference's rank|, number of reversed pairs",
    paper="rubric-self-preference, section 2.4",
    left_out="models that either ranking has no score for; what `ranking` leaves out",
    function=ranking_distance_table,
    has_chart=True,
    prepare=prepare_ranking,
    keys=("by",),
    headline="tau",
    level="instance",
    paradigms=RESPONSE_SCORES,
    fields=(
        _BY,
        estimate("tau", "Kendall's tau-b with the reference's ranking"),
        estimate("shift", "mean distance between a model's two ranks, in places"),
        estimate("flips", "pairs of models that are ranked in the opposite order"),
        count("n_models", "models in both rankings"),
        estimate("gain", "tau minus the tau of all judges together, from the same resamples"),
        Field("nearest", "flag", "no other ranking has a higher tau"),
    ),
    empty="the reference ranks no models in this slice",
)

RANKING_FLIPS = Measure(
    name="ranking-flips",
    title="Reversed places",
    question="Which pairs of models does a ranking put in the opposite order to the reference?",
    formula="lead = score above - score below: > 0 by the ranking, < 0 by the reference",
    paper="rubric-self-preference, section 2.4",
    left_out="models that either ranking has no score for; what `ranking` leaves out",
    function=ranking_flips_table,
    prepare=prepare_ranking,
    keys=("by", "above", "below"),
    headline="lead",
    level="instance",
    paradigms=RESPONSE_SCORES,
    fields=(
        _BY,
        key("above", "the model that this ranking puts higher"),
        key("below", "the model that the reference puts higher"),
        difference("lead", "score of the model above minus score of the model below", tested=False),
        difference("lead_reference", "the same difference by the reference; below 0", tested=False),
        portion("sure", "share of resamples in which the pair is reversed too"),
        number("p_flip", "p-value of the reversal: the larger of the two orders' p-values"),
        number("p_flip_adjusted", "p_flip adjusted by Holm's method over all pairs and rankings compared"),
        Field("itself", "flag", "the judge puts itself higher"),
    ),
    empty="no ranking reverses a pair of models",
)

JUDGE_COSTS = Measure(
    name="judge-costs",
    title="What judging cost",
    question="How many calls, tokens and dollars did each judge use?",
    formula="sums over the judge's calls; rows that share a call_id, or else a prompt, count as one call",
    paper="none; defined by this project",
    left_out="calls for responses; retries",
    function=judge_costs_table,
    keys=("judge", "paradigm", "variant"),
    headline="calls",
    sliced=False,
    fields=(
        key("judge", "the judge; empty on the row of totals"),
        key("paradigm", "the paradigm"),
        key("variant", "the prompt template"),
        count("calls", "answered calls"),
        count("judgments", "rows that the calls gave"),
        count("verdicts", "rows with a verdict"),
        Field("prompt_tokens", "count", "tokens sent, where recorded"),
        Field("completion_tokens", "count", "tokens received, where recorded"),
        number("cost_usd", "US dollars, for calls with a recorded cost"),
        count("costed", "calls with a recorded cost"),
    ),
)

ASSOCIATION = Measure(
    name="association",
    title="Associations",
    question="Do better, larger or wordier judges prefer themselves more, and do the measures agree?",
    formula="Pearson's r and Spearman's rho of two numbers over judges",
    paper="equal-quality-pairs, section 4",
    left_out="judges without one of the two numbers; numbers that fewer than three judges have",
    function=association_table,
    keys=("x", "y"),
    headline="pearson",
    sliced=False,
    fields=(
        key("x", "a measure of self-preference"),
        key("y", "quality, D, accuracy, flip rate, size, response length (characters) or another measure"),
        number("pearson", "Pearson's r over judges"),
        estimate("spearman", "Spearman's rho over judges"),
        count("n", "judges with both numbers"),
        number("low", "lower end of the interval of Pearson's r, from resampled judges"),
        number("high", "upper end of the interval of Pearson's r, from resampled judges"),
        number("least_without_a_family", "lowest r when the judges of any one family are left out"),
        number("greatest_without_a_family", "highest r when the judges of any one family are left out"),
    ),
)

TOGETHER = Measure(
    name="together",
    title="All measures together",
    question="What do all the measures that this study allows say about each judge?",
    formula="each measure's own; sign = sign of (value - value that means no self-preference)",
    paper="all five papers",
    left_out="measures that the study or the filters do not allow",
    function=measure_summary_table,
    has_chart=True,
    keys=("judge", "measure"),
    headline="value",
    sliced=False,
    fields=(
        JUDGE,
        key("measure", "the measure; its field, where that is not the headline number"),
        number("value", "value of the measure"),
        number("low", "lower end of its interval"),
        number("high", "upper end of its interval"),
        number(
            "sign",
            "+1 for self-preference, -1 against, 0 neither; empty where the measure does not speak "
            "of self-preference",
        ),
        count("n", "number of cases behind the value"),
        key("needs", "what a study must have for this measure"),
        number("null", "value that means no self-preference"),
        Field("clear", "flag", "the interval excludes the value that means no self-preference"),
        number("rank", "the judge's rank by this measure; 1 is the highest"),
        portion("agree", "share of pairs of the judge's signs that agree"),
        key("field", "measure and field that the value comes from"),
        key("sentence", "what the measures say about the judge together"),
    ),
)

TRANSFORMS = Measure(
    name="transforms",
    title="Rewritten responses",
    question="Does self-preference fall when responses are rewritten in another style or obfuscated?",
    formula="effect = bias with the transform - bias without it, on responses judged in both forms",
    paper="dbg-score, section 4.2",
    left_out="responses that a judge judged in only one of the two forms (not_common)",
    function=transforms_table,
    keys=("measure", "judge", "transform"),
    headline="effect",
    sliced=False,
    fields=(
        key("measure", "the measure; its field, where that is not the headline number"),
        JUDGE,
        key("transform", "how the responses were rewritten"),
        estimate("without", "bias on the responses as written"),
        estimate("under", "bias on the rewritten responses"),
        difference("effect", "bias when rewritten minus bias as written, from the same resamples", "number"),
        ratio("ratio", "for ratios: bias when rewritten / bias as written", tested=False),
        count("n", "cases behind the bias on the rewritten responses"),
        count("n_instances", "instances on which both forms were judged"),
        SMALL,
        key("field", "measure and field that the value comes from"),
    ),
)

ANNOTATORS = Measure(
    name="annotators",
    title="Human annotators",
    question="Do people agree with each other, and does the automatic label of equality agree with people?",
    formula="Fleiss' kappa, Krippendorff's alpha; consistency = share of pairs labelled automatically as "
    "most people do",
    paper="equal-quality-pairs, section 3.2",
    left_out="items that a person skipped or could not decide; pairs on which people are evenly split",
    function=annotators_table,
    keys=("task", "epsilon"),
    headline="kappa",
    sliced=False,
    groups=("annotator", "pair", "quality_difference"),
    options=(
        Option("tasks", "names", "use only these tasks", ()),
        *QUALITY,
        EPSILON,
        Option("epsilons", "names", "also give a row for each of these epsilons", ()),
    ),
    fields=(
        key("task", "the task"),
        key("kind", "what people were asked: equal_pair, preference, clusters, rubric_verdict or score"),
        estimate("kappa", "Fleiss' kappa; for clusters, over pairs in the same cluster or not"),
        estimate("pairwise_kappa", "mean Cohen's kappa over pairs of people"),
        estimate("alpha", "Krippendorff's alpha"),
        key("level", "how alpha weighs differences between labels: nominal, ordinal or interval"),
        count("n_items", "items with a label; for clusters, pairs of responses"),
        count("n_annotators", "people who gave a label"),
        count("n_labels", "labels without hidden repeats"),
        portion("self_agreement", "share of hidden repeats labelled as the first time"),
        count("n_repeats", "hidden repeats labelled"),
        Field("n_equal", "count", "items that most people call equal or a tie"),
        share("consistency", "share of pairs on which the automatic label equals most people's"),
        number("epsilon", "largest quality difference that is automatically called equal"),
        count("n_compared", "pairs with an automatic and a human label"),
        count("both_equal", "pairs that both call equal"),
        count("automatic_only", "pairs that only the automatic label calls equal"),
        count("people_only", "pairs that only people call equal"),
        count("both_unequal", "pairs that neither calls equal"),
        SMALL,
    ),
)

SUMMARY_ENTRIES = (
    *(REFERENCE_AGREEMENT, PEOPLE, RANKING, RANKING_DISTANCE, RANKING_FLIPS, ASSOCIATION, TOGETHER),
    *(TRANSFORMS, JUDGE_COSTS, ANNOTATORS),
)
