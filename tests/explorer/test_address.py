"""The view in the address, and the address in the view."""

from html import unescape
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from engine.explore.filter_choices import Choices
from explorer import page_list
from explorer.parts import context, selection
from explorer.workbench import filter_values

CHOICES = Choices(
    values={"axis": ("a,b", "c"), "judges": ("j 1", "x/y"), "paradigm": ("single_rubric", "pairwise")},
    ranges={"length": (5.0, 300.0), "min_agreement": (0.0, 1.0)},
    groupings=("axis",),
    models=("j 1", "x/y"),
    judges=("j 1", "x/y"),
)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("axis", ["a,b", "c"], ("a,b", "c")),
        ("paradigm", "pairwise", ("pairwise",)),
        ("length", (10.0, 80.0), ("10:80",)),
        ("min_agreement", 0.9, ("0.9",)),
        ("exclude_family", True, ("true",)),
    ],
)
def test_a_choice_survives_the_address_unchanged(name, value, expected):
    texts = filter_values.encode(name, value, CHOICES.ranges.get(name))

    assert texts == expected
    assert filter_values.decode(name, texts, CHOICES) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("axis", []),
        ("paradigm", None),
        ("length", (5.0, 300.0)),
        ("min_agreement", 0.0),
        ("exclude_family", False),
    ],
)
def test_a_filter_that_selects_all_is_not_in_the_address(name, value):
    assert filter_values.encode(name, value, CHOICES.ranges.get(name)) == ()


@pytest.mark.parametrize("text", ["80:10", "x", "1:2:3", "nan:5", "400:500", ""])
def test_an_invalid_range_is_rejected(text):
    assert filter_values.decode("length", (text,), CHOICES) is None
    assert not CHOICES.allows("length", text)


def test_a_range_open_at_an_end_extends_to_the_bounds_of_the_study():
    assert filter_values.decode("length", (":80",), CHOICES) == (5.0, 80.0)
    assert filter_values.decode("length", ("10:",), CHOICES) == (10.0, 300.0)


def add_filter(app: AppTest, name: str):
    """Open the list of filters, choose one, and return its widget."""
    app.session_state["add_filter"] = True
    app.run()
    app.selectbox(key="adding").set_value(name).run()
    return app.multiselect(key=f"w_{name}")


def numbers(app: AppTest) -> list[str]:
    app.session_state["slices_open"] = True
    app.run()
    return next(frame.value for frame in app.dataframe if "excess" in frame.value)["judge"].tolist()


def test_a_filter_chosen_on_the_page_is_in_the_address(open_page):
    app = open_page("workbench")

    add_filter(app, "axis").set_value(["accuracy"]).run()
    add_filter(app, "judges").set_value(["dune-large"]).run()

    assert app.query_params["axis"] == "accuracy"
    assert app.query_params["judges"] == "dune-large"
    assert numbers(app) == ["dune-large"]


def test_a_chip_names_its_filter_and_its_cross_removes_it(open_page):
    app = open_page("workbench", axis=["accuracy", "completeness"], length="20:90", min_agreement="0.8")
    chips = [unescape(block.proto.popover.label) for block in app.main.get("popover")]

    app.button(key="off_axis").click().run()

    for words in ("Axis: accuracy, completeness", "Length of the criterion: 20 to 90 characters"):
        assert words in chips
    assert set(app.query_params) == {"study", "length", "min_agreement"}


def test_a_range_of_lengths_names_its_unit(open_page):
    app = open_page("workbench", length="20:90", length_unit="words", response_length="200:")
    chips = [unescape(block.proto.popover.label) for block in app.main.get("popover")]

    assert "Length of the criterion: 20 to 90 words" in chips
    assert "Length of the answer: from 200 characters" in chips
    assert app.slider(key="w_length").label == "Length of the criterion, in words"


def test_a_filter_with_a_chip_is_not_offered_again(open_page):
    app = open_page("workbench", axis="accuracy")

    app.session_state["add_filter"] = True
    app.run()

    options = app.selectbox(key="adding").options
    assert "Polarity" in options
    assert "Axis" not in options


def test_a_criterion_that_recurs_is_a_filter_which_an_address_may_call_so(open_page, awkward_store):
    app = open_page("workbench", awkward_store, study="plain", criterion="r1")

    assert app.multiselect(key="w_rubric_id").value == ["r1"]
    assert "Criterion: r1" in [unescape(block.proto.popover.label) for block in app.main.get("popover")]
    assert app.query_params["rubric_id"] == "r1"
    assert "criterion" not in app.query_params


def test_a_link_opens_the_view_that_it_was_copied_from(open_page):
    app = open_page("workbench", axis=["accuracy", "completeness"], by="polarity", length="20:90")

    assert app.multiselect(key="w_axis").value == ["accuracy", "completeness"]
    assert app.slider(key="w_length").value == (20.0, 90.0)
    assert app.multiselect(key="w_by").value == ["polarity"]


