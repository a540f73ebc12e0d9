"""Tasks: created from selected items, and assigned to annotators."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa

from engine.annotations.database import Database, now
from engine.annotations.database_tables import ANNOTATORS, ASSIGNMENTS, ITEMS, TASKS
from engine.annotations.items import Item
from engine.annotations.people import ensure_people, near_name
from engine.annotations.sides import KINDS
from engine.errors import UsageError, unknown
from engine.store.location import check_name
from engine.wording import command_line

REPEATED_SHARE = 0.05
"""The share of an annotator's items that are repeated, unannounced."""

FEWEST_FOR_REPEATS = 10
PRACTICE, FIRST, REPEAT = 0, 1, 2


@dataclass(frozen=True)
class Task:
    """A task as its coordinator sees it; `overlap` is the number of people per item, None for everybody."""

    name: str
    study: str
    kind: str
    title: str
    guidelines: str
    overlap: int | None
    seed: int
    options: dict[str, Any]
    created_at: str
    closed: bool


def create_task(
    database: Database,
    name: str,
    study: str,
    kind: str,
    items: Sequence[Item],
    *,
    title: str = "",
    guidelines: str = "",
    overlap: int | None = None,
    seed: int = 0,
    options: dict[str, Any] | None = None,
) -> Task:
    """Store a task with its items, which are shuffled before naming so that names reveal nothing."""
    if kind not in KINDS:
        raise unknown("kind of task", kind, KINDS)
    check_name(name, "task name")
    for label, text in (("title", title), ("guidelines", guidelines)):
        if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
            raise UsageError(f"{label}: {text[:50]!r} has signs that cannot be stored; write plain UTF-8")
    if overlap is not None and overlap < 1:
        raise UsageError(f"overlap {overlap!r} is below 1; give the number of people per item, such as 2")
    if not any(item.role != "practice" for item in items):
        raise UsageError(f"the task {name!r} has no items to label; widen its selection")
    task = Task(
        name, study, kind, title or name, guidelines, overlap, seed, options or {}, now(), closed=False
    )
    with database.write(exclusive=True) as connection:
        if connection.execute(sa.select(TASKS.c.name).where(TASKS.c.name == name)).first():
            raise UsageError(f"task {name!r} exists already; choose another name")
        connection.execute(sa.insert(TASKS).values(vars(task)))
        connection.execute(sa.insert(ITEMS), _item_rows(name, items, seed))
    return task


