"""Models, instances and rubrics of a study by position."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.arrays.bits.bitsets import Layout
from engine.arrays.encoding import Objects, encode, integer_array, integers, objects
from engine.slices import COLUMNS as SLICE_COLUMNS
from engine.slices import TEXT_COLUMNS
from engine.stats import Ints
from engine.stats.self_preference import Relations
from engine.store.arrow_types import text_array
from engine.store.study_files import StudyFiles

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


_SPARSE = 16
"""So many times more (instance, rubric name) than rubrics are looked up in a hash table instead."""


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
            layout=Layout.of(instance_of, len(instances)),
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
            layout=Layout(self.layout.instance_of[low:high] - first, last - first, self.layout.unit),
            _rubric_keys=integer_array(keys),
            _text_codes={},
        )

    def texts_of_rows(self, column: str, instance: Ints, rubric: Ints) -> Objects:
        """Return each row's value in a column of texts: the rubric's, else (rubric -1) the instance's."""
        values = np.full(len(instance), None, dtype=object)
        if column in self.instance_fields:
            values = self.instance_fields[column][instance]
        values[rubric >= 0] = self.rubric_fields[column][rubric[rubric >= 0]]
        return values

    @property
    def n_instances(self) -> int:
        return len(self.instances)

    @property
    def n_rubrics(self) -> int:
        return len(self.rubric_ids)

    @cached_property
    def places_by_id(self) -> Ints:
        """The place of each rubric by the ids of its instance and its own, whatever the order of rows."""
        instances, rubrics = (
            np.unique(np.array(ids.to_pylist(), dtype=object), return_inverse=True)[1]
            for ids in (self.instances, self.rubric_ids)
        )
        places = np.empty(self.n_rubrics, dtype=np.int64)
        places[np.lexsort((rubrics, instances[self.layout.instance_of]))] = np.arange(self.n_rubrics)
        return places

    @property
    def n_criteria(self) -> int:
        """The number of different criteria, which several questions may have in common."""
        return len(self._rubric_names)

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
        if self._rubric_table is not None:
            return self._rubric_table[instance, code]
        keys = instance * max(len(self._rubric_names), 1) + code
        positions = integers(pc.index_in(integer_array(keys), self._rubric_keys), -1)
        return np.where((code < 0) | (instance < 0), -1, positions)

    @cached_property
    def _rubric_table(self) -> Ints | None:
        """The position of each (instance, rubric name), -1 for none; its last row and column are of none.

        None where most instances lack most names.
        """
        shape = (self.n_instances + 1, len(self._rubric_names) + 1)
        if math.prod(shape) > _SPARSE * self.n_rubrics:
            return None
        table = np.full(shape, -1, dtype=np.int64)
        instance, code = np.divmod(integers(self._rubric_keys, -1), max(len(self._rubric_names), 1))
        table[instance, code] = np.arange(self.n_rubrics)
        return table

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
