"""One judgment with everything around it: its call, its texts, other judges' verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.encoding import encode
from engine.arrays.slicing.resolve import ResolvedSlice
from engine.explore.judgment_call import CALL, Facts, fill_answers, runs_of
from engine.explore.judgment_page import Row, relation
from engine.messages import Message, conversation
from engine.stats import Bools

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


@dataclass(frozen=True)
class StoredVerdict:
    """One stored verdict of a judge. `against` compares it with the reference, None without one.

    `raw` is the model's whole reply, if it is stored; `run_facts` are the stored facts about the run; `call`
    identifies the request, see `prompt`.
    """

    judge: str
    family: str
    relation: str
    status: str
    answer: str | None
    against: str | None
    explanation: str | None
    raw: str | None
    presentation: str | None
    run_id: str
    trial: int
    run_facts: Facts
    call: Mapping[str, Any]

    @property
    def words(self) -> str | None:
        """What the judge said: its reason, else its whole reply."""
        return self.explanation if self.explanation is not None else self.raw


@dataclass(frozen=True)
class JudgedItem:
    """What was judged, its references, and all judges' verdicts; None for what is not stored."""

    instance_id: str
    messages: tuple[Message, ...]
    context: str | None
    reference_answer: str | None
    generator: str
    response: str | None
    opponent: str | None
    opponent_response: str | None
    rubric: dict[str, Any] | None
    references: tuple[tuple[str, str], ...]
    verdicts: tuple[StoredVerdict, ...]


def item(
    study: "StudyArrays",
    request: ResolvedSlice,
    *,
    instance_id: str,
    generator: str,
    rubric_id: str | None = None,
    opponent: str | None = None,
) -> JudgedItem:
    """Return the item of a row of `rows`, with every judge's stored rows for it.

    `request` is that of the listing; verdicts are compared with its reference.
    """
    place = {"instance_id": instance_id, "generator": generator, "rubric_id": rubric_id, "opponent": opponent}
    return items(study, request, [place])[0]


def items(study: "StudyArrays", request: ResolvedSlice, rows: Sequence[Row]) -> list[JudgedItem]:
    """Return the items of rows of `rows`, in the same order; each table is read once for all."""
    tables = _Tables(study, request, rows)
    return [tables.item(row) for row in rows]


_AT_ONCE = 10_000
"""Rows whose items are in memory at once."""


def with_texts(study: "StudyArrays", request: ResolvedSlice, rows: Sequence[Row]) -> list[Row]:
    """Return rows of `rows` with the question, the answers and the judge's words; None if not stored.

    Of a judge who judged several times they are those of the first.
    """
    rows_with_texts: list[Row] = []
    for first in range(0, len(rows), _AT_ONCE):
        block = rows[first : first + _AT_ONCE]
        for row, each in zip(block, items(study, request, block), strict=True):
            verdict = next((verdict for verdict in each.verdicts if verdict.judge == row["judge"]), None)
            texts = {
                "question": "\n\n".join(message.text for message in each.messages) or None,
                "answer": each.response,
                "opponent_answer": each.opponent_response,
                "reason": None if verdict is None else verdict.words,
            }
            rows_with_texts.append(row | texts)
    return rows_with_texts


INSTANCE_FACTS = ("prompt", "context", "reference_answer", "theme")
RUBRIC_FACTS = ("criterion", "points", "axis", "theme", "length", "checker")


