"""`order-effect`: what the order does to answers on pairs and to verdicts on lists (MEASURES section 14)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.cubes.orders import Paired, pair_up
from engine.cubes.pair_rows import HIGH_FIRST, LOW_FIRST, Bools, Ints, PairRows, named
from engine.cubes.pairs import PairCube
from engine.errors import UsageError
from engine.grouping import parts
from engine.measures.list_order import LIST_FIELDS, tables_of_lists
from engine.measures.table import FEW, Column, Table
from engine.metrics.overestimation import rate
from engine.metrics.pair_orders import order_effects
from engine.references import NONE
from engine.request import LackingError, choose_paradigm
from engine.schema import STATUSES
from engine.slices import Slice
from engine.views import View
from engine.views.counted import Counted, combine
from engine.views.paired import in_slice
from engine.views.quality import distance_groups, quality_of

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Weights = NDArray[np.float32]

BY_QUALITY = "quality_difference"
SHARES = {
    "first_share": ("firsts", "answers", "no_pairs"),
    "flip_rate": ("flips", "decided", "no_pair_with_two_winners"),
    "flip_to_first": ("to_first", "flips", "no_flips"),
    "firm_share": ("firm", "pairs", "no_pairs"),
    "tie_share": ("ties", "answers", "no_pairs"),
    "probability_shift": ("shift", "shifted", "no_probabilities"),
}
"""Each share of pairs: what is counted, of what, and why it may be undefined."""


def compute(
    study: "StudyArrays", spec: Slice, options: dict[str, Any], weights: Weights | None
) -> list[Table]:
    """Return a table for each group and variant: of pairs, or of lists where those are asked for."""
    by = options["by"]
    paradigm = choose_paradigm(study, spec, ("pairwise", "all_rubrics"))
    if paradigm == "all_rubrics" and by is not None:
        raise UsageError("lists of rubrics are told by ordering and position already; leave out --by")
    variants = [spec.variant] if spec.variant else study.inventory.values("variant", paradigm=paradigm)
    made: list[Table] = []
    lacking: LackingError | None = None
    for variant in variants:
        asked = replace(spec, paradigm=paradigm, variant=variant)
        try:
            of_pairs = paradigm == "pairwise"
            told = (
                _tables(study, asked, options, weights)
                if of_pairs
                else tables_of_lists(study, asked, weights)
            )
            made += told
        except LackingError as error:
            lacking = error
    if lacking is not None and not made:
        raise lacking
    values = list(dict.fromkeys(table.slice for table in made))
    return sorted(made, key=lambda table: values.index(table.slice))


def _tables(
    study: "StudyArrays", spec: Slice, options: dict[str, Any], weights: Weights | None
) -> Iterator[Table]:
    """Yield a table of pairs for each group; a reference is needed only where it says what quality is."""
    by_quality = options["by"] == BY_QUALITY
    if not (by_quality and options["quality"] == "reference"):
        spec = replace(spec, reference=NONE)
    for part in parts(study, spec, None if by_quality else options["by"], weights, ("pairwise",)):
        view, cube = part.view, part.view.cube
        assert isinstance(cube, PairCube)  # noqa: S101 - the paradigm says so
        placed = np.isin(cube.rows.order, (LOW_FIRST, HIGH_FIRST))
        heard = placed & ~np.isnan(named(cube.rows))
        paired = pair_up(cube.rows, heard, lambda _rows, one, _two: np.zeros(len(one)))
        counts = _left_out(view, cube, placed, heard, paired)
        settled = {name: value for name, value in view.request.filters().items() if name != "reference"}
        kept = np.flatnonzero(in_slice(view, paired))
        groups = _by_difference(view, paired, kept, options) if by_quality else [(part.value, kept)]
        for value, keep in groups:
            columns, instances = _columns(view, cube.rows, paired, keep)
            shown = np.asarray(columns["n_pairs"].values) > 0
            yield Table(columns, shown, instances, counts, settled, value)
            counts = {}


def _by_difference(
    view: View, paired: Paired, kept: Ints, options: dict[str, Any]
) -> Iterator[tuple[str | None, Ints]]:
    """Yield the pairs by how far the quality of their responses is apart; those without a quality last."""
    quality = quality_of(view, options)
    row = np.searchsorted(view.judges, paired.judge[kept])
    instance = paired.instance[kept]
    one, two = (quality.of(row, model[kept], instance) for model in (paired.generator, paired.opponent))
    apart = np.abs(one - two)
    yield from ((name, kept[here]) for name, here in distance_groups(apart))
    yield None, kept[np.isnan(apart)]


def _columns(view: View, rows: PairRows, paired: Paired, keep: Ints) -> tuple[dict[str, Column], int]:
    """Return the fields of each judge shown over the pairs kept, and their number of instances."""
    one, two = paired.one[keep], paired.two[keep]
    whom = named(rows)
    effects = order_effects(whom[one], whom[two], rows.p[one], rows.p[two])
    row = np.searchsorted(view.judges, paired.judge[keep])
    shape = (len(view.judges), view.study.index.n_instances)
    cell = row * shape[1] + paired.instance[keep]

    def counted(name: str) -> Counted:
        sums = np.bincount(cell, weights=getattr(effects, name), minlength=shape[0] * shape[1])
        return Counted.over_instances(sums.reshape(shape), view.weights)

    names = [view.study.index.models[j] for j in view.judges]
    pairs = counted("pairs").total.astype(np.int64)
    columns = {
        "judge": Column(names),
        "variant": Column([view.request.selection.variant] * len(names)),
        "n_pairs": Column(pairs),
        "small": Column(list(pairs < FEW)),
    }
    for name, (hits, trials, reason) in SHARES.items():
        value, draws = combine(rate, counted(hits), counted(trials))
        columns[name] = Column(value, draws, reason)
    columns |= {name: Column([None] * len(names), reasons="not_of_pairs") for name in LIST_FIELDS}
    columns["n_verdicts"] = Column([0] * len(names))
    return columns, len(np.unique(paired.instance[keep]))


def _left_out(view: View, cube: PairCube, placed: Bools, heard: Bools, paired: Paired) -> dict[str, int]:
    """Count the judgment rows that no pair in two orders stands on; rows resolved already have no order."""
    failures, shown = cube.failures, in_slice(view, cube.rows)
    failed = in_slice(view, cube.failures) & np.isin(cube.failures.code, STATUSES)
    used = np.zeros(len(shown), dtype=bool)
    used[np.concatenate([paired.one, paired.two])] = True
    votes: Ints = cube.votes
    counts = {
        code: int(failures.count[failed & (failures.code == code)].sum())
        for code in ("unparsed", "refused", "error")
    }
    alone = heard & ~used
    return counts | {
        "order_missing": int(votes[shown & ~placed].sum() + cube.width * (shown & alone).sum()),
        "merged": int((votes - cube.width * heard)[shown & placed].sum()),
    }
