"""An annotator's way through a task: the item shown; labels saved, skipped and undone; progress."""

import statistics
from dataclasses import dataclass, fields, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from engine.annotations.people import ASSIGNMENTS, DECISIONS, ITEMS, LABELS, TASKS, Database, now
from engine.annotations.tasks import PRACTICE, Hidden, ItemRole, Texts, answers, screen_answer, stored_value
from engine.errors import UsageError, unknown

_LATER = LABELS.alias("later")
COUNTS = sa.and_(
    LABELS.c.act.in_(("label", "skip")), ~sa.exists().where(_LATER.c.undoes == LABELS.c.id).correlate(LABELS)
)
"""The labels and skips that no later row undoes."""

_ASSIGNED = ASSIGNMENTS.join(
    ITEMS, sa.and_(ITEMS.c.task == ASSIGNMENTS.c.task, ITEMS.c.item == ASSIGNMENTS.c.item)
)


@dataclass(frozen=True)
class ShownItem:
    """An item as one annotator sees it: responses in the order of their screen.

    `answers` are those to choose from (none for clusters, which take a level for each response). `answer` is
    the annotator's earlier answer, `skip_reason` the reason of an earlier skip.
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
    skip_reason: str | None = None


def next_item(database: Database, task: str, annotator: str, after: int = 0) -> ShownItem | None:
    """Return the first item without a label or skip, if any, those after the place `after` first."""
    own_labels = labels_at(ASSIGNMENTS.c.place, task, annotator)
    open_items = ~sa.exists().where(own_labels, COUNTS).correlate(ASSIGNMENTS)
    query = sa.select(ASSIGNMENTS.c.place).where(assignments_of(task, annotator), open_items)
    query = query.order_by(ASSIGNMENTS.c.place).limit(1)
    with database.read() as connection:
        place = connection.execute(query.where(ASSIGNMENTS.c.place > after)).scalar()
        if place is None and after:
            place = connection.execute(query).scalar()
        return None if place is None else item_at(connection, task, annotator, place)


def item_before(database: Database, task: str, annotator: str, place: int | None = None) -> ShownItem | None:
    """Return the item before a place (None: the last of all); None before the first."""
    earlier = sa.true() if place is None else ASSIGNMENTS.c.place < place
    return _item_where(database, task, annotator, sa.func.max(ASSIGNMENTS.c.place), earlier)


def item_after(database: Database, task: str, annotator: str, place: int) -> ShownItem | None:
    later = ASSIGNMENTS.c.place > place
    return _item_where(database, task, annotator, sa.func.min(ASSIGNMENTS.c.place), later)


def _item_where(
    database: Database, task: str, annotator: str, column: Any, condition: sa.ColumnElement[bool]
) -> ShownItem | None:
    query = sa.select(column).where(assignments_of(task, annotator), condition)
    with database.read() as connection:
        place = connection.execute(query).scalar()
        return None if place is None else item_at(connection, task, annotator, place)


def assignments_of(task: str, annotator: str) -> sa.ColumnElement[bool]:
    return sa.and_(ASSIGNMENTS.c.task == task, ASSIGNMENTS.c.annotator == annotator)


def labels_at(place: Any, task: str, annotator: str) -> sa.ColumnElement[bool]:
    return sa.and_(LABELS.c.task == task, LABELS.c.annotator == annotator, LABELS.c.place == place)


def item_at(connection: sa.Connection, task: str, annotator: str, place: int) -> ShownItem:
    """Return the item at a place as the annotator sees it; UsageError if they have none there."""
    source = _ASSIGNED.join(TASKS, TASKS.c.name == ASSIGNMENTS.c.task)
    query = sa.select(ITEMS.c.payload, ASSIGNMENTS.c.shown, ASSIGNMENTS.c.round, TASKS.c.kind)
    own = sa.and_(assignments_of(task, annotator), ASSIGNMENTS.c.place == place)
    row = connection.execute(query.select_from(source).where(own)).first()
    if row is None:
        raise UsageError(
            f"{annotator!r} has no item at place {place!r} of the task {task!r}; open the task anew"
        )
    latest = sa.select(LABELS).where(labels_at(place, task, annotator), COUNTS).order_by(LABELS.c.id.desc())
    label = connection.execute(latest.limit(1)).first()
    earlier: dict[str, Any] = {}
    if label is not None:
        earlier = {"answer": screen_answer(row.kind, label.value, row.shown), "skip_reason": label.reason}
        earlier |= {"confidence": label.confidence, "comment": label.comment}
    texts = Texts.of(row.payload)
    return ShownItem(
        task=task,
        place=place,
        kind=row.kind,
        texts=replace(texts, responses=tuple(texts.responses[k] for k in row.shown)),
        answers=answers(row.kind, [score for score, _ in texts.options]),
        practice=row.round == PRACTICE,
        **earlier,
    )


# ------------------------------------------------------------------------------
# What an annotator submits: committed when a function returns, and never changed or deleted.


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
        query = sa.select(ASSIGNMENTS.c.shown, ITEMS.c.feedback).select_from(_ASSIGNED).where(*own)
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


# ------------------------------------------------------------------------------
# An annotator's progress and pace.


RECENT = 20
"""How many of the latest labels the pace is the median of."""


@dataclass(frozen=True)
class Progress:
    """How far an annotator is, without practice; `seconds_each` is the median time of the latest labels."""

    done: int
    total: int
    skipped: int
    seconds_each: float | None

    @property
    def seconds_left(self) -> float | None:
        return None if self.seconds_each is None else self.seconds_each * (self.total - self.done)


@dataclass(frozen=True)
class OwnTask:
    name: str
    title: str
    kind: str
    guidelines: str
    closed: bool


def own_tasks(database: Database, annotator: str) -> list[OwnTask]:
    """Return the tasks in which the annotator has items, oldest first."""
    own = sa.select(ASSIGNMENTS.c.task).where(ASSIGNMENTS.c.annotator == annotator)
    columns = (TASKS.c.name, TASKS.c.title, TASKS.c.kind, TASKS.c.guidelines, TASKS.c.closed)
    query = sa.select(*columns).where(TASKS.c.name.in_(own)).order_by(TASKS.c.created_at, TASKS.c.name)
    with database.read() as connection:
        return [OwnTask(*row) for row in connection.execute(query)]


def progress(database: Database, task: str, annotator: str) -> Progress:
    own = sa.and_(assignments_of(task, annotator), ASSIGNMENTS.c.round != PRACTICE)
    own_labels = labels_at(ASSIGNMENTS.c.place, task, annotator)
    with database.read() as connection:
        total = connection.execute(sa.select(sa.func.count()).where(own)).scalar_one()
        source = ASSIGNMENTS.join(LABELS, sa.and_(own_labels, COUNTS))
        rows = sa.select(LABELS.c.place, LABELS.c.act).select_from(source).where(own)
        latest = {row.place: row.act for row in connection.execute(rows.order_by(LABELS.c.id))}
    skipped = sum(act == "skip" for act in latest.values())
    return Progress(len(latest), total, skipped, seconds_each(database, task, annotator))


def activity(database: Database, task: str, annotator: str) -> tuple[int, int]:
    """Return how many acts and items the annotator has; `progress`, which is slower, changes with these."""
    number = sa.select(sa.func.count())
    acts = number.where(LABELS.c.task == task, LABELS.c.annotator == annotator)
    items = number.where(assignments_of(task, annotator))
    with database.read() as connection:
        return connection.execute(acts).scalar_one(), connection.execute(items).scalar_one()


def seconds_each(database: Database, task: str, annotator: str) -> float | None:
    own_labels = labels_at(ASSIGNMENTS.c.place, task, annotator)
    source = LABELS.join(ASSIGNMENTS, sa.and_(assignments_of(task, annotator), own_labels))
    timed = LABELS.c.task == task, LABELS.c.annotator == annotator, LABELS.c.seconds.is_not(None)
    query = sa.select(LABELS.c.seconds).select_from(source).where(*timed, COUNTS)
    query = query.where(ASSIGNMENTS.c.round != PRACTICE).order_by(LABELS.c.id.desc()).limit(RECENT)
    with database.read() as connection:
        times = list(connection.execute(query).scalars())
    return statistics.median(times) if times else None


# ------------------------------------------------------------------------------
# What counts in a task: for each person, item and round, the latest label or skip that was not undone.


@dataclass(frozen=True)
class EffectiveLabel:
    """A label, or a skip if `value` is None, not of practice; `round` is 2 for a hidden repeat."""

    annotator: str
    item: str
    round: int
    value: Any
    confidence: str | None
    reason: str | None
    comment: str | None
    seconds: float | None
    created_at: str


@dataclass(frozen=True)
class Decision:
    item: str
    value: Any
    reason: str | None
    by: str
    created_at: str


@dataclass(frozen=True)
class Report:
    item: str
    annotator: str
    harmful: bool
    reason: str | None
    comment: str | None
    created_at: str


_ANSWERS = ASSIGNMENTS.join(
    LABELS,
    sa.and_(
        LABELS.c.task == ASSIGNMENTS.c.task,
        LABELS.c.annotator == ASSIGNMENTS.c.annotator,
        LABELS.c.place == ASSIGNMENTS.c.place,
    ),
)


def effective_labels(database: Database, task: str) -> list[EffectiveLabel]:
    """Return the labels and skips that count, including gold items, in the order of submission."""
    query = sa.select(ASSIGNMENTS.c.item, ASSIGNMENTS.c.round, LABELS).select_from(_ANSWERS)
    of_task = LABELS.c.task == task, COUNTS, ASSIGNMENTS.c.round != PRACTICE
    with database.read() as connection:
        rows = connection.execute(query.where(*of_task).order_by(LABELS.c.id)).all()
    names = [field.name for field in fields(EffectiveLabel)]
    latest = {(row.annotator, row.item, row.round): row for row in rows}
    return [EffectiveLabel(**{name: getattr(row, name) for name in names}) for row in latest.values()]


def decisions(database: Database, task: str) -> dict[str, Decision]:
    columns = [DECISIONS.c[field.name] for field in fields(Decision)]
    query = sa.select(*columns).where(DECISIONS.c.task == task).order_by(DECISIONS.c.id)
    with database.read() as connection:
        latest = {row.item: Decision(*row) for row in connection.execute(query)}
    return {item: decision for item, decision in latest.items() if decision.value is not None}


def hidden_of(database: Database, task: str, role: ItemRole) -> dict[str, Hidden]:
    query = sa.select(ITEMS.c.item, ITEMS.c.hidden).where(ITEMS.c.task == task, ITEMS.c.role == role)
    with database.read() as connection:
        return {row.item: Hidden.of(row.hidden) for row in connection.execute(query.order_by(ITEMS.c.item))}


def reports(database: Database, task: str) -> list[Report]:
    """Return the reports of harmful content, then the skips that count, each latest first."""
    query = sa.select(ASSIGNMENTS.c.item, LABELS).select_from(_ANSWERS)
    query = query.where(LABELS.c.task == task, LABELS.c.act == "report").order_by(LABELS.c.id.desc())
    with database.read() as connection:
        rows = connection.execute(query).all()
    harmful = [Report(row.item, row.annotator, True, None, row.comment, row.created_at) for row in rows]
    skipped = [
        Report(each.item, each.annotator, False, each.reason, each.comment, each.created_at)
        for each in reversed(effective_labels(database, task))
        if each.value is None
    ]
    return harmful + skipped
