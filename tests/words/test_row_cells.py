"""Cells of a measure's table: lists of numbers are written like single ones."""

import pytest

from engine.measures.entry import Field
from engine.words.row_cells import cell

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
