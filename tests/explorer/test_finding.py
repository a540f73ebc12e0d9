"""The panel that finds slices, driven as a reader would."""

import pytest

import engine
from engine.explore.find_slices import listed_rows
from engine.views.standout_slices import MOST
from engine.words import slice_words
from engine.words.short_titles import slice_place


def texts(app):
    return "\n".join(element.value for element in app.text)


@pytest.fixture(scope="module")
def expected():
    return engine.open_study("results/demo-health").find_result()


def test_slices_are_searched_only_on_request(open_page):
    app = open_page("workbench")

    assert "tried" not in texts(app)
    assert any(toggle.label == "Find slices" for toggle in app.toggle)


def test_the_panel_names_slices_that_stand_out_and_lists_the_clearest(open_page, expected):
    app = open_page("workbench", find="true")

    for sentence in slice_words.slice_sentences(expected.rows, len(expected.rows)):
        assert sentence in texts(app)
    slices = next(frame.value for frame in app.dataframe if "where" in frame.value.columns)
    assert len(slices) == MOST
    clearest = [slice_place(row["where"]) for row in listed_rows(expected.rows)[:MOST]]
    assert slices["where"].tolist() == clearest


def test_the_switch_is_in_the_address(open_page):
    app = open_page("workbench")

    next(toggle for toggle in app.toggle if toggle.label == "Find slices").set_value(True).run()

    assert app.query_params["find"] in ("true", ["true"])


def test_the_search_stays_within_the_chosen_filters(open_page):
    app = open_page("workbench", find="true", judges="dune-large", polarity="positive")

    slices = next(frame.value for frame in app.dataframe if "where" in frame.value.columns)
    assert set(slices["judge"]) == {"dune-large"}
    assert not slices["where"].str.contains("polarity").any()


def test_judgments_of_pairs_say_why_they_have_no_such_slices(open_page):
    app = open_page("workbench", find="true", paradigm="pairwise", level="instance")

    assert "pairwise" in texts(app)
    assert app.get("vega_lite_chart")  # the page still has its own chart


def test_a_study_with_too_little_says_so(open_page, awkward_store):
    app = open_page("workbench", awkward_store, study="plain", find="true")

    assert "no slice has enough own failures to be tested" in texts(app)
