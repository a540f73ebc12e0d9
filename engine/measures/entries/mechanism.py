"""Entries on what stands behind a preference, or shows it another way."""

from engine.measures.entry import FAMILY, ONE_JUDGE, SMALL, Field, Measure, Option, count, key, share
from engine.measures.familiarity import familiarity_table
from engine.measures.mechanism import list_ranks_table, recognition_table, without_reference
from engine.measures.robustness import robustness_table
from engine.schema import AUTHOR_PARADIGMS, COMPARABLE, LIKELIHOOD_PARADIGMS, RANK_PARADIGMS

LIST_RANKS = Measure(
    name="list-ranks",
    title="Ranks in lists",
    question="Does a judge rank its own response higher than judges of other families rank the same one?",
    formula=(
        "rank_gap = mean over its own responses of (rank by the judge - mean rank by outside judges); "
        "pick_gap: the same of the share of lists in which the response is ranked first"
    ),
    paper="none of the papers; judges outside the family as in MEASURES section 15",
    left_out="lists in which a response has no rank; own responses that no outside judge ranked in that list",
    function=list_ranks_table,
    prepare=without_reference,
    has_chart=True,
    keys=("judge",),
    headline="pick_gap",
    paradigms=RANK_PARADIGMS,
    empty="no list of this slice is ranked whole",
    fields=(
        ONE_JUDGE,
        FAMILY,
        Field(
            "pick_gap",
            "share",
            "pick_own - pick_outside: above 0 the judge puts its own first more often than others do",
            interval=True,
            null=0.0,
        ),
        share("pick_own", "share of lists in which it ranks its own response first"),
        share("pick_outside", "share in which outside judges rank the same response first"),
        Field(
            "rank_gap",
            "number",
            "rank_own - rank_outside: below 0 the judge puts its own higher than others do",
            interval=True,
            null=0.0,
        ),
        Field("rank_own", "number", "mean rank that it gives its own response, 1 the best", interval=True),
        Field("rank_outside", "number", "mean rank that outside judges give the same", interval=True),
        count("n", "own responses in a list, ranked by it and by an outside judge"),
        count("n_outside", "outside judges that it is held against"),
        Field("mean_length", "number", "mean number of responses in these lists"),
        share("first_picked", "share of all its lists in which it ranks first what was shown first"),
        share("first_expected", "the share that chance would give: the mean of 1 / length", interval=False),
        count("n_orders", "lists ranked whole, each order shown counted"),
        SMALL,
    ),
)

ROBUSTNESS = Measure(
    name="robustness",
    title="Robustness to changes",
    question="Do a judge's verdicts stand when a response is changed but made no better, its own as others'?",
    formula="difference = share of own verdicts that stay the same - share of those on others' responses",
    paper="none of the papers; transforms as in MEASURES section 14",
    left_out="cases without a verdict as written, or without one under the transform",
    function=robustness_table,
    has_chart=True,
    keys=("paradigm", "transform", "judge"),
    headline="difference",
    sliced=False,
    fields=(
        ONE_JUDGE,
        key("paradigm", "the paradigm"),
        key("transform", "how the responses were changed"),
        Field(
            "difference",
            "share",
            "robustness_own - robustness_other: below 0 verdicts on its own responses change more readily",
            interval=True,
            null=0.0,
        ),
        share("robustness_own", "share of verdicts on its own responses that stay the same"),
        share("robustness_other", "the same of responses from outside its family"),
        Field(
            "lift_difference",
            "share",
            "lift_own - lift_other: above 0 the change helps its own responses more",
            interval=True,
            null=0.0,
        ),
        Field(
            "lift_own",
            "share",
            "mean rise of verdicts, scores or votes on its own responses: where authors are named, how much "
            "more it favours itself than where they are hidden",
            interval=True,
            null=0.0,
        ),
        share("lift_other", "the same of responses from outside its family", interval=False),
        count("n_own", "cases of its own responses, judged both ways"),
        count("n_other", "the same of responses from outside its family"),
        SMALL,
    ),
)

