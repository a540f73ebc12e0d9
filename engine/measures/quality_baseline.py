"""`quality-baseline` and its summary; `dbg`: a judge's score of its own compared with gold quality."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import baseline_examples
from engine.arrays.confusion import Resampled, combine
from engine.arrays.encoding import numbers, objects
from engine.arrays.gold_preferences import Gold, Votes, read_words, resolve_truth
from engine.arrays.judged_pairs import JudgedPairs, judged_pairs, prefer_variant
from engine.arrays.left_out import pairs_left_out
from engine.arrays.pair_orders import PairRows, has_answer, outcome, pair_up, without_ties
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.measures.rows import FEW, Column, Options, Table, first_reason, stack_rows
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, dbg
from engine.stats import quality_baseline as metrics
from engine.stats.adjusted_p import benjamini_hochberg
from engine.stats.agreement import weighted_pearson, weighted_spearman
from engine.stats.equal_pairs import ALPHA
from engine.stats.ratios import mean_of_defined, rate

# ------------------------------------------------------------------------------
# Rows for each judge: all its opponents pooled, then one by one (MEASURES sections 10 and 11).


@dataclass(frozen=True, eq=False)
class ByOpponent:
    """Examples by judge and opponent: `judge` is a place among those shown, `opponent` a model.

    `opponents` are the opponents of any judge, ascending.
    """

    view: SliceView
    judge: Ints
    instance: Ints
    opponent: Ints
    opponents: Ints

    def at(self, places: Ints) -> "ByOpponent":
        """Return the examples at these places, which may repeat, with the same rows."""
        parts = (self.judge[places], self.instance[places], self.opponent[places])
        return ByOpponent(self.view, *parts, self.opponents)

    @property
    def size(self) -> int:
        return len(self.view.judges) * (1 + len(self.opponents))

    @property
    def rows(self) -> tuple[Ints, Ints]:
        """The pooled row and the opponent's row of each example."""
        width = 1 + len(self.opponents)
        return self.judge * width, self.judge * width + 1 + np.searchsorted(self.opponents, self.opponent)

    def add(self, values: NDArray[np.number] | Bools, *, resampled: bool = True) -> Resampled:
        """Sum the examples' values in each row, and in its resamples; shape (rows,)."""
        shape = (self.size, self.view.study.index.n_instances)
        cell = np.concatenate([row * shape[1] + self.instance for row in self.rows])
        total = np.bincount(cell, np.concatenate([values, values]), shape[0] * shape[1]).reshape(shape)
        sums = total if values.dtype.kind == "f" else total.astype(np.int64)
        return Resampled.over_instances(sums, self.view.weights if resampled else None)

    def mean(self, values: NDArray[np.number] | Bools, number: Resampled) -> tuple[Floats, Floats | None]:
        """Return the rows' mean values and their draws; NaN without an example."""
        return combine(rate, self.add(values), number)

    def each(self) -> list[Ints]:
        pooled, single = self.rows
        order = np.argsort(np.concatenate([pooled, single]), kind="stable") % max(len(pooled), 1)
        sizes = np.bincount(np.concatenate([pooled, single]), minlength=self.size)
        return np.split(order, np.cumsum(sizes)[:-1])

    def names(self) -> dict[str, Column]:
        models = self.view.study.index.models
        family = self.view.study.index.model_fields["family"]
        judges = [j for j in self.view.judges for _ in range(1 + len(self.opponents))]
        against = [None, *(models[o] for o in self.opponents)] * len(self.view.judges)
        return {
            "judge": Column([models[j] for j in judges]),
            "family": Column([family[j] for j in judges]),
            "opponent": Column(against, reasons="pooled"),
        }


# ------------------------------------------------------------------------------
# Examples with their proxies, and results by the number of proxies (MEASURES section 10).

_CURVE_SEEDS = 20