def _item_rows(task: str, items: Sequence[Item], seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    practice = [item for item in items if item.role == "practice"]
    real = [item for item in items if item.role != "practice"]
    real = [real[place] for place in rng.permutation(len(real))]
    named_items = [(f"practice-{number:03d}", item) for number, item in enumerate(practice, start=1)]
    named_items += [(f"{number:05d}", item) for number, item in enumerate(real, start=1)]
    return [
        {"task": task, "item": name, "role": item.role, "feedback": item.feedback}
        | {"payload": item.texts.payload(), "hidden": item.hidden.payload()}
        for name, item in named_items
    ]


def tasks(database: Database) -> list[Task]:
    query = sa.select(TASKS).order_by(TASKS.c.created_at, TASKS.c.name)
    with database.read() as connection:
        return [Task(**row) for row in connection.execute(query).mappings()]


def task_of(database: Database, name: str) -> Task:
    by_name = {task.name: task for task in tasks(database)}
    if not by_name:
        raise UsageError(
            f"unknown task {name!r}: this store has no tasks yet; create it with "
            f"`{command_line('label', 'new', name, 'STUDY')}`"
        )
    if name not in by_name:
        raise unknown("task", name, by_name)
    return by_name[name]


def count_items(database: Database, name: str) -> int:
    """Return the number of items to label, without practice."""
    items = sa.select(sa.func.count()).where(ITEMS.c.task == name, ITEMS.c.role != "practice")
    with database.read() as connection:
        return int(connection.execute(items).scalar_one())


def assigned_people(database: Database, name: str) -> list[str]:
    """Return the names of people with items of a task, sorted; UsageError for an unknown task."""
    task_of(database, name)
    query = sa.select(ASSIGNMENTS.c.annotator).where(ASSIGNMENTS.c.task == name).distinct()
    with database.read() as connection:
        return sorted(connection.execute(query).scalars())


def close_task(database: Database, name: str, *, closed: bool = True) -> None:
    """Close a task to labels, or open it again; UsageError for an unknown task."""
    task_of(database, name)
    with database.write() as connection:
        connection.execute(sa.update(TASKS).where(TASKS.c.name == name).values(closed=closed))


def assign(
    database: Database,
    name: str,
    annotators: Sequence[str],
    overlap: int | None = None,
    *,
    add: bool = False,
) -> dict[str, int]:
    """Assign the task's items and return how many new ones each annotator got, without hidden repeats.

    Each item goes to as many people as the task's overlap, those with the fewest items first; without an
    overlap, to all. Earlier assignments stay; `overlap` raises that of the task. With `add` people who are
    new are added, without a link. Raises UsageError for an unknown task or person, with `add` for a name that
    is perhaps another's, or for an overlap below the current one or above the number of people.
    """
    with database.write(exclusive=True) as connection:
        task = task_of(database, name)
        if overlap is not None and overlap < (task.overlap or 1):
            raise UsageError(f"overlap {overlap!r} is below {task.overlap or 1}; items cannot be taken back")
        people_each = overlap if overlap is not None else task.overlap
        names = list(connection.execute(sa.select(ANNOTATORS.c.name)).scalars())
        if add:
            _check_not_misspelt(annotators, names)
            names += ensure_people(connection, annotators)
        for person in annotators:
            if person not in names:
                if not names:
                    raise UsageError(
                        f"there is no labeller {person!r} yet; add one with "
                        f"`{command_line('label', 'people', 'add', person)}`"
                    )
                raise unknown("labeller", person, names)
        if people_each is not None and people_each > len(names):
            raise UsageError(
                f"overlap {people_each!r} is more than the {len(names)} labellers there are; add some with "
                "`spb label people add`, or take a smaller one"
            )
        if people_each != task.overlap:
            connection.execute(sa.update(TASKS).where(TASKS.c.name == name).values(overlap=people_each))
        rows, counts = _new_assignments(connection, task, list(dict.fromkeys(annotators)), people_each)
        if rows:
            connection.execute(sa.insert(ASSIGNMENTS), rows)
    return counts


def _check_not_misspelt(annotators: Iterable[str], existing: Sequence[str]) -> None:
    for person in annotators:
        near = None if person in existing else near_name(person, existing)
        if near is not None:
            raise UsageError(
                f"unknown labeller {person!r}; did you mean {near!r}? If not, add them with "
                f"`{command_line('label', 'people', 'add', person)}`"
            )


Place = tuple[str, str, int]
"""A person, an item and a round."""


def assign_labelled(
    connection: sa.Connection, name: str, labelled: Iterable[Place], shown: Mapping[str, Sequence[int]]
) -> dict[Place, int]:
    """Assign people the items that they have labelled elsewhere; return the place of each assignment.

    `shown` is the order of an item's responses for those who had none.
    """
    columns = ASSIGNMENTS.c.annotator, ASSIGNMENTS.c.item, ASSIGNMENTS.c.round, ASSIGNMENTS.c.place
    existing = connection.execute(sa.select(*columns).where(ASSIGNMENTS.c.task == name)).all()
    places = {(row.annotator, row.item, row.round): row.place for row in existing}
    last = Counter[str]()
    for (person, _, _), place in places.items():
        last[person] = max(last[person], place)
    rows = []
    for each in dict.fromkeys(labelled):
        if each in places:
            continue
        person, item, number = each
        last[person] += 1
        places[each] = last[person]
        row = {"task": name, "annotator": person, "place": last[person], "item": item, "round": number}
        rows.append(row | {"shown": list(shown[item])})
    if rows:
        connection.execute(sa.insert(ASSIGNMENTS), rows)
    return places


def count_understaffed(database: Database, name: str) -> int:
    """Return how many items have fewer people than the task's overlap (without one: fewer than 1)."""
    overlap = task_of(database, name).overlap or 1
    people = sa.select(ASSIGNMENTS.c.item, sa.func.count(ASSIGNMENTS.c.annotator.distinct()).label("people"))
    people = people.where(ASSIGNMENTS.c.task == name).group_by(ASSIGNMENTS.c.item)
    staffed = people.having(sa.func.count(ASSIGNMENTS.c.annotator.distinct()) >= overlap).subquery()
    items = sa.select(sa.func.count()).where(ITEMS.c.task == name, ITEMS.c.role != "practice")
    understaffed = items.where(ITEMS.c.item.not_in(sa.select(staffed.c.item)))
    with database.read() as connection:
        return int(connection.execute(understaffed).scalar_one())


def _new_assignments(
    connection: sa.Connection, task: Task, annotators: list[str], overlap: int | None
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    query = sa.select(ITEMS.c.item, ITEMS.c.role, ITEMS.c.payload).where(ITEMS.c.task == task.name)
    items = {row.item: row for row in connection.execute(query.order_by(ITEMS.c.item))}
    columns = (ASSIGNMENTS.c.annotator, ASSIGNMENTS.c.item, ASSIGNMENTS.c.place)
    existing = connection.execute(sa.select(*columns).where(ASSIGNMENTS.c.task == task.name)).all()
    holders: dict[str, set[str]] = {item: set() for item in items}
    last = dict.fromkeys(annotators, 0)
    for row in existing:
        holders[row.item].add(row.annotator)
        if row.annotator in last:
            last[row.annotator] = max(last[row.annotator], row.place)
    new: dict[str, list[str]] = {person: [] for person in annotators}
    load = {person: sum(person in people for people in holders.values()) for person in annotators}
    for item in (item for item, row in items.items() if row.role != "practice"):
        free = [person for person in annotators if person not in holders[item]]
        room = len(free) if overlap is None else overlap - len(holders[item])
        for person in sorted(free, key=load.__getitem__)[: max(room, 0)]:
            new[person].append(item)
            load[person] += 1
    practice = [item for item, row in items.items() if row.role == "practice"]
    responses = {item: len(row.payload["responses"]) for item, row in items.items()}
    rows = []
    for person in annotators:
        first = practice if not last[person] and new[person] else []
        rows += _order(task, person, first, new[person], last[person], responses)
    return rows, {person: len(items) for person, items in new.items()}


def _order(
    task: Task, person: str, practice: list[str], items: list[str], last: int, responses: dict[str, int]
) -> list[dict[str, Any]]:
    """Return a person's new assignments in their own random order, with repeats in the second half."""
    digest = hashlib.sha256(person.encode("utf-8", "surrogatepass")).digest()
    rng = np.random.default_rng([task.seed, last, *digest[:8]])
    order = [(items[place], FIRST) for place in rng.permutation(len(items))]
    if len(order) >= FEWEST_FOR_REPEATS:
        half = len(order) // 2
        number = min(max(1, round(REPEATED_SHARE * len(order))), half)
        repeats = [order[place][0] for place in rng.choice(half, number, replace=False)]
        later = order[half:] + [(item, REPEAT) for item in repeats]
        order = order[:half] + [later[place] for place in rng.permutation(len(later))]
    order = [(item, PRACTICE) for item in practice] + order
    return [
        {"task": task.name, "annotator": person, "place": place, "item": item, "round": round_}
        | {"shown": rng.permutation(responses[item]).tolist()}
        for place, (item, round_) in enumerate(order, start=last + 1)
    ]
