"""Gold by judges from the explorer: a run with gold judges, and a button for pairs judged already."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from explorer_studies import Open
from streamlit.testing.v1 import AppTest

from engine.collect.configuration.read_config import parse_config
from engine.collect.run.start import run
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from explorer.new_run import run_processes
from explorer.new_run.run_processes import PlannedCalls

ROOT = Path(__file__).resolve().parents[2]
GOLD = ["sim-amber-2", "sim-birch-1", "sim-cedar-1"]


@pytest.fixture
def page(open_page: Open, tmp_path: Path) -> AppTest:
    """Open New run with one judge, one question and pairs by one letter."""
    shutil.copytree(ROOT / "results" / "demo-health", tmp_path / "demo-health")
    page = open_page("new_run", tmp_path)
    page.multiselect(key="run_judges").set_value(["sim-amber-1"]).run()
    page.multiselect(key="run_generators").set_value([]).run()
    page.multiselect(key="run_paradigms").set_value(["pairwise"]).run()
    page.multiselect(key="run_variants").set_value(["forced"]).run()
    page.number_input(key="run_instances").set_value(1).run()
    return page


def test_a_gold_run_is_started_with_the_settings_shown(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    def run_here(root: str, _study: str, text: str, _questions: object) -> str:
        started.append(text)
        return run(parse_config(text, folder=Path(root)), Store(root)).run_id

    sums = {"prompt_tokens": 1, "completion_tokens": 1, "cost_usd": 0.0, "by_judge": []}
    monkeypatch.setattr(run_processes, "forecast", lambda *_: PlannedCalls({"planned": 4, **sums}))
    monkeypatch.setattr(run_processes, "start", run_here)

    page.multiselect(key="run_gold_judges").set_value(GOLD).run()
    shown = str(page.code[0].value)
    page.button(key="look_ahead").click().run()
    page.button(key="start_run").click().run()

    assert not page.exception
    assert [text.rstrip() for text in started] == [shown]
    config = parse_config(shown)
    assert (config.gold_judges, config.judges, config.variants) == (GOLD, ["sim-amber-1"], ["forced"])
    assert set(config.models) == {"sim-amber-1", *GOLD}
    rows = Store(tmp_path).open("demo-health-run").table("preferences").to_pylist()
    sources = Counter(row["source"] for row in rows)
    assert set(sources) == {*GOLD, "committee:gold"}
    assert len(set(sources.values())) == 1, "each gold judge, and their panel, decides every pair"


def test_two_gold_judges_are_too_few_to_start(page: AppTest) -> None:
    page.multiselect(key="run_gold_judges").set_value(GOLD[:2]).run()

    assert page.button(key="look_ahead").disabled
    assert any(text.value == "Choose at least 3 gold judges, or none." for text in page.text)


def test_gold_judges_are_not_offered_for_drawn_pairs(page: AppTest) -> None:
    page.multiselect(key="run_pairs").set_value(["contrast"]).run()

    assert not [each for each in page.multiselect if each.key == "run_gold_judges"]
    assert parse_config(str(page.code[0].value)).gold_judges == []


def import_pairs(folder: Path, **more: list[dict[str, Any]]) -> Path:
    """Import a pair judged by three models in both orders, with `more` tables; return the store."""
    models = ("a", "b", "c")
    pair = {"paradigm": "pairwise", "instance_id": "x", "generator": "a", "opponent": "b"}
    tables: dict[str, list[dict[str, Any]]] = {
        "models": [{"model": model, "family": model} for model in models],
        "instances": [{"instance_id": "x", "prompt": "Which?"}],
        "judgments": [
            pair | {"judge": judge, "first": first, "choice": "generator"}
            for judge in models
            for first in ("generator", "opponent")
        ],
    }
    exchange = folder / "exchange"
    exchange.mkdir()
    for name, rows in (tables | more).items():
        (exchange / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    import_tidy(exchange, Store(folder / "store"), "pairs")
    return folder / "store"


def test_judges_of_pairs_become_gold_judges_by_a_button(open_page: Open, tmp_path: Path) -> None:
    store = import_pairs(tmp_path)

    app = open_page("quality_baseline", store, study="pairs")
    assert app.button(key="gold").label == "Take the 3 judges as gold judges of pairs"
    app.button(key="gold").click().run()

    assert not app.exception
    rows = Store(store).open("pairs").table("preferences").to_pylist()
    assert Counter(row["outcome"] for row in rows) == {1: 4}
    assert "committee:all-judges" in {row["source"] for row in rows}
    assert not [button for button in app.button if button.key == "gold"]


def test_a_page_of_pairs_says_that_preferences_are_no_reference_and_where_they_count(
    open_page: Open, tmp_path: Path
) -> None:
    preference = {"instance_id": "x", "generator": "a", "opponent": "b", "source": "human", "outcome": 1}
    store = import_pairs(tmp_path, preferences=[preference])

    app = open_page("equal_quality", store, study="pairs")

    lines = "\n".join(text.value for text in app.text)
    assert (
        "people's preferences and judges' votes on pairs do not make one. Where preferences count:" in lines
    )
    assert "the study has no reference that scores answers; preferences on pairs do not make one" in lines
    assert "no reference yet" not in lines
    assert [link.proto.label for link in app.get("page_link") if "agree with people" in link.proto.label]
