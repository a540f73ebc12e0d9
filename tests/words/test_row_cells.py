"""Cells of a measure's table: lists of numbers are written like single ones."""

import pandas as pd
import pytest

import engine
from engine.measures.entry import Field
from engine.words.row_cells import cell, format_rows

SPB = Field("spb", "list", "SPB at each epsilon", members="difference")


def test_numbers_of_a_list_are_rounded_and_have_their_intervals() -> None:
    row = {"spb": [0.12345, None, -0.5], "spb_low": [0.1, None, None], "spb_high": [0.2, None, None]}

    assert cell(row, SPB) == "+12.3 points [+10.0, +20.0]; –; -50.0 points"


def test_a_list_without_any_number_is_a_dash() -> None:
    assert cell({"spb": [None, None]}, SPB) == "–"
    assert cell({"spb": []}, SPB) == "–"


@pytest.mark.parametrize(("members", "text"), [("count", "1,200; 7"), ("text", "1200; 7")])
def test_a_list_says_what_its_members_are(members: str, text: str) -> None:
    assert cell({"n": [1200, 7]}, Field("n", "list", "cases", members=members)) == text


def test_names_and_settings_of_a_list_are_written_as_they_are() -> None:
    row = {"members": ["a", "b"], "epsilons": [0.25, 1.0]}

    assert cell(row, Field("members", "list", "judges")) == "a; b"
    assert cell(row, Field("epsilons", "list", "settings")) == "0.25; 1"


@pytest.mark.parametrize("measure", ["scorecard", "expected"])
def test_what_scores_give_is_in_points_of_100_and_no_share_of_cases(measure):
    """Each judge gives its own answers 8 of 10 and others' 6 of 10."""
    models = ("ada", "bo", "cy", "dee", "eli")
    rows = [
        {
            "judge": judge,
            "generator": writer,
            "instance_id": f"q{n}",
            "score": (8 if judge == writer else 6) / 10,
        }
        for judge in models
        for writer in models
        for n in range(12)
    ]
    study = engine.from_frame(pd.DataFrame(rows), families={name: name for name in models})

    result = study.result(measure, resamples=0)
    frame = format_rows(result, ["judge", "own_given"])

    assert frame.set_index("judge").loc["ada", "own_given"] == "80.0 points"


def test_shares_of_cases_stay_in_percent():
    frame = format_rows(engine.open_study("results/demo-health").result("scorecard"), ["judge", "own_given"])

    assert all(text.endswith("%") for text in frame["own_given"] if not text.startswith("–"))
