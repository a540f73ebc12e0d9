"""A Streamlit server and a browser for tests and pictures; nothing leaves the loopback address."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect, sync_playwright
from playwright.sync_api import TimeoutError as NotInTime

ROOT = Path(__file__).resolve().parents[2]
_SHELL = "/usr/bin/chromium-headless-shell"  # draws the same pages in three fifths of the processor time
CHROMIUM = os.environ.get("CHROMIUM", _SHELL if Path(_SHELL).exists() else "/usr/bin/chromium")
PATIENCE_MS = 60_000
"""How long a page may take on a busy machine; only failures wait so long."""

OUTSIDE = re.compile(r"^https?://(?!127\.0\.0\.1[:/])")

LOOPBACK_ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
"""Refuses every other host; a route of Playwright would make each page reload the program."""


@dataclass(frozen=True)
class Server:
    """A server of the explorer: its address, and its process."""

    url: str
    pid: int

    def cpu_seconds(self) -> float:
        """Return the processor time it has used; NaN if the system has no /proc."""
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_text()
        except OSError:
            return float("nan")
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """Return the server's private memory; NaN if the system has no /proc."""
        try:
            rollup = Path(f"/proc/{self.pid}/smaps_rollup").read_text()
        except OSError:
            return float("nan")
        private = re.findall(r"^Private_(?:Clean|Dirty): +(\d+) kB$", rollup, re.MULTILINE)
        return sum(int(size) for size in private) / 1e3


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def explorer(log: Path, store: str | None = None) -> Iterator[str]:
    """Serve the explorer and yield its address."""
    with serving(log, store) as server:
        yield server.url


@contextlib.contextmanager
def serving(
    log: Path,
    store: str | None = None,
    port: int | None = None,
    options: Sequence[str] = (),
    base: str = "",
) -> Iterator[Server]:
    """Serve the explorer, at a free port if none is given, under the sub-path `base`.

    `options` are Streamlit's own.
    """
    port = port or free_port()
    url = f"http://127.0.0.1:{port}{base}"
    environment = {name: value for name, value in os.environ.items() if name != "SPB_STORE"}
    if store is not None:
        environment["SPB_STORE"] = store
    command = [sys.executable, "-m", "streamlit", "run", "explorer/app.py", f"--server.port={port}"]
    command += [
        "--server.headless=true",
        "--server.address=127.0.0.1",
        "--server.fileWatcherType=none",
        f"--server.baseUrlPath={base}",
        *options,
    ]
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            _wait_until_ready(server, url)
            yield Server(url, server.pid)
        finally:
            server.terminate()
            server.wait(10)


def _wait_until_ready(server: "subprocess.Popen[bytes]", url: str) -> None:
    for _ in range(400):
        assert server.poll() is None, "the server ended by itself"
        with contextlib.suppress(OSError):
            urllib.request.urlopen(url + "/_stcore/health", timeout=1).read()  # noqa: S310 - loopback
            return
        time.sleep(0.05)
    raise AssertionError("the server did not become ready")


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[LOOPBACK_ALONE])
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def page_of(
    browser: Browser, scheme: str = "light", width: int = 1280, height: int = 800, *, moving: bool = False
) -> Iterator[Page]:
    """Open an empty page in a session of its own; see `context_of`."""
    with context_of(browser, scheme, width, height, moving=moving) as context:
        yield context.new_page()


@contextlib.contextmanager
def context_of(
    browser: Browser, scheme: str = "light", width: int = 1280, height: int = 800, *, moving: bool = False
) -> Iterator[BrowserContext]:
    """Open a browser context, whose pages share its cache; animations run only if `moving`."""
    viewport: ViewportSize = {"width": width, "height": height}
    motion: Literal["no-preference", "reduce"] = "no-preference" if moving else "reduce"
    context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion=motion)
    if not moving:
        context.add_init_script(STILL)
    context.set_default_timeout(PATIENCE_MS)
    try:
        yield context
    finally:
        context.close()


STILL = """document.addEventListener('DOMContentLoaded', () => {
  const style = document.createElement('style');
  style.textContent = '*, *::before, *::after { animation: none !important; transition: none !important; }';
  document.head.append(style);
})"""
"""Stops animations, each frame of which takes processor time."""


def await_run(page: Page) -> None:
    """Wait until the page shows the result of its last run."""
    expect(page.locator(".st-key-pages")).to_be_visible()
    await_quiet(page)


