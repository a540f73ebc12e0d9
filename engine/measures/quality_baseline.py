"""`quality-baseline`: self-preference beyond what a judge gives to others as wrong (MEASURES section 10)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.cubes.pairs import PairCube
from engine.errors import UsageError, unknown
from engine.measures.opponents import ByOpponent, means
from engine.measures.proxies import Matched, proxy_columns
from engine.measures.table import FEW, Column, Table, first_reason
from engine.metrics import quality_baseline as metrics
from engine.metrics.agreement import weighted_pearson
from engine.metrics.resampling import benjamini_hochberg
from engine.slices import Slice
from engine.views import View
from engine.views.examples import (
    Examples,
    Proxies,
    accuracies,
    chosen_proxies,
    examples_of,
    proxies_of,
    voted_cube,
    voted_pairs,
)
from engine.views.gold import Gold, settle_truth
from engine.views.paired import pairs_left_out, prefer_variant

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_NO_PROXY = "no_example_with_a_proxy"


def prepare(study: "StudyArrays", spec: Slice, options: Mapping[str, Any], by: str | None) -> Slice:
    """Return the slice with section 10's variant and truth; UsageError for an option out of range."""
    for name in options["proxy_models"]:
        if name not in study.index.models:
            raise unknown("proxy model", name, study.index.models)
    most, alike = options["max_proxies"], options["like_accuracy"]
    if most is not None and most < 1:
        raise UsageError(f"max_proxies {most!r} is below 1; give the most proxies for an example such as 3")
    if alike is not None and alike < 0:
        raise UsageError(f"like_accuracy {alike!r} is below 0; give the largest difference such as 0.05")
    return settle_truth(study, prefer_variant(study, spec, by, "forced_tie", "forced", "default"))


def compute(view: View, options: Mapping[str, Any]) -> Table:
    """Return rows for each judge: all opponents pooled, then each opponent."""
    cube = view.cube
    assert isinstance(cube, PairCube)  # noqa: S101 - the catalogue allows pairwise judgments only
    gold = Gold(view, tuple(options["gold"]), options.get("rewritten"))
    voted, against = voted_cube(view, cube, options["ties"])
    pairs = voted_pairs(view, voted, against)
    examples = examples_of(pairs, gold)
    every = proxies_of(view, pairs, examples, gold)
    chosen = chosen_proxies(view, gold, examples, every, options)
    rows = ByOpponent(view, examples.row, examples.instance, examples.opponent)
    matched = Matched(examples, chosen, _subset(examples, options["subset"]))
    columns = rows.names() | _shares(rows, examples) | _baseline(rows, matched)
    columns |= _entropies(rows, examples, matched)
    columns |= _fairness(view, rows, gold, matched) | _by_family(view, rows, examples, every, matched.subset)
    columns |= proxy_columns(rows, matched, options)
    keep = np.asarray(columns["n_examples"].values) > 0
    columns["p_adjusted"] = _adjusted(columns, keep)
    lost = pairs_left_out(
        view,
        voted,
        lambda told: (told.judge == told.generator) | (told.judge == told.opponent),
        lambda told: gold.blame(told, ties=True),
    )
    return Table(columns, keep, len(np.unique(examples.instance)), lost)


def _subset(examples: Examples, name: str) -> Bools:
    """Return the examples that the baseline is taken on."""
    if name == "all":
        return np.ones(len(examples), dtype=bool)
    return np.asarray(examples.truth == (1 if name == "lsp" else 0))


def _shares(rows: ByOpponent, examples: Examples) -> dict[str, Column]:
    """Return SP, Acc, Bias, ILSP and LSP (EQB equations 2 to 5)."""
    own, won = examples.share, examples.truth == 1
    number, wins, losses = (rows.add(part) for part in (np.ones(len(examples), dtype=bool), won, ~won))
    found = {
        "sp": (means(rows.add(own), number), "no_example"),
        "acc": (means(wins, number), "no_example"),
        "bias": (means(rows.add(own - examples.truth), number), "no_example"),
        "ilsp": (means(rows.add(own * ~won), losses), "no_example_that_it_lost"),
        "lsp": (means(rows.add(own * won), wins), "no_example_that_it_won"),
    }
    columns = {name: Column(*value, reason) for name, (value, reason) in found.items()}
    return columns | {"n_examples": Column(number.total), "small": Column(list(losses.total < FEW))}


