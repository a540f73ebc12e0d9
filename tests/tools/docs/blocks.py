"""Writes the generated parts of pages that people write otherwise: formats of imports, checkers, packages.

A part stands between `<!-- format alpaca-eval -->` and `<!-- end -->`. Run
`python -m tests.tools.docs.blocks` after a change of a format, a column or a word of tables, a checker, or
what a package says of itself; a test fails while a page on disk differs.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.checkers import SHIPPED
from engine.checkers.checks_by_id import maker_of
from engine.importers.format_list import FOLDER
from engine.importers.format_loading import declarations, importer
from engine.importers.import_options import flag_of
from engine.importers.option_spelling import with_options
from engine.importers.reading.format import Format
from engine.importers.tables.table_columns import COLUMNS
from engine.importers.tables.verdict_words import MET, NO_VERDICT, OK, ORDERS, PLACES, REFUSED, SIDES
from engine.phrases import full_stop

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PAGES = ("importing.md", "checkers.md", "code.md")
_BLOCK = re.compile(r"(<!-- (\w+)(?: ([\w-]+))? -->\n).*?(<!-- end -->)", re.DOTALL)


def written(page: str) -> str:
    """Return the page's text with its generated parts as they should be."""

    def anew(block: re.Match[str]) -> str:
        begin, kind, name, end = block.groups()
        lines = _KINDS[kind](name)
        return begin + "\n".join(lines) + "\n" + end

    return _BLOCK.sub(anew, page)


def _format(name: str) -> Iterator[str]:
    form = importer(name)
    yield f"*{form.title}*" + (f", from <{form.source}>." if form.source else ".")
    if not isinstance(form, Format):
        return
    yield f"It reads {full_stop(form.expected)}"
    flags = ", ".join(f"`{flag_of(option)}`" for option in form.options)
    yield f"Options: {flags}." if flags else "It takes no options of its own."
    if form.notes:
        yield form.notes
    if form.fields:
        yield "\n| field | becomes | |\n| --- | --- | --- |"
    for field in form.fields:
        cells = (f"`{field.name}`", f"`{field.becomes}`", with_options(field.note))
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _declared(_: str) -> Iterator[str]:
    for declaration in declarations(FOLDER):
        yield f"### {declaration.name}\n"
        yield from _format(declaration.name)
        yield f"\n{declaration.guide.strip()}\n"


def _columns(_: str) -> Iterator[str]:
    yield "| column | meaning |\n| --- | --- |"
    yield from (f"| `{name}` | {meaning} |" for name, meaning in COLUMNS.items())


def _words(_: str) -> Iterator[str]:
    """Yield the words for verdicts and orders; of those that differ by `_` or `.0` alone, the plain one."""
    of_sides = {word: side for word, side in SIDES.items() if word not in PLACES}
    of_orders = {word: side for word, side in ORDERS.items() if word not in of_sides}
    sides = {"generator": "`generator`", "opponent": "`opponent`"}
    places = {"generator": "the answer shown first", "opponent": "the answer shown second"}
    columns: list[tuple[str, Mapping[str, object], Mapping[Any, str]]] = [
        ("`met`", MET, {True: "yes", False: "no"}),
        ("`met` of both and no other word", OK, {"yes": "yes", "no": "no"}),
        ("`choice`, `preference`, `first`", of_sides, sides),
        ("`choice`, `preference`", of_sides, {"tie": "a tie"}),
        ("`choice`, `preference`", PLACES, places),
        ("`first`", of_orders, sides),
        ("each", dict.fromkeys(sorted(NO_VERDICT - REFUSED), ""), {"": "no verdict"}),
        ("each", dict.fromkeys(sorted(REFUSED), ""), {"": "no verdict: the judge refused"}),
    ]
    yield "| column | words | meaning |\n| --- | --- | --- |"
    for column, words, meanings in columns:
        plain = [word for word in words if "_" not in word or word.replace("_", " ") not in words]
        plain = [word for word in plain if word and word.removesuffix(".0") not in {*words} - {word}]
        for value, meaning in meanings.items():
            of_it = ", ".join(f"`{word}`" for word in plain if words[word] == value)
            yield f"| {column} | {of_it} | {meaning} |"


def _checkers(_: str) -> Iterator[str]:
    yield "| checker | arguments | what it asks for |\n| --- | --- | --- |"
    for checker in SHIPPED:
        maker = maker_of(checker)
        arguments = ", ".join(f"`{name}`" for name in inspect.signature(maker).parameters)
        asks = (inspect.getdoc(maker) or "").split("\n\n")[0].removeprefix("Ask ").removeprefix("for ")
        yield f"| `{checker}` | {arguments} | {' '.join(asks.split()).replace('|', chr(92) + '|')} |"


def _packages(_: str) -> Iterator[str]:
    """Yield each package with the first sentence of its docstring."""
    yield "| package | what it holds |\n| --- | --- |"
    for top in ("engine", "explorer"):
        for path in sorted((ROOT / top).rglob("__init__.py"), key=lambda path: path.parent.parts):
            says = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
            folder = path.parent.relative_to(ROOT).as_posix()
            yield f"| `{folder}` | {says.partition(chr(10))[0]} |"


_KINDS: dict[str, Callable[[str], Iterator[str]]] = {
    "declared": _declared,
    "format": _format,
    "columns": _columns,
    "words": _words,
    "checkers": _checkers,
    "packages": _packages,
}


if __name__ == "__main__":
    for name in PAGES:
        path = DOCS / name
        path.write_text(written(path.read_text("utf-8")), "utf-8")
