"""How long the explorer takes from a click to the new chart, in a real browser.

It is measured by the page's own clock, from the press on an option to the frame that shows other marks in the
chart. The processor time of the server and of the browser shows the cost of a click however busy the machine
is.
"""

import contextlib
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page
from playwright.sync_api import TimeoutError as NotInTime

from .timing import Row, run_spb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from browser.server import ROOT, Server, await_layout, await_run, choose, chromium, page_of, serving

TARGET_MS = 250.0
FIRST_VIEW_S = 1.5
PUBLISHED = ROOT.parent / "shared" / "data" / "rubric-self-preference"
VIEWS = 5
"""How often a study's first page is opened."""

ROUNDS, CHOICES = 5, 3
"""How often the Slice page is opened, and how many options are chosen on it each time."""

ATTEMPTS, LOST_MS = 5, 15_000
"""A list moves while its filter grows: a press that missed is repeated after LOST_MS."""

CLOCK = """() => {
  const marks = () => [...document.querySelectorAll('[data-testid=stVegaLiteChart] svg path')]
    .map(mark => mark.getAttribute('d') + mark.getAttribute('transform')).join();
  let pressed = null, before = null;
  window.firstChart = null;
  window.repaint = null;
  addEventListener('pointerdown', event => {
    if (!event.target.closest('[role=option]')) return;
    [pressed, before, window.repaint] = [performance.now(), marks(), null];
  }, true);
  new MutationObserver(() => {
    if (window.firstChart !== null && pressed === null) return;
    const now = marks();
    if (!now) return;
    if (window.firstChart === null) window.firstChart = performance.now();
    if (pressed === null || now === before) return;
    const start = pressed;
    pressed = null;
    requestAnimationFrame(() => { window.repaint = performance.now() - start; });
  }).observe(document, {subtree: true, childList: true, attributes: true});
}"""
"""Measures the time from the page's request, and from each choice."""


@dataclass(frozen=True)
class Subject:
    """A study to measure, and the filter whose options are chosen."""

    words: str
    study: str
    filter: str
    store: Path


@dataclass(frozen=True)
class Click:
    """The time of one choice, in milliseconds: on the page's clock, and of the processor."""

    repaint: float
    server: float
    browser: float


def page_rows(work: Path) -> Iterator[Row]:
    """Time the demonstration study, and the published one if its data are available."""
    yield from _of(Subject("demo", "demo-health", "theme", ROOT / "results"), work)
    if name := published(work):
        yield from _of(Subject("published study", name, "axis", work / "published"), work)


def published(work: Path) -> str | None:
    """Return the name of the published study in `work / "published"`; None if its data are not available."""
    if not PUBLISHED.is_dir():
        return None
    store, name = work / "published", "rubric-self-preference"
    if not (store / name).exists():
        run_spb("import", "tidy", str(PUBLISHED), "--study", name, "--store", str(store))
    return name


def _of(subject: Subject, work: Path) -> Iterator[Row]:
    with serving(work / "page.log", str(subject.store)) as served, chromium() as browser:
        cold = _first_view(browser, served, subject)
        views = [_first_view(browser, served, subject) for _ in range(VIEWS)]
        new = _clicks(browser, served, subject)
        seen = _clicks(browser, served, subject)
    what = f"page, {subject.words}"
    yield Row(f"{what}: first view after the server's start", cold, "s")
    yield Row(f"{what}: first view, server warm", statistics.median(views), "s", FIRST_VIEW_S)
    for history, clicks in (("not used before", new), ("used before", seen)):
        yield Row(
            f"{what}: click to new chart, filter {history}", _median(clicks, "repaint"), "ms", TARGET_MS
        )
        yield Row(f"{what}: the same, processor time of the server", _mean(clicks, "server"), "ms")
        yield Row(f"{what}: the same, processor time of the browser", _mean(clicks, "browser"), "ms")


def _first_view(browser: Browser, served: Server, subject: Subject) -> float:
    """Return the seconds from the request of the first page to its chart, in a fresh browser context."""
    with page_of(browser, moving=True) as page:
        page.add_init_script(f"({CLOCK})()")
        page.goto(f"{served.url}/?study={subject.study}")
        page.wait_for_function("window.firstChart !== null")
        await_run(page)
        return float(page.evaluate("window.firstChart")) / 1e3


def _clicks(browser: Browser, served: Server, subject: Subject) -> list[Click]:
    """Choose options one after another, each round starting at another one, so that no selection repeats."""
    taken = []
    with page_of(browser, moving=True) as page:
        page.add_init_script(f"({CLOCK})()")
        session = browser.new_browser_cdp_session()
        for first in range(ROUNDS):
            page.goto(f"{served.url}/workbench?study={subject.study}")
            page.wait_for_function("window.firstChart !== null")
            await_run(page)
            page.locator(".st-key-add_filter").get_by_role("button").first.click()
            choose(page, "adding", subject.filter.capitalize())
            names = _options(page, subject.filter)
            chosen = [names[place % len(names)] for place in range(first, first + CHOICES)]
            for name in chosen:
                click = _choose(page, served, session, subject.filter, name)
                if click is None:  # with what was chosen before it there may be one
                    sys.stderr.write(f"{subject.words}: {name!r} left no chart, so it was not timed\n")
                else:
                    taken.append(click)
    return taken


def _options(page: Page, name: str) -> list[str]:
    page.locator(f".st-key-w_{name}").get_by_role("combobox").click()
    page.get_by_role("option").first.wait_for()
    options = page.get_by_role("option").all_inner_texts()
    page.keyboard.press("Escape")
    return [option for option in options if option and not option.lower().startswith("select")]


def _choose(page: Page, served: Server, session: CDPSession, name: str, option: str) -> Click | None:
    """Add an option to a filter, and return the time until the page has settled; None if no chart is left."""
    for _ in range(ATTEMPTS):
        await_layout(page)
        before = served.cpu_seconds(), _cpu_seconds(session)
        choose(page, f"w_{name}", option)
        with contextlib.suppress(NotInTime):
            page.wait_for_function("window.repaint !== null", timeout=LOST_MS)
            await_layout(page)
            after = served.cpu_seconds(), _cpu_seconds(session)
            server, browser = ((end - start) * 1e3 for start, end in zip(before, after, strict=True))
            return Click(float(page.evaluate("window.repaint")), server, browser)
        await_layout(page)
        if not page.get_by_test_id("stVegaLiteChart").count():
            return None
    raise RuntimeError(f"{option!r} of {name} could not be chosen in {ATTEMPTS} attempts")


def _cpu_seconds(session: CDPSession) -> float:
    """Return the processor time of all of the browser's processes."""
    info = session.send("SystemInfo.getProcessInfo")
    return float(sum(process["cpuTime"] for process in info["processInfo"]))


def _median(clicks: Sequence[Click], name: str) -> float:
    return statistics.median(getattr(click, name) for click in clicks)


def _mean(clicks: Sequence[Click], name: str) -> float:
    """Return the mean: the system counts processor time in steps of ten milliseconds."""
    return statistics.mean(getattr(click, name) for click in clicks)
