"""How long the explorer takes from a click to the new picture, in a real browser."""

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from .timing import Row

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from browser.server import ROOT, chromium, explorer, page_of, settled

TARGET_MS = 400.0
FIRST_VIEW_S = 2.0
CHART = "[data-testid=stVegaLiteChart] svg path"
MARKS = f"Array.from(document.querySelectorAll('{CHART}')).map(m => m.outerHTML).join()"


def page_rows(work: Path) -> Iterator[Row]:
    """Time the Slice page on the demonstration study: filters new to the server, filters seen before."""
    with explorer(work / "page.log", str(ROOT / "results")) as url, chromium() as browser:
        with page_of(browser) as page:
            page.goto(f"{url}/slice?study=demo-health")
            settled(page)
        with page_of(browser) as page:
            start = time.perf_counter()
            page.goto(f"{url}/?study=demo-health")
            page.wait_for_selector(CHART)
            taken = time.perf_counter() - start
            yield Row("page: first view of the demo, server warm", taken, "s", FIRST_VIEW_S)
            new, seen = (_two_by_two(page, f"{url}/slice?study=demo-health") for _ in range(2))
    yield Row("page: click to new chart on the demo, filter not asked before", _ms(new), "ms", TARGET_MS)
    yield Row("page: the same, filter asked before", _ms(seen), "ms", TARGET_MS)


def _two_by_two(page: Page, address: str) -> list[float]:
    """Choose themes two at a time, each two on a page opened anew; return the seconds of each choice."""
    taken = []
    for first in range(0, 6, 2):
        page.goto(address)
        settled(page)
        themes = _options(page, "w_theme")
        taken += [_choose(page, "w_theme", name) for name in themes[first : first + 2]]
    return taken


def _options(page: Page, key: str) -> list[str]:
    page.locator(f".st-key-{key}").get_by_role("combobox").click()
    options = [option.inner_text() for option in page.get_by_role("option").all()]
    page.keyboard.press("Escape")
    return [name for name in options if name and not name.lower().startswith(("select", "all"))]


def _choose(page: Page, key: str, option: str) -> float:
    """Add one option to a filter and return the seconds until the chart shows other marks."""
    page.locator(f".st-key-{key}").get_by_role("combobox").click()
    before = page.evaluate(MARKS)
    target = page.get_by_role("option", name=option, exact=True)
    target.wait_for()
    start = time.perf_counter()
    target.click()
    page.wait_for_function(f"before => {{ const now = {MARKS}; return now && now !== before }}", arg=before)
    taken = time.perf_counter() - start
    settled(page)
    return taken


def _ms(seconds: list[float]) -> float:
    return statistics.median(seconds) * 1e3
