"""Models, instances and rubrics of a study by position."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.cubes.arrow import encode, integer_array, integers, objects, text_array
from engine.metrics.overestimation import Kinship
from engine.packing import Layout
from engine.store import StudyFiles

Ints = NDArray[np.int64]
Objects = NDArray[np.object_]
Relatives = Literal["family", "provider", "base_model"]


@dataclass(frozen=True, eq=False)
class Coded:
    """Texts as positions in `names`, the sorted texts there are; -1 for none."""

    names: tuple[str, ...]
    codes: Ints

    @classmethod
    def of(cls, values: Objects) -> "Coded":
        """Find the place of each text among the sorted ones."""
        names = sorted({value for value in values if value is not None})
        place = {None: -1} | {name: number for number, name in enumerate(names)}
        return cls(tuple(names), np.array([place[value] for value in values], dtype=np.int64))

    def among(self, wanted: Sequence[str | None]) -> NDArray[np.bool_]:
        """Mark the texts that are wanted; None stands for no text."""
        chosen = [name in wanted for name in self.names]
        return np.array([*chosen, None in wanted], dtype=bool)[self.codes]  # -1 is the last place


@dataclass(frozen=True, eq=False)
class StudyIndex:
    """Positions of models, instances and rubrics; the attributes that slices are made of.

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
    _coded: dict[str, "Coded"] = field(default_factory=dict)

    @classmethod
    def read(cls, files: StudyFiles) -> "StudyIndex":
        """Read the study's models, instances and rubrics."""
        rubrics = ("instance_id", "rubric_id", "criterion", "length", "points", "axis", "theme", "checker")
        instances = ("instance_id", "theme", "category", "language")
        return cls.build(
            files.table("models"), files.table("instances", instances), files.table("rubrics", rubrics)
        )

    @classmethod
    def build(cls, models: pa.Table, instances: pa.Table, rubrics: pa.Table) -> "StudyIndex":
        """Give the rows of the three tables their positions."""
        instance_ids = instances.column("instance_id").combine_chunks().cast(pa.string())
        instance_of = encode(rubrics.column("instance_id"), instance_ids)
        order = np.argsort(instance_of, kind="stable")
        instance_of, rubrics = instance_of[order], rubrics.take(integer_array(order))
        names = pc.unique(rubrics.column("rubric_id").combine_chunks()).cast(pa.string())
        keys = instance_of * max(len(names), 1) + encode(rubrics.column("rubric_id"), names)
        instance_fields = {name: objects(instances, name) for name in ("theme", "category", "language")}
        return cls(
            models=tuple(models.column("model").to_pylist()),
            model_fields={name: objects(models, name) for name in ("family", "provider", "base_model")},
            instances=instance_ids,
            instance_fields=instance_fields,
            rubric_ids=rubrics.column("rubric_id").combine_chunks().cast(pa.string()),
            rubric_fields=_rubric_fields(rubrics, instance_fields, instance_of),
            layout=Layout(instance_of, len(instances)),
            _rubric_names=names,
            _rubric_keys=integer_array(keys),
        )

    def within(self, first: int, last: int) -> "StudyIndex":
        """Return the index of the instances from `first` to before `last` alone, with the same models."""
        low, high = np.searchsorted(self.layout.instance_of, [first, last])
        keys = integers(self._rubric_keys[low:high], -1) - first * max(len(self._rubric_names), 1)
        return StudyIndex(
            models=self.models,
            model_fields=self.model_fields,
            instances=self.instances[first:last],
            instance_fields={name: values[first:last] for name, values in self.instance_fields.items()},
            rubric_ids=self.rubric_ids[low:high],
            rubric_fields={name: values[low:high] for name, values in self.rubric_fields.items()},
            layout=Layout(self.layout.instance_of[low:high] - first, last - first),
            _rubric_names=self._rubric_names,
            _rubric_keys=integer_array(keys),
        )

    @property
    def n_instances(self) -> int:
        """The number of instances, those without a rubric too."""
        return len(self.instances)

    @property
    def n_rubrics(self) -> int:
        """The number of rubrics of all instances."""
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

    def coded(self, column: str) -> "Coded":
        """Return a text attribute of the rubrics as positions in the list of its values."""
        if column not in self._coded:
            self._coded[column] = Coded.of(self.rubric_fields[column])
        return self._coded[column]

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """The weight of each rubric."""
        return self.rubric_fields["points"].astype(np.float64)

    def rubric_positions(self, instance: Ints, rubric: pa.ChunkedArray) -> Ints:
        """Return the position of each (instance, rubric id), -1 where the study has no such rubric."""
        named = encode(rubric, self._rubric_names)
        keys = instance * max(len(self._rubric_names), 1) + named
        found = integers(pc.index_in(integer_array(keys), self._rubric_keys), -1)
        return np.where((named < 0) | (instance < 0), -1, found)

    @cached_property
    def _kin(self) -> dict[str, Ints]:
        """A number for each model by the attributes that make kin: equal where the attribute is.

        A model without one has a negative number, its own.
        """
        codes = {name: Coded.of(values).codes for name, values in self.model_fields.items()}
        return {name: np.where(found < 0, ~np.arange(len(found)), found) for name, found in codes.items()}

    def kinship(self, judges: Ints, generators: Ints, relatives: Relatives = "family") -> Kinship:
        """Return who is kin to whom; a model without a value of `relatives` is kin to itself only."""
        number = self._kin[relatives]
        own = judges[:, None] == generators[None, :]
        kin = number[judges][:, None] == number[generators][None, :]
        return Kinship(own=own, family=kin & ~own, other=~kin & ~own)


def _rubric_fields(
    rubrics: pa.Table, instance_fields: dict[str, Objects], instance_of: Ints
) -> dict[str, Objects]:
    fields = {name: objects(rubrics, name) for name in ("points", "length", "axis", "checker")}
    own_theme, inherited = objects(rubrics, "theme"), instance_fields["theme"][instance_of]
    fields["theme"] = np.where(own_theme == None, inherited, own_theme)  # noqa: E711 - elementwise
    for name in ("category", "language"):
        fields[name] = instance_fields[name][instance_of]
    fields["polarity"] = _polarity(fields["points"].astype(np.float64))
    fields["words"] = _each(objects(rubrics, "criterion"), lambda text: len(text.split()))
    return fields


def _polarity(points: NDArray[np.float64]) -> Objects:
    return np.array(["positive", "negative"], dtype=object)[(points < 0).astype(np.int64)]


def _each(values: Objects, function: Any) -> Objects:
    result = np.empty(len(values), dtype=object)
    result[:] = [None if value is None else function(value) for value in values]
    return result


def positions(chosen: Sequence[str], names: Sequence[str]) -> Ints:
    """Return the ascending positions of the chosen names."""
    wanted = set(chosen)
    return np.array([i for i, name in enumerate(names) if name in wanted], dtype=np.int64)
