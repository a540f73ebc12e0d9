"""Agreement of sources, and measures held against each other (MEASURES section 14)."""

from engine.measures.catalogue.declare import JUDGE, Field, Measure, Option, count, key, share

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

ASSOCIATION = Measure(
    name="association",
    title="What goes together",
    question="Do better, larger or wordier judges prefer themselves more, and do the measures agree?",
    formula="Pearson's r and Spearman's rho over judges of two numbers told of each",
    paper="equal-quality-pairs, section 4",
    section="MEASURES 14",
    left_out="judges that lack one of the two numbers; numbers of fewer than three judges",
    module="engine.measures.association",
    keys=("x", "y"),
    headline="pearson",
    sliced=False,
    fields=(
        key("x", "a measure of self-preference"),
        key("y", "quality, D, accuracy, flip rate, size, response length (characters), or another measure"),
        Field("pearson", "number", "Pearson's r over judges"),
        Field("spearman", "number", "Spearman's rho over judges", interval=True),
        count("n", "judges with both"),
        Field("low", "number", "lower end of the interval of Pearson's r over resampled judges"),
        Field("high", "number", "its upper end"),
        Field("least_without_a_family", "number", "the least r when the judges of one family are left out"),
        Field("greatest_without_a_family", "number", "the greatest"),
    ),
)

TOGETHER = Measure(
    name="together",
    title="All measures together",
    question="What do the measures that this study allows say of each judge together?",
    formula="each measure's own; sign = sign of its value less the value that means no self-preference",
    paper="all five",
    section="MEASURES 14",
    left_out="measures that the study or the filters do not allow",
    module="engine.measures.together",
    keys=("judge", "measure"),
    headline="value",
    sliced=False,
    fields=(
        JUDGE,
        key("measure", "the measure, or its field where that is not the headline"),
        Field("value", "number", "the number"),
        Field("low", "number", "lower end of its interval"),
        Field("high", "number", "upper end"),
        Field(
            "sign",
            "number",
            "+1: for self-preference, -1: against, 0: neither; none where it tells of another thing",
        ),
        count("n", "cases behind it"),
        key("needs", "what a study must have for it"),
        Field("null", "number", "the value that means no self-preference"),
        Field("clear", "flag", "the interval leaves that value out"),
        Field("rank", "number", "the judge's rank by it, 1 the highest"),
        Field("agree", "share", "share of pairs of the judge's signs that agree"),
        key("field", "measure and field that it is read from"),
        key("sentence", "what the measures say of the judge together"),
    ),
)

ENTRIES = (REFERENCE_AGREEMENT, RANKING, ASSOCIATION, TOGETHER)