def test_values_that_no_longer_exist_are_dropped_and_named(open_page):
    app = open_page("workbench", axis=["accuracy", "gone"], theme="lost", by="checker")

    text = "\n".join(text.value for text in app.text)
    assert "Axis 'gone' is not in this study and was removed from the selection." in text
    assert "Theme 'lost' is not in this study" in text
    assert "Split by 'checker' is not in this study and was taken out of the view." in text


def test_an_address_stays_as_it_was_opened_until_something_is_changed(open_page):
    app = open_page("workbench", axis=["accuracy", "gone"], theme="lost", by="checker")

    def says(text: str) -> bool:
        return any(text in each.value for each in app.text)

    for _ in range(2):
        assert set(app.query_params) == {"axis", "theme", "by"}
        assert app.query_params["theme"] == "lost"
        assert says("Theme 'lost'")
        assert says("Split by 'checker'")
        app.run()

    app.selectbox(key="w_sort").select_index(1).run()
    assert app.query_params["axis"] == "accuracy"
    assert {"study", "sort"} < set(app.query_params)
    assert "theme" not in app.query_params
    assert not says("'lost'")


def test_a_value_that_several_views_drop_is_said_once(open_page):
    app = open_page("equal_quality", study="demo-pairs", epsilon="-4", quality="gone")

    texts = [text.value for text in app.text]
    assert sum("'-4' is not a number" in text for text in texts) == 1
    assert sum("Quality from 'gone' is not in this study" in text for text in texts) == 1


@pytest.mark.parametrize(
    ("page", "key", "words"),
    [
        ("findings", "part", "Part 'gone' is not in this study"),
        ("annotate", "task", "You have no task 'gone'."),
    ],
)
def test_an_unknown_part_or_task_is_named_as_long_as_the_address_has_it(open_page, page, key, words):
    app = open_page(page, **{key: "gone"})

    for _ in range(2):
        assert any(text.value.startswith(words) for text in app.text)
        assert app.query_params[key] == "gone"
        app.run()


def test_a_dropped_value_is_reported_until_the_view_changes(open_page):
    app = open_page("workbench", axis="gone")

    app.run()
    still_shown = any("'gone'" in text.value for text in app.text)
    add_filter(app, "axis").set_value(["accuracy"]).run()

    assert still_shown
    assert not any("'gone'" in text.value for text in app.text)


def test_filters_carry_over_to_another_page(open_page):
    app = open_page("workbench", axis="accuracy")

    app.query_params.clear()
    app.switch_page("app_pages/paradigms.py").run()

    assert app.multiselect(key="w_axis").value == ["accuracy"]
    assert app.query_params["axis"] == "accuracy"


def test_the_part_of_another_page_is_no_part_of_this_one_and_not_spoken_of(open_page):
    app = open_page("findings", part="rules")
    queries = {link.label: link.proto.query_string for link in app.main.get("page_link")}
    assert "part=rules" in queries["Findings"]
    assert "part=" not in queries["Paradigms and committee"]

    app.query_params.clear()
    app.switch_page("app_pages/paradigms.py").run()

    assert not any("removed from the selection" in text.value for text in app.text)
    assert "part" not in app.query_params


def test_an_address_changed_from_outside_changes_the_view(open_page):
    app = open_page("workbench", axis="accuracy", by="theme")

    app.query_params.clear()
    app.query_params["study"] = "demo-health"
    app.query_params["polarity"] = "negative"
    app.run()

    assert app.selectbox(key="w_polarity").value == "negative"
    assert "off_axis" not in {button.key for button in app.button}
    assert app.multiselect(key="w_by").value == []


@pytest.mark.parametrize(
    ("name", "keys", "parameters"),
    [
        ("matrix", {}, {"chart": ("matrix",)}),
        ("matrix", {"chart": ("curve",)}, {"chart": ("curve",)}),
        ("compare", {"b_axis": ("accuracy",)}, {"compare": ("slices",), "b_axis": ("accuracy",)}),
        ("verdicts", {"judge": ("dune-large",)}, {"judge": ("dune-large",)}),
        ("slice", {"by": ("axis",), "gone": ("x",)}, {"by": ("axis",)}),
        ("matrix", {"row_order": ("value",)}, {"chart": ("matrix",), "sort": ("value",)}),
        ("compare", {"row": ("dune-large",)}, {"compare": ("slices",), "judge": ("dune-large",)}),
        ("workbench", {"by": ("axis",)}, {"by": ("axis",)}),
    ],
)
def test_a_former_page_leads_to_the_equivalent_view(name, keys, parameters):
    page, carried = page_list.link(name, keys)

    assert page.name == "workbench"
    assert {key: tuple(texts) for key, texts in carried.items()} == parameters


