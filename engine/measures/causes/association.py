"""`association`: which numbers correlate over judges (MEASURES section 14)."""

from itertools import combinations

import numpy as np

from engine.arrays.index import StudyIndex
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.study_arrays import StudyArrays
from engine.measures import entry
from engine.measures.columns import NO_CORRELATION, STATISTICS, correlation
from engine.measures.entry import Measure
from engine.measures.finished_rows import interval_of_draws
from engine.measures.rows import Column, Options, Reasons, Table
from engine.measures.scorecard.judge_numbers import BIASES, numbers_of
from engine.slices import Slice
from engine.stats import Floats, Weights
from engine.stats.intervals.bootstrap import cluster_weights

FEWEST = 3
_BIASED = (*(one.name for one in BIASES), "abs_spb", "ilsp")
_TRAITS = (
    *("mean_quality", "d", "accuracy", "pair_accuracy", "flip_rate", "size", "response_length"),
    *("recognition", "familiarity"),
)


def association_table(study: StudyArrays, spec: Slice, options: Options, weights: Weights | None) -> Table:
    """Return a row for every two numbers that at least three judges have; the draws are over judges."""
    numbers = numbers_of(study, spec, options["seed"])
    pairs = [(x, y) for x in _BIASED for y in _TRAITS] + list(combinations(_BIASED, 2))
    rows = []
    for x, y in pairs:
        judges = [name for name in study.index.models if all(name in numbers.get(of, ()) for of in (x, y))]
        if len(judges) >= FEWEST:
            sides = [np.array([numbers[name][judge] for judge in judges]) for name in (x, y)]
            resamples = None
            if weights is not None:
                resamples = cluster_weights(len(judges), len(weights), np.random.default_rng(options["seed"]))
            rows.append(_association_row(study.index, (x, y), judges, sides, resamples))
    if not rows:
        raise NoDataError(f"no two numbers are known for at least {FEWEST} judges")
    return Table.of(rows, study.index.n_instances)


def _association_row(
    index: StudyIndex, names: tuple[str, str], judges: list[str], sides: list[Floats], weights: Weights | None
) -> dict[str, Column]:
    cluster = np.arange(len(judges))
    statistics = {
        name: correlation(statistic, sides[0], sides[1], cluster, weights)
        for name, statistic in STATISTICS.items()
    }
    low = high = np.array([np.nan])
    why: Reasons = "no_resamples"
    if statistics["pearson"].draws is not None:
        interval = interval_of_draws(statistics["pearson"].draws, None, None)
        undefined = np.isnan(np.asarray(statistics["pearson"].values, dtype=np.float64))
        low, high = (np.where(undefined, np.nan, end) for end in (interval.low, interval.high))
        why = np.asarray(interval.reason, dtype=object).tolist()
    families = np.array([index.model_fields["family"][index.models.index(name)] for name in judges])
    each_family = np.array(list(dict.fromkeys(families.tolist())))[:, None]
    of_rest = STATISTICS["pearson"](sides[0], sides[1], (families != each_family).astype(np.float64))
    without = of_rest[~np.isnan(of_rest)].tolist()
    return {
        "x": Column([names[0]]),
        "y": Column([names[1]]),
        **statistics,
        "n": Column([len(judges)]),
        "low": Column(low, reasons=why),
        "high": Column(high, reasons=why),
        "least_without_a_family": Column([min(without, default=None)], reasons=NO_CORRELATION),
        "greatest_without_a_family": Column([max(without, default=None)], reasons=NO_CORRELATION),
    }


ASSOCIATION = Measure(
    name="association",
    title="Associations",
    question="Do better, larger or wordier judges prefer themselves more, and do the measures agree?",
    formula="Pearson's r and Spearman's rho of two numbers over judges",
    paper="equal-quality-pairs, section 4",
    left_out="judges without one of the two numbers; numbers that fewer than three judges have",
    function=association_table,
    keys=("x", "y"),
    headline="pearson",
    sliced=False,
    fields=(
        entry.key("x", "a measure of self-preference"),
        entry.key(
            "y", "quality, D, accuracy, flip rate, size, answer length (characters) or another measure"
        ),
        entry.number("pearson", "Pearson's r over judges"),
        entry.estimate("spearman", "Spearman's rho over judges"),
        entry.count("n", "judges with both numbers"),
        entry.number("low", "lower end of the interval of Pearson's r, from resampled judges"),
        entry.number("high", "upper end of the interval of Pearson's r, from resampled judges"),
        entry.number("least_without_a_family", "lowest r when the judges of any one family are left out"),
        entry.number("greatest_without_a_family", "highest r when the judges of any one family are left out"),
    ),
)
