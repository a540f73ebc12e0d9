"""The judged pairs of one slice, as sections 9 to 11 of MEASURES count them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from engine.cubes.orders import Paired
from engine.cubes.pair_rows import Bools, Floats, Ints, PairFailures, PairRows, named, take
from engine.cubes.pairs import PairCube
from engine.schema import STATUSES
from engine.slices import Slice
from engine.views.view import View

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

CODES = ("unparsed", "refused", "error", "merged", "order_missing")


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """Pairs with a value by the judge, one entry each, seen from `target`.

    `row` is the judge's place among those shown; `target` and `other` are positions of models. `value` is the
    outcome (+1, 0, -1) or a probability of the target, `firm` +1 or -1 where both orders name the same
    response, `first` and `second` whom each order names (NaN: resolved already), `p` the mean probability of
    the target in a forced choice (NaN: none).
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

    def select(self, keep: Bools | Ints) -> "JudgedPairs":
        """Return some of the pairs."""
        return JudgedPairs(**{name: part[keep] for name, part in vars(self).items()})

    def turned(self, flip: Callable[[Floats], Floats] = np.negative) -> "JudgedPairs":
        """Return the pairs seen from the other response; `flip` turns the value."""
        return replace(
            self,
            target=self.other,
            other=self.target,
            value=flip(self.value),
            firm=-self.firm,
            first=-self.first,
            second=-self.second,
            p=1 - self.p,
        )

    def both_ways(self, flip: Callable[[Floats], Floats] = np.negative) -> "JudgedPairs":
        """Return every pair twice, seen from either response."""
        back = self.turned(flip)
        return JudgedPairs(**{n: np.concatenate([part, getattr(back, n)]) for n, part in vars(self).items()})

    def own(self, flip: Callable[[Floats], Floats] = np.negative) -> "JudgedPairs":
        """Return the pairs with the judge's own response, seen from it."""
        every = self.both_ways(flip)
        return every.select(every.target == every.judge)


def prefer_variant(study: "StudyArrays", spec: Slice, by: str | None, *variants: str) -> Slice:
    """Return the slice with the first of the variants that the study has, where none is asked for."""
    if spec.variant is not None or by == "variant":
        return spec
    present = study.inventory.values("variant", paradigm="pairwise")
    return replace(spec, variant=next((name for name in variants if name in present), None))


def judged_pairs(view: View, rows: PairRows, paired: Paired) -> JudgedPairs:
    """Return the pairs that are shown and kept."""
    keep = in_slice(view, paired)
    one, two = paired.one[keep], paired.two[keep]
    chosen, resolved = named(rows), one == two
    value = paired.value[keep]
    first, second = (np.where(resolved, np.nan, chosen[order]) for order in (one, two))
    agreed = np.where(first == second, first, 0.0)
    forced = np.where(np.isnan(rows.p_tie), rows.p, np.nan)
    judge = paired.judge[keep]
    return JudgedPairs(
        row=np.searchsorted(view.judges, judge),
        judge=judge,
        instance=paired.instance[keep],
        target=paired.generator[keep],
        other=paired.opponent[keep],
        value=value,
        firm=np.where(resolved, value, agreed),
        first=first,
        second=second,
        p=(forced[one] + forced[two]) / 2,
    )


def in_slice(view: View, pairs: Any) -> Bools:
    """Return which pairs (or rows of them) are shown and kept."""
    cube = view.cube
    kept = np.broadcast_to(view.kept_cells, (len(cube.generators), view.study.index.n_instances))
    shown = np.isin(pairs.judge, view.judges)
    shown &= np.isin(pairs.generator, view.generators) & np.isin(pairs.opponent, view.generators)
    one, two = (np.searchsorted(cube.generators, side) for side in (pairs.generator, pairs.opponent))
    last = len(cube.generators) - 1
    one, two = np.minimum(one, last), np.minimum(two, last)
    return np.asarray(shown & kept[one, pairs.instance] & kept[two, pairs.instance])


def cells_of_pairs(view: View, cube: PairCube) -> Bools:
    """Return which (judge, generator, instance) of those shown are in a pair with an outcome."""
    pairs = judged_pairs(view, cube.rows, cube.paired)
    cells = np.zeros((len(view.judges), len(view.generators), view.study.index.n_instances), dtype=bool)
    for side in (pairs.target, pairs.other):
        cells[pairs.row, np.searchsorted(view.generators, side), pairs.instance] = True
    return cells


def kept_of(view: View, models: Ints) -> Bools:
    """Return which responses of models are kept, shape (models, instances)."""
    kept, generators = view.kept_cells, view.cube.generators
    if len(kept) == 1:
        return np.broadcast_to(kept, (len(models), kept.shape[1]))
    place = np.minimum(np.searchsorted(generators, models), len(generators) - 1)
    return np.asarray(kept[place] & (generators[place] == models)[:, None])


Rows = TypeVar("Rows", PairRows, PairFailures)
Blame = Callable[[Any], Sequence[tuple[str, Bools]]]


def pairs_left_out(
    view: View, cube: PairCube, concerned: Callable[[Any], Bools], blame: Blame
) -> Mapping[str, int]:
    """Count the judgment rows left out of the pairs that a measure is concerned with, by code.

    `blame` gives for rows the codes that stand before those of `merged` and `order_missing`, with the rows
    that each is true of; rows behind an outcome are left out where one is.
    """
    totals = Counter(dict.fromkeys(CODES, 0))

    def here(rows: Rows, keep: Bools) -> Rows:
        kept = take(rows, keep)
        return take(kept, in_slice(view, kept) & concerned(kept))

    failures = here(cube.failures, np.ones(len(cube.failures.judge), dtype=bool))
    code = failures.code.copy()
    verdicts = ~np.isin(code, STATUSES)
    for name, marks in reversed(blame(failures)):
        code[verdicts & marks] = name
    for name in set(code):
        totals[name] += int(failures.count[code == name].sum())
    used = here(cube.rows, cube.used)
    told = np.zeros(len(used.judge), dtype=bool)
    for name, marks in blame(used):
        totals[name] += cube.width * int((marks & ~told).sum())
        told |= marks
    return totals


def by_judge(view: View, pairs: JudgedPairs, keep: Bools) -> Ints:
    """Count pairs for each judge shown and instance: shape (judges, instances)."""
    shape = (len(view.judges), view.study.index.n_instances)
    cell = pairs.row[keep] * shape[1] + pairs.instance[keep]
    return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
