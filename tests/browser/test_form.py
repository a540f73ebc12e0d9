"""Layout in narrow and wide windows: links can be clicked, and the answer is on the first screen."""

import pytest
from playwright.sync_api import Page, expect

from browser.server import await_layout, await_run
from browser.test_pictures import TOO_WIDE

pytestmark = pytest.mark.browser


def test_in_any_window_nothing_scrolls_sideways_and_links_and_the_board_are_in_reach(
    app_url: str, page: Page
) -> None:
    for width in (1920, 360):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(f"{app_url}/workbench?study=demo-health")
        await_layout(page)
        assert page.evaluate(TOO_WIDE) == []

        if width < 600:  # the links are behind one button there
            page.locator(".st-key-all_pages").get_by_role("button").first.click(timeout=5_000)
        page.get_by_test_id("stPageLink").get_by_role("link", name="Judges").first.click(timeout=5_000)
        await_run(page)
        expect(page).to_have_title("Judges · demo-health")

    for width in (390, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        await_layout(page)

        answer = page.evaluate(
            "document.querySelector('.st-key-finding_judges').getBoundingClientRect().bottom"
        )
        assert (width, answer < 844) == (width, True)
        mark = page.locator(".st-key-judges path[aria-label*='favours itself']").first
        assert (mark.bounding_box() or {"y": 844})["y"] < 844
