"""Checking a run's responses by programs before they are judged: pairs can be drawn by what is right."""

from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from engine.checkers.programs import CORRECT, STRICT
from engine.checkers.run import check_study
from engine.collect.locks.study_locks import write_lock
from engine.paradigms import NO_ANSWER
from engine.store import Store
from engine.store.study_files import StudyFiles

Checking = Literal["rubrics", "exact", "choice", "boxed"]
"""What decides the responses: the checkers that rubrics name, or a verifier of reference answers."""


def check_collected(store: Store, study: StudyFiles, checking: Checking) -> None:
    """Write the references of all responses if one has none yet; raises the errors of `check_study`."""
    with write_lock(store, study.name):
        study = StudyFiles(study.location)
        verifier = None if checking == "rubrics" else checking
        if _lacks_references(study, verifier):
            check_study(study, verifier)


def _lacks_references(study: StudyFiles, verifier: str | None) -> bool:
    """Return whether a response with a text, to an instance that can be decided, has no program's verdict."""
    responses = study.table(
        "responses", ("instance_id", "generator", "text", "shortfall"), {"transform": ["none"]}
    )
    answered = pc.and_(
        pc.is_valid(responses["text"]),
        pc.invert(pc.is_in(responses["shortfall"].cast(pa.string()), pa.array(NO_ANSWER))),
    )
    references = study.table("references", ("instance_id", "generator", "rubric_id"), {"source": [STRICT]})
    if verifier is None:
        rubrics = study.table("rubrics", ("instance_id", "checker"))
        decidable = rubrics.filter(pc.is_valid(rubrics["checker"]))["instance_id"]
    else:
        instances = study.table("instances", ("instance_id", "reference_answer"))
        decidable = instances.filter(pc.is_valid(instances["reference_answer"]))["instance_id"]
        references = references.filter(pc.equal(references["rubric_id"].cast(pa.string()), CORRECT))
    names = set(decidable.to_pylist())
    pairs = _pairs(responses.filter(answered))
    return any(pair[0] in names for pair in pairs - _pairs(references))


def _pairs(table: pa.Table) -> set[tuple[str, str]]:
    columns = (table[name].to_pylist() for name in ("instance_id", "generator"))
    return set(zip(*columns, strict=True))
