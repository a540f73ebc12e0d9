"""`ordering`: what each order of score options costs, and how it goes with people (MEASURES section 12)."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import UsageError
from engine.measures.correlations import STATISTICS, UNDEFINED, correlation
from engine.measures.table import FEW, Column, Table, stack
from engine.metrics.delta import average_ranks
from engine.metrics.folded import cost_draws
from engine.metrics.orders import MOST_OPTIONS, bias_costs, cheapest_of_all, first_cheapest
from engine.slices import Slice
from engine.views.options import JudgeScores, option_slices

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Weights = NDArray[np.float32]


def compute(
    study: "StudyArrays", spec: Slice, options: dict[str, Any], weights: Weights | None
) -> list[Table]:
    """Return a table for each group: a row for each judge and balanced ordering, judged in it or not."""
    made = []
    for part in option_slices(study, spec, options["by"], weights):
        taken = part.rows.trial == 0
        rows = part.rows.select(taken)
        judges = [_of_judge(judge, options["search"]) for judge in part.judges(rows)]
        columns = {name: stack([row[name] for row in judges]) for name in judges[0]} if judges else {}
        keep = np.ones(len(columns["judge"].values) if judges else 0, dtype=bool)
        instances, left_out = len(np.unique(rows.instance)), part.left_out(taken, selections=False)
        made.append(Table(columns, keep, instances, left_out, part.filters(), part.value))
    return made


def _of_judge(judge: JudgeScores, search: str) -> dict[str, Column]:
    """Return the rows of one judge on one scale."""
    selections, orderings = judge.selections, judge.scale.orderings
    shown, best = _recommended(judge, selections.total, orderings, search)
    costs = bias_costs(selections.total, shown)
    drawn = None if selections.draws is None else cost_draws(selections.total, selections.draws, shown)
    size, n = shown.shape
    judged = [judge.select(judge.rows.ordering == place) for place in range(len(orderings))]
    judged += [judge.select(np.zeros(len(judge.rows.judge), dtype=bool))] * (size - len(orderings))
    scored = [one.select(~np.isnan(one.human)) for one in judged]
    correlations = {name: _correlations(scored, name) for name in STATISTICS}
    few = bool((np.asarray(selections.total).sum(axis=1) < FEW).any())
    return {
        "judge": Column([judge.name] * size),
        "n_options": Column([n] * size),
        "scale": Column([judge.scale.write(np.arange(n))] * size),
        "ordering": Column([judge.scale.write(ordering) for ordering in shown]),
        "cost": Column(costs, drawn),
        "recommended": Column([place == best for place in range(size)]),
        **correlations,
        "n": Column([len(one.rows.judge) for one in scored]),
        "rank": _ranks(np.asarray(correlations["pearson"].values, dtype=np.float64)),
        "n_judged": Column([len(one.rows.judge) for one in judged]),
        "small": Column([few] * size),
    }


def _recommended(
    judge: JudgeScores, selections: NDArray[Any], orderings: Ints, search: str
) -> tuple[Ints, int]:
    """Return the orderings that have a row, and the place of the recommended one among them."""
    costs = bias_costs(selections, orderings)
    best = first_cheapest(costs)
    if search == "balanced":
        return orderings, best
    if len(judge.scale.scores) > MOST_OPTIONS:
        raise UsageError(
            f"search 'all' goes through the orderings of at most {MOST_OPTIONS} options, "
            f"and {judge.name!r} was shown {len(judge.scale.scores)}; choose 'balanced'"
        )
    anywhere = cheapest_of_all(selections)
    widened = np.vstack([orderings, anywhere])
    if first_cheapest(bias_costs(selections, widened)) < len(orderings):
        return orderings, first_cheapest(bias_costs(selections, widened))
    return widened, len(orderings)


def _correlations(scored: list[JudgeScores], name: str) -> Column:
    return stack(
        [
            correlation(STATISTICS[name], one.rows.score, one.human, one.rows.instance, one.weights)
            for one in scored
        ]
    )


def _ranks(pearson: Floats) -> Column:
    """Return the rank of each correlation, 1 the highest; equal ones share the mean of their ranks."""
    ranks = np.full(len(pearson), np.nan)
    known = ~np.isnan(pearson)
    ranks[known] = average_ranks(pearson[known])
    return Column(ranks, reasons=UNDEFINED)
