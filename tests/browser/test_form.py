"""Layout in narrow and wide windows: links can be clicked, and the answer is on the first screen."""

import pytest
from playwright.sync_api import Page, expect

from browser.server import await_layout, await_run
from browser.test_pictures import TOO_WIDE

pytestmark = pytest.mark.browser


def test_in_any_window_nothing_scrolls_sideways_and_links_and_the_board_are_in_reach(
    app_url: str, page: Page
) -> None:
    page.set_viewport_size({"width": 360, "height": 844})
    page.goto(f"{app_url}/workbench?study=demo-health")
    await_layout(page)
    assert page.evaluate(TOO_WIDE) == []
    page.locator(".st-key-all_pages").get_by_role("button").first.click(timeout=5_000)
    page.get_by_test_id("stPageLink").get_by_role("link", name="Judges").first.click(timeout=5_000)
    await_run(page)
    expect(page).to_have_title("Judges · demo-health")

    for width, within in ((390, 844 / 2), (1280, 844), (1920, 844)):
        page.set_viewport_size({"width": width, "height": 844})
        await_layout(page)

        assert page.evaluate(TOO_WIDE) == []
        finding = page.locator(".st-key-finding_judges")
        board = page.locator(".st-key-judges [role=graphics-document]").bounding_box()
        assert board is not None
        assert (width, board["y"] < within) == (width, True)
        answer = finding.evaluate("node => node.getBoundingClientRect().bottom")
        assert (width, answer < 844) == (width, True)
        mark = page.locator(".st-key-judges path[aria-label*='favours itself']").first
        assert (mark.bounding_box() or {"y": 844})["y"] < 844
        sentence = finding.get_by_test_id("stText").first
        lines = "node => node.getBoundingClientRect().height / parseFloat(getComputedStyle(node).lineHeight)"
        assert (width, round(float(sentence.evaluate(lines))) <= 2) == (width, True)
    page.get_by_test_id("stPageLink").get_by_role("link", name="Explore").first.click(timeout=5_000)
    expect(page).to_have_title("Explore · demo-health")
