"""The texts of a study, by key."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.collect.calls import CallRequest
from engine.collect.paradigms.request_texts import Criterion, RequestTexts, in_ordering
from engine.paradigms import NO_ANSWER, TRAITS
from engine.rubric_options import options_of
from engine.schema import Beside
from engine.shown_order import shown_models
from engine.store.study_files import StudyFiles

ResponseKey = tuple[str, str, str]
_KEY = ("instance_id", "generator", "transform")
"""The key columns of a response."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """A rubric of one instance; `criterion` is None if the study has no texts."""

    rubric_id: str
    criterion: Criterion | None

    @property
    def scored(self) -> bool:
        return self.criterion is not None and bool(self.criterion.options)


@dataclass(frozen=True, slots=True)
class Instance:
    instance_id: str
    prompt: str | None
    reference_answer: str | None
    context: str | None


class Library:
    """Texts of a study, or of one of its instances; read on first use, responses kept in Arrow."""

    def __init__(self, study: StudyFiles, instance_id: str | None = None) -> None:
        self.study = study
        self._instance_id = instance_id

    def _table(self, name: str, columns: Sequence[str]) -> pa.Table:
        table = self.study.table(name, columns)
        if self._instance_id is None:
            return table
        return table.filter(pc.equal(table["instance_id"].cast(pa.string()), self._instance_id))

    @cached_property
    def instances(self) -> dict[str, Instance]:
        columns = ("instance_id", "prompt", "reference_answer", "context")
        rows = self._table("instances", columns).to_pylist()
        return {row["instance_id"]: Instance(**row) for row in rows}

    @cached_property
    def _rubrics(self) -> dict[str, list[Rubric]]:
        columns = ("instance_id", "rubric_id", "criterion", "points", "options")
        rubrics: dict[str, list[Rubric]] = {}
        for row in self._table("rubrics", columns).to_pylist():
            options, text = options_of(row["options"]), row["criterion"]
            criterion = None
            if text is not None or options:
                criterion = Criterion(text or "", (row["points"] or 0) < 0, options)
            rubrics.setdefault(row["instance_id"], []).append(Rubric(row["rubric_id"], criterion))
        return rubrics

    def criteria(self, instance_id: str) -> list[Rubric]:
        return [each for each in self._rubrics.get(instance_id, ()) if not each.scored]

    def score_rubrics(self, instance_id: str) -> list[Rubric]:
        return [each for each in self._rubrics.get(instance_id, ()) if each.scored]

    def rubric(self, instance_id: str, rubric_id: str) -> Rubric | None:
        return next(
            (each for each in self._rubrics.get(instance_id, ()) if each.rubric_id == rubric_id), None
        )

    def responses_of_run(self, run_id: str | None) -> frozenset[ResponseKey]:
        if run_id is None:
            return frozenset()
        table = self._table("responses", (*_KEY, "run_id"))
        return frozenset(_rows(table.filter(pc.equal(table["run_id"].cast(pa.string()), run_id)), _KEY))

    @cached_property
    def _responses(self) -> tuple[dict[ResponseKey, int], pa.ChunkedArray]:
        table = self._table("responses", (*_KEY, "text", "shortfall"))
        has_no_answer = pc.is_in(table["shortfall"].cast(pa.string()), pa.array(NO_ANSWER))
        table = table.filter(pc.and_(pc.is_valid(table["text"]), pc.invert(has_no_answer)))
        return {key: place for place, key in enumerate(_rows(table, _KEY))}, table["text"]

    @cached_property
    def unanswered(self) -> dict[ResponseKey, str]:
        """The shortfalls of collected responses without an answer, which count as missing."""
        table = self._table("responses", (*_KEY, "shortfall"))
        has_no_answer = pc.is_in(table["shortfall"].cast(pa.string()), pa.array(NO_ANSWER))
        return {row[:3]: row[3] for row in _rows(table.filter(has_no_answer), (*_KEY, "shortfall"))}

    def has_response(self, key: ResponseKey) -> bool:
        """Return whether a response has a text; an imported one may be empty, a collected one not."""
        return key in self._responses[0]

    def response(self, key: ResponseKey) -> str | None:
        places, texts = self._responses
        place = places.get(key)
        text: str | None = None if place is None else texts[place].as_py()
        return text

    @cached_property
    def _authors_and_pairings(self) -> dict[ResponseKey, tuple[str | None, Beside | None]]:
        """The shown author and the pairing of the responses that have either."""
        names = (*_KEY, "author", "beside")
        table = self._table("responses", names)
        table = table.filter(pc.or_(pc.is_valid(table["author"]), pc.is_valid(table["beside"])))
        return {row[:3]: (row[3], row[4]) for row in _rows(table, names)}

    def author(self, key: ResponseKey) -> str | None:
        """Return the author of a response shown to judges, None if none is shown."""
        return self._authors_and_pairings.get(key, (None, None))[0]

    def beside(self, key: ResponseKey) -> Beside | None:
        """Return what a response is paired with, None for the other one under the same transform."""
        return self._authors_and_pairings.get(key, (None, None))[1]

    def beside_under(self, transform: str) -> Beside | None:
        rows = self._authors_and_pairings.items()
        return next((beside for key, (_, beside) in rows if key[2] == transform), None)

    def generators(self) -> tuple[str, ...]:
        """Return the models with untransformed responses, in the order of the table `models`."""
        with_response = {generator for _, generator, transform in self._responses[0] if transform == "none"}
        names = self.study.table("models", ("model",))["model"].to_pylist()
        return tuple(name for name in names if name in with_response)

    def transforms(self) -> frozenset[str]:
        """Return the forms in which the study has responses; `none`: as they were written."""
        return frozenset(transform for _, _, transform in self._responses[0])

    def column(self, name: str) -> Iterator[tuple[str, str | None]]:
        table = self._table("instances", ("instance_id", name))
        yield from zip(table["instance_id"].to_pylist(), table[name].to_pylist(), strict=True)


def _rows(table: pa.Table, columns: Sequence[str]) -> Iterator[Any]:
    return zip(*(table[name].cast(pa.string()).to_pylist() for name in columns), strict=True)


def texts_of(library: Library, request: CallRequest) -> RequestTexts:
    """Return the texts of a request; missing texts are None, criteria without a text are left out."""
    subject = request.subject
    instance = library.instances.get(subject.instance_id)
    if instance is None:
        return RequestTexts()
    rewriting = request.role == "generator" and subject.transform != "none"
    transform = "none" if rewriting else subject.transform
    target = (subject.instance_id, subject.generator, transform)
    other: ResponseKey | None = None
    if subject.opponent is not None:
        beside = library.beside(target)
        other = (subject.instance_id, subject.opponent, "none" if beside == "plain" else transform)
        other = target if beside == "itself" else other
    in_lists = request.paradigm is not None and TRAITS[request.paradigm].of_lists
    models = (shown_models(subject.ordering) or ()) if in_lists else ()
    shown = [(subject.instance_id, name, transform) for name in models]
    return RequestTexts(
        prompt=instance.prompt,
        response=library.response(target) if request.role == "judge" or rewriting else None,
        opponent=None if other is None else library.response(other),
        responses=tuple(map(library.response, shown)),
        author=library.author(target),
        opponent_author=None if other is None else library.author(other),
        authors=tuple(map(library.author, shown)),
        criteria=_criteria(library, request),
        reference_answer=instance.reference_answer,
        context=instance.context,
    )


def _criteria(library: Library, request: CallRequest) -> tuple[Criterion, ...]:
    subject = request.subject
    traits = TRAITS[request.paradigm] if request.paradigm else None
    if traits and (traits.of_pairs or traits.of_lists):
        rubrics = library.criteria(subject.instance_id)
    else:
        by_id = (library.rubric(subject.instance_id, name) for name in subject.rubric_ids)
        rubrics = [rubric for rubric in by_id if rubric is not None]
    criteria = tuple(rubric.criterion for rubric in rubrics if rubric.criterion is not None)
    if traits and traits.subject == "options" and subject.ordering is not None:
        return tuple(in_ordering(each, subject.ordering) for each in criteria)
    return criteria
