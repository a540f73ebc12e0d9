"""A table's rows are as tall as its longest text needs in the room that its column has."""

import json

from streamlit.testing.v1 import AppTest

from explorer.parts.components import LETTER, LONGEST_TABLE, MARGIN


def table_of(texts: list[str], width: int) -> AppTest:
    """Return a page of a window of some width with a table of a judge and a text in each row."""

    def page(texts: list[str]) -> None:
        from explorer.parts import components

        rows = [(f"judge-{place}", text) for place, text in enumerate(texts)]
        components.table(rows, {"judge": ("Judge", None), "advice": ("Advice", None)}, "advice")

    app = AppTest.from_function(page, default_timeout=60, args=(texts,))
    app.session_state["_window_width"] = width
    app.run()
    assert not app.exception
    return app


def row_height(app: AppTest) -> int:
    """Return the height of the table's rows in pixels; 0 is Streamlit's own, of one line."""
    return int(app.dataframe[0].proto.row_height)


LONG = "of some words " * 8
WRAPS_FROM = 64
"""Pixels: lower rows show one line, whatever their height."""


def test_a_text_that_its_column_has_room_for_makes_no_row_taller():
    assert row_height(table_of(["short", LONG], width=1320)) == 0


def test_texts_that_need_more_lines_have_them():
    assert row_height(table_of([LONG] * 3, width=560)) > WRAPS_FROM


def test_a_single_long_text_of_many_is_cut_leaves_the_other_rows_low_and_says_how_to_read_on():
    app = table_of(["short"] * LONGEST_TABLE + [LONG * 30], width=1320)

    assert row_height(app) == 0
    assert [text.value for text in app.text] == ["A text that is cut opens with a double click."]


def test_a_few_questions_and_answers_are_shown_whole_however_long():
    answer = (LONG * 30).strip()
    app = table_of(["short", answer], width=1320)

    assert not app.dataframe
    assert answer in [text.value for text in app.text]


def test_on_a_phone_texts_that_it_would_cut_are_in_boxes_as_a_whole():
    text = (LONG * 3).strip()
    app = table_of([text] * 2, width=360)

    assert not app.dataframe
    assert [text.value for text in app.text] == ["judge-0", text, "judge-1", text]


def test_a_text_of_a_row_by_which_its_column_is_not_measured_has_its_width():
    longer = "category Sales and agreement 0 to 0.6"
    widths = [
        json.loads(table_of(texts, width=1320).dataframe[0].proto.columns)["advice"].get("width")
        for texts in (["short"] * 9 + [longer, "short"], [longer] + ["short"] * 10)
    ]

    assert widths == [int(LETTER * len(longer)) + MARGIN, None]
