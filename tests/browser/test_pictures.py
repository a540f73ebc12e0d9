"""Every page there is, in both themes, in a window of 1280 x 800: nothing broken, and its picture taken.

Pictures are kept in `docs/images` where `--write-pictures` asks for it, else in a temporary folder. A page
that has no view of its own below is taken as it opens on the demonstration study.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from browser.server import ROOT, explorer, page_of, settled, unmoved
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from explorer.sitemap import PAGES
from explorer.sitemap import Page as Shown

pytestmark = pytest.mark.browser

COLOURS = 256
"""Colours of a picture; enough for text and marks, and half the size or less."""

LARGEST = 200_000
"""Bytes that no picture may exceed."""

DEMO = "study=demo-health"
PAIRS = "study=demo-pairs"
VIEWS = {
    "compare": f"{DEMO}&polarity=negative&b_polarity=positive",
    "equal_quality": PAIRS,
    "quality_baseline": PAIRS,
    "slice": f"{DEMO}&by=axis&judges=aster-large&judges=dune-large&judges=boreal-large",
    "verdicts": f"{DEMO}&judge=dune-large&beside=judge:boreal-large&differ=true&rendered=true",
    "measures": f"{DEMO}&measure=hspp",
}
"""What a page's picture shows, as its address says it."""

ENDINGS = {"light": "", "dark": "-dark"}

BROKEN = "[data-testid=stException], [data-testid=stAlertContentError], .chart-error"
"""What Streamlit and Vega show where something failed."""

TOO_WIDE = """() => [document.scrollingElement, document.querySelector('[data-testid=stMain]')]
  .filter(box => box.scrollWidth > box.clientWidth + 1)
  .map(box => `${box.tagName} is ${box.scrollWidth} wide in ${box.clientWidth}`)"""

OVERLAPPING = """() => {
  const shown = [...document.querySelectorAll('[data-testid=stMain] [data-testid=stElementContainer]')]
    .map(element => [element, element.getBoundingClientRect()])
    .filter(([element, box]) => box.width > 1 && box.height > 1 && element.checkVisibility());
  const words = element => `${element.className.match(/st-key-\\S+/) || element.innerText.slice(0, 40)}`;
  const found = [];
  shown.forEach(([one, a], place) => shown.slice(place + 1).forEach(([other, b]) => {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 2 && tall > 2 && !one.contains(other) && !other.contains(one))
      found.push(`${words(one)} lies on ${words(other)}`);
  }));
  return found;
}"""


@pytest.fixture(scope="session")
def demo_url(chromium_there: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:  # noqa: ARG001
    """Serve the demonstration studies."""
    with explorer(tmp_path_factory.mktemp("demo") / "streamlit.log", str(ROOT / "results")) as url:
        yield url


@pytest.fixture(scope="session")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.config.getoption("--write-pictures"):
        return ROOT / "docs" / "images"
    return tmp_path_factory.mktemp("images")


@pytest.fixture(scope="module", params=ENDINGS)
def themed(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[str, Page, list[str]]]:
    """Open one browser page for each theme, which loads the program once; with the errors it tells."""
    told: list[str] = []
    with page_of(browser, scheme=request.param) as page:
        page.on("console", lambda line: told.append(line.text) if _is_error(line) else None)
        page.on("pageerror", lambda error: told.append(str(error)))
        yield request.param, page, told


def _is_error(line: ConsoleMessage) -> bool:
    """Return whether an error was told; Streamlit looks for its server below the page's own address first."""
    return line.type == "error" and "/_stcore/" not in line.location["url"]


@pytest.mark.parametrize("shown", PAGES, ids=lambda page: page.name)
def test_a_page_is_whole_in_both_themes(
    demo_url: str, folder: Path, shown: Shown, themed: tuple[str, Page, list[str]]
) -> None:
    scheme, page, told = themed
    told.clear()

    page.goto(f"{demo_url}/{'' if shown is PAGES[0] else shown.name}?{VIEWS.get(shown.name, DEMO)}")
    settled(page)
    expect(page.get_by_role("heading", name=shown.title, exact=True)).to_be_visible()
    unmoved(page)

    main = page.get_by_test_id("stMain")
    nothing = main.get_by_text(re.compile("^Nothing to"))
    expect(nothing, f"the picture of {shown.name} would be empty; give it a view in VIEWS").to_have_count(0)
    expect(main.locator(BROKEN)).to_have_count(0)
    assert (told, page.evaluate(TOO_WIDE), page.evaluate(OVERLAPPING)) == ([], [], [])
    _save(page.screenshot(), folder / f"{shown.name}{ENDINGS[scheme]}.png")


def _save(picture: bytes, path: Path) -> None:
    """Write a picture with few colours; AssertionError where it is still too large."""
    with Image.open(BytesIO(picture)) as image:
        image.convert("RGB").quantize(COLOURS).save(path, optimize=True)
    size = path.stat().st_size
    assert size <= LARGEST, f"{path.name} has {size:,} bytes; show less on it"
