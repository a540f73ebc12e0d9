"""Tasks: their items, who labels which of them in which order, and the sides of responses on the screen."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import sqlalchemy as sa

from engine.annotations.people import ANNOTATORS, ASSIGNMENTS, ITEMS, TASKS, Database, now
from engine.errors import BadInputError, UsageError, bad_row, unknown
from engine.values import parse_float

# ------------------------------------------------------------------------------
# Sides: the order of responses on an annotator's screen, and labels mapped back to responses.
#
# `order` is that of the responses on the screen: `order[k]` is the index in the item of the k-th one
# shown. The annotator answers about left and right; what is stored is about the responses.


LEFT, RIGHT = "left", "right"
NEITHER = {"equal_pair": "equal", "preference": "tie"}
"""The kinds of task on pairs, and the answer that neither response is better."""

KINDS = ("equal_pair", "clusters", "rubric_verdict", "score", "preference")
VERDICTS = ("met", "not_met", "cannot_tell")


def answers(kind: str, scores: Sequence[float] = ()) -> tuple[Any, ...]:
    """Return the answers that an annotator can choose from, in the order of their keys; none for clusters."""
    if kind in NEITHER:
        return (LEFT, NEITHER[kind], RIGHT)
    return VERDICTS if kind == "rubric_verdict" else tuple(scores)


def stored_value(kind: str, answer: Any, order: Sequence[int], scores: Sequence[float] = ()) -> Any:
    """Return what an answer says about the responses; only this function maps sides back.

    For pairs, `left` and `right` become `generator` and `opponent`; for clusters, the levels of the responses
    as shown are put in the item's order. Raises ValueError, with the answer, if it is invalid.
    """
    if kind in NEITHER:
        if answer not in answers(kind):
            raise ValueError(f"{answer!r}, expected {', '.join(answers(kind))}")
        if answer == NEITHER[kind]:
            return answer
        return ("generator", "opponent")[order[0 if answer == LEFT else 1]]
    value = check_value(kind, answer, len(order), scores)
    if kind != "clusters":
        return value
    return [level for _, level in sorted(zip(order, value, strict=True))]


def screen_answer(kind: str, value: Any, order: Sequence[int]) -> Any:
    """Return the answer on the screen for a stored value; the inverse of `stored_value`."""
    if kind in NEITHER and value in ("generator", "opponent"):
        return LEFT if order[0] == ("generator", "opponent").index(value) else RIGHT
    if kind == "clusters" and value is not None:
        return [value[place] for place in order]
    return value


def alike(kind: str, first: Any, second: Any) -> bool:
    """Return whether two stored values say the same; for clusters only the order of levels counts."""
    if kind == "clusters" and first is not None and second is not None:
        first, second = ([sorted(set(levels)).index(level) for level in levels] for levels in (first, second))
    return bool(first == second)


def check_value(kind: str, value: Any, responses: int, scores: Sequence[float] = ()) -> Any:
    """Return a value of this kind as it is stored; ValueError, naming what is expected, if it is invalid."""
    if kind == "score":
        if parse_float(value) is None or (scores and value not in scores):
            choices = ", ".join(f"{score:g}" for score in scores) or "a number"
            raise ValueError(f"{value!r}, expected {choices}")
        return float(value)
    if kind == "clusters":
        fits = isinstance(value, list) and len(value) == responses
        if not fits or not all(type(level) is int and level >= 1 for level in value):
            raise ValueError(f"{value!r}, expected a level from 1 on for each of {responses} responses")
        return list(value)
    allowed = VERDICTS if kind == "rubric_verdict" else ("generator", NEITHER[kind], "opponent")
    if value not in allowed:
        raise ValueError(f"{value!r}, expected {', '.join(allowed)}")
    return value


# ------------------------------------------------------------------------------
# Items: the texts that an annotator may see, separate from everything they may not.


ItemRole = Literal["item", "gold", "practice"]


@dataclass(frozen=True)
class Texts:
    """The texts of an item, and nothing else. `prompt` is as in the study: text, or a JSON list of turns.

    `responses` holds one response, or a pair with the generator's first, or those to be clustered. `options`
    are the (score, words) of a score rubric.
    """

    prompt: str | None
    responses: tuple[str, ...]
    criterion: str | None = None
    options: tuple[tuple[float, str], ...] = ()

    def payload(self) -> dict[str, Any]:
        return vars(self) | {"responses": list(self.responses), "options": list(map(list, self.options))}

    @classmethod
    def of(cls, payload: dict[str, Any]) -> "Texts":
        options = tuple((score, words) for score, words in payload.get("options", ()))
        return cls(payload["prompt"], tuple(payload["responses"]), payload.get("criterion"), options)


@dataclass(frozen=True)
class Hidden:
    """What an annotator never sees: the responses' authors, the reason for the selection, known facts.

    `models` are in the order of the responses. `automatic` is the automatic label, as a value of the kind.
    `gold` is the right answer, if known. `why` names the part of the selection.
    """

    instance_id: str | None = None
    models: tuple[str, ...] = ()
    rubric_id: str | None = None
    why: str = ""
    automatic: Any = None
    gold: Any = None
    facts: dict[str, Any] = field(default_factory=dict)

    def payload(self) -> dict[str, Any]:
        return vars(self) | {"models": list(self.models)}

    @classmethod
    def of(cls, payload: dict[str, Any]) -> "Hidden":
        return cls(**(payload | {"models": tuple(payload["models"])}))


@dataclass(frozen=True)
class Item:
    """One item of a task. `feedback` is shown after the answer to a practice item."""

    texts: Texts
    hidden: Hidden
    role: ItemRole = "item"
    feedback: dict[str, Any] | None = None


_RESPONSES = {
    "equal_pair": (2, 2, "two texts"),
    "preference": (2, 2, "two texts"),
    "rubric_verdict": (1, 1, "one text"),
    "score": (1, 1, "one text"),
    "clusters": (2, 20, "2 to 20 texts"),
}
"""The fewest and the most responses of an item of each kind, and both in words."""


def items_of_file(kind: str, rows: list[dict[str, Any]]) -> list[Item]:
    return [_item_of(kind, row, number) for number, row in enumerate(rows, start=1)]


def items_of_lines(kind: str, text: str, name: str) -> list[Item]:
    """Return the items of a text in JSON Lines; BadInputError names the line and the file `name`."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):  # JSON may hold other line separators
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise bad_row(name, number, f"the line is not JSON ({error})", "write an object") from None
            if not isinstance(row, dict):
                raise bad_row(name, number, f"the line is {row!r}", "write an object")
            rows.append(row)
    return items_of_file(kind, rows)


