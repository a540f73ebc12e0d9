"""Which call each judgment came from, what was recorded about it, and what judging cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.encoding import encode, numbers
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_rows import Selection, read_rows
from engine.paradigms import TRAITS
from engine.stats import Bools, Floats, Ints
from engine.store.arrow_types import text_array
from engine.store.study_files import StudyFiles

ONE_EACH = tuple(name for name, traits in TRAITS.items() if traits.one_rubric_a_call)
"""The paradigms in which a call asks for one rubric; in the others it may ask for several."""

IDENTITY = ("instance_id", "generator", "opponent", "first", "ordering", "trial", "run_id", "transform")
"""What distinguishes calls of one judge, paradigm and variant that have no `call_id`."""

RECORDED = ("prompt_tokens", "completion_tokens", "cost_usd")
"""What one row of each call holds, if it was recorded."""

_COLUMNS = ("judge", "paradigm", "variant", "call_id", "status", "rubric_id", *IDENTITY, *RECORDED)


@dataclass(frozen=True, eq=False)
class CallRows:
    """Judgment rows with the number of their call; `paradigm` and `variant` are places in the lists."""

    judge: Ints
    paradigms: list[str]
    paradigm: Ints
    variants: list[str]
    variant: Ints
    call: Ints
    ok: Bools
    recorded: Mapping[str, Floats]  # tokens and cost, NaN for none

    @classmethod
    def read(cls, files: StudyFiles, index: StudyIndex, where: Mapping[str, tuple[str, ...]]) -> "CallRows":
        table = files.judgments(_COLUMNS, where)
        paradigms, paradigm = _values(table, "paradigm")
        variants, variant = _values(table, "variant")
        ok = encode(table.column("status"), text_array(("ok",))) == 0
        recorded = {name: numbers(table.column(name)) for name in RECORDED}
        judge = encode(table.column("judge"), index.model_names)
        return cls(judge, paradigms, paradigm, variants, variant, _calls(table), ok, recorded)


def _calls(table: pa.Table) -> Ints:
    """Return for each row the number of its call, below 0 where no call was recorded."""
    call_id = _codes(table.column("call_id"))
    alone = encode(table.column("paradigm"), text_array(ONE_EACH)) >= 0
    key = np.where(alone, _codes(table.column("rubric_id")), -1)
    for name in ("judge", "paradigm", "variant", *IDENTITY):
        codes = _codes(table.column(name))
        _, key = np.unique((key + 1) * (int(codes.max(initial=0)) + 2) + codes + 1, return_inverse=True)
    return np.where(call_id < 0, -1 - key, call_id)


def _codes(column: pa.ChunkedArray) -> Ints:
    """Return the place of each value among the distinct ones, -1 for null."""
    return encode(column, pc.unique(column.cast(pa.string())).drop_null())


def _values(table: pa.Table, name: str) -> tuple[list[str], Ints]:
    """Return the values of a column in the order found, and the place of each row's among them."""
    values = pc.unique(table.column(name).cast(pa.string()))
    return values.to_pylist(), encode(table.column(name), values)


class CostedRows:
    """Judgment rows with what each cost: `generator` and, for pairs, `opponent` are positions of models."""

    def __init__(self, files: StudyFiles, index: StudyIndex, selection: Selection) -> None:
        """Read the rows of one selection, whatever their status."""
        rows = read_rows(files, index, selection, ("opponent", "cost_usd"))
        self.judge, self.instance, self.generator = rows.judge, rows.instance, rows.generator
        self.opponent = encode(rows.table.column("opponent"), index.model_names)
        self._cost = rows.number("cost_usd")

    def total(self, judges: Ints, keep: Callable[[Any], Bools]) -> Floats:
        """Return the cost of each judge's rows that `keep` marks; NaN where none is stored."""
        rows = keep(self) & np.isin(self.judge, judges) & ~np.isnan(self._cost)
        place = np.searchsorted(judges, self.judge[rows])
        number = np.bincount(place, minlength=len(judges))
        cost = np.bincount(place, weights=self._cost[rows], minlength=len(judges))
        return np.where(number > 0, cost, np.nan)
