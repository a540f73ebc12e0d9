"""Every page, in a theme and on a phone: nothing is broken, cut, or hard to read or reach.

The themes differ in colours alone, and pages share their parts: every second page is checked in the dark. One
browser page visits all of them. Its window changes once on each: a page that ends on a phone is followed by
one that starts there. With `--write-pictures`, each page is checked in both themes, and pictures of
1280 x 800 are written to `docs/images`. A page without a view of its own below is shown as it opens on the
demonstration study.
"""

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, ViewportSize, expect
from playwright.sync_api import TimeoutError as NotInTime

from browser.conftest import TASK
from browser.server import ROOT, await_layout, await_run, follow
from explorer.page_list import PAGES
from explorer.page_list import Page as Shown

pytestmark = pytest.mark.browser

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")

COLOURS = 256
"""Colours of a picture; enough for text and marks, and half the size or less."""

DESKTOP: ViewportSize = {"width": 1280, "height": 800}

LARGEST = 200_000
"""Bytes that no picture may exceed."""

DEMO = "study=demo-health"
PAIRS = "study=demo-pairs"
VIEWS = {
    "annotate": f"task={TASK}",
    "coordinate": f"{PAIRS}&task={TASK}&desk=settle",
    "equal_quality": PAIRS,
    "present": f"{DEMO}&screen=finding:own-failures:aster-large",
    "quality_baseline": PAIRS,
    "workbench": f"{DEMO}&polarity=negative&judge=cinder-mini&generator=cinder-mini",
    "measures": f"{DEMO}&measure=hspp",
}
"""The view in each page's picture, as part of its address."""

OTHER_VIEWS = (
    *("judges?study=demo-pairs", "judges?study=read", "order_effects?study=demo-orders"),
    *("workbench?study=demo-health&by=axis", "workbench?study=demo-health&chart=matrix"),
    "workbench?study=demo-health&compare=slices&polarity=positive&b_polarity=negative",
    "paradigms?study=demo-health&part=committee",
)
"""Views without a picture."""

MODERATE = ("region", "heading-order")
"""Rules of axe-core whose violations are moderate at most; the first takes a fifth of its time."""

BROKEN = "[data-testid=stException], [data-testid=stAlertContentError], .chart-error"
"""What Streamlit and Vega show if something failed."""

TOO_WIDE = """() => [document.scrollingElement, document.querySelector('[data-testid=stMain]')]
  .filter(box => box.scrollWidth > box.clientWidth + 1)
  .map(box => `${box.tagName} is ${box.scrollWidth} wide in ${box.clientWidth}`)"""

SMALL = """() => [...document.querySelectorAll('[data-testid=stMain] :is(button, a[href], input)')]
  .filter(element => element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}))
  .filter(element => !element.closest('[data-testid=stDataFrame], [data-testid=stMultiSelect], .vega-embed'))
  .map(element => element.closest('label, [data-testid=stSlider] [role=group]') ?? element)
  .map(element => [element, element.getBoundingClientRect()])
  .filter(([element, box]) => box.width > 1 && box.height > 1 && box.height < 43.5)
  .map(([element, box]) => `${element.innerText || element.ariaLabel} is ${box.height} high`)"""
"""Controls too small for a finger, other than the marks of a chart, cells of a table and chips of a list."""

OVERLAPPING = """() => {
  const HIDDEN = '.st-key-steps';  // of one pixel, for keys and screen readers
  const shown = [...document.querySelectorAll('[data-testid=stMain] [data-testid=stElementContainer]')]
    .map(element => [element, element.getBoundingClientRect()])
    .filter(([element, box]) => box.width > 1 && box.height > 1 && element.checkVisibility())
    .filter(([element]) => !element.closest(HIDDEN));
  const words = element => `${element.className.match(/st-key-\\S+/) || element.innerText.slice(0, 40)}`;
  const overlaps = [];
  shown.forEach(([one, a], place) => shown.slice(place + 1).forEach(([other, b]) => {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 2 && tall > 2 && !one.contains(other) && !other.contains(one))
      overlaps.push(`${words(one)} overlaps ${words(other)}`);
  }));
  return overlaps;
}"""

LABELS_TOUCHING = """() => {
  const faults = [];
  document.querySelectorAll('[data-testid=stMain] svg .role-axis-label').forEach(axis => {
    const labels = [...axis.querySelectorAll('text')]
      .filter(one => one.textContent && !/rotate/.test(one.getAttribute('transform') || ''))
      .filter(one => one.getAttribute('opacity') !== '0')
      .map(one => [one.textContent, one.getBoundingClientRect()]);
    labels.slice(1).forEach(([text, b], place) => {
      const [before, a] = labels[place];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && tall > 4) faults.push(`${before} touches ${text}`);
    });
  });
  return faults;
}"""
"""Labels of one axis of a chart that are drawn over each other."""


