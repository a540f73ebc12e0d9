"""The judged pairs of one slice, as sections 9 to 11 of MEASURES count them."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.left_out import in_slice
from engine.arrays.pairs.pair_orders import PairRows, PairValues, winners
from engine.arrays.slicing.resolve import of_runs
from engine.arrays.view import SliceView
from engine.paradigms import PAIR_PARADIGMS
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, ParallelArrays

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


@dataclass(frozen=True, eq=False)
class JudgedPairs(ParallelArrays):
    """Pairs with a value by the judge, seen from `target`; `row` is the judge's place among those shown.

    `value` is the outcome (+1, 0, -1) or a probability of the target, `firm` +1 or -1 where both orders name
    the same response, `first` and `second` the winner in each order (NaN: resolved already), `p` the mean
    probability of the target in a forced choice (NaN: none).
    """

    row: Ints
    judge: Ints
    instance: Ints
    target: Ints
    other: Ints
    value: Floats
    firm: Floats
    first: Floats
    second: Floats
    p: Floats

    def swapped(self, value: Floats | None = None) -> "JudgedPairs":
        """Return the pairs seen from the other response, with the opposite value or another one."""
        value, firm = -self.value if value is None else value, -self.firm
        first, second, p = -self.first, -self.second, 1 - self.p
        swapped = replace(self, target=self.other, other=self.target, value=value, firm=firm)
        return replace(swapped, first=first, second=second, p=p)

    def both_ways(self) -> "JudgedPairs":
        return self.concatenate([self, self.swapped()])

    def own(self) -> "JudgedPairs":
        """Return the pairs with the judge's own response, seen from it."""
        every = self.both_ways()
        return every.select(every.target == every.judge)


def prefer_variant(study: "StudyArrays", spec: Slice, by: str | None, *variants: str) -> Slice:
    """Return the slice with the first of the variants that the study has, unless one is given."""
    if spec.variant is not None or by == "variant":
        return spec
    present = study.inventory.values("variant", paradigm=PAIR_PARADIGMS, **of_runs(spec))
    return replace(spec, variant=next((name for name in variants if name in present), None))


def judged_pairs(view: SliceView, rows: PairRows, pairs: PairValues) -> JudgedPairs:
    """Return the pairs that are shown and kept."""
    keep = in_slice(view, pairs)
    one, two, judge, value = pairs.one[keep], pairs.two[keep], pairs.judge[keep], pairs.value[keep]
    winner, resolved = winners(rows), one == two
    first, second = (np.where(resolved, np.nan, winner[order]) for order in (one, two))
    agreed = np.where(first == second, first, 0.0)
    forced = np.where(np.isnan(rows.p_tie), rows.p, np.nan)
    return JudgedPairs(
        row=np.searchsorted(view.judges, judge),
        judge=judge,
        instance=pairs.instance[keep],
        target=pairs.generator[keep],
        other=pairs.opponent[keep],
        value=value,
        firm=np.where(resolved, value, agreed),
        first=first,
        second=second,
        p=(forced[one] + forced[two]) / 2,
    )


def kept_mask(view: SliceView, models: Ints) -> Bools:
    """Return which responses of models are kept, shape (models, instances)."""
    cells, generators = view.kept_cells, view.cube.generators
    if len(cells) == 1:
        return np.broadcast_to(cells, (len(models), cells.shape[1]))
    place = np.minimum(np.searchsorted(generators, models), len(generators) - 1)
    return np.asarray(cells[place] & (generators[place] == models)[:, None])


def by_judge(view: SliceView, pairs: JudgedPairs, keep: Bools) -> Ints:
    """Count pairs for each judge shown and instance: shape (judges, instances)."""
    shape = (len(view.judges), view.study.index.n_instances)
    cell = pairs.row[keep] * shape[1] + pairs.instance[keep]
    return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
