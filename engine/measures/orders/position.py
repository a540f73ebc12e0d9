"""`position`: how often a judge picks the option at each position (MEASURES section 12)."""

from typing import Any

import numpy as np

from engine.arrays.scores.score_options import (
    ITEM_GROUPS,
    ROW_GROUPS,
    JudgeScores,
    OptionSlice,
    option_slices,
)
from engine.arrays.study_arrays import StudyArrays
from engine.measures import entry
from engine.measures.entry import ONE_JUDGE, SMALL, Field, Measure
from engine.measures.orders.option_orders import LEFT_OUT, N_OPTIONS, PAPER, SCALE
from engine.measures.rows import FEW, Column, Options, Table
from engine.paradigms import OPTION_PARADIGMS
from engine.slices import Slice
from engine.stats import Ints, Weights
from engine.stats.orders import option_orders
from engine.stats.ratios import rate

BY_SCORE = "score"


def position_table(study: StudyArrays, spec: Slice, options: Options, weights: Weights | None) -> list[Table]:
    """Return a table for each group; by score, one for each score that is selected."""
    by_score = options["by"] == BY_SCORE
    slices = option_slices(study, spec, None if by_score else options["by"], weights)
    tables: list[Table] = []
    for part in slices:
        first_trial = part.rows.trial == 0
        judges = [judge.with_choice for judge in part.judges(part.rows.select(first_trial))]
        by_judge = [_Positions(judge, options["seed"]) for judge in judges if len(judge.rows.judge)]
        left_out = part.left_out(first_trial, selections=True)
        scores = sorted({score for each in by_judge for score in each.scores}) if by_score else [None]
        for place, score in enumerate(scores):
            tables.append(_position_table(part, by_judge, {} if place else left_out, score))
    return tables


class _Positions:
    """One judge's selections on one scale, counted once for all of its rows."""

    def __init__(self, judge: JudgeScores, seed: int) -> None:
        self.judge, self.selections = judge, judge.selections
        self.shuffled: Ints | None = None
        if judge.weights is not None:
            rows = judge.rows
            place = np.frombuffer(judge.name.encode(), dtype=np.uint8).tolist()  # whoever is shown
            rng = np.random.default_rng([seed, *place])
            orderings = judge.scale.orderings
            self.shuffled = option_orders.shuffled_selections(
                rows.item, rows.ordering, rows.choice, orderings, len(judge.weights), rng
            )

    @property
    def scores(self) -> list[float]:
        selected = np.flatnonzero(np.asarray(self.selections.total).sum(axis=1) > 0)
        return [self.judge.scale.scores[place] for place in selected]

    def instances(self, score: float | None) -> set[int]:
        rows = self.judge.rows
        if score is None:
            return set(rows.instance.tolist())
        return set(rows.instance[rows.choice == self.judge.scale.scores.index(score)].tolist())

    def row(self, score: float | None) -> dict[str, Column]:
        """Return P(p | score), or the shares over all scores."""
        scale = self.judge.scale
        places = slice(None) if score is None else [scale.scores.index(score)]
        counts = self.selections.apply(lambda counts: counts[..., places, :].sum(axis=-2))
        n = counts.total.shape[-1]
        number, fit = int(counts.total.sum()), option_orders.chi_square(counts.total)
        draws = None if counts.draws is None else rate(counts.draws, counts.draws.sum(axis=-1, keepdims=True))
        shuffle: list[Any] = [None] * n
        no_shuffle = "no_resamples"
        if self.shuffled is not None:
            shuffled, no_shuffle = self.shuffled[:, places].sum(axis=1), "one_option"
            shuffle = [
                float(option_orders.shuffle_p(fit.statistic, option_orders.chi_square(shuffled).statistic))
            ] * n
        return {
            "judge": Column([self.judge.name] * n),
            "n_options": Column([n] * n),
            "scale": Column([scale.write(np.arange(n))] * n),
            "position": Column(list(range(1, n + 1))),
            "share": Column(rate(counts.total, np.full(n, number)), draws),
            "n": Column([number] * n),
            "chi2": Column([float(fit.statistic)] * n, reasons="one_option"),
            "chi2_p": Column([float(fit.p)] * n, reasons="one_option"),
            "chi2_shuffle_p": Column(shuffle, reasons=no_shuffle),
            "small": Column([number < FEW] * n),
        }


def _position_table(
    part: OptionSlice, by_judge: list[_Positions], left_out: dict[str, int], score: float | None = None
) -> Table:
    """Return the rows over all scores, or of one; with too few instances they have no p-values."""
    with_score = [positions for positions in by_judge if score is None or score in positions.scores]
    rows = [positions.row(score) for positions in with_score]
    instances = len(set().union(*(positions.instances(score) for positions in with_score)))
    if instances < part.request.spec.min_instances:
        for row in rows:
            untested = Column([None] * len(row["judge"].values), reasons="too_few_instances")
            row |= {"chi2_p": untested, "chi2_shuffle_p": untested}
    return Table.of(rows, instances, left_out, part.filters(), part.value if score is None else score)


POSITION = Measure(
    name="position",
    title="Selections by position",
    question="Does a judge pick the score option at some places in the list more often than at others?",
    formula="share of selections at each position over the 2n balanced orderings; 1/n is expected",
    paper=f"{PAPER}, Figure 5 and Table 5",
    left_out=LEFT_OUT,
    function=position_table,
    chart="positions",
    keys=("judge", "n_options", "scale", "position"),
    headline="share",
    paradigms=OPTION_PARADIGMS,
    sliced=False,
    groups=("score", *ITEM_GROUPS, *ROW_GROUPS),
    instead=("order-effect", "how votes depend on the order of two answers, and verdicts on that of a list,"),
    fields=(
        ONE_JUDGE,
        N_OPTIONS,
        SCALE,
        Field("position", "count", "place in the list, from 1"),
        entry.share("share", "share of selections at this position; grouped by score, P(position | score)"),
        entry.count("n", "selections"),
        entry.number(
            "chi2",
            "chi-square of the positions against equal shares, with n - 1 degrees of freedom",
            title="Chi-square",
        ),
        entry.number(
            "chi2_p",
            "p-value of chi2; naive: selections of one item depend on each other",
            title="p, chi-square",
        ),
        entry.number(
            "chi2_shuffle_p",
            "p-value of chi2 when each item's scores are reshuffled among its orderings",
            title="p, permutation",
        ),
        SMALL,
    ),
)
