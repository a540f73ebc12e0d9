"""`permutation`: many orderings once against one ordering many times (MEASURES section 12)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.correlations import STATISTICS, correlation, difference
from engine.measures.table import FEW, Column, Table, stack
from engine.metrics.orders import correction_weights, spread_within
from engine.metrics.overestimation import rate
from engine.slices import Slice
from engine.views.counted import Counted, combine
from engine.views.options import JudgeScores, OptionSlice, option_slices

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Weights = NDArray[np.float32]

ARMS = ("permutation", "repeat", "corrected")
_DIGITS = 10


@dataclass(frozen=True, eq=False)
class Arms:
    """A judge's scores of the items complete in the arms it has: shape (items, 2n), None for an arm it lacks.

    `corrected` holds one score for each item. `incomplete` counts the other items that it judged.
    """

    instance: Ints
    human: Floats
    permutation: Floats | None
    repeat: Floats | None
    corrected: Floats | None
    incomplete: int

    @property
    def any(self) -> bool:
        """Whether the judge has an arm."""
        return self.permutation is not None or self.repeat is not None

    @property
    def means(self) -> dict[str, Floats | None]:
        """The score of each item in each arm, rounded so that equal ones tie however they add up."""
        both = {"permutation": self.permutation, "repeat": self.repeat}
        means = {name: None if scores is None else scores.mean(axis=1) for name, scores in both.items()}
        means["corrected"] = self.corrected
        return {name: None if scores is None else scores.round(_DIGITS) for name, scores in means.items()}


def compute(
    study: "StudyArrays", spec: Slice, options: dict[str, Any], weights: Weights | None
) -> list[Table]:
    """Return a table for each group: a row for each judge that has an item complete in an arm."""
    made = []
    for part in option_slices(study, spec, options["by"], weights):
        taken = _taken(part)
        judges = [(judge, _arms(judge)) for judge in part.judges(part.rows.select(taken))]
        rows = [_row(judge, arms) for judge, arms in judges if arms.any]
        columns = {name: stack([row[name] for row in rows]) for name in rows[0]} if rows else {}
        left_out = part.left_out(taken, selections=False)
        left_out["incomplete"] = sum(arms.incomplete for _, arms in judges)
        instances = len(set().union(*(arms.instance.tolist() for _, arms in judges)))
        keep = np.ones(len(rows), dtype=bool)
        made.append(Table(columns, keep, instances, left_out, part.filters(), part.value))
    return made


def _taken(part: OptionSlice) -> NDArray[np.bool_]:
    """Return which rows an arm takes: trial 0, and of 1..n the trials below 2n."""
    trials = np.array([len(scale.orderings) for scale in part.scales], dtype=np.int64)
    rows = part.rows
    if not len(trials):
        return np.zeros(len(rows.trial), dtype=bool)
    repeated = (rows.ordering == 0) & (rows.trial < trials[rows.scale])
    return np.asarray((rows.trial == 0) | repeated)


def _arms(judge: JudgeScores) -> Arms:
    """Return the arms of one judge; of two, the items complete in both."""
    rows, number = judge.rows, len(judge.scale.orderings)
    item, first, place = np.unique(rows.item, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    tables = {}
    for name, here, column in (
        ("permutation", rows.trial == 0, rows.ordering),
        ("repeat", rows.ordering == 0, rows.trial),
    ):
        table = np.full((len(item), number), np.nan)
        table[place[here], column[here]] = rows.score[here]
        tables[name] = table
    complete = {name: ~np.isnan(table).any(axis=1) for name, table in tables.items()}
    begun = {name: ~np.isnan(table).all(axis=1) for name, table in tables.items()}
    has = [name for name in tables if complete[name].any()]
    kept = np.logical_and.reduce([complete[name] for name in has]) if has else np.zeros(len(item), dtype=bool)
    seen = np.logical_or.reduce([begun[name] for name in has or tables])
    arms = {name: tables[name][kept] if name in has else None for name in tables}
    corrected = None
    if len(has) == 2:
        corrected = _corrected(judge, tables["repeat"][kept])
    return Arms(
        instance=rows.instance[first][kept],
        human=judge.human[first][kept],
        permutation=arms["permutation"],
        repeat=arms["repeat"],
        corrected=corrected,
        incomplete=int((seen & ~kept).sum()),
    )


def _corrected(judge: JudgeScores, repeats: Floats) -> Floats:
    """Return the mean of each item's repeats, weighed by how seldom each score is picked where it stands."""
    probe = judge.select(judge.rows.trial == 0)
    weights = correction_weights(probe.selections.total, judge.scale.orderings[0])
    each = np.interp(repeats, judge.scale.scores, weights)  # a mean of runs may lie between two options
    return np.asarray((each * repeats).sum(axis=1) / each.sum(axis=1))


def _row(judge: JudgeScores, arms: Arms) -> dict[str, Column]:
    scored = ~np.isnan(arms.human)
    n = len(judge.scale.scores)
    row = {
        "judge": Column([judge.name]),
        "n_options": Column([n]),
        "scale": Column([judge.scale.write(np.arange(n))]),
        "n_items": Column([len(arms.instance)]),
        "n_scored": Column([int(scored.sum())]),
        "sd_permutation": _spread(judge, arms, arms.permutation, "permutation"),
        "sd_repeat": _spread(judge, arms, arms.repeat, "repeat"),
        "small": Column([int(scored.sum()) < FEW]),
    }
    for name, statistic in STATISTICS.items():
        for arm, means in arms.means.items():
            row[f"{name}_{arm}"] = (
                _lacking(judge, arm)
                if means is None
                else correlation(
                    statistic, means[scored], arms.human[scored], arms.instance[scored], judge.weights
                )
            )
        row[f"{name}_delta"] = difference(row[f"{name}_permutation"], row[f"{name}_repeat"])
        row[f"{name}_delta_corrected"] = difference(row[f"{name}_corrected"], row[f"{name}_repeat"])
    return row


def _lacking(judge: JudgeScores, arm: str) -> Column:
    draws = None if judge.weights is None else np.full((len(judge.weights), 1), np.nan)
    return Column([None], draws, f"no_{arm}_arm")


def _spread(judge: JudgeScores, arms: Arms, scores: Floats | None, arm: str) -> Column:
    """Return the mean over items of the spread within each."""
    if scores is None:
        return _lacking(judge, arm)
    spread = spread_within(scores)
    sums = np.bincount(arms.instance, weights=spread, minlength=judge.n_instances)
    number = np.bincount(arms.instance, minlength=judge.n_instances)
    total, items = (Counted.over_instances(counts[None, :], judge.weights) for counts in (sums, number))
    value, draws = combine(rate, total, items)
    return Column(value, draws, "no_items" if not len(spread) else "one_answer_for_each_item")
