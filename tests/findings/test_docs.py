"""The page on findings says what the rules say."""

from pathlib import Path

from engine.findings.describe import describe


def test_the_page_on_disk_is_that_of_the_rules():
    page = Path(__file__).parents[2] / "docs" / "findings.md"

    assert page.read_text("utf-8") == describe(), "run python -m engine.findings.describe > docs/findings.md"
