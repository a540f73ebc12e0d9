"""The pages of the papers' measures, used by keys alone."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.server import await_layout, await_run

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


def tab_to(page: Page, target: Locator, most: int) -> bool:
    """Press Tab until an element within `wanted` has the focus; return whether one did."""
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
