"""`association`: what goes together over judges (MEASURES section 14)."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.by_judge import BIASES, numbers_of
from engine.measures.correlations import STATISTICS, UNDEFINED, correlation
from engine.measures.table import Column, Table, stack
from engine.metrics.resampling import cluster_weights, percentile_interval
from engine.request import LackingError
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]

FEWEST = 3
_BIASED = (*(one.name for one in BIASES), "abs_spb", "ilsp")
_TRAITS = ("mean_quality", "d", "accuracy", "pair_accuracy", "flip_rate", "size", "response_length")


def compute(study: "StudyArrays", spec: Slice, options: dict[str, Any], weights: Weights | None) -> Table:
    """Return a row for each two numbers that at least three judges have; the draws are over judges."""
    numbers = numbers_of(study, spec, options["seed"])
    pairs = [(x, y) for x in _BIASED for y in _TRAITS] + list(combinations(_BIASED, 2))
    resamples = 0 if weights is None else len(weights)
    rows = []
    for x, y in pairs:
        here = numbers.get(x, {})
        judges = [name for name in study.index.models if name in here and name in numbers.get(y, {})]
        if len(judges) >= FEWEST:
            sides = [np.array([numbers[name][judge] for judge in judges]) for name in (x, y)]
            drawn = None
            if resamples:
                drawn = cluster_weights(len(judges), resamples, np.random.default_rng(options["seed"]))
            rows.append(_row(study, (x, y), judges, sides, drawn))
    if not rows:
        raise LackingError(f"no two numbers are there of at least {FEWEST} judges")
    columns = {name: stack([row[name] for row in rows]) for name in rows[0]}
    return Table(columns, np.ones(len(rows), dtype=bool), study.index.n_instances)


def _row(
    study: "StudyArrays",
    names: tuple[str, str],
    judges: list[str],
    sides: list[Floats],
    drawn: Weights | None,
) -> dict[str, Column]:
    cluster = np.arange(len(judges))
    found = {
        name: correlation(statistic, sides[0], sides[1], cluster, drawn)
        for name, statistic in STATISTICS.items()
    }
    low = high = np.array([np.nan])
    if found["pearson"].draws is not None:
        interval = percentile_interval(found["pearson"].draws)
        undefined = np.isnan(np.asarray(found["pearson"].values, dtype=np.float64))
        low, high = (np.where(undefined, np.nan, end) for end in (interval.low, interval.high))
    without = _without_each_family(study, judges, sides)
    why = "no_resamples" if drawn is None else "too_many_undefined_resamples"
    return {
        "x": Column([names[0]]),
        "y": Column([names[1]]),
        **found,
        "n": Column([len(judges)]),
        "low": Column(low, reasons=why),
        "high": Column(high, reasons=why),
        "least_without_a_family": Column([without.min() if len(without) else None], reasons=UNDEFINED),
        "greatest_without_a_family": Column([without.max() if len(without) else None], reasons=UNDEFINED),
    }


def _without_each_family(study: "StudyArrays", judges: list[str], sides: list[Floats]) -> Floats:
    """Return Pearson's r without the judges of each family in turn, where it is defined."""
    index = study.index
    families = np.array([index.model_fields["family"][index.models.index(name)] for name in judges])
    found = [
        STATISTICS["pearson"](sides[0], sides[1], (families != family).astype(np.float64))
        for family in dict.fromkeys(families.tolist())
    ]
    values = np.array(found, dtype=np.float64)
    return values[~np.isnan(values)]
