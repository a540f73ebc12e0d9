"""What is concluded on each judge (MEASURES section 16)."""

from engine.measures.corrected import corrected_table, prepare_corrected
from engine.measures.entry import (
    FAMILY,
    ONE_JUDGE,
    Field,
    Measure,
    Option,
    choice,
    count,
    key,
    number,
    ratio,
    share,
)
from engine.measures.scorecard import scorecard_table
from engine.measures.scorecard_inputs import LOST_PAIRS

SCORECARD = Measure(
    name="scorecard",
    title="Conclusion on each judge",
    question="Which judges favour themselves, and how sure is that?",
    formula=(
        "the first that the study allows of: odds_self on failed rubrics, hspp_matched, "
        "vote_outside, bonus_outside, odds_self on all cells; p adjusted over judges and families, "
        "with judges' tastes in its error"
    ),
    paper="none of the papers; MEASURES section 16",
    left_out="judges that judged none of their own responses",
    function=scorecard_table,
    keys=("judge",),
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
    ),
    fields=(
        ONE_JUDGE,
        FAMILY,
        key(
            "conclusion",
            "favours_itself, leans_to_itself, no_material_preference, inconclusive, "
            "leans_against_itself or disfavours_itself; only the first and the last are firm claims",
        ),
        key("decided_by", "name of the deciding number, the same for all judges"),
        key("truth", "for rubric verdicts, which cells decide: failed or any"),
        number("estimate", "value of the deciding number"),
        number(
            "discerned",
            "the estimate without the part that the judge's discernment explains; a conclusion must "
            "hold for it too",
        ),
        number("low", "lower end of the 95 % interval of the estimate"),
        number("high", "upper end of the 95 % interval of the estimate"),
        number("p", "p-value of the estimate, without tastes"),
        number("p_tastes", "p-value of the estimate, with the spread of judges' tastes in its error"),
        number("p_adjusted", "the p-value that decides, adjusted over all judges and families"),
        key("reason", "why no firm conclusion is reached"),
        ratio(
            "ratio_outside",
            "pass ratio to outside judges, own responses over others'; 1 means no self-preference",
        ),
        Field("hspp_self", "ratio", "HSPP ratio as published"),
        Field("hspp_matched", "ratio", "HSPP ratio on rubrics that both responses failed"),
        key(
            "family_conclusion",
            "the conclusion on its family's other models: favours_family, leans_to_family, "
            "disfavours_family, leans_against_family, no_material_preference or inconclusive",
        ),
        key("family_reason", "why no firm conclusion on its family is reached"),
        ratio(
            "odds_family",
            "odds that it passes its family's responses, relative to outside judges on the same cells",
            tested=False,
        ),
        number("odds_family_p", "p-value of odds_family, without tastes"),
        number(
            "odds_family_p_adjusted",
            "the p-value that decides on its family, adjusted together with the judges' own",
        ),
        count("agreeing", "other numbers of the study that point the same way"),
        count("disagreeing", "other numbers of the study that point the other way"),
        count("n_own", "cells (or pairs) of its own responses judged by it and by an outside judge"),
        count(
            "n_other", "cells (or pairs) of other families' responses judged by it and by an outside judge"
        ),
        count("n_outside", "outside judges compared with"),
        count(
            "n_family", "cells (or pairs) of its family's other models judged by it and by an outside judge"
        ),
        share(
            "family_in_reference",
            "share of the reference's members that are the judge itself or of its family",
            interval=False,
        ),
        share("missing_own", "share of its own responses' cells without a verdict", interval=False),
        share("missing_other", "share of other families' cells without a verdict", interval=False),
        number("bound_low", "the estimate if all its missing own verdicts were unfavourable"),
        number("bound_high", "the estimate if all its missing own verdicts were favourable"),
        share("tie_share", "share of its own pairs that the gold judges call ties", interval=False),
        number(
            "tipping",
            "how many own failures that it passed the reference must have wrong to overturn the conclusion",
        ),
        share("tipping_share", "tipping as a share of the own failures that it passed", interval=False),
        number("placebo_rank", "rank of itself among the generators that it favours; 1 is the most favoured"),
        number("placebo_of", "generators ranked in placebo_rank"),
        number("detectable", "smallest effect that this study would detect with power 0.8"),
        number("needed", "own cases needed in all for a firm conclusion, if the estimate is right"),
        number("themes_for", "themes in which it passes its own responses more often than outside judges do"),
        number(
            "themes_against", "themes in which it passes its own responses less often than outside judges do"
        ),
        Field("cautions", "list", "codes of the caveats to give with the conclusion"),
    ),
)

CORRECTED = Measure(
    name="corrected",
    title="Corrected scores and ranks",
    question="Which generator is best once the judges' errors are corrected with what has a reference?",
    formula=(
        "prediction_powered: mean judge score without a reference + mean of (reference - judge) with one; "
        "rogan_gladen: (share - overestimation) / (sensitivity - overestimation), own and others' apart"
    ),
    paper="none of the papers; Angelopoulos et al. 2023, Rogan and Gladen 1978",
    left_out="instances on which some generator has no score from a judge",
    function=corrected_table,
    prepare=prepare_corrected,
    keys=("model",),
    headline="score",
    paradigms=("single_rubric", "all_rubrics", "direct_assessment"),
    level="instance",
    options=(choice("method", "how scores are corrected", "prediction_powered", "rogan_gladen"),),
    fields=(
        key("model", "the generator"),
        share("score", "corrected score"),
        number("rank", "rank by the corrected score; 1 is the highest"),
        number("rank_low", "best rank in the joint 95 % confidence set"),
        number("rank_high", "worst rank in the joint 95 % confidence set"),
        share("uncorrected", "mean of the judges' scores", interval=False),
        count("n_labelled", "instances with a reference for every generator"),
        count("n_unlabelled", "instances scored by judges only"),
        number("labels_to_halve", "additional references needed to halve the interval"),
    ),
)

CONCLUSION_ENTRIES = (SCORECARD, CORRECTED)
