"""A click on a bar of the atlas opens its row where the reader sees it."""

import pytest
from playwright.sync_api import Page, expect

from browser.server import await_layout, await_run

pytestmark = pytest.mark.browser


def test_a_click_on_a_bar_opens_its_row_in_the_window_and_again_after_it_was_closed(
    app_url: str, page: Page
) -> None:
    page.goto(f"{app_url}/atlas")
    await_run(page)
    bar = page.locator(".st-key-atlas path[role=graphics-symbol]").nth(30)
    bar.wait_for(state="attached")

    for _ in range(2):
        await_layout(page)
        bar.scroll_into_view_if_needed()
        box = bar.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        row = page.locator(".st-key-atlas_row")
        expect(row).to_be_in_viewport()
        expect(row.get_by_text("Of 100 own cases")).to_be_visible()

        row.get_by_role("button", name="Close").click()
        expect(row).to_have_count(0)
        page.mouse.move(0, 0)
        await_run(page)
