"""Writes the generated parts of pages that people write otherwise: formats of imports, and checkers.

A part stands between `<!-- format alpaca-eval -->` and `<!-- end -->`. Run
`python -m tests.tools.docs.blocks` after a change of a format, a column of tables or a checker; a test fails
while a page on disk differs.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.checkers import SHIPPED
from engine.checkers.checks_by_id import maker_of
from engine.importers.format_loading import FOLDER, declarations, importer
from engine.importers.import_options import flag_of
from engine.importers.option_spelling import with_options
from engine.importers.reading.format import Format
from engine.importers.table_columns import COLUMNS
from engine.phrases import full_stop

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = ("importing.md", "checkers.md")
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


def _checkers(_: str) -> Iterator[str]:
    yield "| checker | arguments | what it asks for |\n| --- | --- | --- |"
    for checker in SHIPPED:
        maker = maker_of(checker)
        arguments = ", ".join(f"`{name}`" for name in inspect.signature(maker).parameters)
        asks = (inspect.getdoc(maker) or "").split("\n\n")[0].removeprefix("Ask ").removeprefix("for ")
        yield f"| `{checker}` | {arguments} | {' '.join(asks.split()).replace('|', chr(92) + '|')} |"


_KINDS: dict[str, Callable[[str], Iterator[str]]] = {
    "declared": _declared,
    "format": _format,
    "columns": _columns,
    "checkers": _checkers,
}


if __name__ == "__main__":
    for name in PAGES:
        path = DOCS / name
        path.write_text(written(path.read_text("utf-8")), "utf-8")
