"""`quality-baseline`: self-preference beyond what equally wrong others get (MEASURES section 10)."""

from functools import partial
from typing import Any

import numpy as np

from engine.arrays.bits.confusion import Resampled, combine
from engine.arrays.left_out import of_own_answers, pairs_left_out
from engine.arrays.pairs import baseline_examples
from engine.arrays.pairs.judged_pairs import prefer_variant
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.gold_preferences import GoldTruth, resolve_truth
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.measures import entry
from engine.measures.entry import OF_JUDGE, PAIRWISE, SMALL, Field, Measure, Option
from engine.measures.pairs.by_opponent import GOLD_OPTION, OPPONENT, ByOpponent
from engine.measures.pairs.proxies import MatchedExamples, proxy_columns
from engine.measures.rows import FEW, Column, FewCases, Options, Table, first_reason
from engine.slices import Slice
from engine.stats import Floats
from engine.stats.intervals.adjusted_p import benjamini_hochberg
from engine.stats.judges.agreement import weighted_pearson
from engine.stats.pairs import quality_baseline as metrics
from engine.stats.ratios import rate

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
    gold = GoldTruth(view, tuple(options["gold"]), options.get("rewritten"))
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
    matched = MatchedExamples(examples, selected, subset)
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
        concerned=of_own_answers,
        blame=partial(gold.blame, undecided=lambda votes: np.isnan(votes.oracle)),
    )
    return Table(columns, keep, len(np.unique(examples.instance)), left_out)


def _shares(rows: ByOpponent, examples: baseline_examples.Examples) -> dict[str, Column]:
    """Return SP, Acc, Bias, ILSP and LSP (EQB equations 2 to 5)."""
    own, won = examples.share, examples.truth == 1
    number, wins, losses = (rows.add(part) for part in (np.ones(len(examples), dtype=bool), won, ~won))
    return {
        "sp": rows.share(own, number, "no_example"),
        "acc": rows.share(won, number, "no_example"),
        "bias": Column(*rows.mean(own - examples.truth, number), "no_example"),
        "ilsp": rows.share(own * ~won, losses, "no_example_that_it_lost"),
        "lsp": rows.share(own * won, wins, "no_example_that_it_won"),
        "n_examples": Column(number.total),
        "small": Column(list(losses.total < FEW)),
    }


def _baseline(rows: ByOpponent, matched: MatchedExamples, pool: str) -> dict[str, Column]:
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
        "ilsp_updated": Column(
            *after,
            _NO_PROXY,
            few=_without_spread(first_reason(none, one, alike)),
            tail=rows.tails(delta, np.ones(len(delta), dtype=bool), *after),
        ),
        "se": Column(test.se, reasons=first_reason(none, one)),
        "t_stat": Column(test.t, reasons=first_reason(none, one, alike)),
        "p": Column(np.where(few, np.nan, test.p), reasons=why),
        "p_two_sided": Column(test.p_two_sided, reasons=first_reason(none, one, alike)),
        "relative_change": Column(*change, first_reason(none, (before[0] == 0, "ilsp_matched_is_zero"))),
    }


def _without_spread(reasons: list[str | None]) -> FewCases:
    """Return no interval and no p for the rows with a reason: differences that are all alike show no spread.

    Resampled they would give an interval without width, surer than any data (MEASURES section 17).
    """
    codes = np.array([code or "" for code in reasons])
    nothing, replaced = np.full(len(codes), np.nan), codes != ""
    return FewCases(replaced, replaced, nothing, nothing, nothing, codes, always=True)


def _entropies(
    rows: ByOpponent, examples: baseline_examples.Examples, matched: MatchedExamples
) -> dict[str, Column]:
    """Return how unsure the judge is of itself and of proxies (EQB equations 10 and 11), and the gap."""
    own = metrics.binary_entropy(examples.share)
    others = np.nan_to_num(matched.proxy_mean(metrics.binary_entropy(matched.proxies.share)))
    number, is_lost = rows.add(matched.mask), examples.truth == 0
    hard, easy = (rows.mean(own * part, rows.add(part)) for part in (is_lost, ~is_lost))
    gap = combine(np.subtract, Resampled(*hard), Resampled(*easy))
    each = [at[matched.mask[at]] for at in rows.each()]
    correlations = np.array([correlation(weighted_pearson, own[at], others[at]) for at in each])
    return {
        "entropy_self": Column(*rows.mean(own * matched.mask, number), _NO_PROXY),
        "entropy_proxy": Column(*rows.mean(others * matched.mask, number), _NO_PROXY),
        "entropy_gap": Column(*gap, "no_example_lost_or_none_won"),
        "entropy_correlation": Column(correlations, reasons="fewer_than_3_examples_or_a_constant_side"),
    }


def _fairness(
    rows: ByOpponent, gold: GoldTruth, matched: MatchedExamples, fairness: str
) -> dict[str, Column]:
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


