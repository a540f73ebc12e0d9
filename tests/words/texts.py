"""The texts that a person reads, by the place where each stands, without names of code."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from architecture.modules import tree_of

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("engine", "explorer")

CODE = re.compile(
    r"```.*?```|`[^`]*`"
    r"|<!--.*?-->|\{[{%#].*?[}%#]\}|<[^>]*>"
    r"|\]\([^)]*\)|https?://\S+"
    r"|--[a-z][\w-]*(?:[ =](?:'[^']*'|[^\s;,)'\"]+))?"
    r"|\w+(?:[./_:-]\w[\w./:-]*)+|\w*_\w*"
    r"|'[a-z]+'|\"[a-z]+\"|one of [\w-]+(?:, [\w-]+)*|\(default: [^)]*\)|^#+ (?:measure )?[a-z-]+$",
    re.DOTALL | re.MULTILINE,
)
"""What is written as code writes it: names between backticks or quotes, tags, addresses, flags, columns."""


NOUNS_OF = ("quantity", "plural", "unknown")
"""Functions whose arguments are nouns of a sentence."""


def constants(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module that are sentences, titles or nouns of sentences, except docstrings."""
    nodes = list(ast.walk(tree_of(path)))
    shown = {
        id(node)
        for call in nodes
        if isinstance(call, ast.Call)
        for node in (
            *(call.args if _name_of(call) in NOUNS_OF else ()),
            *(each.value for each in call.keywords if each.arg in ("title", "label", "help")),
        )
    }
    other = {
        id(node.value if isinstance(node, ast.Expr) else node.func.value)
        for node in nodes
        if isinstance(node, ast.Expr)
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split")
    }
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in other
            and (" " in node.value.strip() or node.value.istitle() or id(node) in shown)
        ):
            yield node.lineno, node.value


def _name_of(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


@cache
def by_place() -> dict[str, str]:
    """Return every text by its place: modules by line, pages and templates by line, entries of TOML files."""
    texts: dict[str, str] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            texts |= {f"{path.relative_to(ROOT)}:{line}": text for line, text in constants(path)}
        for path in sorted((ROOT / folder).rglob("*.toml")):
            content = tomllib.loads(path.read_text("utf-8"))
            texts |= {f"{path.relative_to(ROOT)}:{place}": text for place, text in _entries(content)}
    pages = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
    for path in (*pages, *sorted((ROOT / "engine/report/templates").glob("*.html"))):
        without_code = CODE.sub(lambda code: "\n" * code.group().count("\n"), path.read_text("utf-8"))
        lines = enumerate(without_code.split("\n"), 1)
        texts |= {f"{path.relative_to(ROOT)}:{number}": line for number, line in lines if line.strip()}
    return texts


def _entries(content: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(content, str):
        if " " in content:
            yield place, content
    elif isinstance(content, dict):
        for key, value in content.items():
            yield from _entries(value, f"{place}.{key}".removeprefix("."))
    elif isinstance(content, list):
        for number, value in enumerate(content):
            yield from _entries(value, f"{place}[{number}]")
