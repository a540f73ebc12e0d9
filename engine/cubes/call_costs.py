"""Which call each judgment came from, and what was recorded of it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.cubes.arrow import encode, numbers, text_array
from engine.cubes.index import StudyIndex
from engine.store import StudyFiles

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ONE_EACH = ("single_rubric", "score_rubric")
"""The paradigms in which a call asks for one rubric; in the others its rows differ in it."""

ASKED = ("instance_id", "generator", "opponent", "first", "ordering", "trial", "run_id", "transform")
"""What tells calls of one judge, paradigm and variant apart where no `call_id` is recorded."""

RECORDED = ("prompt_tokens", "completion_tokens", "cost_usd")
"""What one row of each call holds, where it was recorded."""

_READ = ("judge", "paradigm", "variant", "call_id", "status", "rubric_id", *ASKED, *RECORDED)


@dataclass(frozen=True, eq=False)
class AnsweredRows:
    """Judgment rows, shape (rows,): who judged in which way, the number of the call, and what it took.

    `judge`, `way` and `variant` are places among models, `ways` and `variants`; `recorded` is NaN where
    nothing is.
    """

    judge: Ints
    ways: list[str]
    way: Ints
    variants: list[str]
    variant: Ints
    call: Ints
    ok: Bools
    recorded: Mapping[str, Floats]

    @classmethod
    def read(
        cls, files: StudyFiles, index: StudyIndex, where: Mapping[str, tuple[str, ...]]
    ) -> "AnsweredRows":
        """Read the rows whose stored columns have one of the values of `where`."""
        table = files.judgments(_READ, where)
        ways, way = _values(table, "paradigm")
        variants, variant = _values(table, "variant")
        ok = encode(table.column("status"), text_array(("ok",))) == 0
        recorded = {name: numbers(table.column(name)) for name in RECORDED}
        judge = encode(table.column("judge"), index.model_names)
        return cls(judge, ways, way, variants, variant, _calls(table), ok, recorded)


def _calls(table: pa.Table) -> Ints:
    """Return for each row the number of its call, below 0 where no call was recorded."""
    named = _codes(table.column("call_id"))
    alone = encode(table.column("paradigm"), text_array(ONE_EACH)) >= 0
    key = np.where(alone, _codes(table.column("rubric_id")), -1)
    for name in ("judge", "paradigm", "variant", *ASKED):
        codes = _codes(table.column(name))
        _, key = np.unique((key + 1) * (int(codes.max(initial=0)) + 2) + codes + 1, return_inverse=True)
    return np.where(named < 0, -1 - key, named)


def _codes(column: pa.ChunkedArray) -> Ints:
    """Return the place of each value among those there are, -1 for null."""
    return encode(column, pc.unique(column.cast(pa.string())).drop_null())


def _values(table: pa.Table, name: str) -> tuple[list[str], Ints]:
    """Return the values of a column in the order found, and the place of each row's among them."""
    found = pc.unique(table.column(name).cast(pa.string()))
    return found.to_pylist(), encode(table.column(name), found)
