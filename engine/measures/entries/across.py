"""Entries that bring sources, rankings and other measures together."""

from engine.measures.across import association_table, judge_costs_table, measure_summary_table
from engine.measures.entry import (
    EPSILON,
    JUDGE,
    QUALITY,
    SMALL,
    Field,
    Measure,
    Option,
    count,
    difference,
    key,
    number,
    share,
)
from engine.measures.people import annotators_table
from engine.measures.rankings import (
    prepare_ranking,
    ranking_distance_table,
    ranking_flips_table,
    ranking_table,
)
from engine.measures.reference_agreement import reference_agreement_table
from engine.measures.transforms import transforms_table
from engine.schema import SCORED

# ------------------------------------------------------------------------------
# Agreement of sources, and measures held against each other (MEASURES section 14).

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
        number("kappa", "Cohen's kappa", interval=True),
        share("balanced_f1", "mean of the F1 of met and of not met"),
        share("win_rate_a", "share won by the first response, according to a", interval=False),
        share("win_rate_b", "share won by the first response, according to b", interval=False),
        number("spearman", "Spearman's rank correlation of the scores", interval=True),
        number("pearson", "Pearson's correlation of the scores", interval=True),
        number("mean_difference", "mean of |difference| between the scores"),
        number("median_difference", "median of |difference| between the scores"),
        number("sd_difference", "standard deviation of |difference| between the scores"),
        Field("within", "list", "cumulative shares of |difference| up to 0, 0.25, 0.5, 1, 1.5, 2 and all"),
    ),
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
    paradigms=SCORED,
    fields=(
        key(
            "by",
            "whose ranking: a judge, all (the mean over judges), all-without-self, "
            "all-without-family (of the model), committee:<name> or reference",
        ),
        key("model", "the generator"),
        number("rank", "1 is the highest; equal scores share their mean rank", interval=True),
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
    paradigms=SCORED,
    fields=(
        _BY,
        number("tau", "Kendall's tau-b with the reference's ranking", interval=True),
        number("shift", "mean distance between a model's two ranks, in places", interval=True),
        number("flips", "pairs of models that are ranked in the opposite order", interval=True),
        count("n_models", "models in both rankings"),
        number("gain", "tau minus the tau of all judges together, from the same resamples", interval=True),
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
    paradigms=SCORED,
    fields=(
        _BY,
        key("above", "the model that this ranking puts higher"),
        key("below", "the model that the reference puts higher"),
        share("lead", "score of the model above minus score of the model below"),
        share("lead_reference", "the same difference by the reference; below 0"),
        share("sure", "share of resamples in which the pair is reversed too", interval=False),
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
    paper="none; what is recorded of the calls",
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
        number("spearman", "Spearman's rho over judges", interval=True),
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
        share("agree", "share of pairs of the judge's signs that agree", interval=False),
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
        number("without", "bias on the responses as written", interval=True),
        number("under", "bias on the rewritten responses", interval=True),
        difference("effect", "bias when rewritten minus bias as written, from the same resamples", "number"),
        Field("ratio", "ratio", "for ratios: bias when rewritten / bias as written", interval=True),
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
        number("kappa", "Fleiss' kappa; for clusters, over pairs in the same cluster or not", interval=True),
        number("pairwise_kappa", "mean Cohen's kappa over pairs of people", interval=True),
        number("alpha", "Krippendorff's alpha", interval=True),
        key("level", "how alpha weighs differences between labels: nominal, ordinal or interval"),
        count("n_items", "items with a label; for clusters, pairs of responses"),
        count("n_annotators", "people who gave a label"),
        count("n_labels", "labels without hidden repeats"),
        share("self_agreement", "share of hidden repeats labelled as the first time", interval=False),
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

ACROSS_ENTRIES = (
    REFERENCE_AGREEMENT,
    RANKING,
    RANKING_DISTANCE,
    RANKING_FLIPS,
    ASSOCIATION,
    TOGETHER,
    TRANSFORMS,
    JUDGE_COSTS,
    ANNOTATORS,
)
