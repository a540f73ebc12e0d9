"""`committee`: each member beside its committee's voice in its place (MEASURES section 7)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.accuracy import pair_accuracy, rubric_accuracy
from engine.measures.hspp import preference_columns
from engine.measures.seats import Seats, seated
from engine.measures.table import FEW, Column, Table, first_reason, stack
from engine.references import FEWEST_MEMBERS
from engine.views import View
from engine.views.instance import InstanceCounts
from engine.views.rubric import RubricCounts

_COMPARED = ("hspp_self", "hspp_family", "mra", "mipa")


def compute(view: View, options: Mapping[str, Any]) -> Table:
    """Return a row for each member at rubric level, then one for each at instance level."""
    seats = seated(view, options)
    names = [view.study.index.models[j] for j in seats.view.judges]
    everyone = np.ones(len(seats.seat), dtype=bool)
    rows: dict[str, list[Column]] = {}
    for level in seats.levels:
        alone, joined = _alone(seats.view.at(level)), in_their_place(seats, everyone, level)
        pairs = {name: alone[name] for name in (*_COMPARED, "n_self")}
        pairs |= {f"{name}_committee": joined[name] for name in (*_COMPARED, "n_self")}
        pairs |= {"judge": Column(names), "level": Column([level] * len(names))}
        for name, column in pairs.items():
            rows.setdefault(name, []).append(column)
    columns = {name: stack(parts) for name, parts in rows.items()}
    least = np.minimum(*(np.asarray(columns[name].values) for name in ("n_self", "n_self_committee")))
    columns["small"] = Column(list(least < FEW))
    columns["members"] = Column([list(seats.members)] * (len(seats.levels) * len(names)))
    keep = np.tile(seats.view.counted_cells.any(axis=(1, 2)), len(seats.levels))
    return seats.table(columns, keep)


def in_their_place(seats: Seats, sitting: NDArray[np.bool_], level: str) -> dict[str, Column]:
    """Return ratios and accuracies of a committee of those sitting, in the place of each judge.

    Undefined where fewer than three of them may vote on a judge.
    """
    votes = seats.votes(sitting)
    few = votes.sum(axis=1) < FEWEST_MEMBERS
    votes[few] = False
    rubric, instance = seats.counts(votes)
    counts = rubric if level == "rubric" else instance
    assert counts is not None  # noqa: S101 - no level is asked that the judgments have not
    columns = preference_columns(seats.view, counts)
    if rubric is None and seats.view.request.of_rubrics:  # scores were joined, and no verdicts
        columns["mra"] = Column([None] * len(votes), reasons="not_of_these_judgments")
    else:
        columns |= rubric_accuracy(seats.view, rubric)
    columns |= pair_accuracy(seats.view, instance)
    columns["n_self"] = _own_failures(seats.view, counts)
    return {name: _but(column, few) for name, column in columns.items()}


def _alone(view: View) -> dict[str, Column]:
    columns = preference_columns(view, view.counts) | rubric_accuracy(view) | pair_accuracy(view)
    columns["n_self"] = _own_failures(view, view.counts)
    return columns


def _own_failures(view: View, counts: RubricCounts | InstanceCounts) -> Column:
    return Column((counts.failed.total * view.kin.own).sum(axis=1))


def _but(column: Column, few: NDArray[np.bool_]) -> Column:
    """Return the column with the reason that too few members are left to judge, where they are."""
    why = first_reason((few, "too_few_members"))
    reasons = [why[row] or column.reason(row) for row in range(len(why))]
    return Column(column.values, column.draws, reasons)
