"""Addresses typed by hand."""

import pytest
from browser.server import settled
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_the_first_page_is_found_by_its_name_too(app_url: str, page: Page) -> None:
    page.goto(f"{app_url}/overview?study=demo-health")
    settled(page)

    expect(page.get_by_role("heading", name="Overview", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.locator(".st-key-pages").get_by_role("link", name="Slice", exact=True).click()
    expect(page.get_by_role("heading", name="Slice", exact=True)).to_be_visible()
    page.locator(".st-key-pages").get_by_role("link", name="Overview", exact=True).click()
    expect(page.get_by_role("heading", name="Overview", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
