"""The views of one judge: the page that opens it and a pin show the same reasons, slices and rank."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

import engine
from engine.report.exhibit import exhibit_of
from engine.store.study_files import Pin
from engine.views.registry import VIEWS

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("reasons", "strongest_slices", "own_rank")


def test_the_page_of_a_judge_and_its_pins_show_the_same_rows(monkeypatch):
    monkeypatch.setenv("SPB_STORE", str(ROOT / "results"))
    study = engine.open_study(ROOT / "results" / "demo-health")
    tables = {name: VIEWS[name].shown(study, {"judge": ("dune-large",)}).table for name in NAMES}

    page = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=90)
    page.query_params["study"], page.query_params["judge"] = "demo-health", "dune-large"
    for name in NAMES:
        page.session_state[f"{name}_open"] = True
    page.run()

    on_page = [[tuple(row) for row in frame.value.itertuples(index=False)] for frame in page.dataframe]
    for name, table in tables.items():
        pin = Pin(id="00000000", page=name, view={"judge": ("dune-large",)}, title="x")
        assert list(table.rows) in on_page, name
        assert exhibit_of(study, pin).table == table


def test_without_a_judge_nothing_is_shown():
    study = engine.open_study(ROOT / "results" / "demo-health")

    assert [VIEWS[name].shown(study, {}).table for name in NAMES] == [None, None, None]


def test_the_slices_are_those_with_the_highest_lower_ends_first():
    study = engine.open_study(ROOT / "results" / "demo-health")

    records = VIEWS["strongest_slices"].shown(study, {"judge": ("dune-large",)}).table.records

    lows = [row["hspp_self_low"] for row in records]
    assert lows == sorted(lows, reverse=True)
