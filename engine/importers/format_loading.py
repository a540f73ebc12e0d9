"""Loads the formats of `spb import` by name: declared ones, those in Python, and those of other packages.

A new format is a TOML file in `formats/`, or a module with its line in `format_list`; nothing changes here.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from engine.errors import SpbError, UsageError, unknown
from engine.importers.declared.declaration import Declaration
from engine.importers.declared.declaration_file import read_declaration
from engine.importers.declared.declared_reader import as_format
from engine.importers.format_list import FOLDER, FORMATS
from engine.importers.reading.format import Format, WholeFormat
from engine.importers.reading.tables import SUFFIXES
from engine.wording import Wording

GROUP = "spb.importers"
"""The entry points by which other packages add formats.

A package adds one with an entry point of the group `spb.importers`, named like the format, whose value is a
`Format` or a `WholeFormat`:

    [project.entry-points."spb.importers"]
    my-tool = "my_package.my_tool:FORMAT"

A package cannot replace a format of this project.
"""

AUTO = "auto"  # the format is detected


def declarations(folder: Path) -> tuple[Declaration, ...]:
    """Return the formats that the TOML files of a folder declare, by name."""
    return tuple(read_declaration(file) for file in sorted(folder.glob("*.toml")))


_LOADED = tuple(import_module(f"engine.importers.{entry.module}").FORMAT for entry in FORMATS)

IN_PYTHON: tuple[Format, ...] = tuple(form for form in _LOADED if isinstance(form, Format))
"""The formats of tools whose files need a program; they are read row by row, as declared ones are."""

AS_A_WHOLE: tuple[WholeFormat, ...] = tuple(form for form in _LOADED if isinstance(form, WholeFormat))
"""The formats that are read as a whole: one bad row and the file is refused."""

Importer = Format | WholeFormat


@cache
def by_rows() -> tuple[Format, ...]:
    """Return this project's formats that are read row by row, with a mapping report."""
    return (*map(as_format, declarations(FOLDER)), *IN_PYTHON)


@cache
def built_in() -> Mapping[str, Importer]:
    """Return this project's formats by name."""
    forms: tuple[Importer, ...] = (*AS_A_WHOLE, *by_rows())
    return {form.name: form for form in forms}


def names() -> tuple[str, ...]:
    """Return the names of all formats: ours, then those of other packages (which are not loaded)."""
    return (*built_in(), *(point.name for point in _entry_points()))


def row_formats() -> tuple[str, ...]:
    """Return the names of the formats that are read row by row: ours, then those of loadable packages."""
    return (*(form.name for form in by_rows()), *(form.name for form in added_formats()))


def importer(name: str) -> Importer:
    """Return a format by name; UsageError if it is unknown or its package cannot be loaded."""
    if name in built_in():
        return built_in()[name]
    point = next((point for point in _entry_points() if point.name == name), None)
    if point is None:
        if f".{name.casefold().lstrip('.')}" in (*SUFFIXES, ".excel", ".xls"):
            raise UsageError(
                f"{name!r} is a kind of file; the format of a table in any of them is named `table`, and is "
                "recognised without ",
                given := Wording("--as", "format="),
                ", like the formats of other tools: leave ",
                given,
                " out",
            )
        raise unknown("format", name, (AUTO, *names()))
    return _load(point)


def own_format(path: str | Path) -> Format:
    """Return the format that a user's TOML file declares. Raises the errors of `read_declaration`."""
    return as_format(read_declaration(Path(path)), own=True)


def row_format(name: str) -> Format:
    """Return a format by name; UsageError if it is not one that is read row by row."""
    form = importer(name)
    if not isinstance(form, Format):
        raise unknown("format that is read row by row", name, row_formats())
    return form


def added_formats() -> Iterator[Format]:
    """Yield the formats of other packages that are read row by row and can be loaded."""
    for point in _entry_points():
        try:
            form = _load(point)
        except SpbError:
            continue
        if isinstance(form, Format):
            yield form


def _entry_points() -> list[EntryPoint]:
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return [point for point in points if point.name not in built_in()]


def _load(point: EntryPoint) -> Importer:
    package = point.dist.name if point.dist else point.value
    try:
        form = point.load()
    except Exception as error:
        raise UsageError(
            f"the format {point.name!r} of the package {package} cannot be loaded "
            f"({type(error).__name__}: {error}); update that package, or remove it"
        ) from error
    if not isinstance(form, Format | WholeFormat) or form.name != point.name:
        raise UsageError(
            f"{point.value!r} of the package {package} is not a format named {point.name!r}; update that "
            "package, or remove it"
        )
    return form
