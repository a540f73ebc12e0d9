"""The menu of pinned views takes what was chosen last, even if no run of the page saw the choice."""

from pathlib import Path

import pytest
from explorer_studies import PLANS, write
from streamlit.testing.v1 import AppTest

from engine.report.exhibit import MAIN, PinnedView, pin, pins_of
from engine.store import Store
from explorer.parts import context as pins


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a store whose study has two pinned views, and a third in another story."""
    write(tmp_path, "plain", PLANS["plain"])
    files = Store(str(tmp_path)).open("plain")
    for title, story in (("one", MAIN), ("two", MAIN), ("three", "talk")):
        files = pin(files, PinnedView("slice", {}), title, story=story)
    return tmp_path


def titles(store: Path, story: str = MAIN) -> list[str]:
    return [one.title for one in pins_of(Store(str(store)).open("plain").info, story)]


def open_menu(open_page, store: Path) -> AppTest:
    """Return the app with its menu of pins open; the last one of the main story is chosen."""
    app = open_page("workbench", store, study="plain", judges="m1")
    app.session_state["pins"] = True
    app.run()
    assert app.selectbox(key=pins.CHOSEN_PIN).options == ["one", "two"]
    return app


def test_the_view_chosen_last_is_removed(open_page, store):
    app = open_menu(open_page, store)

    app.selectbox(key=pins.CHOSEN_PIN).set_value(_id(store, "one"))
    app.button(key="pin_remove").click().run()

    assert titles(store) == ["two"]


def test_the_view_chosen_last_is_moved(open_page, store):
    app = open_menu(open_page, store)

    app.selectbox(key=pins.CHOSEN_PIN).set_value(_id(store, "one"))
    app.button(key="pin_down").click().run()

    assert titles(store) == ["two", "one"]


def test_a_view_goes_to_the_story_chosen_last_with_the_title_typed_last(open_page, store):
    app = open_menu(open_page, store)

    app.selectbox(key=pins.STORY).set_value("talk")
    app.text_input(key=pins.TITLE).set_value("<b>four</b>")
    app.button(key="pin_view").click().run()

    assert titles(store) == ["one", "two"]
    assert titles(store, "talk") == ["three", "<b>four</b>"]
    assert pins_of(Store(str(store)).open("plain").info, "talk")[-1].view == {"judges": ["m1"]}
    assert any("Pinned to the story talk." in text.value for text in app.text)


@pytest.mark.parametrize(("keys", "usual"), [({}, "Judges"), ({"judge": "m1"}, "Judges: m1")])
def test_a_view_pinned_without_a_title_is_named_after_its_page_and_judge(open_page, store, keys, usual):
    app = open_page("judges", store, study="plain", **keys)
    app.session_state["pins"] = True
    app.run()

    app.button(key="pin_view").click().run()

    assert titles(store) == ["one", "two", usual]


def _id(store: Path, title: str) -> str:
    views = pins_of(Store(str(store)).open("plain").info)
    return next(one.id for one in views if one.title == title)
