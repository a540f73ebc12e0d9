"""What an annotator is shown, what is stored of their answers, and what never reaches them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from threading import Barrier

import pytest
import sqlalchemy as sa

from annotations.small import fresh, pair, practice, task
from engine.annotations.database import Database
from engine.annotations.database_tables import ANNOTATORS, ASSIGNMENTS, LABELS, VERSION
from engine.annotations.labels import report, save, skip, undo
from engine.annotations.people import add_person, people, person_of, renew_token
from engine.annotations.progress import own_tasks, progress
from engine.annotations.shown_items import item_before, next_item
from engine.annotations.sides import KINDS, screen_answer, stored_value
from engine.annotations.tasks import assign, close_task, create_task
from engine.errors import SpbError, StoreError, UsageError


def rows(database, table):
    with database.read() as connection:
        return connection.execute(sa.select(table)).all()


def strings(value):
    """Every text in the returned value, including field names."""
    if is_dataclass(value):
        for field in fields(value):
            yield field.name
            yield from strings(getattr(value, field.name))
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from strings(name)
            yield from strings(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings(each)
    elif value is not None:
        yield str(value)


def test_a_label_refers_to_the_responses_whichever_side_they_were_shown_on(database):
    task(database, [pair(i) for i in range(8)])

    for _ in range(8):
        item = next_item(database, "t", "ann")
        side = "left" if item.texts.responses[0].startswith("one") else "right"
        save(database, "t", "ann", item.place, side, submission=fresh())

    assert {row.value for row in rows(database, LABELS)} == {"generator"}
    assert {tuple(row.shown) for row in rows(database, ASSIGNMENTS)} == {(0, 1), (1, 0)}


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_cluster_levels_are_mapped_back_to_the_responses(order):
    responses = ["a", "b", "c"]
    levels = {"a": 1, "b": 2, "c": 1}

    on_screen = [responses[place] for place in order]
    value = stored_value("clusters", [levels[text] for text in on_screen], order)

    assert value == [1, 2, 1]
    assert screen_answer("clusters", value, order) == [levels[text] for text in on_screen]


@pytest.mark.parametrize("kind", ["equal_pair", "preference"])
@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_an_item_shown_again_has_its_earlier_answer(kind, order):
    for answer in ("left", "right", {"equal_pair": "equal", "preference": "tie"}[kind]):
        assert screen_answer(kind, stored_value(kind, answer, order), order) == answer


def test_a_repeated_submission_counts_as_one_label(database):
    task(database, [pair(1), pair(2)])
    item = next_item(database, "t", "ann")

    first = save(database, "t", "ann", item.place, "equal", submission="same")
    second = save(database, "t", "ann", item.place, "equal", submission="same")

    assert (first.repeated, second.repeated) == (False, True)
    assert len(rows(database, LABELS)) == 1


def test_a_submission_for_one_item_is_not_accepted_for_another(database):
    task(database, [pair(1), pair(2)])
    save(database, "t", "ann", 1, "equal", submission="same")

    with pytest.raises(UsageError, match="made for another label"):
        save(database, "t", "ann", 2, "equal", submission="same")


def test_the_history_is_kept_and_the_latest_label_counts(database):
    task(database, [pair(1)])

    save(database, "t", "ann", 1, "left", submission=fresh())
    save(database, "t", "ann", 1, "equal", submission=fresh(), confidence="likely", comment="close")

    assert len(rows(database, LABELS)) == 2
    again = item_before(database, "t", "ann")
    assert (again.answer, again.confidence, again.comment) == ("equal", "likely", "close")
    assert progress(database, "t", "ann").done == 1


def test_undo_brings_back_the_item_and_its_earlier_answer(database):
    task(database, [pair(1), pair(2)])
    save(database, "t", "ann", 1, "left", submission=fresh())
    save(database, "t", "ann", 2, "equal", submission=fresh())

    first = undo(database, "t", "ann", submission="u1")
    again = undo(database, "t", "ann", submission="u1")

    assert (first.place, again.place) == (2, 2)
    assert next_item(database, "t", "ann").place == 2
    assert item_before(database, "t", "ann", 2).answer == "left"
    assert undo(database, "t", "ann", submission="u2").place == 1
    assert undo(database, "t", "ann", submission="u3") is None
    assert len(rows(database, LABELS)) == 4


def test_undoing_a_changed_label_restores_the_earlier_one(database):
    task(database, [pair(1)])
    save(database, "t", "ann", 1, "left", submission=fresh())
    save(database, "t", "ann", 1, "right", submission=fresh())

    undone = undo(database, "t", "ann", submission=fresh())

    assert undone.answer == "left"
    assert next_item(database, "t", "ann") is None


def test_a_skip_finishes_the_item_and_a_report_leaves_it_waiting(database):
    task(database, [pair(1), pair(2)])

    report(database, "t", "ann", 1, "it threatens", submission=fresh())
    waiting = next_item(database, "t", "ann")
    skip(database, "t", "ann", 1, "harmful", submission=fresh())

    assert waiting.place == 1
    assert next_item(database, "t", "ann").place == 2
    assert item_before(database, "t", "ann", 2).skip_reason == "harmful"
    state = progress(database, "t", "ann")
    assert (state.done, state.total, state.skipped) == (1, 2, 1)


def test_another_machine_continues_where_the_first_stopped(database, url):
    task(database, [pair(i) for i in range(4)])
    save(database, "t", "ann", 1, "left", submission=fresh(), seconds=4)
    save(database, "t", "ann", 2, "right", submission=fresh(), seconds=6)

    elsewhere = Database(url)
    item, state = next_item(elsewhere, "t", "ann"), progress(elsewhere, "t", "ann")
    before = item_before(elsewhere, "t", "ann", item.place)
    elsewhere.close()

    assert (item.place, before.place, before.answer) == (3, 2, "right")
    assert (state.done, state.total, state.seconds_each, state.seconds_left) == (2, 4, 5, 10)
    assert item.texts == next_item(database, "t", "ann").texts


def test_practice_comes_first_and_is_explained_only_after_an_answer(database):
    task(database, [pair(1), practice()])

    item = next_item(database, "t", "ann")
    saved = save(database, "t", "ann", item.place, "equal", submission=fresh())

    assert item.practice
    assert "answers" not in " ".join(item.texts.responses)
    assert item.texts.responses[0 if saved.expected == "left" else 1] == "good"
    assert saved.explanation == "The first one answers."
    assert progress(database, "t", "ann").total == 1


def test_nothing_that_labelling_returns_reveals_a_model_or_a_known_answer(database):
    hidden = {"automatic": "equal", "why": "near-the-border", "facts": {"judge": "gamma", "distance": 0.125}}
    task(database, [pair(i, **hidden) for i in range(12)] + [practice()])
    outputs = [own_tasks(database, "ann"), progress(database, "t", "ann")]

    while (item := next_item(database, "t", "ann")) is not None:
        outputs += [item, save(database, "t", "ann", item.place, "left", submission=fresh())]
        outputs += [item_before(database, "t", "ann", item.place + step) for step in (0, 1)]
    outputs.append(report(database, "t", "ann", 1, "c", submission=fresh()))
    outputs.append(skip(database, "t", "ann", 1, "other", submission=fresh()))
    outputs.append(undo(database, "t", "ann", submission=fresh()))

    every = list(strings(outputs))
    assert any(text.startswith("one ") for text in every)  # the walk reaches the texts
    for secret in ("alpha", "beta", "gamma", "near-the-border", "0.125", "hidden", "x1", "round", "gold"):
        assert not [text for text in every if secret in text], secret


def test_five_percent_of_items_repeat_later_and_orders_differ_between_people(database):
    task(database, [pair(i) for i in range(100)], people=("ann", "bo"))

    orders = {}
    for row in sorted(rows(database, ASSIGNMENTS), key=lambda row: row.place):
        orders.setdefault(row.annotator, []).append((row.item, row.round))
    for order in orders.values():
        repeats = [item for item, round_ in order if round_ == 2]
        assert (len(order), len(set(repeats))) == (105, 5)
        assert all(order.index((item, 1)) < 50 <= order.index((item, 2)) for item in repeats)
    assert orders["ann"] != orders["bo"]


def test_each_item_is_assigned_to_as_many_people_as_the_overlap_says(database):
    task(database, [pair(i) for i in range(30)], people=("ann", "bo", "cy"), overlap=2)

    first = [(row.annotator, row.item) for row in rows(database, ASSIGNMENTS) if row.round == 1]
    each = {person: sum(who == person for who, _ in first) for person in ("ann", "bo", "cy")}
    assert each == {"ann": 20, "bo": 20, "cy": 20}
    assert len(set(first)) == 60
    add_person(database, "di")
    assert assign(database, "t", ["di"]) == {"di": 0}
    assert assign(database, "t", ["di"], overlap=3) == {"di": 30}


def at_once(url, does):
    """The results, or the errors, of four callers with connections of their own, released together."""
    start = Barrier(4)

    def call(number):
        connection = Database(url)
        try:
            start.wait()
            return does(connection, number)
        except SpbError as error:
            return str(error)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as callers:
        return list(callers.map(call, range(4)))


def test_coordinators_who_assign_at_once_give_no_item_to_too_many_people(database, url):
    names = ["ann", "bo", "cy", "di"]
    for name in names:
        add_person(database, name)
    create_task(database, "t", "study", "equal_pair", [pair(i) for i in range(40)], overlap=1)

    counts = at_once(url, lambda connection, number: assign(connection, "t", [names[number]]))

    assert sum(sum(new.values()) for new in counts) == 40
    query = sa.select(ASSIGNMENTS.c.item).where(ASSIGNMENTS.c.round == 1)
    with database.read() as connection:
        items = list(connection.execute(query).scalars())
    assert len(items) == len(set(items)) == 40


@pytest.mark.usefixtures("database")
def test_a_task_created_twice_at_once_is_refused_as_existing(url):
    words = at_once(url, lambda db, _: create_task(db, "t", "study", "equal_pair", [pair(1)]).name)

    assert sorted(words) == ["t"] + ["task 't' exists already; choose another name"] * 3


def test_item_names_do_not_reveal_why_they_were_selected(database):
    items = [pair(i, why="equal" if i < 20 else "contrast") for i in range(40)]
    task(database, items)
    from engine.annotations.database_tables import ITEMS

    ordered = [row.hidden["why"] for row in sorted(rows(database, ITEMS), key=lambda row: row.item)]
    assert 0 < ordered[:20].count("equal") < 20


def test_only_the_hash_of_a_token_is_stored(database):
    token = add_person(database, "ann", "coordinator")

    assert person_of(database, token).role == "coordinator"
    assert person_of(database, token[:-1]) is None
    assert token not in str(rows(database, ANNOTATORS))
    renewed_token = renew_token(database, "ann")
    assert person_of(database, token) is None
    assert person_of(database, renewed_token).name == "ann"
    assert [person.name for person in people(database)] == ["ann"]


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda d: save(d, "t", "ann", 1, "up", submission=fresh()), "'up', expected left, equal, right"),
        (lambda d: save(d, "t", "ann", 9, "left", submission=fresh()), "has no item at place 9"),
        (lambda d: save(d, "t", "bo", 1, "left", submission=fresh()), "'bo' has no item at place 1"),
        (lambda d: skip(d, "t", "ann", 1, "tired", submission=fresh()), "'tired'"),
        (lambda d: add_person(d, "ann"), "'ann' exists already"),
        (lambda d: add_person(d, "adjudicated"), "settled labels"),
        (lambda d: add_person(d, "bo", "king"), "'king'"),
        (lambda d: assign(d, "t", ["nobody"]), "'nobody'"),
        (lambda d: create_task(d, "t", "s", "equal_pair", [pair(1)]), "'t' exists already"),
        (lambda d: create_task(d, "u", "s", "beauty", [pair(1)]), "'beauty'"),
        (lambda d: create_task(d, "u", "s", KINDS[0], [practice()]), "no items to label"),
    ],
)
def test_an_invalid_answer_is_refused_with_its_value_and_adds_nothing(database, action, message):
    task(database, [pair(1)])

    with pytest.raises(SpbError, match=message):
        action(database)

    assert rows(database, LABELS) == []


def test_a_closed_task_accepts_no_label(database):
    task(database, [pair(1)])
    close_task(database, "t")

    with pytest.raises(UsageError, match="'t' is closed"):
        save(database, "t", "ann", 1, "left", submission=fresh())


def test_a_database_of_a_newer_version_is_refused(database, url):
    with database.write() as connection:
        connection.execute(sa.update(VERSION).values(version=99))

    with pytest.raises(StoreError, match="they have version 99"):
        Database(url)


@pytest.mark.parametrize("address", ["sqlite://", "postgres://h/x", "mysql://h/x", "nonsense"])
def test_an_unusable_address_is_refused(address):
    with pytest.raises(UsageError):
        Database(address)


def test_a_password_is_not_revealed():
    with pytest.raises(StoreError) as error:
        Database("postgresql+psycopg://ann:secret@127.0.0.1:1/x")

    assert "secret" not in str(error.value)
