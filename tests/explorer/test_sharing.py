"""What is shown to others: slides in order, and files that are written when they are chosen."""

import sys

import pytest
from explorer_studies import PLANS, write
from report.test_report import hostile_study

import engine
import engine.report.card
import engine.report.content
from engine.report.exhibit import PinnedView, exhibit_of, pin, pins_of
from engine.store import Store
from engine.views.registry import VIEWS
from explorer.workbench.screens import deck_of


def texts(app) -> str:
    return "\n".join(element.value for element in app.text)


def tables(app) -> list[str]:
    return [each.proto.body for each in app.get("html") if "<table>" in each.proto.body]


@pytest.fixture
def store(tmp_path):
    write(tmp_path, "plain", PLANS["plain"])
    return tmp_path


def test_the_board_is_first_and_which_judge_to_use_second(demo):
    deck = deck_of(demo.findings(resamples=50), (), None)

    assert [screen.name for screen in deck.screens][:2] == ["start", "which-judge"]


def test_pins_alone_follow_the_board():
    assert [screen.name for screen in deck_of(None, (), None).screens] == ["start"]


def test_an_unknown_screen_is_reported(open_page, store):
    app = open_page("present", store, study="plain", show="pins", screen="pin:ffffffff")

    assert "There is no screen 'pin:ffffffff' in this study now" in texts(app)


def test_the_slide_on_which_judge_to_use_has_a_row_for_each_and_one_line_at_its_foot(open_page):
    app = open_page("present", study="demo-orders", screen="which-judge")

    (table,) = tables(app)
    assert table.count("<tr>") == 1 + 6
    assert "fit for use on others&#39; answers" in table
    assert "Study demo-orders (simulated) · " in texts(app)
    assert "resamples" not in texts(app)


def test_the_notes_of_the_board_say_what_its_triangles_mark(open_page):
    app = open_page("present", study="demo-health")
    assert "Triangles mark caveats." in texts(app)
    assert "Caveats on " not in texts(app)

    app.button(key="step_notes").click().run()

    assert "Caveats on " in texts(app)


def test_hostile_names_stay_text_on_that_slide(open_page, tmp_path):
    hostile_study(tmp_path)

    app = open_page("present", tmp_path, study="hostile", screen="which-judge")

    (table,) = tables(app)
    assert "<script" not in table
    assert "<img" not in table
    assert "&lt;script&gt;alert(1)" in table
    assert not any(letter in table for letter in "\u2028\u202e\a")


def test_opening_the_menu_of_reports_writes_none(open_page, store, monkeypatch):
    written = []
    monkeypatch.setattr(engine.report.content, "content_of", lambda *_, **__: written.append("report"))
    app = open_page("findings", store, study="plain")

    app.session_state["report"] = True
    app.run()

    assert {button.proto.label for button in app.get("download_button")} >= {"One HTML file", "Markdown"}
    assert written == []


def test_opening_the_menu_of_a_card_draws_none(open_page, store, monkeypatch):
    drawn = []
    monkeypatch.setattr(engine.report.card, "in_form", lambda *_: drawn.append("card"))
    app = open_page("judges", store, study="plain", judge="m1")

    app.session_state["card"] = True
    app.run()

    assert {button.proto.label for button in app.get("download_button")} >= {"PNG", "SVG", "Markdown", "HTML"}
    assert drawn == []


def test_without_the_drawing_package_menus_name_it_and_offer_what_needs_none(open_page, store, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    app = open_page("judges", store, study="plain", judge="m1")

    app.session_state["card"] = True
    app.run()

    assert [button.proto.label for button in app.get("download_button")] == ["Markdown"]
    assert "pip install 'spb-explorer[pictures]'" in texts(app)


def test_a_pinned_view_says_what_its_marks_mean_and_what_was_left_out(open_page, store):
    files = pin(Store(str(store)).open("plain"), PinnedView("ratios", {}), "Ratios")
    (pinned,) = pins_of(files.info)

    app = open_page("present", store, study="plain", screen=f"pin:{pinned.id}")

    shown = VIEWS["ratios"].shown(engine.open_study(str(store / "plain")), {})
    assert shown.figure is not None
    assert shown.figure.marks in texts(app)
    left_out = shown.basis[1].removesuffix(".")
    assert left_out[1:] in texts(app)
    assert shown.sentences[0] in texts(app)


def test_a_pin_of_an_opened_judge_keeps_its_sentence_on_its_slide_and_in_the_report(open_page, store):
    files = pin(Store(str(store)).open("plain"), PinnedView("judges", {"judge": ("m1",)}), "Judges")
    (pinned,) = pins_of(files.info)
    study = engine.open_study(str(store / "plain"))

    app = open_page("present", store, study="plain", screen=f"pin:{pinned.id}")

    opened, of_all = (VIEWS[name].shown(study, {"judge": ("m1",)}) for name in ("conclusion", "judges"))
    assert "m1" in opened.sentences[0]
    assert opened.sentences[0] in texts(app)
    assert of_all.sentences[0] not in texts(app)
    assert "single criterion judgments" in texts(app)
    assert exhibit_of(study, pinned).sentences == opened.sentences
    assert exhibit_of(study, pinned).table == of_all.table
