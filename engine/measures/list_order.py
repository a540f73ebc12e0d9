"""Verdicts by where a rubric stands in the list shown, and by the order of the list (MEASURES section 14)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.cubes.verdicts import VerdictCube
from engine.grouping import parts, whole
from engine.measures.hspp import preference_columns
from engine.measures.table import FEW, Column, Table
from engine.metrics.overestimation import rate
from engine.slices import Slice
from engine.views import View
from engine.views.counted import Counted, combine

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Weights = NDArray[np.float32]

LIST_FIELDS = ("ordering", "position", "verdict_rate", "overestimation", "hspp_self")
_PAIR_FIELDS = ("first_share", "flip_rate", "flip_to_first", "firm_share", "tie_share", "probability_shift")


def tables_of_lists(study: "StudyArrays", spec: Slice, weights: Weights | None) -> Iterator[Table]:
    """Yield for each ordering a table of the whole list, then one for each position in it."""
    stored = study.inventory.values("ordering", paradigm="all_rubrics", variant=spec.variant)
    orderings = list(dict.fromkeys(name or "original" for name in stored))
    for ordering in orderings if spec.ordering is None else [spec.ordering]:
        asked = replace(spec, ordering=ordering, level="rubric")
        view = whole(study, asked, weights, ("all_rubrics",))
        yield _table(view, ordering, None, view.left_out)
        for part in parts(study, asked, "position", weights, ("all_rubrics",)):
            if part.value is not None:
                yield _table(part.view, ordering, part.value, {})


def _table(view: View, ordering: str, position: Any, left_out: Any) -> Table:
    """Return a row for each judge with a verdict there."""
    counts, size = view.rubric, len(view.judges)
    verdicts, met = _verdicts(view)
    share, share_draws = combine(rate, met, verdicts)
    over, failed = (count.apply(lambda cells: cells.sum(axis=-1)) for count in (counts.over, counts.failed))
    credited, credited_draws = combine(rate, over, failed)
    columns = {
        "judge": Column([view.study.index.models[j] for j in view.judges]),
        "variant": Column([view.request.selection.variant] * size),
        "ordering": Column([ordering] * size),
        "position": Column([position] * size, reasons="whole_list"),
        "n_verdicts": Column(verdicts.total.astype(np.int64)),
        "verdict_rate": Column(share, share_draws, "no_verdicts"),
        "overestimation": Column(credited, credited_draws, "no_unfavourable_reference"),
        "hspp_self": preference_columns(view, counts)["hspp_self"],
        "small": Column(list(failed.total < FEW)),
        "n_pairs": Column([0] * size),
    }
    nothing = None if view.weights is None else np.full((len(view.weights), size), np.nan)
    columns |= {name: Column([None] * size, nothing, "not_of_lists") for name in _PAIR_FIELDS}
    filters = {name: value for name, value in view.request.filters().items() if name != "position"}
    return Table(columns, verdicts.total > 0, counts.instances, left_out, filters)


def _verdicts(view: View) -> tuple[Counted, Counted]:
    """Return the verdicts of each judge shown, and those that say met; no reference is needed."""
    cube, rubric, layout = view.cube, view.rubric, view.study.index.layout
    assert isinstance(cube, VerdictCube)  # noqa: S101 - the paradigm says so

    def counted(plane: Any) -> Counted:
        by_instance = layout.count_by_instance(rubric.take(plane)).sum(axis=1, dtype=np.int64)
        return Counted.over_instances(by_instance, view.weights)

    return counted(cube.ok), counted(cube.met & cube.ok)
