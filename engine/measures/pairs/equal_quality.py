"""`equal-quality`: firm choices of one's own response among equals, against a null (MEASURES section 9)."""

from collections.abc import Mapping

import numpy as np

from engine.arrays.bits.confusion import Resampled, combine
from engine.arrays.pairs.judged_pairs import judged_pairs, kept_mask
from engine.arrays.pairs.pair_quality import Quality
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import judge_columns
from engine.measures.entry import ADDED, OF_JUDGE, PAIRWISE, SMALL, Field, Measure, Option
from engine.measures.finished_rows import plain
from engine.measures.pairs.labelled_pairs import quality_of_pairs
from engine.measures.pairs.pair_options import (
    BINOMIAL_OPTION,
    EQP,
    EQUAL_OPTIONS,
    MEAN_QUALITY,
    QUALITY_OR_PEOPLE,
    SPB_FIELD,
)
from engine.measures.pairs.pair_sets import (
    PairTally,
    adjusted_p,
    at_epsilon,
    count_left_out,
    prepare_pairs,
    sets_of,
    tally,
)
from engine.measures.quality.annotators import epsilons_of
from engine.measures.rows import FEW, Column, Options, Table, first_reason
from engine.stats import Bools, Floats
from engine.stats.intervals.added_cases import OF_A_DIFFERENCE, OF_A_SHARE, padded_share
from engine.stats.intervals.bootstrap import percentile_interval, resample
from engine.stats.pairs import equal_pairs
from engine.stats.ratios import mean_of_defined, rate

BY_EPSILON = ("spb_by_epsilon", "spb_by_epsilon_low", "spb_by_epsilon_high", "n_pairs_by_epsilon")


def equal_quality_table(view: SliceView, options: Options) -> Table:
    quality = quality_of_pairs(view, options)
    cube = view.pair_cube
    pairs = judged_pairs(view, cube.rows, cube.pairs).both_ways()

    def counts_at(epsilon: float) -> dict[str, PairTally]:
        return tally(view, pairs, sets_of(view, quality, pairs, {**options, "epsilon": epsilon}))

    counts = counts_at(options["epsilon"])
    n_pairs = counts["pir"].number + counts["null_pir"].number
    instances = int(n_pairs.any(axis=0).sum())
    keep = np.asarray(n_pairs.any(axis=1))
    columns = judge_columns(view) | shares(view, counts, options)
    columns["mean_quality"] = mean_quality(view, quality)
    known_null = options["binomial"] == "known"
    columns |= significance_tests(view, counts, columns["spb"], instances, known_null=known_null)
    columns |= {f"{name}_adjusted": adjusted_p(columns[name]) for name in ("z_p", "binomial_p")}
    columns |= _summary(columns, keep)
    columns |= {
        "small": Column(list(counts["pir"].number.sum(axis=1) < FEW)),
        "quality_judges": Column([list(quality.judges)] * len(keep)),
        "quality_judges_kin": Column([list(quality.relatives)] * len(keep)),
    }
    epsilons = epsilons_of(options.get("epsilons", ()))
    columns["epsilons"] = Column([list(epsilons)] * len(keep))
    tables = [shares(view, counts_at(epsilon), options) for epsilon in epsilons]
    numbers = [(table["spb"].values, *_ends(table["spb"]), table["n_pairs"].values) for table in tables]
    for place, name in enumerate(BY_EPSILON):  # a list in each row, with an entry for each epsilon
        columns[name] = Column([[plain(each[place][row]) for each in numbers] for row in range(len(keep))])
    left_out = count_left_out(view, cube, quality, at_epsilon(quality, options["epsilon"]))
    return Table(columns, keep, instances, left_out)


def _ends(column: Column) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of a column, NaN without resamples."""
    if column.draws is None:
        return (np.full(len(column.values), np.nan),) * 2
    interval = percentile_interval(column.draws)
    return interval.low, interval.high


def mean_quality(view: SliceView, quality: Quality) -> Column:
    """Return the mean Q of each judge's own responses in the slice."""
    row = np.arange(len(view.judges))
    q = quality.values[np.minimum(row, len(quality.values) - 1), view.judges]
    has_quality = kept_mask(view, view.judges) & ~np.isnan(q)
    total = Resampled.over_instances(np.where(has_quality, q, 0.0), view.weights)
    number = Resampled.over_instances(has_quality.astype(np.int64), view.weights)
    return Column(*combine(rate, total, number), "no_own_response_with_a_quality")


