"""Texts of a study by key."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.collect.calls import CallRequest
from engine.collect.paradigms.one_response import in_ordering
from engine.collect.paradigms.templates import Criterion, Texts
from engine.schema import TRAITS, Beside, options_of, shown_models
from engine.store.study_files import StudyFiles

ResponseKey = tuple[str, str, str]
_KEY = ("instance_id", "generator", "transform")
"""What a response is known by: the columns of its key."""


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
        rubrics: dict[str, list[Rubric]] = {}
        for row in self._table("rubrics", columns).to_pylist():
            rubrics.setdefault(row["instance_id"], []).append(Rubric(row["rubric_id"], _criterion(row)))
        return rubrics

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
        table = self._table("responses", (*_KEY, "run_id"))
        return frozenset(_rows(table.filter(pc.equal(table["run_id"].cast(pa.string()), run_id)), _KEY))

    @cached_property
    def _responses(self) -> tuple[dict[ResponseKey, int], pa.ChunkedArray]:
        table = self._table("responses", (*_KEY, "text"))
        table = table.filter(pc.is_valid(table["text"]))
        return {key: place for place, key in enumerate(_rows(table, _KEY))}, table["text"]

    def has_response(self, key: ResponseKey) -> bool:
        """Return whether the text of a response is there (an empty text is)."""
        return key in self._responses[0]

    def response(self, key: ResponseKey) -> str | None:
        """Return the text of a response, None where it is not there."""
        places, texts = self._responses
        place = places.get(key)
        text: str | None = None if place is None else texts[place].as_py()
        return text

    @cached_property
    def _shown_with(self) -> dict[ResponseKey, tuple[str | None, Beside | None]]:
        """The author named and what stands beside, of the responses that have either."""
        names = (*_KEY, "author", "beside")
        table = self._table("responses", names)
        table = table.filter(pc.or_(pc.is_valid(table["author"]), pc.is_valid(table["beside"])))
        return {row[:3]: (row[3], row[4]) for row in _rows(table, names)}

    def author(self, key: ResponseKey) -> str | None:
        """Return who is named to judges as the author of a response, None for nobody."""
        return self._shown_with.get(key, (None, None))[0]

    def beside(self, key: ResponseKey) -> Beside | None:
        """Return what stands beside a response in a pair, None for the other one under the same transform."""
        return self._shown_with.get(key, (None, None))[1]

    def beside_under(self, transform: str) -> Beside | None:
        """Return what stands beside the responses of a transform."""
        rows = self._shown_with.items()
        return next((beside for key, (_, beside) in rows if key[2] == transform), None)

    def generators(self) -> tuple[str, ...]:
        """Return the models with responses of their own, in the order of the table `models`."""
        answered = {generator for _, generator, transform in self._responses[0] if transform == "none"}
        names = self.study.table("models", ("model",))["model"].to_pylist()
        return tuple(name for name in names if name in answered)

    def column(self, name: str) -> Iterator[tuple[str, str | None]]:
        """Yield each instance's id with its value in a column of the table."""
        table = self._table("instances", ("instance_id", name))
        yield from zip(table["instance_id"].to_pylist(), table[name].to_pylist(), strict=True)


def _rows(table: pa.Table, columns: Sequence[str]) -> Iterator[Any]:
    return zip(*(table[name].cast(pa.string()).to_pylist() for name in columns), strict=True)


def _criterion(row: dict[str, Any]) -> Criterion | None:
    options = options_of(row["options"])
    if row["criterion"] is None and not options:
        return None
    return Criterion(row["criterion"] or "", (row["points"] or 0) < 0, options)


def texts_of(library: Library, request: CallRequest) -> Texts:
    """Return the texts of a request; what is not there is None, a criterion without words left out."""
    subject = request.subject
    about = library.instances.get(subject.instance_id)
    if about is None:
        return Texts()
    rewriting = request.role == "generator" and subject.transform != "none"
    shown = "none" if rewriting else subject.transform
    target = (subject.instance_id, subject.generator, shown)
    response = None
    if request.role == "judge" or rewriting:
        response = library.response(target)
    other: ResponseKey | None = None
    if subject.opponent is not None:
        beside = library.beside(target)
        other = (subject.instance_id, subject.opponent, "none" if beside == "plain" else shown)
        other = target if beside == "itself" else other
    listed: tuple[str, ...] = ()
    if request.paradigm is not None and TRAITS[request.paradigm].of_lists:
        listed = shown_models(subject.ordering) or ()
    return Texts(
        prompt=about.prompt,
        response=response,
        opponent=None if other is None else library.response(other),
        responses=tuple(library.response((subject.instance_id, name, shown)) for name in listed),
        author=library.author(target),
        opponent_author=None if other is None else library.author(other),
        authors=tuple(library.author((subject.instance_id, name, shown)) for name in listed),
        criteria=_criteria(library, request),
        reference_answer=about.reference_answer,
        context=about.context,
    )


def _criteria(library: Library, request: CallRequest) -> tuple[Criterion, ...]:
    subject = request.subject
    traits = TRAITS[request.paradigm] if request.paradigm else None
    if traits and (traits.of_pairs or traits.of_lists):
        named = library.criteria(subject.instance_id)
    else:
        rubrics = [library.rubric(subject.instance_id, name) for name in subject.rubric_ids]
        named = [rubric for rubric in rubrics if rubric is not None]
    criteria = tuple(rubric.criterion for rubric in named if rubric.criterion is not None)
    if traits and traits.subject == "options" and subject.ordering is not None:
        return tuple(in_ordering(each, subject.ordering) for each in criteria)
    return criteria
