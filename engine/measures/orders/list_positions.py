"""Verdicts by a rubric's position in the list, and by the order of the list (MEASURES section 14)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from engine.arrays.bits.confusion import Resampled
from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.slicing.group_by import group_views, single_view
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.measures.columns import empty_column, share_column
from engine.measures.reference.hspp import preference_columns
from engine.measures.rows import FEW, Column, Table
from engine.paradigms import LIST_PARADIGMS
from engine.slices import Slice
from engine.stats import Weights

LIST_FIELDS = ("ordering", "position", "verdict_rate", "overestimation", "hspp_self")
_PAIR_FIELDS = ("first_share", "flip_rate", "flip_to_first", "firm_share", "tie_share", "probability_shift")


def tables_of_lists(study: StudyArrays, spec: Slice, weights: Weights | None) -> Iterator[Table]:
    """Yield for each ordering a table of the whole list, then one for each position in it."""
    stored = study.inventory.values("ordering", paradigm=LIST_PARADIGMS, variant=spec.variant)
    orderings = list(dict.fromkeys(name or "original" for name in stored))
    for ordering in orderings if spec.ordering is None else [spec.ordering]:
        list_spec = replace(spec, ordering=ordering, level="rubric")
        view = single_view(study, list_spec, weights, LIST_PARADIGMS)
        yield _effect_table(view, ordering, None, view.left_out)
        for part in group_views(study, list_spec, "position", weights, LIST_PARADIGMS):
            if part.value is not None:
                yield _effect_table(part.view, ordering, part.value, {})


def _effect_table(view: SliceView, ordering: str, position: Any, left_out: Any) -> Table:
    """Return a row for each judge with a verdict there; the share that say met needs no reference."""
    cube, counts, size = view.cube, view.rubric, len(view.judges)
    assert isinstance(cube, VerdictCube)  # noqa: S101 - the paradigm says so

    def over_instances(plane: Any) -> Resampled:
        by_instance = view.study.index.layout.count_by_instance(counts.take(plane))
        return Resampled.over_instances(by_instance.sum(axis=1, dtype=np.int64), view.weights)

    verdicts, met = over_instances(cube.ok), over_instances(cube.met & cube.ok)
    over, failed = (count.apply(lambda cells: cells.sum(axis=-1)) for count in (counts.over, counts.failed))
    columns = {
        "judge": Column([view.study.index.models[j] for j in view.judges]),
        "variant": Column([view.request.selection.variant] * size),
        "ordering": Column([ordering] * size),
        "position": Column([position] * size, reasons="whole_list"),
        "n_verdicts": Column(verdicts.total.astype(np.int64)),
        "verdict_rate": share_column(met, verdicts, view.weights, "no_verdicts"),
        "overestimation": share_column(over, failed, view.weights, "no_unfavourable_reference"),
        "hspp_self": preference_columns(view, counts)["hspp_self"],
        "small": Column(list(failed.total < FEW)),
        "n_pairs": Column([0] * size),
        "n_decided": Column([0] * size),
        "n_answers": Column([0] * size),
    }
    columns |= dict.fromkeys(_PAIR_FIELDS, empty_column(size, view.weights, "not_of_lists"))
    filters = {name: value for name, value in view.request.filters().items() if name != "position"}
    return Table(columns, verdicts.total > 0, counts.instances, left_out, filters)