RECOGNITION = Measure(
    name="recognition-score",
    title="Self-recognition",
    question="Does a judge know which of two responses it wrote, and prefer what it takes for its own?",
    formula="mean over pairs of the probability of its own, averaged over both orders; else share right",
    paper="Panickssery et al. 2024 (LLM evaluators recognize and favor their own generations)",
    left_out="pairs without an answer in both orders",
    function=recognition_table,
    prepare=without_reference,
    has_chart=True,
    keys=("judge",),
    headline="recognition",
    paradigms=AUTHOR_PARADIGMS,
    empty="no judge was asked about a response of its own in both orders",
    fields=(
        ONE_JUDGE,
        FAMILY,
        Field(
            "recognition", "share", "the score; .5 is chance, above it knows its own", interval=True, null=0.5
        ),
        share("share_right", "share of answers that name its own response"),
        share("contradicted", "share of pairs of which its two answers name different responses"),
        count("n", "pairs of its own response and another, asked about in both orders"),
        count("n_soft", "of these, pairs with probabilities"),
        Field(
            "preference_rho",
            "number",
            "Spearman's rho over pairs of the score with its vote for its own in the same pair",
            interval=True,
        ),
        count("n_preference", "pairs with both"),
        SMALL,
    ),
)

FAMILIARITY = Measure(
    name="familiarity-score",
    title="Familiarity",
    question="Are its own responses likelier to a judge than others', and is that why it prefers them?",
    formula=(
        "gap = mean over instances of (own response's mean log-probability per token - mean of others'); "
        "own effect = slope of the judge's verdict beyond outside judges' on authorship, alone and with "
        "familiarity held equal"
    ),
    paper="Wataoka et al. 2024 (Self-preference bias in LLM-as-a-judge); the effects are of this project",
    left_out="responses of its family's other models; responses without a log-probability",
    function=familiarity_table,
    prepare=without_reference,
    has_chart=True,
    keys=("judge",),
    headline="familiarity_gap",
    paradigms=LIKELIHOOD_PARADIGMS,
    empty="no log-probability of a response is stored",
    options=(
        Option(
            "verdicts",
            "name",
            "the paradigm whose verdicts stand beside it; else the first that there is",
            None,
            COMPARABLE,
        ),
    ),
    fields=(
        ONE_JUDGE,
        FAMILY,
        Field(
            "familiarity_gap",
            "number",
            "familiarity_own - familiarity_other: above 0 its own responses are likelier to it",
            interval=True,
            null=0.0,
        ),
        Field("familiarity_own", "number", "mean log-probability per token of its own", interval=True),
        Field("familiarity_other", "number", "the same of responses from outside its family", interval=True),
        Field(
            "own_effect",
            "share",
            "how far its verdicts on its own responses go beyond outside judges', less the same of others'",
            interval=True,
            null=0.0,
        ),
        Field(
            "own_effect_held",
            "share",
            "the same among responses of equal familiarity",
            interval=True,
            null=0.0,
        ),
        Field(
            "explained",
            "share",
            "own_effect - own_effect_held: what goes away where familiarity is held equal",
            interval=True,
            null=0.0,
        ),
        Field(
            "familiarity_effect",
            "share",
            "how far its verdicts rise with each unit of log-probability, authorship held equal",
            interval=True,
            null=0.0,
        ),
        Field(
            "preference_rho",
            "number",
            "Spearman's rho of familiarity with its verdicts beyond outside judges', within instances",
            interval=True,
        ),
        count("n_own", "own responses of known familiarity, with another's on the same instance"),
        count("n_other", "responses from outside its family that they are held against"),
        count(
            "n_cases", "responses, or pairs, with familiarity and verdicts of the judge and outside judges"
        ),
        SMALL,
    ),
)

MECHANISM_ENTRIES = (LIST_RANKS, ROBUSTNESS, RECOGNITION, FAMILIARITY)
