"""`committee-families`: the committee without each family of its members in turn (MEASURES section 7)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.committee import in_their_place
from engine.measures.seats import seated
from engine.measures.table import FEW, Column, Table, stack
from engine.metrics.overestimation import mean_of_defined
from engine.views import View

Bools = NDArray[np.bool_]
Columns = dict[str, Column]

NUMBERS = ("hspp_self", "hspp_family", "mra", "mipa")


def compute(view: View, options: Mapping[str, Any]) -> Table:
    """Return a row for each family left out, at rubric level and then at instance level."""
    seats = seated(view, options)
    of_models = view.study.index.model_fields[view.request.exclusion.relatives]
    of_seat = np.array([of_models[j] for j in seats.seat], dtype=object)
    families = [family for family in dict.fromkeys(of_seat) if family is not None]
    everyone = np.ones(len(seats.seat), dtype=bool)
    rows: dict[str, list[Column]] = {}
    for level in seats.levels:
        whole = in_their_place(seats, everyone, level)
        for family in families:
            rest = in_their_place(seats, of_seat != family, level)
            gone = np.array([of_models[j] == family for j in seats.view.judges], dtype=bool)
            left = [view.study.index.models[j] for j in seats.seat[of_seat != family]]
            told = {"without": Column([family]), "level": Column([level]), "members": Column([left])}
            for name, column in (told | _row(rest, whole, gone)).items():
                rows.setdefault(name, []).append(column)
    columns = {name: stack(parts) for name, parts in rows.items()}
    keep = np.full(len(families) * len(seats.levels), seats.view.counted_cells.any())
    return seats.table(columns, keep)


def _row(rest: Columns, whole: Columns, gone: Bools) -> Columns:
    """Return the means over the judges still in the committee and over those left out, by rest and whole."""
    row = {}
    for name in NUMBERS:
        row[name], row[f"{name}_whole"] = _mean(rest[name], ~gone), _mean(whole[name], ~gone)
    row["hspp_self_outside"] = _mean(rest["hspp_self"], gone)
    row["hspp_self_outside_whole"] = _mean(whole["hspp_self"], gone)
    for name, who in (("n_self", ~gone), ("n_self_outside", gone)):
        row[name] = Column([min(np.asarray(rest["n_self"].values)[who].tolist(), default=0)])
    row["small"] = Column([bool(row["n_self"].values[0] < FEW)])
    return row


def _mean(column: Column, who: Bools) -> Column:
    """Return the mean over some judges of what is defined; without any the reason that the first one has."""
    values = np.array([np.nan if value is None else value for value in column.values], dtype=np.float64)
    draws = None if column.draws is None else mean_of_defined(column.draws[:, who])[:, None]
    places = np.flatnonzero(who)
    reason = column.reason(int(places[0])) if len(places) else "nobody_to_judge"
    return Column(np.array([mean_of_defined(values[who])]), draws, reason)
