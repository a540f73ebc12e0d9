"""`equal-quality`: firm choices of one's own response among equals, beside a null (MEASURES section 9)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cubes.pairs import PairCube
from engine.errors import UsageError
from engine.measures.equal_pairs import Tally, adjusted, at_epsilon, left_out, sets_of, settle_slice, tally
from engine.measures.kin import relatives_of
from engine.measures.people import quality_of_pairs
from engine.measures.rows import plain
from engine.measures.table import FEW, Column, Table, first_reason
from engine.metrics import equal_quality as metrics
from engine.metrics.added_cases import OF_A_DIFFERENCE, OF_A_SHARE, drawn_share
from engine.metrics.overestimation import mean_of_defined, rate
from engine.metrics.resampling import percentile_interval
from engine.views import View
from engine.views.counted import Counted, combine
from engine.views.paired import judged_pairs, kept_of
from engine.views.quality import Quality

Floats = NDArray[np.float64]

BY_EPSILON = ("spb_by_epsilon", "spb_by_epsilon_low", "spb_by_epsilon_high", "n_pairs_by_epsilon")

prepare = settle_slice


def compute(view: View, options: Mapping[str, Any]) -> Table:
    """Return a row for each judge with a counted pair."""
    quality = quality_of_pairs(view, options)
    cube = view.cube
    assert isinstance(cube, PairCube)  # noqa: S101 - the catalogue allows pairwise judgments only
    pairs = judged_pairs(view, cube.rows, cube.paired).both_ways()

    def counts_at(epsilon: float) -> Tally:
        return tally(view, pairs, sets_of(view, quality, pairs, {**options, "epsilon": epsilon}))

    counts = counts_at(options["epsilon"])
    instances = int((counts.own + counts.null).any(axis=0).sum())
    keep = np.asarray((counts.own + counts.null).any(axis=1))
    columns = {name: Column(values) for name, values in relatives_of(view).items()}
    columns |= {"mean_quality": mean_quality(view, quality)} | shares(view, counts, options)
    known = options["binomial"] == "known"
    columns |= tests(view, counts, columns["spb"], instances, known=known)
    columns |= {f"{name}_adjusted": adjusted(columns[name]) for name in ("z_p", "binomial_p")}
    columns |= _summary(columns, keep)
    columns |= {
        "small": Column(list(counts.own.sum(axis=1) < FEW)),
        "quality_judges": Column([list(quality.judges)] * len(keep)),
        "quality_judges_kin": Column([list(quality.kin)] * len(keep)),
    }
    epsilons = epsilons_of(options.get("epsilons", ()))
    columns |= _by_epsilon(
        epsilons, [shares(view, counts_at(epsilon), options) for epsilon in epsilons], keep
    )
    lost = left_out(view, cube, quality, at_epsilon(quality, options["epsilon"]))
    return Table(columns, keep, instances, lost)


def epsilons_of(asked: Sequence[str]) -> list[float]:
    """Return the epsilons named; UsageError for one that is no difference of quality."""
    found = []
    for text in asked:
        try:
            epsilon = float(text)
        except ValueError:
            epsilon = float("nan")
        if not epsilon >= 0:
            raise UsageError(
                f"epsilon {text!r} is no difference of quality of 0 or more; give such as 0.1,0.25,0.5"
            )
        found.append(epsilon)
    return list(dict.fromkeys(found))


def _by_epsilon(
    epsilons: Sequence[float], found: Sequence[Mapping[str, Column]], keep: NDArray[np.bool_]
) -> dict[str, Column]:
    """Return SPB with its interval and its pairs as lists, an entry for each epsilon."""
    rows: dict[str, list[list[Any]]] = {name: [[] for _ in keep] for name in BY_EPSILON}
    for columns in found:
        spb, n = columns["spb"], columns["n_pairs"]
        low = high = np.full(len(keep), np.nan)
        if spb.draws is not None:
            interval = percentile_interval(spb.draws)
            low, high = interval.low, interval.high
        for name, values in zip(BY_EPSILON, (spb.values, low, high, n.values), strict=True):
            for row, value in zip(rows[name], values, strict=True):
                row.append(plain(value))
    return {"epsilons": Column([list(epsilons)] * len(keep))} | {n: Column(rows[n]) for n in rows}


def mean_quality(view: View, quality: Quality) -> Column:
    """Return the mean Q of each judge's own responses in the slice."""
    row = np.arange(len(view.judges))
    q = quality.values[np.minimum(row, len(quality.values) - 1), view.judges]
    known = kept_of(view, view.judges) & ~np.isnan(q)
    total = Counted.over_instances(np.where(known, q, 0.0), view.weights)
    number = Counted.over_instances(known.astype(np.int64), view.weights)
    return Column(*combine(rate, total, number), "no_own_response_with_a_quality")


