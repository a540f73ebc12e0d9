"""Take the pictures of `docs/explorer.md`: every page in both themes, on the demonstration study.

`python tests/browser/pictures.py`, with Chromium installed, writes `docs/images/PAGE.png` (light) and
`docs/images/PAGE-dark.png`. A page that has no view of its own below is taken as it opens.
"""

import sys
import tempfile
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from browser.server import ROOT, chromium, explorer, page_of, settled
from PIL import Image
from playwright.sync_api import Page, expect

from explorer.sitemap import PAGES

PICTURES = ROOT / "docs" / "images"
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


def main(folder: Path = PICTURES) -> None:
    """Open every page and save what a window of 1280 x 800 shows."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as scratch,
        explorer(Path(scratch) / "log", str(ROOT / "results")) as url,
        chromium() as browser,
    ):
        for scheme, ending in (("light", ""), ("dark", "-dark")):
            with page_of(browser, scheme=scheme) as page:
                for shown in PAGES:
                    name = "" if shown.name == "overview" else shown.name
                    _open(page, f"{url}/{name}?{VIEWS.get(shown.name, DEMO)}", shown.title)
                    _save(page.screenshot(), folder / f"{shown.name}{ending}.png")


def _open(page: Page, address: str, title: str) -> None:
    """Open an address and wait until its heading stands and nothing is drawn any more."""
    page.goto(address)
    settled(page)
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=30_000)
    page.wait_for_timeout(1_500)
    settled(page)


def _save(picture: bytes, path: Path) -> None:
    """Write a picture with few colours; AssertionError where it is still too large."""
    with Image.open(BytesIO(picture)) as image:
        image.convert("RGB").quantize(COLOURS).save(path, optimize=True)
    size = path.stat().st_size
    assert size <= LARGEST, f"{path.name} has {size:,} bytes; show less on it"


if __name__ == "__main__":
    main()
