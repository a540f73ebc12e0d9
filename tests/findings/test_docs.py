"""The page on findings matches the rules."""

from pathlib import Path

from tests.tools.docs.findings import describe


def test_the_page_on_disk_matches_the_rules():
    page = Path(__file__).parents[2] / "docs" / "findings.md"

    assert page.read_text("utf-8") == describe(), "run python -m tests.tools.docs.findings > docs/findings.md"
