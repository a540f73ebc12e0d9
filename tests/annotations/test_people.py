"""How people are identified, and what changes when links are renewed or revoked and people renamed."""

import pytest
import sqlalchemy as sa

from annotations.small import fresh, pair, task
from engine.annotations.database import Database, has_database
from engine.annotations.database_tables import ANNOTATORS, LABELS, METADATA, VERSION
from engine.annotations.labels import save
from engine.annotations.people import (
    add_person,
    end_link,
    has_accounts,
    link,
    local_person,
    people,
    person_of,
    person_with_email,
    rename_person,
    renew_token,
    set_email,
)
from engine.annotations.progress import progress
from engine.annotations.shown_items import item_before, next_item
from engine.errors import UsageError
from engine.store import Store


def test_a_renewed_or_revoked_link_opens_nothing(database):
    first = add_person(database, "ann")
    second = renew_token(database, "ann")

    identities = person_of(database, first), person_of(database, second).name
    end_link(database, "ann")

    assert identities == (None, "ann")
    assert person_of(database, second) is None
    assert [each.link for each in people(database)] == ["ended"]
    assert person_of(database, renew_token(database, "ann")).name == "ann"


def test_a_server_whose_links_are_all_revoked_is_not_treated_as_a_laptop(database):
    local_person(database, "me")
    before = has_accounts(database)
    add_person(database, "ann")
    end_link(database, "ann")

    assert (before, has_accounts(database)) == (False, True)


def test_a_login_is_found_by_its_e_mail_in_either_case(database):
    add_person(database, "ann", email="Ann@Example.org")

    assert person_with_email(database, " ann@example.ORG ").name == "ann"
    with pytest.raises(UsageError, match="belongs to 'ann'"):
        add_person(database, "bo", email="ann@example.org")
    set_email(database, "ann", None)
    assert person_with_email(database, "ann@example.org") is None


def test_revoking_a_link_also_ends_the_login(database):
    add_person(database, "ann", email="ann@example.org")

    end_link(database, "ann")

    assert person_with_email(database, "ann@example.org") is None


def test_a_renamed_person_keeps_link_items_and_labels(database):
    token = add_person(database, "an")
    task(database, [pair(1), pair(2)], people=("bo",))
    from engine.annotations.tasks import assign

    assign(database, "t", ["an"])
    save(database, "t", "an", 1, "left", submission=fresh())

    rename_person(database, "an", "ann")

    assert person_of(database, token).name == "ann"
    assert {person.name for person in people(database)} == {"ann", "bo"}
    assert item_before(database, "t", "ann", 2).answer == "left"
    assert progress(database, "t", "ann").done == 1
    assert next_item(database, "t", "ann").place == 2
    assert item_before(database, "t", "an") is None


@pytest.mark.parametrize(
    ("does", "message"),
    [
        (lambda base: rename_person(base, "nobody", "x"), "unknown labeller 'nobody'"),
        (lambda base: rename_person(base, "ann", "bo"), "labeller 'bo' exists already"),
        (lambda base: rename_person(base, "ann", " "), "cannot be displayed"),
        (lambda base: end_link(base, "nobody"), "unknown labeller 'nobody'"),
        (lambda base: set_email(base, "ann", "ann at home"), "is not an e-mail address"),
        (lambda base: set_email(base, "nobody", "a@b.c"), "unknown labeller 'nobody'"),
    ],
)
def test_an_impossible_change_is_refused_with_the_reason(database, does, message):
    add_person(database, "ann")
    add_person(database, "bo")

    with pytest.raises(UsageError, match=message):
        does(database)


def test_a_link_uses_the_given_address_or_else_the_environments(monkeypatch):
    monkeypatch.delenv("SPB_ADDRESS", raising=False)

    assert link(None, "t") == "http://localhost:8501/?token=t"
    assert link("https://labels.example.org/spb/", "t") == "https://labels.example.org/spb/?token=t"
    monkeypatch.setenv("SPB_ADDRESS", "https://labels.example.org")
    assert link(None, "t") == "https://labels.example.org/?token=t"
    with pytest.raises(UsageError, match="is not a web address"):
        link("labels.example.org", "t")


def test_a_database_of_the_first_version_is_brought_up_to_date(tmp_path):
    url = f"sqlite:///{tmp_path / 'labels.db'}"
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        METADATA.create_all(connection)
        connection.exec_driver_sql("DROP INDEX annotators_by_email")
        connection.exec_driver_sql("DROP INDEX labels_in_order")
        connection.exec_driver_sql("ALTER TABLE annotators DROP COLUMN email")
        connection.execute(sa.insert(VERSION).values(version=1))
    engine.dispose()

    for _ in range(2):
        database = Database(url)
        database.close()

    columns = {column["name"] for column in sa.inspect(engine).get_columns(ANNOTATORS.name)}
    assert "email" in columns
    assert "labels_in_order" in {index["name"] for index in sa.inspect(engine).get_indexes(LABELS.name)}


def test_checking_for_labels_creates_no_database(tmp_path, monkeypatch):
    monkeypatch.delenv("SPB_ANNOTATIONS_URL", raising=False)

    assert not has_database(Store(str(tmp_path)))
    assert list(tmp_path.iterdir()) == []


def test_with_an_address_of_its_own_the_folder_of_the_store_need_not_be_readable(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("permission denied")

    store = Store(str(tmp_path))
    monkeypatch.setenv("SPB_ANNOTATIONS_URL", "postgresql+psycopg://labels@host/labels")

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.stat", refuse)
        assert has_database(store)


def test_the_person_on_a_laptop_is_read_once(database):
    local_person(database, "me")
    statements = []
    sa.event.listen(database._reader, "before_cursor_execute", lambda *event: statements.append(event[2]))

    local_person(database, "me")

    assert sum(statement.startswith("SELECT") for statement in statements) == 1


def test_no_keystroke_scans_a_whole_table(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'labels.db'}")
    task(database, [pair(i) for i in range(12)])
    statements = []
    for engine in (database._reader, database._writer):
        sa.event.listen(
            engine,
            "before_cursor_execute",
            lambda *arguments: statements.append((arguments[2], arguments[3])),
        )

    from engine.annotations import labels, progress, shown_items

    labels.save(database, "t", "ann", 1, "left", submission="s1", seconds=1)
    shown_items.next_item(database, "t", "ann", 1)
    progress.seconds_each(database, "t", "ann")
    progress.activity(database, "t", "ann")
    shown_items.item_before(database, "t", "ann", 2)
    shown_items.item_after(database, "t", "ann", 1)
    labels.undo(database, "t", "ann", submission="s2")

    with database.read() as connection:
        plans = [
            row[3]
            for words, values in statements
            if words.startswith("SELECT")
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {words}", values)
        ]
    database.close()
    assert len(plans) > 10
    assert [step for step in plans if "SCAN" in step or "TEMP B-TREE" in step] == []
