"""`accuracy`: agreement with the reference on rubrics and on comparisons (MEASURES section 5)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.measures.kin import relatives_of
from engine.measures.table import Column, Table, first_reason
from engine.metrics.overestimation import rate
from engine.views import View
from engine.views.counted import Counted, combine
from engine.views.instance import InstanceCounts
from engine.views.rubric import RubricCounts


def compute(view: View, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each judge."""
    columns = {name: Column(values) for name, values in relatives_of(view).items()}
    columns |= rubric_accuracy(view) | pair_accuracy(view)
    counted = np.asarray(columns["mra_total"].values) + np.asarray(columns["mipa_total"].values)
    counts = view.counts
    return Table(columns, counts.present.any(axis=1) | (counted > 0), counts.instances, _left_out(view))


def rubric_accuracy(view: View, counts: RubricCounts | None = None) -> dict[str, Column]:
    """Return MRA with its parts (RSP equation 6), null for judgments of whole responses.

    `counts`, where given, are of verdicts in the place of the judges' own.
    """
    if not view.request.of_rubrics:
        return _without("mra", view)
    counts = view.rubric if counts is None else counts
    correct, total = (
        cells.apply(lambda count: count.sum(axis=-1)) for cells in (counts.correct, counts.counted)
    )
    return _accuracy("mra", correct, total, "no_verdict_with_a_reference")


def pair_accuracy(view: View, counts: InstanceCounts | None = None) -> dict[str, Column]:
    """Return MIPA with its parts (RSP equation 5), null where single verdicts are chosen.

    `counts`, where given, are of comparisons in the place of the judges' own.
    """
    if view.of_single_verdicts:
        return _without("mipa", view)
    instance = view.instance if counts is None else counts
    return _accuracy("mipa", instance.correct, instance.counted, "no_comparison_with_a_reference")


def _left_out(view: View) -> Mapping[str, int]:
    """Return the counts of both levels: comparisons need complete responses."""
    return view.left_out if view.of_single_verdicts else view.at("instance").left_out


def _without(name: str, view: View) -> dict[str, Column]:
    nothing = np.zeros(len(view.judges), dtype=np.int64)
    undefined = Column([None] * len(nothing), reasons="not_of_these_judgments")
    return {name: undefined, f"{name}_correct": Column(nothing), f"{name}_total": Column(nothing)}


def _accuracy(name: str, correct: Counted, total: Counted, reason: str) -> dict[str, Column]:
    value, draws = combine(rate, correct, total)
    return {
        name: Column(value, draws, first_reason((total.total == 0, reason))),
        f"{name}_correct": Column(correct.total),
        f"{name}_total": Column(total.total),
    }