@dataclass(frozen=True, eq=False)
class Matched:
    """The examples with their proxies, and the subset requested."""

    examples: baseline_examples.Examples
    proxies: baseline_examples.Proxies
    subset: Bools

    def proxy_mean(self, values: Floats) -> Floats:
        """Return the mean of the proxies' values for each example, NaN without a proxy."""
        return metrics.group_means(values, self.proxies.example, len(self.examples))

    @cached_property
    def share(self) -> Floats:
        """The mean share of the proxies, NaN without one."""
        return self.proxy_mean(self.proxies.share)

    @cached_property
    def mask(self) -> Bools:
        """The examples of the subset that have a proxy."""
        return np.asarray(self.subset & ~np.isnan(self.share))

    def compared(self, pool: str) -> tuple[Ints, Floats]:
        """Return the example of each comparison, and the share of its proxies.

        A comparison is an example with the mean of its proxies, or in the pool `pairs` with one of them.
        """
        if pool == "pairs":
            proxies = self.proxies.select(self.mask[self.proxies.example])
            return proxies.example, proxies.share
        examples = np.flatnonzero(self.mask)
        return examples, self.share[examples]


def proxy_columns(rows: ByOpponent, matched: Matched, options: Options) -> dict[str, Column]:
    names = ("coverage", "t_by_proxies", "t_by_proxies_se")
    if not options["curves"]:
        return {name: Column([None] * rows.size, reasons="not_asked_for") for name in names}
    examples, proxies = matched.examples, matched.proxies
    sizes = np.where(matched.subset, np.bincount(proxies.example, minlength=len(examples)), -1)
    totals = rows.add(matched.subset, resampled=False).total
    steps = np.arange(1, max(sizes.max(initial=0), 0) + 1)
    if not len(steps):
        return {name: Column([[]] * rows.size) for name in names}
    enough = np.array([rows.add(sizes >= n, resampled=False).total for n in steps]).reshape(len(steps), -1)
    t = np.empty((_CURVE_SEEDS, *enough.shape))
    for seed, curve in enumerate(t):
        keys = baseline_examples.proxy_keys(examples, proxies, options["seed"] + seed)
        shares = metrics.means_of_first(proxies.share, proxies.example, keys, len(examples))
        for n in steps:
            surplus = np.where(sizes >= n, examples.share - shares[:, n - 1], 0.0)
            curve[n - 1] = rate(rows.add(surplus, resampled=False).total, enough[n - 1])
    curves = (rate(enough, totals[None, :]), t.mean(axis=0), t.std(axis=0, ddof=1) / np.sqrt(_CURVE_SEEDS))
    reached = [enough[:, row] > 0 for row in range(rows.size)]
    return {
        name: Column([curve[some, row].tolist() for row, some in enumerate(reached)])
        for name, curve in zip(names, curves, strict=True)
    }


# ------------------------------------------------------------------------------
# `quality-baseline`: self-preference beyond what equally wrong others get (MEASURES section 10).

_NO_PROXY = "no_example_with_a_proxy"


def prepare_quality_baseline(study: StudyArrays, spec: Slice, options: Options, by: str | None) -> Slice:
    """Return the slice with section 10's variant and truth; UsageError for an option out of range."""
    for name in options["proxy_models"]:
        if name not in study.index.models:
            raise unknown("proxy model", name, study.index.models)
    most, alike = options["max_proxies"], options["like_accuracy"]
    if most is not None and most < 1:
        raise UsageError(f"max_proxies {most!r} is below 1; give the most proxies per example, such as 3")
    if alike is not None and alike < 0:
        raise UsageError(f"like_accuracy {alike!r} is below 0; give the largest difference, such as 0.05")
    return resolve_truth(study, prefer_variant(study, spec, by, "forced_tie", "forced", "default"))


