"""One judgment with everything around it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from engine.conversation import Message, conversation
from engine.cubes.arrow import encode
from engine.cubes.verdicts import VerdictCube
from engine.drill.calls import CALL, Facts, runs_of, whole_answers
from engine.drill.listing import relation
from engine.drill.texts import row_of, text_of
from engine.request import Request

if TYPE_CHECKING:
    from engine.arrays import StudyArrays


@dataclass(frozen=True)
class Said:
    """What one judge said: one stored row. `against` sets it beside the reference, None without one.

    `raw` is all that the model said, where it is stored; `asked` is what the study holds of the run; `call`
    identifies what was asked, see `prompt`.
    """

    judge: str
    family: str
    relation: str
    status: str
    answer: str | None
    against: str | None
    explanation: str | None
    raw: str | None
    shown: str | None
    run_id: str
    trial: int
    asked: Facts
    call: Mapping[str, Any]


@dataclass(frozen=True)
class Item:
    """What was judged, the truth taken for it, and what every judge said; None for what is not stored."""

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
    said: tuple[Said, ...]


def item(
    study: "StudyArrays",
    request: Request,
    *,
    instance_id: str,
    generator: str,
    rubric_id: str | None = None,
    opponent: str | None = None,
) -> Item:
    """Return the item that a row of `rows` points at, with every judge's stored rows for it.

    `request` is that of the listing; its reference is the one beside which verdicts are set.
    """
    about = row_of(study, "instances", ("prompt", "context", "reference_answer"), instance_id=instance_id)
    transform = request.selection.transform

    def response(model: str | None) -> str | None:
        if model is None:
            return None
        return text_of(
            study, "responses", "text", instance_id=instance_id, generator=model, transform=transform
        )

    rubric = _rubric(study, instance_id, rubric_id)
    return Item(
        instance_id=instance_id,
        messages=conversation(about["prompt"]),
        context=about["context"],
        reference_answer=about["reference_answer"],
        generator=generator,
        response=response(generator),
        opponent=opponent,
        opponent_response=response(opponent),
        rubric=rubric,
        references=_references(study, instance_id, generator, rubric_id),
        said=_said(study, request, instance_id, generator, rubric, opponent),
    )


def _rubric(study: "StudyArrays", instance_id: str, rubric_id: str | None) -> dict[str, Any] | None:
    if rubric_id is None:
        return None
    columns = ("criterion", "points", "axis", "theme", "length", "checker")
    found = row_of(study, "rubrics", columns, instance_id=instance_id, rubric_id=rubric_id)
    if found["theme"] is None:
        found["theme"] = text_of(study, "instances", "theme", instance_id=instance_id)
    return {"rubric_id": rubric_id} | found


def _references(
    study: "StudyArrays", instance_id: str, generator: str, rubric_id: str | None
) -> tuple[tuple[str, str], ...]:
    """Return each source with its word on the rubric: `met`, `not met`, a score, or `could not tell`."""
    if rubric_id is None:
        return ()
    where = {"instance_id": (instance_id,), "generator": (generator,), "rubric_id": (rubric_id,)}
    found = study.files.table("references", ("source", "met", "score"), where).to_pylist()
    return tuple((str(row["source"]), _answer(row) or "could not tell") for row in found)


def _answer(row: dict[str, Any]) -> str | None:
    """Return what a row says, in a word."""
    if row["met"] is not None:
        return "met" if row["met"] else "not met"
    if row["score"] is not None:
        return f"score {row['score']:.2f}"
    return None


def _said(
    study: "StudyArrays",
    request: Request,
    instance_id: str,
    generator: str,
    rubric: dict[str, Any] | None,
    opponent: str | None,
) -> tuple[Said, ...]:
    """Return the stored rows of the item, judges in the order of the study's models."""
    sides = (generator,) if opponent is None else (generator, opponent)
    where: dict[str, Any] = {**request.selection.where(), "instance_id": (instance_id,), "generator": sides}
    if rubric is not None:
        where["rubric_id"] = (rubric["rubric_id"],)
    if request.paradigm == "pairwise":
        where["opponent"] = sides
    columns = [*CALL, "met", "score", "choice", "status", "explanation", "raw"]
    models = study.index.models
    found = study.files.judgments(columns, where).to_pylist()
    whole_answers(study, found)
    found.sort(
        key=lambda row: (models.index(row["judge"]), row["generator"], row["rubric_id"] or "", row["trial"])
    )
    truths = {} if rubric is None else _truths(study, request, instance_id, generator, rubric["rubric_id"])
    runs = runs_of(study, request)
    for row in found:
        row["asked"] = runs.get((row["run_id"], row["judge"]), ())
    return tuple(_one(study, request, row, generator, rubric, truths.get(row["judge"])) for row in found)


def _truths(
    study: "StudyArrays", request: Request, instance_id: str, generator: str, rubric_id: str
) -> dict[str, str]:
    """Return the reference's word on the rubric for each judge it holds for, `met` or `not met`."""
    index, cube = study.index, study.cube(request.selection)
    model = index.models.index(generator)
    if not isinstance(cube, VerdictCube) or model not in cube.generators:
        return {}
    instance = encode(pa.chunked_array([[instance_id]]), index.instances)
    rubric = int(index.rubric_positions(instance, pa.chunked_array([[rubric_id]]))[0])
    column = int(np.searchsorted(cube.generators, model))
    planes = study.reference_planes(cube, request)
    met, has = (index.layout.unpack(plane[:, column])[:, rubric] for plane in (planes.met, planes.has))
    return {
        index.models[judge]: "met" if met[min(row, len(met) - 1)] else "not met"
        for row, judge in enumerate(cube.judges)
        if has[min(row, len(has) - 1)]
    }


def _one(
    study: "StudyArrays",
    request: Request,
    row: dict[str, Any],
    generator: str,
    rubric: dict[str, Any] | None,
    truth: str | None,
) -> Said:
    index = study.index
    judge = index.models.index(row["judge"])
    answer = _answer(row)
    if row["choice"] is not None:
        answer = "tie" if row["choice"] == "tie" else f"{row[row['choice']]} is better"
    shown = None
    if row["first"] in ("generator", "opponent"):
        shown = f"{row[row['first']]} shown first"
    elif rubric is None and row["opponent"] is None:
        shown = f"on {row['generator']}" + (f", {row['rubric_id']}" if row["rubric_id"] else "")
    return Said(
        judge=row["judge"],
        family=index.model_fields["family"][judge],
        relation=relation(index, request, judge, index.models.index(generator)),
        status=row["status"],
        answer=answer if row["status"] == "ok" else None,
        against=_against(answer, truth, rubric) if row["status"] == "ok" else None,
        explanation=row["explanation"],
        raw=row["raw"],
        shown=shown,
        run_id=row["run_id"],
        trial=row["trial"],
        asked=row["asked"],
        call={name: row[name] for name in CALL},
    )


def _against(answer: str | None, truth: str | None, rubric: dict[str, Any] | None) -> str | None:
    """Return whether a verdict agrees with the reference, credits more, or credits less."""
    words = ("met", "not met")
    if rubric is None or answer not in words or truth not in words:
        return None
    if answer == truth:
        return "agrees"
    favourable = (answer == "met") == ((rubric["points"] or 0) >= 0)
    return "overestimates" if favourable else "underestimates"
