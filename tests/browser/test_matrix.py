"""A cell of the heatmap leads to its judgments, in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from browser.server import await_layout, await_run

pytestmark = pytest.mark.browser


def cell(page: Page, judge: str, generator: str):
    marks = page.locator(".st-key-matrix path[role=graphics-symbol]")
    for field, value in (("judge", judge), ("model", generator)):
        marks = marks.and_(page.locator(f'[aria-label*="{field}: {value};"]'))
    return marks


def test_a_cell_shows_its_whole_confusion_table_and_lists_its_judgments(app_url: str, page: Page) -> None:
    page.goto(f"{app_url}/matrix?study=demo-health&axis=accuracy")
    await_run(page)
    confusion_cell = cell(page, "boreal-large", "boreal-mini")
    counts = re.compile(r"passed though failed: (\d+) of \d+")
    expect(confusion_cell).to_have_attribute("aria-label", counts)
    await_layout(page)
    over = counts.search(confusion_cell.get_attribute("aria-label") or "")
    assert over is not None

    cell(page, "aster-large", "dune-large").hover(position={"x": 4, "y": 4})
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
