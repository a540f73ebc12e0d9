"""`position`: how often a judge picks the option at each position (MEASURES section 12)."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.table import FEW, Column, Table, stack
from engine.metrics.orders import chi_square, shuffle_p, shuffled_selections
from engine.metrics.overestimation import rate
from engine.slices import Slice
from engine.views.counted import Counted
from engine.views.options import JudgeScores, OptionSlice, option_slices

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]
Row = dict[str, Column]

BY_SCORE = "score"


def compute(
    study: "StudyArrays", spec: Slice, options: dict[str, Any], weights: Weights | None
) -> list[Table]:
    """Return a table for each group; by score, one for each score that is selected."""
    by_score = options["by"] == BY_SCORE
    slices = option_slices(study, spec, None if by_score else options["by"], weights)
    made: list[Table] = []
    for part in slices:
        taken = part.rows.trial == 0
        judges = [judge.chosen for judge in part.judges(part.rows.select(taken))]
        told = [_Positions(judge, options["seed"]) for judge in judges if len(judge.rows.judge)]
        left_out = part.left_out(taken, selections=True)
        if not by_score:
            made.append(_table(part, [one.of_all() for one in told], told, left_out))
            continue
        for score in sorted({score for one in told for score in one.scores}):
            rows = [one.of_score(score) for one in told if score in one.scores]
            made.append(_table(part, rows, told, left_out, score))
            left_out = {}
    return made


class _Positions:
    """One judge's selections on one scale, counted once for all of its rows."""

    def __init__(self, judge: JudgeScores, seed: int) -> None:
        self.judge, self.selections = judge, judge.selections
        self.shuffled: NDArray[np.int64] | None = None
        if judge.weights is not None:
            rows = judge.rows
            place = np.frombuffer(judge.name.encode(), dtype=np.uint8).tolist()  # not what others are shown
            rng = np.random.default_rng([seed, *place])
            orderings = judge.scale.orderings
            self.shuffled = shuffled_selections(
                rows.item, rows.ordering, rows.choice, orderings, len(judge.weights), rng
            )

    @property
    def scores(self) -> list[float]:
        """The scores that were selected."""
        chosen = np.asarray(self.selections.total).sum(axis=1) > 0
        return [score for score, some in zip(self.judge.scale.scores, chosen, strict=True) if some]

    def instances(self, score: float | None) -> set[int]:
        """Return the instances in which the score, or any, was selected."""
        rows = self.judge.rows
        if score is None:
            return set(rows.instance.tolist())
        return set(rows.instance[rows.choice == self.judge.scale.scores.index(score)].tolist())

    def of_all(self) -> Row:
        """Return the shares over all scores."""
        shuffled = None if self.shuffled is None else self.shuffled.sum(axis=1)
        return self._row(self.selections.apply(lambda counts: counts.sum(axis=-2)), shuffled)

    def of_score(self, score: float) -> Row:
        """Return P(p | score)."""
        place = self.judge.scale.scores.index(score)
        shuffled = None if self.shuffled is None else self.shuffled[:, place]
        return self._row(self.selections.apply(lambda counts: counts[..., place, :]), shuffled)

    def _row(self, counts: Counted, shuffled: NDArray[np.int64] | None) -> Row:
        scale, n = self.judge.scale, counts.total.shape[-1]
        number, fit = int(counts.total.sum()), chi_square(counts.total)
        draws = None if counts.draws is None else rate(counts.draws, counts.draws.sum(axis=-1, keepdims=True))
        shuffle: list[Any] = [None] * n
        if shuffled is not None:
            shuffle = [float(shuffle_p(fit.statistic, chi_square(shuffled).statistic))] * n
        return {
            "judge": Column([self.judge.name] * n),
            "n_options": Column([n] * n),
            "scale": Column([scale.write(np.arange(n))] * n),
            "position": Column(list(range(1, n + 1))),
            "share": Column(rate(counts.total, np.full(n, number)), draws),
            "n": Column([number] * n),
            "chi2": Column([float(fit.statistic)] * n, reasons="one_option"),
            "chi2_p": Column([float(fit.p)] * n, reasons="one_option"),
            "chi2_shuffle_p": Column(shuffle, reasons="no_resamples" if shuffled is None else "one_option"),
            "small": Column([number < FEW] * n),
        }


def _table(
    part: OptionSlice,
    rows: list[Row],
    told: list[_Positions],
    left_out: dict[str, int],
    score: float | None = None,
) -> Table:
    """Return the rows of one group; with too few instances they have no p-values."""
    there = [one for one in told if score is None or score in one.scores]
    instances = len(set().union(*(one.instances(score) for one in there)))
    columns = {name: stack([row[name] for row in rows]) for name in rows[0]} if rows else {}
    if rows and instances < part.request.spec.min_instances:
        for name in ("chi2_p", "chi2_shuffle_p"):
            columns[name] = Column([None] * len(columns[name].values), reasons="too_few_instances")
    size = len(columns["judge"].values) if rows else 0
    value = part.value if score is None else score
    return Table(columns, np.ones(size, dtype=bool), instances, left_out, part.filters(), value)