def shares(view: View, counts: Tally, options: Mapping[str, Any]) -> dict[str, Column]:
    """Return PIR, Null-PIR and what they give, with their draws and the pairs behind them."""
    own, own_firm, null, null_firm, family, family_firm = (
        Counted.over_instances(part, view.weights) for part in vars(counts).values()
    )
    parts = {"pir": (own_firm, own), "null_pir": (null_firm, null), "pir_family": (family_firm, family)}
    found = {name: rate(firm.total, number.total) for name, (firm, number) in parts.items()}
    draws = _draws(view, counts, parts, options)
    no_own, no_null = (own.total == 0, "no_equal_quality_pair"), (null.total == 0, "no_null_pair")
    no_family = (family.total == 0, "no_pair_of_relatives")
    why = {
        "pir": [no_own],
        "null_pir": [no_null],
        "spb": [no_own, no_null],
        "pir_family": [no_family],
        "spb_family": [no_family, no_null],
    }
    for name, part in (("spb", "pir"), ("spb_family", "pir_family")):
        found[name] = found[part] - found["null_pir"]
    columns = {name: Column(found[name], draws.get(name), first_reason(*why[name])) for name in why}
    numbers = {
        "n_pairs": own,
        "n_null_pairs": null,
        "n_family_pairs": family,
        "firm_self": own_firm,
        "firm_null": null_firm,
    }
    return columns | {name: Column(count.total) for name, count in numbers.items()}


def _draws(
    view: View, counts: Tally, parts: Mapping[str, tuple[Counted, Counted]], options: Mapping[str, Any]
) -> dict[str, Floats]:
    """Return the draws of each share and difference, none without resamples.

    Cases are added to them (`engine.metrics.added_cases`), but not where the pairs are resampled too.
    """
    if view.weights is None:
        return {}
    rng = np.random.default_rng(options["seed"])
    if options["two_stage"]:
        draws = {
            name: metrics.two_stage(hits, trials, view.weights, rng)
            for name, hits, trials in (
                ("pir", counts.own_firm, counts.own),
                ("null_pir", counts.null_firm, counts.null),
                ("pir_family", counts.family_firm, counts.family),
            )
        }
        of_differences = draws
    else:
        draws, of_differences = (
            {
                name: drawn_share(firm.draws, number.draws, each, rng)
                for name, (firm, number) in parts.items()
                if firm.draws is not None and number.draws is not None
            }
            for each in (OF_A_SHARE, OF_A_DIFFERENCE)
        )
    null = of_differences["null_pir"]
    differences = {"spb": of_differences["pir"] - null, "spb_family": of_differences["pir_family"] - null}
    return draws | differences


def tests(view: View, counts: Tally, spb: Column, instances: int, *, known: bool) -> dict[str, Column]:
    """Return the three tests of SPB and what two of them say together; with few instances no p-values."""
    firm, n, null_firm, m = (
        part.sum(axis=1) for part in (counts.own_firm, counts.own, counts.null_firm, counts.null)
    )
    few = np.full(len(n), instances < view.request.spec.min_instances)
    z = metrics.two_proportion_z(firm, n, null_firm, m)
    z_p = np.where(few, np.nan, metrics.one_sided_p(z))
    binomial = np.where(few, np.nan, metrics.binomial_p(firm, n, null_firm, m, known=known))
    low = high = np.full(len(z), np.nan)
    if spb.draws is not None:
        interval = percentile_interval(spb.draws)
        low, high = interval.low, interval.high
    missing = [(n == 0, "no_equal_quality_pair"), (m == 0, "no_null_pair")]
    constant = [(np.isnan(z), "all_choices_alike"), (few, "too_few_instances")]
    level = (np.asarray(spb.values) == 0, "spb_is_zero")
    edge = ((null_firm == 0) | (null_firm == m), "null_pir_is_0_or_1")
    return {
        "z": Column(z, reasons=first_reason(*missing, *constant)),
        "z_p": Column(z_p, reasons=first_reason(*missing, *constant)),
        "binomial_p": Column(binomial, reasons=first_reason(*missing, edge, level, constant[1])),
        "significant": Column(metrics.significant(z_p, binomial, low, high)),
    }


def _summary(columns: Mapping[str, Column], keep: NDArray[np.bool_]) -> dict[str, Column]:
    """Return how many judges prefer themselves significantly, and their mean SPB, the same in every row."""
    spb = np.asarray(columns["spb"].values)
    with np.errstate(invalid="ignore"):
        sure = keep & np.asarray(columns["significant"].values) & (spb > 0)
    mean = mean_of_defined(np.where(sure, spb, np.nan))
    return {
        "judges_significant": Column([int(sure.sum())] * len(spb)),
        "mean_spb_significant": Column(np.full(len(spb), mean), reasons="no_judge_significant"),
    }
