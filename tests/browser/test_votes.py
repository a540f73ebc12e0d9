"""A file of AlpacaEval imported and read in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from browser.server import await_layout, await_run

pytestmark = pytest.mark.browser


def mark(page: Page, judge: str, generator: str, chart: str = "votes"):
    marks = page.locator(f".st-key-{chart} path[role=graphics-symbol]")
    for field, value in (("judge", judge), ("model", generator)):
        marks = marks.and_(page.locator(f'[aria-label*="{field}: {value};"]'))
    return marks


def test_a_click_on_a_win_rate_lists_the_judgments_behind_it(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/workbench?study=read")
    await_run(page)
    await_layout(page)

    page.mouse.move(0, 0)
    mark(page, "claude-2", "gpt4").click()

    expect(page.locator(".st-key-chip_judge")).to_contain_text("claude-2")
    await_run(page)
    expect(page).to_have_url(re.compile("generator=gpt4"))
    expect(page.get_by_text(re.compile(r"^40 judgments\.$"))).to_be_visible()
