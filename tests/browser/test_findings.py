"""From the findings to the view behind one, and back by a link."""

import re

import pytest
from playwright.sync_api import Page, expect

from browser.server import await_run

pytestmark = pytest.mark.browser


def test_a_claim_opens_the_view_that_shows_its_number(app_url: str, page: Page) -> None:
    page.goto(f"{app_url}/findings?study=demo-health")
    await_run(page)
    card = page.locator("[class*='st-key-card_who_0']")
    sentence = card.get_by_test_id("stText").first.inner_text()
    number = re.search(r"95% CI \d+ to \d+", sentence)
    assert number is not None

    card.get_by_test_id("stPageLink").get_by_role("link").click()
    expect(page.get_by_role("heading", name="Judges", exact=True)).to_be_visible()
    await_run(page)
    expect(page.get_by_text(number.group()).first).to_be_visible()

    page.go_back()
    expect(page.get_by_role("heading", name="Findings", exact=True)).to_be_visible()
    page.goto(f"{app_url}/findings?study=demo-health&part=ranking")
    await_run(page)
    expect(page.get_by_text("Closest to the reference's order")).to_be_visible()
