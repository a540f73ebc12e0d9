"""`judge-costs`: what each judge's answers took: calls, tokens, dollars, as far as they are recorded."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.cubes.call_costs import AnsweredRows
from engine.errors import UsageError, unknown
from engine.measures.table import Column, Table, stack
from engine.request import LackingError
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Weights = NDArray[np.float32]

HONOURED = {"run": "run_id", "paradigm": "paradigm", "variant": "variant", "transform": "transform"}
"""The filters that say which calls are counted, besides `judges`, and the stored columns they are of."""


def compute(study: "StudyArrays", spec: Slice, options: dict[str, Any], weights: Weights | None) -> Table:  # noqa: ARG001
    """Return for each paradigm and variant a row for each judge and one, without a judge, of all together."""
    found = AnsweredRows.read(study.files, study.index, _where(study, spec))
    if not len(found.judge):
        raise LackingError("the study has no judgments in this selection")
    kind = found.way * len(found.variants) + found.variant
    rows = []
    for place in np.unique(kind):
        told = found.ways[place // len(found.variants)], found.variants[place % len(found.variants)]
        here = np.flatnonzero(kind == place)
        judges = {study.index.models[j]: here[found.judge[here] == j] for j in np.unique(found.judge[here])}
        rows += [_row(found, *told, judge, at) for judge, at in (*judges.items(), (None, here))]
    columns = {name: stack([row[name] for row in rows]) for name in rows[0]}
    return Table(columns, np.ones(len(rows), dtype=bool), study.index.n_instances)


def _where(study: "StudyArrays", spec: Slice) -> dict[str, tuple[str, ...]]:
    """Return which stored rows are counted; UsageError for a filter that cuts through calls."""
    for name in spec.judges:
        if name not in study.index.models:
            raise unknown("judge", name, study.index.models)
    others = [name for name in spec.given() if name not in (*HONOURED, "judges", "min_instances")]
    if others:
        flags = ", ".join(("--judges", *(f"--{name}" for name in HONOURED)))
        raise UsageError(f"calls are not parted by {others[0]!r}; leave it out, or choose by {flags}")
    where = {"judge": spec.judges} if spec.judges else {}
    for name, column in HONOURED.items():
        value = getattr(spec, name)
        if value:
            where[column] = value if isinstance(value, tuple) else (value,)
    return where


def _row(found: AnsweredRows, way: str, variant: str, judge: str | None, at: Ints) -> dict[str, Column]:
    """Return the row of the answers at these places."""
    costed = ~np.isnan(found.recorded["cost_usd"][at])
    told = {
        "paradigm": way,
        "variant": variant,
        "calls": len(np.unique(found.call[at])),
        "judgments": len(at),
        "verdicts": int(found.ok[at].sum()),
        "costed": len(np.unique(found.call[at][costed])),
    }
    sums = {name: _total(values[at], whole=name != "cost_usd") for name, values in found.recorded.items()}
    columns = {name: Column([value], reasons="not_recorded") for name, value in (told | sums).items()}
    return {"judge": Column([judge], reasons="all_judges")} | columns


def _total(values: Floats, *, whole: bool) -> float | int | None:
    """Return the sum of what is recorded, None where nothing is."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    return int(known.sum()) if whole else float(known.sum())
