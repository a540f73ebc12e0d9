"""`overestimation`: both kinds of error of each judge on each generator (MEASURES section 2)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.measures.table import FEW, Column, Table, first_reason
from engine.metrics.overestimation import rate
from engine.views import View
from engine.views.counted import Counted, combine


def compute(view: View, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each judge and generator with a counted row."""
    counts, models = view.counts, view.study.index.models
    n_judges, n_generators = len(view.judges), len(view.generators)
    relation = np.where(view.kin.own, "self", np.where(view.kin.family, "family", "other"))
    columns = {
        "judge": Column([models[j] for j in view.judges for _ in range(n_generators)]),
        "generator": Column([models[g] for _ in range(n_judges) for g in view.generators]),
        "relation": Column(relation.ravel()),
        "rate": _share(counts.over, counts.failed, "no_unfavourable_reference"),
        "over": Column(counts.over.total.ravel()),
        "n": Column(counts.failed.total.ravel()),
        "under_rate": _share(counts.under, counts.passed, "no_favourable_reference"),
        "under": Column(counts.under.total.ravel()),
        "under_n": Column(counts.passed.total.ravel()),
        "small": Column(counts.failed.total.ravel() < FEW),
    }
    keep = counts.present.ravel()
    return Table(columns, keep, counts.instances, view.left_out)


def _share(hits: Counted, trials: Counted, reason: str) -> Column:
    value, draws = combine(rate, hits, trials)
    codes = first_reason((trials.total.ravel() == 0, reason))
    return Column(value.ravel(), None if draws is None else draws.reshape(len(draws), -1), codes)
