"""The annotator's side: what comes next, and what was said of it.

Nothing returned here names a model, a verdict or an automatic label: only `items.payload` and, of practice
items after an answer, `items.feedback` are read. An item is known by its place in the annotator's own order,
so that neither its name nor its round is seen. A label is committed when the function returns.
"""

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from engine.annotations.database import Database, now
from engine.annotations.items import Texts
from engine.annotations.sides import answers, as_shown, unshuffled
from engine.annotations.tables import ASSIGNMENTS, ITEMS, LABELS, TASKS
from engine.annotations.tasks import PRACTICE
from engine.errors import UsageError, unknown

SURE = ("certain", "likely", "guess")
SKIP_REASONS = ("cannot_judge", "broken_text", "harmful", "other")
RECENT = 20
"""The labels that pace is the median of."""

_LATER = LABELS.alias("later")
_COUNTS = sa.and_(
    LABELS.c.act.in_(("label", "skip")), ~sa.exists().where(_LATER.c.undoes == LABELS.c.id).correlate(LABELS)
)


@dataclass(frozen=True)
class Shown:
    """An item as one annotator sees it: responses in the order of their screen.

    `answers` can be chosen by key (none for clusters: a level for each response). `answer` is what the
    annotator said before, `skipped` the reason for which it was skipped.
    """

    task: str
    place: int
    kind: str
    texts: Texts
    answers: tuple[Any, ...]
    practice: bool
    answer: Any = None
    confidence: str | None = None
    comment: str | None = None
    skipped: str | None = None


@dataclass(frozen=True)
class Saved:
    """A committed label. `repeated`: the submission had come before, and nothing was added.

    Of practice items `expected` is the right answer as on the annotator's screen, and `explanation` why.
    """

    place: int
    repeated: bool
    expected: Any = None
    explanation: str | None = None


@dataclass(frozen=True)
class Progress:
    """How far an annotator is, practice apart: `done` of `total`, `skipped` of these.

    `seconds_each` is the median of the latest labels, `seconds_left` what remains at this pace; None before
    the first one.
    """

    done: int
    total: int
    skipped: int
    seconds_each: float | None
    seconds_left: float | None


@dataclass(frozen=True)
class OwnTask:
    """A task as an annotator sees it."""

    name: str
    title: str
    kind: str
    guidelines: str
    closed: bool


def own_tasks(database: Database, annotator: str) -> list[OwnTask]:
    """Return the tasks in which the annotator has items, oldest first."""
    mine = sa.select(ASSIGNMENTS.c.task).where(ASSIGNMENTS.c.annotator == annotator)
    columns = (TASKS.c.name, TASKS.c.title, TASKS.c.kind, TASKS.c.guidelines, TASKS.c.closed)
    query = sa.select(*columns).where(TASKS.c.name.in_(mine)).order_by(TASKS.c.created_at, TASKS.c.name)
    with database.read() as connection:
        return [OwnTask(*row) for row in connection.execute(query)]


def next_item(database: Database, task: str, annotator: str) -> Shown | None:
    """Return the first item without a label or skip, the same on every machine; None when all are done."""
    waiting = ~sa.exists().where(_at(ASSIGNMENTS.c.place, task, annotator), _COUNTS).correlate(ASSIGNMENTS)
    query = sa.select(sa.func.min(ASSIGNMENTS.c.place)).where(_own(task, annotator), waiting)
    with database.read() as connection:
        place = connection.execute(query).scalar()
        return None if place is None else _shown(connection, task, annotator, place)


def item_at(database: Database, task: str, annotator: str, place: int) -> Shown:
    """Return the item at a place with what was said of it; UsageError where the annotator has none there."""
    with database.read() as connection:
        return _shown(connection, task, annotator, place)


def back(database: Database, task: str, annotator: str, place: int) -> Shown | None:
    """Return the item before a place, with what was said of it; None before the first one."""
    before = sa.select(sa.func.max(ASSIGNMENTS.c.place))
    with database.read() as connection:
        found = connection.execute(before.where(_own(task, annotator), ASSIGNMENTS.c.place < place)).scalar()
        return None if found is None else _shown(connection, task, annotator, found)


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
        shown = _shown(connection, task, annotator, place)
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
            return _shown(connection, task, annotator, sent.place)
        mine = sa.and_(LABELS.c.task == task, LABELS.c.annotator == annotator)
        query = sa.select(LABELS.c.id, LABELS.c.place).where(mine, _COUNTS).order_by(LABELS.c.id.desc())
        latest = connection.execute(query.limit(1)).first()
        if latest is None:
            return None
        row = {"task": task, "annotator": annotator, "place": latest.place, "act": "undo"}
        _add(connection, row | {"submission": submission, "undoes": latest.id})
        return _shown(connection, task, annotator, latest.place)


