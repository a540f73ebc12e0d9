"""Self-preference in pairs of which the truth is known (MEASURES sections 10 and 11)."""

from engine.measures.catalogue.declare import (
    FAMILY,
    ONE_JUDGE,
    PAIRWISE,
    SMALL,
    Field,
    Measure,
    Option,
    count,
    key,
    share,
)

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
    module="engine.measures.quality_baseline",
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
    module="engine.measures.baseline_summary",
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
    module="engine.measures.dbg",
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

ENTRIES = (QUALITY_BASELINE, BASELINE_SUMMARY, DBG)
