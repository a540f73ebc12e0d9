"""The configurations that the New run page builds, and what it refuses."""

import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from explorer_studies import HOSTILE

from engine.collect.configuration.read_config import parse_config
from engine.collect.run_folder import run_folder
from engine.errors import UsageError
from engine.store import Store
from explorer.new_run import run_processes
from explorer.new_run.available_models import MODELS_FILE, SIMULATED, available_models, is_paid, models_path
from explorer.new_run.run_choices import RunChoices, blind_spot, configuration

PAID = {"model": "openai/served", "family": "gamma", "api_key_env": "SERVED_KEY"}
KEY = "sk-" + "x1Y2" * 8


def choices(**changes: object) -> RunChoices:
    values: dict[str, object] = {
        "source": "demo-health",
        "from_study": True,
        "study": "mine",
        "generators": (),
        "judges": ("sim-amber-1", "sim-birch-1"),
        "paradigms": ("single_rubric", "pairwise"),
        "instances": 5,
        "seed": 3,
        "cap": None,
        "models": {**SIMULATED, "served": PAID},
    }
    return RunChoices(**(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "demo-health").mkdir()
    return str(tmp_path)


def test_spb_run_accepts_the_configuration_of_a_form(root):
    config = parse_config(configuration(choices(judges=("sim-amber-1", "served"), cap=2.5), root))

    assert (config.study, config.seed) == ("mine", 3)
    assert config.data == str(Path(root, "demo-health").absolute())
    assert config.judges == ["sim-amber-1", "served"]
    assert config.paradigms == ["single_rubric", "pairwise"]
    assert config.sample.n == 5
    assert config.run.max_usd == 2.5
    assert set(config.models) == {"sim-amber-1", "served"}
    assert config.models["served"].api_key_env == "SERVED_KEY"


def test_spb_run_accepts_a_run_in_batches(root):
    form = choices(judges=("served",), cap=2.5, batches=True)

    config = parse_config(configuration(form, root))

    assert form.lacking is None
    assert (config.mode, config.run.max_usd) == ("batch", 2.5)


def test_a_study_that_receives_its_own_answers_needs_no_data(root):
    assert parse_config(configuration(choices(study=" demo-health "), root)).data is None


def test_a_data_set_is_named_and_not_taken_for_a_folder(root):
    config = parse_config(configuration(choices(source="ifeval", from_study=False, instances=None), root))

    assert config.data == "ifeval"
    assert config.sample is None


@pytest.mark.parametrize("study", ["../up", ".hidden", "a/b", "<b>/</b>", "x" * 300, 'a"\nstudy = "b'])
def test_a_study_cannot_have_a_name_that_leaves_the_store(root, study):
    with pytest.raises(UsageError, match="study"):
        parse_config(configuration(choices(study=study), root))


@pytest.mark.parametrize("text", [*HOSTILE, 'a"\nstudy = "b', '""" \\u0041'])
def test_typed_text_never_becomes_configuration(root, text):
    config = tomllib.loads(configuration(choices(study=text, source=text, from_study=False), root))

    assert config["study"] == config["data"] == text
    assert set(config) == {"study", "seed", "data", "generators", "judges", "paradigms", "sample", "models"}


@pytest.mark.parametrize("name", [*HOSTILE, "a.b", 'quo"te', "שלום"])
def test_a_model_may_have_any_name(root, name):
    config = parse_config(
        configuration(choices(judges=(name,), models={name: SIMULATED["sim-amber-1"]}), root)
    )

    assert config.judges == [name]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"study": " "}, "Name the study"),
        ({"judges": ()}, "at least one judge"),
        ({"paradigms": ()}, "at least one paradigm"),
        ({"judges": ("served",)}, "served may cost money"),
        ({"generators": ("served",), "cap": 0.0}, "served may cost money"),
        ({"judges": ("served", "sim-amber-1"), "cap": 1.0, "batches": True}, "no batches for sim-amber-1"),
    ],
)
def test_a_missing_choice_is_named(changes, sentence):
    assert sentence in str(choices(**changes).lacking)


def test_a_complete_form_lacks_nothing():
    assert choices().lacking is None
    assert choices(judges=("served",), cap=1.0).lacking is None


@pytest.mark.parametrize(
    ("table", "paid"),
    [
        ({"model": "simulated/x"}, False),
        ({"model": "openai/x"}, True),
        ({"model": "openai/x", "price": {}}, True),
        ({"model": "openai/x", "price": {"input_per_million": 0, "output_per_million": 0}}, False),
        ({"model": "openai/x", "price": {"input_per_million": 0, "output_per_million": 1}}, True),
        ({}, True),
    ],
)
def test_a_model_costs_money_unless_it_is_simulated_or_its_price_is_zero(table, paid):
    assert is_paid(table) is paid


def test_the_users_models_are_listed_before_the_simulated_ones(root):
    Path(root, MODELS_FILE).write_text("[models.mine]\nmodel = 'openai/mine'\n", "utf-8")

    assert list(available_models(root)) == ["mine", *SIMULATED]


def test_the_list_of_models_may_be_elsewhere(tmp_path, monkeypatch):
    file = tmp_path / "elsewhere.toml"
    file.write_text("[models.mine]\nmodel = 'openai/mine'\n", "utf-8")
    monkeypatch.setenv("SPB_MODELS", str(file))

    assert "mine" in available_models("s3://bucket/store")


