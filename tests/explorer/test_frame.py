"""The frame of every page: the study's list and the links, in one row without a sidebar."""

import pytest


def test_the_list_of_studies_stands_on_the_page_and_there_is_no_sidebar(open_page):
    app = open_page(study="demo-health")

    [studies] = [box for box in app.main.selectbox if box.label == "Study"]
    assert studies.value == "demo-health"
    assert not app.sidebar.children


def test_another_study_is_opened_from_the_list(open_page):
    app = open_page(study="demo-health")

    [studies] = [box for box in app.main.selectbox if box.label == "Study"]
    studies.select("demo-pairs").run()

    assert not app.exception
    assert "Pairs" in " ".join(text.value for text in app.text)


@pytest.mark.parametrize("page", ["Data", "New run"])
def test_data_and_a_new_run_are_links_of_the_row_itself(open_page, page):
    app = open_page(study="demo-health")

    row = [link.label for link in app.main.get("page_link")]

    assert row.index(page) < row.index("Which judge")


def test_an_address_with_a_number_out_of_range_says_what_it_can_be(open_page):
    app = open_page("equal_quality", study="demo-pairs", epsilon="70")

    assert not app.exception
    texts = [text.value for text in app.text]
    assert "Equal within (epsilon) '70' is not a number from 0 to 2." in texts


def test_an_address_with_an_unknown_choice_or_part_says_what_was_dropped(open_page):
    app = open_page("paradigms", study="demo-health", part="comittee", polarit="negative")

    texts = [text.value for text in app.text]
    assert "Part 'comittee' is not in this study and was removed from the selection." in texts
    assert "'polarit' in the address is no choice of this page and had no effect." in texts
