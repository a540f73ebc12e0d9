"""Entries on pairs and gold."""

from engine.measures.dbg import dbg_table, prepare_dbg
from engine.measures.entry import (
    EPSILON,
    FAMILY,
    ONE_JUDGE,
    PAIRWISE,
    QUALITY,
    SMALL,
    Field,
    Measure,
    Option,
    count,
    key,
    share,
)
from engine.measures.equal_quality import (
    archetypes_table,
    discriminability_table,
    equal_quality_table,
    settle_slice,
)
from engine.measures.mitigation import mitigation_table
from engine.measures.quality_baseline import (
    baseline_summary_table,
    prepare_quality_baseline,
    quality_baseline_table,
)
from engine.measures.votes import prepare_votes, votes_table

# ------------------------------------------------------------------------------
# Self-preference in pairs of equal quality (MEASURES section 9).


_EQP = "equal-quality-pairs"

_EQUAL = (
    EPSILON,
    Option(
        "third_party",
        "name",
        "whether a judge's family are third parties",
        "all",
        ("all", "out_of_family"),
    ),
    Option(
        "null_pairs", "name", "null pairs drawn, ten for each question, or all", "drawn", ("drawn", "all")
    ),
    Option("two_stage", "switch", "resample the pairs within a resampled question too", False),
)
_OR_PEOPLE = (
    Option(
        "quality",
        "name",
        "what says which responses are equal: scores of judges or the reference's, or people's labels",
        "judges",
        ("judges", "reference", "human"),
    ),
    *(option for option in QUALITY if option.name != "quality"),
)
_EPSILONS = Option("epsilons", "names", "epsilons at which SPB is given besides, such as 0.1,0.25,0.5", ())
_CONTRAST = (
    Option("gap", "number", "least difference of quality between a better and a worse response", 2.0),
    Option("contrast_pairs", "integer", "pairs drawn for each judge", 100),
)
_BINOMIAL = Option(
    "binomial",
    "name",
    "the binomial test is against the near end of Null-PIR's interval, or Null-PIR itself",
    "near_end",
    ("near_end", "known"),
)
_MEAN_QUALITY = Field("mean_quality", "number", "mean quality of the judge's own responses", interval=True)
_D = share("d", "share of pairs far apart of which it finds the better")
_SPB = Field("spb", "share", "PIR - Null-PIR: above 0 the judge prefers its own", interval=True, null=0.0)

EQUAL_QUALITY = Measure(
    name="equal-quality",
    title="Equal-quality pairs",
    question="Of two responses of equal quality, how much oftener does a judge firmly choose its own?",
    formula="SPB = PIR - Null-PIR: shares of pairs in which the target is chosen in both orders",
    paper=f"{_EQP}, equations 2 to 8 and Table 3",
    left_out="pairs without both orders; responses that lack a quality score",
    function=equal_quality_table,
    has_chart=True,
    prepare=settle_slice,
    empty="no two responses of equal quality are judged in both orders",
    keys=("judge",),
    headline="spb",
    paradigms=PAIRWISE,
    options=(*_OR_PEOPLE, *_EQUAL, _EPSILONS, _BINOMIAL),
    fields=(
        ONE_JUDGE,
        FAMILY,
        _MEAN_QUALITY,
        share("pir", "share of pairs with a third party in which it firmly chose its own"),
        share("null_pir", "share of pairs of third parties in which it firmly chose the target"),
        _SPB,
        count("n_pairs", "pairs of its own response and another of equal quality"),
        count("n_null_pairs", "null pairs"),
        count("firm_self", "firm choices of its own response"),
        count("firm_null", "firm choices of the target in null pairs"),
        Field("z", "number", "two-proportion z, naive: it takes pairs of one question as independent"),
        Field("z_p", "number", "its one-sided p, in the direction of SPB"),
        Field("z_p_adjusted", "number", "the same adjusted over judges"),
        Field("binomial_p", "number", "one-sided p of firm self-choices against Null-PIR, naive"),
        Field("binomial_p_adjusted", "number", "the same adjusted over judges"),
        Field("significant", "flag", "at least two of the z, binomial and bootstrap tests reject at 0.05"),
        share("pir_family", "share of pairs of a relative and an outsider in which it chose the relative"),
        Field("spb_family", "share", "the same less Null-PIR", interval=True, null=0.0),
        count("n_family_pairs", "pairs of a relative's response and an outsider's"),
        SMALL,
        count("judges_significant", "judges of this slice significant with SPB above 0"),
        Field("mean_spb_significant", "share", "their mean SPB"),
        Field("quality_judges", "list", "whose scores are the quality"),
        Field("quality_judges_kin", "list", "those of them that share a family with a model they rate"),
        Field("epsilons", "list", "the epsilons of `--epsilons`"),
        Field("spb_by_epsilon", "list", "SPB at each of them, null where undefined"),
        Field("spb_by_epsilon_low", "list", "lower ends of their intervals"),
        Field("spb_by_epsilon_high", "list", "upper ends of their intervals"),
        Field("n_pairs_by_epsilon", "list", "pairs with its own response at each of them"),
    ),
)