def quality_baseline_table(view: SliceView, options: Options) -> Table:
    """Return rows for each judge: all opponents pooled, then each opponent."""
    cube = view.pair_cube
    gold = Gold(view, tuple(options["gold"]), options.get("rewritten"))
    voted, against = baseline_examples.voted_cube(view, cube, options["ties"])
    pairs = baseline_examples.voted_pairs(view, voted, against)
    examples = baseline_examples.examples_of(pairs, gold)
    proxies = baseline_examples.proxies_of(view, pairs, examples, gold)
    selected = baseline_examples.select_proxies(view, gold, examples, proxies, options)
    every = np.unique(examples.opponent)
    rows = ByOpponent(view, examples.row, examples.instance, examples.opponent, every)
    subset = np.ones(len(examples), dtype=bool)
    if options["subset"] != "all":
        subset = examples.truth == (1 if options["subset"] == "lsp" else 0)
    matched = Matched(examples, selected, subset)
    columns = rows.names() | _shares(rows, examples) | _baseline(rows, matched, options["pool"])
    columns |= _entropies(rows, examples, matched) | _fairness(rows, gold, matched, options["fairness"])
    index, relatives = view.study.index, view.request.exclusion.relatives
    outside = index.relations(view.judges, np.arange(len(index.models)), relatives).unrelated_mask
    out = proxies.select(outside[examples.row[proxies.example], proxies.model])
    all_mean, out_mean = (
        metrics.group_means(part.share, part.example, len(examples)) for part in (proxies, out)
    )
    both = subset & ~np.isnan(out_mean)  # T with all proxies minus T with those outside the family
    change = rows.mean(np.where(both, out_mean - all_mean, 0.0), rows.add(both))
    columns["all_minus_out_of_family"] = Column(*change, "no_proxy_outside_the_family")
    columns |= proxy_columns(rows, matched, options)
    keep = np.asarray(columns["n_examples"].values) > 0
    p, opponents = np.asarray(columns["p"].values), list(columns["opponent"].values)
    adjusted = np.full(len(p), np.nan)
    for opponent in set(opponents):  # over judges, for each opponent and for the pooled rows
        family = keep & np.array([other == opponent for other in opponents])
        adjusted[family] = benjamini_hochberg(p[family])
    columns["p_adjusted"] = Column(adjusted, reasons=columns["p"].reasons)
    left_out = pairs_left_out(
        view,
        voted,
        concerned=lambda rows: (rows.judge == rows.generator) | (rows.judge == rows.opponent),
        blame=partial(gold.blame, undecided=lambda votes: np.isnan(votes.oracle)),
    )
    return Table(columns, keep, len(np.unique(examples.instance)), left_out)


def _shares(rows: ByOpponent, examples: baseline_examples.Examples) -> dict[str, Column]:
    """Return SP, Acc, Bias, ILSP and LSP (EQB equations 2 to 5)."""
    own, won = examples.share, examples.truth == 1
    number, wins, losses = (rows.add(part) for part in (np.ones(len(examples), dtype=bool), won, ~won))
    shares = {
        "sp": (rows.mean(own, number), "no_example"),
        "acc": (combine(rate, wins, number), "no_example"),
        "bias": (rows.mean(own - examples.truth, number), "no_example"),
        "ilsp": (rows.mean(own * ~won, losses), "no_example_that_it_lost"),
        "lsp": (rows.mean(own * won, wins), "no_example_that_it_won"),
    }
    columns = {name: Column(*value, reason) for name, (value, reason) in shares.items()}
    return columns | {"n_examples": Column(number.total), "small": Column(list(losses.total < FEW))}


def _baseline(rows: ByOpponent, matched: Matched, pool: str) -> dict[str, Column]:
    """Return ILSP before and after the baseline, with the paired t-test (EQB equations 7 to 9)."""
    example, proxy = matched.compared(pool)
    own, rows = matched.examples.share[example], rows.at(example)
    number = rows.add(np.ones(len(example), dtype=bool))
    before, of_proxies = rows.mean(own, number), rows.mean(proxy, number)
    delta = own - proxy
    total = rows.add(delta)
    after = combine(rate, total, number)
    squares = np.zeros(rows.size)  # of the deviations from each row's mean
    for row in rows.rows:
        deviation = delta - np.nan_to_num(after[0])[row]
        squares += np.bincount(row, weights=deviation**2, minlength=rows.size)
    test = metrics.paired_t(total.total, squares, number.total)
    few = np.full(rows.size, len(np.unique(rows.instance)) < rows.view.request.spec.min_instances)
    none, one = (number.total == 0, _NO_PROXY), (number.total == 1, "one_example_with_a_proxy")
    alike = (np.isnan(test.t), "all_differences_alike")
    change = combine(metrics.relative_change, Resampled(*after), Resampled(*before))
    why = first_reason(none, one, alike, (few, "too_few_instances"))
    return {
        "n": Column(number.total),
        "ilsp_matched": Column(*before, _NO_PROXY),
        "ilsp_proxies": Column(*of_proxies, _NO_PROXY),
        "ilsp_updated": Column(*after, _NO_PROXY),
        "se": Column(test.se, reasons=first_reason(none, one)),
        "t_stat": Column(test.t, reasons=first_reason(none, one, alike)),
        "p": Column(np.where(few, np.nan, test.p), reasons=why),
        "p_two_sided": Column(test.p_two_sided, reasons=first_reason(none, one, alike)),
        "relative_change": Column(*change, first_reason(none, (before[0] == 0, "ilsp_matched_is_zero"))),
    }


