"""The explorer in a real browser; skipped if there is none, unless SPB_REQUIRE_BROWSER is set."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from common_server import Common, common
from explorer_studies import HOSTILE, PLANS, write
from importers.foreign_files import alpaca_board, dump, imported
from plain.published import STUDY
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from browser.server import CHROMIUM, ROOT, chromium, context_of, explorer, page_of
from engine import open_study
from engine.annotations import labels
from engine.annotations.database import open_database
from engine.annotations.people import local_person
from engine.annotations.sampling import Sampling, select
from engine.annotations.tasks import assign, create_task
from engine.importers.formats.exchange import import_tidy
from engine.store import Store

WINDOW: ViewportSize = {"width": 1440, "height": 800}
"""The width that pages assume until the browser reports it, so that charts are drawn only once."""

TASK, GUIDE = "equal-1", "Is what is said right, and is all said? Style does not count."

ALPACA_JUDGES = ("alpaca_eval_gpt4", "claude-2")
WON_LOST_TIED = {"claude-2": (14, 24, 2), "gpt4": (30, 10, 0), "llama-2-70b-chat-hf": (8, 32, 0)} | {
    f"a-model-with-a-long-name-{number:02}": (number, 40 - number, 0) for number in range(1, 14)
}
"""How often each model wins, loses and ties by each of the judges of a file of AlpacaEval."""


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "take the pictures of the pages, and write them to docs/images"
    parser.addoption("--write-pictures", action="store_true", help=help_text)


@pytest.fixture(scope="session")
def chromium_installed() -> None:
    """Skip if there is no browser, or fail if one is required."""
    if shutil.which(CHROMIUM) is not None:
        return
    reason = f"there is no Chromium at {CHROMIUM!r}; install it, or name one in CHROMIUM"
    if os.environ.get("SPB_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="package")
def browser(chromium_installed: None) -> Iterator[Browser]:  # noqa: ARG001
    """Start the browser for this folder alone: while Playwright runs, no other event loop can."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def app(
    chromium_installed: None,  # noqa: ARG001
    folder_of_run: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Common]:
    """Serve one store to all tests that only read, in all processes: it is slow to start and to measure.

    It holds the demonstration studies with a task for the local user, two studies whose names and texts look
    like markup, a file of AlpacaEval, and the published study if it is available. A test that writes uses a
    study that no other test opens.
    """
    with common(
        folder_of_run / "explorer", lambda: _serve_store(tmp_path_factory.mktemp("server"))
    ) as server:
        yield server


@pytest.fixture(scope="session")
def app_url(app: Common) -> str:
    return app.url


@contextlib.contextmanager
def _serve_store(folder: Path) -> Iterator[Common]:
    store = folder / "store"
    shutil.copytree(ROOT / "results", store, ignore=shutil.ignore_patterns(".*"))
    write(store, "hostile", PLANS["awkward-names"], title="<img src=x onerror=alert(1)>")
    write(store, "hostile-texts", PLANS["hostile"], title=HOSTILE[2])
    for name in ("plain", "sliced"):
        write(store, name, PLANS["plain"], title="A plain study")
    rows = [row for judge in ALPACA_JUDGES for row in alpaca_board(judge, "text_davinci_003", WON_LOST_TIED)]
    imported("alpaca-eval", dump(folder / "annotations.json", rows))
    if STUDY.is_dir():
        import_tidy(STUDY, Store(store), "ifeval")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOGNAME", "cy")  # no picture shows the local user's name
        _make_task(store)
        with explorer(folder / "streamlit.log", str(store)) as url:
            yield Common(url, store)


def _make_task(store: Path) -> None:
    database = open_database(Store(str(store)))
    pairs = select(open_study(str(store / "demo-pairs")), Sampling("equal", number=40, seed=1))
    create_task(database, TASK, "demo-pairs", "equal_pair", pairs, title="Equal quality", guidelines=GUIDE)
    me, other = (local_person(database, name).name for name in (None, "ann"))
    assign(database, TASK, [me, other])
    for place in range(1, 13):
        labels.save(database, TASK, me, place, "equal", submission=f"picture-{place}", seconds=21)
    for place in range(1, 43):  # differs on half of them
        answer = ("left", "equal")[place % 2]
        labels.save(database, TASK, other, place, answer, submission=f"other-{place}", seconds=18)
    database.close()


@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Let all pages share a context: loading the program takes a second."""
    with context_of(browser, **WINDOW) as browser_context:
        yield browser_context


@pytest.fixture(scope="package")
def tab(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture(scope="package")
def other_tab(browser: Browser) -> Iterator[Page]:
    with page_of(browser, **WINDOW) as page:
        yield page


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """Give a test the shared page, which has compiled the program: a new one takes half a second more."""
    yield tab
    _leave(tab)


@pytest.fixture
def other(other_tab: Page) -> Iterator[Page]:
    """Give a test a page that shares nothing with `page`, to open its links elsewhere."""
    yield other_tab
    _leave(other_tab)


def _leave(page: Page) -> None:
    """Reset a page: the next test starts without its login and its mouse position."""
    page.goto("about:blank")
    page.mouse.move(0, 0)
    page.set_viewport_size(WINDOW)
    page.emulate_media(color_scheme="light")
    page.context.clear_cookies()


@pytest.fixture
def new_page(context: BrowserContext) -> Iterator[Page]:
    """Open a page for one test, with listeners and routes that are never removed."""
    page = context.new_page()
    yield page
    page.close()
    context.clear_cookies()