DISCRIMINABILITY = Measure(
    name="discriminability",
    title="Discriminability",
    question="Does a judge find the better of two responses that are far apart?",
    formula="D = correct / answers on pairs whose quality differs by at least the gap",
    paper=f"{_EQP}, equation 1 and Table 6",
    left_out="pairs with the judge's own response; answers that are not ok",
    function=discriminability_table,
    prepare=settle_slice,
    empty="no two responses that far apart in quality are judged",
    keys=("judge",),
    headline="d",
    paradigms=PAIRWISE,
    options=(*_OR_PEOPLE, *_CONTRAST),
    fields=(
        ONE_JUDGE,
        FAMILY,
        _D,
        count("correct", "answers that name the better response"),
        count("n", "ok answers"),
        Field("p", "number", "chance of as many by guessing, naive"),
        Field("p_adjusted", "number", "the same adjusted over judges"),
        SMALL,
    ),
)

ARCHETYPES = Measure(
    name="archetypes",
    title="Archetypes",
    question="Is a judge able and fair, able and partial, or not able?",
    formula="D below 0.80: Incompetent Randomizer; else by SPB: Blindly Biased, Objective, Machiavellian",
    paper=f"{_EQP}, section 3.5 and Table 6",
    left_out="as in equal-quality and discriminability",
    function=archetypes_table,
    has_chart=True,
    prepare=settle_slice,
    empty="no two responses of equal quality, and none far apart, are judged",
    keys=("judge",),
    headline="spb",
    paradigms=PAIRWISE,
    options=(*_OR_PEOPLE, *_EQUAL, _BINOMIAL, *_CONTRAST),
    fields=(
        ONE_JUDGE,
        FAMILY,
        _D,
        _SPB,
        key("archetype", "the archetype"),
        Field("crosses", "list", "borders that the intervals cross, such as `d 0.8`"),
        Field("possible", "list", "archetypes that the intervals leave open"),
        _MEAN_QUALITY,
        count("n_contrast", "answers behind D"),
        count("n_pairs", "pairs behind PIR"),
    ),
)

MITIGATION = Measure(
    name="mitigation",
    title="Mitigation",
    question="Does another way of asking lower self-preference, and at what cost?",
    formula="eta = (|SPB baseline| - |SPB variant|) / |SPB baseline|, of the pairs that count in both",
    paper=f"{_EQP}, equation 9 and Table 7",
    left_out="pairs that count in one of the variants only",
    function=mitigation_table,
    has_chart=True,
    prepare=settle_slice,
    empty="no pair of these counts in both variants",
    keys=("judge", "variant"),
    headline="reduction",
    paradigms=PAIRWISE,
    options=(
        Option(
            "variants", "names", "variants compared; else cot, structured and pointwise where they are", ()
        ),
        *_OR_PEOPLE,
        *_EQUAL,
        *_CONTRAST,
    ),
    fields=(
        ONE_JUDGE,
        FAMILY,
        key("variant", "the other way of asking"),
        key("baseline", "the variant it is compared with"),
        share("spb_baseline", "SPB in the baseline"),
        share("spb", "SPB in the variant"),
        Field(
            "reduction", "share", "fall of |SPB|, from the same resampled questions", interval=True, null=0.0
        ),
        Field("eta", "ratio", "the fall as a share of the baseline's |SPB|", interval=True),
        count("n_pairs", "pairs with its own response that count in both"),
        count("n_null_pairs", "null pairs that count in both"),
        count("firm_gained", "pairs in which only the variant's choice of its own is firm"),
        count("firm_lost", "pairs in which only the baseline's is"),
        Field("mcnemar_p", "number", "exact p of McNemar's test of these two counts, naive"),
        Field("mcnemar_p_adjusted", "number", "the same adjusted over judges"),
        _D,
        share("d_baseline", "the same share in the baseline"),
        Field("d_change", "share", "D in the variant minus D in the baseline", interval=True, null=0.0),
        count("n_contrast", "pairs far apart that are answered in both"),
        Field("cost_ratio", "ratio", "cost of a verdict in the variant / in the baseline"),
    ),
)

