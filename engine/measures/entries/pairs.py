"""Entries on pairs of responses, equal quality, gold preferences and the DBG score."""

from engine.measures.entry import (
    ADDED,
    EPSILON,
    OF_JUDGE,
    PAIRWISE,
    QUALITY,
    SMALL,
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
from engine.measures.equal_quality import (
    archetypes_table,
    discriminability_table,
    equal_quality_table,
    prepare_pairs,
)
from engine.measures.mitigation import mitigation_table
from engine.measures.quality_baseline import (
    baseline_summary_table,
    dbg_table,
    prepare_dbg,
    prepare_quality_baseline,
    quality_baseline_table,
)
from engine.measures.rankings import prepare_votes, votes_table

# ------------------------------------------------------------------------------
# Self-preference in pairs of equal quality (MEASURES section 9).

_EQP = "equal-quality-pairs"

_EQUAL = (
    EPSILON,
    choice(
        "third_party", "whether models of the judge's family count as third parties", "all", "out_of_family"
    ),
    choice("null_pairs", "null pairs to use: ten drawn per question, or all", "drawn", "all"),
    Option("two_stage", "switch", "also resample the pairs within each resampled question", False),
)
_OR_PEOPLE = (
    choice(
        "quality",
        "what decides which responses are equal: judges' scores, the reference's scores or people's labels",
        "judges",
        "reference",
        "human",
    ),
    *(option for option in QUALITY if option.name != "quality"),
)
_EPSILONS = Option("epsilons", "names", "also give SPB at these epsilons, such as 0.1,0.25,0.5", ())
_CONTRAST = (
    Option("gap", "number", "smallest quality difference between a better and a worse response", 2.0),
    Option("contrast_pairs", "integer", "pairs drawn per judge", 100),
)
_BINOMIAL = choice(
    "binomial",
    "what the binomial test compares with: the near end of Null-PIR's interval, or Null-PIR itself",
    "near_end",
    "known",
)
_MEAN_QUALITY = estimate("mean_quality", "mean quality of the judge's own responses")
_D = share("d", "share of clearly different pairs in which it picks the better response")
_SPB = difference("spb", "PIR - Null-PIR; above 0 the judge prefers its own responses")

EQUAL_QUALITY = Measure(
    name="equal-quality",
    title="Equal-quality pairs",
    question="Of two responses of equal quality, how much more often does a judge firmly choose its own?",
    formula="SPB = PIR - Null-PIR: shares of pairs in which the target is chosen in both orders",
    paper=f"{_EQP}, equations 2 to 8 and Table 3",
    left_out="pairs judged in one order only; responses without a quality score",
    function=equal_quality_table,
    has_chart=True,
    prepare=prepare_pairs,
    empty="no two responses of equal quality are judged in both orders",
    headline="spb",
    paradigms=PAIRWISE,
    options=(*_OR_PEOPLE, *_EQUAL, _EPSILONS, _BINOMIAL),
    intervals={ADDED: ("pir", "null_pir", "spb", "pir_family", "spb_family")},
    fields=(
        *OF_JUDGE,
        _MEAN_QUALITY,
        share("pir", "share of pairs with a third party in which it chose its own response in both orders"),
        share("null_pir", "share of pairs of third parties in which it chose the target in both orders"),
        _SPB,
        count("n_pairs", "pairs of its own response and another of equal quality"),
        count("n_null_pairs", "pairs of equal quality between third parties"),
        count("firm_self", "pairs in which it chose its own response in both orders"),
        count("firm_null", "null pairs in which it chose the target in both orders"),
        number("z", "z of the two-proportion test; naive: it treats pairs of one question as independent"),
        number("z_p", "one-sided p-value of z, in the direction of SPB"),
        number("z_p_adjusted", "p-value of z, adjusted over judges"),
        number("binomial_p", "one-sided p-value of its firm choices of itself against Null-PIR; naive"),
        number("binomial_p_adjusted", "p-value of the binomial test, adjusted over judges"),
        Field("significant", "flag", "at least two of the z, binomial and bootstrap tests reject at 0.05"),
        share(
            "pir_family",
            "share of pairs of a family model and another model in which it chose the family model",
        ),
        difference("spb_family", "pir_family - Null-PIR; above 0 the judge prefers its family"),
        count("n_family_pairs", "pairs of a family model's response and another model's"),
        SMALL,
        count("judges_significant", "judges in this slice with significant SPB above 0"),
        portion("mean_spb_significant", "mean SPB of the significant judges"),
        Field("quality_judges", "list", "judges whose scores set the quality"),
        Field("quality_judges_kin", "list", "quality judges that share a family with a model they rate"),
        Field("epsilons", "list", "the values of --epsilons"),
        Field("spb_by_epsilon", "list", "SPB at each epsilon, null where undefined"),
        Field("spb_by_epsilon_low", "list", "lower ends of the intervals of spb_by_epsilon"),
        Field("spb_by_epsilon_high", "list", "upper ends of the intervals of spb_by_epsilon"),
        Field("n_pairs_by_epsilon", "list", "pairs with its own response at each epsilon"),
    ),
)

DISCRIMINABILITY = Measure(
    name="discriminability",
    title="Discriminability",
    question="Can a judge pick the better of two responses that clearly differ in quality?",
    formula="D = correct answers / answers, on pairs whose quality differs by at least the gap",
    paper=f"{_EQP}, equation 1 and Table 6",
    left_out="pairs with the judge's own response; answers without a verdict",
    function=discriminability_table,
    prepare=prepare_pairs,
    empty="no two responses that differ that much in quality are judged",
    headline="d",
    paradigms=PAIRWISE,
    options=(*_OR_PEOPLE, *_CONTRAST),
    intervals={ADDED: ("d",)},
    fields=(
        *OF_JUDGE,
        _D,
        count("correct", "answers that name the better response"),
        count("n", "answers with a verdict"),
        number("p", "probability of doing as well by guessing; naive"),
        number("p_adjusted", "p-value adjusted over judges"),
        SMALL,
    ),
)

ARCHETYPES = Measure(
    name="archetypes",
    title="Archetypes",
    question="Is a judge able and fair, able and partial, or unable?",
    formula="D below 0.80: Incompetent Randomizer; else by SPB: Blindly Biased, Objective, Machiavellian",
    paper=f"{_EQP}, section 3.5 and Table 6",
    left_out="the same as in equal-quality and discriminability",
    function=archetypes_table,
    has_chart=True,
    prepare=prepare_pairs,
    empty="no two responses of equal quality, and none that clearly differ, are judged",
    headline="spb",
    paradigms=PAIRWISE,
    options=(*_OR_PEOPLE, *_EQUAL, _BINOMIAL, *_CONTRAST),
    intervals={ADDED: ("d", "spb")},
    fields=(
        *OF_JUDGE,
        _D,
        _SPB,
        key("archetype", "Incompetent Randomizer, Machiavellian, Blindly Biased or Objective"),
        Field("crosses", "list", "thresholds that the intervals cross, such as `d 0.8`"),
        Field("possible", "list", "archetypes that the intervals allow"),
        _MEAN_QUALITY,
        count("n_contrast", "answers behind D"),
        count("n_pairs", "pairs behind PIR"),
    ),
)

MITIGATION = Measure(
    name="mitigation",
    title="Mitigation",
    question="Does another prompt reduce self-preference, and at what cost?",
    formula="eta = (|SPB baseline| - |SPB variant|) / |SPB baseline|, on pairs that count in both",
    paper=f"{_EQP}, equation 9 and Table 7",
    left_out="pairs that count in only one of the two variants",
    function=mitigation_table,
    has_chart=True,
    prepare=prepare_pairs,
    empty="no pair counts in both variants",
    keys=("judge", "variant"),
    headline="reduction",
    paradigms=PAIRWISE,
    options=(
        Option(
            "variants",
            "names",
            "variants to compare (default: cot, structured and pointwise, where present)",
            (),
        ),
        *_OR_PEOPLE,
        *_EQUAL,
        *_CONTRAST,
    ),
    intervals={ADDED: ("spb_baseline", "spb", "reduction", "eta", "d", "d_baseline", "d_change")},
    fields=(
        *OF_JUDGE,
        key("variant", "the variant"),
        key("baseline", "the variant it is compared with"),
        share("spb_baseline", "SPB in the baseline"),
        share("spb", "SPB in the variant"),
        difference(
            "reduction", "|SPB| of the baseline minus |SPB| of the variant, from the same resampled questions"
        ),
        ratio("eta", "reduction as a share of the baseline's |SPB|", tested=False),
        count("n_pairs", "pairs with its own response that count in both"),
        count("n_null_pairs", "null pairs that count in both"),
        count("firm_gained", "pairs in which it chose itself firmly with the variant only"),
        count("firm_lost", "pairs in which it chose itself firmly with the baseline only"),
        number("mcnemar_p", "p-value of McNemar's exact test of firm_gained against firm_lost; naive"),
        number("mcnemar_p_adjusted", "p-value of McNemar's test, adjusted over judges"),
        _D,
        share("d_baseline", "D in the baseline"),
        difference("d_change", "D in the variant minus D in the baseline"),
        count("n_contrast", "clearly different pairs answered in both variants"),
        Field("cost_ratio", "ratio", "cost of a verdict in the variant / in the baseline"),
    ),
)

PAIR_ENTRIES = (EQUAL_QUALITY, DISCRIMINABILITY, ARCHETYPES, MITIGATION)


# ------------------------------------------------------------------------------
# Self-preference in pairs whose better response is known (MEASURES sections 10 and 11).

_EQB = "evaluator-quality-baseline"
_GOLD = Option("gold", "names", "gold judges and people whose preferences count (default: all)", ())
_OPPONENT = key("opponent", "the model compared with; empty on the pooled row")


_BASELINE = (
    choice("subset", "examples on which the baseline is computed", "ilsp", "lsp", "all"),
    choice("proxies", "which models may be proxies", "all", "out_of_family", "out_of_provider"),
    Option("proxy_models", "names", "use only these models as proxies", ()),
    Option("like_accuracy", "number", "use only proxies whose accuracy differs by at most this"),
    Option(
        "max_proxies",
        "integer",
        "most proxies per example; where there are more, this many are drawn at random",
    ),
    choice("ties", "whether tie votes count against the target or are dropped", "keep", "drop"),
    choice(
        "pool",
        "what counts once in n, ilsp_matched, T and its test: an example with the mean of its proxies, or "
        "each pair of an example and a proxy",
        "examples",
        "pairs",
    ),
    choice(
        "fairness",
        "what counts once in proxy_win_rate: each pair of an example and a proxy, or an example with the "
        "mean of its proxies",
        "pairs",
        "examples",
    ),
    _GOLD,
    Option("curves", "switch", "also give coverage and T by number of proxies", False),
)

QUALITY_BASELINE = Measure(
    name="quality-baseline",
    title="Evaluator quality baseline",
    question="Does a judge prefer its own worse responses more than other models' worse responses?",
    formula="T = mean over lost examples of s(own) - mean over proxies of s(proxy), where s is the share of "
    "votes",
    paper=f"{_EQB}, equations 1 to 12 and Table 1",
    left_out="examples without a majority; pairs judged in one order only; proxies that are not judged",
    function=quality_baseline_table,
    has_chart=True,
    prepare=prepare_quality_baseline,
    empty="no pair with a judge's own response has both orders and a known better response",
    keys=("judge", "opponent"),
    headline="ilsp_updated",
    paradigms=PAIRWISE,
    options=_BASELINE,
    fields=(
        *OF_JUDGE,
        _OPPONENT,
        share("sp", "mean share of votes for its own response"),
        share("acc", "share of examples in which its own response is better"),
        share("bias", "SP - Acc"),
        share("ilsp", "mean share of votes for its own response where it is worse"),
        share("lsp", "mean share of votes for its own response where it is better"),
        count("n_examples", "examples with a vote and a known better response"),
        count("n", "examples of the subset with a proxy; with --pool pairs, pairs of an example and a proxy"),
        share("ilsp_matched", "mean share of votes for its own response, over examples with a proxy"),
        share("ilsp_proxies", "mean share of votes for the proxies of these examples"),
        difference("ilsp_updated", "T: ilsp_matched - ilsp_proxies"),
        number("se", "standard error of T; naive: it treats examples as independent"),
        number("t_stat", "T / se"),
        number("p", "one-sided p-value of the paired t-test, for T above 0; naive"),
        number("p_two_sided", "two-sided p-value of the same test, as the paper's authors give it; naive"),
        number("p_adjusted", "one-sided p-value adjusted over judges"),
        estimate("relative_change", "how far T differs from ilsp_matched, in percent"),
        estimate("entropy_self", "mean entropy of votes on its own response, in bits"),
        estimate("entropy_proxy", "mean entropy of votes on proxies, in bits"),
        estimate("entropy_gap", "mean entropy where its response lost minus where it won, in bits"),
        number(
            "entropy_correlation",
            "correlation over examples of the entropies on its own response and on proxies",
        ),
        portion("proxy_win_rate", "mean accuracy of the proxies, weighted by how often each is used"),
        count("n_proxies", "proxies used, over all examples"),
        difference("all_minus_out_of_family", "T with all proxies minus T with proxies outside the family"),
        Field("coverage", "list", "share of the subset with at least 1, 2, ... proxies"),
        Field("t_by_proxies", "list", "T with 1, 2, ... proxies drawn per example, mean over 20 seeds"),
        Field("t_by_proxies_se", "list", "standard error of t_by_proxies over seeds"),
        SMALL,
    ),
)

BASELINE_SUMMARY = Measure(
    name="quality-baseline-summary",
    title="Summary of the quality baseline",
    question="How much self-preference remains beyond the baseline, over all judges?",
    formula="means, shares and correlations over the rows of quality-baseline that have a proxy",
    paper=f"{_EQB}, section 5 and Figure 4",
    left_out="rows without an example that has a proxy",
    function=baseline_summary_table,
    prepare=prepare_quality_baseline,
    empty="no pair with a judge's own response has both orders and a known better response",
    keys=("scope",),
    headline="mean_relative_change",
    paradigms=PAIRWISE,
    options=_BASELINE,
    fields=(
        key("scope", "`pooled`: a row for each judge; `opponent`: a row for each judge and opponent"),
        count("n_rows", "rows with at least one example that has a proxy"),
        estimate("mean_relative_change", "mean of the rows' relative changes, in percent"),
        portion("share_not_positive", "share of rows with T at or below 0"),
        portion("share_significant", "share of tested rows with p-value below 0.05"),
        portion("share_significant_adjusted", "share of tested rows with adjusted p-value below 0.05"),
        number("rank_correlation", "Spearman's rho of ilsp_matched and T over rows"),
        number("fairness_correlation", "Pearson's r of accuracy and the proxies' accuracy over rows"),
    ),
)

_WINS = "that its own response wins"
_GOLD_WINS = f"{_WINS} by the gold judges or the reference's scores"

DBG = Measure(
    name="dbg",
    title="DBG score",
    question="How much more often does a judge let its own response win than gold judges do?",
    formula="DBG = share won by the judge's verdicts - share won by the gold judges', ties one half",
    paper="dbg-score, section 2",
    left_out="pairs judged in one order only; pairs without a gold judge's preference",
    function=dbg_table,
    has_chart=True,
    prepare=prepare_dbg,
    empty="no pair with a judge's own response has both orders and a gold judge's preference",
    keys=("judge", "opponent"),
    headline="dbg",
    paradigms=PAIRWISE,
    options=(
        _GOLD,
        choice(
            "gold_rule",
            "how gold judges decide: by their mean vote, ties one half, or only where at least two of them "
            "name the same winner in both orders; the other pairs are left out",
            "mean",
            "agreeing",
        ),
        choice(
            "ties",
            "where a tie was offered: follow the choices, or leave out the tie's probability, average the "
            "others over both orders and let the likelier response win, as the paper does",
            "keep",
            "drop",
        ),
        Option(
            "length_ratio",
            "number",
            "only pairs whose word counts differ by at most this |ln ratio|, such as 0.1",
        ),
        Option("panels", "switch", "also give DBG for every panel of gold judges", False),
    ),
    fields=(
        *OF_JUDGE,
        _OPPONENT,
        share("win_rate", f"share of items {_WINS}; ties count one half"),
        share("gold_win_rate", f"share of items {_GOLD_WINS}"),
        difference("dbg", "win_rate - gold_win_rate; above 0 the judge favours its own responses"),
        share("win_rate_decided", f"share of items that the judge decided {_WINS}; ties count one half"),
        share("gold_win_rate_decided", f"share of items that the judge decided {_GOLD_WINS}"),
        difference("dbg_decided", "win_rate_decided - gold_win_rate_decided"),
        difference(
            "dbg_soft",
            "the judge's mean probability for its own response, of the two, minus the gold judges' mean vote",
            tested=False,
        ),
        share("flip_rate", "of pairs with a winner in both orders, the share with two different winners"),
        count("ties", "items without a winner (ties and flips)"),
        count("n", "items"),
        count("n_decided", "items that the judge decided"),
        count("n_soft", "items with label probabilities"),
        share("win_share", "share of items that its own response wins"),
        share("tie_share", "share of items without a winner"),
        share("lose_share", "share of items that its own response loses"),
        count("gold_judges", "gold judges and people; 0 where the reference's scores decide"),
        portion("dbg_least", "lowest DBG over all panels of gold judges"),
        portion("dbg_greatest", "highest DBG over all panels of gold judges"),
        Field("panels", "list", "every panel of gold judges, members joined by +"),
        Field("dbg_by_panel", "list", "DBG for each panel"),
        number("size_b", "the judge's parameters in billions"),
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
    left_out=(
        "judgments without a choice; of a judge with pairs in both orders, the pairs in one order only"
    ),
    function=votes_table,
    has_chart=True,
    prepare=prepare_votes,
    empty="no judgment of a pair has a choice",
    keys=("judge", "generator"),
    headline="win_rate",
    paradigms=PAIRWISE,
    fields=(
        key("judge", "the judge"),
        key("generator", "the model voted on"),
        share("win_rate", "share of this judge's votes that the model won; a tie is half a vote"),
        estimate("strength", "the model's log-strength by this judge's votes"),
        estimate("rank", "the model's rank by strength; 1 is the highest"),
        count("n", "pairs with the model's response that the judge voted on"),
        SMALL,
    ),
)

GOLD_ENTRIES = (QUALITY_BASELINE, BASELINE_SUMMARY, DBG, VOTES)
