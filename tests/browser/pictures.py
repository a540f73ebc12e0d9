"""Take the README's picture of the overview: `python tests/browser/pictures.py`, with Chromium installed."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from browser.server import ROOT, chromium, explorer, page_of, settled

PICTURE = ROOT / "docs" / "images" / "overview.png"


def main() -> None:
    """Open the demonstration study and save what a window of 1280 x 800 shows."""
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        explorer(Path(folder) / "log", str(ROOT / "results")) as url,
        chromium() as browser,
        page_of(browser) as page,
    ):
        page.goto(f"{url}/?study=demo-health")
        settled(page)
        page.locator(".st-key-headline [role=graphics-symbol]").first.wait_for(state="attached")
        page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