PAIR_ENTRIES = (EQUAL_QUALITY, DISCRIMINABILITY, ARCHETYPES, MITIGATION)


# ------------------------------------------------------------------------------
# Self-preference in pairs of which the truth is known (MEASURES sections 10 and 11).


_EQB = "evaluator-quality-baseline"
_GOLD = Option("gold", "names", "gold judges and people whose preferences count; else all", ())
_OPPONENT = key("opponent", "the model compared with; none on the pooled row")


def _wins(suffix: str, of: str, dbg: Field) -> tuple[Field, ...]:
    """Return the win rates of some items, and what they differ by."""
    return (
        share(f"win_rate{suffix}", f"share of {of} that its own response wins, ties one half"),
        share(f"gold_win_rate{suffix}", "the same by the gold judges, or by the reference's scores"),
        dbg,
    )


_BASELINE = (
    Option("subset", "name", "examples that the baseline is taken on", "ilsp", ("ilsp", "lsp", "all")),
    Option("proxies", "name", "who may be a proxy", "all", ("all", "out_of_family", "out_of_provider")),
    Option("proxy_models", "names", "only these models as proxies", ()),
    Option("like_accuracy", "number", "only proxies whose accuracy differs by at most this"),
    Option("max_proxies", "integer", "at most so many proxies for an example, drawn"),
    Option(
        "ties",
        "name",
        "votes for a tie count against the target, or are dropped",
        "keep",
        ("keep", "drop"),
    ),
    _GOLD,
    Option("curves", "switch", "coverage and T by number of proxies too", False),
)

QUALITY_BASELINE = Measure(
    name="quality-baseline",
    title="Evaluator quality baseline",
    question="Does a judge prefer its own worse response more than it prefers others' worse responses?",
    formula="T = mean over lost examples of s(own) - mean over proxies of s(proxy), s the share voted for",
    paper=f"{_EQB}, equations 1 to 12 and Table 1",
    left_out="examples without a majority; pairs without both orders; proxies that are not judged",
    function=quality_baseline_table,
    has_chart=True,
    prepare=prepare_quality_baseline,
    empty="no pair with a judge's own response has both orders and a truth",
    keys=("judge", "opponent"),
    headline="ilsp_updated",
    paradigms=PAIRWISE,
    options=_BASELINE,
    fields=(
        ONE_JUDGE,
        FAMILY,
        _OPPONENT,
        share("sp", "mean share of votes for its own response"),
        share("acc", "share of examples in which its own response is better"),
        share("bias", "SP - Acc"),
        share("ilsp", "mean share for its own response where it is worse"),
        share("lsp", "mean share for its own response where it is better"),
        count("n_examples", "examples with a vote and a truth"),
        count("n", "examples of the subset with a proxy"),
        share("ilsp_matched", "mean share for its own response in these"),
        Field("ilsp_updated", "share", "T: the same less the proxies' mean share", interval=True, null=0.0),
        Field("se", "number", "standard error of T, naive: it takes examples as independent"),
        Field("t_stat", "number", "T / se"),
        Field("p", "number", "one-sided p of the paired t-test, naive"),
        Field("p_adjusted", "number", "the same adjusted over judges"),
        Field("relative_change", "number", "percent by which T differs from ILSP matched", interval=True),
        Field("entropy_self", "number", "mean entropy in bits of votes on its own response", interval=True),
        Field("entropy_proxy", "number", "mean entropy of votes on proxies", interval=True),
        Field("entropy_gap", "number", "mean entropy where it lost less where it won", interval=True),
        Field("entropy_correlation", "number", "correlation of the two entropies over examples"),
        Field("proxy_win_rate", "share", "the proxies' accuracies, each as often as it stands in"),
        count("n_proxies", "proxies of all examples together"),
        Field(
            "all_minus_out_of_family",
            "share",
            "T with all proxies minus T with those outside the family",
            interval=True,
            null=0.0,
        ),
        Field("coverage", "list", "share of the subset with at least 1, 2, ... proxies"),
        Field("t_by_proxies", "list", "T with 1, 2, ... proxies drawn, mean over 20 seeds"),
        Field("t_by_proxies_se", "list", "its standard error over seeds"),
        SMALL,
    ),
)