def _entropies(rows: ByOpponent, examples: baseline_examples.Examples, matched: Matched) -> dict[str, Column]:
    """Return how unsure the judge is of itself and of proxies (EQB equations 10 and 11), and the gap."""
    own = metrics.binary_entropy(examples.share)
    others = np.nan_to_num(matched.proxy_mean(metrics.binary_entropy(matched.proxies.share)))
    number, is_lost = rows.add(matched.mask), examples.truth == 0
    hard, easy = (rows.mean(own * part, rows.add(part)) for part in (is_lost, ~is_lost))
    gap = combine(np.subtract, Resampled(*hard), Resampled(*easy))
    each = [at[matched.mask[at]] for at in rows.each()]
    correlations = np.array([_correlation(weighted_pearson, own[at], others[at]) for at in each])
    return {
        "entropy_self": Column(*rows.mean(own * matched.mask, number), _NO_PROXY),
        "entropy_proxy": Column(*rows.mean(others * matched.mask, number), _NO_PROXY),
        "entropy_gap": Column(*gap, "no_example_lost_or_none_won"),
        "entropy_correlation": Column(correlations, reasons="fewer_than_3_examples_or_a_constant_side"),
    }


def _fairness(rows: ByOpponent, gold: Gold, matched: Matched, fairness: str) -> dict[str, Column]:
    """Return how often the proxies win (EQB equation 12).

    Each counts as often as it is used; by `examples`, those of one example count once together.
    """
    examples, proxies = matched.examples, matched.proxies.select(matched.mask[matched.proxies.example])
    at = proxies.example
    accuracies = baseline_examples.accuracies(
        rows.view, gold, examples.row[at], proxies.model, examples.opponent[at]
    )
    number = np.zeros(rows.size)
    for row in rows.rows:
        number += np.bincount(row[at], minlength=rows.size)
    counted = at
    if fairness == "examples":
        counted = np.flatnonzero(matched.mask)
        accuracies = metrics.group_means(accuracies, at, len(examples))[counted]
    total, weight = np.zeros(rows.size), np.zeros(rows.size)
    for row in rows.rows:
        total += np.bincount(row[counted], weights=accuracies, minlength=rows.size)
        weight += np.bincount(row[counted], minlength=rows.size)
    return {
        "proxy_win_rate": Column(rate(total, weight), reasons=_NO_PROXY),
        "n_proxies": Column(number.astype(np.int64)),
    }


# ------------------------------------------------------------------------------
# `quality-baseline-summary`: the quality baseline over all judges (MEASURES section 10).

_NO_ROW = "no_row_with_a_proxy"
_FEW = "fewer_than_3_rows_or_a_constant_side"


def baseline_summary_table(view: SliceView, options: Options) -> Table:
    """Return a row for the judges, and one for the judges' rows against each opponent."""
    table = quality_baseline_table(view, options)
    pooled = np.array([opponent is None for opponent in table.columns["opponent"].values])
    has_proxy = table.keep & (np.asarray(table.columns["n"].values) > 0)
    scopes = {"pooled": has_proxy & pooled, "opponent": has_proxy & ~pooled}
    rows = [_row(table.columns, name, rows) for name, rows in scopes.items()]
    return Table(stack_rows(rows), np.full(len(rows), table.keep.any()), table.instances, table.left_out)


