"""Pages that are made from declarations are up to date, and the list of pages for language models is."""

import re
from pathlib import Path

import pytest

from engine.checkers import SHIPPED
from engine.collect.configuration.config import RunConfig
from engine.importers.format_loading import FOLDER, declarations, names
from tests.tools.docs import codes, hooks, llms, run_options
from tests.tools.docs.blocks import PAGES, written

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    ("page", "tool"), [("run-options.md", run_options), ("codes.md", codes), ("llms.txt", llms)]
)
def test_a_page_on_disk_matches_the_declarations(page: str, tool: object) -> None:
    name = tool.__name__  # type: ignore[attr-defined]

    assert (DOCS / page).read_text("utf-8") == tool.describe(), f"python -m {name} > docs/{page}"  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES)
def test_the_generated_parts_of_a_page_are_up_to_date(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")

    assert text == written(text), "python -m tests.tools.docs.blocks"


def test_every_format_and_checker_has_its_part() -> None:
    page = (DOCS / "importing.md").read_text("utf-8")
    by_hand = set(re.findall(r"<!-- format ([\w-]+) -->", page))
    declared = {each.name for each in declarations(FOLDER) if f"\n### {each.name}\n" in page}
    checkers = (DOCS / "checkers.md").read_text("utf-8")

    assert by_hand | declared == set(names())
    assert all(f"\n| `{checker}` | " in checkers for checker in SHIPPED)


def test_every_field_of_a_configuration_has_its_row() -> None:
    page = (DOCS / "run-options.md").read_text("utf-8")

    assert all(f"\n| `{name}` | " in page for name in RunConfig.model_fields)


def test_every_page_is_in_the_navigation_and_in_the_list_for_language_models() -> None:
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "llms.txt").read_text("utf-8")))

    assert listed == {path.name for path in DOCS.glob("*.md")}


def test_the_site_has_each_page_as_markdown_too(tmp_path: Path) -> None:
    hooks.on_post_build({"docs_dir": str(DOCS), "site_dir": str(tmp_path)})

    twins = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert twins == {path.name: path.read_bytes() for path in DOCS.glob("*.md")}
    assert "hooks: [tests/tools/docs/hooks.py]" in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_the_first_sentence_of_a_page_is_plain_text() -> None:
    page = "<!-- Generated -->\n# Title\n\n```sh\nspb\n```\n\nSee [this](that.md). More.\n"

    assert llms.first_sentence(page) == "See this."
