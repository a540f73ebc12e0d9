"""The texts of a study by key, as planning and asking need them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.paradigms.texts import Criterion
from engine.score_options import options_of
from engine.store import StudyFiles

ResponseKey = tuple[str, str, str]
"""instance_id, generator, transform."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """A rubric of one instance; `criterion` is None where the study has no texts."""

    rubric_id: str
    criterion: Criterion | None

    @property
    def scored(self) -> bool:
        """Whether it is a score rubric, with options."""
        return self.criterion is not None and bool(self.criterion.options)


@dataclass(frozen=True, slots=True)
class Instance:
    """What is known of one instance."""

    instance_id: str
    prompt: str | None
    reference_answer: str | None
    context: str | None


class Library:
    """Prompts, rubrics and responses of a study. Responses stay in Arrow until they are asked for."""

    def __init__(self, study: StudyFiles, instance_id: str | None = None) -> None:
        """Take the study's files; each table is read when it is first needed, of one instance if named."""
        self.study = study
        self._only = instance_id

    def _table(self, name: str, columns: Sequence[str]) -> pa.Table:
        table = self.study.table(name, columns)
        if self._only is None:
            return table
        return table.filter(pc.equal(table["instance_id"].cast(pa.string()), self._only))

    @cached_property
    def instances(self) -> dict[str, Instance]:
        """All instances by id, in the order of the table."""
        columns = ("instance_id", "prompt", "reference_answer", "context")
        rows = self._table("instances", columns).to_pylist()
        return {row["instance_id"]: Instance(**row) for row in rows}

    @cached_property
    def _rubrics(self) -> dict[str, list[Rubric]]:
        columns = ("instance_id", "rubric_id", "criterion", "points", "options")
        found: dict[str, list[Rubric]] = {}
        for row in self._table("rubrics", columns).to_pylist():
            found.setdefault(row["instance_id"], []).append(Rubric(row["rubric_id"], _criterion(row)))
        return found

    def criteria(self, instance_id: str) -> list[Rubric]:
        """Return the rubrics of an instance that are met or not, in the order of the table."""
        return [each for each in self._rubrics.get(instance_id, ()) if not each.scored]

    def score_rubrics(self, instance_id: str) -> list[Rubric]:
        """Return the rubrics of an instance that have options."""
        return [each for each in self._rubrics.get(instance_id, ()) if each.scored]

    def rubric(self, instance_id: str, rubric_id: str) -> Rubric | None:
        """Return one rubric, None where the study does not have it."""
        rubrics = self._rubrics.get(instance_id, ())
        return next((each for each in rubrics if each.rubric_id == rubric_id), None)

    def collected(self, run_id: str | None) -> frozenset[ResponseKey]:
        """Return the responses that a run collected; none without a run."""
        if run_id is None:
            return frozenset()
        table = self._table("responses", ("instance_id", "generator", "transform", "run_id"))
        table = table.filter(pc.equal(table["run_id"].cast(pa.string()), run_id))
        names = (table[name].to_pylist() for name in ("instance_id", "generator", "transform"))
        return frozenset(zip(*names, strict=True))

    @cached_property
    def _responses(self) -> tuple[dict[ResponseKey, int], pa.ChunkedArray]:
        table = self._table("responses", ("instance_id", "generator", "transform", "text"))
        table = table.filter(pc.is_valid(table["text"]))
        names = [
            table[name].cast(pa.string()).to_pylist() for name in ("instance_id", "generator", "transform")
        ]
        places = {key: place for place, key in enumerate(zip(*names, strict=True))}
        return places, table["text"]

    def has_response(self, key: ResponseKey) -> bool:
        """Return whether the text of a response is there (an empty text is)."""
        return key in self._responses[0]

    def response(self, key: ResponseKey) -> str | None:
        """Return the text of a response, None where it is not there."""
        places, texts = self._responses
        place = places.get(key)
        text: str | None = None if place is None else texts[place].as_py()
        return text

    def generators(self) -> tuple[str, ...]:
        """Return the models with responses of their own, in the order of the table `models`."""
        answered = {generator for _, generator, transform in self._responses[0] if transform == "none"}
        names = self.study.table("models", ("model",))["model"].to_pylist()
        return tuple(name for name in names if name in answered)

    def column(self, name: str) -> Iterator[tuple[str, str | None]]:
        """Yield each instance's id with its value in a column of the table."""
        table = self._table("instances", ("instance_id", name))
        yield from zip(table["instance_id"].to_pylist(), table[name].to_pylist(), strict=True)


def _criterion(row: dict[str, Any]) -> Criterion | None:
    options = options_of(row["options"])
    if row["criterion"] is None and not options:
        return None
    return Criterion(row["criterion"] or "", (row["points"] or 0) < 0, options)