def shares(view: SliceView, counts: Mapping[str, PairTally], options: Options) -> dict[str, Column]:
    """Return PIR, Null-PIR and their differences, with their draws and the pairs behind them."""
    firm = {name: part.firm.sum(axis=1) for name, part in counts.items()}
    number = {name: part.number.sum(axis=1) for name, part in counts.items()}
    rates = {name: rate(firm[name], number[name]) for name in counts}
    draws = _draws(view, counts, options)
    no_own, no_null = (number["pir"] == 0, "no_equal_quality_pair"), (number["null_pir"] == 0, "no_null_pair")
    no_family = (number["pir_family"] == 0, "no_pair_of_relatives")
    why = {"pir": [no_own], "null_pir": [no_null], "spb": [no_own, no_null]}
    why |= {"pir_family": [no_family], "spb_family": [no_family, no_null]}
    for name, part in (("spb", "pir"), ("spb_family", "pir_family")):
        rates[name] = rates[part] - rates["null_pir"]
    columns = {name: Column(rates[name], draws.get(name), first_reason(*why[name])) for name in why}
    return columns | {
        "n_pairs": Column(number["pir"]),
        "n_null_pairs": Column(number["null_pir"]),
        "n_family_pairs": Column(number["pir_family"]),
        "firm_self": Column(firm["pir"]),
        "firm_null": Column(firm["null_pir"]),
    }


def _draws(view: SliceView, counts: Mapping[str, PairTally], options: Options) -> dict[str, Floats]:
    """Return the draws of shares and differences, with cases added unless pairs are resampled too."""
    if view.weights is None:
        return {}
    rng = np.random.default_rng(options["seed"])
    parts = {name: (part.firm, part.number) for name, part in counts.items()}
    if options["two_stage"]:
        draws = {name: equal_pairs.two_stage(*part, view.weights, rng) for name, part in parts.items()}
        of_differences = draws
    else:
        sums = {name: [resample(each, view.weights) for each in part] for name, part in parts.items()}
        draws, of_differences = (
            {name: padded_share(firm, number, each, rng) for name, (firm, number) in sums.items()}
            for each in (OF_A_SHARE, OF_A_DIFFERENCE)
        )
    null = of_differences["null_pir"]
    differences = {"spb": of_differences["pir"] - null, "spb_family": of_differences["pir_family"] - null}
    return draws | differences


def significance_tests(
    view: SliceView, counts: Mapping[str, PairTally], spb: Column, instances: int, *, known_null: bool
) -> dict[str, Column]:
    """Return the three tests of SPB and whether two of them reject; with few instances no p-values."""
    own, null = counts["pir"], counts["null_pir"]
    firm, n, null_firm, m = (part.sum(axis=1) for part in (own.firm, own.number, null.firm, null.number))
    few = np.full(len(n), instances < view.request.spec.min_instances)
    z = equal_pairs.two_proportion_z(firm, n, null_firm, m)
    z_p = np.where(few, np.nan, equal_pairs.one_sided_p(z))
    binomial = np.where(few, np.nan, equal_pairs.binomial_p(firm, n, null_firm, m, exact=known_null))
    missing = [(n == 0, "no_equal_quality_pair"), (m == 0, "no_null_pair")]
    constant = [(np.isnan(z), "all_choices_alike"), (few, "too_few_instances")]
    level = (np.asarray(spb.values) == 0, "spb_is_zero")
    edge = ((null_firm == 0) | (null_firm == m), "null_pir_is_0_or_1")
    return {
        "z": Column(z, reasons=first_reason(*missing, *constant)),
        "z_p": Column(z_p, reasons=first_reason(*missing, *constant)),
        "binomial_p": Column(binomial, reasons=first_reason(*missing, edge, level, constant[1])),
        "significant": Column(equal_pairs.significant(z_p, binomial, *_ends(spb))),
    }


