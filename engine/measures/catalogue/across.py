"""Agreement of sources, and measures held against each other (MEASURES section 14)."""

from engine.measures.catalogue.declare import Field, Measure, Option, count, key, share

REFERENCE_AGREEMENT = Measure(
    name="reference-agreement",
    title="Agreement of two sources",
    question="How far do two references, people, judges or runs agree?",
    formula="share equal, Cohen's kappa, balanced F1 = mean of the F1 of met and of not met, correlations",
    paper="rubric-self-preference, Table 3",
    section="MEASURES 14",
    left_out="items that only one of the two has",
    module="engine.measures.reference_agreement",
    keys=("a", "b", "kind"),
    headline="agreement",
    sliced=False,
    options=(
        Option("a", "name", "one source: a reference, a preference source, judge:<name> or run:<id>"),
        Option("b", "name", "the other source"),
    ),
    fields=(
        key("a", "one source"),
        key("b", "the other"),
        key("kind", "verdict, outcome or score"),
        count("n", "items that both have"),
        share("agreement", "share of items on which they are equal"),
        Field("kappa", "number", "Cohen's kappa", interval=True),
        Field("balanced_f1", "share", "mean of the F1 of met and of not met", interval=True),
        Field("win_rate_a", "share", "share won by the first response, by a"),
        Field("win_rate_b", "share", "share won by the first response, by b"),
        Field("spearman", "number", "rank correlation of scores", interval=True),
        Field("pearson", "number", "correlation of scores", interval=True),
        Field("mean_difference", "number", "mean of |difference| of scores"),
        Field("median_difference", "number", "median of |difference| of scores"),
        Field("sd_difference", "number", "standard deviation of |difference| of scores"),
        Field("within", "list", "cumulative shares of |difference| up to 0, .25, .5, 1, 1.5, 2, and all"),
    ),
)

RANKING = Measure(
    name="ranking",
    title="Ranking of the generators",
    question="In which order do the judges, all of them together, and the reference put the generators?",
    formula="rank of the mean score over the instances in which a source has a score for every generator",
    paper="rubric-self-preference, section 2.4",
    section="MEASURES 3",
    left_out="instances in which a source lacks the score of a response (incomplete)",
    module="engine.measures.ranking",
    keys=("by", "model"),
    headline="score",
    level="instance",
    paradigms=("single_rubric", "all_rubrics", "direct_assessment"),
    fields=(
        key(
            "by",
            "a judge, all (the mean over judges), all-without-self, all-without-family (of the model), "
            "committee:<name>, or reference",
        ),
        key("model", "the generator"),
        Field("rank", "number", "1 the highest; equal scores share the mean of their ranks", interval=True),
        share("score", "mean score of its responses"),
        count("n", "complete instances; of all judges together, the most that one of them has"),
    ),
)

ENTRIES = (REFERENCE_AGREEMENT, RANKING)
