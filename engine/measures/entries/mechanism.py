"""Entries on what stands behind a preference, or shows it another way."""

from engine.measures.entry import (
    FAMILY,
    ONE_JUDGE,
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
from engine.measures.familiarity import familiarity_table
from engine.measures.mechanism import list_ranks_table, recognition_table, without_reference
from engine.measures.robustness import robustness_table
from engine.schema import AUTHOR_PARADIGMS, COMPARABLE, LIKELIHOOD_PARADIGMS, RANK_PARADIGMS

LIST_RANKS = Measure(
    name="list-ranks",
    title="Ranks in lists",
    question="Does a judge rank its own response higher than outside judges rank the same response?",
    formula=(
        "rank_gap = mean over its own responses of (rank by the judge - mean rank by outside "
        "judges); pick_gap: the same for the share of lists in which the response is ranked first"
    ),
    paper="none of the papers; judges outside the family as in MEASURES section 15",
    left_out="lists in which a response has no rank; own responses that no outside judge ranked in the same "
    "list",
    function=list_ranks_table,
    prepare=without_reference,
    has_chart=True,
    keys=("judge",),
    headline="pick_gap",
    paradigms=RANK_PARADIGMS,
    empty="no list of this slice is ranked completely",
    fields=(
        ONE_JUDGE,
        FAMILY,
        difference(
            "pick_gap",
            "pick_own - pick_outside; above 0 the judge ranks itself first more often than others do",
        ),
        share("pick_own", "share of lists in which it ranks its own response first"),
        share("pick_outside", "share of the same lists in which outside judges rank that response first"),
        difference(
            "rank_gap",
            "rank_own - rank_outside; below 0 the judge ranks itself higher than others do",
            "number",
        ),
        number("rank_own", "mean rank that it gives its own response; 1 is the best", interval=True),
        number("rank_outside", "mean rank that outside judges give the judge's response", interval=True),
        count("n", "lists with its own response, ranked by it and by an outside judge"),
        count("n_outside", "outside judges compared with"),
        number("mean_length", "mean number of responses in a list"),
        share(
            "first_picked", "share of all its lists in which it ranks the response shown first as the best"
        ),
        share(
            "first_expected", "share expected by chance: the mean of 1 / number of responses", interval=False
        ),
        count("n_orders", "completely ranked lists, counting each order shown"),
        SMALL,
    ),
)

ROBUSTNESS = Measure(
    name="robustness",
    title="Robustness to changes",
    question="Do verdicts hold when a response is changed without improving it, for its own as for others'?",
    formula="difference = share of own verdicts that stay the same - share of verdicts on others' responses",
    paper="none of the papers; transforms as in MEASURES section 14",
    left_out="cases without a verdict on the original, or without one on the changed response",
    function=robustness_table,
    has_chart=True,
    keys=("paradigm", "transform", "judge"),
    headline="difference",
    sliced=False,
    fields=(
        ONE_JUDGE,
        key("paradigm", "the paradigm"),
        key("transform", "how the responses were changed"),
        difference(
            "difference",
            "robustness_own - robustness_other; below 0 verdicts on its own responses change more easily",
        ),
        share("robustness_own", "share of verdicts on its own responses that stay the same"),
        share("robustness_other", "share of verdicts on other families' responses that stay the same"),
        difference(
            "lift_difference", "lift_own - lift_other; above 0 the change helps its own responses more"
        ),
        difference(
            "lift_own",
            "mean rise of verdicts, scores or votes on its own responses; where authors are named, "
            "how much more it favours itself than when they are hidden",
        ),
        share(
            "lift_other",
            "mean rise of verdicts, scores or votes on other families' responses",
            interval=False,
        ),
        count("n_own", "cases of its own responses, judged both as written and changed"),
        count("n_other", "cases of other families' responses, judged both as written and changed"),
        SMALL,
    ),
)

RECOGNITION = Measure(
    name="recognition-score",
    title="Self-recognition",
    question="Can a judge tell which of two responses it wrote, and does it prefer the one it takes for its "
    "own?",
    formula="mean over pairs of the probability given to its own response in both orders; without "
    "probabilities, the share of right answers",
    paper="Panickssery et al. 2024 (LLM evaluators recognize and favor their own generations)",
    left_out="pairs not answered in both orders",
    function=recognition_table,
    prepare=without_reference,
    has_chart=True,
    keys=("judge",),
    headline="recognition",
    paradigms=AUTHOR_PARADIGMS,
    empty="no judge was asked about its own response in both orders",
    fields=(
        ONE_JUDGE,
        FAMILY,
        Field(
            "recognition",
            "share",
            "recognition score; 0.5 is chance, above 0.5 it recognizes its own responses",
            interval=True,
            null=0.5,
        ),
        share("share_right", "share of answers that name its own response"),
        share("contradicted", "share of pairs in which its two answers contradict each other"),
        count("n", "pairs with its own response, asked in both orders"),
        count("n_soft", "pairs with label probabilities"),
        number(
            "preference_rho",
            "Spearman's rho over pairs of the recognition score and its vote for its own response",
            interval=True,
        ),
        count("n_preference", "pairs with both a recognition score and a vote"),
        SMALL,
    ),
)

FAMILIARITY = Measure(
    name="familiarity-score",
    title="Familiarity",
    question="Are its own responses more likely to a judge than others', and is that why it prefers them?",
    formula=(
        "gap = mean over instances of (own response's mean log-probability per token - mean of "
        "others'); own effect = slope on authorship of the judge's verdict minus outside judges', "
        "without and with familiarity held constant"
    ),
    paper="Wataoka et al. 2024 (Self-preference bias in LLM-as-a-judge); the effects are this project's",
    left_out="responses of its family's other models; responses without a log-probability",
    function=familiarity_table,
    prepare=without_reference,
    has_chart=True,
    keys=("judge",),
    headline="familiarity_gap",
    paradigms=LIKELIHOOD_PARADIGMS,
    empty="the study holds no log-probabilities of responses",
    options=(
        Option(
            "verdicts",
            "name",
            "the paradigm whose verdicts are compared (default: the first that the study has)",
            None,
            COMPARABLE,
        ),
    ),
    fields=(
        ONE_JUDGE,
        FAMILY,
        difference(
            "familiarity_gap",
            "familiarity_own - familiarity_other; above 0 its own responses are more likely to it",
            "number",
        ),
        number("familiarity_own", "mean log-probability per token of its own responses", interval=True),
        number(
            "familiarity_other", "mean log-probability per token of other families' responses", interval=True
        ),
        difference(
            "own_effect",
            "how far its verdicts exceed outside judges' on its own responses, minus the same on others'",
        ),
        difference("own_effect_held", "own_effect among responses of equal familiarity"),
        difference(
            "explained", "own_effect - own_effect_held: the part of own_effect that familiarity explains"
        ),
        difference(
            "familiarity_effect",
            "rise of its verdicts per unit of log-probability, with authorship held constant",
        ),
        number(
            "preference_rho",
            "Spearman's rho of familiarity and its verdicts minus outside judges', within instances",
            interval=True,
        ),
        count("n_own", "own responses with a log-probability, on instances that also have another's"),
        count("n_other", "other families' responses compared with"),
        count(
            "n_cases",
            "responses (or pairs) with a log-probability and verdicts of the judge and of outside judges",
        ),
        SMALL,
    ),
)

MECHANISM_ENTRIES = (LIST_RANKS, ROBUSTNESS, RECOGNITION, FAMILIARITY)