def correlation(statistic: Any, x: Floats, y: Floats) -> float:
    return np.nan if len(x) < 3 else float(statistic(x, y, np.ones(len(x))))


EQB = "evaluator-quality-baseline"


BASELINE_OPTIONS = (
    entry.choice("subset", "examples on which the baseline is computed", "ilsp", "lsp", "all"),
    entry.choice("proxies", "which models may be proxies", "all", "out_of_family", "out_of_provider"),
    Option("proxy_models", "names", "use only these models as proxies", ()),
    Option("like_accuracy", "number", "use only proxies whose accuracy differs by at most this"),
    Option(
        "max_proxies",
        "integer",
        "most proxies per example; where there are more, this many are drawn at random",
    ),
    entry.choice("ties", "whether tie votes count against the target or are dropped", "keep", "drop"),
    entry.choice(
        "pool",
        "what counts once in n, ilsp_matched, T and its test: an example with the mean of its proxies, or "
        "each pair of an example and a proxy",
        "examples",
        "pairs",
    ),
    entry.choice(
        "fairness",
        "what counts once in proxy_win_rate: each pair of an example and a proxy, or an example with the "
        "mean of its proxies",
        "pairs",
        "examples",
    ),
    GOLD_OPTION,
    Option("curves", "switch", "also give coverage and T by number of proxies", False),
)

QUALITY_BASELINE = Measure(
    name="quality-baseline",
    title="Evaluator quality baseline",
    question="Does a judge prefer its own worse answers more than other models' worse answers?",
    formula="T = mean over lost examples of s(own) - mean over proxies of s(proxy), where s is the share of "
    "votes",
    paper=f"{EQB}, equations 1 to 12 and Table 1",
    left_out="examples without a majority; pairs judged in one order only; proxies that are not judged",
    function=quality_baseline_table,
    chart="baseline",
    prepare=prepare_quality_baseline,
    empty="no pair with a judge's own answer has both orders and a known better answer",
    keys=("judge", "opponent"),
    headline="ilsp_updated",
    paradigms=PAIRWISE,
    options=(*BASELINE_OPTIONS, entry.rows_option("judges", summary="all judges, and judges by opponent")),
    fields=(
        *OF_JUDGE,
        OPPONENT,
        entry.share("sp", "mean share of votes for its own answer", title="SP"),
        entry.share("acc", "share of examples in which its own answer is better"),
        entry.share("bias", "SP - Acc"),
        entry.share("ilsp", "mean share of votes for its own answer where it is worse", title="ILSP"),
        entry.share("lsp", "mean share of votes for its own answer where it is better", title="LSP"),
        entry.count("n_examples", "examples with a vote and a known better answer"),
        entry.count(
            "n", "examples of the subset with a proxy; with --pool pairs, pairs of an example and a proxy"
        ),
        entry.share(
            "ilsp_matched",
            "mean share of votes for its own answer, over examples with a proxy",
            title="ILSP, with a proxy",
        ),
        entry.share(
            "ilsp_proxies", "mean share of votes for the proxies of these examples", title="ILSP, its proxies"
        ),
        entry.difference("ilsp_updated", "T: ilsp_matched - ilsp_proxies", title="T beyond the baseline"),
        entry.number("se", "standard error of T; naive: it treats examples as independent"),
        entry.number("t_stat", "T / se"),
        entry.number("p", "one-sided p-value of the paired t-test, for T above 0; naive", title="p (naive)"),
        entry.number(
            "p_two_sided",
            "two-sided p-value of the same test, as the paper's authors give it; naive",
            title="p, two-sided (naive)",
        ),
        entry.number("p_adjusted", "one-sided p-value adjusted over judges", title="p, adjusted (naive)"),
        entry.estimate(
            "relative_change", "how far T differs from ilsp_matched, in percent", title="Change, percent"
        ),
        entry.estimate("entropy_self", "mean entropy of votes on its own answer, in bits"),
        entry.estimate("entropy_proxy", "mean entropy of votes on proxies, in bits"),
        entry.estimate("entropy_gap", "mean entropy where its answer lost minus where it won, in bits"),
        entry.number(
            "entropy_correlation",
            "correlation over examples of the entropies on its own answer and on proxies",
        ),
        entry.portion("proxy_win_rate", "mean accuracy of the proxies, weighted by how often each is used"),
        entry.count("n_proxies", "proxies used, over all examples"),
        entry.difference(
            "all_minus_out_of_family", "T with all proxies minus T with proxies outside the family"
        ),
        Field("coverage", "list", "share of the subset with at least 1, 2, ... proxies"),
        Field("t_by_proxies", "list", "T with 1, 2, ... proxies drawn per example, mean over 20 seeds"),
        Field("t_by_proxies_se", "list", "standard error of t_by_proxies over seeds"),
        SMALL,
    ),
)
