"""Self-preference in judged pairs (MEASURES sections 9 to 11)."""

from engine.measures.catalogue.declare import FAMILY, SMALL, Field, Measure, Option, count, key, share

_JUDGE = key("judge", "the judge")
_PAIRWISE = ("pairwise",)
_EQP = "equal-quality-pairs"

_QUALITY = (
    Option("quality", "name", "what quality is taken from", "judges", ("judges", "reference")),
    Option("quality_judges", "names", "whose scores count; else all who are not rated themselves", ()),
)
_EQUAL = (
    Option("epsilon", "number", "largest difference of quality between equals", 0.25),
    Option(
        "third_party",
        "name",
        "whether a judge's relatives are third parties",
        "all",
        ("all", "out_of_family"),
    ),
    Option(
        "null_pairs", "name", "null pairs drawn, ten for each question, or all", "drawn", ("drawn", "all")
    ),
    Option("two_stage", "switch", "resample the pairs within a resampled question too", False),
)
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
    section="MEASURES 9",
    left_out="pairs without both orders; responses that lack a quality score",
    module="engine.measures.equal_quality",
    keys=("judge",),
    headline="spb",
    paradigms=_PAIRWISE,
    options=(*_QUALITY, *_EQUAL, _BINOMIAL),
    fields=(
        _JUDGE,
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
        Field("binomial_p", "number", "one-sided p of firm self-choices against Null-PIR, naive"),
        Field("significant", "flag", "at least two of the z, binomial and bootstrap tests reject at 0.05"),
        share("pir_family", "share of pairs of a relative and an outsider in which it chose the relative"),
        Field("spb_family", "share", "the same less Null-PIR", interval=True, null=0.0),
        count("n_family_pairs", "pairs of a relative's response and an outsider's"),
        SMALL,
        count("judges_significant", "judges of this slice significant with SPB above 0"),
        Field("mean_spb_significant", "share", "their mean SPB"),
        Field("quality_judges", "list", "whose scores are the quality"),
        Field("quality_judges_kin", "list", "those of them that are kin to a model they rate"),
    ),
)

DISCRIMINABILITY = Measure(
    name="discriminability",
    title="Discriminability",
    question="Does a judge find the better of two responses that are far apart?",
    formula="D = correct / answers on pairs whose quality differs by at least the gap",
    paper=f"{_EQP}, equation 1 and Table 6",
    section="MEASURES 9",
    left_out="pairs with the judge's own response; answers that are not ok",
    module="engine.measures.discriminability",
    keys=("judge",),
    headline="d",
    paradigms=_PAIRWISE,
    options=(*_QUALITY, *_CONTRAST),
    fields=(
        _JUDGE,
        FAMILY,
        _D,
        count("correct", "answers that name the better response"),
        count("n", "ok answers"),
        Field("p", "number", "chance of as many by guessing, naive"),
        SMALL,
    ),
)

ARCHETYPES = Measure(
    name="archetypes",
    title="Archetypes",
    question="Is a judge able and fair, able and partial, or not able?",
    formula="D below 0.80: Incompetent Randomizer; else by SPB: Blindly Biased, Objective, Machiavellian",
    paper=f"{_EQP}, section 3.5 and Table 6",
    section="MEASURES 9",
    left_out="as in equal-quality and discriminability",
    module="engine.measures.archetypes",
    keys=("judge",),
    headline="spb",
    paradigms=_PAIRWISE,
    options=(*_QUALITY, *_EQUAL, _BINOMIAL, *_CONTRAST),
    fields=(
        _JUDGE,
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
    section="MEASURES 9",
    left_out="pairs that count in one of the variants only",
    module="engine.measures.mitigation",
    keys=("judge", "variant"),
    headline="reduction",
    paradigms=_PAIRWISE,
    options=(
        Option(
            "variants", "names", "variants compared; else cot, structured and pointwise where they are", ()
        ),
        *_QUALITY,
        *_EQUAL,
        *_CONTRAST,
    ),
    fields=(
        _JUDGE,
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
        _D,
        share("d_baseline", "the same share in the baseline"),
        Field("d_change", "share", "D in the variant minus D in the baseline", interval=True, null=0.0),
        count("n_contrast", "pairs far apart that are answered in both"),
        Field("cost_ratio", "ratio", "cost of a verdict in the variant / in the baseline"),
    ),
)

_GOLD = Option("gold", "names", "gold judges and people whose preferences count; else all", ())
_OPPONENT = key("opponent", "the model compared with; none on the pooled row")


def _wins(suffix: str, of: str, dbg: Field) -> tuple[Field, ...]:
    """Return the win rates of some items, and what they differ by."""
    return (
        share(f"win_rate{suffix}", f"share of {of} that its own response wins, ties one half"),
        share(f"gold_win_rate{suffix}", "the same by the gold judges, or by the reference's scores"),
        dbg,
    )


QUALITY_BASELINE = Measure(
    name="quality-baseline",
    title="Evaluator quality baseline",
    question="Does a judge prefer its own worse response more than it prefers others' worse responses?",
    formula="T = mean over lost examples of s(own) - mean over proxies of s(proxy), s the share voted for",
    paper="evaluator-quality-baseline, equations 1 to 12 and Table 1",
    section="MEASURES 10",
    left_out="examples without a majority; pairs without both orders; proxies that are not judged",
    module="engine.measures.quality_baseline",
    keys=("judge", "opponent"),
    headline="ilsp_updated",
    paradigms=_PAIRWISE,
    options=(
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
    ),
    fields=(
        _JUDGE,
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

DBG = Measure(
    name="dbg",
    title="DBG score",
    question="How much oftener does a judge let its own response win than gold judges do?",
    formula="DBG = share won by the judge - share won by the gold judges, ties one half",
    paper="dbg-score, section 2",
    section="MEASURES 11",
    left_out="pairs without both orders, and those that no gold judge speaks of",
    module="engine.measures.dbg",
    keys=("judge", "opponent"),
    headline="dbg",
    paradigms=_PAIRWISE,
    options=(
        _GOLD,
        Option(
            "length_ratio", "number", "only pairs whose words differ by at most this |ln ratio|, such as 0.1"
        ),
    ),
    fields=(
        _JUDGE,
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
        Field("size_b", "number", "the judge's parameters in billions"),
        key("stage", "how far the judge was trained"),
        SMALL,
    ),
)

ENTRIES = (EQUAL_QUALITY, DISCRIMINABILITY, ARCHETYPES, MITIGATION, QUALITY_BASELINE, DBG)
