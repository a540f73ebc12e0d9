"""From a number to the judgments behind it, and through them."""

import pytest
from streamlit.testing.v1 import AppTest


def texts(app: AppTest) -> list[str]:
    return [text.value for text in app.text]


def rows(app: AppTest):
    return next(frame.value for frame in app.dataframe if "verdict" in frame.value)


def test_only_overestimations_are_listed_unless_asked(open_page):
    app = open_page("verdicts", judge="dune-large")

    listed = rows(app)
    assert set(listed["judge"]) == {"dune-large"}
    assert set(zip(listed["verdict"], listed["reference"], strict=True)) == {("favourable", "unfavourable")}


def test_next_and_previous_go_through_the_list_and_stand_in_the_address(open_page):
    app = open_page("verdicts", judge="dune-large", item="3")
    total = next(text for text in texts(app) if text.startswith("3 of ")).removeprefix("3 of ")

    app.button(key="next").click().run()
    app.button(key="next").click().run()
    app.button(key="previous").click().run()

    assert f"4 of {total}" in texts(app)
    assert app.query_params["item"] == "4"


def test_the_list_goes_on_past_its_first_hundred_rows(open_page):
    app = open_page("verdicts", item="100")

    app.button(key="next").click().run()

    assert any(text.startswith("101 of ") for text in texts(app))
    assert app.session_state["rows"]["selection"]["rows"] == [0]


def test_a_row_beyond_the_list_is_named_and_the_first_shown(open_page):
    app = open_page("verdicts", judge="dune-large", item="99999")

    assert "There is no row 99999 in this selection; the first is shown." in texts(app)
    assert any(text.startswith("1 of ") for text in texts(app))


@pytest.mark.parametrize("item", ["-3", "9" * 5000])
def test_an_item_number_that_is_none_opens_the_first(open_page, item):
    app = open_page("verdicts", item=item)

    assert any(text.startswith("1 of ") for text in texts(app))


def test_searching_finds_words_in_any_text_whatever_their_case(open_page, awkward_store):
    found = open_page("verdicts", awkward_store, study="plain", q="CRITERION 1", show="all")
    nothing = open_page("verdicts", awkward_store, study="plain", q="no such words", show="all")

    assert set(rows(found)["rubric_id"]) == {"r1"}
    assert any("no judgment of this selection is of this kind" in text for text in texts(nothing))


def test_a_row_of_the_slice_opens_the_judgments_behind_it(open_page):
    app = open_page("slice", by="axis")
    table = next(frame.value for frame in app.dataframe if "hspp_self" in frame.value)
    row = table.index[(table["slice"] == "accuracy") & (table["judge"] == "dune-large")][0]

    app.session_state["numbers"] = {"selection": {"rows": [int(row)], "columns": [], "cells": []}}
    app.run()

    assert not app.exception
    assert app.header[0].value == "Verdicts"
    assert "Only axis: accuracy" in texts(app)
    assert set(rows(app)["generator"]) == {"dune-large"}
    assert app.query_params["value"] == "accuracy"


def test_every_judge_stands_beside_the_reference(open_page):
    app = open_page("verdicts", judge="dune-large")

    said = next(frame.value for frame in app.dataframe if "answer" in frame.value)
    assert len(said) == 9
    assert said.set_index("judge").loc["dune-large", "answer"].startswith("▲")
    assert any(text.startswith("reference program:") for text in texts(app))
    assert any("▲ overestimates" in text for text in texts(app))


def test_comparisons_show_both_responses(open_page):
    app = open_page("verdicts", paradigm="pairwise", judge="dune-large")

    assert not app.exception
    assert {"verdict", "opponent"} <= set(rows(app).columns)
    assert any(text.startswith("reference: a ") for text in texts(app))
