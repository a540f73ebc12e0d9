"""Positions, lengths, costs of judgments."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.arrays.index import StudyIndex, encode, integers, numbers
from engine.arrays.rows import Selection, read_rows
from engine.arrays.verdicts import VerdictCube
from engine.schema import TRAITS
from engine.stats.types import Bools, Floats, Ints
from engine.store.parquet import text_array
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# Attributes that depend on the response or the verdict, not on the rubric alone.


def read_positions(
    files: StudyFiles, index: StudyIndex, cube: VerdictCube, selection: Selection
) -> NDArray[np.int16]:
    """Return where each rubric stood in the order shown, 0 where that is not known.

    Shape (judges, generators, rubrics).
    """
    rows = read_rows(files, index, selection, ("rubric_id", "position"))
    rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
    places = np.zeros((len(cube.judges), len(cube.generators), index.n_rubrics), dtype=np.int16)
    where = (
        np.searchsorted(cube.judges, rows.judge),
        np.searchsorted(cube.generators, rows.generator),
        rubric,
    )
    places[where] = integers(rows.table.column("position"), 0)
    return places


def read_response_lengths(files: StudyFiles, index: StudyIndex, transform: str) -> NDArray[np.float64]:
    """Return the characters of each response, NaN where there is no text: shape (models, instances)."""
    table = files.table("responses", ("instance_id", "generator", "transform", "text"))
    chosen = pc.is_in(table.column("transform").cast("string"), value_set=text_array([transform]))
    table = table.filter(chosen)
    generator = encode(table.column("generator"), index.model_names)
    instance = encode(table.column("instance_id"), index.instances)
    lengths = np.full((len(index.models), index.n_instances), np.nan)
    lengths[generator, instance] = numbers(pc.utf8_length(table.column("text")))
    return lengths


# ------------------------------------------------------------------------------
# Which call each judgment came from, and what was recorded of it.


ONE_EACH = tuple(name for name, traits in TRAITS.items() if traits.one_rubric_a_call)
"""The paradigms in which a call asks for one rubric; in the others its rows differ in it."""

IDENTITY = ("instance_id", "generator", "opponent", "first", "ordering", "trial", "run_id", "transform")
"""What tells calls of one judge, paradigm and variant apart where no `call_id` is recorded."""

RECORDED = ("prompt_tokens", "completion_tokens", "cost_usd")
"""What one row of each call holds, where it was recorded."""

_READ = ("judge", "paradigm", "variant", "call_id", "status", "rubric_id", *IDENTITY, *RECORDED)


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
    for name in ("judge", "paradigm", "variant", *IDENTITY):
        codes = _codes(table.column(name))
        _, key = np.unique((key + 1) * (int(codes.max(initial=0)) + 2) + codes + 1, return_inverse=True)
    return np.where(named < 0, -1 - key, named)


def _codes(column: pa.ChunkedArray) -> Ints:
    """Return the place of each value among those there are, -1 for null."""
    return encode(column, pc.unique(column.cast(pa.string())).drop_null())


def _values(table: pa.Table, name: str) -> tuple[list[str], Ints]:
    """Return the values of a column in the order found, and the place of each row's among them."""
    values = pc.unique(table.column(name).cast(pa.string()))
    return values.to_pylist(), encode(table.column(name), values)


# ------------------------------------------------------------------------------
# What judging cost, judge by judge.


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
        rows = keep(self) & np.isin(self.judge, judges) & ~np.isnan(self._cost)
        place = np.searchsorted(judges, self.judge[rows])
        known = np.bincount(place, minlength=len(judges))
        cost = np.bincount(place, weights=self._cost[rows], minlength=len(judges))
        return np.where(known > 0, cost, np.nan)