def _baseline(rows: ByOpponent, matched: Matched) -> dict[str, Column]:
    """Return ILSP before and after the baseline, with the paired t-test (EQB equations 7 to 9)."""
    number = rows.add(matched.mask)
    before = means(rows.add(np.where(matched.mask, matched.examples.share, 0.0)), number)
    total = rows.add(matched.delta)
    after = means(total, number)
    test = metrics.paired_t(total.total, _squares(rows, matched, after[0]), number.total)
    few = np.full(rows.size, _instances(matched) < rows.view.request.spec.min_instances)
    none, one = (number.total == 0, _NO_PROXY), (number.total == 1, "one_example_with_a_proxy")
    alike = (np.isnan(test.t), "all_differences_alike")
    change = [
        None if drawn is None or base is None else metrics.relative_change(drawn, base)
        for drawn, base in zip(after, before, strict=True)
    ]
    assert change[0] is not None  # noqa: S101 - values are always there, draws may not be
    return {
        "n": Column(number.total),
        "ilsp_matched": Column(*before, _NO_PROXY),
        "ilsp_updated": Column(*after, _NO_PROXY),
        "se": Column(test.se, reasons=first_reason(none, one)),
        "t_stat": Column(test.t, reasons=first_reason(none, one, alike)),
        "p": Column(
            np.where(few, np.nan, test.p),
            reasons=first_reason(none, one, alike, (few, "too_few_instances")),
        ),
        "relative_change": Column(
            change[0], change[1], first_reason(none, (before[0] == 0, "ilsp_matched_is_zero"))
        ),
    }


def _squares(rows: ByOpponent, matched: Matched, mean: Floats) -> Floats:
    """Return the sums of squared deviations from each row's mean."""
    squares = np.zeros(rows.size)
    for row in rows.rows:
        deviation = np.where(matched.mask, matched.delta - np.nan_to_num(mean)[row], 0.0)
        squares += np.bincount(row, weights=deviation**2, minlength=rows.size)
    return squares


def _instances(matched: Matched) -> int:
    return len(np.unique(matched.examples.instance[matched.mask]))


def _entropies(rows: ByOpponent, examples: Examples, matched: Matched) -> dict[str, Column]:
    """Return how unsure the judge is of itself and of proxies (EQB equations 10 and 11), and the gap."""
    own = metrics.binary_entropy(examples.share)
    others = np.nan_to_num(matched.proxy_mean(metrics.binary_entropy(matched.proxies.share)))
    number, lost = rows.add(matched.mask), examples.truth == 0
    hard, easy = (means(rows.add(own * part), rows.add(part)) for part in (lost, ~lost))
    draws = None if hard[1] is None or easy[1] is None else hard[1] - easy[1]
    correlation = [
        float(weighted_pearson(own[here], others[here], np.ones(len(here))))
        for here in (at[matched.mask[at]] for at in rows.each())
    ]
    return {
        "entropy_self": Column(*means(rows.add(own * matched.mask), number), _NO_PROXY),
        "entropy_proxy": Column(*means(rows.add(others * matched.mask), number), _NO_PROXY),
        "entropy_gap": Column(hard[0] - easy[0], draws, "no_example_lost_or_none_won"),
        "entropy_correlation": Column(
            np.array(correlation), reasons="fewer_than_3_examples_or_a_constant_side"
        ),
    }


def _fairness(view: View, rows: ByOpponent, gold: Gold, matched: Matched) -> dict[str, Column]:
    """Return how often the proxies win, each as often as it stands in (EQB equation 12)."""
    examples, proxies = matched.examples, matched.proxies.select(matched.mask[matched.proxies.example])
    at = proxies.example
    theirs = accuracies(view, gold, examples.row[at], proxies.model, examples.opponent[at])
    total, number = np.zeros(rows.size), np.zeros(rows.size)
    for row in rows.rows:
        total += np.bincount(row[at], weights=theirs, minlength=rows.size)
        number += np.bincount(row[at], minlength=rows.size)
    share = np.divide(total, number, out=np.full(rows.size, np.nan), where=number > 0)
    return {
        "proxy_win_rate": Column(share, reasons=_NO_PROXY),
        "n_proxies": Column(number.astype(np.int64)),
    }


def _by_family(
    view: View, rows: ByOpponent, examples: Examples, every: Proxies, subset: Bools
) -> dict[str, Column]:
    """Return T with all proxies minus T with those outside the family, of the examples that have these."""
    index, relatives = view.study.index, view.request.exclusion.relatives
    outside = index.kinship(view.judges, np.arange(len(index.models)), relatives).other
    out = every.select(outside[examples.row[every.example], every.model])
    size = len(examples)
    all_mean, out_mean = (metrics.group_means(part.share, part.example, size) for part in (every, out))
    both: Bools = subset & ~np.isnan(out_mean)
    difference = np.where(both, out_mean - all_mean, 0.0)
    value = means(rows.add(difference), rows.add(both))
    return {"all_minus_out_of_family": Column(*value, "no_proxy_outside_the_family")}


def _adjusted(columns: Mapping[str, Column], keep: Bools) -> Column:
    """Return the t-tests' p adjusted over judges, for each opponent and for the pooled rows."""
    p, opponents = np.asarray(columns["p"].values), list(columns["opponent"].values)
    adjusted = np.full(len(p), np.nan)
    for opponent in set(opponents):
        family = keep & np.array([other == opponent for other in opponents])
        adjusted[family] = benjamini_hochberg(p[family])
    return Column(adjusted, reasons=columns["p"].reasons)
