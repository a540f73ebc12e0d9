"""The New run page, as far as it goes without starting anything."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from collect.run.small import FakeModels, config, write_folder

from engine.collect.calls import Failure, Reply
from engine.collect.dispatch.trial import Trial
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions, Shard
from engine.store import Store
from explorer.new_run import run_processes, trials
from explorer.new_run.available_models import MODELS_FILE
from explorer.new_run.run_processes import ForecastError, PlannedCalls

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "SPB_TEST_SERVED_KEY"
SERVED = f"[models.served]\nmodel = 'openai/served'\napi_key_env = '{VARIABLE}'\n"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "results" / "demo-verifiable", tmp_path / "demo-verifiable")
    return tmp_path


def text_of(app) -> str:
    return "\n".join(text.value for text in app.text)


def forecast(*obstacles: str) -> PlannedCalls:
    line = {"model": "served", "role": "judge", "paradigm": "single_rubric", "variant": "default"}
    sums = {"prompt_tokens": 70, "completion_tokens": 30, "cost_usd": 0.5}
    return PlannedCalls(
        {"planned": 7, **sums, "by_judge": [{**line, "calls": 7, **sums}], "obstacles": obstacles}
    )


def test_nothing_can_be_started_before_an_estimate(open_page, store):
    app = open_page("new_run", store)
    assert app.button(key="start_run").disabled

    app.multiselect(key="run_judges").set_value([]).run()
    app.multiselect(key="run_generators").set_value([]).run()

    assert app.button(key="look_ahead").disabled
    assert app.button(key="start_run").disabled
    assert "Choose at least one judge or one model that answers." in text_of(app)


def test_what_the_chosen_judges_cannot_show_is_said_before_a_start(open_page, store):
    app = open_page("new_run", store)
    assert "cannot show" not in text_of(app)

    app.multiselect(key="run_judges").set_value(["sim-amber-1", "sim-amber-2"]).run()

    assert "All judges are of one family, so the run cannot show whether one favours itself" in text_of(app)


def test_a_paid_model_needs_a_cap(open_page, store):
    (store / MODELS_FILE).write_text(SERVED, "utf-8")
    app = open_page("new_run", store)

    app.multiselect(key="run_judges").set_value(["served"]).run()
    assert "served may cost money: set a spending limit." in text_of(app)
    assert app.button(key="look_ahead").disabled

    app.number_input(key="run_cap").set_value(1.0).run()
    assert not app.button(key="look_ahead").disabled


def test_a_model_whose_key_is_missing_says_which_variable_it_needs(open_page, store, monkeypatch):
    (store / MODELS_FILE).write_text(SERVED, "utf-8")
    monkeypatch.delenv(VARIABLE, raising=False)
    app = open_page("new_run", store)
    app.multiselect(key="run_judges").set_value(["served"]).run()
    app.number_input(key="run_cap").set_value(1.0).run()

    app.button(key="look_ahead").click().run()

    lacking = f"its key is read from the environment variable {VARIABLE}, which is not set; set it."
    assert f"The run would not start: models.served: {lacking}" in text_of(app)
    assert app.button(key="start_run").disabled


def test_an_estimate_holds_only_for_the_choices_it_was_made_for(open_page, store, monkeypatch):
    monkeypatch.setattr(run_processes, "forecast", lambda *_: forecast())
    app = open_page("new_run", store)
    app.multiselect(key="run_judges").set_value(["sim-amber-1"]).run()

    app.button(key="look_ahead").click().run()
    assert "7 calls" in text_of(app)
    assert list(app.dataframe[0].value["paradigm"]) == ["one criterion at a time"]
    assert not app.button(key="start_run").disabled

    app.number_input(key="run_instances").set_value(3).run()
    assert "7 calls" not in text_of(app)
    assert app.button(key="start_run").disabled


def test_a_model_that_does_not_answer_is_named_with_its_remedy_before_anything_is_paid(
    open_page, store, monkeypatch
):
    (store / MODELS_FILE).write_text(SERVED, "utf-8")
    answers = {"served": Trial(False, "It did not answer: wrong key (check the variable that holds it)")}
    called, started = [], []
    monkeypatch.setattr(run_processes, "forecast", lambda *_: forecast())
    monkeypatch.setattr(run_processes, "start", lambda *words: started.append(words) or "r1")
    monkeypatch.setattr(trials, "call_each", lambda models: called.append(list(models)) or answers)
    app = open_page("new_run", store)
    app.multiselect(key="run_judges").set_value(["sim-amber-1", "served"]).run()
    app.number_input(key="run_cap").set_value(1.0).run()
    app.button(key="look_ahead").click().run()

    app.button(key="start_run").click().run()

    assert called == [["served"]], "simulated models need no call"
    assert not started
    assert "The only model does not answer, and nothing was started." in text_of(app)
    assert "served: It did not answer: wrong key" in text_of(app)

    answers["served"] = Trial(True, "It answered in 0.1 s, for 1.000000 US dollars: ready", 1.0)
    app.button(key="start_run").click().run()
    assert not started
    assert "took 1.0000 US dollars, and the spending limit is 1: raise it" in text_of(app)

    answers["served"] = Trial(True, "It answered in 0.1 s, for 0.250000 US dollars: ready", 0.25)
    app.button(key="start_run").click().run()

    [(_, _, configured, _)] = started
    limits = tomllib.loads(configured)["run"]
    assert limits == {"max_usd": 1.0, "trial_usd": 0.25}, "calls before the run count toward its limit"
    assert "does not answer" not in text_of(app)


def test_how_many_questions_would_show_an_excess_is_said_before_a_start(open_page, store, monkeypatch):
    monkeypatch.setattr(run_processes, "forecast", lambda *_: forecast())
    models = ["sim-amber-1", "sim-birch-1", "sim-cedar-1"]
    app = open_page("new_run", store)
    app.multiselect(key="run_generators").set_value(models).run()
    app.multiselect(key="run_judges").set_value(models).run()
    app.multiselect(key="run_paradigms").set_value(["pairwise"]).run()

    app.button(key="look_ahead").click().run()

    assert "An excess of 10 in 100 own cases is found, four times in five, with about" in text_of(app)


def test_the_commands_message_is_shown_if_there_is_no_estimate(open_page, store, monkeypatch):
    def refused(*_: str) -> PlannedCalls:
        raise ForecastError("study: '<b>' is no name")

    monkeypatch.setattr(run_processes, "forecast", refused)
    app = open_page("new_run", store)
    app.multiselect(key="run_judges").set_value(["sim-amber-1"]).run()

    app.button(key="look_ahead").click().run()

    assert not app.exception
    assert "study: '<b>' is no name" in text_of(app)


def test_a_key_in_the_list_of_models_is_refused_and_nowhere_on_the_page(open_page, store):
    key = "sk-" + "x1Y2" * 8
    (store / MODELS_FILE).write_text(SERVED + f"api_key = '{key}'\n", "utf-8")

    app = open_page("new_run", store)

    assert "a configuration must not contain a key" in text_of(app)
    everything = [
        element.value for kind in (app.text, app.code, app.markdown, app.caption) for element in kind
    ]
    assert not any(key in text for text in everything)


def test_a_read_only_explorer_has_no_form_and_says_so(open_page, store, monkeypatch):
    monkeypatch.setenv("SPB_READ_ONLY", "1")

    app = open_page("new_run", store)

    assert "This explorer is read only, so nothing can be changed here." in text_of(app)
    assert not app.multiselect
    assert not [button for button in app.button if button.key in ("look_ahead", "start_run", "go_on")]


def test_an_unknown_run_in_the_address_is_reported(open_page, store):
    app = open_page("new_run", store, started="demo-verifiable/20260101-000000-aaaa")

    assert "is not in this store, or never started." in text_of(app)


def test_the_switches_for_paid_and_raw_answers_are_in_the_configuration(open_page, store):
    app = open_page("new_run", store)
    assert "cache = true" not in app.code[0].value

    app.toggle(key="run_cache").set_value(True).run()
    app.toggle(key="run_keep_raw").set_value(True).run()

    assert "[run]\ncache = true\nkeep_raw = true\n" in app.code[0].value


def test_guesses_and_savings_of_the_cache_are_shown_before_a_start(open_page, store, monkeypatch):
    estimate = forecast()
    estimate.facts.update(cached=5, saved_usd=0.25, guesses=["$0.4000 of $0.5000 is a guess"])
    monkeypatch.setattr(run_processes, "forecast", lambda *_: estimate)
    app = open_page("new_run", store)
    app.multiselect(key="run_judges").set_value(["sim-amber-1"]).run()

    app.button(key="look_ahead").click().run()

    assert "5 more calls come from the cache, which saves $0.25." in text_of(app)
    assert "$0.4000 of $0.5000 is a guess." in text_of(app)


@pytest.fixture
def unread(tmp_path: Path) -> tuple[Path, str]:
    """Return a store and its run, in which a was cut off, and b refused, malformed or unanswered."""
    of_b = iter(
        [Reply("", refusal="no"), Reply("Perhaps."), Reply("Perhaps."), Failure("server", "broken")] * 3
    )

    def answer(model: str, question: str) -> Reply | Failure:
        del question
        short = Reply('{"criteria_met": tr', finish_reason="length", shortfall="cut_off")
        return short if model == "a" else next(of_b)

    folder = write_folder(tmp_path / "data")
    report = run(config(folder), Store(tmp_path / "store"), models=FakeModels(answer))
    return tmp_path / "store", report.run_id


def test_each_kind_of_unread_answer_has_its_remedy_and_a_button(open_page, unread, monkeypatch):
    store, run_id = unread
    started = []
    monkeypatch.setattr(
        run_processes, "resume", lambda _root, run, redo=None: started.append((run.run_id, redo))
    )

    app = open_page("new_run", store, started=f"s/{run_id}")

    labels = {button.key: button.label for button in app.button if str(button.key).startswith("redo_")}
    assert labels == {
        "redo_cut_off": "Retry 12 cut off",
        "redo_malformed": "Retry 6 malformed",
        "redo_refused": "Retry 3 refused",
        "redo_error": "Retry 3 failed",
    }
    assert text_of(app).count("12 unparsed: cut off at the limit of tokens (raise max_tokens).") == 1
    app.button(key="redo_malformed").click().run()
    assert started == [(run_id, "malformed")]


def test_a_higher_token_limit_applies_only_to_judges_that_were_cut_off(open_page, unread, monkeypatch):
    store, run_id = unread
    monkeypatch.setattr(run_processes, "resume", lambda *_: None)
    app = open_page("new_run", store, started=f"s/{run_id}")

    app.number_input(key="redo_tokens").set_value(900).run()
    app.button(key="redo_cut_off").click().run()

    models = tomllib.loads((store / ".runs" / "s" / run_id / "config.toml").read_text())["models"]
    assert models["a"]["params"] == {"max_tokens": 900}
    assert "params" not in models["b"]


def test_a_run_that_stopped_at_its_cap_resumes_with_a_higher_one(open_page, unread, monkeypatch):
    store, run_id = unread
    caps = []
    monkeypatch.setattr(run_processes, "resume", lambda _root, _run, cap=None: caps.append(cap))
    path = store / ".runs" / "s" / run_id / "status.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"state": "budget", "max_usd": 2.0}))
    app = open_page("new_run", store, started=f"s/{run_id}")

    assert "stopped at its spending limit; raise it to go on." in text_of(app)
    app.number_input(key=f"cap_{run_id}").set_value(3.5).run()
    app.button(key="go_on").click().run()

    assert caps == [3.5]


def test_the_last_message_of_a_run_names_no_commands(open_page, unread):
    store, run_id = unread
    path = store / ".runs" / "s" / run_id / "status.json"
    message = "give these answers a reference (people's labels: `spb label`)"
    status = json.loads(path.read_text()) | {"state": "budget", "message": message}
    path.write_text(json.dumps(status))

    app = open_page("new_run", store, started=f"s/{run_id}")

    assert "give these answers a reference (people's labels)" in text_of(app)
    assert "`spb" not in text_of(app)


def test_a_run_in_shards_is_shown_and_resumed_as_one(open_page, tmp_path, monkeypatch):
    settings = config(write_folder(tmp_path / "data"))
    store = Store(tmp_path / "store")
    shard = RunOptions(shard=Shard(1, 3), command="spb run run.toml --shard 1/3")
    report = run(settings, store, shard, models=FakeModels())
    launched = []
    monkeypatch.setattr(
        run_processes, "_launch", lambda _, folder, run_id, *__: launched.append((folder, run_id))
    )

    app = open_page("new_run", tmp_path / "store", study="s", started=f"s/{report.run_id}")

    text = text_of(app)
    assert (
        f"Run {report.run_id} of s is done in the shards that have begun; resume it for the others." in text
    )
    assert f"{report.done} of {report.done} calls answered" in text
    assert "Shard 1/3: done." in text
    assert "Not begun: 2/3 and 3/3." in text

    app.button(key="go_on").click().run()

    [(folder, run_id)] = launched
    assert (folder.path.name, run_id) == (report.run_id, report.run_id)
    assert tomllib.loads(folder.config.read_text())["study"] == "s"
