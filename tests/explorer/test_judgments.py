"""The judgments behind a chart: listed with their texts, and read one after another."""

import csv
import io
import json
import re

import pytest
from explorer_studies import LACKING, MUCH, PLANS
from importers.foreign_files import imported

from engine.charts.export import csv_of
from engine.explore import judgment_page
from engine.slices import Slice
from explorer.parts import components, downloads, page_width
from explorer.parts.safe_text import direction


def texts(app) -> list[str]:
    return [element.value for element in app.text]


def rendered(app) -> str:
    return "\n".join(element.value for element in app.markdown)


def list_data(app) -> dict:
    """Return the data of the list of judgments."""
    [component] = [each for each in app.get("bidi_component") if each.proto.component_name == "spb_verdicts"]
    return json.loads(component.proto.json)


def judgment_count(app) -> int:
    """Return the number of judgments from the line above the list or beside the steps."""
    matches = [re.fullmatch(r"(?:[\d,]+ of )?([\d,]+)(?: judgments?\..*)?", text) for text in texts(app)]
    return int(next(match for match in matches if match)[1].replace(",", ""))


def test_each_judgment_is_listed_with_its_texts_and_every_other_judge(open_page, demo):
    data = list_data(open_page("workbench", judge="dune-large"))

    assert len(data["cards"]) == 40
    for card in data["cards"]:
        assert card["said"]["judge"] == "dune-large"
        assert card["said"]["kind"] == "overestimates"
        assert len(card["others"]) == len(demo.index.models) - 1
        assert card["texts"][0][0].startswith(("Criterion", "Negative criterion"))
        for verdict in card["others"]:
            silent = verdict["answer"].startswith("no verdict")
            assert verdict["differs"] == (not silent and verdict["answer"] != card["said"]["answer"])
    answers = [verdict["answer"] for card in data["cards"] for verdict in card["others"]]
    assert any(answer.startswith("no verdict") for answer in answers)


def test_a_phone_gets_few_judgments_at_first(open_page, monkeypatch):
    monkeypatch.setattr(page_width, "likely_width", lambda: page_width.PHONE)

    assert len(list_data(open_page("workbench", judge="dune-large"))["cards"]) == 8


def test_a_negative_rubric_is_marked_as_one(open_page):
    app = open_page("workbench", polarity="negative")

    labels = {card["texts"][0][0] for card in list_data(app)["cards"]}

    assert labels
    assert all(re.fullmatch(r"Negative criterion, -\d+ points if met", label) for label in labels)
    assert any("A negative criterion describes a fault" in text for text in texts(app))


def test_judges_of_other_families_that_differ_come_first(open_page):
    for card in list_data(open_page("workbench", judge="aster-large", generator="aster-large"))["cards"]:
        order = [(verdict["relation"] != "", not verdict["differs"]) for verdict in card["others"]]
        assert order == sorted(order)


def test_there_are_as_many_judgments_as_the_cell_counts(open_page, demo):
    rows = demo.result("overestimation", resamples=0, axis="accuracy").rows
    cell = next(row for row in rows if (row["judge"], row["generator"]) == ("boreal-large", "boreal-mini"))

    app = open_page("workbench", axis="accuracy", judge="boreal-large", generator="boreal-mini")

    assert judgment_count(app) == cell["over"]


def test_the_slice_of_a_mark_is_what_is_listed(open_page, demo):
    rows = demo.result("overestimation", resamples=0, by="axis").rows
    place = ("dune-large", "dune-large", "accuracy")
    cell = next(row for row in rows if (row["judge"], row["generator"], row["slice"]) == place)
    own = {"judge": "dune-large", "generator": "dune-large"}

    one = open_page("workbench", by="axis", value="accuracy", **own)
    by_two = open_page("workbench", by=["axis", "polarity"], value=["accuracy", "negative"], **own)
    both = open_page("workbench", axis="accuracy", polarity="negative", **own)

    assert judgment_count(one) == cell["over"]
    assert judgment_count(by_two) == judgment_count(both) < judgment_count(one)


def test_scrolling_lists_more_and_another_choice_starts_again(open_page):
    app = open_page("workbench")

    app.session_state["_judgments_listed"] = (list_data(app)["list"], 80)
    app.run()

    assert len(list_data(app)["cards"]) == 80
    app.selectbox(key="w_show").set_value("all").run()
    assert len(list_data(app)["cards"]) == 40


