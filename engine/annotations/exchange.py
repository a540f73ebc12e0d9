"""Labels as rows of a study: its tables `annotations`, `references` and `preferences`."""

import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import sqlalchemy as sa

from engine.annotations.database import Database
from engine.annotations.items import Hidden
from engine.annotations.tables import ASSIGNMENTS, DECISIONS, ITEMS, LABELS
from engine.annotations.tasks import PRACTICE, Task, task_of
from engine.cubes.annotations import NO_LABEL, SETTLED
from engine.store import StudyFiles

HUMAN = "human:"
_OUTCOMES = {"generator": 1, "tie": 0, "opponent": -1}
_MET = {"met": True, "not_met": False, NO_LABEL: None}

Row = dict[str, Any]


@dataclass(frozen=True)
class Exported:
    """How many rows a task gave to each table of its study."""

    annotations: int
    references: int
    preferences: int


def annotation_rows(database: Database, task: str) -> list[Row]:
    """Return what counts of a task as rows of the table `annotations`, and decisions as `adjudicated`.

    Practice and gold items of a file, which are of no question of the study, are not among them. Raises
    UsageError for an unknown task.
    """
    about = task_of(database, task)
    later = LABELS.alias("later")
    undone = sa.exists().where(later.c.undoes == LABELS.c.id).correlate(LABELS)
    columns = (ASSIGNMENTS.c.item, ASSIGNMENTS.c.round, LABELS)
    same = (
        LABELS.c.task == ASSIGNMENTS.c.task,
        LABELS.c.annotator == ASSIGNMENTS.c.annotator,
        LABELS.c.place == ASSIGNMENTS.c.place,
    )
    query = sa.select(*columns).select_from(ASSIGNMENTS.join(LABELS, sa.and_(*same)))
    query = query.where(
        LABELS.c.task == task, LABELS.c.act.in_(("label", "skip")), ~undone, ASSIGNMENTS.c.round != PRACTICE
    )
    of_task = sa.select(ITEMS.c.item, ITEMS.c.hidden).where(ITEMS.c.task == task, ITEMS.c.role == "item")
    settled = sa.select(DECISIONS).where(DECISIONS.c.task == task).order_by(DECISIONS.c.id)
    with database.read() as connection:
        items = {row.item: Hidden.of(row.hidden) for row in connection.execute(of_task)}
        said = connection.execute(query.order_by(LABELS.c.id)).all()
        decided = connection.execute(settled).all()
    latest = {(row.annotator, row.item, row.round): row for row in said if row.item in items}
    rows = [_row(about, items[row.item], row.annotator, row.round, row) for row in latest.values()]
    last = {row.item: row for row in decided if row.item in items}
    return rows + [
        _row(about, items[row.item], SETTLED, 1, row) for row in last.values() if row.value is not None
    ]


def export_task(database: Database, task: str, files: StudyFiles) -> Exported:
    """Write a task's labels into its study, in the place of those written of it before.

    Verdicts and scores of rubrics also become references, preferences become preferences, both from the
    source `human:<annotator>`, with those of this person on other questions left as they are. Raises what
    `StudyFiles.replace_table` raises, and then the labels are still in the database.
    """
    rows = annotation_rows(database, task)
    kept = [row for row in files.table("annotations").to_pylist() if row["task"] != task]
    references = _latest(_reference(row) for row in rows if row["kind"] in ("rubric_verdict", "score"))
    preferences = _latest(_preference(row) for row in rows if row["kind"] == "preference")
    files = files.replace_table("annotations", pa.Table.from_pylist(kept + rows)) if kept or rows else files
    for name, new in (("references", references), ("preferences", preferences)):
        if new:
            files = files.replace_table(name, _joined(files, name, list(new.values())))
    return Exported(len(rows), len(references), len(preferences))


def _row(task: Task, hidden: Hidden, annotator: str, round_: int, said: Any) -> Row:
    value = said.value
    models = (*hidden.models, None, None)
    if task.kind == "clusters":
        value = None if value is None else json.dumps(dict(zip(hidden.models, value, strict=True)))
        models = (None, None)
    elif task.kind == "score" and value is not None:
        value = f"{value:g}"
    return {
        "annotator": annotator,
        "task": task.name,
        "item": said.item,
        "round": round_,
        "kind": task.kind,
        "instance_id": hidden.instance_id,
        "generator": models[0],
        "opponent": models[1],
        "rubric_id": hidden.rubric_id,
        "value": value,
        "confidence": getattr(said, "confidence", None),
        "reason": said.reason,
        "comment": getattr(said, "comment", None),
        "seconds": getattr(said, "seconds", None),
        "created_at": said.created_at,
    }


def _reference(row: Row) -> Row | None:
    if row["round"] != 1 or row["value"] is None:
        return None
    keys = {name: row[name] for name in ("instance_id", "generator", "rubric_id")}
    source = {"source": HUMAN + row["annotator"]}
    if row["kind"] == "score":
        return keys | source | {"met": None, "score": float(row["value"])}
    return keys | source | {"met": _MET[row["value"]], "score": None}


def _preference(row: Row) -> Row | None:
    if row["round"] != 1 or row["value"] is None:
        return None
    keys = {name: row[name] for name in ("instance_id", "generator", "opponent")}
    return keys | {"source": HUMAN + row["annotator"], "outcome": _OUTCOMES[row["value"]]}


def _latest(rows: Any) -> dict[tuple[Any, ...], Row]:
    found = {}
    for row in rows:
        if row is not None:
            found[_key(row)] = row
    return found


def _key(row: Row) -> tuple[Any, ...]:
    names = ("instance_id", "generator", "opponent", "rubric_id", "source")
    return tuple(row[name] for name in names if name in row)


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
