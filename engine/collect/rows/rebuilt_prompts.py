"""The prompt of a stored judgment, rebuilt from the study's texts and its template."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.collect.calls import Message
from engine.collect.paradigms import ask
from engine.collect.paradigms.templates import MissingTextError, Template
from engine.collect.plan.study_texts import Library, texts_of
from engine.collect.plan.subjects import request_of_row

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RebuiltPrompt:
    """The messages that a judge was sent, or None with the reason why they are unknown."""

    messages: tuple[Message, ...] | None
    reason: str | None = None


def rebuild(library: Library, judgment: Row) -> RebuiltPrompt:
    """Return the prompt of a judgment row.

    It is returned only if it must be the same: the template is stored with the study, and the rebuilt request
    has the row's call_id. The texts are the study's current ones.
    """
    template = _template(library, judgment)
    if isinstance(template, str):
        return RebuiltPrompt(None, template)
    request = request_of_row(library, judgment)
    if request is None:
        return RebuiltPrompt(None, "the study's criteria are not those that were shown")
    try:
        return RebuiltPrompt(tuple(ask(request, template, texts_of(library, request))))
    except MissingTextError as error:
        return RebuiltPrompt(None, f"the study has no text for {error.slot}")


def _template(library: Library, judgment: Row) -> Template | str:
    conditions = {name: judgment[name] for name in ("run_id", "paradigm", "variant")}
    conditions |= {"model": judgment["judge"], "role": "judge"}
    runs = _rows(library.study.table("runs"), conditions)
    sha256 = runs[0]["template_sha256"] if runs else None
    if sha256 is None:
        return "the study does not say which template its run used"
    stored = _rows(library.study.table("templates"), {"template_sha256": sha256})
    if not stored:
        return "the study does not have its template"
    file, text = runs[0]["template"] or "", stored[0]["text"]
    template = Template(judgment["paradigm"], judgment["variant"], file, text)
    return template if template.sha256 == sha256 else "the template in the study has been changed"


def _rows(table: pa.Table, conditions: Mapping[str, str]) -> list[dict[str, Any]]:
    for name, value in conditions.items():
        table = table.filter(pc.equal(table[name].cast(pa.string()), value))
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows
