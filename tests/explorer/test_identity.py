"""How visitors are recognised, and which pages they may open."""

import pytest
import streamlit as st
from annotations.small import pair
from streamlit.testing.v1 import AppTest

from engine.annotations.counted_labels import effective_labels
from engine.annotations.database import open_database
from engine.annotations.items import Hidden, Item, ItemTexts
from engine.annotations.labels import undo
from engine.annotations.people import add_person, end_link, local_name, local_person
from engine.annotations.progress import progress
from engine.annotations.tasks import assign, close_task, create_task
from engine.store import Store
from explorer import data
from explorer.team import login, visitors


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("SPB_ANNOTATIONS_URL", "SPB_COORDINATORS_ONLY", "SPB_READ_ONLY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def database(tmp_path):
    connection = open_database(Store(str(tmp_path)))
    yield connection
    connection.close()


@pytest.fixture
def visit(open_page, tmp_path):
    """Open a page, with or without a token."""

    def open_as(page="judges", token=None):
        if token is None:
            return open_page(page, tmp_path)
        app = open_page(store=tmp_path, token=token)
        app.run()  # the browser has stored the token by now
        return app if page == "judges" else app.switch_page(f"app_pages/{page}.py").run()

    return open_as


def words(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.text, *app.header])


def task(database, *people):
    create_task(database, "t", "study", "equal_pair", [pair(i) for i in range(3)], title="Pairs")
    assign(database, "t", people)


def test_an_annotator_sees_their_tasks_and_no_study_is_opened_for_it(visit, database, monkeypatch):
    token = add_person(database, "ann")
    task(database, "ann")
    lookups = []
    monkeypatch.setattr(data, "studies", lambda root: lookups.append(root) or [])

    app = visit(token=token)
    app.button(key="open_0").click().run()
    app.button(key="say_1_at_1_0").click().run()

    assert "1 of 3 done" in words(app)
    assert (lookups, list(app.selectbox)) == ([], [])
    assert not app.exception
    assert app.get("page_link") == []
    with pytest.raises(ValueError, match="Could not find a navigation page"):
        visit("workbench", token)


def test_the_pages_with_numbers_do_look_for_studies(visit, monkeypatch):
    lookups = []
    monkeypatch.setattr(data, "studies", lambda root: lookups.append(root) or [])

    visit()

    assert lookups


def test_an_unknown_visitor_sees_the_numbers_and_needs_a_link_to_label(visit, database):
    add_person(database, "ann")

    numbers, labels = visit(), visit("annotate")

    assert "No study yet" in words(numbers)
    assert "opens with your personal link" in words(labels)


def test_the_numbers_can_be_reserved_for_coordinators(visit, database, monkeypatch):
    token = add_person(database, "cy", "coordinator")
    monkeypatch.setenv("SPB_COORDINATORS_ONLY", "1")

    unknown, annotator = visit(), visit(token=token)

    assert words(unknown) == visitors._INVITATIONS["annotator"]
    assert "No study yet" in words(annotator)


def test_an_unknown_or_ended_link_opens_nothing(visit, database):
    token = add_person(database, "eve")
    end_link(database, "eve")

    for link in (token, "none", ""):
        app = visit(token=link)
        assert "This link does not work" in words(app), link
        assert app.get("page_link") == []


def test_a_link_that_does_not_work_leads_on_to_what_anybody_may_open(visit, database):
    add_person(database, "eve")
    app = visit(token="")

    app.button(key="go_on").click().run()

    assert "This link does not work" not in words(app)
    assert "No study yet" in words(app)


@pytest.mark.parametrize("earlier", ["session", "cookie"])
def test_a_link_that_does_not_work_replaces_no_right(visit, database, monkeypatch, earlier):
    token, ended = add_person(database, "cy", "coordinator"), add_person(database, "eve")
    end_link(database, "eve")
    if earlier == "cookie":
        cookies = {login.to_browser(login.TOKEN_COOKIE)["cookie"]: token}
        monkeypatch.setattr(type(st.context), "cookies", cookies)
    app = visit(token=token if earlier == "session" else "")

    app.query_params["token"] = ended
    app.run()
    app.run()  # the browser has cleared the address by now
    refused = words(app)
    app.button(key="go_on").click().run()
    app.switch_page("app_pages/annotate.py").run()

    assert "This link does not work" in refused
    assert "leave" not in {button.key for button in app.button if "go_on" in refused}
    assert "Tasks of cy" in words(app)


def test_a_link_to_a_store_without_labels_is_not_called_expired(visit):
    for link in ("any", ""):
        app = visit(token=link)
        assert "This explorer has no labels at the moment" in words(app), link
        assert app.get("page_link") == []


@pytest.mark.parametrize(("name", "shown"), [("tone", "tone"), (None, "The criterion has no text to show.")])
def test_a_criterion_without_a_text_is_never_left_out(visit, database, name, shown):
    token = add_person(database, "ann")
    texts = ItemTexts("a question", ("an answer",), criterion_name=name)
    create_task(database, "t", "study", "rubric_verdict", [Item(texts, Hidden("x0", ("alpha",), "k"))])
    assign(database, "t", ["ann"])
    app = visit(token=token)

    app.button(key="open_0").click().run()

    assert "Does the answer meet the criterion?" in words(app)
    assert shown in words(app)


def test_the_page_of_labels_asks_the_browser_for_its_width_as_others_do(visit):
    parts = [each.proto.component_name for each in visit("annotate").get("bidi_component")]

    assert any("spb_window" in name for name in parts)


def test_the_local_user_labels_under_their_own_name(visit, database):
    name = local_person(database).name
    task(database, name)

    app = visit("annotate")

    assert name == local_name()
    assert f"Tasks of {name}" in words(app)
    assert "0 of 3 done" in words(app)


def test_a_labeller_reads_how_many_items_come_a_second_time(visit, database):
    token = add_person(database, "ann")
    create_task(database, "t", "study", "equal_pair", [pair(i) for i in range(30)], title="Pairs")
    assign(database, "t", ["ann"])
    again = progress(database, "t", "ann").total - 30

    app = visit(token=token)
    listed = words(app)
    app.button(key="open_0").click().run()

    assert again > 1
    assert f"0 of {30 + again} done; {again} come twice" in listed
    assert f"0 of {30 + again} done · {again} come twice" in words(app)


def test_viewing_a_store_without_labels_writes_nothing(visit, tmp_path):
    app = visit("annotate")

    assert "You have nothing to label yet" in words(app)
    assert app.main.get("page_link")[-1].proto.label == "Create a task"
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_explorer_has_no_annotator_of_its_own(visit, monkeypatch):
    monkeypatch.setenv("SPB_READ_ONLY", "1")

    assert "read only" in words(visit("annotate"))


@pytest.mark.parametrize(
    ("login", "message"),
    [
        ({"is_logged_in": False}, "opens with your personal link"),
        ({"is_logged_in": True, "email": "Ann@example.org"}, "Tasks of ann"),
        ({"is_logged_in": True, "email": "x@example.org"}, "is not on the list of people who label"),
        ({"is_logged_in": True, "email": "ann@example.org", "email_verified": False}, "not verified"),
        ({"is_logged_in": True, "email": "ann@example.org", "email_verified": "false"}, "not verified"),
        ({"is_logged_in": True, "email": "ann@example.org", "email_verified": "true"}, "Tasks of ann"),
        ({"is_logged_in": True}, "did not send your e-mail"),
    ],
)
def test_a_login_is_known_by_its_verified_e_mail(visit, database, monkeypatch, login, message):
    add_person(database, "ann", email="ann@example.org")
    monkeypatch.setattr(st, "user", login)

    app = visit("annotate") if not login["is_logged_in"] else visit()

    assert message in words(app)


def test_an_unreachable_database_leaves_the_numbers_open_and_is_reported_to_annotators(
    visit, monkeypatch, tmp_path
):
    monkeypatch.setenv("SPB_ANNOTATIONS_URL", f"sqlite:///{tmp_path / 'no' / 'folder.db'}")

    numbers, labels = visit(), visit("annotate")

    assert "No study yet" in words(numbers)
    assert "unable to open database file" in words(labels)


def test_an_unreachable_database_hides_the_numbers_from_a_login(visit, monkeypatch, tmp_path):
    """They may be an annotator, which cannot be looked up."""
    monkeypatch.setenv("SPB_ANNOTATIONS_URL", f"sqlite:///{tmp_path / 'no' / 'folder.db'}")
    monkeypatch.setattr(st, "user", {"is_logged_in": True, "email": "ann@example.org"})

    app = visit()

    assert "unable to open database file" in words(app)
    assert app.get("page_link") == []


AUTH = {"redirect_uri": "https://example.org/spb/oauth2callback", "client_id": "x", "client_secret": "x"}


@pytest.mark.parametrize(
    ("auth", "address", "message"),
    [
        ({}, "https://127.0.0.1/spb", "log in to this explorer at https://example.org/spb: open it there"),
        ({"redirect_uri": "https://example.org/oauth2callback"}, "https://example.org/spb", "not set up"),
        ({"server_metadata_url": "http://127.0.0.1:9/"}, "https://example.org/spb", "did not respond"),
        ({}, "https://example.org/spb", "not set up"),  # neither cookie_secret nor server_metadata_url
    ],
)
def test_a_login_that_cannot_succeed_is_reported_before_the_browser_leaves(
    visit, monkeypatch, caplog, auth, address, message
):
    monkeypatch.setattr(st, "user", {"is_logged_in": False})
    monkeypatch.setattr(st, "secrets", {"auth": {**AUTH, **auth}, "access": {}})
    monkeypatch.setattr(login, "base_path", lambda: "/spb")
    monkeypatch.setattr(login, "origin", lambda: address.removesuffix("/spb"))
    app = visit()

    app.button(key="log_in").click().run()
    if not app.button:  # the browser stores the address meanwhile
        app.session_state["_login_stored"] = True
        app.run()

    assert message in words(app)
    assert "nobody can log in" in caplog.text


def test_each_login_service_has_its_button(visit, monkeypatch):
    service = {"client_id": "x"}
    monkeypatch.setattr(st, "user", {"is_logged_in": False})
    monkeypatch.setattr(st, "secrets", {"auth": {"one": service, "two": service}, "access": {}})

    app = visit("coordinate")

    labels = [button.label for button in app.button if button.label.startswith("Log in")]
    assert labels == ["Log in with one", "Log in with two"]


def test_a_failed_save_is_reported_and_the_item_stays(visit, database, monkeypatch):
    token = add_person(database, "ann")
    task(database, "ann")
    app = visit(token=token)
    app.button(key="open_0").click().run()
    before = [text.value for text in app.text if text.value.startswith("question")]

    from engine.annotations import labels
    from engine.errors import StoreError

    def fails(*_, **__):
        raise StoreError("disk full; free some space")

    monkeypatch.setattr(labels, "save", fails)
    app.button(key="say_0_at_1_0").click().run()

    assert "Not saved: disk full" in words(app)
    assert [text.value for text in app.text if text.value.startswith("question")] == before
    assert "0 of 3 done" in words(app)


def test_nothing_is_saved_once_the_task_is_closed_or_the_link_has_ended(visit, database):
    token = add_person(database, "ann")
    task(database, "ann")
    app = visit(token=token)
    app.button(key="open_0").click().run()
    before = [text.value for text in app.text if text.value.startswith("question")]

    close_task(database, "t")
    app.button(key="say_0_at_1_0").click().run()
    assert "Not saved: the task 't' is closed" in words(app)
    assert "0 of 3 done" in words(app)
    assert [text.value for text in app.text if text.value.startswith("question")] == before

    close_task(database, "t", closed=False)
    app = visit(token=token)
    app.button(key="open_0").click().run()
    end_link(database, "ann")
    app.button(key="say_0_at_1_0").click().run()
    assert "This link does not work" in words(app)
    assert not any(str(button.key).startswith("say_") for button in app.button)
    assert progress(database, "t", "ann").done == 0


def test_progress_counts_what_another_window_did(visit, database):
    token = add_person(database, "ann")
    task(database, "ann")
    app = visit(token=token)
    app.button(key="open_0").click().run()
    app.button(key="say_0_at_1_0").click().run()
    assert "1 of 3 done" in words(app)

    undo(database, "t", "ann", submission="another window's")
    for turn in (2, 3, 4):
        app.button(key=f"say_0_at_{turn}_0").click().run()

    assert not app.exception
    assert "Done: 3 items" in words(app)
    assert "3 of 3 done" in words(app)


def test_progress_counts_items_assigned_meanwhile(visit, database):
    token = add_person(database, "ann")
    create_task(database, "t", "study", "equal_pair", [pair(i) for i in range(3)], overlap=1)
    assign(database, "t", ["ann", local_person(database, "bo").name])
    own_total = progress(database, "t", "ann").total
    app = visit(token=token)
    app.button(key="open_0").click().run()

    assign(database, "t", ["ann"], overlap=2)
    for turn in range(1, 4):
        app.button(key=f"say_0_at_{turn}_0").click().run()

    assert own_total < 3
    assert not app.exception
    assert "3 of 3 done" in words(app)


def test_a_comment_outlives_the_questions_that_hide_its_box(visit, database):
    token = add_person(database, "ann")
    task(database, "ann")
    app = visit(token=token)
    app.button(key="open_0").click().run()

    app.text_input(key="comment_1").input("half of it is missing").run()
    for key in ("skip", "no_skip", "report", "no_report"):
        app.button(key=key).click().run()
    assert app.text_input(key="comment_1").value == "half of it is missing"
    for key in ("skip", "reason_broken_text"):
        app.button(key=key).click().run()

    assert [(each.reason, each.comment) for each in effective_labels(database, "t")] == [
        ("broken_text", "half of it is missing")
    ]
    assert app.text_input(key="comment_2").value == ""
