"""What is concluded on each judge (MEASURES section 16)."""

from engine.measures.corrected import corrected_table, prepare_corrected
from engine.measures.entry import FAMILY, ONE_JUDGE, Field, Measure, Option, count, key, ratio, share
from engine.measures.scorecard import scorecard_table
from engine.measures.scorecard_inputs import LOST_PAIRS

SCORECARD = Measure(
    name="scorecard",
    title="The conclusion on each judge",
    question="Which judges favour themselves, and how surely?",
    formula=(
        "the first of odds_self on failed rubrics, hspp_matched, vote_outside, bonus_outside, odds_self on "
        "all cells that the study has; p adjusted over judges and families, with judges' tastes in its error"
    ),
    paper="none of the papers; MEASURES section 16",
    left_out="judges without a judgment of a response of their own",
    function=scorecard_table,
    keys=("judge",),
    headline="estimate",
    sliced=False,
    empty="no judge has judged a response of its own here",
    options=(
        Option(
            "decide",
            "name",
            "the deciding number, else the first that the study has; vote_outside_lost: of lost pairs alone",
            choices=("odds_self", "hspp_matched", "vote_outside", LOST_PAIRS, "bonus_outside"),
        ),
        Option(
            "clusters",
            "name",
            "what errors delete one at a time; theme: of rubric verdicts in 10 themes or more, where "
            "self-preference may differ from theme to theme",
            "instance",
            ("instance", "theme"),
        ),
    ),
    fields=(
        ONE_JUDGE,
        FAMILY,
        Field(
            "conclusion",
            "text",
            "favours_itself, leans_to_itself, no_material_preference, inconclusive, leans_against_itself or "
            "disfavours_itself; only the first and the last are claims that stand",
        ),
        Field("decided_by", "text", "the deciding number, the same for all judges"),
        Field("truth", "text", "of rubric verdicts, which cells decide: failed, or any"),
        Field("estimate", "number", "that number"),
        Field(
            "discerned",
            "number",
            "the same less what is explained by how much the judge sees of what distinguishes responses; a "
            "conclusion must hold for it too",
        ),
        Field("low", "number", "lower end of its interval of 95 %"),
        Field("high", "number", "upper end"),
        Field("p", "number", "its p-value, without tastes"),
        Field("p_tastes", "number", "the same with the spread of tastes in its error"),
        Field("p_adjusted", "number", "the p that decides, adjusted over all judges and their families"),
        Field("reason", "text", "why the conclusion is open"),
        ratio("ratio_outside", "the ratio against outside judges, for reading"),
        Field("hspp_self", "ratio", "the ratio of HSPP, as published"),
        Field("hspp_matched", "ratio", "the same on rubrics that both responses failed"),
        Field(
            "family_conclusion",
            "text",
            "likewise of other models of its family: favours_family, leans_to_family, disfavours_family, "
            "leans_against_family, no_material_preference or inconclusive",
        ),
        Field("family_reason", "text", "why that conclusion is open"),
        Field(
            "odds_family",
            "ratio",
            "the odds of crediting the responses of other models of its family",
            interval=True,
        ),
        Field("odds_family_p", "number", "its p-value, without tastes"),
        Field(
            "odds_family_p_adjusted", "number", "the p that decides, adjusted together with the judges' own"
        ),
        count("agreeing", "other numbers of the study that point the same way"),
        count("disagreeing", "other numbers that point the other way"),
        count("n_own", "own cells (responses, pairs) judged by it and by an outside judge"),
        count("n_other", "the same of generators outside its family"),
        count("n_outside", "outside judges that it is held against"),
        count("n_family", "own cells likewise, of the responses of other models of its family"),
        share(
            "family_in_reference",
            "share of the reference's members that are the judge or of its family",
            interval=False,
        ),
        share("missing_own", "share of its own cells on which it has no verdict", interval=False),
        share("missing_other", "share of others' cells on which it has none", interval=False),
        Field("bound_low", "number", "the estimate, were its missing own verdicts unfavourable"),
        Field("bound_high", "number", "the estimate, were these favourable"),
        share("tie_share", "share of its own pairs that the gold calls ties", interval=False),
        Field(
            "tipping",
            "number",
            "own failures, passed first, that the reference must have wrong for the conclusion to fall",
        ),
        share("tipping_share", "the same as a share of the own failures that it passed", interval=False),
        Field("placebo_rank", "number", "place of its own response among the generators that it likes"),
        Field("placebo_of", "number", "so many generators have a place"),
        Field("detectable", "number", "the smallest such number that this study would find with power .8"),
        Field("needed", "number", "so many own cases in all would decide, were the estimate the true one"),
        Field("themes_for", "number", "themes in which it passes its own more than outside judges do"),
        Field("themes_against", "number", "themes in which it passes its own less"),
        Field("cautions", "list", "codes of what must be known by whoever quotes the conclusion"),
    ),
)

CORRECTED = Measure(
    name="corrected",
    title="Corrected scores and places",
    question="Which generator is the best once the judges' errors are corrected by what has a reference?",
    formula=(
        "prediction_powered: mean judge score without a reference + mean of (reference - judge) with one; "
        "rogan_gladen: (share - overestimation) / (sensitivity - overestimation), own and others' apart"
    ),
    paper="none of the papers; Angelopoulos et al. 2023, Rogan and Gladen 1978",
    left_out="instances on which not every generator has a score by a judge",
    function=corrected_table,
    prepare=prepare_corrected,
    keys=("model",),
    headline="score",
    paradigms=("single_rubric", "all_rubrics", "direct_assessment"),
    level="instance",
    options=(
        Option(
            "method",
            "name",
            "how scores are corrected",
            "prediction_powered",
            ("prediction_powered", "rogan_gladen"),
        ),
    ),
    fields=(
        key("model", "the generator"),
        Field("score", "share", "its corrected score", interval=True),
        Field("rank", "number", "its place by that score, 1 the highest"),
        Field("rank_low", "number", "the best place that it may have"),
        Field("rank_high", "number", "the worst; all generators' places lie so with 95 %"),
        share("uncorrected", "the mean of the judges' scores", interval=False),
        count("n_labelled", "instances with a reference for every generator"),
        count("n_unlabelled", "instances scored by judges alone"),
        Field("labels_to_halve", "number", "further references that halve the interval"),
    ),
)

CONCLUSION_ENTRIES = (SCORECARD, CORRECTED)
