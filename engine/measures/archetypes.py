"""`archetypes`: discriminability against self-preference bias (MEASURES section 9; EQP section 3.5)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.measures import discriminability, equal_quality
from engine.measures.equal_pairs import settle_slice
from engine.measures.kin import relatives_of
from engine.measures.table import Column, Table
from engine.metrics import equal_quality as metrics
from engine.metrics.resampling import percentile_interval
from engine.views import View

prepare = settle_slice

_BORDERS = (("d", metrics.BORDER_D), ("spb", metrics.BORDER_SPB), ("spb", -metrics.BORDER_SPB))


def compute(view: View, options: Mapping[str, Any]) -> Table:
    """Return a row for each judge that has a D or an SPB."""
    answered = discriminability.compute(view, options)
    preferred = equal_quality.compute(view, options)
    d, spb = answered.columns["d"], preferred.columns["spb"]
    values = [np.asarray(column.values, dtype=np.float64) for column in (d, spb)]
    columns = {name: Column(names) for name, names in relatives_of(view).items()}
    columns |= {"d": d, "spb": spb, "mean_quality": preferred.columns["mean_quality"]}
    columns |= {"n_contrast": answered.columns["n"], "n_pairs": preferred.columns["n_pairs"]}
    kinds = metrics.archetypes(*values)
    columns["archetype"] = Column(
        kinds, reasons=[(d if np.isnan(one) else spb).reason(row) for row, one in enumerate(values[0])]
    )
    columns |= _doubt(d, spb)
    left_out = dict(preferred.left_out)
    for code, number in answered.left_out.items():  # pairs far apart are no pairs of equal quality
        if code != "no_quality":
            left_out[code] = left_out.get(code, 0) + number
    instances = max(answered.instances, preferred.instances)
    return Table(columns, answered.keep | preferred.keep, instances, left_out)


def _doubt(d: Column, spb: Column) -> dict[str, Column]:
    """Return the borders that the intervals cross, and the archetypes that they leave open."""
    if d.draws is None or spb.draws is None:
        nothing = Column([None] * len(d.values), reasons="no_resamples")
        return {"crosses": nothing, "possible": nothing}
    found = {"d": percentile_interval(d.draws), "spb": percentile_interval(spb.draws)}
    crosses, possible = [], []
    for row in range(len(d.values)):
        ends = {name: (interval.low[row], interval.high[row]) for name, interval in found.items()}
        crosses.append([f"{name} {at:g}" for name, at in _BORDERS if metrics.crosses(*ends[name], at)])
        for name, column in (("d", d), ("spb", spb)):
            if np.isnan(ends[name][0]):  # without an interval the value itself
                ends[name] = (column.values[row], column.values[row])
        possible.append(metrics.open_archetypes(ends["d"], ends["spb"]))
    return {"crosses": Column(crosses), "possible": Column(possible)}