def await_quiet(page: Page) -> None:
    """Wait until no run is active, on pages without a menu too."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def await_item(page: Page) -> None:
    """Wait for an item to label, and for the handler of keys: a key pressed before it has loaded is lost."""
    expect(page.locator(".st-key-item_question")).to_have_attribute("role", "region")
    await_quiet(page)


UNMOVED = """async quiet => {
  const running = () => {
    const app = document.querySelector('[data-testid=stApp]');
    return app !== null && app.dataset.testScriptState !== 'notRunning';
  };
  await document.fonts.ready;
  await new Promise(resolve => {
    let waiting;
    const again = () => { clearTimeout(waiting); waiting = setTimeout(look, quiet); };
    const watch = new MutationObserver(again);
    const look = () => {
      if (running()) return again();
      watch.disconnect();
      resolve();
    };
    watch.observe(document.body, {subtree: true, childList: true, attributes: true});
    again();
  });
}"""


def await_layout(page: Page, quiet: int = 700) -> None:
    """Wait until no run is active and nothing has changed for `quiet` milliseconds: charts are drawn."""
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)  # parts of the program still loading
    page.evaluate(UNMOVED, quiet)
    await_run(page)


FOLLOW = """([address, patience]) => new Promise((resolve, reject) => {
  const app = document.querySelector('[data-testid=stApp]');
  let changed = false;
  const content = new MutationObserver(() => { changed = true; });
  const state = new MutationObserver(() => done(resolve));
  const late = setTimeout(() => done(() => reject(new Error(`nothing ran for ${address}`))), patience);
  const brief = setInterval(() => changed && done(resolve), 5000);  // it began and ended between two frames
  const done = end => {
    content.disconnect(); state.disconnect(); clearTimeout(late); clearInterval(brief); end();
  };
  content.observe(app, {subtree: true, childList: true});
  state.observe(app, {attributeFilter: ['data-test-script-state']});
  history.pushState({}, '', address);
  dispatchEvent(new PopStateEvent('popstate'));
})"""


def follow(page: Page, address: str) -> None:
    """Go to an address of the explorer like Back and Forward, in half the time of loading the program."""
    await_run(page)
    page.evaluate(FOLLOW, [address, PATIENCE_MS])
    await_run(page)


def choose(page: Page, key: str, option: str) -> None:
    """Choose an option of a widget, as a person would: reopen a list that a rerun has closed."""
    choice = page.get_by_role("option", name=option, exact=True)
    for _ in range(5):
        await_run(page)
        page.locator(f".st-key-{key}").get_by_role("combobox").click()
        with contextlib.suppress(NotInTime):
            choice.click(timeout=4_000)
            break
        page.keyboard.press("Escape")
    else:
        raise AssertionError(f"{key} never offered {option!r}")
    await_run(page)


def add_filter(page: Page, name: str, value: str) -> None:
    """Add a filter to the row of chips as a person would, and close the list."""
    await_run(page)
    page.locator(".st-key-add_filter").get_by_role("button").first.click()
    choose(page, "adding", name)
    choose(page, f"w_{name.lower()}", value)
    # Checked before the list is closed: closing starts another run, which ends that of the choice.
    expect(page.locator(f".st-key-chip_{name.lower()}")).to_contain_text(value)
    page.keyboard.press("Escape")
    page.get_by_test_id("stHeader").click(position={"x": 2, "y": 2}, force=True)
    await_run(page)


COUNT_CLICKS = """window.countsClicks ||= !addEventListener('click', event => {
  if (event.isTrusted) sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
}, true)"""
"""Counts a person's clicks, also across pages, however often it was added with `add_init_script`."""


def open_menu(menu: Locator, target: Locator) -> None:
    """Open a menu that holds the target, as a person would: reopen one that a rerun has closed."""
    for _ in range(5):
        menu.click()
        with contextlib.suppress(NotInTime):
            target.wait_for(timeout=4_000)
            return
    raise AssertionError(f"{menu} never showed {target}")


def download(page: Page, key: str, ending: str, folder: Path) -> Path:
    """Download a table or a chart from the menu under it, and return the file."""
    menu = page.locator(f".st-key-download_{key}").get_by_role("button", name="Download")
    expect(menu).to_be_visible()
    await_layout(page)  # a button that moves between press and release is not clicked
    target = page.locator(f".st-key-download_{key}_{ending}").get_by_role("button")
    open_menu(menu, target)
    menu.scroll_into_view_if_needed()  # content above it may have grown and moved it
    with page.expect_download() as event:
        target.click()
    path = folder / event.value.suggested_filename
    event.value.save_as(path)
    page.keyboard.press("Escape")
    return path
