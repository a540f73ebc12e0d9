"""Empty words may not come back as names of variables, functions, parameters or modules.

Longer names (`told_by`) are allowed: the other word adds meaning.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from architecture.modules import PACKAGES, ROOT, tree_of, trees

FOLDERS = (*PACKAGES, "tests", "integrations")
EMPTY = ("told", "made", "found", "kept", "asked", "said", "begun", "seats", "kin")
VAGUE = (
    *("chosen", "drawn", "gone", "here", "known", "listed", "looked"),
    *("named", "opened", "taken", "there", "tried", "turned"),
)
"""Words that do not say what a thing is; in the two packages a noun takes their place."""


def names(tree: ast.Module) -> Iterator[str]:
    """Yield every name that a module binds, not those it only uses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name


@cache
def counts(words: tuple[str, ...], folders: tuple[str, ...]) -> Counter[str]:
    """Return the number of names by word in some folders, ignoring case and leading underscores.

    Most files do not hold one of the words alone, and are not parsed.
    """
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")] + [ROOT / "setup.py"]
    word = re.compile(rf"(?<!\w)_*(?:{'|'.join(words)})_*(?!\w)", re.IGNORECASE)
    bound = [name for path in paths if word.search(path.read_text("utf-8")) for name in names(tree_of(path))]
    bound += [path.parent.name if path.stem == "__init__" else path.stem for path in paths]
    return Counter(name.strip("_").lower() for name in bound)


@pytest.mark.parametrize("word", EMPTY)
def test_a_word_that_names_nothing_does_not_come_back(word: str) -> None:
    assert counts(EMPTY, FOLDERS)[word] == 0, f"find a noun for what `{word}` is"


@pytest.mark.parametrize("word", VAGUE)
def test_a_vague_word_does_not_come_back_in_the_packages(word: str) -> None:
    assert counts(VAGUE, PACKAGES)[word] == 0, f"find a noun for what `{word}` is"


def test_a_name_counts_where_it_is_bound() -> None:
    text = """
import made as made_of
from sources import kept
def told(asked, *said, found=1, **kin):
    for seats in asked:
        seats.begun = made = told
    with seats as kept: ...
class Kept:
    found: int
"""

    bound = Counter(names(ast.parse(text)))

    assert bound == Counter(
        "made_of told asked said found kin seats begun made kept Kept found".split()  # noqa: SIM905
    )


def test_two_classes_never_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for module, tree in trees(PACKAGES).items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}
