"""The prompt of a stored judgment, put together again from the study's texts and its template."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from engine.collect.calls import CallRequest, Message, Subject
from engine.collect.paradigms import ask
from engine.collect.paradigms.templates import Kind, MissingTextError, Template
from engine.collect.subjects import in_order
from engine.collect.texts import Library, texts_of
from engine.schema import TRAITS, shown_models

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The messages that a judge was sent; None with the reason where they cannot be told."""

    messages: tuple[Message, ...] | None
    reason: str | None = None


def rebuild(library: Library, judgment: Row) -> Rebuilt:
    """Return the prompt of a judgment row.

    It is told only where it must be the same: the template is stored with the study and the request that is
    made anew has the row's call_id. The texts are those that the study holds now.
    """
    template = _template(library, judgment)
    if isinstance(template, str):
        return Rebuilt(None, template)
    request = _request(library, judgment)
    if request.key != judgment["call_id"]:
        return Rebuilt(None, "the study's rubrics are not those that were shown")
    try:
        return Rebuilt(tuple(ask(request, template, texts_of(library, request))))
    except MissingTextError as error:
        return Rebuilt(None, f"the study has no text for {error.slot}")


def _template(library: Library, judgment: Row) -> Template | str:
    wanted = {name: judgment[name] for name in ("run_id", "paradigm", "variant")}
    wanted |= {"model": judgment["judge"], "role": "judge"}
    runs = _rows(library.study.table("runs"), wanted)
    sha256 = runs[0]["template_sha256"] if runs else None
    if sha256 is None:
        return "the study does not say which template its run used"
    stored = _rows(library.study.table("templates"), {"template_sha256": sha256})
    if not stored:
        return "the study does not hold its template"
    kind = cast("Kind", judgment["paradigm"])
    template = Template(kind, judgment["variant"], runs[0]["template"] or "", stored[0]["text"])
    return template if template.sha256 == sha256 else "the template in the study has been changed"


def _rows(table: pa.Table, wanted: Mapping[str, str]) -> list[dict[str, Any]]:
    for name, value in wanted.items():
        table = table.filter(pc.equal(table[name].cast(pa.string()), value))
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _request(library: Library, judgment: Row) -> CallRequest:
    listed = shown_models(judgment["ordering"]) if TRAITS[judgment["paradigm"]].of_lists else None
    subject = Subject(
        instance_id=judgment["instance_id"],
        generator=listed[0] if listed else judgment["generator"],
        opponent=judgment["opponent"],
        first=judgment["first"],
        transform=judgment["transform"],
        rubric_ids=_rubric_ids(library, judgment),
        ordering=judgment["ordering"],
        trial=judgment["trial"],
    )
    return CallRequest("judge", judgment["judge"], judgment["paradigm"], judgment["variant"], subject)


def _rubric_ids(library: Library, judgment: Row) -> tuple[str, ...]:
    traits = TRAITS[judgment["paradigm"]]
    if traits.one_rubric_a_call:
        return (judgment["rubric_id"],)
    if "rubrics" not in traits.needs:
        return ()
    names = tuple(rubric.rubric_id for rubric in library.criteria(judgment["instance_id"]))
    return in_order(names, judgment["ordering"] or "original")
