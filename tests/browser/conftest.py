"""The explorer in a real browser; skipped where none is, unless SPB_REQUIRE_BROWSER asks for it."""

import os
import shutil
from collections.abc import Iterator

import pytest
from browser.server import CHROMIUM, ROOT, chromium, explorer, page_of
from explorer_studies import HOSTILE, PLANS, write
from playwright.sync_api import Browser, Page


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "keep the pictures of the pages in docs/images, not in a temporary folder"
    parser.addoption("--write-pictures", action="store_true", help=help_text)


@pytest.fixture(scope="session")
def chromium_there() -> None:
    """Skip, or fail where a browser is required, when there is none."""
    if shutil.which(CHROMIUM) is not None:
        return
    reason = f"there is no Chromium at {CHROMIUM!r}; install it, or name one in CHROMIUM"
    if os.environ.get("SPB_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser(chromium_there: None) -> Iterator[Browser]:  # noqa: ARG001
    """Start the browser for one module: while Playwright is at work, no other event loop can run here."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def app_url(chromium_there: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:  # noqa: ARG001
    """Serve a store with the demonstration study and two whose names and texts look like markup."""
    folder = tmp_path_factory.mktemp("server")
    shutil.copytree(ROOT / "results" / "demo-health", folder / "store" / "demo-health")
    write(folder / "store", "hostile", PLANS["awkward-names"], title="<img src=x onerror=alert(1)>")
    write(folder / "store", "hostile-texts", PLANS["hostile"], title=HOSTILE[2])
    with explorer(folder / "streamlit.log", str(folder / "store")) as url:
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with page_of(browser) as opened:
        yield opened
