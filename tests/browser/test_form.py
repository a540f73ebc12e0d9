"""The pages in narrow and wide windows: links can be clicked, nothing is wider than the window."""

import contextlib

import pytest
from browser.server import page_of, settled, unmoved
from browser.test_pictures import TOO_WIDE
from playwright.sync_api import Browser, expect
from playwright.sync_api import TimeoutError as NotInTime

pytestmark = pytest.mark.browser

VIEWS = (
    "",
    "workbench?study=demo-health&by=axis",
    "workbench?study=demo-health&chart=matrix",
    "paradigms?study=demo-health&common=false",
    "paradigms?study=demo-health&part=committee",
)

SMALL = """() => [...document.querySelectorAll('[data-testid=stMain] :is(button, a[href], input)')]
  .filter(element => element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}))
  .filter(element => !element.closest('[data-testid=stDataFrame], [data-testid=stMultiSelect], .vega-embed'))
  .map(element => element.closest('label') ?? element)
  .map(element => [element, element.getBoundingClientRect()])
  .filter(([element, box]) => box.width > 1 && box.height > 1 && box.height < 43.5)
  .map(([element, box]) => `${element.innerText || element.ariaLabel} is ${box.height} high`)"""
"""What a finger would miss; the marks of a chart, the cells of a table and the chips of a list aside."""


@pytest.mark.parametrize("width", [360, 1920])
def test_nothing_scrolls_sideways_and_the_links_are_clicked_in_any_window(
    app_url: str, browser: Browser, width: int
) -> None:
    with page_of(browser, width=width, height=844) as page:
        for view in VIEWS:
            page.goto(f"{app_url}/{view}")
            settled(page)
            unmoved(page)

            assert page.evaluate(TOO_WIDE) == []

        if width < 600:  # the links stand behind one button there
            page.locator(".st-key-all_pages").get_by_role("button").first.click(timeout=5_000)
        page.get_by_test_id("stPageLink").get_by_role("link", name="Judges").first.click(timeout=5_000)
        settled(page)
        expect(page).to_have_title("Judges · demo-health")


def test_what_is_touched_on_a_phone_is_44_pixels_high(app_url: str, browser: Browser) -> None:
    with page_of(browser, width=390, height=844) as page:
        for view in VIEWS:
            page.goto(f"{app_url}/{view}")
            unmoved(page)

            with contextlib.suppress(NotInTime):  # a busy machine applies the last style sheet late
                page.wait_for_function(f"() => ({SMALL})().length === 0", timeout=10_000)
            assert page.evaluate(SMALL) == []


@pytest.mark.parametrize("width", [390, 1280, 1440])
def test_the_board_of_judges_and_its_answer_stand_on_the_first_screen(
    app_url: str, browser: Browser, width: int
) -> None:
    with page_of(browser, width=width, height=844) as page:
        page.goto(f"{app_url}/?study=demo-health")
        unmoved(page)

        assert page.evaluate("document.querySelector('.st-key-finding').getBoundingClientRect().bottom") < 844
        mark = page.locator(".st-key-board path[aria-label*='favours itself']").first
        assert (mark.bounding_box() or {"y": 844})["y"] < 844
