"""What an annotator submits: committed when a function returns, and never changed or deleted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from engine.annotations.counted_labels import EffectiveLabel
from engine.annotations.database import Database, now
from engine.annotations.database_tables import ASSIGNMENTS, ITEMS, LABELS, TASKS
from engine.annotations.people import ensure_people
from engine.annotations.shown_items import ASSIGNED, COUNTS, ShownItem, assignments_of, item_at
from engine.annotations.sides import screen_answer, stored_value
from engine.annotations.tasks import Place, Task, assign_labelled
from engine.errors import UsageError, unknown
from engine.wording import command_line

SURE = ("certain", "likely", "guess")
SKIP_REASONS = ("cannot_judge", "broken_text", "harmful", "other")


@dataclass(frozen=True)
class SavedLabel:
    """A committed label. `repeated` says that the submission was there already, and nothing was added.

    For practice items, `expected` is the right answer as on the annotator's screen, and `explanation` why.
    """

    place: int
    repeated: bool
    expected: Any = None
    explanation: str | None = None


def save(
    database: Database,
    task: str,
    annotator: str,
    place: int,
    answer: Any,
    *,
    submission: str,
    confidence: str | None = None,
    comment: str | None = None,
    seconds: float | None = None,
) -> SavedLabel:
    """Commit a label. `submission` is a new id from the client for each label; a repeat adds nothing.

    An earlier label of the place stays in the history; the latest counts. Raises UsageError for an invalid
    answer or confidence, a place that is not the annotator's, or a closed task.
    """
    if confidence is not None and confidence not in SURE:
        raise unknown("confidence", confidence, SURE)
    with database.write() as connection:
        item = item_at(connection, task, annotator, place)
        own = assignments_of(task, annotator), ASSIGNMENTS.c.place == place
        query = sa.select(ASSIGNMENTS.c.shown, ITEMS.c.feedback).select_from(ASSIGNED).where(*own)
        order, feedback = connection.execute(query).one()
        try:
            value = stored_value(item.kind, answer, order, [score for score, _ in item.texts.options])
        except ValueError as error:
            raise UsageError(f"task {task!r}, place {place}: the answer is {error}") from None
        row = {"submission": submission, "task": task, "annotator": annotator, "place": place, "act": "label"}
        row |= {"value": value, "confidence": confidence, "comment": comment, "seconds": seconds}
        label = SavedLabel(place, repeated=not _add(connection, row))
        if not item.practice:
            return label
        expected = screen_answer(item.kind, feedback["value"], order)
        return replace(label, expected=expected, explanation=feedback["explanation"])


def skip(
    database: Database,
    task: str,
    annotator: str,
    place: int,
    reason: str,
    *,
    submission: str,
    comment: str | None = None,
    seconds: float | None = None,
) -> SavedLabel:
    """Commit a skip with its reason; raises the same errors as `save`."""
    if reason not in SKIP_REASONS:
        raise unknown("reason to skip", reason, SKIP_REASONS)
    row = {"act": "skip", "reason": reason, "comment": comment, "seconds": seconds}
    return _save_act(database, task, annotator, place, submission, row)


def report(
    database: Database, task: str, annotator: str, place: int, comment: str, *, submission: str
) -> SavedLabel:
    """Commit a report of harmful content to the coordinator; the item still needs a label or a skip."""
    return _save_act(database, task, annotator, place, submission, {"act": "report", "comment": comment})


def undo(database: Database, task: str, annotator: str, *, submission: str) -> ShownItem | None:
    """Undo the latest label or skip, once for a submission, and return its item; None if there is none."""
    with database.write() as connection:
        repeat = connection.execute(sa.select(LABELS).where(LABELS.c.submission == submission)).first()
        if repeat is not None:
            _check_same(repeat, {"task": task, "annotator": annotator, "act": "undo"}, submission)
            return item_at(connection, task, annotator, repeat.place)
        own = sa.and_(LABELS.c.task == task, LABELS.c.annotator == annotator)
        query = sa.select(LABELS.c.id, LABELS.c.place).where(own, COUNTS).order_by(LABELS.c.id.desc())
        latest = connection.execute(query.limit(1)).first()
        if latest is None:
            return None
        row = {"task": task, "annotator": annotator, "place": latest.place, "act": "undo"}
        _add(connection, row | {"submission": submission, "undoes": latest.id})
        return item_at(connection, task, annotator, latest.place)


def add_labels(
    connection: sa.Connection,
    task: Task,
    labels: Sequence[EffectiveLabel],
    shown: Mapping[str, Sequence[int]],
    left_blank: Sequence[Place] = (),
) -> list[str]:
    """Add labels and skips given elsewhere to a task's history; return the people who are new.

    People are assigned what they labelled and what they `left_blank` (`shown` as in `assign_labelled`). What
    counts already is not added again. Raises UsageError for a closed task or an impossible name.
    """
    if task.closed:
        raise UsageError(
            f"the task {task.name!r} is closed; open it with "
            f"`{command_line('label', 'close', task.name, '--reopen')}`"
        )
    new_people = ensure_people(connection, (label.annotator for label in labels))
    keys = [(label.annotator, label.item, label.round) for label in labels]
    places = assign_labelled(connection, task.name, [*keys, *left_blank], shown)
    columns = LABELS.c.annotator, LABELS.c.place, LABELS.c.act, LABELS.c.value, LABELS.c.comment
    counted = sa.select(*columns).where(LABELS.c.task == task.name, COUNTS).order_by(LABELS.c.id)
    latest = {(row.annotator, row.place): row for row in connection.execute(counted)}
    rows = []
    for key, label in zip(keys, labels, strict=True):
        place, earlier = places[key], latest.get((label.annotator, places[key]))
        act, reason, comment = "label", label.reason, label.comment
        if label.value is None:
            act, reason = "skip", label.reason if label.reason in SKIP_REASONS else "other"
            comment = comment or label.reason
        content = (act, label.value, comment)
        if earlier is not None and (earlier.act, earlier.value, earlier.comment) == content:
            continue
        row = {"submission": uuid4().hex, "task": task.name, "annotator": label.annotator, "place": place}
        row |= {"act": act, "value": label.value, "confidence": label.confidence, "comment": comment}
        row |= {"reason": reason, "seconds": label.seconds, "created_at": now()}
        rows.append(row)
    if rows:
        connection.execute(sa.insert(LABELS), rows)
    return new_people


def _save_act(
    database: Database, task: str, annotator: str, place: int, submission: str, row: dict[str, Any]
) -> SavedLabel:
    with database.write() as connection:
        item_at(connection, task, annotator, place)
        key = {"submission": submission, "task": task, "annotator": annotator, "place": place}
        return SavedLabel(place, repeated=not _add(connection, key | row))


def _add(connection: sa.Connection, row: dict[str, Any]) -> bool:
    """Add a row to the history; False if its submission is there already."""
    closed = sa.select(TASKS.c.closed).where(TASKS.c.name == row["task"])
    if connection.execute(closed).scalar_one():
        raise UsageError(f"the task {row['task']!r} is closed; ask its coordinator to open it")
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    statement = insert(LABELS).values(row | {"created_at": now()})
    addition = statement.on_conflict_do_nothing(index_elements=["submission"]).returning(LABELS.c.id)
    if connection.execute(addition).first() is not None:
        return True
    repeat = connection.execute(sa.select(LABELS).where(LABELS.c.submission == row["submission"])).one()
    expected = {name: row[name] for name in ("task", "annotator", "place", "act")}
    _check_same(repeat, expected, row["submission"])
    return False


def _check_same(repeat: Any, expected: dict[str, Any], submission: str) -> None:
    if any(getattr(repeat, name) != value for name, value in expected.items()):
        raise UsageError(f"the submission {submission!r} was made for another label; make a new id for each")
