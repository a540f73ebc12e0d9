"""The score of a model over instances, and over those complete for a source (MEASURES section 3)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.stats import Bools, Floats
from engine.stats.ratios import rate

ScoreKind = Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"]


def system_score(totals: Floats, counts: Floats, kind: ScoreKind) -> Floats:
    """Return the mean score over instances from its total and their number; NaN where there is none.

    With `weighted_mean_clipped` only this mean is clipped to [0, 1], as HealthBench does.
    """
    mean = rate(totals, counts)
    return np.clip(mean, 0.0, 1.0) if kind == "weighted_mean_clipped" else mean


@dataclass(frozen=True, eq=False)
class CompleteScores:
    """The scores of sources in their complete instances, 0 elsewhere."""

    values: Floats  # (sources, generators, instances)
    complete: Bools  # (sources, instances)
    scored: Bools  # (sources, generators) where a source has any score


def complete_scores(values: Floats) -> CompleteScores:
    """Keep the instances in which a source has a score for every generator that it scored at all."""
    present = ~np.isnan(values)
    scored = np.asarray(present.any(axis=-1))
    complete = np.asarray((present | ~scored[..., None]).all(axis=-2) & scored.any(axis=-1, keepdims=True))
    masked = np.where(present & complete[..., None, :], values, 0.0)
    return CompleteScores(masked, complete, scored)
