"""A page that is left stays left, also where a timer of it runs it once more."""

from explorer.page_list import BY_NAME
from explorer.parts.leaving import Leaving


def headings(app):
    return [heading.value for heading in app.header]


def test_a_page_that_was_left_and_runs_once_more_is_left_again(open_page):
    app = open_page("data")
    app.session_state["_left_page"] = Leaving("data", "measures", {"study": ["demo-pairs"]})

    app.run()

    assert headings(app) == [BY_NAME["measures"].title]
    assert "_left_page" not in app.session_state


def test_where_a_third_page_was_chosen_meanwhile_that_one_is_shown(open_page):
    app = open_page("data")
    app.session_state["_left_page"] = Leaving("measures", "judges", {})

    app.run()

    assert headings(app) == [BY_NAME["data"].title]
    assert "_left_page" not in app.session_state


def test_a_page_that_cannot_be_left_is_shown_in_the_end(open_page):
    app = open_page("data")
    app.session_state["_left_page"] = Leaving("data", "measures", {}, tries=3)

    app.run()

    assert headings(app) == [BY_NAME["data"].title]