def _row(columns: Mapping[str, Column], scope: str, rows: Bools) -> dict[str, Column]:
    t, matched, change, acc, fair = (
        np.asarray(columns[name].values, dtype=np.float64)[rows]
        for name in ("ilsp_updated", "ilsp_matched", "relative_change", "acc", "proxy_win_rate")
    )
    draws = columns["relative_change"].draws
    mean = None if draws is None else mean_of_defined(draws[:, rows])[:, None]
    return {
        "scope": Column([scope]),
        "n_rows": Column([int(rows.sum())]),
        "mean_relative_change": Column([float(mean_of_defined(change))], mean, _NO_ROW),
        "share_not_positive": Column([_share(t <= 0)], reasons=_NO_ROW),
        "share_significant": _share_below(columns["p"], rows),
        "share_significant_adjusted": _share_below(columns["p_adjusted"], rows),
        "rank_correlation": Column([_correlation(weighted_spearman, matched, t)], reasons=_FEW),
        "fairness_correlation": Column([_correlation(weighted_pearson, acc, fair)], reasons=_FEW),
    }


def _share(marks: Bools) -> float:
    return float(marks.mean()) if len(marks) else np.nan


def _share_below(p: Column, rows: Bools) -> Column:
    p_values = np.asarray(p.values, dtype=np.float64)[rows]
    return Column([_share(p_values[~np.isnan(p_values)] < ALPHA)], reasons="no_row_tested")


def _correlation(statistic: Any, x: Floats, y: Floats) -> float:
    return np.nan if len(x) < 3 else float(statistic(x, y, np.ones(len(x))))


# ------------------------------------------------------------------------------
# `dbg`: how much more often a judge's own response wins with it than with gold judges (section 11).


GOLD_RULES = {"mean": dbg.mean_gold, "agreeing": dbg.agreed_gold}
"""How the gold judges' votes on a pair become one outcome."""


def prepare_dbg(study: StudyArrays, spec: Slice, options: Options, by: str | None) -> Slice:
    """Return the slice with section 11's variant and truth; UsageError for an option out of range."""
    ratio = options["length_ratio"]
    if ratio is not None and ratio < 0:
        raise UsageError(
            f"length_ratio {ratio!r} is below 0; give the largest |ln ratio| of word counts, such as 0.1"
        )
    return resolve_truth(study, prefer_variant(study, spec, by, "forced", "default"))


def dbg_table(view: SliceView, options: Options) -> Table:
    cube = view.pair_cube
    forced = without_ties(cube.rows)
    if options["ties"] == "drop":
        cube = _resolved_anew(view, cube, forced)
    gold = Gold(view, tuple(options["gold"]), options.get("rewritten"))
    # The rows without the ties' probabilities have those of the two responses wherever there are any.
    pairs = judged_pairs(view, replace(cube.rows, p_tie=forced.p_tie), cube.pairs).own()
    pairs = pairs.select(_is_like_length(view, pairs.instance, (pairs.target, pairs.other), options))
    votes = gold.votes(pairs.row, pairs.instance, pairs.target, pairs.other)
    rule = GOLD_RULES[options["gold_rule"]]
    if rule is dbg.agreed_gold and len(gold.sources) < 2:
        raise UsageError(
            f"gold_rule 'agreeing' needs at least two gold judges, and {len(gold.sources)} count here; leave "
            "it out"
        )
    decided = ~np.isnan(rule(votes.by_source))
    pairs, votes = pairs.select(decided), Votes(votes.by_source[decided])
    rows = ByOpponent(view, pairs.row, pairs.instance, pairs.other, np.unique(pairs.other))
    columns = rows.names() | _wins(rows, pairs, votes, rule)
    columns |= _panel(rows, pairs, votes, gold, rule, full=options["panels"])
    facts = view.study.files.table("models", ("model", "size_b", "stage"))
    for name, values in (("size_b", numbers(facts.column("size_b"))), ("stage", objects(facts, "stage"))):
        by_judge = dict(zip(view.study.index.models, values.tolist(), strict=True))
        of_rows = [by_judge[judge] for judge in columns["judge"].values]
        columns[name] = Column(np.array(of_rows) if name == "size_b" else of_rows, reasons="not_recorded")
    keep = np.asarray(columns["n"].values) > 0

    def concerned(judged: Any) -> Bools:
        own = (judged.judge == judged.generator) | (judged.judge == judged.opponent)
        sides = (judged.generator, judged.opponent)
        return np.asarray(own) & _is_like_length(view, judged.instance, sides, options)

    blame = partial(gold.blame, undecided=lambda votes: np.isnan(rule(votes.by_source)))
    left_out = pairs_left_out(view, cube, concerned=concerned, blame=blame)
    return Table(columns, keep, len(np.unique(pairs.instance)), left_out)