def progress(database: Database, task: str, annotator: str) -> Progress:
    """Return how far the annotator is, and at which pace."""
    own = sa.and_(_own(task, annotator), ASSIGNMENTS.c.round != PRACTICE)
    here = _at(ASSIGNMENTS.c.place, task, annotator)
    with database.read() as connection:
        total = connection.execute(sa.select(sa.func.count()).where(own)).scalar_one()
        joined = ASSIGNMENTS.join(LABELS, sa.and_(here, _COUNTS))
        rows = sa.select(LABELS.c.place, LABELS.c.act, LABELS.c.seconds).select_from(joined).where(own)
        said = connection.execute(rows.order_by(LABELS.c.id)).all()
    latest = {row.place: row for row in said}
    times = sorted(row.seconds for row in said[-RECENT:] if row.seconds is not None)
    each = None if not times else (times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2
    left = None if each is None else each * (total - len(latest))
    return Progress(len(latest), total, sum(row.act == "skip" for row in latest.values()), each, left)


def _own(task: str, annotator: str) -> sa.ColumnElement[bool]:
    return sa.and_(ASSIGNMENTS.c.task == task, ASSIGNMENTS.c.annotator == annotator)


def _at(place: Any, task: str, annotator: str) -> sa.ColumnElement[bool]:
    return sa.and_(LABELS.c.task == task, LABELS.c.annotator == annotator, LABELS.c.place == place)


def _shown(connection: sa.Connection, task: str, annotator: str, place: int) -> Shown:
    there = ITEMS.c.task == ASSIGNMENTS.c.task, ITEMS.c.item == ASSIGNMENTS.c.item
    source = ASSIGNMENTS.join(ITEMS, sa.and_(*there)).join(TASKS, TASKS.c.name == ASSIGNMENTS.c.task)
    query = sa.select(ITEMS.c.payload, ASSIGNMENTS.c.shown, ASSIGNMENTS.c.round, TASKS.c.kind)
    own = sa.and_(_own(task, annotator), ASSIGNMENTS.c.place == place)
    found = connection.execute(query.select_from(source).where(own)).first()
    if found is None:
        raise UsageError(
            f"{annotator!r} has no item at place {place!r} of the task {task!r}; open the task anew"
        )
    said = connection.execute(
        sa.select(LABELS).where(_at(place, task, annotator), _COUNTS).order_by(LABELS.c.id.desc()).limit(1)
    ).first()
    texts = Texts.of(found.payload)
    item = Shown(
        task=task,
        place=place,
        kind=found.kind,
        texts=replace(texts, responses=tuple(texts.responses[k] for k in found.shown)),
        answers=answers(found.kind, [score for score, _ in texts.options]),
        practice=found.round == PRACTICE,
    )
    if said is None:
        return item
    return replace(
        item,
        answer=as_shown(found.kind, said.value, found.shown),
        confidence=said.confidence,
        comment=said.comment,
        skipped=said.reason,
    )


def _order(connection: sa.Connection, task: str, annotator: str, place: int) -> list[int]:
    query = sa.select(ASSIGNMENTS.c.shown).where(_own(task, annotator), ASSIGNMENTS.c.place == place)
    return list(connection.execute(query).scalar_one())


def _feedback(connection: sa.Connection, task: str, annotator: str, place: int) -> dict[str, Any]:
    there = ITEMS.c.task == ASSIGNMENTS.c.task, ITEMS.c.item == ASSIGNMENTS.c.item
    query = sa.select(ITEMS.c.feedback).select_from(ASSIGNMENTS.join(ITEMS, sa.and_(*there)))
    own = _own(task, annotator), ASSIGNMENTS.c.place == place
    return dict(connection.execute(query.where(*own)).scalar_one())


def _told(
    database: Database, task: str, annotator: str, place: int, submission: str, row: dict[str, Any]
) -> Saved:
    with database.write() as connection:
        _shown(connection, task, annotator, place)
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
