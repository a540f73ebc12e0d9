"""The side that an answer in words names, and what else it says."""

import pytest

from engine.collect.paradigms.answers.parts.answer_forms import Passage, UnclearAnswerError
from engine.collect.paradigms.answers.parts.sides import (
    contradicts,
    is_lone_letter,
    marked_sides,
    side_of,
    stated_side,
)


@pytest.mark.parametrize(
    ("before", "after", "side", "does"),
    [
        ("", "", "a", False),
        ("B is better.", "", "a", True),
        ("B is better.", "", "b", False),
        ("B is better. On the whole:", "", "a", False),  # only the last sentence before it counts
        ("A is better, though one may prefer B.", "", "a", False),  # it states both
        ("", "A is better.", "a", False),
        ("", "B wins, to be fair.", "a", True),
        ("", "I choose response B after all, as A is better", "a", True),  # any other side after it counts
        ("", "The first one is better.", "a", False),
        ("", "The latter is better.", "a", True),
        ("", "The former wins.", "b", True),
        ("", "Both are good.", "tie", False),
        ("", "A wins.", "tie", True),
        ("", "Actually, no.", "a", True),  # taken back
    ],
)
def test_words_around_an_answer_may_state_another_side(
    before: str, after: str, side: str, does: bool
) -> None:
    assert contradicts(before, after, side) is does  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("A", "a"),
        ("<verdict>B</verdict>", "b"),
        ("**Response A** is clearly better.", "a"),
        ("My final verdict: B!", "b"),
        ("Overall, the better response is A", "a"),
        ("It's a tie.", "tie"),
        ("Both are equally good", "tie"),
        ("C", None),
        ("A and B", None),
        (7, None),
        (True, None),
    ],
)
def test_a_side_is_named_and_nothing_else(text: object, side: str | None) -> None:
    assert side_of(text) == side


def test_figures_are_names_only_where_they_may_be() -> None:
    assert [side_of(each, figures=True) for each in ("1", "2", "3")] == ["a", "b", None]
    assert [side_of(each) for each in ("1", "2")] == [None, None]


def test_a_line_of_two_hundred_characters_may_name_a_side_and_no_longer_one() -> None:
    assert side_of("A".center(200)) == "a"
    assert side_of("A".center(201)) is None


@pytest.mark.parametrize("text", ["A", " b\n", "**1**", '["2"]', "t.", "`A`"])
def test_a_lone_letter_is_a_whole_answer(text: str) -> None:
    assert is_lone_letter(text)


@pytest.mark.parametrize("text", ["", "AB", "c", "A is", "3", "A" + "." * 9])
def test_anything_else_may_have_been_cut_off(text: str) -> None:
    assert not is_lone_letter(text)


def test_marks_are_found_in_order_with_their_places() -> None:
    text = "So [[A]], no: $$ b $$, or [[tie]] [[C]]"

    assert marked_sides(text) == [Passage("a", 3, 8), Passage("b", 14, 21), Passage("tie", 26, 33)]


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("It depends.\nMy verdict:\n\nB", "b"),
        ("A is better\n\nIt names the year.", "a"),
        ("It depends.\nOn what?", None),
        ("A\nThat is my answer.\nA", "a"),
    ],
)
def test_the_first_or_the_last_line_of_an_answer_names_its_side(text: str, side: str | None) -> None:
    assert stated_side(text, figures=False) == side


@pytest.mark.parametrize(
    "text",
    [
        "A\nOr rather:\nB",
        "A is better\n\nThe second one has more detail.",
        "B is better\n\nBut A is best.",
        "A tie\n\nThe winner has more detail.",
        "A is better\n\nActually, no.",
        "It ends with this:\n> A",  # a quotation
    ],
)
def test_lines_that_disagree_name_none(text: str) -> None:
    with pytest.raises(UnclearAnswerError):
        stated_side(text, figures=False)


def test_very_many_lines_are_not_looked_through() -> None:
    assert stated_side("x.\n" * 1_999 + "B", figures=False) == "b"
    assert stated_side("x.\n" * 2_000 + "B", figures=False) is None
    assert stated_side("\n" * 3_000 + "x.\nB", figures=False) == "b"
