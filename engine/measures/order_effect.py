"""Order-effect."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from engine.arrays.confusion import Counted, combine
from engine.arrays.group_by import group_views, whole
from engine.arrays.pair_outcomes import PairCube, Paired, pair_up
from engine.arrays.pair_quality import distance_groups, in_slice, quality_of
from engine.arrays.references import NONE
from engine.arrays.resolve import NoDataError, choose_paradigm
from engine.arrays.rows import HIGH_FIRST, LOW_FIRST, PairRows, named
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.verdicts import VerdictCube
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures.columns import ByJudge, undefined
from engine.measures.rows import FEW, Column, Table
from engine.measures.self_preference import preference_columns
from engine.schema import LIST_PARADIGMS, PAIR_PARADIGMS, STATUSES, TRAITS
from engine.slices import Slice
from engine.stats.pairs import order_effects
from engine.stats.self_preference import rate
from engine.stats.types import Bools, Ints, Weights

# ------------------------------------------------------------------------------
# Verdicts by where a rubric stands in the list, and by the order of the list (MEASURES section 14).

LIST_FIELDS = ("ordering", "position", "verdict_rate", "overestimation", "hspp_self")
_PAIR_FIELDS = ("first_share", "flip_rate", "flip_to_first", "firm_share", "tie_share", "probability_shift")


def tables_of_lists(study: StudyArrays, spec: Slice, weights: Weights | None) -> Iterator[Table]:
    """Yield for each ordering a table of the whole list, then one for each position in it."""
    stored = study.inventory.values("ordering", paradigm=LIST_PARADIGMS, variant=spec.variant)
    orderings = list(dict.fromkeys(name or "original" for name in stored))
    for ordering in orderings if spec.ordering is None else [spec.ordering]:
        chosen = replace(spec, ordering=ordering, level="rubric")
        view = whole(study, chosen, weights, LIST_PARADIGMS)
        yield _table(view, ordering, None, view.left_out)
        for part in group_views(study, chosen, "position", weights, LIST_PARADIGMS):
            if part.value is not None:
                yield _table(part.view, ordering, part.value, {})


def _table(view: SliceView, ordering: str, position: Any, left_out: Any) -> Table:
    """Return a row for each judge with a verdict there."""
    counts, size = view.rubric, len(view.judges)
    verdicts, met = _verdicts(view)
    over, failed = (count.apply(lambda cells: cells.sum(axis=-1)) for count in (counts.over, counts.failed))
    columns = {
        "judge": Column([view.study.index.models[j] for j in view.judges]),
        "variant": Column([view.request.selection.variant] * size),
        "ordering": Column([ordering] * size),
        "position": Column([position] * size, reasons="whole_list"),
        "n_verdicts": Column(verdicts.total.astype(np.int64)),
        "verdict_rate": Column(*combine(rate, met, verdicts), "no_verdicts"),
        "overestimation": Column(*combine(rate, over, failed), "no_unfavourable_reference"),
        "hspp_self": preference_columns(view, counts)["hspp_self"],
        "small": Column(list(failed.total < FEW)),
        "n_pairs": Column([0] * size),
    }
    columns |= dict.fromkeys(_PAIR_FIELDS, undefined(size, view.weights, "not_of_lists"))
    filters = {name: value for name, value in view.request.filters().items() if name != "position"}
    return Table(columns, verdicts.total > 0, counts.instances, left_out, filters)


def _verdicts(view: SliceView) -> tuple[Counted, Counted]:
    """Return the verdicts of each judge shown, and those that say met; no reference is needed."""
    cube, rubric, layout = view.cube, view.rubric, view.study.index.layout
    assert isinstance(cube, VerdictCube)  # noqa: S101 - the paradigm says so

    def counted(plane: Any) -> Counted:
        by_instance = layout.count_by_instance(rubric.take(plane)).sum(axis=1, dtype=np.int64)
        return Counted.over_instances(by_instance, view.weights)

    return counted(cube.ok), counted(cube.met & cube.ok)


# ------------------------------------------------------------------------------
# `order-effect`: what the order does to answers on pairs and to verdicts on lists (MEASURES section 14).

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


def order_effect_table(
    study: StudyArrays, spec: Slice, options: dict[str, Any], weights: Weights | None
) -> list[Table]:
    """Return a table for each group and variant: of pairs, or of lists where those are asked for."""
    by = options["by"]
    paradigm = choose_paradigm(study, spec, (*PAIR_PARADIGMS, *LIST_PARADIGMS))
    if TRAITS[paradigm].lists_rubrics and by is not None:
        raise UsageError("lists of rubrics are grouped by ordering and position already; leave out --by")
    variants = [spec.variant] if spec.variant else study.inventory.values("variant", paradigm=paradigm)
    tables: list[Table] = []
    no_data: NoDataError | None = None
    for variant in variants:
        chosen = replace(spec, paradigm=paradigm, variant=variant)
        try:
            if TRAITS[paradigm].of_pairs:
                tables += _tables(study, chosen, options, weights)
            else:
                tables += tables_of_lists(study, chosen, weights)
        except NoDataError as error:
            no_data = error
    if no_data is not None and not tables:
        raise no_data
    values = list(dict.fromkeys(table.slice for table in tables))
    return sorted(tables, key=lambda table: values.index(table.slice))


def _tables(
    study: StudyArrays, spec: Slice, options: dict[str, Any], weights: Weights | None
) -> Iterator[Table]:
    """Yield a table of pairs for each group; a reference is needed only where it says what quality is."""
    by_quality = options["by"] == BY_QUALITY
    if not (by_quality and options["quality"] == "reference"):
        spec = replace(spec, reference=NONE)
    for part in group_views(study, spec, None if by_quality else options["by"], weights, PAIR_PARADIGMS):
        view, cube = part.view, part.view.cube
        assert isinstance(cube, PairCube)  # noqa: S101 - the paradigm says so
        placed = np.isin(cube.rows.order, (LOW_FIRST, HIGH_FIRST))
        heard = placed & ~np.isnan(named(cube.rows))
        paired = pair_up(cube.rows, heard, lambda _rows, one, _two: np.zeros(len(one)))
        counts = _left_out(view, cube, placed, heard, paired)
        settled = {name: value for name, value in view.request.filters().items() if name != "reference"}
        rows = np.flatnonzero(in_slice(view, paired))
        groups = _by_difference(view, paired, rows, options) if by_quality else [(part.value, rows)]
        for value, keep in groups:
            columns, instances = _columns(view, cube.rows, paired, keep)
            shown = np.asarray(columns["n_pairs"].values) > 0
            yield Table(columns, shown, instances, counts, settled, value)
            counts = {}


def _by_difference(
    view: SliceView, paired: Paired, rows: Ints, options: dict[str, Any]
) -> Iterator[tuple[str | None, Ints]]:
    """Yield the pairs by how far the quality of their responses is apart; those without a quality last."""
    quality = quality_of(view, options)
    row = np.searchsorted(view.judges, paired.judge[rows])
    instance = paired.instance[rows]
    one, two = (quality.of(row, model[rows], instance) for model in (paired.generator, paired.opponent))
    apart = np.abs(one - two)
    yield from ((name, rows[here]) for name, here in distance_groups(apart))
    yield None, rows[np.isnan(apart)]


def _columns(view: SliceView, rows: PairRows, paired: Paired, keep: Ints) -> tuple[dict[str, Column], int]:
    """Return the fields of each judge shown over the pairs kept, and their number of instances."""
    one, two = paired.one[keep], paired.two[keep]
    whom = named(rows)
    effects = order_effects(whom[one], whom[two], rows.p[one], rows.p[two])
    by_judge = ByJudge(view, np.searchsorted(view.judges, paired.judge[keep]), paired.instance[keep])
    counted = {name: by_judge.counted(marks) for name, marks in vars(effects).items()}
    names = [view.study.index.models[j] for j in view.judges]
    pairs = counted["pairs"].total.astype(np.int64)
    columns = {
        "judge": Column(names),
        "variant": Column([view.request.selection.variant] * len(names)),
        "n_pairs": Column(pairs),
        "small": Column(list(pairs < FEW)),
    }
    for name, (hits, trials, reason) in SHARES.items():
        columns[name] = Column(*combine(rate, counted[hits], counted[trials]), reason)
    columns |= dict.fromkeys(LIST_FIELDS, Column([None] * len(names), reasons="not_of_pairs"))
    columns["n_verdicts"] = Column([0] * len(names))
    return columns, len(np.unique(paired.instance[keep]))


def _left_out(view: SliceView, cube: PairCube, placed: Bools, heard: Bools, paired: Paired) -> dict[str, int]:
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
