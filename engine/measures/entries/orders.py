"""Entries on the order in which score options, rubrics and responses are shown (MEASURES sections 12, 14)."""

from engine.measures.entry import JUDGE, QUALITY, SMALL, Field, Measure, Option, count, key, share
from engine.measures.order_effect import order_effect_table
from engine.measures.score_orders import ordering_table, permutation_table, position_table
from engine.schema import LIST_PARADIGMS, OPTION_PARADIGMS, PAIR_PARADIGMS

_PAPER = "rubric-position-bias"
_ITEMS = ("rubric", "axis", "theme", "category", "language")
_ROWS = ("run", "variant", "transform", "ordering")
_N_OPTIONS = count("n_options", "options on the list; lists of different length are never pooled")
_SCALE = key("scale", "the options' scores in ascending order")
_LEFT_OUT = (
    "orderings that are not among the 2n balanced ones (other_ordering), scores that are no option "
    "(off_scale), repeats (other_trial)"
)


def _r(name: str, meaning: str, null: float | None = None) -> Field:
    return Field(name, "number", meaning, interval=True, null=null)


POSITION = Measure(
    name="position",
    title="Selections by position",
    question="Does a judge pick the score option at some place in the list more often than elsewhere?",
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
        Field("position", "count", "the place in the list, from 1"),
        share("share", "share of selections at the position; by score, P(position | score)"),
        count("n", "selections"),
        Field("chi2", "number", "chi-square of the positions against equal shares, n - 1 degrees of freedom"),
        Field("chi2_p", "number", "its p-value, naive: selections of one item hang together"),
        Field(
            "chi2_shuffle_p",
            "number",
            "its p-value when each item's scores are dealt out anew to its orderings",
        ),
        SMALL,
    ),
)

ORDERING = Measure(
    name="ordering",
    title="Cost of each ordering",
    question="In which order are the score options best shown, and how well does each order go with people?",
    formula="cost(pi) = 100 * sum over p of |P(p | pi_p) - 1/n|",
    paper=f"{_PAPER}, section 5.3 and Tables 4 and 6",
    left_out=f"{_LEFT_OUT}; the term of a score never selected, in every ordering alike",
    function=ordering_table,
    has_chart=True,
    keys=("judge", "n_options", "scale", "ordering"),
    headline="cost",
    paradigms=OPTION_PARADIGMS,
    sliced=False,
    groups=(*_ITEMS, *_ROWS[:-1]),
    options=(
        Option(
            "search",
            "name",
            "among which orderings one is recommended: the 2n balanced ones or all n!",
            "balanced",
            ("balanced", "all"),
        ),
    ),
    fields=(
        JUDGE,
        _N_OPTIONS,
        _SCALE,
        key("ordering", "the scores in the order shown"),
        Field("cost", "points", "the bias cost, in percent points", interval=True),
        Field("recommended", "flag", "the ordering of the lowest cost"),
        _r("pearson", "Pearson's r of the scores given in it with the human scores"),
        _r("spearman", "Spearman's rho of the same"),
        count("n", "items judged in it that have a human score"),
        Field("rank", "number", "its rank by Pearson's r among the 2n, 1 the highest"),
        count("n_judged", "items judged in it"),
        Field("small", "flag", "a score was selected fewer than 30 times, so that the costs are rough"),
    ),
)

PERMUTATION = Measure(
    name="permutation",
    title="Permuting against repeating",
    question="Do 2n orderings asked once go better with people than one ordering asked 2n times?",
    formula="correlation of the mean score over orderings minus that of the mean over repeats of 1..n",
    paper=f"{_PAPER}, Tables 2 and 3",
    left_out=f"items not complete in every arm that the judge has (incomplete); {_LEFT_OUT}",
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
        count("n_items", "items complete in the arms that the judge has"),
        count("n_scored", "of these, items with a human score"),
        _r("pearson_permutation", "Pearson's r of the mean over 2n orderings with the human scores"),
        _r("pearson_repeat", "the same for 2n repeats of 1..n"),
        _r("pearson_delta", "permutation minus repeat", 0.0),
        _r("spearman_permutation", "Spearman's rho of the mean over 2n orderings with the human scores"),
        _r("spearman_repeat", "the same for 2n repeats of 1..n"),
        _r("spearman_delta", "permutation minus repeat", 0.0),
        _r("sd_permutation", "standard deviation within an item over orderings, mean over items"),
        _r("sd_repeat", "the same over repeats"),
        _r(
            "pearson_corrected",
            "Pearson's r of the repeats, each weighed by 1 / (n P(p | s)) where its score s stands at p",
        ),
        _r("pearson_delta_corrected", "corrected minus repeat", 0.0),
        _r("spearman_corrected", "Spearman's rho of the corrected repeats"),
        _r("spearman_delta_corrected", "corrected minus repeat", 0.0),
        SMALL,
    ),
)

ORDER_EFFECT = Measure(
    name="order-effect",
    title="Effect of the order shown",
    question="How often does a judge choose what it was shown first, or change its mind with the order?",
    formula="of pairs judged in both orders: flip rate = two different winners / two winners",
    paper="equal-quality-pairs and dbg-score; lists of rubrics: our own",
    left_out="pairs without an answer in both orders; of lists what `overestimation` leaves out",
    function=order_effect_table,
    has_chart=True,
    keys=("judge", "variant", "ordering", "position"),
    headline="flip_rate",
    paradigms=(*PAIR_PARADIGMS, *LIST_PARADIGMS),
    sliced=False,
    groups=("run", "transform", "theme", "category", "language", "quality_difference"),
    options=QUALITY,
    fields=(
        JUDGE,
        key("variant", "the prompt template; every one there is, unless one is asked for"),
        count("n_pairs", "pairs with an answer in both orders"),
        share("first_share", "share of answers that chose the response shown first"),
        share("flip_rate", "of the pairs whose two orders both name a winner, those with two different ones"),
        share("flip_to_first", "of the flips, those to the response shown first"),
        share("firm_share", "share of pairs with the same response chosen in both orders"),
        share("tie_share", "share of answers that are ties"),
        share("probability_shift", "mean |p in one order - p in the other|"),
        key("ordering", "of lists (paradigm all_rubrics): the order of the rubrics"),
        Field("position", "number", "of lists: the rubric's place; none for the whole list"),
        share("verdict_rate", "of lists: share of verdicts that say met"),
        share("overestimation", "of lists: favourable verdicts / unfavourable references, all generators"),
        Field("hspp_self", "ratio", "of lists: the self-preference ratio there", interval=True),
        count("n_verdicts", "of lists: verdicts"),
        SMALL,
    ),
)

ORDER_ENTRIES = (POSITION, ORDERING, PERMUTATION, ORDER_EFFECT)
