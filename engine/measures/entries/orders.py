"""Entries on the order in which score options, rubrics and responses are shown (MEASURES sections 12, 14)."""

from engine.measures.entry import JUDGE, QUALITY, SMALL, Field, Measure, choice, count, key, number, share
from engine.measures.order_effect import order_effect_table
from engine.measures.score_orders import ordering_table, permutation_table, position_table
from engine.schema import LIST_PARADIGMS, OPTION_PARADIGMS, PAIR_PARADIGMS

_PAPER = "rubric-position-bias"
_ITEMS = ("rubric", "axis", "theme", "category", "language")
_ROWS = ("run", "variant", "transform", "ordering")
_N_OPTIONS = count("n_options", "number of options in the list; lists of different lengths are never pooled")
_SCALE = key("scale", "the options' scores in ascending order")
_LEFT_OUT = (
    "orderings that are not among the 2n balanced ones (other_ordering), scores that match no "
    "option (off_scale), repeats (other_trial)"
)


def _r(name: str, meaning: str, null: float | None = None) -> Field:
    return Field(name, "number", meaning, interval=True, null=null)


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
    fields=(
        JUDGE,
        _N_OPTIONS,
        _SCALE,
        key("ordering", "the scores in the order shown"),
        Field("cost", "points", "bias cost, in percentage points", interval=True),
        Field("recommended", "flag", "the ordering with the lowest cost"),
        _r("pearson", "Pearson's r with human scores, for scores given in this ordering"),
        _r("spearman", "Spearman's rho with human scores, for scores given in this ordering"),
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
        _r("pearson_permutation", "Pearson's r with human scores, for the mean over 2n orderings"),
        _r("pearson_repeat", "Pearson's r with human scores, for the mean over 2n repeats of 1..n"),
        _r("pearson_delta", "pearson_permutation - pearson_repeat", 0.0),
        _r("spearman_permutation", "Spearman's rho with human scores, for the mean over 2n orderings"),
        _r("spearman_repeat", "Spearman's rho with human scores, for the mean over 2n repeats of 1..n"),
        _r("spearman_delta", "spearman_permutation - spearman_repeat", 0.0),
        _r("sd_permutation", "standard deviation over orderings of one item, mean over items"),
        _r("sd_repeat", "standard deviation over repeats of one item, mean over items"),
        _r(
            "pearson_corrected",
            "Pearson's r with human scores, for repeats weighted by 1 / (n P(p | s)), where score s "
            "stands at p",
        ),
        _r("pearson_delta_corrected", "pearson_corrected - pearson_repeat", 0.0),
        _r("spearman_corrected", "Spearman's rho with human scores, for the weighted repeats"),
        _r("spearman_delta_corrected", "spearman_corrected - spearman_repeat", 0.0),
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
        Field("hspp_self", "ratio", "lists: the HSPP ratio for this order or place", interval=True),
        count("n_verdicts", "lists: number of verdicts"),
        SMALL,
    ),
)

ORDER_ENTRIES = (POSITION, ORDERING, PERMUTATION, ORDER_EFFECT)
