"""The New run page, as far as it goes without starting anything."""

import shutil
from pathlib import Path

import pytest

from explorer import runs
from explorer.askable import MODELS_FILE
from explorer.runs import Forecast, NotForeseenError

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "SPB_TEST_SERVED_KEY"
SERVED = f"[models.served]\nmodel = 'openai/served'\napi_key_env = '{VARIABLE}'\n"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "results" / "demo-verifiable", tmp_path / "demo-verifiable")
    return tmp_path


def told(app) -> str:
    return "\n".join(text.value for text in app.text)


def forecast(**missing: str) -> Forecast:
    line = {"model": "served", "role": "judge", "paradigm": "single_rubric", "variant": "default"}
    sums = {"prompt_tokens": 70, "completion_tokens": 30, "cost_usd": 0.5}
    return Forecast(
        {"planned": 7, **sums, "by_judge": [{**line, "calls": 7, **sums}], "missing_keys": missing}
    )


def test_nothing_can_be_started_before_it_was_looked_ahead(open_page, store):
    app = open_page("new_run", store)

    assert app.button(key="look_ahead").disabled
    assert app.button(key="start_run").disabled
    assert "Choose at least one judge or one model that answers." in told(app)


def test_a_paid_model_wants_a_cap(open_page, store):
    (store / MODELS_FILE).write_text(SERVED, "utf-8")
    app = open_page("new_run", store)

    app.multiselect(key="run_judges").set_value(["served"]).run()
    assert "served may cost money: say how much may be spent at most." in told(app)
    assert app.button(key="look_ahead").disabled

    app.number_input(key="run_cap").set_value(1.0).run()
    assert not app.button(key="look_ahead").disabled


def test_a_model_whose_key_is_missing_says_which_variable_it_wants(open_page, store, monkeypatch):
    (store / MODELS_FILE).write_text(SERVED, "utf-8")
    monkeypatch.setattr(runs, "forecast", lambda *_: forecast(served=VARIABLE))
    app = open_page("new_run", store)
    app.multiselect(key="run_judges").set_value(["served"]).run()
    app.number_input(key="run_cap").set_value(1.0).run()

    app.button(key="look_ahead").click().run()

    assert f"served wants its key in the environment variable {VARIABLE}, which is not set." in told(app)
    assert app.button(key="start_run").disabled


def test_what_was_looked_ahead_holds_only_for_what_was_chosen_then(open_page, store, monkeypatch):
    monkeypatch.setattr(runs, "forecast", lambda *_: forecast())
    app = open_page("new_run", store)
    app.multiselect(key="run_judges").set_value(["sim-amber-1"]).run()

    app.button(key="look_ahead").click().run()
    assert "7 calls" in told(app)
    assert not app.button(key="start_run").disabled

    app.number_input(key="run_instances").set_value(3).run()
    assert "7 calls" not in told(app)
    assert app.button(key="start_run").disabled


def test_the_commands_words_are_shown_where_it_cannot_be_looked_ahead(open_page, store, monkeypatch):
    def refused(*_: str) -> Forecast:
        raise NotForeseenError("study: '<b>' is no name")

    monkeypatch.setattr(runs, "forecast", refused)
    app = open_page("new_run", store)
    app.multiselect(key="run_judges").set_value(["sim-amber-1"]).run()

    app.button(key="look_ahead").click().run()

    assert not app.exception
    assert "study: '<b>' is no name" in told(app)


def test_a_key_in_the_list_of_models_is_refused_and_nowhere_on_the_page(open_page, store):
    key = "sk-" + "x1Y2" * 8
    (store / MODELS_FILE).write_text(SERVED + f"api_key = '{key}'\n", "utf-8")

    app = open_page("new_run", store)

    assert "a key must not stand in a configuration" in told(app)
    everything = [
        element.value for kind in (app.text, app.code, app.markdown, app.caption) for element in kind
    ]
    assert not any(key in text for text in everything)


def test_a_read_only_explorer_has_no_form_and_says_so(open_page, store, monkeypatch):
    monkeypatch.setenv("SPB_READ_ONLY", "1")

    app = open_page("new_run", store)

    assert "This explorer is read only: runs are started elsewhere." in told(app)
    assert not app.multiselect
    assert not [button for button in app.button if button.key in ("look_ahead", "start_run", "go_on")]


def test_an_address_of_a_run_that_is_not_there_is_said_to_be_none(open_page, store):
    app = open_page("new_run", store, started="demo-verifiable/20260101-000000-aaaa")

    assert "is not in this store, or did not begin." in told(app)
