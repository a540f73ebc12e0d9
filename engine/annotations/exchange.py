"""Labels as rows of a study: its tables `annotations`, `references` and `preferences`."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.annotations.counted import Counted, Decision, counted, decisions, hidden_of
from engine.annotations.database import Database
from engine.annotations.items import Hidden
from engine.annotations.tasks import Task, task_of
from engine.cubes.annotations import NO_LABEL, SETTLED
from engine.store import StudyFiles
from engine.store.collected import exchange_table

HUMAN = "human:"
_OUTCOMES = {"generator": 1, "tie": 0, "opponent": -1}
_MET = {"met": True, "not_met": False, NO_LABEL: None}

Row = dict[str, Any]


@dataclass(frozen=True)
class Exported:
    """How many rows each table of the study was given."""

    annotations: int
    references: int
    preferences: int


def annotation_rows(database: Database, task: str) -> list[Row]:
    """Return what counts of a task as rows of the table `annotations`, and decisions as `adjudicated`.

    Practice and gold items of a file, which are of no question of the study, are not among them. Raises
    UsageError for an unknown task.
    """
    about = task_of(database, task)
    items = hidden_of(database, task, "item")
    rows = [_row(about, items[said.item], said) for said in counted(database, task) if said.item in items]
    settled = decisions(database, task).values()
    return rows + [_row(about, items[each.item], each) for each in settled if each.item in items]


def export_task(database: Database, task: str, files: StudyFiles) -> Exported:
    """Write a task's labels into its study, in the place of those written of it before.

    Raises what `join_rows` raises, and then the labels are still in the database.
    """
    rows = annotation_rows(database, task)
    kept = [row for row in files.table("annotations").to_pylist() if row["task"] != task]
    return join_rows(files, kept, rows)


def join_rows(files: StudyFiles, kept: Sequence[Row], rows: Sequence[Row]) -> Exported:
    """Make `kept` and `rows` the study's annotations, and say how many rows came.

    Verdicts and scores of rubrics among `rows` also become references, preferences become preferences, both
    from the source `human:<annotator>`, with those of this person on other questions left as they are. Raises
    BadInputError for rows that an import would refuse, and StoreError where the study cannot be written.
    """
    references = _latest(_reference(row) for row in rows if row["kind"] in ("rubric_verdict", "score"))
    preferences = _latest(_preference(row) for row in rows if row["kind"] == "preference")
    if kept or rows:
        files = files.replace_table("annotations", exchange_table("annotations", _written([*kept, *rows])))
    for name, new in (("references", references), ("preferences", preferences)):
        if new:
            files = files.replace_table(name, _joined(files, name, list(new.values())))
    return Exported(len(rows), len(references), len(preferences))


def _written(rows: Sequence[Row]) -> list[Row]:
    """Return rows with times that were read from the store as texts, as all others are."""
    return [
        row | {"created_at": row["created_at"].isoformat()}
        if hasattr(row.get("created_at"), "isoformat")
        else row
        for row in rows
    ]


def _row(task: Task, hidden: Hidden, said: Counted | Decision) -> Row:
    """Return a label, or a decision as the label of `adjudicated`, as a row."""
    value, models = said.value, (*hidden.models, None, None)
    if task.kind == "clusters":
        value = None if value is None else json.dumps(dict(zip(hidden.models, value, strict=True)))
        models = (None, None)
    elif task.kind == "score" and value is not None:
        value = f"{value:g}"
    by_whom: Row = {"annotator": SETTLED, "round": 1, "confidence": None, "comment": None, "seconds": None}
    if isinstance(said, Counted):
        by_whom = {name: getattr(said, name) for name in by_whom}
    return by_whom | {
        "task": task.name,
        "item": said.item,
        "kind": task.kind,
        "instance_id": hidden.instance_id,
        "generator": models[0],
        "opponent": models[1],
        "rubric_id": hidden.rubric_id,
        "value": value,
        "reason": said.reason,
        "created_at": said.created_at,
    }


def _reference(row: Row) -> Row | None:
    if row["round"] != 1 or row["value"] is None or row["rubric_id"] is None:
        return None
    keys = {name: row[name] for name in ("instance_id", "generator", "rubric_id")}
    source = {"source": HUMAN + row["annotator"]}
    if row["kind"] == "score":
        return keys | source | {"met": None, "score": float(row["value"])}
    return keys | source | {"met": _MET[row["value"]], "score": None}


def _preference(row: Row) -> Row | None:
    if row["round"] != 1 or row["value"] is None or row["generator"] is None:
        return None
    keys = {name: row[name] for name in ("instance_id", "generator", "opponent")}
    return keys | {"source": HUMAN + row["annotator"], "outcome": _OUTCOMES[row["value"]]}


def _latest(rows: Iterable[Row | None]) -> dict[tuple[Any, ...], Row]:
    return {_key(row): row for row in rows if row is not None}


def _key(row: Row) -> tuple[Any, ...]:
    if "opponent" in row:  # a pair is the same whichever way round it stands
        return row["instance_id"], row["source"], frozenset((row["generator"], row["opponent"]))
    return row["instance_id"], row["source"], row["generator"], row["rubric_id"]


def _joined(files: StudyFiles, name: str, new: list[Row]) -> pa.Table:
    """Return a table with new rows in the place of those of the same key; the others are not unpacked."""
    there = files.table(name)
    plain = {
        column: there[column].cast(pa.string())
        if pa.types.is_dictionary(there.schema.field(column).type)
        else there[column]
        for column in there.column_names
    }
    kept = pa.table(plain)
    ours = pc.is_in(kept["source"], value_set=pa.array(sorted({row["source"] for row in new})))
    mine = kept.filter(ours).to_pylist()
    others = [row for row in mine if _key(row) not in {_key(each) for each in new}]
    added = pa.Table.from_pylist(others + new, schema=kept.schema)
    return pa.concat_tables([kept.filter(pc.invert(ours)), added])
