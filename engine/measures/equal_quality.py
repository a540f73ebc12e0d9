"""Pairs of equal quality: self-preference, whether a judge recognizes quality at all, archetypes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.arrays.confusion import Resampled, combine
from engine.arrays.judged_pairs import JudgedPairs, by_judge, judged_pairs, kept_mask, prefer_variant
from engine.arrays.left_out import in_slice, pairs_left_out
from engine.arrays.pair_outcomes import Answers, PairCube, single_answers
from engine.arrays.pair_quality import Quality
from engine.arrays.references import NONE
from engine.arrays.stored_pairs import StoredPairs
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures.columns import ByJudge, judge_columns, share_of_few
from engine.measures.people import epsilons_of, quality_of_pairs
from engine.measures.rows import FEW, Column, Options, Table, first_reason, plain
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, archetypes, equal_pairs
from engine.stats.added_cases import OF_A_DIFFERENCE, OF_A_SHARE, padded_share
from engine.stats.adjusted_p import benjamini_hochberg
from engine.stats.bootstrap import percentile_interval, resample
from engine.stats.equal_pairs import at_least
from engine.stats.ratios import mean_of_defined, rate
from engine.stats.seeded_draws import CONTRAST, NULL, lowest, seeded_keys

# ------------------------------------------------------------------------------
# The judged pairs that section 9's measures are computed from: own, null, of relatives, and far apart.

MOST_NULL_PAIRS = 10


def prepare_pairs(study: StudyArrays, spec: Slice, options: Options, by: str | None) -> Slice:
    """Return the slice with section 9's variant, and without a reference unless quality comes from it."""
    for name in ("epsilon", "gap"):
        if options.get(name, 0) < 0:
            raise UsageError(f"{name} {options[name]!r} is below 0; give a quality difference such as 0.25")
    if options.get("contrast_pairs", 1) < 1:
        raise UsageError(
            f"contrast_pairs {options['contrast_pairs']!r} is below 1; give a number such as 100"
        )
    spec = prefer_variant(study, spec, by, "forced", "default")
    if options["quality"] == "reference" or spec.reference is not None:
        return spec
    return Slice.of(**spec.filters() | {"reference": NONE})


@dataclass(frozen=True, eq=False)
class Tally:
    """The pairs of a set and the firm choices of their targets: counts of shape (judges, instances)."""

    firm: Ints
    number: Ints


def sets_of(view: SliceView, quality: Quality, pairs: JudgedPairs, options: Options) -> dict[str, Bools]:
    """Return which pairs of equal quality, seen from either response, each share is of (MEASURES 9)."""
    index = view.study.index
    everyone = np.arange(len(index.models))
    relations = index.relations(view.judges, everyone, view.request.exclusion.relatives)
    third = relations.unrelated_mask
    if options["third_party"] == "all":
        third = third | relations.family

    def alike(first: Ints, second: Ints) -> Bools:
        return quality.equal(pairs.row, first, second, pairs.instance, options["epsilon"])

    equal, others = alike(pairs.target, pairs.other), third[pairs.row, pairs.other]
    null = equal & third[pairs.row, pairs.target] & others
    null &= alike(pairs.target, pairs.judge) & alike(pairs.other, pairs.judge)
    family = relations.family[pairs.row, pairs.target] & relations.unrelated_mask[pairs.row, pairs.other]
    return {
        "pir": equal & (pairs.target == pairs.judge) & others,
        "null_pir": _null_pairs(view, pairs, null, options),
        "pir_family": equal & family,
    }


def _null_pairs(view: SliceView, pairs: JudgedPairs, null: Bools, options: Options) -> Bools:
    """Return the null pairs that count: stored ones if a judge has any, else a draw for each question."""
    names = (pairs.judge, pairs.instance, pairs.target, pairs.other)
    stored = stored_pairs(view, "null")
    has_stored = _has_stored(stored, pairs.judge, options)
    selected = null & has_stored & stored.holds(*names)
    free = np.flatnonzero(null & ~has_stored)
    if options["null_pairs"] == "drawn":
        keys = seeded_keys(options["seed"], NULL, *(part[free] for part in names))
        question = pairs.row[free] * view.study.index.n_instances + pairs.instance[free]
        free = free[lowest(question, keys, MOST_NULL_PAIRS)]
    selected[free] = True
    return selected


def stored_pairs(view: SliceView, purpose: str) -> StoredPairs:
    study = view.study
    return study.remember(("pairs", purpose), lambda: StoredPairs.read(study.files, study.index, purpose))


def _has_stored(stored: StoredPairs, judge: Ints, options: Options) -> Bools:
    """Return for which judges the stored pairs count: for none if people's labels decide."""
    # Stored pairs were drawn by scores, and people labelled few of them.
    return np.asarray(np.isin(judge, stored.judges) & (options["quality"] != "human"))


def tally(view: SliceView, pairs: JudgedPairs, sets: Mapping[str, Bools]) -> dict[str, Tally]:
    counts = {name: (mask & (pairs.firm == 1), mask) for name, mask in sets.items()}
    return {name: Tally(*(by_judge(view, pairs, of) for of in masks)) for name, masks in counts.items()}


def contrast_answers(
    view: SliceView, quality: Quality, answers: Answers, options: Options
) -> tuple[Ints, Ints]:
    """Count right and all answers to pairs far apart in quality, stored or drawn, by judge and instance."""
    row = np.searchsorted(view.judges, answers.judge)
    sides = (answers.generator, answers.opponent)
    better = quality.better(row, *sides, answers.instance, options["gap"])
    selected = (better != 0) & (answers.judge != sides[0]) & (answers.judge != sides[1])
    names = (answers.judge, answers.instance, *sides)
    stored = stored_pairs(view, "contrast")
    has_stored = _has_stored(stored, answers.judge, options)
    reversed_names = (answers.judge, answers.instance, sides[1], sides[0])
    selected &= ~has_stored | stored.holds(*names) | stored.holds(*reversed_names)
    free = np.flatnonzero(selected & ~has_stored)
    keys = seeded_keys(options["seed"], CONTRAST, *(part[free] for part in names))
    selected[free] = lowest(row[free], keys, options["contrast_pairs"])
    selected &= ~np.isnan(answers.answer)
    of_judge = ByJudge(view, row, answers.instance)
    return of_judge.counts(selected & (answers.answer == better)), of_judge.counts(selected)


def adjusted_p(p: Column) -> Column:
    return Column(benjamini_hochberg(np.asarray(p.values)), reasons=p.reasons)


PairFilter = Callable[[Ints, Ints, Ints, Ints], Bools]


def at_epsilon(quality: Quality, epsilon: float) -> PairFilter:
    """Return a function that marks pairs of equal quality, for `count_left_out`."""
    return lambda row, one, two, instance: quality.equal(row, one, two, instance, epsilon)


def count_left_out(view: SliceView, cube: Any, quality: Quality, relevant: PairFilter) -> Mapping[str, int]:
    """Count what is left out of pairs that are `relevant` to the measure, or have no quality."""

    def places(pairs: Any) -> tuple[Ints, Ints, Ints, Ints]:
        row = np.searchsorted(view.judges, pairs.judge)
        return row, pairs.generator, pairs.opponent, pairs.instance

    return pairs_left_out(
        view,
        cube,
        concerned=lambda pairs: relevant(*places(pairs)) | quality.unknown(*places(pairs)),
        blame=lambda pairs: [("no_quality", quality.unknown(*places(pairs)))],
    )


# ------------------------------------------------------------------------------
# `equal-quality`: firm choices of one's own response among equals, against a null (MEASURES section 9).

BY_EPSILON = ("spb_by_epsilon", "spb_by_epsilon_low", "spb_by_epsilon_high", "n_pairs_by_epsilon")


def equal_quality_table(view: SliceView, options: Options) -> Table:
    quality = quality_of_pairs(view, options)
    cube = view.pair_cube
    pairs = judged_pairs(view, cube.rows, cube.pairs).both_ways()

    def counts_at(epsilon: float) -> dict[str, Tally]:
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


def shares(view: SliceView, counts: Mapping[str, Tally], options: Options) -> dict[str, Column]:
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


def _draws(view: SliceView, counts: Mapping[str, Tally], options: Options) -> dict[str, Floats]:
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
    view: SliceView, counts: Mapping[str, Tally], spb: Column, instances: int, *, known_null: bool
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


# ------------------------------------------------------------------------------
# `discriminability`: does a judge find the better of two responses far apart (MEASURES section 9).


