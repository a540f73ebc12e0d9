"""The explorer under a sub-path of a host, as behind a proxy, with a login service on this machine.

Every link and every cookie stays below the sub-path; people log in by OpenID Connect or by a personal link.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from annotations.small import pair
from explorer_studies import PLANS, write
from openid_service import CLIENT, SECRET, login_service
from playwright.sync_api import Browser, Page, expect

from browser.server import await_run, free_port, serving
from engine.annotations.database import open_database
from engine.annotations.people import add_person, link
from engine.annotations.tasks import assign, create_task
from engine.store import Store

pytestmark = pytest.mark.browser

BASE = "/team/spb"
PEOPLE = {
    "ann": {"email": "Ann@clinic.example", "email_verified": True},
    "bo": {"email": "bo@example.org"},
    "cy": {"email": "cy@example.org", "email_verified": True},
    "eve": {"email": "eve@clinic.example", "email_verified": False},
}


def secrets(folder: Path, port: int, service: str) -> Path:
    """Write the secrets: a login service, the same with a wrong secret, and one that is down."""
    origin = f"http://127.0.0.1:{port}"
    path = folder / "secrets.toml"
    settings = f'client_id = "{CLIENT}"\nserver_metadata_url = "{service}/.well-known/openid-configuration"\n'
    path.write_text(
        f'[auth]\nredirect_uri = "{origin}{BASE}/oauth2callback"\ncookie_secret = "{"c" * 64}"\n'
        f'{settings}client_secret = "{SECRET}"\n'
        f'[auth.wrong]\n{settings}client_secret = "wrong"\n'
        f'[auth.down]\nclient_id = "x"\nclient_secret = "x"\n'
        f'server_metadata_url = "http://127.0.0.1:{free_port()}/"\n'
        '[access]\nopen = ["*"]\n"clinic-*" = ["*@clinic.example"]\n'
    )
    return path


@dataclass(frozen=True)
class Below:
    """A server below a sub-path, and the token of a personal link of somebody who does not log in."""

    url: str
    token: str


@pytest.fixture(scope="module")
def below(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Below]:  # noqa: ARG001
    folder = tmp_path_factory.mktemp("login")
    store = folder / "store"
    for name in ("clinic-a", "open", "unnamed"):
        write(store, name, PLANS["one-family"], title=f"Title of {name}")
    database = open_database(Store(str(store)))
    add_person(database, "bo", email="bo@example.org")
    add_person(database, "cy", "coordinator", email="cy@example.org")
    create_task(database, "t", "open", "equal_pair", [pair(0)], title="Pairs")
    token = add_person(database, "ann")
    assign(database, "t", ["bo", "ann"])
    database.close()
    port = free_port()
    with login_service(PEOPLE) as service:
        options = [f"--secrets.files={secrets(folder, port, service)}"]
        with serving(folder / "streamlit.log", str(store), port, options, BASE) as server:
            yield Below(server.url, token)


@pytest.fixture(scope="module")
def url(below: Below) -> str:
    return below.url


def log_in(page: Page, person: str, button: str = "Log in") -> None:
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("link", name=person, exact=True).click()


def log_out(page: Page) -> None:
    """Log out, and wait for the response that ends the login, as the page itself does not wait."""
    with page.expect_response(re.compile("/auth/logout")):
        page.get_by_role("button", name="Log out").click()


def study_options(page: Page) -> list[str]:
    """Return the studies that can be chosen."""
    await_run(page)
    page.locator(".st-key-beside").get_by_role("combobox").first.click()
    names = page.get_by_role("option").all_inner_texts()
    page.keyboard.press("Escape")
    return names


def test_a_login_leads_back_to_the_address_and_opens_its_studies_until_it_ends(url: str, page: Page) -> None:
    address = f"{url}/verdicts?study=clinic-a&polarity=negative"
    refused = page.get_by_text("There is no study 'clinic-a' in this store")
    page.goto(address)
    expect(refused).to_be_visible()
    expect(page).to_have_url(re.compile("study=clinic-a"))

    log_in(page, "ann")

    expect(page.get_by_text("Title of clinic-a")).to_be_visible()
    await_run(page)
    assert page.url.startswith(f"{url}/verdicts?")
    assert "polarity=negative" in page.url
    assert study_options(page) == ["clinic-a", "open"]
    cookies = {cookie["name"]: cookie["path"] for cookie in page.context.cookies()}
    assert cookies["_streamlit_user"] == BASE
    assert not [name for name in cookies if name.startswith("spb_away")]

    log_out(page)
    expect(page.get_by_text("Title of open")).to_be_visible()
    page.goto(address)

    expect(refused).to_be_visible()
    expect(page.get_by_text("Title of clinic-a")).to_have_count(0)


def test_a_coordinator_and_an_annotator_find_their_pages(url: str, page: Page) -> None:
    page.goto(f"{url}/coordinate?study=unnamed")
    expect(page.get_by_text("This page opens with a coordinator's personal link")).to_be_visible()

    log_in(page, "cy")

    expect(page.get_by_role("heading", name="Coordinate", exact=True)).to_be_visible()
    assert study_options(page) == ["clinic-a", "open", "unnamed"]
    log_out(page)
    log_in(page, "bo")
    expect(page.get_by_text("Tasks of bo")).to_be_visible()
    expect(page.get_by_text(re.compile("Title of"))).to_have_count(0)


def test_a_failed_login_is_reported_and_one_without_a_verified_e_mail_opens_nothing(
    url: str, page: Page
) -> None:
    page.goto(f"{url}/judges?study=clinic-a")
    page.get_by_role("button", name="Log in with down").click()
    expect(page.get_by_text("The login service did not respond as expected")).to_be_visible()

    log_in(page, "Cancel")
    expect(page.get_by_text("The login was not finished")).to_be_visible()
    log_in(page, "ann", "Log in with wrong")
    expect(page.get_by_text("The login was not finished")).to_be_visible()
    assert study_options(page) == ["open"]

    log_in(page, "eve")
    expect(page.get_by_text("has not verified 'eve@clinic.example'")).to_be_visible()
    expect(page.locator(".st-key-pages")).to_have_count(0)
    log_out(page)
    expect(page.get_by_role("button", name="Log in", exact=True)).to_be_visible()


def test_links_addresses_and_reloads_stay_below_the_sub_path(url: str, page: Page) -> None:
    page.goto(f"{url}/verdicts?study=open&polarity=negative")
    await_run(page)
    expect(page.locator(".st-key-pages").get_by_role("link", name="Explore", exact=True)).to_be_visible()
    hrefs = page.locator(".st-key-pages a").evaluate_all("links => links.map(link => link.href)")

    page.locator(".st-key-pages").get_by_role("link", name="Explore", exact=True).click()
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    await_run(page)

    assert hrefs
    assert all(href.startswith(f"{url}/") for href in hrefs)
    expect(page).to_have_url(re.compile(rf"^{re.escape(url)}/workbench\?.*\bpolarity=negative\b"))
    page.reload()
    await_run(page)
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()


def test_a_personal_link_and_its_cookie_stay_below_the_sub_path(below: Below, page: Page) -> None:
    page.goto(link(below.url, below.token))
    expect(page.get_by_text("Tasks of ann")).to_be_visible()

    cookies = [cookie for cookie in page.context.cookies() if cookie["value"] == below.token]
    assert [cookie["path"] for cookie in cookies] == [BASE]
    assert below.token not in page.url
    page.goto(f"{below.url}/")
    expect(page.get_by_text("Tasks of ann")).to_be_visible()
