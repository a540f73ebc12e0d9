"""A file of AlpacaEval imported and read in a real browser: wide and narrow, light and dark."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.server import explorer, page_of, settled, unmoved
from importers.foreign_files import alpaca_board, dumped, imported
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

JUDGES = ("alpaca_eval_gpt4", "claude-2")
COUNTS = {"claude-2": (14, 24, 2), "gpt4": (30, 10, 0), "llama-2-70b-chat-hf": (8, 32, 0)}
COUNTS |= {f"a-model-with-a-long-name-{number:02}": (number, 40 - number, 0) for number in range(1, 14)}


@pytest.fixture(scope="module")
def url(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:  # noqa: ARG001
    folder: Path = tmp_path_factory.mktemp("alpaca")
    rows = [row for judge in JUDGES for row in alpaca_board(judge, "text_davinci_003", COUNTS)]
    imported("alpaca-eval", dumped(folder / "annotations.json", rows))
    with explorer(folder / "streamlit.log", str(folder / "store")) as served:
        yield served


def mark(page: Page, judge: str, generator: str):
    marks = page.locator(".st-key-win_rates path[role=graphics-symbol]")
    for field, value in (("judge", judge), ("model", generator)):
        marks = marks.and_(page.locator(f'[aria-label*="{field}: {value};"]'))
    return marks


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_first_page_has_its_charts_and_does_not_scroll_sideways(
    browser: Browser, url: str, width: int, scheme: str
) -> None:
    with page_of(browser, scheme, width, 900) as page:
        page.goto(f"{url}/?study=read")
        settled(page)
        unmoved(page)

        for judge in JUDGES:
            expect(mark(page, judge, "gpt4")).to_have_count(1)
        expect(page.locator(".st-key-votes path[role=graphics-symbol]").first).to_be_attached()
        expect(page.locator(".st-key-caution_order")).to_be_visible()
        assert page.locator("[data-testid=stException]").count() == 0
        main = page.get_by_test_id("stMain")
        assert main.evaluate("main => main.scrollWidth - main.clientWidth") <= 0


def test_a_click_on_a_win_rate_lists_the_judgments_behind_it(page: Page, url: str) -> None:
    page.goto(f"{url}/workbench?study=read")
    settled(page)
    unmoved(page)

    page.mouse.move(0, 0)
    mark(page, "claude-2", "gpt4").click()

    expect(page.locator(".st-key-chip_judge")).to_contain_text("claude-2")
    settled(page)
    expect(page).to_have_url(re.compile("generator=gpt4"))
    expect(page.get_by_text(re.compile(r"^40 judgments\.$"))).to_be_visible()


def test_the_button_that_mends_it_leads_to_a_run_of_pairs(page: Page, url: str) -> None:
    page.goto(f"{url}/?study=read")
    settled(page)

    page.get_by_role("link", name="Let models judge each other, in both orders").click()

    settled(page)
    expect(page.get_by_role("heading", name="A new run")).to_be_visible()
    expect(page.locator(".st-key-run_paradigms")).to_contain_text(
        "two responses side by side, in both orders"
    )
