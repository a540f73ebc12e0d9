"""`permutation`: many orderings once against one ordering many times (MEASURES section 12)."""

from dataclasses import dataclass

import numpy as np

from engine.arrays.bits.confusion import Resampled, combine
from engine.arrays.scores.score_options import ITEM_GROUPS, ROW_GROUPS, JudgeScores, option_slices
from engine.arrays.study_arrays import StudyArrays
from engine.measures import entry
from engine.measures.columns import STATISTICS, correlation, difference, empty_column
from engine.measures.entry import ONE_JUDGE, SMALL, Measure
from engine.measures.orders.option_orders import LEFT_OUT, N_OPTIONS, PAPER, SCALE
from engine.measures.rows import FEW, Column, Options, Table
from engine.paradigms import OPTION_PARADIGMS
from engine.slices import Slice
from engine.stats import Floats, Ints, Weights
from engine.stats.orders import option_orders
from engine.stats.ratios import rate

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
    def means(self) -> dict[str, Floats | None]:
        """The score of each item in each arm, rounded so that equal ones tie in any order of addition."""
        both = {"permutation": self.permutation, "repeat": self.repeat}
        means = {name: None if scores is None else scores.mean(axis=1) for name, scores in both.items()}
        means["corrected"] = self.corrected
        return {name: None if scores is None else scores.round(_DIGITS) for name, scores in means.items()}


def permutation_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> list[Table]:
    """Return a table for each group: a row for each judge that has an item complete in an arm."""
    tables = []
    for part in option_slices(study, spec, options["by"], weights):
        # An arm uses trial 0, and of 1..n the trials below 2n.
        trials = np.array([len(scale.orderings) for scale in part.scales], dtype=np.int64)
        in_arms = part.rows.trial == 0
        in_arms |= (part.rows.ordering == 0) & (part.rows.trial < trials[part.rows.scale])
        judges = [(judge, _arms(judge)) for judge in part.judges(part.rows.select(in_arms))]
        in_an_arm = [each for each in judges if each[1].permutation is not None or each[1].repeat is not None]
        rows = [_row(judge, arms) for judge, arms in in_an_arm]
        left_out = part.left_out(in_arms, selections=False)
        left_out["incomplete"] = sum(arms.incomplete for _, arms in judges)
        instances = len(set().union(*(arms.instance.tolist() for _, arms in judges)))
        tables.append(Table.of(rows, instances, left_out, part.filters(), part.value))
    return tables


def _arms(judge: JudgeScores) -> Arms:
    """Return the arms of one judge; if it has both, with the items complete in both."""
    rows, number = judge.rows, len(judge.scale.orderings)
    item, first, place = np.unique(rows.item, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    tables = {}
    for name, mask, column in (
        ("permutation", rows.trial == 0, rows.ordering),
        ("repeat", rows.ordering == 0, rows.trial),
    ):
        table = np.full((len(item), number), np.nan)
        table[place[mask], column[mask]] = rows.score[mask]
        tables[name] = table
    complete = {name: ~np.isnan(table).any(axis=1) for name, table in tables.items()}
    started = {name: ~np.isnan(table).all(axis=1) for name, table in tables.items()}
    has = [name for name in tables if complete[name].any()]
    complete_items = np.logical_and.reduce([complete[name] for name in has or tables])
    judged = np.logical_or.reduce([started[name] for name in has or tables])
    return Arms(
        instance=rows.instance[first][complete_items],
        human=judge.human[first][complete_items],
        **{name: tables[name][complete_items] if name in has else None for name in tables},
        corrected=_corrected_scores(judge, tables["repeat"][complete_items]) if len(has) == 2 else None,
        incomplete=int((judged & ~complete_items).sum()),
    )


def _corrected_scores(judge: JudgeScores, repeats: Floats) -> Floats:
    """Return the mean of each item's repeats, weighted by how seldom each score is picked at its position."""
    probe = judge.select(judge.rows.trial == 0)
    weights = option_orders.correction_weights(probe.selections.total, judge.scale.orderings[0])
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
                empty_column(1, judge.weights, f"no_{arm}_arm")
                if means is None
                else correlation(
                    statistic, means[scored], arms.human[scored], arms.instance[scored], judge.weights
                )
            )
        row[f"{name}_delta"] = difference(row[f"{name}_permutation"], row[f"{name}_repeat"])
        row[f"{name}_delta_corrected"] = difference(row[f"{name}_corrected"], row[f"{name}_repeat"])
    return row


def _spread(judge: JudgeScores, arms: Arms, scores: Floats | None, arm: str) -> Column:
    """Return the mean over items of the spread within each."""
    if scores is None:
        return empty_column(1, judge.weights, f"no_{arm}_arm")
    spread = option_orders.spread_within(scores)
    sums = np.bincount(arms.instance, weights=spread, minlength=judge.n_instances)
    number = np.bincount(arms.instance, minlength=judge.n_instances)
    total, items = (Resampled.over_instances(counts[None, :], judge.weights) for counts in (sums, number))
    return Column(*combine(rate, total, items), "one_answer_for_each_item" if len(spread) else "no_items")


PERMUTATION = Measure(
    name="permutation",
    title="Permuting versus repeating",
    question="Do 2n orderings asked once agree better with people than one ordering asked 2n times?",
    formula="correlation of the mean score over orderings minus that of the mean over repeats of 1..n",
    paper=f"{PAPER}, Tables 2 and 3",
    left_out=f"items without all the answers that the judge's other items have (incomplete); {LEFT_OUT}",
    function=permutation_table,
    chart="permutation",
    keys=("judge", "n_options", "scale"),
    headline="pearson_delta",
    paradigms=OPTION_PARADIGMS,
    sliced=False,
    groups=(*ITEM_GROUPS, *ROW_GROUPS[:-1]),
    fields=(
        ONE_JUDGE,
        N_OPTIONS,
        SCALE,
        entry.count("n_items", "items with all the answers compared"),
        entry.count("n_scored", "of n_items, those with a human score"),
        entry.estimate(
            "pearson_permutation", "Pearson's r with human scores, for the mean over 2n orderings"
        ),
        entry.estimate(
            "pearson_repeat", "Pearson's r with human scores, for the mean over 2n repeats of 1..n"
        ),
        entry.estimate("pearson_delta", "pearson_permutation - pearson_repeat", 0.0),
        entry.estimate(
            "spearman_permutation", "Spearman's rho with human scores, for the mean over 2n orderings"
        ),
        entry.estimate(
            "spearman_repeat", "Spearman's rho with human scores, for the mean over 2n repeats of 1..n"
        ),
        entry.estimate("spearman_delta", "spearman_permutation - spearman_repeat", 0.0),
        entry.estimate("sd_permutation", "standard deviation over orderings of one item, mean over items"),
        entry.estimate("sd_repeat", "standard deviation over repeats of one item, mean over items"),
        entry.estimate(
            "pearson_corrected",
            "Pearson's r with human scores, for repeats weighted by 1 / (n P(p | s)), where score s "
            "stands at p",
        ),
        entry.estimate("pearson_delta_corrected", "pearson_corrected - pearson_repeat", 0.0),
        entry.estimate("spearman_corrected", "Spearman's rho with human scores, for the weighted repeats"),
        entry.estimate("spearman_delta_corrected", "spearman_corrected - spearman_repeat", 0.0),
        SMALL,
    ),
)
