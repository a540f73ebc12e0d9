"""Self-preference in pairs of equal quality (MEASURES section 9)."""

from engine.measures.catalogue.declare import (
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

_EQP = "equal-quality-pairs"

_EQUAL = (
    EPSILON,
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
    module="engine.measures.equal_quality",
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
        Field("quality_judges_kin", "list", "those of them that are kin to a model they rate"),
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
    module="engine.measures.discriminability",
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
    module="engine.measures.archetypes",
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
    module="engine.measures.mitigation",
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

ENTRIES = (EQUAL_QUALITY, DISCRIMINABILITY, ARCHETYPES, MITIGATION)
