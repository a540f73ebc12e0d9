"""Addresses typed by hand, and links clicked before a page has settled."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from browser.server import await_layout, await_run

pytestmark = pytest.mark.browser


def test_the_first_page_opens_by_its_name_and_by_a_former_one(app_url: str, page: Page) -> None:
    for name in ("judges", "overview"):
        page.goto(f"{app_url}/{name}?study=demo-health")
        await_run(page)
        expect(page.get_by_role("heading", name="Judges", exact=True)).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)

    page.locator(".st-key-pages").get_by_role("link", name="Explore", exact=True).click()
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    await_layout(page)
    page.locator(".st-key-pages").get_by_role("link", name="Judges", exact=True).click()
    expect(page.get_by_role("heading", name="Judges", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_tab_goes_from_the_button_of_an_open_popover_into_it(app_url: str, page: Page) -> None:
    page.goto(f"{app_url}/judges?study=plain")
    await_layout(page)
    button = page.locator(".st-key-add_filter").get_by_role("button")

    button.focus()
    page.keyboard.press("Tab")
    expect(button).not_to_be_focused()  # of a closed one it goes on
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    field = page.get_by_role("dialog", name="Filter").get_by_role("combobox")
    expect(field).to_be_visible()
    page.keyboard.press("Tab")

    expect(field).to_be_focused()


def test_a_link_keeps_its_filters_after_a_click_before_they_are_drawn(app_url: str, page: Page) -> None:
    routes: list[Route] = []
    page.route(re.compile(r"/(Multiselect|Selectbox|Checkbox|Slider)\."), lambda route: routes.append(route))
    page.goto(f"{app_url}/workbench?study=demo-health&judges=aster-large&polarity=negative&min_agreement=0.6")
    await_run(page)
    page.locator(".st-key-pins").get_by_role("button", name="Pin").click()
    expect(page.locator(".st-key-pin_title")).to_be_visible()
    await_run(page)

    for route in routes:
        route.continue_()
    page.unroute_all()
    expect(page.locator(".st-key-chip_judges")).to_contain_text("aster-large")
    await_layout(page)
    page.locator(".st-key-pin_title").get_by_role("textbox").fill("Seen at once")
    page.locator(".st-key-pin_title").get_by_role("textbox").press("Enter")
    await_layout(page)

    assert len(routes) > 1
    for parameter in ("judges=aster-large", "polarity=negative", "min_agreement=0.6"):
        assert parameter in page.url


def test_a_click_on_a_link_is_not_overtaken_by_a_report_of_the_width(app_url: str, new_page: Page) -> None:
    delayed: list[Callable[[], None]] | None = None

    def slow(to_page: WebSocketRoute) -> None:
        server = to_page.connect_to_server()

        def answer(message: str | bytes) -> None:
            if delayed is None:
                to_page.send(message)
            else:
                delayed.append(lambda: to_page.send(message))

        server.on_message(answer)

    new_page.route_web_socket(re.compile("/_stcore/stream"), slow)
    new_page.goto(f"{app_url}/?study=plain")
    await_run(new_page)
    await_layout(new_page)

    delayed = []
    new_page.set_viewport_size({"width": 700, "height": 800})  # which the page reports to the server
    new_page.get_by_role("link", name="Findings").click()
    new_page.wait_for_timeout(800)  # the server is slow: none of its answers has arrived
    while delayed:  # in their order, also those that arrive meanwhile
        delayed.pop(0)()
    delayed = None

    expect(new_page.get_by_role("heading", name="Findings")).to_be_visible()
