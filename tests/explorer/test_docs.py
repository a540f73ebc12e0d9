"""The documentation of the explorer covers every page."""

from pathlib import Path

import pytest

from explorer.page_list import PAGES

DOCS = Path(__file__).resolve().parents[2] / "docs"
LARGEST = 200_000
TAKE = "remove those of former pages, and run: pytest tests/browser/test_pictures.py --write-pictures"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_has_its_section_and_its_pictures_in_both_themes(page):
    text = (DOCS / "explorer.md").read_text(encoding="utf-8")

    assert f"\n### {page.title}\n" in text, "describe the page in docs/explorer.md"
    for name in (f"images/{page.name}.png", f"images/{page.name}-dark.png"):
        assert f"({name})" in text
        picture = DOCS / name
        assert picture.is_file(), TAKE
        assert picture.stat().st_size <= LARGEST


def test_there_is_no_picture_of_a_former_page():
    names = {page.name + ending for page in PAGES for ending in ("", "-dark")}

    assert {picture.stem for picture in (DOCS / "images").glob("*.png")} == names, TAKE