def test_a_store_that_is_not_on_this_disk_has_no_list_of_its_own(monkeypatch):
    monkeypatch.delenv("SPB_MODELS", raising=False)

    assert models_path("s3://bucket/store") is None
    assert available_models("s3://bucket/store") == SIMULATED


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[models.mine\n", "not TOML: .*line 1"),
        ("models = 3\n", "not a set of tables"),
        ("[models]\nmine = 3\n", "not a set of tables"),
        ("[models.mine]\nmodell = 'x'\n", "models.mine.modell: unknown field; choose from: model, family"),
        ("[models.mine]\nfamily = 'x'\n", "models.mine.model is missing"),
        (f"[models.mine]\nmodel = 'openai/x'\napi_key = '{KEY}'\n", "must not contain a key"),
        (f"[models.mine]\nmodel = 'openai/x'\napi_key_env = '{KEY}'\n", "must not contain a key"),
        (f"[models.mine]\nmodel = 'openai/x\napi_key = '{KEY}'\n", "not TOML"),
    ],
)
def test_a_broken_list_of_models_is_named_with_what_is_wrong_and_without_keys(root, text, says):
    Path(root, MODELS_FILE).write_text(text, "utf-8")

    with pytest.raises(UsageError, match=says) as caught:
        available_models(root)

    assert MODELS_FILE in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_list_of_models_that_is_no_text_is_named(root):
    Path(root, MODELS_FILE).write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UsageError, match="not UTF-8 text"):
        available_models(root)


def test_questions_of_a_study_on_s3_stay_with_their_study():
    with pytest.raises(UsageError, match="to the study 'demo-health' itself"):
        configuration(choices(), "s3://bucket/store")

    assert "data" not in configuration(choices(study="demo-health"), "s3://bucket/store")


def test_a_read_only_explorer_refuses_to_start_resume_and_cancel(root, monkeypatch):
    monkeypatch.setenv("SPB_READ_ONLY", "1")
    run = SimpleNamespace(study="mine")

    for act in (
        lambda: run_processes.start(root, "mine", configuration(choices(), root)),
        lambda: run_processes.resume(root, run),
        lambda: run_processes.cancel(run),
    ):
        with pytest.raises(UsageError, match="read only"):
            act()
    assert not Path(root, ".runs").exists()


def test_a_run_that_is_resumed_keeps_the_cap_of_its_command_line(root, monkeypatch):
    started = []
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: started.append(words))
    monkeypatch.setattr(run_processes, "_processes", list)
    folder = run_folder(Store(root), "mine", "run-1")
    capped = SimpleNamespace(study="mine", run_id="run-1", folder=folder, status={"max_usd": 2.5})
    free = SimpleNamespace(study="mine", run_id="run-1", folder=folder, status={"max_usd": None})

    run_processes.resume(root, capped)
    run_processes.resume(root, capped, "unparsed")
    run_processes.resume(root, free)

    first, second, third = ([word for word in words if word.startswith("--")] for words in started)
    assert "--max-usd=2.5" in first
    assert {"--max-usd=2.5", "--redo=unparsed"} <= set(second)
    assert third == ["--store", "--run-id"]


def test_streamlits_secrets_reach_a_run_through_its_environment_and_nowhere_else(monkeypatch):
    monkeypatch.setattr(st, "secrets", {"SERVED_KEY": KEY, "table": {"inner": KEY}, "PATH": "mine"})

    environment = run_processes.environment()

    assert environment["SERVED_KEY"] == KEY
    assert "table" not in environment
    assert environment["PATH"] != "mine"


FAMILIES = {name: table["family"] for name, table in SIMULATED.items()}
AMBER, BIRCH = ("sim-amber-1", "sim-amber-2"), ("sim-birch-1",)


@pytest.mark.parametrize(
    ("judges", "answering", "says"),
    [
        (tuple(SIMULATED), tuple(SIMULATED), None),
        (AMBER, tuple(SIMULATED), "All judges are of one family"),
        # three judges of two families: each response is of the judge's family or of the outside judge's
        (
            (*AMBER, *BIRCH),
            (*AMBER, *BIRCH),
            "sim-amber-2 or sim-birch-1 favours itself: no judge of another",
        ),
        ((*AMBER, *BIRCH), tuple(SIMULATED), None),
        (("sim-amber-1", *BIRCH), tuple(SIMULATED), "Two judges are too few"),
        (tuple(SIMULATED), (*AMBER, "sim-cedar-1"), "sim-birch-1 favours itself, as none of the answers"),
        (BIRCH, AMBER, "No judge judges answers of its own"),
        (BIRCH, (), None),
    ],
)
def test_what_a_choice_of_judges_and_responses_cannot_show(judges, answering, says):
    families = {name: FAMILIES[name] for name in answering}

    sentence = blind_spot(choices(judges=judges, instances=20), families)

    assert (sentence is None) if says is None else (sentence is not None and says in sentence)


def test_a_run_on_few_instances_is_said_to_be_too_small():
    sentence = blind_spot(choices(judges=tuple(SIMULATED), instances=9), FAMILIES)

    assert sentence == "Fewer than 10 questions are too few for a conclusion on any judge."
