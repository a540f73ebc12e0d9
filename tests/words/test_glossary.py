"""One glossary: each term is defined once, in one sentence, and used everywhere."""

import ast
from pathlib import Path

import pytest
from architecture.modules import PACKAGES, tree_of

from engine.words.glossary import GLOSSARY, meaning_of, terms_in
from tests.tools.docs.glossary import describe

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_made_from_the_glossary() -> None:
    page = ROOT / "docs" / "glossary.md"

    assert page.read_text("utf-8") == describe(), "python -m tests.tools.docs.glossary > docs/glossary.md"


def test_each_term_is_listed_once_with_one_sentence() -> None:
    names = [term.name.casefold() for term in GLOSSARY]

    assert len(set(names)) == len(names)
    for term in GLOSSARY:
        assert term.meaning.endswith(".")
        assert ". " not in term.meaning
        assert len(term.meaning.split()) <= 32


def test_terms_are_found_as_whole_words_in_singular_and_plural() -> None:
    assert terms_in("see `spb judges mine --paradigm pairwise`") == ()  # SPB is one, and a command's name
    assert [term.name for term in terms_in("Two Committees of a familiar kind")] == ["committee"]
    assert [term.name for term in terms_in(["the judge's family", "95% CI 1.2 to 1.5"])] == [
        "confidence interval",
        "family",
        "judge",
    ]


def test_an_unknown_term_has_no_meaning() -> None:
    with pytest.raises(KeyError):
        meaning_of("no such term")


def test_no_other_module_repeats_a_definition_of_the_glossary() -> None:
    meanings = {term.meaning for term in GLOSSARY}
    words = [sorted(meaning.split(), key=len, reverse=True) for meaning in meanings]  # rare ones first
    texts = {path: path.read_text("utf-8") for folder in PACKAGES for path in (ROOT / folder).rglob("*.py")}
    holders = {
        path.relative_to(ROOT).as_posix()
        for path, text in texts.items()
        if any(all(word in text for word in of_one) for of_one in words)  # else it is not worth parsing
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in meanings
    }

    assert holders == {"engine/words/glossary.py"}