def _item_of(kind: str, row: dict[str, Any], number: int) -> Item:
    """Return the item of a row, in which the first response to a pair is the generator's."""

    def require(fits: bool, field_name: str, needs: str) -> None:
        if not fits:
            raise BadInputError(
                f"items, row {number}: {field_name} is {row.get(field_name)!r}, expected {needs}; correct it"
            )

    responses, options = row.get("responses"), row.get("options", [])
    require(row.get("role") in ("practice", "gold"), "role", "practice or gold")
    are_texts = isinstance(responses, list) and all(isinstance(text, str) for text in responses)
    require(are_texts and bool(responses), "responses", "a list of texts")
    assert isinstance(responses, list)  # noqa: S101 - checked above; narrows the type
    fewest, most, size_words = _RESPONSES[kind]
    require(fewest <= len(responses) <= most, "responses", size_words)
    for name in ("prompt", "criterion", "explanation"):
        require(isinstance(row.get(name), str | None), name, "a text")
    are_options = isinstance(options, list) and all(map(_is_option, options))
    require(are_options, "options", "a list of [score, words]")
    require(len({float(score) for score, _ in options}) == len(options), "options", "each score once")
    require(bool(options) or kind != "score", "options", "a list of [score, words] to choose from")
    texts = Texts(row.get("prompt"), tuple(responses), row.get("criterion"), tuple(map(tuple, options)))
    try:
        answer = check_value(kind, row.get("answer"), len(responses), [score for score, _ in texts.options])
    except ValueError as error:
        raise BadInputError(f"items, row {number}: answer is {error}; correct it") from None
    practice = {"value": answer, "explanation": row.get("explanation") or ""}
    feedback = practice if row["role"] == "practice" else None
    return Item(texts, Hidden(why=row["role"], gold=answer), row["role"], feedback)


def _is_option(value: Any) -> bool:
    is_pair = isinstance(value, list) and len(value) == 2
    return is_pair and parse_float(value[0]) is not None and isinstance(value[1], str)


# ------------------------------------------------------------------------------
# Tasks: created from selected items, and assigned to annotators.


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
    if not name or name != name.strip() or not name.isprintable():
        raise UsageError(f"the task name {name!r} cannot be displayed; choose a plain one such as 'equal-1'")
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
    if name not in by_name:
        raise unknown("task", name, by_name)
    return by_name[name]


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
    database: Database, name: str, annotators: Sequence[str], overlap: int | None = None
) -> dict[str, int]:
    """Assign the task's items and return how many new ones each annotator got, without hidden repeats.

    Each item goes to as many people as the task's overlap, those with the fewest items first; without an
    overlap, to all. Earlier assignments stay; `overlap` raises that of the task. Raises UsageError for an
    unknown task or person, or an overlap below the current one or above the number of people.
    """
    with database.write(exclusive=True) as connection:
        task = task_of(database, name)
        if overlap is not None and overlap < (task.overlap or 1):
            raise UsageError(f"overlap {overlap!r} is below {task.overlap or 1}; items cannot be taken back")
        people_each = overlap if overlap is not None else task.overlap
        names = list(connection.execute(sa.select(ANNOTATORS.c.name)).scalars())
        for person in annotators:
            if person not in names:
                raise unknown("annotator", person, names)
        if people_each is not None and people_each > len(names):
            raise UsageError(
                f"overlap {people_each!r} is more than the {len(names)} annotators there are; add some with "
                "`spb label people add`, or take a smaller one"
            )
        if people_each != task.overlap:
            connection.execute(sa.update(TASKS).where(TASKS.c.name == name).values(overlap=people_each))
        rows, counts = _new_assignments(connection, task, list(dict.fromkeys(annotators)), people_each)
        if rows:
            connection.execute(sa.insert(ASSIGNMENTS), rows)
    return counts


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