class _Tables:
    """The rows of a study's tables that items need, by key, and the items built from them."""

    def __init__(self, study: "StudyArrays", request: ResolvedSlice, rows: Sequence[Row]) -> None:
        instances = {row["instance_id"] for row in rows}
        sides = {side for row in rows for side in sides_of(row)}
        rubrics = {row["rubric_id"] for row in rows if row["rubric_id"] is not None}
        of_instances = {"instance_id": instances}
        of_models = of_instances | {"generator": sides}
        of_transforms = of_models | {"transform": {request.selection.transform, "none"}}
        self.study, self.request = study, request
        self.instances = _by_key(study, "instances", INSTANCE_FACTS, of_instances)
        self.responses = _by_key(study, "responses", ("text", "beside"), of_transforms)
        self.judgments = _judgments(study, request, rows)
        self.rubrics: Keyed = {}
        self.references: Keyed = {}
        self.truths: dict[str, dict[str, tuple[Bools, Bools]]] = {}
        self.places: dict[tuple[str, str], int] = {}
        if rubrics:
            self.places = _rubric_places(study, rows)
            of_rubrics = {"rubric_id": rubrics}
            self.rubrics = _by_key(study, "rubrics", RUBRIC_FACTS, of_instances | of_rubrics)
            facts = ("source", "met", "score")
            self.references = _by_key(study, "references", facts, of_models | of_rubrics)
            self.truths = {side: _planes(study, request, side) for side in sides}

    def item(self, row: Row) -> JudgedItem:
        """Return the item of a row."""
        instance, generator, opponent = row["instance_id"], row["generator"], row["opponent"]
        facts = next(iter(self.instances.get((instance,), ())), None) or dict.fromkeys(INSTANCE_FACTS)

        def of_response(column: str, model: str, under: str) -> str | None:
            rows = self.responses.get((instance, model, under))
            value: str | None = rows[0][column] if rows else None
            return value

        transform, other = self.request.selection.transform, None
        if opponent is not None:
            beside = of_response("beside", generator, transform)
            other = generator if beside == "itself" else opponent
            other = of_response("text", other, "none" if beside == "plain" else transform)
        rubric = self._rubric(row, facts["theme"])
        references = self.references.get((instance, generator, row["rubric_id"] or ""), ())
        return JudgedItem(
            instance_id=instance,
            messages=conversation(facts["prompt"]),
            context=facts["context"],
            reference_answer=facts["reference_answer"],
            generator=generator,
            response=of_response("text", generator, transform),
            opponent=opponent,
            opponent_response=other,
            rubric=rubric,
            references=tuple(
                (str(each["source"]), _answer(each, rubric) or "could not tell") for each in references
            ),
            verdicts=self._verdicts(row, rubric),
        )

    def _rubric(self, row: Row, theme: str | None) -> Row | None:
        if row["rubric_id"] is None:
            return None
        rubrics = self.rubrics.get((row["instance_id"], row["rubric_id"]))
        facts = {name: rubrics[0][name] for name in RUBRIC_FACTS} if rubrics else dict.fromkeys(RUBRIC_FACTS)
        if facts["theme"] is None:
            facts["theme"] = theme
        return {"rubric_id": row["rubric_id"]} | facts

    def _verdicts(self, row: Row, rubric: Row | None) -> tuple[StoredVerdict, ...]:
        """Return the stored verdicts on the item, with judges in the order of the study's models."""
        instance, generator, sides = row["instance_id"], row["generator"], sides_of(row)
        if rubric is not None:
            rows = self.judgments.get((instance, generator, rubric["rubric_id"]), [])
        else:
            of = ("generator", "opponent") if self.request.traits.of_pairs else ("generator",)
            stored = self.judgments.get((instance,), [])
            rows = [each for each in stored if all(each[side] in sides for side in of)]
        truths = {} if rubric is None else self._truths(row, rubric)
        return tuple(self._verdict(each, generator, rubric, truths.get(each["judge"])) for each in rows)

    def _truths(self, row: Row, rubric: Row) -> dict[str, str]:
        """Return the reference's verdict on the rubric, `passed` or `failed`, for each judge that has one."""
        place = self.places[row["instance_id"], row["rubric_id"]]
        return {
            judge: passed_or_failed(bool(met[place]), rubric)
            for judge, (met, has) in self.truths.get(row["generator"], {}).items()
            if has[place]
        }

    def _verdict(self, row: Row, generator: str, rubric: Row | None, truth: str | None) -> StoredVerdict:
        index = self.study.index
        judge = index.models.index(row["judge"])
        answer = _answer(row, rubric)
        if row["choice"] is not None:
            answer = "tie" if row["choice"] == "tie" else f"{row[row['choice']]} is better"
        presentation = None
        if row["first"] in ("generator", "opponent"):
            presentation = f"{row[row['first']]} shown first"
        elif rubric is None and row["opponent"] is None:
            presentation = f"on {row['generator']}" + (f", {row['rubric_id']}" if row["rubric_id"] else "")
        return StoredVerdict(
            judge=row["judge"],
            family=index.model_fields["family"][judge],
            relation=relation(index, self.request, judge, index.models.index(generator)),
            status=row["status"],
            answer=answer if row["status"] == "ok" else None,
            against=_against(answer, truth, rubric) if row["status"] == "ok" else None,
            explanation=row["explanation"],
            raw=row["raw"],
            presentation=presentation,
            run_id=row["run_id"],
            trial=row["trial"],
            run_facts=row["run_facts"],
            call={name: row[name] for name in CALL},
        )