def discriminability_table(view: SliceView, options: Options) -> Table:
    cube = view.pair_cube
    quality = quality_of_pairs(view, options)
    correct, ok = contrast_answers(view, quality, answers_of(view, cube, options), options)
    columns = judge_columns(view) | answer_columns(view, correct, ok, options["seed"])

    def apart(row: Ints, one: Ints, two: Ints, instance: Ints) -> Bools:
        return np.asarray(quality.better(row, one, two, instance, options["gap"]) != 0)

    left_out = count_left_out(view, cube, quality, apart)
    left_out = {code: n for code, n in left_out.items() if code != "order_missing"}  # one order is enough
    return Table(columns, np.asarray(ok.any(axis=1)), int(ok.any(axis=0).sum()), left_out)


def answers_of(view: SliceView, cube: PairCube, options: Options) -> Answers:
    """Return the single answers to the pairs that are shown and kept."""
    answers = single_answers(cube, options["seed"])
    return answers.select(in_slice(view, answers))


def answer_columns(view: SliceView, correct: Ints, ok: Ints, seed: int) -> dict[str, Column]:
    """Return D with its draws, which have cases added, the counts, and the chance of as many by guessing."""
    right, total = (Resampled.over_instances(part, view.weights) for part in (correct, ok))
    none = total.total == 0
    few = np.full(len(none), ok.any(axis=0).sum() < view.request.spec.min_instances)
    nothing = (none, "no_contrast_pair")
    values = np.where(few, np.nan, at_least(right.total, total.total, 0.5))
    p = Column(values, reasons=first_reason(nothing, (few, "too_few_instances")))
    return {
        "d": share_of_few(right, total, seed, first_reason(nothing)),
        "correct": Column(right.total),
        "n": Column(total.total),
        "p": p,
        "p_adjusted": adjusted_p(p),
        "small": Column(list(total.total < FEW)),
    }


# ------------------------------------------------------------------------------
# `archetypes`: discriminability against self-preference bias (MEASURES section 9; EQP section 3.5).

_BORDERS = (("d", archetypes.BORDER_D), ("spb", archetypes.BORDER_SPB), ("spb", -archetypes.BORDER_SPB))


def archetypes_table(view: SliceView, options: Options) -> Table:
    discernment = discriminability_table(view, options)
    preference = equal_quality_table(view, options)
    d, spb = discernment.columns["d"], preference.columns["spb"]
    values = [np.asarray(column.values, dtype=np.float64) for column in (d, spb)]
    columns = judge_columns(view) | {"d": d, "spb": spb, "mean_quality": preference.columns["mean_quality"]}
    columns |= {"n_contrast": discernment.columns["n"], "n_pairs": preference.columns["n_pairs"]}
    why = [(d if np.isnan(value) else spb).reason(row) for row, value in enumerate(values[0])]
    columns["archetype"] = Column(archetypes.archetypes(*values), reasons=why)
    columns |= _possible_archetypes(d, spb)
    left_out = dict(preference.left_out)
    for code, number in discernment.left_out.items():  # pairs far apart are not of equal quality
        if code != "no_quality":
            left_out[code] = left_out.get(code, 0) + number
    instances = max(discernment.instances, preference.instances)
    return Table(columns, discernment.keep | preference.keep, instances, left_out)


def _possible_archetypes(d: Column, spb: Column) -> dict[str, Column]:
    """Return the borders that the intervals cross, and the archetypes that they leave open."""
    if d.draws is None or spb.draws is None:
        nothing = Column([None] * len(d.values), reasons="no_resamples")
        return {"crosses": nothing, "possible": nothing}
    intervals = {"d": percentile_interval(d.draws), "spb": percentile_interval(spb.draws)}
    crosses, possible = [], []
    for row in range(len(d.values)):
        ends = {name: (interval.low[row], interval.high[row]) for name, interval in intervals.items()}
        crosses.append([f"{name} {at:g}" for name, at in _BORDERS if archetypes.crosses(*ends[name], at)])
        for name, column in (("d", d), ("spb", spb)):
            if np.isnan(ends[name][0]):  # without an interval the value itself
                ends[name] = (column.values[row], column.values[row])
        possible.append(archetypes.open_archetypes(ends["d"], ends["spb"]))
    return {"crosses": Column(crosses), "possible": Column(possible)}
