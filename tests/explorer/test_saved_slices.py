"""Saved slices in the explorer: chosen, refined, deselected, saved and deleted."""

from pathlib import Path

import pytest
from explorer_studies import PLANS, write
from streamlit.testing.v1 import AppTest

from engine.saved_slices import save_slice
from engine.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    write(tmp_path, "plain", PLANS["plain"])
    write(tmp_path, "other", PLANS["plain"])
    save_slice(Store(tmp_path).open("plain"), "hard", {"polarity": "positive", "theme": ["theme 0"]})
    return tmp_path


def saved(store: Path, study: str = "plain") -> dict[str, object]:
    return dict(Store(store).open(study).info.slices)


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in app.text)


def keys(app: AppTest) -> set[str]:
    return set(app.query_params)


def test_a_slice_named_in_the_address_sets_the_filters_and_the_address_stays_short(open_page, store):
    app = open_page("workbench", store, study="plain", slice="hard")

    assert app.selectbox(key="w_polarity").value == "positive"
    assert app.multiselect(key="w_theme").value == ["theme 0"]
    assert keys(app) == {"study", "slice"}


def test_a_saved_slice_is_used_in_every_page_that_has_filters(open_page, store):
    app = open_page("workbench", store, study="plain", slice="hard")

    app.query_params.clear()
    app.switch_page("app_pages/paradigms.py").run()

    assert app.selectbox(key="w_polarity").value == "positive"
    assert app.query_params["slice"] == "hard"


def test_a_filter_beside_the_name_refines_the_slice(open_page, store):
    app = open_page("workbench", store, study="plain", slice="hard", polarity="negative", judges="m1")

    assert app.selectbox(key="w_polarity").value == "negative"
    assert app.multiselect(key="w_theme").value == ["theme 0"]
    assert app.multiselect(key="w_judges").value == ["m1"]
    assert keys(app) == {"study", "slice", "polarity", "judges"}


def test_removing_a_filter_deselects_the_slice_and_keeps_the_others(open_page, store):
    app = open_page("workbench", store, study="plain", slice="hard")

    app.button(key="off_theme").click().run()

    assert app.selectbox(key="w_slice").value is None
    assert app.selectbox(key="w_polarity").value == "positive"
    assert keys(app) == {"study", "polarity"}


def test_choosing_a_slice_replaces_all_filters(open_page, store):
    app = open_page("workbench", store, study="plain", judges="m1", polarity="negative")

    app.selectbox(key="w_slice").set_value("hard").run()

    assert "off_judges" not in {button.key for button in app.button}
    assert app.selectbox(key="w_polarity").value == "positive"
    assert keys(app) == {"study", "slice"}


def test_clearing_all_filters_deselects_the_slice(open_page, store):
    app = open_page("workbench", store, study="plain", slice="hard")

    app.button(key="clear").click().run()

    assert keys(app) == {"study"}
    assert app.selectbox(key="w_slice").value is None


def test_filters_are_saved_under_a_name_which_is_in_the_address(open_page, store):
    app = open_page("workbench", store, study="plain", polarity="negative", exclude_family="true")

    app.text_input(key="slice_name").set_value("long ones").run()
    app.button(key="save_slice").click().run()

    assert saved(store)["long ones"] == {"polarity": "negative", "exclude_family": "true"}
    assert app.selectbox(key="w_slice").value == "long ones"
    assert keys(app) == {"study", "slice"}


def test_a_slice_is_overwritten_under_its_name(open_page, store):
    app = open_page("workbench", store, study="plain", slice="hard", polarity="negative")

    app.button(key="save_slice").click().run()

    assert saved(store)["hard"] == {"polarity": "negative", "theme": ["theme 0"]}
    assert keys(app) == {"study", "slice"}


def test_a_slice_without_a_filter_is_not_saved_and_says_why(open_page, store):
    app = open_page("workbench", store, study="plain")

    app.text_input(key="slice_name").set_value("all").run()
    app.button(key="save_slice").click().run()

    assert list(saved(store)) == ["hard"]
    assert "slice 'all' has no filter" in texts(app)


def test_deleting_a_slice_keeps_its_filters_chosen(open_page, store):
    app = open_page("workbench", store, study="plain", slice="hard")

    app.button(key="delete_slice").click().run()

    assert saved(store) == {}
    assert app.selectbox(key="w_polarity").value == "positive"
    assert keys(app) == {"study", "polarity", "theme"}


def test_saving_a_slice_does_not_reopen_the_study(open_page, store, monkeypatch):
    app = open_page("workbench", store, study="plain", polarity="negative")
    studies = []
    monkeypatch.setattr("engine.open_study", lambda path: studies.append(path))

    app.text_input(key="slice_name").set_value("negatives").run()
    app.button(key="save_slice").click().run()

    assert not app.exception
    assert studies == []
    assert "negatives" in saved(store)


def test_an_unknown_slice_is_named_and_left_out(open_page, store):
    app = open_page("workbench", store, study="other", slice="hard", polarity="negative")

    assert "There is no saved slice 'hard' in this study; it was left out." in texts(app)
    assert app.selectbox(key="w_polarity").value == "negative"
    assert keys(app) == {"study", "slice", "polarity"}


def test_values_of_a_slice_that_the_study_no_longer_has_are_named(open_page, store):
    save_slice(Store(store).open("plain"), "old", {"theme": ["theme 0", "gone"]})

    app = open_page("workbench", store, study="plain", slice="old")

    assert "Theme 'gone' is not in this study and was removed from the selection." in texts(app)
    assert app.multiselect(key="w_theme").value == ["theme 0"]


def test_a_read_only_explorer_saves_and_deletes_no_slice(open_page, store, monkeypatch):
    monkeypatch.setenv("SPB_READ_ONLY", "1")

    app = open_page("workbench", store, study="plain", slice="hard")

    assert app.selectbox(key="w_slice").value == "hard"
    assert {button.key for button in app.button} & {"save_slice", "delete_slice"} == set()
