"""Every page there is, in both themes, in a window of 1280 x 800: nothing broken, and its picture taken.

Pictures are kept in `docs/images` where `--write-pictures` asks for it, else in a temporary folder. A page
that has no view of its own below is taken as it opens on the demonstration study.
"""

import re
import shutil
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from browser.server import ROOT, explorer, page_of, settled, unmoved
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from engine import open_study
from engine.annotations import labels
from engine.annotations.database import open_database
from engine.annotations.people import local_person
from engine.annotations.sampling import Wanted, select
from engine.annotations.tasks import assign, create_task
from engine.store import Store
from explorer.parts.address import PAGES
from explorer.parts.address import Page as Shown

pytestmark = pytest.mark.browser

COLOURS = 256
"""Colours of a picture; enough for text and marks, and half the size or less."""

LARGEST = 200_000
"""Bytes that no picture may exceed."""

DEMO = "study=demo-health"
PAIRS = "study=demo-pairs"
TASK, GUIDE = "equal-1", "Is what is said right, and is all said? Style does not count."
VIEWS = {
    "annotate": f"task={TASK}",
    "coordinate": f"{PAIRS}&task={TASK}&desk=settle",
    "equal_quality": PAIRS,
    "present": f"{DEMO}&screen=finding:own-failures:aster-large",
    "quality_baseline": PAIRS,
    "workbench": f"{DEMO}&polarity=negative&judge=cinder-mini&generator=cinder-mini",
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
  const HIDDEN = '.st-key-steps';  // of one pixel, for keys and screen readers
  const shown = [...document.querySelectorAll('[data-testid=stMain] [data-testid=stElementContainer]')]
    .map(element => [element, element.getBoundingClientRect()])
    .filter(([element, box]) => box.width > 1 && box.height > 1 && element.checkVisibility())
    .filter(([element]) => !element.closest(HIDDEN));
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
    """Serve the demonstration studies, with a task for whoever runs this."""
    store = tmp_path_factory.mktemp("demo") / "results"
    shutil.copytree(ROOT / "results", store, ignore=shutil.ignore_patterns(".*"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOGNAME", "cy")  # no picture names whoever runs this
        _make_task(store)
        with explorer(store.parent / "streamlit.log", str(store)) as url:
            yield url


def _make_task(store: Path) -> None:
    database = open_database(Store(str(store)))
    pairs = select(open_study(str(store / "demo-pairs")), Wanted("equal", number=40, seed=1))
    create_task(database, TASK, "demo-pairs", "equal_pair", pairs, title="Equal quality", guidelines=GUIDE)
    me, other = (local_person(database, name).name for name in (None, "ann"))
    assign(database, TASK, [me, other])
    for place in range(1, 13):
        labels.save(database, TASK, me, place, "equal", submission=f"picture-{place}", seconds=21)
    for place in range(1, 43):  # who differs on half of them
        answer = ("left", "equal")[place % 2]
        labels.save(database, TASK, other, place, answer, submission=f"other-{place}", seconds=18)
    database.close()


@pytest.fixture(scope="session")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.config.getoption("--write-pictures"):
        return ROOT / "docs" / "images"
    return tmp_path_factory.mktemp("images")


@pytest.fixture(scope="module", params=ENDINGS)
def themed(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[str, Page, list[str]]]:
    """Open one browser page for each theme, which loads the program once; with the errors it tells."""
    errors: list[str] = []
    with page_of(browser, scheme=request.param) as page:
        page.on("console", lambda line: errors.append(line.text) if _is_error(line) else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield request.param, page, errors


def _is_error(line: ConsoleMessage) -> bool:
    """Return whether an error was told; Streamlit looks for its server below the page's own address first."""
    return line.type == "error" and "/_stcore/" not in line.location["url"]


@pytest.mark.parametrize("shown", PAGES, ids=lambda page: page.name)
def test_a_page_is_whole_in_both_themes(
    demo_url: str, folder: Path, shown: Shown, themed: tuple[str, Page, list[str]]
) -> None:
    scheme, page, errors = themed
    errors.clear()

    page.goto(f"{demo_url}/{'' if shown is PAGES[0] else shown.name}?{VIEWS.get(shown.name, DEMO)}")
    settled(page)
    expect(page.get_by_role("heading", name=shown.title, exact=True)).to_be_visible()
    unmoved(page)

    main = page.get_by_test_id("stMain")
    nothing = main.get_by_text(re.compile("^Nothing to"))
    expect(nothing, f"the picture of {shown.name} would be empty; give it a view in VIEWS").to_have_count(0)
    expect(main.locator(BROKEN)).to_have_count(0)
    assert (errors, page.evaluate(TOO_WIDE), page.evaluate(OVERLAPPING)) == ([], [], [])
    _save(page.screenshot(), folder / f"{shown.name}{ENDINGS[scheme]}.png")


def _save(picture: bytes, path: Path) -> None:
    """Write a picture with few colours; AssertionError where it is still too large."""
    with Image.open(BytesIO(picture)) as image:
        image.convert("RGB").quantize(COLOURS).save(path, optimize=True)
    size = path.stat().st_size
    assert size <= LARGEST, f"{path.name} has {size:,} bytes; show less on it"
