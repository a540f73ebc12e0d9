"""Texts for people use the field's words: some invented ones may not come back."""

import ast
import re
from pathlib import Path

import pytest
from architecture.modules import tree_of

from engine.measures.catalogue import MEASURES
from engine.measures.causes import association
from engine.words import short_titles

ROOT = Path(__file__).resolve().parents[2]
BANNED = re.compile(
    r"\b(kin|relatives|taken of|looked ahead|ways? of judging|credit(s|ed)? "
    r"(itself|themselves|its|their|what|more|the))\b",
    re.IGNORECASE,
)
MODULES = [path for folder in ("engine", "explorer") for path in sorted((ROOT / folder).rglob("*.py"))]
FOR_STATISTICIANS = ("intervals.md", "claims.md")
"""Pages that describe methods to statisticians, in the words of their formulas."""


def read_by_people(path: Path) -> list[tuple[int, str]]:
    """Return the texts of a module with more than one word, except its docstrings."""
    nodes = list(ast.walk(tree_of(path)))
    documentation = {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        (node.lineno, node.value)
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documentation
        and " " in node.value.strip()
    ]


def test_no_text_for_people_uses_an_invented_word() -> None:
    passages = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in MODULES
        for line, text in read_by_people(path)
        if BANNED.search(text)
    ]

    assert not passages, "say it in plain words"


PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in FOR_STATISTICIANS]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_documentation_uses_no_invented_word(page: Path) -> None:
    prose = re.sub(r"`[^`]*`|```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)

    assert not BANNED.findall(prose)


def test_a_columns_title_is_that_of_its_entry_or_of_its_name_in_another():
    titles = {
        (measure.name, field.name): (field.title, short_titles.field_title(measure, field.name))
        for measure in MEASURES.values()
        for field in measure.fields
        if field.title
    }

    assert {key: pair for key, pair in titles.items() if pair[0] != pair[1]} == {}
    assert short_titles.field_title(MEASURES["committee"], "hspp_self") == "HSPP ratio"
    assert short_titles.title("hspp_matched_p_adjusted") == "p, matched ratio, adjusted"
    assert short_titles.title("n_pairs") == "n pairs"


def test_measures_set_beside_each_other_have_names_without_underscores():
    names = (*association._BIASED, *association._TRAITS)

    titles = [short_titles.measure(name) for name in names]

    assert not [title for title in titles if "_" in title]
    assert len(set(titles)) == len(names)
