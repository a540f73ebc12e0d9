"""Charts in a real browser: a click on a mark or a cell, keys alone, and a download."""

import csv
import io
import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import engine
from browser.server import ROOT, await_layout, await_run, download

pytestmark = pytest.mark.browser


def mark(page: Page, chart: str, judge: str, model: str) -> Locator:
    """Return the mark of a judge and a model in a chart."""
    marks = page.locator(f".st-key-{chart} path[role=graphics-symbol]")
    for field, value in (("judge", judge), ("model", model)):
        marks = marks.and_(page.locator(f'[aria-label*="{field}: {value};"]'))
    return marks


def test_a_click_on_a_win_rate_lists_the_judgments_behind_it(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/workbench?study=read")
    await_run(page)
    await_layout(page)

    page.mouse.move(0, 0)
    mark(page, "votes", "claude-2", "gpt4").click()

    expect(page.locator(".st-key-chip_judge")).to_contain_text("claude-2")
    await_run(page)
    expect(page).to_have_url(re.compile("generator=gpt4"))
    expect(page.get_by_text(re.compile(r"^40 judgments\.$"))).to_be_visible()


def test_a_cell_shows_its_whole_confusion_table_and_lists_its_judgments(app_url: str, page: Page) -> None:
    page.goto(f"{app_url}/matrix?study=demo-health&axis=accuracy")
    await_run(page)
    confusion_cell = mark(page, "matrix", "boreal-large", "boreal-mini")
    counts = re.compile(r"passed though failed: (\d+) of \d+")
    expect(confusion_cell).to_have_attribute("aria-label", counts)
    await_layout(page)
    over = counts.search(confusion_cell.get_attribute("aria-label") or "")
    assert over is not None

    mark(page, "matrix", "aster-large", "dune-large").hover(position={"x": 4, "y": 4})
    tooltip = page.locator("#vg-tooltip-element")
    for part in ("aster-large", "passed though failed", "failed though passed", "centered"):
        expect(tooltip).to_contain_text(part)
    expect(tooltip).to_contain_text(re.compile(r"\d+ of \d+: \d+\.\d% \[\d+\.\d%, \d+\.\d%\]"))

    page.mouse.move(0, 0)  # a cell's tooltip covers its neighbours
    expect(tooltip).not_to_be_visible()
    await_layout(page)
    box = confusion_cell.bounding_box()
    assert box is not None
    page.mouse.click(
        box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    )  # on the number, as a reader does

    expect(page.locator(".st-key-chip_judge")).to_contain_text("boreal-large")
    await_run(page)
    expect(page).to_have_url(re.compile("axis=accuracy"))
    expect(page).to_have_url(re.compile("judge=boreal-large"))
    expect(page).to_have_url(re.compile("generator=boreal-mini"))
    expect(page.get_by_text(re.compile(f"{over[1]} judgments\\.$"))).to_be_visible()
    expect(page.locator("article .answer").first).to_contain_text("▲")


def test_a_click_on_a_bar_opens_its_row_in_the_window_and_again_after_it_was_closed(
    app_url: str, page: Page
) -> None:
    page.goto(f"{app_url}/atlas")
    await_run(page)
    bar = page.locator(".st-key-atlas path[role=graphics-symbol]").nth(30)
    bar.wait_for(state="attached")

    for _ in range(2):
        await_layout(page)
        bar.scroll_into_view_if_needed()
        box = bar.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        row = page.locator(".st-key-atlas_row")
        expect(row).to_be_in_viewport()
        expect(row.get_by_text("Of 100 own cases")).to_be_visible()

        row.get_by_role("button", name="Close").click()
        expect(row).to_have_count(0)
        page.mouse.move(0, 0)
        await_run(page)


def test_on_a_phone_where_a_study_of_the_atlas_is_from_is_as_wide_as_its_card(
    app_url: str, page: Page
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_at(page, f"{app_url}/atlas")

    notes = page.locator("[class*=st-key-of_] [class*=st-key-note_about_]")
    widths = notes.evaluate_all("notes => notes.map(note => note.getBoundingClientRect().width)")
    assert len(widths) >= 4
    assert min(widths) >= 300


def open_at(page: Page, address: str) -> None:
    page.goto(address)
    await_run(page)
    await_layout(page)  # a window of another width than assumed at first draws its charts twice


def marks(page: Page, key: str) -> list[str]:
    """Return the accessible labels of a chart's marks."""
    symbols = page.locator(f".st-key-{key} [role=graphics-symbol]")
    symbols.first.wait_for(state="attached")
    return sorted(symbols.evaluate_all("marks => marks.map(mark => mark.getAttribute('aria-label') || '')"))


def tab_to(page: Page, target: Locator, most: int) -> bool:
    """Press Tab until an element within the target has the focus; return whether one did."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if target.locator(":focus").count():
            return True
    return False


def test_equal_quality_is_used_without_a_mouse_and_its_marks_are_labelled(app_url: str, page: Page) -> None:
    open_at(page, f"{app_url}/equal_quality?study=demo-pairs")
    page.locator(".st-key-archetypes").get_by_test_id("stVegaLiteChart").wait_for()

    assert tab_to(page, page.locator(".st-key-add_filter"), 40)
    described = page.locator(".st-key-archetypes [aria-label]").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label'))"
    )
    assert any("of each judge" in words for words in described)
    labels = marks(page, "archetypes")
    assert all(labels)
    assert sum("[95% interval]: " in mark for mark in labels) >= 6

    before = marks(page, "firm_choices")
    slider = page.locator(".st-key-w_epsilon").get_by_role("slider")
    slider.focus()
    slider.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"epsilon=0\.2(&|$)"))
    await_run(page)
    expect(page.locator(".st-key-note_firm_choices")).to_contain_text("epsilon 0.2")
    await_layout(page)
    assert marks(page, "firm_choices") != before


def test_a_table_and_a_chart_with_its_filters_and_n_are_downloaded_and_read_back(
    app_url: str, page: Page, tmp_path: Path
) -> None:
    page.goto(f"{app_url}/workbench?study=demo-health&polarity=negative&against=responses")
    await_run(page)

    page.locator(".st-key-slices_open").get_by_text("Numbers").click()
    await_run(page)
    file = download(page, "slices_numbers", "csv", tmp_path)
    picture = download(page, "slices", "png", tmp_path).read_bytes()
    drawing = download(page, "slices", "svg", tmp_path).read_text("utf-8")

    expected = engine.open_study(ROOT / "results" / "demo-health").result("hspp", polarity="negative").rows
    assert file.name == "demo-health-slices-numbers.csv"
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
    assert [row["judge"] for row in rows] == [row["judge"] or "" for row in expected]
    assert [float(row["hspp_self"]) for row in rows] == [row["hspp_self"] for row in expected]

    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    assert width > 1000
    assert height > 400
    texts = " ".join(ET.fromstring(drawing).itertext())  # noqa: S314 - made by the project itself
    assert "polarity negative" in texts
    assert re.search(r"n: [\d,]+ to [\d,]+ cases", texts)
    assert "aster-large" in texts
    assert "<script" not in drawing
