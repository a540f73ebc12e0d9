"""The docs page on the store matches the code."""

from pathlib import Path

from tests.tools.docs.store import describe


def test_the_page_on_disk_matches_the_declaration() -> None:
    page = Path(__file__).parents[2] / "docs" / "store.md"

    assert page.read_text("utf-8") == describe(), "run python -m tests.tools.docs.store > docs/store.md"
