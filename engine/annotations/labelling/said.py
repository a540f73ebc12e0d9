"""What an annotator says of an item: committed when a function returns, and only ever added to."""

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from engine.annotations.database import Database, now
from engine.annotations.labelling.shown import COUNTS, Shown, of_person, shown_at
from engine.annotations.sides import as_shown, unshuffled
from engine.annotations.tables import ASSIGNMENTS, ITEMS, LABELS, TASKS
from engine.errors import UsageError, unknown

SURE = ("certain", "likely", "guess")
SKIP_REASONS = ("cannot_judge", "broken_text", "harmful", "other")


@dataclass(frozen=True)
class Saved:
    """A committed label. `repeated`: the submission had come before, and nothing was added.

    Of practice items `expected` is the right answer as on the annotator's screen, and `explanation` why.
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
) -> Saved:
    """Commit a label. `submission` is made by the client, anew for each label; a repeat adds nothing.

    An earlier label of the place stays in the history; the latest counts. Raises UsageError for an answer
    that is none, a place that is not the annotator's, or a closed task.
    """
    if confidence is not None and confidence not in SURE:
        raise unknown("confidence", confidence, SURE)
    with database.write() as connection:
        shown = shown_at(connection, task, annotator, place)
        order = _order(connection, task, annotator, place)
        try:
            value = unshuffled(shown.kind, answer, order, [score for score, _ in shown.texts.options])
        except ValueError as error:
            raise UsageError(f"task {task!r}, place {place}: the answer is {error}") from None
        added = _add(
            connection,
            {"submission": submission, "task": task, "annotator": annotator, "place": place, "act": "label"}
            | {"value": value, "confidence": confidence, "comment": comment, "seconds": seconds},
        )
        saved = Saved(place, repeated=not added)
        if not shown.practice:
            return saved
        feedback = _feedback(connection, task, annotator, place)
        expected = as_shown(shown.kind, feedback["value"], order)
        return replace(saved, expected=expected, explanation=feedback["explanation"])


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
) -> Saved:
    """Commit that an item was skipped, and why; raises as `save` does."""
    if reason not in SKIP_REASONS:
        raise unknown("reason to skip", reason, SKIP_REASONS)
    row = {"act": "skip", "reason": reason, "comment": comment, "seconds": seconds}
    return _told(database, task, annotator, place, submission, row)


def report(
    database: Database, task: str, annotator: str, place: int, comment: str, *, submission: str
) -> Saved:
    """Commit a report of harmful content to the coordinator; the item still waits for a label or a skip."""
    return _told(database, task, annotator, place, submission, {"act": "report", "comment": comment})


def undo(database: Database, task: str, annotator: str, *, submission: str) -> Shown | None:
    """Take back the latest label or skip and return its item; None where there is nothing to take back.

    A repeated submission takes nothing more back. What stood at the place before counts again.
    """
    with database.write() as connection:
        sent = connection.execute(sa.select(LABELS).where(LABELS.c.submission == submission)).first()
        if sent is not None:
            _check_sent(sent, {"task": task, "annotator": annotator, "act": "undo"}, submission)
            return shown_at(connection, task, annotator, sent.place)
        mine = sa.and_(LABELS.c.task == task, LABELS.c.annotator == annotator)
        query = sa.select(LABELS.c.id, LABELS.c.place).where(mine, COUNTS).order_by(LABELS.c.id.desc())
        latest = connection.execute(query.limit(1)).first()
        if latest is None:
            return None
        row = {"task": task, "annotator": annotator, "place": latest.place, "act": "undo"}
        _add(connection, row | {"submission": submission, "undoes": latest.id})
        return shown_at(connection, task, annotator, latest.place)


def _order(connection: sa.Connection, task: str, annotator: str, place: int) -> list[int]:
    query = sa.select(ASSIGNMENTS.c.shown).where(of_person(task, annotator), ASSIGNMENTS.c.place == place)
    return list(connection.execute(query).scalar_one())


def _feedback(connection: sa.Connection, task: str, annotator: str, place: int) -> dict[str, Any]:
    there = ITEMS.c.task == ASSIGNMENTS.c.task, ITEMS.c.item == ASSIGNMENTS.c.item
    query = sa.select(ITEMS.c.feedback).select_from(ASSIGNMENTS.join(ITEMS, sa.and_(*there)))
    own = of_person(task, annotator), ASSIGNMENTS.c.place == place
    return dict(connection.execute(query.where(*own)).scalar_one())


def _told(
    database: Database, task: str, annotator: str, place: int, submission: str, row: dict[str, Any]
) -> Saved:
    with database.write() as connection:
        shown_at(connection, task, annotator, place)
        key = {"submission": submission, "task": task, "annotator": annotator, "place": place}
        return Saved(place, repeated=not _add(connection, key | row))


def _add(connection: sa.Connection, row: dict[str, Any]) -> bool:
    """Add a row of the history; False where its submission is there already."""
    closed = sa.select(TASKS.c.closed).where(TASKS.c.name == row["task"])
    if connection.execute(closed).scalar_one():
        raise UsageError(f"the task {row['task']!r} is closed; ask its coordinator to open it")
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    adding = insert(LABELS).values(row | {"created_at": now()})
    once = adding.on_conflict_do_nothing(index_elements=["submission"]).returning(LABELS.c.id)
    if connection.execute(once).first() is not None:
        return True
    sent = connection.execute(sa.select(LABELS).where(LABELS.c.submission == row["submission"])).one()
    wanted = {name: row[name] for name in ("task", "annotator", "place", "act")}
    _check_sent(sent, wanted, row["submission"])
    return False


def _check_sent(sent: Any, wanted: dict[str, Any], submission: str) -> None:
    if any(getattr(sent, name) != value for name, value in wanted.items()):
        raise UsageError(f"the submission {submission!r} was made for another label; make a new id for each")
