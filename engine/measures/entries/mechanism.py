"""Entries on what may explain a preference: order of options, rubrics and responses; ranks; recognition."""

from engine.measures.entry import (
    ADDED,
    DELETED,
    JUDGE,
    OF_JUDGE,
    QUALITY,
    SMALL,
    TESTED,
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
from engine.measures.mechanism import (
    familiarity_table,
    list_ranks_table,
    recognition_table,
    without_reference,
)
from engine.measures.robustness import robustness_table
from engine.measures.score_orders import order_effect_table, ordering_table, permutation_table, position_table
from engine.schema import (
    AUTHOR_PARADIGMS,
    COMPARABLE,
    LIKELIHOOD_PARADIGMS,
    LIST_PARADIGMS,
    OPTION_PARADIGMS,
    PAIR_PARADIGMS,
    RANK_PARADIGMS,
)

# ------------------------------------------------------------------------------
# Entries on the order in which score options, rubrics and responses are shown (MEASURES sections 12, 14).


_PAPER = "rubric-position-bias"
_ITEMS = ("rubric", "axis", "theme", "category", "language")
_ROWS = ("run", "variant", "transform", "ordering")
_N_OPTIONS = count("n_options", "number of options in the list; lists of different lengths are never pooled")
_SCALE = key("scale", "the options' scores in ascending order")
_LEFT_OUT = (
    "orderings that are not among the 2n balanced ones (other_ordering), scores that match no "
    "option (off_scale), repeats (other_trial)"
)


POSITION = Measure(
    name="position",
    title="Selections by position",
    question="Does a judge pick the score option at some places in the list more often than at others?",
    formula="share of selections at each position over the 2n balanced orderings; 1/n is expected",
    paper=f"{_PAPER}, Figure 5 and Table 5",
    left_out=_LEFT_OUT,
    function=position_table,
    has_chart=True,
    keys=("judge", "n_options", "scale", "position"),
    headline="share",
    paradigms=OPTION_PARADIGMS,
    sliced=False,
    groups=("score", *_ITEMS, *_ROWS),
    fields=(
        JUDGE,
        _N_OPTIONS,
        _SCALE,
        Field("position", "count", "place in the list, from 1"),
        share("share", "share of selections at this position; grouped by score, P(position | score)"),
        count("n", "selections"),
        number("chi2", "chi-square of the positions against equal shares, with n - 1 degrees of freedom"),
        number("chi2_p", "p-value of chi2; naive: selections of one item depend on each other"),
        number(
            "chi2_shuffle_p", "p-value of chi2 when each item's scores are reshuffled among its orderings"
        ),
        SMALL,
    ),
)

ORDERING = Measure(
    name="ordering",
    title="Cost of each ordering",
    question="Which order of the score options is best, and how well does each order agree with people?",
    formula="cost(pi) = 100 * sum over p of |P(p | pi_p) - 1/n|",
    paper=f"{_PAPER}, section 5.3 and Tables 4 and 6",
    left_out=f"{_LEFT_OUT}; in the cost, scores that were never selected",
    function=ordering_table,
    has_chart=True,
    keys=("judge", "n_options", "scale", "ordering"),
    headline="cost",
    paradigms=OPTION_PARADIGMS,
    sliced=False,
    groups=(*_ITEMS, *_ROWS[:-1]),
    options=(
        choice(
            "search",
            "orderings to choose the recommended one from: the 2n balanced ones or all n!",
            "balanced",
            "all",
        ),
    ),
    intervals={TESTED: ("cost",)},
    fields=(
        JUDGE,
        _N_OPTIONS,
        _SCALE,
        key("ordering", "the scores in the order shown"),
        Field("cost", "points", "bias cost, in percentage points", interval=True),
        Field("recommended", "flag", "the ordering with the lowest cost"),
        estimate("pearson", "Pearson's r with human scores, for scores given in this ordering"),
        estimate("spearman", "Spearman's rho with human scores, for scores given in this ordering"),
        count("n", "items judged in this ordering that have a human score"),
        number("rank", "rank by Pearson's r among the 2n orderings; 1 is the highest"),
        count("n_judged", "items judged in this ordering"),
        Field("small", "flag", "some score was selected fewer than 30 times, so the costs are rough"),
    ),
)

PERMUTATION = Measure(
    name="permutation",
    title="Permuting versus repeating",
    question="Do 2n orderings asked once agree better with people than one ordering asked 2n times?",
    formula="correlation of the mean score over orderings minus that of the mean over repeats of 1..n",
    paper=f"{_PAPER}, Tables 2 and 3",
    left_out=f"items without all the answers that the judge's other items have (incomplete); {_LEFT_OUT}",
    function=permutation_table,
    has_chart=True,
    keys=("judge", "n_options", "scale"),
    headline="pearson_delta",
    paradigms=OPTION_PARADIGMS,
    sliced=False,
    groups=(*_ITEMS, *_ROWS[:-1]),
    fields=(
        JUDGE,
        _N_OPTIONS,
        _SCALE,
        count("n_items", "items with all the answers compared"),
        count("n_scored", "of n_items, those with a human score"),
        estimate("pearson_permutation", "Pearson's r with human scores, for the mean over 2n orderings"),
        estimate("pearson_repeat", "Pearson's r with human scores, for the mean over 2n repeats of 1..n"),
        estimate("pearson_delta", "pearson_permutation - pearson_repeat", 0.0),
        estimate("spearman_permutation", "Spearman's rho with human scores, for the mean over 2n orderings"),
        estimate("spearman_repeat", "Spearman's rho with human scores, for the mean over 2n repeats of 1..n"),
        estimate("spearman_delta", "spearman_permutation - spearman_repeat", 0.0),
        estimate("sd_permutation", "standard deviation over orderings of one item, mean over items"),
        estimate("sd_repeat", "standard deviation over repeats of one item, mean over items"),
        estimate(
            "pearson_corrected",
            "Pearson's r with human scores, for repeats weighted by 1 / (n P(p | s)), where score s "
            "stands at p",
        ),
        estimate("pearson_delta_corrected", "pearson_corrected - pearson_repeat", 0.0),
        estimate("spearman_corrected", "Spearman's rho with human scores, for the weighted repeats"),
        estimate("spearman_delta_corrected", "spearman_corrected - spearman_repeat", 0.0),
        SMALL,
    ),
)

ORDER_EFFECT = Measure(
    name="order-effect",
    title="Effect of the order shown",
    question="How often does a judge choose what it was shown first, or change its mind with the order?",
    formula="on pairs judged in both orders: flip rate = pairs with two different winners / pairs with two "
    "winners",
    paper="equal-quality-pairs and dbg-score; for lists of rubrics, this project",
    left_out="pairs not answered in both orders; for lists, what `overestimation` leaves out",
    function=order_effect_table,
    has_chart=True,
    empty="no pair has an answer in both orders, and no list of rubrics a verdict",
    keys=("judge", "variant", "ordering", "position"),
    headline="flip_rate",
    paradigms=(*PAIR_PARADIGMS, *LIST_PARADIGMS),
    sliced=False,
    groups=("run", "transform", "theme", "category", "language", "quality_difference"),
    options=QUALITY,
    fields=(
        JUDGE,
        key("variant", "the prompt template; all of them, unless one is chosen"),
        count("n_pairs", "pairs answered in both orders"),
        share("first_share", "share of answers that choose the response shown first"),
        share("flip_rate", "of pairs with a winner in both orders, the share with two different winners"),
        share("flip_to_first", "of the flips, the share toward the response shown first"),
        share("firm_share", "share of pairs in which the same response is chosen in both orders"),
        share("tie_share", "share of answers that are ties"),
        share("probability_shift", "mean absolute difference of the probability between the two orders"),
        key("ordering", "lists (paradigm all_rubrics): the order of the rubrics"),
        number("position", "lists: the rubric's place; empty for the whole list"),
        share("verdict_rate", "lists: share of verdicts that say met"),
        share(
            "overestimation", "lists: passed / judged rubrics that the reference fails, over all generators"
        ),
        ratio("hspp_self", "lists: the HSPP ratio for this order or place", tested=False),
        count("n_verdicts", "lists: number of verdicts"),
        SMALL,
    ),
)

ORDER_ENTRIES = (POSITION, ORDERING, PERMUTATION, ORDER_EFFECT)


# ------------------------------------------------------------------------------
# Entries on what may explain a preference, or shows it in another way.


LIST_RANKS = Measure(
    name="list-ranks",
    title="Ranks in lists",
    question="Does a judge rank its own response higher than outside judges rank the same response?",
    formula=(
        "rank_gap = mean over its own responses of (rank by the judge - mean rank by outside "
        "judges); pick_gap: the same for the share of lists in which the response is ranked first"
    ),
    paper="none; defined by this project",
    left_out="lists in which a response has no rank; own responses that no outside judge ranked in the same "
    "list",
    function=list_ranks_table,
    prepare=without_reference,
    has_chart=True,
    headline="pick_gap",
    paradigms=RANK_PARADIGMS,
    empty="no list of this slice is ranked completely",
    intervals={DELETED: ("pick_gap", "rank_gap")},
    fields=(
        *OF_JUDGE,
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
        estimate("rank_own", "mean rank that it gives its own response; 1 is the best"),
        estimate("rank_outside", "mean rank that outside judges give the judge's response"),
        count("n", "lists with its own response, ranked by it and by an outside judge"),
        count("n_outside", "outside judges compared with"),
        number("mean_length", "mean number of responses in a list"),
        share(
            "first_picked", "share of all its lists in which it ranks the response shown first as the best"
        ),
        portion("first_expected", "share expected by chance: the mean of 1 / number of responses"),
        count("n_orders", "completely ranked lists, counting each order shown"),
        SMALL,
    ),
)

ROBUSTNESS = Measure(
    name="robustness",
    title="Robustness to changes",
    question="Do verdicts stay the same when responses are changed but not improved, own and others' alike?",
    formula="difference = share of own verdicts that stay the same - share of verdicts on others' responses",
    paper="none; defined by this project",
    left_out="cases without a verdict on the original, or without one on the changed response",
    function=robustness_table,
    has_chart=True,
    keys=("paradigm", "transform", "judge"),
    headline="difference",
    sliced=False,
    intervals={
        DELETED: ("difference", "lift_difference", "lift_own"),
        ADDED: ("robustness_own", "robustness_other"),
    },
    fields=(
        key("judge", "the judge"),
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
        Field(
            "lift_other", "difference", "mean rise of verdicts, scores or votes on other families' responses"
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
    headline="recognition",
    paradigms=AUTHOR_PARADIGMS,
    empty="no judge was asked about its own response in both orders",
    intervals={DELETED: ("recognition",)},
    fields=(
        *OF_JUDGE,
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
        estimate(
            "preference_rho",
            "Spearman's rho over pairs of the recognition score and its vote for its own response",
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
    intervals={
        DELETED: (
            *("familiarity_gap", "familiarity_own", "familiarity_other", "own_effect", "own_effect_held"),
            *("explained", "familiarity_effect"),
        )
    },
    fields=(
        *OF_JUDGE,
        difference(
            "familiarity_gap",
            "familiarity_own - familiarity_other; above 0 its own responses are more likely to it",
            "number",
        ),
        estimate("familiarity_own", "mean log-probability per token of its own responses"),
        estimate("familiarity_other", "mean log-probability per token of other families' responses"),
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
        estimate(
            "preference_rho",
            "Spearman's rho of familiarity and its verdicts minus outside judges', within instances",
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
