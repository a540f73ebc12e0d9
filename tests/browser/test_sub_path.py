"""The explorer under a sub-path of a host, as behind a proxy: every link and every cookie keeps to it."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from annotations.small import pair
from browser.server import ROOT, Served, serving, settled
from playwright.sync_api import Browser, Page, expect

from engine.annotations.people import Database, add_person, link, open_database
from engine.annotations.tasks import assign, create_task
from engine.store import Store

pytestmark = pytest.mark.browser

BASE = "/team/spb"


@dataclass(frozen=True)
class Below:
    """A server below a sub-path, and its database of labels."""

    served: Served
    database: Database


@pytest.fixture(scope="module")
def below(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Below]:  # noqa: ARG001
    folder = tmp_path_factory.mktemp("below")
    shutil.copytree(ROOT / "results" / "demo-health", folder / "store" / "demo-health")
    database = open_database(Store(str(folder / "store")))
    with serving(folder / "streamlit.log", str(folder / "store"), base=BASE) as served:
        yield Below(served, database)
    database.close()


def test_links_addresses_and_reloads_keep_to_the_sub_path(below: Below, page: Page, other: Page) -> None:
    url = below.served.url
    page.goto(f"{url}/verdicts?study=demo-health&polarity=negative")
    settled(page)
    hrefs = page.locator(".st-key-pages a").evaluate_all("links => links.map(link => link.href)")

    page.locator(".st-key-pages").get_by_role("link", name="Workbench", exact=True).click()
    expect(page.get_by_role("heading", name="Workbench", exact=True)).to_be_visible()
    settled(page)

    assert hrefs
    assert all(href.startswith(f"{url}/") for href in hrefs)
    expect(page).to_have_url(re.compile(rf"^{re.escape(url)}/workbench\?.*\bpolarity=negative\b"))
    other.goto(page.url)
    settled(other)
    expect(other.get_by_role("heading", name="Workbench", exact=True)).to_be_visible()


def test_a_personal_link_and_its_cookie_keep_to_the_sub_path(below: Below, page: Page) -> None:
    token = add_person(below.database, "ann")
    create_task(below.database, "t", "demo-health", "equal_pair", [pair(0)], title="Pairs")
    assign(below.database, "t", ["ann"])

    page.goto(link(below.served.url, token))
    expect(page.get_by_text("Tasks of ann")).to_be_visible()

    cookies = [cookie for cookie in page.context.cookies() if cookie["value"] == token]
    assert [cookie["path"] for cookie in cookies] == [BASE]
    assert token not in page.url
    page.goto(f"{below.served.url}/")
    expect(page.get_by_text("Tasks of ann")).to_be_visible()