@pytest.fixture(scope="session")
def folder(request: pytest.FixtureRequest) -> Path | None:
    """Return the folder of pictures; None unless they are requested."""
    return ROOT / "docs" / "images" if request.config.getoption("--write-pictures") else None


@dataclass(frozen=True)
class Window:
    """The shared browser page, with the errors that it reports."""

    page: Page
    errors: list[str]

    def go(self, address: str) -> None:
        """Go to an address of the explorer, which only the first test has to load."""
        self.errors.clear()
        if self.page.url == "about:blank":
            self.page.goto(address)
        else:
            follow(self.page, address)
        await_run(self.page)

    def through(self, *checks: Callable[[], None]) -> None:
        """Run the checks, which end on a phone, or start there if the previous page ended on one."""
        narrow = (self.page.viewport_size or DESKTOP)["width"] < DESKTOP["width"]
        for check in reversed(checks) if narrow else checks:
            check()
        assert self.errors == []


@pytest.fixture(scope="module")
def window(context: BrowserContext) -> Iterator[Window]:
    errors: list[str] = []
    page = context.new_page()
    page.set_viewport_size(DESKTOP)
    page.on("console", lambda line: errors.append(line.text) if _is_error(line) else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield Window(page, errors)
    page.close()


def _is_error(line: ConsoleMessage) -> bool:
    """Return whether a line is an error; Streamlit first looks for its server below the page's address."""
    return line.type == "error" and "/_stcore/" not in line.location["url"]


def _check_whole(page: Page, theme: Theme) -> None:
    """Check in one theme that nothing failed, is too wide, or overlaps."""
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme=theme)
    await_layout(page)
    expect(page.get_by_test_id("stMain").locator(BROKEN)).to_have_count(0)
    assert (page.evaluate(TOO_WIDE), page.evaluate(OVERLAPPING)) == ([], [])
    assert page.evaluate(LABELS_TOUCHING) == []


def _check_readable(page: Page) -> None:
    """Check that axe-core finds nothing serious: names, contrast, roles, focus."""
    options = {"resultTypes": ["violations"], "rules": {rule: {"enabled": False} for rule in MODERATE}}
    serious = [
        f"{each['id']}: {node['html'][:160]}"
        for each in Axe().run(page, options=options).response["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]
    assert not serious, "\n".join(serious)


def _check_on_a_phone(page: Page) -> None:
    """Check that nothing is wider than a phone, and that a finger can touch what it shows."""
    page.set_viewport_size({"width": 360, "height": 844})
    await_layout(page)
    for faults in (TOO_WIDE, SMALL):
        with contextlib.suppress(NotInTime):  # a busy machine reports its width, or applies a style, late
            page.wait_for_function(f"() => ({faults})().length === 0", timeout=10_000)
        assert page.evaluate(faults) == []


IN_A_THEME = [(page, theme) for first, theme in enumerate(THEMES) for page in PAGES[first::2]]


@pytest.mark.parametrize(("shown", "theme"), IN_A_THEME, ids=lambda each: getattr(each, "name", each))
def test_a_page_is_whole_in_a_theme_and_on_a_phone(
    app_url: str, folder: Path | None, shown: Shown, theme: Theme, window: Window
) -> None:
    page = window.page

    def in_a_theme(theme: Theme) -> None:
        _check_whole(page, theme)
        nothing = page.get_by_test_id("stMain").get_by_text(re.compile("^Nothing to"))
        message = f"the picture of {shown.name} would be empty; give it a view in VIEWS"
        expect(nothing, message).to_have_count(0)
        _write_picture(page, folder, shown.name if theme == "light" else f"{shown.name}-{theme}")
        _check_readable(page)

    window.go(f"{app_url}/{'' if shown is PAGES[0] else shown.name}?{VIEWS.get(shown.name, DEMO)}")
    expect(page.get_by_role("heading", name=shown.title, exact=True)).to_be_visible()

    themes = (theme,) if folder is None else THEMES
    window.through(*(partial(in_a_theme, each) for each in themes), lambda: _check_on_a_phone(page))


@pytest.mark.parametrize("address", OTHER_VIEWS)
def test_a_view_is_whole_in_the_dark_and_on_a_phone(app_url: str, address: str, window: Window) -> None:
    page = window.page

    def in_the_dark() -> None:
        _check_whole(page, "dark")
        _check_readable(page)

    window.go(f"{app_url}/{address}")

    window.through(in_the_dark, lambda: _check_on_a_phone(page))


def _write_picture(page: Page, folder: Path | None, name: str) -> None:
    """Write a picture with few colours if requested; AssertionError if it is too large."""
    if folder is None:
        return
    path = folder / f"{name}.png"
    with Image.open(BytesIO(page.screenshot())) as image:
        image.convert("RGB").quantize(COLOURS).save(path, optimize=True)
    size = path.stat().st_size
    assert size <= LARGEST, f"{path.name} has {size:,} bytes; show less on it"