@pytest.mark.parametrize("view", [{}, {"chart": "verdicts", "show": "all"}], ids=["beside", "own view"])
def test_the_download_of_a_list_has_every_judgment(open_page, demo, monkeypatch, view):
    offered = {}
    monkeypatch.setattr(downloads, "offer_table", lambda frame, key: offered.update({key: frame}))
    monkeypatch.setattr(components, "offer_table", lambda frame, key: offered.update({key: frame}))

    open_page("workbench", judge="dune-large", **view)

    kind = view.get("show", "overestimation")
    every = judgment_page.rows(demo, Slice(), kind, judge="dune-large", limit=10**6)
    key = "rows" if not view else "verdicts_numbers"
    assert every.total > 12
    assert len(offered[key]()) == every.total


def test_the_download_of_a_list_has_its_texts_safe_in_a_spreadsheet(open_page, tmp_path, monkeypatch):
    offered = {}
    monkeypatch.setattr(downloads, "offer_table", lambda frame, key: offered.update({key: frame}))
    rows = ["q1,m,o3,no,Why?,=1+1,It is 2.", "q2,m,o3,yes,How?,By foot.,+fine"]
    table = "\n".join(["question_id,model,judge,met,prompt,response,explanation", *rows])
    (tmp_path / "t.csv").write_text(table)
    imported("table", tmp_path / "t.csv")

    open_page("workbench", tmp_path / "store", study="read", show="all")

    [header, *lines] = csv.reader(io.StringIO(csv_of(offered["rows"]()).decode()))
    names = ("instance_id", "question", "answer", "reason")
    assert [tuple(line[header.index(name)] for name in names) for line in lines] == [
        ("q1", "Why?", "'=1+1", "It is 2."),
        ("q2", "How?", "By foot.", "'+fine"),
    ]


def test_a_search_finds_words_in_any_text_in_any_case(open_page, awkward_store):
    app = open_page("workbench", awkward_store, study="plain", q="CRITERION 1", show="all")
    nothing = open_page("workbench", awkward_store, study="plain", q="no such words", show="all")

    assert {card["texts"][0][1][:11] for card in list_data(app)["cards"]} == {"Criterion 1"}
    assert any("no judgment of this kind in this slice" in text for text in texts(nothing))


def test_a_study_without_texts_says_so_once_and_lists_its_judgments(open_page, awkward_store):
    app = open_page("workbench", awkward_store, study="no-texts", show="all")

    assert len([text for text in texts(app) if "does not hold these texts" in text]) == 1
    assert all(card["said"]["answer"] for card in list_data(app)["cards"])


def test_next_and_previous_step_through_the_list_and_the_address(open_page):
    app = open_page("workbench", judge="dune-large", item="3")
    total = next(text for text in texts(app) if text.startswith("3 of ")).removeprefix("3 of ")

    app.button(key="next").click().run()
    app.button(key="next").click().run()
    app.button(key="previous").click().run()

    assert f"4 of {total}" in texts(app)
    assert app.query_params["item"] == "4"


def test_closing_a_judgment_returns_to_it_in_the_list(open_page):
    app = open_page("workbench", judge="dune-large", item="3")

    app.button(key="all_judgments").click().run()

    assert list_data(app)["last"] == 3
    assert "item" not in app.query_params


@pytest.mark.parametrize(
    ("item", "first"), [("100", "100 of "), ("101", "101 of "), ("-3", "1 of "), ("9" * 5000, "1 of ")]
)
def test_any_judgment_is_opened_by_its_number(open_page, item, first):
    app = open_page("workbench", item=item)

    assert any(text.startswith(first) for text in texts(app))


def test_a_row_beyond_the_list_is_named_and_the_first_shown(open_page):
    app = open_page("workbench", judge="dune-large", item="99999")

    assert "There is no row 99999 in this selection; the first is shown." in texts(app)
    assert any(text.startswith("1 of ") for text in texts(app))


def test_every_judge_is_shown_beside_the_reference(open_page):
    app = open_page("workbench", judge="dune-large", item="1")

    table = next(frame.value for frame in app.dataframe if "answer" in frame.value)
    assert len(table) == 9
    assert table.set_index("judge").loc["dune-large", "answer"].startswith("▲")
    assert any(text.startswith("reference program:") for text in texts(app))
    assert any("▲ overestimates" in text for text in texts(app))