def _summary(columns: Mapping[str, Column], keep: Bools) -> dict[str, Column]:
    """Return how many judges prefer themselves significantly, and their mean SPB, the same in every row."""
    spb = np.asarray(columns["spb"].values)
    with np.errstate(invalid="ignore"):
        sure = keep & np.asarray(columns["significant"].values) & (spb > 0)
    mean = mean_of_defined(np.where(sure, spb, np.nan))
    return {
        "judges_significant": Column([int(sure.sum())] * len(spb)),
        "mean_spb_significant": Column(np.full(len(spb), mean), reasons="no_judge_significant"),
    }


_EPSILONS = Option("epsilons", "names", "also give SPB at these epsilons, such as 0.1,0.25,0.5", ())

EQUAL_QUALITY = Measure(
    name="equal-quality",
    title="Equal-quality pairs",
    question="Of two answers of equal quality, how much more often does a judge firmly choose its own?",
    formula="SPB = PIR - Null-PIR: shares of pairs in which the target is chosen in both orders: the judge's "
    "own answer, and in null pairs, of two others as good as each other and as its own, each in turn",
    paper=f"{EQP}, equations 2 to 8 and Table 3",
    left_out="pairs judged in one order only; answers without a quality score",
    function=equal_quality_table,
    chart="firm-choices",
    prepare=prepare_pairs,
    empty="no two answers of equal quality are judged in both orders",
    headline="spb",
    paradigms=PAIRWISE,
    options=(*QUALITY_OR_PEOPLE, *EQUAL_OPTIONS, _EPSILONS, BINOMIAL_OPTION),
    intervals={ADDED: ("pir", "null_pir", "spb", "pir_family", "spb_family")},
    fields=(
        *OF_JUDGE,
        MEAN_QUALITY,
        entry.share(
            "pir",
            "share of pairs with a third party in which it chose its own answer in both orders",
            title="PIR",
        ),
        entry.share(
            "null_pir",
            "share of null pairs in which it chose the target in both orders",
            title="Null-PIR",
        ),
        SPB_FIELD,
        entry.count("n_pairs", "pairs of its own answer and another of equal quality"),
        entry.count(
            "n_null_pairs", "pairs of third parties, as good as its own answer too, with each as target once"
        ),
        entry.count("firm_self", "pairs in which it chose its own answer in both orders"),
        entry.count("firm_null", "null pairs in which it chose the target in both orders"),
        entry.number(
            "z", "z of the two-proportion test; naive: it treats pairs of one question as independent"
        ),
        entry.number("z_p", "one-sided p-value of z, in the direction of SPB", title="p, z (naive)"),
        entry.number("z_p_adjusted", "p-value of z, adjusted over judges"),
        entry.number(
            "binomial_p",
            "one-sided p-value of its firm choices of itself against Null-PIR; naive",
            title="p, binomial (naive)",
        ),
        entry.number("binomial_p_adjusted", "p-value of the binomial test, adjusted over judges"),
        Field("significant", "flag", "at least two of the z, binomial and bootstrap tests reject at 0.05"),
        entry.share(
            "pir_family",
            "share of pairs of a family model and another model in which it chose the family model",
            title="PIR for its family",
        ),
        entry.difference(
            "spb_family",
            "pir_family - Null-PIR; above 0 the judge prefers its family",
            title="SPB for its family",
        ),
        entry.count("n_family_pairs", "pairs of a family model's answer and another model's"),
        SMALL,
        entry.count("judges_significant", "judges in this slice with significant SPB above 0"),
        entry.portion("mean_spb_significant", "mean SPB of the significant judges"),
        Field("quality_judges", "list", "judges whose scores set the quality"),
        Field("quality_judges_kin", "list", "quality judges that share a family with a model they rate"),
        Field("epsilons", "list", "the values of --epsilons"),
        Field("spb_by_epsilon", "list", "SPB at each epsilon, null where undefined", members="difference"),
        Field(
            "spb_by_epsilon_low",
            "list",
            "lower ends of the intervals of spb_by_epsilon",
            members="difference",
        ),
        Field(
            "spb_by_epsilon_high",
            "list",
            "upper ends of the intervals of spb_by_epsilon",
            members="difference",
        ),
        Field("n_pairs_by_epsilon", "list", "pairs with its own answer at each epsilon", members="count"),
    ),
)
