"""The pages of the papers' measures: their choices, links, downloads, findings and keyboard use."""

import csv
import io
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from plain.published import needs_published_study
from playwright.sync_api import Locator, Page, expect

import engine
from browser.server import ROOT, await_layout, await_run, choose, download

pytestmark = pytest.mark.browser


def open_at(page: Page, address: str) -> None:
    page.goto(address)
    await_run(page)
    await_layout(page)  # a window of another width than assumed at first draws its charts twice


def marks(page: Page, key: str) -> list[str]:
    """Return the accessible labels of a chart's marks."""
    symbols = page.locator(f".st-key-{key} [role=graphics-symbol]")
    symbols.first.wait_for(state="attached")
    return sorted(symbols.evaluate_all("marks => marks.map(mark => mark.getAttribute('aria-label') || '')"))


def texts_of(page: Page, key: str) -> list[str]:
    return page.locator(f".st-key-{key}").get_by_test_id("stText").all_inner_texts()


def open_numbers(page: Page, view: str) -> None:
    """Open the numbers of a view, as a reader does: they are sent only then."""
    page.locator(f".st-key-{view}_open").get_by_text("Numbers", exact=True).click()


def tab_to(page: Page, target: Locator, most: int) -> bool:
    """Press Tab until an element within `wanted` has the focus; return whether one did."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if target.locator(":focus").count():
            return True
    return False


def check_keyboard_and_labels(page: Page, chart: str) -> None:
    """Check that the filters are reached by Tab, and that a chart and its marks are labelled."""
    page.locator(f".st-key-{chart}").get_by_test_id("stVegaLiteChart").wait_for()

    assert tab_to(page, page.locator(".st-key-add_filter"), 40)
    described = page.locator(f".st-key-{chart} [aria-label]").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label'))"
    )
    assert any("of each judge" in words for words in described)
    labels = marks(page, chart)
    assert all(labels)
    assert sum("[95% interval]: " in mark for mark in labels) >= 6


def test_equal_quality_is_used_without_a_mouse_and_epsilon_changes_its_numbers_and_its_link(
    app_url: str, page: Page, other: Page, tmp_path: Path
) -> None:
    open_at(page, f"{app_url}/equal_quality?study=demo-pairs")
    check_keyboard_and_labels(page, "archetypes")
    before = marks(page, "firm_choices")

    slider = page.locator(".st-key-w_epsilon").get_by_role("slider")
    slider.focus()
    slider.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"epsilon=0\.2(&|$)"))
    await_run(page)
    expect(page.locator(".st-key-note_firm_choices")).to_contain_text("epsilon 0.2")
    await_layout(page)
    view = texts_of(page, "finding_firm_choices"), marks(page, "firm_choices")
    open_at(other, page.url)
    elsewhere = texts_of(other, "finding_firm_choices"), marks(other, "firm_choices")
    open_numbers(page, "firm_choices")
    file = download(page, "firm_choices_numbers", "csv", tmp_path)

    expected = engine.open_study(ROOT / "results" / "demo-pairs").result("equal-quality", epsilon=0.2).rows
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
    assert view[1] != before
    assert elsewhere == view
    assert [int(row["n_pairs"]) for row in rows] == [row["n_pairs"] for row in expected]
    assert [float(row["spb"]) for row in rows] == pytest.approx([row["spb"] for row in expected])


def test_categories_are_drawn_and_read_back(app_url: str, page: Page, tmp_path: Path) -> None:
    open_at(page, f"{app_url}/equal_quality?study=demo-pairs&judges=rowan-large")
    expect(page.get_by_role("heading", name="By category", exact=True)).to_be_visible()

    view = marks(page, "spb_by_category")
    open_numbers(page, "spb_by_category")
    file = download(page, "spb_by_category_numbers", "parquet", tmp_path)

    study = engine.open_study(ROOT / "results" / "demo-pairs")
    expected = study.result("equal-quality", by="category", judges=["rowan-large"]).rows
    table = pq.read_table(file)
    assert table["slice"].to_pylist() == [row["slice"] for row in expected]
    assert table["n_pairs"].to_pylist() == [row["n_pairs"] for row in expected]
    assert all(any(f"of: {row['slice']}" in mark for mark in view) for row in expected)


def test_one_judge_by_opponent_is_in_the_link_and_in_the_download(
    app_url: str, page: Page, other: Page, tmp_path: Path
) -> None:
    open_at(page, f"{app_url}/quality_baseline?study=demo-pairs")

    page.get_by_role("radio", name="other families").click()
    expect(page).to_have_url(re.compile("proxies=out_of_family"))
    choose(page, "w_judge", "rowan-large")
    expect(page).to_have_url(re.compile("proxies=out_of_family.*judge=rowan-large"))
    await_layout(page)
    view = texts_of(page, "finding_baseline"), marks(page, "baseline")
    open_at(other, page.url)
    elsewhere = texts_of(other, "finding_baseline"), marks(other, "baseline")
    open_numbers(page, "baseline")
    file = download(page, "baseline_numbers", "csv", tmp_path)

    study = engine.open_study(ROOT / "results" / "demo-pairs")
    expected = [
        row
        for row in study.result("quality-baseline", proxies="out_of_family").rows
        if row["judge"] == "rowan-large" and row["opponent"] is not None
    ]
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
    assert elsewhere == view
    assert [row["opponent"] for row in rows] == [row["opponent"] for row in expected]


def test_order_effects_are_used_without_a_mouse_and_their_part_is_in_the_link_and_downloaded(
    app_url: str, page: Page, other: Page, tmp_path: Path
) -> None:
    open_at(page, f"{app_url}/order_effects?study=demo-orders")
    expect(page.locator(".st-key-finding_positions")).to_be_visible()
    check_keyboard_and_labels(page, "positions")

    page.get_by_role("radio", name="Cost of orderings").click()
    expect(page).to_have_url(re.compile("orders=costs"))
    await_layout(page)
    view = texts_of(page, "finding_costs"), marks(page, "costs")
    open_at(other, page.url)
    elsewhere = texts_of(other, "finding_costs"), marks(other, "costs")
    picture = download(page, "costs", "svg", tmp_path).read_text("utf-8")

    assert elsewhere == view
    assert "Left out:" in picture
    assert "quill-mini" in picture


FINDINGS = {
    "Table 1 as printed and as computed here": (
        "As printed",
        ".st-key-finding_printed_rubrics",
        "36 of 36 printed",
    ),
    "Figure 3: what a committee takes away": ("Committee", ".st-key-finding_committee", "5 of 5"),
    "Figure 4: what agreement takes away": ("Agreement", ".st-key-finding_agreement", "50%"),
}


@needs_published_study
def test_each_finding_of_the_published_study_is_two_clicks_away(app_url: str, page: Page) -> None:
    open_at(page, f"{app_url}/?study=ifeval")

    page.locator(".st-key-pages").get_by_role("link", name="Paradigms and committee").click()

    for finding, (part, box, words) in FINDINGS.items():
        page.get_by_role("radio", name=part).click()
        expect(page.locator(box), finding).to_contain_text(words)
        await_run(page)