def test_comparisons_show_both_responses(open_page):
    view = {"paradigm": "pairwise", "judge": "dune-large"}
    card = list_data(open_page("workbench", **view))["cards"][0]
    judgment = open_page("workbench", **view, item="1")

    assert " against " in card["title"]
    assert len(card["texts"]) == 2
    assert any(text.startswith("reference: a ") for text in texts(judgment))


# ------------------------------------------------------------------------------
# Read side by side, plain or rendered.


def test_two_judges_are_shown_side_by_side_on_one_response(open_page):
    app = open_page("workbench", judge="dune-large", show="all", item="1")

    app.selectbox(key="w_beside").set_value("judge:aster-mini").run()

    assert app.query_params["beside"] == "judge:aster-mini"
    headings = [text for text in texts(app) if "): " in text]
    assert [text.split(" (")[0] for text in headings] == ["dune-large", "aster-mini"]


def test_two_responses_are_shown_side_by_side_with_one_judges_verdict_on_each(open_page):
    own = {"judge": "dune-large", "generator": "boreal-mini", "beside": "generator:cinder-mini"}
    lines = texts(open_page("workbench", **own, item="1"))

    assert "boreal-mini" in lines
    assert "cinder-mini" in lines
    assert len([text for text in lines if text.startswith("dune-large (")]) == 2


def test_only_differing_judgments_are_listed_on_request(open_page):
    app = open_page("workbench", judge="dune-large", beside="judge:aster-mini", show="all", item="1")
    every = judgment_count(app)

    app.toggle(key="w_differ").set_value(True).run()
    app.button(key="all_judgments").click().run()

    for card in list_data(app)["cards"]:
        assert next(verdict for verdict in card["others"] if verdict["judge"] == "aster-mini")["differs"]
    assert app.query_params["differ"] == "true"
    assert judgment_count(app) < every


def test_an_unknown_model_to_set_beside_is_named_and_dropped(open_page):
    app = open_page("workbench", beside="judge:nobody")

    assert any("Compare with 'judge:nobody' is not in this study" in text for text in texts(app))


def test_a_judgment_with_nothing_beside_it_says_so(open_page, awkward_store):
    app = open_page("workbench", awkward_store, study="plain", judge="m1", beside="judge:m1", show="all")

    assert any("no judgment of this slice has a verdict of judge:m1" in text for text in texts(app))


def test_texts_are_plain_until_rendering_is_requested(open_page, awkward_store):
    app = open_page("workbench", awkward_store, study="hostile", show="all", item="1")
    before = texts(app).count(MUCH), "$x^2$" in rendered(app)

    app.toggle(key="w_rendered").set_value(True).run()

    assert before == (6, False)  # question, context, criterion, response, reason and answer
    assert (texts(app).count(MUCH), "$x^2$" in rendered(app)) == (1, True)  # the raw answer stays plain
    assert app.query_params["rendered"] == "true"


def test_rendered_texts_contain_nothing_active(open_page, awkward_store):
    app = open_page("workbench", awkward_store, study="hostile", show="all", rendered="true", item="1")

    text = rendered(app)
    for piece in ("<script", "<img", "](http", "http://", ":red[", ":material/", "\\href", "```mermaid"):
        assert piece not in text


def test_stored_facts_of_a_call_are_shown_and_missing_ones_are_named(open_page):
    lines = texts(open_page("workbench", judge="dune-large", item="1"))

    assert "run simulated-20" in lines
    assert any("seed 20" in text for text in lines)
    reason = "the study does not say which template its run used"
    assert f"The prompt that was sent cannot be shown: {reason}." in lines
    assert "The raw answer is not stored." in lines


@pytest.mark.parametrize("study", [*LACKING, "no-texts", "hostile"])
@pytest.mark.parametrize("role", ["judge", "generator"])
def test_side_by_side_opens_on_every_awkward_study(open_page, awkward_store, study, role):
    plan = PLANS[study]
    names = plan.judges if role == "judge" else tuple(plan.models)
    beside = f"{role}:{names[-1] if names else 'none'}"

    app = open_page("workbench", awkward_store, study=study, beside=beside, rendered="true", item="1")

    assert app.header[0].value == "Explore"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "ltr"),
        ("שלום world", "rtl"),
        ("1. مرحبا", "rtl"),
        ("(a) שלום", "ltr"),
        ("123", "ltr"),
        ("", "ltr"),
    ],
)
def test_a_text_has_the_direction_of_its_first_letter(text, expected):
    assert direction(text) == expected
