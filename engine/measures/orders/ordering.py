"""`ordering`: the cost of each order of score options, and its agreement with people (section 12)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.scores.score_options import ITEM_GROUPS, ROW_GROUPS, JudgeScores, option_slices
from engine.arrays.study_arrays import StudyArrays
from engine.errors import UsageError
from engine.measures import entry
from engine.measures.columns import NO_CORRELATION, STATISTICS, correlation
from engine.measures.entry import ONE_JUDGE, TESTED, Field, Measure
from engine.measures.orders.option_orders import LEFT_OUT, N_OPTIONS, PAPER, SCALE
from engine.measures.rows import FEW, Column, Options, Table, stack
from engine.paradigms import OPTION_PARADIGMS
from engine.slices import Slice
from engine.stats import Ints, Weights
from engine.stats.intervals.cost_intervals import cost_draws
from engine.stats.orders import option_orders
from engine.stats.scores.ranks import ranks


def ordering_table(study: StudyArrays, spec: Slice, options: Options, weights: Weights | None) -> list[Table]:
    """Return a table for each group: a row for each judge and balanced ordering, judged in it or not."""
    tables = []
    for part in option_slices(study, spec, options["by"], weights):
        first_trial = part.rows.trial == 0
        rows = part.rows.select(first_trial)
        judges = [_ordering_rows(judge, options["search"]) for judge in part.judges(rows)]
        left_out = part.left_out(first_trial, selections=False)
        instances = len(np.unique(rows.instance))
        tables.append(Table.of(judges, instances, left_out, part.filters(), part.value))
    return tables


def _ordering_rows(judge: JudgeScores, search: str) -> dict[str, Column]:
    selections, orderings = judge.selections, judge.scale.orderings
    candidates, best = _candidates(judge, selections.total, orderings, search)
    costs = option_orders.bias_costs(selections.total, candidates)
    draws = None if selections.draws is None else cost_draws(selections.total, selections.draws, candidates)
    size, n = candidates.shape
    judged = [judge.select(judge.rows.ordering == place) for place in range(len(orderings))]
    judged += [judge.select(np.zeros(len(judge.rows.judge), dtype=bool))] * (size - len(orderings))
    with_people = [part.select(~np.isnan(part.human)) for part in judged]
    correlations = {
        name: stack(
            [
                correlation(statistic, part.rows.score, part.human, part.rows.instance, part.weights)
                for part in with_people
            ]
        )
        for name, statistic in STATISTICS.items()
    }
    pearson = np.asarray(correlations["pearson"].values, dtype=np.float64)
    few = bool((np.asarray(selections.total).sum(axis=1) < FEW).any())
    return {
        "judge": Column([judge.name] * size),
        "n_options": Column([n] * size),
        "scale": Column([judge.scale.write(np.arange(n))] * size),
        "ordering": Column([judge.scale.write(ordering) for ordering in candidates]),
        "cost": Column(costs, draws),
        "recommended": Column([place == best for place in range(size)]),
        **correlations,
        "n": Column([len(part.rows.judge) for part in with_people]),
        "rank": Column(ranks(pearson), reasons=NO_CORRELATION),
        "n_judged": Column([len(part.rows.judge) for part in judged]),
        "small": Column([few] * size),
    }


def _candidates(
    judge: JudgeScores, selections: NDArray[Any], orderings: Ints, search: str
) -> tuple[Ints, int]:
    """Return the orderings that have a row, and the place of the recommended one among them."""
    if search == "balanced":
        return orderings, option_orders.first_cheapest(option_orders.bias_costs(selections, orderings))
    if len(judge.scale.scores) > option_orders.MOST_OPTIONS:
        raise UsageError(
            f"search 'all' tries every ordering of at most {option_orders.MOST_OPTIONS} options, but "
            f"{judge.name!r} was shown {len(judge.scale.scores)}; choose 'balanced'"
        )
    candidates = np.vstack([orderings, option_orders.cheapest_of_all(selections)])
    best = option_orders.first_cheapest(option_orders.bias_costs(selections, candidates))
    return (orderings if best < len(orderings) else candidates), best


ORDERING = Measure(
    name="ordering",
    title="Cost of each ordering",
    question="Which order of the score options is best, and how well does each order agree with people?",
    formula="cost(pi) = 100 * sum over p of |P(p | pi_p) - 1/n|",
    paper=f"{PAPER}, section 5.3 and Tables 4 and 6",
    left_out=f"{LEFT_OUT}; in the cost, scores that were never selected",
    function=ordering_table,
    chart="costs",
    keys=("judge", "n_options", "scale", "ordering"),
    headline="cost",
    paradigms=OPTION_PARADIGMS,
    sliced=False,
    groups=(*ITEM_GROUPS, *ROW_GROUPS[:-1]),
    options=(
        entry.choice(
            "search",
            "orderings to choose the recommended one from: the 2n balanced ones or all n!",
            "balanced",
            "all",
        ),
    ),
    intervals={TESTED: ("cost",)},
    fields=(
        ONE_JUDGE,
        N_OPTIONS,
        SCALE,
        entry.key("ordering", "the scores in the order shown"),
        Field("cost", "points", "bias cost, in percentage points", interval=True),
        Field("recommended", "flag", "the ordering with the lowest cost"),
        entry.estimate("pearson", "Pearson's r with human scores, for scores given in this ordering"),
        entry.estimate("spearman", "Spearman's rho with human scores, for scores given in this ordering"),
        entry.count("n", "items judged in this ordering that have a human score"),
        entry.number("rank", "rank by Pearson's r among the 2n orderings; 1 is the highest"),
        entry.count("n_judged", "items judged in this ordering"),
        Field("small", "flag", "some score was selected fewer than 30 times, so the costs are rough"),
    ),
)
