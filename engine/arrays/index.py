"""Models, instances and rubrics by position; what a study holds; judgment rows as positions."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.arrays.bitsets import CacheEntry, Layout, StudyCache
from engine.schema import PARADIGMS, STATUSES, TRAITS
from engine.slices import COLUMNS as SLICE_COLUMNS
from engine.slices import TEXT_COLUMNS
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.quality_baseline import group_means
from engine.stats.self_preference import Relations
from engine.store.arrow_types import text_array
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# Between Arrow columns and NumPy arrays, without pandas.


Objects = NDArray[np.object_]


def encode(column: pa.ChunkedArray, names: pa.Array) -> Ints:
    """Return the position of each value among `names`, -1 for null and for other values."""
    values = column.combine_chunks()
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.nulls(0, column.type)
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    codes = pc.index_in(values.dictionary.cast(pa.string()), names.cast(pa.string()))
    place = np.append(integers(codes, -1), -1)
    return place[integers(values.indices, -1)]


def numbers(column: pa.Array | pa.ChunkedArray) -> Floats:
    """Return a number or truth column, NaN for null."""
    return _dense(column, pa.float64(), np.nan)


def integers(values: pa.Array | pa.ChunkedArray, missing: int) -> Ints:
    """Return whole numbers, `missing` for null."""
    return _dense(values, pa.int64(), missing)


def _dense(values: pa.Array | pa.ChunkedArray, kind: pa.DataType, missing: float) -> NDArray[Any]:
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.nulls(0, values.type)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    present = np.from_dlpack(values.drop_null().cast(kind))
    if values.null_count == 0:
        return present
    dense = np.full(len(values), missing, dtype=present.dtype)
    dense[np.from_dlpack(values.is_valid().cast(pa.int8())) == 1] = present
    return dense


def integer_array(values: Ints) -> pa.Array:
    flat = np.ascontiguousarray(values, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(flat), [None, pa.py_buffer(flat)])


def objects(table: pa.Table, name: str) -> Objects:
    """Return a column as Python objects, None for null."""
    values = np.empty(len(table), dtype=object)
    values[:] = table.column(name).to_pylist()
    return values


# ------------------------------------------------------------------------------
# Models, instances and rubrics of a study by position.


Relatives = Literal["family", "provider", "base_model", "tuned_from", "distilled_from"]
"""What relates models: equal values of a column of `models`, or one lineage if the column names models."""


def lineages(models: pa.Table, column: str) -> Objects:
    """Return the lineage of each model, None for one without relatives, shape (models,).

    Models are of one lineage if one is named in the other's `column`, or both are linked so to a third, in
    the study or not: teacher, student, and the student of a student (inheritance, Li et al. 2025, "Preference
    Leakage"). A lineage is named after the alphabetically first of its models that others come from.
    """
    names = models.column("model").to_pylist()
    texts = [(value or "").split(",") for value in objects(models, column)]
    parents = [[part.strip() for part in parts if part.strip()] for parts in texts]
    lineage = {name: {name} for name in [*names, *(parent for several in parents for parent in several)]}
    for name, several in zip(names, parents, strict=True):
        for parent in several:
            union = lineage[name] | lineage[parent]
            lineage.update(dict.fromkeys(union, union))
    origins = {parent for several in parents for parent in several}
    return np.array([min(lineage[name] & origins, default=None) for name in names], dtype=object)


@dataclass(frozen=True, eq=False)
class TextCodes:
    """Texts as positions in `names`, the sorted distinct texts; -1 for none."""

    names: tuple[str, ...]
    codes: Ints

    @classmethod
    def of(cls, values: Objects) -> "TextCodes":
        names = sorted({value for value in values if value is not None})
        place = {None: -1} | {name: number for number, name in enumerate(names)}
        return cls(tuple(names), np.array([place[value] for value in values], dtype=np.int64))

    def among(self, texts: Sequence[str | None]) -> NDArray[np.bool_]:
        """Mark the codes of some texts; None stands for no text."""
        marks = [name in texts for name in self.names]
        return np.array([*marks, None in texts], dtype=bool)[self.codes]  # -1 is the last place


@dataclass(frozen=True, eq=False)
class StudyIndex:
    """Positions of models, instances and rubrics; the attributes by which slices are made.

    Rubrics are ordered by instance, within an instance as the table has them. `rubric_fields` holds an
    object array of shape (rubrics,) for each attribute, `instance_fields` one of shape (instances,).
    """

    models: tuple[str, ...]
    model_fields: dict[str, Objects]
    instances: pa.Array
    instance_fields: dict[str, Objects]
    rubric_ids: pa.Array
    rubric_fields: dict[str, Objects]
    layout: Layout
    _rubric_names: pa.Array
    _rubric_keys: pa.Array
    _text_codes: dict[str, "TextCodes"] = field(default_factory=dict)

    @classmethod
    def read(cls, files: StudyFiles) -> "StudyIndex":
        rubrics = ("instance_id", "rubric_id", "criterion", "length", "points", *_texts("rubrics").values())
        instances = ("instance_id", *_texts("instances").values())
        of_instances, of_rubrics = files.table("instances", instances), files.table("rubrics", rubrics)
        return cls.build(files.table("models"), of_instances, of_rubrics)

    @classmethod
    def build(cls, models: pa.Table, instances: pa.Table, rubrics: pa.Table) -> "StudyIndex":
        """Give the rows of the three tables their positions."""
        instance_ids = instances.column("instance_id").combine_chunks().cast(pa.string())
        instance_of = encode(rubrics.column("instance_id"), instance_ids)
        order = np.argsort(instance_of, kind="stable")
        instance_of, rubrics = instance_of[order], rubrics.take(integer_array(order))
        names = pc.unique(rubrics.column("rubric_id").combine_chunks()).cast(pa.string())
        keys = instance_of * max(len(names), 1) + encode(rubrics.column("rubric_id"), names)
        instance_fields = {name: objects(instances, column) for name, column in _texts("instances").items()}
        return cls(
            models=tuple(models.column("model").to_pylist()),
            model_fields={
                name: lineages(models, name)
                if name in ("tuned_from", "distilled_from")
                else objects(models, name)
                for name in get_args(Relatives)
            },
            instances=instance_ids,
            instance_fields=instance_fields,
            rubric_ids=rubrics.column("rubric_id").combine_chunks().cast(pa.string()),
            rubric_fields=_rubric_fields(rubrics, instance_fields, instance_of),
            layout=Layout(instance_of, len(instances)),
            _rubric_names=names,
            _rubric_keys=integer_array(keys),
        )

    def within(self, first: int, last: int) -> "StudyIndex":
        """Return the index of only the instances from `first` to before `last`, with the same models."""
        low, high = np.searchsorted(self.layout.instance_of, [first, last])
        keys = integers(self._rubric_keys[low:high], -1) - first * max(len(self._rubric_names), 1)
        return replace(
            self,
            instances=self.instances[first:last],
            instance_fields={name: values[first:last] for name, values in self.instance_fields.items()},
            rubric_ids=self.rubric_ids[low:high],
            rubric_fields={name: values[low:high] for name, values in self.rubric_fields.items()},
            layout=Layout(self.layout.instance_of[low:high] - first, last - first),
            _rubric_keys=integer_array(keys),
            _text_codes={},
        )

    @property
    def n_instances(self) -> int:
        return len(self.instances)

    @property
    def n_rubrics(self) -> int:
        return len(self.rubric_ids)

    @cached_property
    def model_names(self) -> pa.Array:
        """The models' names as an Arrow array, for `encode`."""
        return text_array(self.models)

    @cached_property
    def lengths(self) -> dict[str, NDArray[np.float64]]:
        """The length of each rubric by unit, characters and words; NaN where it has none."""
        fields = {"characters": self.rubric_fields["length"], "words": self.rubric_fields["words"]}
        return {unit: values.astype(np.float64) for unit, values in fields.items()}  # None becomes NaN

    def text_codes(self, column: str) -> "TextCodes":
        """Return a text attribute of the rubrics as positions in the list of its values."""
        if column not in self._text_codes:
            self._text_codes[column] = TextCodes.of(self.rubric_fields[column])
        return self._text_codes[column]

    @cached_property
    def points(self) -> NDArray[np.float64]:
        return self.rubric_fields["points"].astype(np.float64)

    def rubric_positions(self, instance: Ints, rubric: pa.ChunkedArray) -> Ints:
        """Return the position of each (instance, rubric id), -1 for an unknown one."""
        code = encode(rubric, self._rubric_names)
        keys = instance * max(len(self._rubric_names), 1) + code
        positions = integers(pc.index_in(integer_array(keys), self._rubric_keys), -1)
        return np.where((code < 0) | (instance < 0), -1, positions)

    def responses_of(self, table: pa.Table) -> tuple[Ints, Ints]:
        """Return the generator and the instance that each row names, -1 for unknown ones."""
        generator = encode(table.column("generator"), self.model_names)
        return generator, encode(table.column("instance_id"), self.instances)

    def rubrics_of(self, table: pa.Table) -> Ints:
        """Return the rubric that each row names by instance and id, -1 for an unknown one."""
        instance = encode(table.column("instance_id"), self.instances)
        return self.rubric_positions(instance, table.column("rubric_id"))

    @cached_property
    def _relative_codes(self) -> dict[str, Ints]:
        """Attributes that relate models as numbers: equal where they are; without one, one of its own."""
        codes = {name: TextCodes.of(values).codes for name, values in self.model_fields.items()}
        return {name: np.where(code < 0, ~np.arange(len(code)), code) for name, code in codes.items()}

    def relations(self, judges: Ints, generators: Ints, relatives: Relatives = "family") -> Relations:
        """Return which models are related; one without a value of `relatives` is related to itself only."""
        number = self._relative_codes[relatives]
        own = judges[:, None] == generators[None, :]
        alike = number[judges][:, None] == number[generators][None, :]
        return Relations(self_mask=own, family=alike & ~own, unrelated_mask=~alike & ~own)


def _texts(table: str) -> dict[str, str]:
    """Return the text columns of slices that a table has, and their stored names."""
    columns = {name: SLICE_COLUMNS[name].stored_in(table) for name in TEXT_COLUMNS}
    return {name: column for name, column in columns.items() if column is not None}


def _rubric_fields(
    rubrics: pa.Table, instance_fields: dict[str, Objects], instance_of: Ints
) -> dict[str, Objects]:
    """Return the attributes of rubrics; one without a text of its own has that of its instance."""
    fields = {name: objects(rubrics, name) for name in ("points", "length")}
    column = _texts("rubrics")
    for name in TEXT_COLUMNS:
        own = objects(rubrics, column[name]) if name in column else np.full(len(rubrics), None, dtype=object)
        if name in instance_fields:
            own = np.where(own == None, instance_fields[name][instance_of], own)  # noqa: E711 - elementwise
        fields[name] = own
    negative = fields["points"].astype(np.float64) < 0
    fields["polarity"] = np.where(negative, "negative", "positive").astype(object)
    texts = objects(rubrics, "criterion")
    fields["words"] = np.array([None if text is None else len(text.split()) for text in texts], dtype=object)
    return fields


def positions(subset: Sequence[str], names: Sequence[str]) -> Ints:
    """Return the ascending positions of a subset of the names."""
    members = set(subset)
    return np.array([i for i, name in enumerate(names) if name in members], dtype=np.int64)


# ------------------------------------------------------------------------------
# Which judgments a study holds: counts for each combination of values of a selection's columns.


ColumnFilter = str | Iterable[str | None] | None  # a value, or several values that match
COLUMNS = ("judge", "paradigm", "variant", "transform", "ordering", "run_id", "status")


@dataclass(frozen=True)
class Inventory:
    """Rows of (judge, paradigm, variant, transform, ordering, run_id, status, count)."""

    rows: tuple[tuple[str | None, ...], ...]
    counts: tuple[int, ...]

    @classmethod
    def read(cls, files: StudyFiles, parts: Sequence[str] | None = None) -> "Inventory":
        """Count the stored judgments, all of them or those in some parts."""
        return cls.merge(map(_count_rows, files.judgment_batches(columns=COLUMNS, parts=parts)))

    @classmethod
    def merge(cls, pieces: Iterable["Inventory"]) -> "Inventory":
        """Add up the inventories of some parts, in their order."""
        total: Counter[tuple[str | None, ...]] = Counter()
        for piece in pieces:
            total.update(dict(zip(piece.rows, piece.counts, strict=True)))
        return cls(tuple(total), tuple(total.values()))

    @classmethod
    def unpack(cls, entry: CacheEntry) -> "Inventory":
        return cls(tuple(tuple(row) for row in entry.facts["rows"]), tuple(entry.facts["counts"]))

    def values(self, column: str, **where: ColumnFilter) -> list[str | None]:
        """Return a column's sorted values in the rows that match; paradigms as in the schema, null last."""
        at = COLUMNS.index(column)
        values = {row[at] for row in self.rows if _matches(row, where)}
        rank: dict[str, int] = {name: place for place, name in enumerate(PARADIGMS)}
        return sorted(values, key=lambda value: (value is None, rank.get(value or "", 0), value or ""))

    def total(self, **where: ColumnFilter) -> int:
        return sum(n for row, n in zip(self.rows, self.counts, strict=True) if _matches(row, where))

    def statuses(self, judges: Sequence[str]) -> list[tuple[str, str, str, int]]:
        """Return how many judgments have each (judge, paradigm, status), by `judges` and the schema."""
        totals: Counter[tuple[str, str, str]] = Counter()
        for row, count in zip(self.rows, self.counts, strict=True):
            judge, paradigm, status = (str(row[COLUMNS.index(n)]) for n in ("judge", "paradigm", "status"))
            totals[judge, paradigm, status] += count
        return sorted(
            ((*at, count) for at, count in totals.items()),
            key=lambda row: (judges.index(row[0]), PARADIGMS.index(row[1]), STATUSES.index(row[2])),
        )


def _count_rows(table: pa.Table) -> Inventory:
    names = []
    cell = np.zeros(len(table), dtype=np.int64)
    for column in COLUMNS:
        values = pc.unique(table.column(column)).cast(pa.string()).drop_null()
        names.append([None, *values.to_pylist()])
        cell *= len(names[-1])
        cell += encode(table.column(column), values) + 1  # 0 is null
    places, counts = np.unique(cell, return_counts=True)
    where = np.unravel_index(places, [len(values) for values in names])
    rows = (tuple(values[i] for values, i in zip(names, at, strict=True)) for at in zip(*where, strict=True))
    return Inventory(tuple(rows), tuple(counts.tolist()))


def cached_inventory(
    cache: StudyCache, files: StudyFiles, read: Callable[[StudyFiles], Inventory] = Inventory.read
) -> Inventory:
    """Return the cached inventory, else the one that `read` reads."""
    return cache.cached_or_built(
        "inventory",
        lambda: read(files),
        lambda inventory: CacheEntry(facts=vars(inventory)),
        Inventory.unpack,
    )


def _matches(row: tuple[str | None, ...], where: dict[str, ColumnFilter]) -> bool:
    return all(
        row[COLUMNS.index(column)] in ((value,) if value is None or isinstance(value, str) else value)
        for column, value in where.items()
    )


# ------------------------------------------------------------------------------
# Judgment rows read from the store and encoded as positions.


Repeats = Literal["majority", "first"]

OK = STATUSES.index("ok")


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which judgment rows a cube is made from: one paradigm and one variant at a time."""

    paradigm: str
    variant: str = "default"
    transform: str = "none"
    ordering: str | None = None  # None: the original order or none recorded
    runs: tuple[str, ...] = ()  # empty: every run
    repeats: Repeats = "majority"

    def where(self) -> dict[str, tuple[str | None, ...]]:
        columns: dict[str, tuple[str | None, ...]] = {
            name: (getattr(self, name),) for name in ("paradigm", "variant", "transform")
        }
        if self.runs:
            columns["run_id"] = self.runs
        if self.ordering is not None:
            columns["ordering"] = (self.ordering,)
        elif TRAITS[self.paradigm].lists_rubrics:
            columns["ordering"] = (None, "original")
        return columns


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of one selection: positions of shape (rows,), and the table of the other columns."""

    judge: Ints
    generator: Ints
    instance: Ints
    status: Ints
    trial: Ints
    table: pa.Table

    def number(self, name: str) -> NDArray[np.float64]:
        return numbers(self.table.column(name))


_ALWAYS = ("judge", "generator", "instance_id", "status", "trial")


def read_rows(files: StudyFiles, index: StudyIndex, selection: Selection, columns: Iterable[str]) -> Rows:
    """Read the selection's rows with `columns` beside the ones that every cube needs (`_ALWAYS`)."""
    return _encoded(index, files.judgments([*_ALWAYS, *columns], selection.where()))


def row_batches(
    files: StudyFiles,
    index: StudyIndex,
    selection: Selection,
    columns: Iterable[str],
    judges: Sequence[str] | None = None,
) -> Iterator[Rows]:
    """Yield the rows of `read_rows` in batches, of all judges or those named."""
    where = selection.where() | ({} if judges is None else {"judge": tuple(judges)})
    for table in files.judgment_batches(columns=[*_ALWAYS, *columns], where=where):
        yield _encoded(index, table)


def _encoded(index: StudyIndex, table: pa.Table) -> Rows:
    return Rows(
        judge=encode(table.column("judge"), index.model_names),
        generator=encode(table.column("generator"), index.model_names),
        instance=encode(table.column("instance_id"), index.instances),
        status=encode(table.column("status"), text_array(STATUSES)),
        trial=integers(table.column("trial"), 0),
        table=table,
    )


@dataclass(frozen=True, eq=False)
class Failures(ParallelArrays):
    """Rows without a verdict or merged with repeats; `place` is a rubric for verdicts, else an instance."""

    judge: Ints
    generator: Ints
    place: Ints
    code: Objects
    count: Ints


def tally(codes: NDArray[np.object_], counts: Ints) -> Counter[str]:
    names, which = np.unique(codes.astype(str), return_inverse=True)
    totals = np.bincount(which, weights=counts, minlength=len(names)).astype(int)
    return Counter(dict(zip(names.tolist(), totals.tolist(), strict=True)))


def failed_rows(
    rows: Rows, judges: Ints, generators: Ints, failures: list[tuple[Ints, str | None, Ints | None]]
) -> Failures:
    """Return the rows lost, by place among the judges and generators.

    `failures`: which rows, their code (None: their status) and how many each counts for (None: one).
    """
    statuses = np.array(STATUSES, dtype=object)
    parts = [
        Failures(
            np.searchsorted(judges, rows.judge[at]),
            np.searchsorted(generators, rows.generator[at]),
            rows.instance[at],
            statuses[rows.status[at]] if code is None else np.full(len(at), code, dtype=object),
            np.ones(len(at), dtype=np.int64) if count is None else count,
        )
        for at, code, count in failures
    ]
    return Failures.concatenate(parts)


def stored_responses(
    files: StudyFiles, index: StudyIndex, transform: str, column: str
) -> tuple[tuple[Ints, Ints], pa.ChunkedArray]:
    """Return (model, instance) of the responses under a transform, and a column of them."""
    table = files.table("responses", ("instance_id", "generator", column), {"transform": (transform,)})
    return index.responses_of(table), table.column(column)


def select_repeats(cell: Ints, trial: Ints, repeats: Repeats) -> Ints | slice:
    """Return the rows that count if several are of one cell: all, or the first of each."""
    return first_of_each(cell, trial) if repeats == "first" else slice(None)


def first_of_each(cell: Ints, trial: Ints) -> Ints:
    """Return the first row of each cell: lowest trial, then stored order."""
    order = np.argsort(trial, kind="stable")
    _, first = np.unique(cell[order], return_index=True)
    return np.sort(order[first])


@dataclass(frozen=True, eq=False)
class Groups:
    """The first row of each group, the group `of` each row, and the rows in each; by ascending values."""

    first: Ints
    of: Ints
    sizes: Ints

    def means(self, values: Floats, rows: Bools | Ints | slice = slice(None)) -> Floats:
        """Return the mean of each group's values, or of those of some rows; NaN where it has none."""
        return group_means(values[rows], self.of[rows], len(self.first))


def group_rows(*columns: Ints) -> Groups:
    """Group rows by several columns of whole numbers from 0 on."""
    sizes = tuple(int(column.max(initial=0)) + 1 for column in columns)
    number = np.ravel_multi_index(columns, sizes)  # one number for each row sorts far faster than several
    _, first, of, counts = np.unique(number, return_index=True, return_inverse=True, return_counts=True)
    return Groups(first, of.reshape(-1), counts)
