"""A file of AlpacaEval imported and read in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import ALPACA_JUDGES
from browser.server import await_layout, await_run

pytestmark = pytest.mark.browser


def mark(page: Page, judge: str, generator: str, chart: str = "votes"):
    marks = page.locator(f".st-key-{chart} path[role=graphics-symbol]")
    for field, value in (("judge", judge), ("model", generator)):
        marks = marks.and_(page.locator(f'[aria-label*="{field}: {value};"]'))
    return marks


def test_the_first_page_has_its_charts_on_a_phone_and_its_button_leads_to_a_run_of_pairs(
    page: Page, app_url: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.emulate_media(color_scheme="dark")
    page.goto(f"{app_url}/?study=read")
    await_run(page)
    await_layout(page)

    for judge in ALPACA_JUDGES:
        expect(mark(page, judge, "gpt4")).to_have_count(1)
    expect(page.locator(".st-key-vote_matrix path[role=graphics-symbol]").first).to_be_attached()
    expect(page.get_by_text("Each pair was judged in one order only").first).to_be_visible()
    page.wait_for_function(  # until the page knows the width and has fitted its charts
        "() => { const main = document.querySelector('[data-testid=stMain]');"
        " return main.scrollWidth <= main.clientWidth; }"
    )

    page.get_by_role("link", name="Have models judge each other, in both orders").click()

    await_run(page)
    expect(page.get_by_role("heading", name="New run", exact=True)).to_be_visible()
    expect(page.locator(".st-key-run_paradigms")).to_contain_text("two answers side by side, in both orders")


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
