"""All that a configuration knows of judging can be chosen on the page New run."""

import shutil
from pathlib import Path
from typing import get_args

import pytest
from explorer_studies import Open
from streamlit.testing.v1 import AppTest

from engine.collect.configuration.config import Change, PairRule, Task
from engine.collect.configuration.read_config import parse_config
from engine.collect.paradigms.template_files import shipped_variants
from engine.collect.paradigms.templates import REWRITE
from engine.paradigms import PARADIGMS
from explorer.new_run import panel
from explorer.new_run.run_choices import RunChoices
from explorer.new_run.run_processes import PlannedCalls
from explorer.new_run.run_progress import show_forecast
from explorer.new_run.run_settings import (
    CHANGE_WORDS,
    ORDERING_WORDS,
    PAIR_WORDS,
    TASK_WORDS,
    VARIANT_WORDS,
)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page(open_page: Open, tmp_path: Path) -> AppTest:
    shutil.copytree(ROOT / "results" / "demo-health", tmp_path / "demo-health")
    return open_page("new_run", tmp_path)


def document(page: AppTest) -> str:
    return str(page.code[0].value)


def test_every_choice_of_the_configuration_has_its_words() -> None:
    assert {"all", *PAIR_WORDS} == {*get_args(PairRule)}
    assert {*CHANGE_WORDS} == {*get_args(Change)}
    assert {*TASK_WORDS} == {*get_args(Task)}
    assert {*ORDERING_WORDS} == {"original", "reversed", "rotated"}
    assert {*VARIANT_WORDS} == {name for each in PARADIGMS for name in shipped_variants(each)}


def test_all_paradigms_variants_orders_and_pairs_are_in_the_configuration(page: AppTest) -> None:
    page.multiselect(key="run_paradigms").set_value(list(PARADIGMS)).run()
    page.multiselect(key="run_variants").set_value(["default", "cot", "forced_tie"]).run()
    page.multiselect(key="run_orderings").set_value(["original", "rotated"]).run()
    page.number_input(key="run_repeats").set_value(2).run()
    page.number_input(key="run_lists").set_value(4).run()
    page.multiselect(key="run_pairs").set_value(["equal", "contrast"]).run()
    page.multiselect(key="run_quality_judges").set_value(["sim-birch-1"]).run()
    page.selectbox(key="run_task").select("help").run()

    config = parse_config(document(page))

    assert config.paradigms == list(PARADIGMS)
    assert config.variants == ["default", "cot", "forced_tie"]
    assert config.orderings == ["original", "rotated"]
    assert (config.repeats, config.lists, config.task) == (2, 4, "help")
    assert config.pairs == ["equal", "contrast"]
    assert config.quality_judges == ["sim-birch-1"]


def test_answers_are_rewritten_by_a_chosen_model(page: AppTest) -> None:
    page.multiselect(key="run_transforms").set_value(["paraphrase", "author"]).run()
    assert page.button(key="look_ahead").disabled
    assert any(text.value == "Choose the model that rewrites the answers (paraphrase)." for text in page.text)

    page.selectbox(key="run_rewriter").select("sim-cedar-1").run()

    transforms = parse_config(document(page)).transforms
    assert (transforms["paraphrase"].make, transforms["paraphrase"].by) == ("rewrite", "sim-cedar-1")
    assert transforms["author"].make == "author"


def test_every_shipped_rewriting_can_be_chosen(page: AppTest) -> None:
    offered = page.multiselect(key="run_transforms").options

    assert len(offered) == len(shipped_variants(REWRITE)) + len(CHANGE_WORDS) - 1


def test_the_configuration_has_no_settings_that_nobody_changed(page: AppTest) -> None:
    assert not [
        name for name in ("variants", "orderings", "pairs", "lists", "task") if name in document(page)
    ]


def choices(**models: dict[str, object]) -> RunChoices:
    return RunChoices(
        source="demo-health",
        from_study=True,
        study="mine",
        generators=(),
        judges=tuple(models),
        paradigms=("single_rubric",),
        instances=5,
        seed=0,
        cap=None,
        models=dict(models),
    )


FREE = {"model": "openai/qwen", "price": {"input_per_million": 0.0, "output_per_million": 0.0}}


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ({"sim": {"model": "simulated/sim"}}, "Nothing is paid: no provider is called. Simulated models"),
        ({"qwen": FREE}, "The models cost nothing. How long it takes"),
        ({"qwen": FREE, "sim": {"model": "simulated/sim"}}, "The models cost nothing. How long it takes"),
    ],
)
def test_served_models_are_never_called_simulated(
    models: dict[str, dict[str, object]], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(panel.components, "say", lambda *sentences, **_: shown.extend(sentences))
    monkeypatch.setattr(panel.components, "table", lambda *_, **__: None)
    facts = {"planned": 7, "prompt_tokens": 70, "completion_tokens": 7, "cost_usd": 0.0, "by_judge": []}

    show_forecast(PlannedCalls(facts), choices(**models))

    assert any(sentence.startswith(words) for sentence in shown)
    assert ("Simulated" in " ".join(shown)) == ("Simulated" in words)


def test_a_cost_is_shown_with_its_range(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(panel.components, "say", lambda *sentences, **_: shown.extend(sentences))
    monkeypatch.setattr(panel.components, "table", lambda *_, **__: None)
    facts = {"planned": 7, "prompt_tokens": 70, "completion_tokens": 7, "by_judge": []}
    costs = {"cost_usd": 2.0, "cost_usd_low": 1.5, "cost_usd_high": 3.25}

    show_forecast(PlannedCalls(facts | costs), choices(paid={"model": "openai/x"}))

    assert "About 2.00 US dollars, between 1.50 and 3.25." in shown