def _resolved_anew(view: SliceView, cube: PairCube, rows: PairRows) -> PairCube:
    """Return the cube with the outcomes that other readings of its rows give."""

    def make() -> PairCube:
        return replace(cube, rows=rows, pairs=pair_up(rows, has_answer(rows), outcome))

    return view.study.remember(("pairs without ties", view.request.selection), make)


def _is_like_length(view: SliceView, instance: Any, models: tuple[Any, Any], options: Options) -> Bools:
    most = options["length_ratio"]
    if most is None:
        return np.ones(len(instance), dtype=bool)
    study, transform = view.study, view.request.selection.transform
    words = study.remember(("words", transform), lambda: read_words(study.files, study.index, transform))
    return dbg.like_length(words[models[0], instance], words[models[1], instance], most)


def _wins(rows: ByOpponent, pairs: JudgedPairs, votes: Votes, rule: dbg.GoldRule) -> dict[str, Column]:
    """Return win rates by judge and gold: of all items, of those decided, and by probabilities."""
    win, gold = (1 + pairs.value) / 2, rule(votes.by_source)
    decided = pairs.value != 0
    number, n_decided = rows.add(np.ones(len(win), dtype=bool)), rows.add(decided)
    columns = {}
    for name, values in (("win_rate", win), ("gold_win_rate", gold), ("dbg", win - gold)):
        columns[name] = Column(*rows.mean(values, number), "no_item")
        of_decided = rows.mean(values * decided, n_decided)
        columns[f"{name}_decided"] = Column(*of_decided, "no_item_decided")
    for name, winner in (("win", 1), ("tie", 0), ("lose", -1)):
        columns[f"{name}_share"] = Column(*rows.mean(pairs.value == winner, number), "no_item")
    has_winners = (np.abs(pairs.first) == 1) & (np.abs(pairs.second) == 1)
    flips = rows.mean(has_winners & (pairs.first != pairs.second), rows.add(has_winners))
    has_p = ~np.isnan(pairs.p)
    n_soft = rows.add(has_p)
    soft = rows.mean(np.where(has_p, pairs.p - votes.mean, 0.0), n_soft)
    return columns | {
        "dbg_soft": Column(*soft, "no_probabilities"),
        "n_soft": Column(n_soft.total),
        "ties": Column(number.total - n_decided.total),
        "n": Column(number.total),
        "n_decided": Column(n_decided.total),
        "flip_rate": Column(*flips, "no_pair_with_two_winners"),
        "small": Column(list(number.total < FEW)),
    }


def _panel(
    rows: ByOpponent, pairs: JudgedPairs, votes: Votes, gold: Gold, rule: dbg.GoldRule, *, full: bool
) -> dict[str, Column]:
    """Return how many gold judges there are, and DBG under all their panels: its range, or if `full` each."""
    n = len(gold.sources)
    too_many = n > dbg.MOST_SOURCES
    biases = np.full((1, rows.size), np.nan)
    if not too_many and len(pairs.row):
        biases = dbg.bias_of_subsets((1 + pairs.value) / 2, votes.by_source, rows.rows, rows.size, rule)
    why = "too_many_gold_judges" if too_many else None
    names: list[Any] = [None] * rows.size
    by_panel: list[Any] = [None] * rows.size
    if full and n and not too_many:
        panels = [" + ".join(gold.sources[i] for i in panel) for panel in dbg.panels(n)]
        where = [np.flatnonzero(~np.isnan(of_row)).tolist() for of_row in biases.T]
        names = [[panels[i] for i in places] for places in where]
        by_panel = [biases[places, row].tolist() for row, places in enumerate(where)]
    reason = "no_gold_judges" if n == 0 else why or "not_asked_for"
    return {
        "gold_judges": Column(np.full(rows.size, n)),
        "dbg_least": Column(np.fmin.reduce(biases), reasons=why),
        "dbg_greatest": Column(np.fmax.reduce(biases), reasons=why),
        "panels": Column(names, reasons=reason),
        "dbg_by_panel": Column(by_panel, reasons=reason),
    }
