"""What judging cost, judge by judge."""

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.cubes.arrow import encode
from engine.cubes.index import StudyIndex
from engine.cubes.pair_rows import Bools, Floats, Ints
from engine.cubes.rows import Selection, read_rows
from engine.store import StudyFiles


class CostedRows:
    """Judgment rows with what each cost: `generator` and, of pairs, `opponent` are positions of models."""

    def __init__(self, files: StudyFiles, index: StudyIndex, selection: Selection) -> None:
        """Read the rows of one selection, whatever their status."""
        rows = read_rows(files, index, selection, ("opponent", "cost_usd"))
        self.judge, self.instance, self.generator = rows.judge, rows.instance, rows.generator
        self.opponent = encode(rows.table.column("opponent"), index.model_names)
        self._cost = rows.number("cost_usd")

    def total(self, judges: Ints, keep: Callable[[Any], Bools]) -> Floats:
        """Return the cost of each judge's rows that `keep` marks; NaN where none is stored."""
        kept = keep(self) & np.isin(self.judge, judges) & ~np.isnan(self._cost)
        place = np.searchsorted(judges, self.judge[kept])
        known = np.bincount(place, minlength=len(judges))
        cost = np.bincount(place, weights=self._cost[kept], minlength=len(judges))
        return np.where(known > 0, cost, np.nan)
