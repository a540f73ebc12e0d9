"""The view of the gold stress test: what it says first, and a dot for every panel."""

import json
from pathlib import Path

import engine
from engine.charts.panel_dots import panel_dot_rows
from engine.views.registry import VIEWS
from engine.words.gold_stress import gold_stress_sentences

ROOT = Path(__file__).resolve().parents[2]


def row_of(judge, value, low, high, panels, **more):
    return {
        "judge": judge,
        "number": "dbg",
        "value": value,
        "value_low": low,
        "value_high": high,
        "least": min(panels.values()),
        "greatest": max(panels.values()),
        "same_side": 1 if len({one > 0 for one in panels.values()}) == 1 else 0.5,
        "gold_judges": ["p", "q"],
        "changes": [0.01, 0.03],
        "panels": list(panels),
        "value_by_panel": list(panels.values()),
        "families_without": [],
        "value_without": [],
        "n": 40,
        "small": False,
        **more,
    }


def test_what_holds_under_every_panel_is_said_first_then_the_gold_judge_that_matters_most():
    sentences = gold_stress_sentences(
        [
            row_of("a", 0.1, 0.05, 0.15, {"p": 0.08, "q": 0.12, "p + q": 0.1}),
            row_of("b", 0.01, -0.05, 0.06, {"p": -0.04, "q": 0.05, "p + q": 0.01}),
        ]
    )

    assert sentences == (
        (
            "DBG, under 3 panels of 2 gold judges: the only judge whose interval excludes 0 stays on that "
            "side under all; no judge whose interval includes 0 stays on one side."
        ),
        "b moves most, from -4.0 to +5.0 points.",
        "q matters most: when it leaves a panel, the number moves by 3.0 points on average (others: p 1.0).",
    )


def test_a_family_that_turns_a_clear_judge_is_named():
    turned = row_of(
        "a", 0.1, 0.05, 0.15, {"p": -0.02, "q": 0.12}, families_without=["F"], value_without=[-0.02]
    )

    assert gold_stress_sentences([turned])[-1] == (
        "Of the former, these change sides when a family of gold judges is left out: without F: a."
    )


def test_the_picture_has_a_dot_for_every_panel_of_each_judge():
    study = engine.open_study(ROOT / "results" / "demo-pairs")

    shown = VIEWS["gold_stress"].shown(study, {})

    rows = study.result("gold-stress", resamples=10).rows
    frame = panel_dot_rows(rows)
    dots = frame[(frame["number"] == "DBG") & (frame["series"] == "any panel")]
    assert dots.groupby("judge").size().to_list() == [7] * 9
    assert shown.problems == ()
    assert json.dumps(shown.figure.spec).count("rowan-large") > 7
    assert any("never its own gold judge" in line for line in shown.basis)