def _rubric_places(study: "StudyArrays", items: Sequence[Row]) -> dict[tuple[str, str], int]:
    """Return the position of each row's rubric among the study's, by instance and id."""
    keys = list({(row["instance_id"], row["rubric_id"]) for row in items if row["rubric_id"] is not None})
    instances, rubrics = (pa.chunked_array([list(part)]) for part in zip(*keys, strict=True))
    positions = study.index.rubric_positions(encode(instances, study.index.instances), rubrics)
    return dict(zip(keys, positions.tolist(), strict=True))


def sides_of(row: Row) -> tuple[str, ...]:
    """Return the models whose responses are judged in an item."""
    return (row["generator"],) if row["opponent"] is None else (row["generator"], row["opponent"])


Keyed = dict[tuple[str, ...], list[Row]]


def _by_key(
    study: "StudyArrays", table: str, columns: tuple[str, ...], where: Mapping[str, set[str]]
) -> Keyed:
    """Return the rows of a table that satisfy `where`, by the values of its columns."""
    rows_by_key: Keyed = {}
    filters = {name: tuple(values) for name, values in where.items()}
    for row in study.files.table(table, (*where, *columns), filters).to_pylist():
        rows_by_key.setdefault(tuple(row[name] for name in where), []).append(row)
    return rows_by_key


def _judgments(study: "StudyArrays", request: ResolvedSlice, items: Sequence[Row]) -> Keyed:
    """Return the stored rows of the items by instance, for rubrics also by generator and rubric."""
    sides = tuple({side for row in items for side in sides_of(row)})
    instances = tuple({row["instance_id"] for row in items})
    where: dict[str, Any] = {**request.selection.where(), "instance_id": instances, "generator": sides}
    of_rubrics = [row for row in items if row["rubric_id"] is not None]
    if of_rubrics:
        where["rubric_id"] = tuple({row["rubric_id"] for row in of_rubrics})
    if request.traits.of_pairs:
        where["opponent"] = sides
    table = study.files.judgments([*CALL, "met", "score", "choice", "status", "explanation", "raw"], where)
    names = ("instance_id", "generator", "rubric_id")
    if of_rubrics and len(items) > 1:  # drop other combinations of these instances, generators and rubrics
        row_keys = pc.binary_join_element_wise(*(table[name].cast(pa.string()) for name in names), "\x1f")
        keys = pa.array({"\x1f".join(row[name] for name in names) for row in of_rubrics})
        table = table.filter(pc.is_in(row_keys, keys))
    rows, runs, models = table.to_pylist(), runs_of(study, request), study.index.models
    fill_answers(study, rows)
    rows.sort(
        key=lambda row: (models.index(row["judge"]), row["generator"], row["rubric_id"] or "", row["trial"])
    )
    rows_by_key: Keyed = {}
    for row in rows:
        row["run_facts"] = runs.get((row["run_id"], row["judge"]), ())
        key = names if of_rubrics else names[:1]
        rows_by_key.setdefault(tuple(row[name] for name in key), []).append(row)
    return rows_by_key


def passed_or_failed(met: bool, rubric: Mapping[str, Any]) -> str:
    """Return whether an answer passed a rubric: one that takes points is passed if it is not met."""
    return "passed" if met == ((rubric["points"] or 0) >= 0) else "failed"


def _answer(row: dict[str, Any], rubric: Row | None) -> str | None:
    """Return the verdict of a row, in words."""
    if row["met"] is not None:
        return passed_or_failed(row["met"], rubric or {"points": None})
    if row["score"] is not None:
        return f"score {row['score']:.2f}"
    return None


def _planes(study: "StudyArrays", request: ResolvedSlice, generator: str) -> dict[str, tuple[Bools, Bools]]:
    """Return for each judge which of a generator's rubrics the reference finds met, and which it covers."""
    index, cube = study.index, study.cube(request.selection)
    model = index.models.index(generator)
    if not isinstance(cube, VerdictCube) or model not in cube.generators:
        return {}
    column = int(np.searchsorted(cube.generators, model))
    planes = study.reference_planes(cube, request)
    met, has = (index.layout.unpack(plane[:, column]) for plane in (planes.met, planes.has))
    return {
        index.models[judge]: (met[min(row, len(met) - 1)], has[min(row, len(has) - 1)])
        for row, judge in enumerate(cube.judges)
    }


def _against(answer: str | None, truth: str | None, rubric: dict[str, Any] | None) -> str | None:
    """Return whether a verdict agrees with the reference, overestimates or underestimates."""
    words = ("passed", "failed")
    if rubric is None or answer not in words or truth not in words:
        return None
    if answer == truth:
        return "agrees"
    return "overestimates" if answer == "passed" else "underestimates"