def _former() -> None:
    import streamlit as st

    from explorer.parts import selection

    selection.read_address("workbench", ("study", "chart"), {"chart": ("matrix",)})
    if st.button("Leave"):
        selection.choose("chart")
    selection.write_address(("study", "chart"), {"chart": ("matrix",)})
    st.text(selection.value("chart") or "judges")


def test_a_choice_implied_by_a_former_name_can_be_undone_and_stays_so_after_a_reload():
    app = AppTest.from_function(_former)
    app.query_params["study"] = "s"
    first = app.run().text[0].value

    text = app.button[0].click().run().text[0].value
    again = AppTest.from_function(_former)
    for name in app.query_params:
        again.query_params[name] = app.query_params[name]

    assert (first, text, again.run().text[0].value) == ("matrix", "judges", "judges")


def _page() -> None:
    import streamlit as st

    from explorer.parts import selection

    selection.read_address("slice", ("study", "number"))
    if not st.session_state.get("interrupted"):
        selection.write_address(("study", "number"))
    st.text(selection.value("number") or "none")


def test_back_and_forward_at_once_end_where_they_began_even_if_the_first_is_interrupted():
    app = AppTest.from_function(_page)
    app.query_params["study"], app.query_params["number"] = "s", "mra"
    app.run()

    del app.query_params["number"]
    app.session_state["interrupted"] = True
    back = app.run().text[0].value
    app.query_params["number"] = "mra"
    app.session_state["interrupted"] = False
    forward = app.run().text[0].value

    assert (back, forward) == ("none", "mra")
    assert app.query_params["number"] == "mra"


def _leave() -> None:
    import streamlit as st

    from explorer.parts import selection, view_widgets

    if not st.session_state.get("left"):
        st.text_input("A", key=selection.begin("a", "x", has_default=False))
    view_widgets.pass_value("a", lambda text: st.text(text))


def test_a_change_that_arrives_after_its_page_was_left_changes_nothing():
    app = AppTest.from_function(_leave)
    before = [text.value for text in app.run().text]

    app.session_state["left"] = True
    app.run()  # the widget disappears at the end of this run

    after = app.run()
    assert before == ["x"]
    assert not after.exception
    assert not after.text


def test_clearing_removes_every_filter(open_page):
    app = open_page("workbench", axis="accuracy", polarity="negative", min_agreement="0.8")

    app.button(key="clear").click().run()

    assert set(app.query_params) == {"study"}


def test_another_study_keeps_the_values_it_has_and_names_the_others(open_page, awkward_store):
    app = open_page("workbench", awkward_store, study="plain", theme="theme 0", judges="m3")

    app.selectbox(key="w_study").set_value("one-family").run()

    assert not app.exception
    assert app.multiselect(key="w_theme").value == ["theme 0"]
    assert any("Judges 'm3' is not in this study" in text.value for text in app.text)


def test_an_outdated_address_undoes_no_choice(open_page):
    app = open_page("workbench", axis="accuracy")
    behind = {name: app.query_params[name] for name in app.query_params}
    add_filter(app, "judges").set_value(["dune-large"]).run()

    arrive_with(app, behind)

    assert app.query_params["judges"] == "dune-large"
    assert {"off_axis", "off_judges"} <= {button.key for button in app.button}


def test_back_in_the_history_restores_the_previous_address(open_page, monkeypatch):
    app = open_page("workbench", axis="accuracy")
    before = {name: app.query_params[name] for name in app.query_params}
    add_filter(app, "judges").set_value(["dune-large"]).run()

    monkeypatch.setattr(selection, "_through_history", lambda: True)
    arrive_with(app, before)

    assert "judges" not in app.query_params
    assert "off_judges" not in {button.key for button in app.button}


def test_the_previous_address_opens_its_view_once_the_browser_has_shown_the_latest(open_page):
    app = open_page("workbench", axis="accuracy")
    before = {name: app.query_params[name] for name in app.query_params}
    add_filter(app, "judges").set_value(["dune-large"]).run()

    app.run()
    arrive_with(app, before)

    assert "off_judges" not in {button.key for button in app.button}


def arrive_with(app: AppTest, address: dict[str, str]) -> None:
    """Run the page like a browser that shows an address."""
    app.query_params.clear()
    for name, value in address.items():
        app.query_params[name] = value
    app.run()


def test_runs_of_a_session_share_no_entry_of_the_navigation(monkeypatch):
    session = {}
    monkeypatch.setattr(context.st, "session_state", session)
    monkeypatch.setattr(context.st, "Page", lambda path, **look: SimpleNamespace(path=path, **look))

    first, second = (context.addresses(page_list.PAGES) for _ in range(2))

    assert first == second
    assert not {id(entry) for entry in first} & {id(entry) for entry in second}