BASELINE_SUMMARY = Measure(
    name="quality-baseline-summary",
    title="Summary of the quality baseline",
    question="How much of self-preference is left, over all judges, beyond the baseline?",
    formula="means, shares and correlations over the rows of quality-baseline that have a proxy",
    paper=f"{_EQB}, section 5 and Figure 4",
    left_out="rows without an example that has a proxy",
    function=baseline_summary_table,
    prepare=prepare_quality_baseline,
    empty="no pair with a judge's own response has both orders and a truth",
    keys=("scope",),
    headline="mean_relative_change",
    paradigms=PAIRWISE,
    options=_BASELINE,
    fields=(
        key("scope", "`pooled`: a row for each judge; `opponent`: a row for each judge and opponent"),
        count("n_rows", "rows with an example that has a proxy"),
        Field("mean_relative_change", "number", "mean of their relative changes, in percent", interval=True),
        Field("share_not_positive", "share", "share of rows with T at or below 0"),
        Field("share_significant", "share", "share of tested rows with p below 0.05"),
        Field("share_significant_adjusted", "share", "the same with adjusted p"),
        Field("rank_correlation", "number", "Spearman's rho of ILSP matched and T over rows"),
        Field(
            "fairness_correlation", "number", "Pearson's r of accuracy and the proxies' win rate over rows"
        ),
    ),
)

DBG = Measure(
    name="dbg",
    title="DBG score",
    question="How much oftener does a judge let its own response win than gold judges do?",
    formula="DBG = share won by the judge - share won by the gold judges, ties one half",
    paper="dbg-score, section 2",
    left_out="pairs without both orders, and those that no gold judge speaks of",
    function=dbg_table,
    has_chart=True,
    prepare=prepare_dbg,
    empty="no pair with a judge's own response has both orders and a gold judge",
    keys=("judge", "opponent"),
    headline="dbg",
    paradigms=PAIRWISE,
    options=(
        _GOLD,
        Option(
            "length_ratio", "number", "only pairs whose words differ by at most this |ln ratio|, such as 0.1"
        ),
        Option("panels", "switch", "DBG under every panel of the gold judges too", False),
    ),
    fields=(
        ONE_JUDGE,
        FAMILY,
        _OPPONENT,
        *_wins("", "items", Field("dbg", "share", "the difference", interval=True, null=0.0)),
        *_wins(
            "_decided",
            "the items that the judge decided",
            Field("dbg_decided", "share", "the difference", interval=True, null=0.0),
        ),
        Field("dbg_soft", "share", "mean probability less the gold judges' mean vote", interval=True),
        share("flip_rate", "of pairs whose orders both name a winner, those that name two different ones"),
        count("ties", "items that the judge did not decide"),
        count("n", "items"),
        count("n_decided", "items that the judge decided"),
        count("n_soft", "items with probabilities"),
        share("win_share", "share of items won"),
        share("tie_share", "share of items tied"),
        share("lose_share", "share of items lost"),
        count("gold_judges", "gold judges and people; 0 where the reference's scores decide"),
        Field("dbg_least", "share", "the least DBG over all subsets of the gold judges"),
        Field("dbg_greatest", "share", "the greatest"),
        Field("panels", "list", "every panel of the gold judges, its members joined by +"),
        Field("dbg_by_panel", "list", "DBG under each of these panels"),
        Field("size_b", "number", "the judge's parameters in billions"),
        key("stage", "how far the judge was trained"),
        SMALL,
    ),
)

VOTES = Measure(
    name="votes",
    title="Who votes for whom",
    question="Whose responses does each judge choose, and how does it rank the models?",
    formula="share of votes won; Bradley-Terry: P(i over j) = p_i / (p_i + p_j), strength = log p",
    paper="Bradley and Terry 1952",
    left_out="pairs without both orders, and judgments without a choice",
    function=votes_table,
    has_chart=True,
    prepare=prepare_votes,
    empty="no pair was judged in both orders",
    keys=("judge", "generator"),
    headline="win_rate",
    paradigms=PAIRWISE,
    fields=(
        ONE_JUDGE,
        key("generator", "the model whose responses it voted on"),
        share("win_rate", "share of its votes that the model won, a tie half a vote"),
        Field("strength", "number", "the model's log-strength by this judge's votes", interval=True),
        Field("rank", "number", "its place by that, 1 the highest", interval=True),
        count("n", "pairs that the judge voted on with a response of the model"),
        SMALL,
    ),
)

GOLD_ENTRIES = (QUALITY_BASELINE, BASELINE_SUMMARY, DBG, VOTES)
