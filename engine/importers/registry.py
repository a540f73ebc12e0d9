"""All formats of `spb import`, and detection of a file's format.

Each format is declared in the module that reads it; other packages add theirs here. `spb import auto PATH`
detects the format from the content of a file.
"""

import codecs
import csv
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from itertools import islice
from pathlib import Path
from typing import Any

from engine.errors import BadInputError, SpbError, UsageError, unknown
from engine.importers import (
    baseline_votes,
    dbg_files,
    deepeval,
    exchange,
    hanna,
    healthbench_results,
    inspect_ai,
    langfuse,
    langsmith,
    lm_eval,
    medical_self_preference,
    mlflow,
    openai_evals,
    pandalm,
    phoenix,
    prometheus,
    promptfoo,
    ragas,
    table,
)
from engine.importers.declaration import ALL_OTHERS, Declaration
from engine.importers.declaration_file import read_declaration
from engine.importers.declared_reader import as_format
from engine.importers.reading.format import MOST_FILES, Format, WholeFormat
from engine.importers.reading.json_rows import (
    LONGEST_ROW,
    allowance,
    existing_path,
    json_lines,
    json_members,
    json_object,
    look,
    open_bounded,
)
from engine.importers.reading.rows import ImportStats, json_or_none
from engine.importers.reading.shapes import file_rows, lists_in
from engine.importers.reading.tables import SUFFIXES, nested_rows, table_rows, value_at
from engine.plain_words import system_words

GROUP = "spb.importers"
"""The entry points by which other packages add formats.

A package adds one with an entry point of the group `spb.importers`, named like the format, whose value is a
`Format` or a `WholeFormat`:

    [project.entry-points."spb.importers"]
    my-tool = "my_package.my_tool:FORMAT"

A package cannot replace a format of this project.
"""

AUTO = "auto"  # the format is detected

FOLDER = Path(__file__).parent / "formats"
"""The declared formats, a TOML file each: another file is another format."""


def declarations(folder: Path = FOLDER) -> tuple[Declaration, ...]:
    """Return the formats that the TOML files of a folder declare, by name."""
    return tuple(read_declaration(file) for file in sorted(folder.glob("*.toml")))


DECLARED = declarations()

BY_ROWS: tuple[Format, ...] = (
    *map(as_format, DECLARED),
    healthbench_results.FORMAT,
    inspect_ai.FORMAT,
    promptfoo.FORMAT,
    lm_eval.FORMAT,
    medical_self_preference.FORMAT,
    baseline_votes.FORMAT,
    dbg_files.FORMAT,
    openai_evals.FORMAT,
    deepeval.FORMAT,
    ragas.FORMAT,
    mlflow.FORMAT,
    langfuse.FORMAT,
    langsmith.FORMAT,
    phoenix.FORMAT,
    table.FORMAT,
)
"""The formats of other tools, which are read row by row, with a mapping report."""

AS_A_WHOLE: tuple[WholeFormat, ...] = (
    exchange.FORMAT,
    prometheus.FORMAT,
    hanna.FORMAT,
    pandalm.FORMAT,
)
"""The formats that are read as a whole: one bad row and the file is refused."""

Importer = Format | WholeFormat
_BUILT_IN: dict[str, Importer] = {f.name: f for f in AS_A_WHOLE} | {f.name: f for f in BY_ROWS}


def names() -> tuple[str, ...]:
    """Return the names of all formats: ours, then those of other packages (which are not loaded)."""
    return (*_BUILT_IN, *(point.name for point in _entry_points()))


def row_formats() -> tuple[str, ...]:
    """Return the names of the formats that are read row by row: ours, then those of loadable packages."""
    return (*(form.name for form in BY_ROWS), *(form.name for form in added_formats()))


def importer(name: str) -> Importer:
    """Return a format by name; UsageError if it is unknown or its package cannot be loaded."""
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    point = next((point for point in _entry_points() if point.name == name), None)
    if point is None:
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
    return [point for point in points if point.name not in _BUILT_IN]


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


# ------------------------------------------------------------------------------
# Detection of a file's format from its content: `spb import auto PATH`.


ROWS = 20  # of a file that are inspected
_FILES = 20  # of a folder that are inspected
_FIRST_BYTES = 1 << 12
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_TABLES = tuple(suffix for suffix in SUFFIXES if suffix not in (".json", ".jsonl", ".ndjson"))
_EXPECTED = "a file of judgments"


@dataclass(frozen=True, slots=True)
class Likeness:
    """A format that a file looks like, the signs of it, and the share of rows that have them."""

    form: str
    signs: tuple[str, ...]
    share: float

    @property
    def reason(self) -> str:
        return f"it has {', '.join(self.signs)}"

    @property
    def strength(self) -> tuple[float, int]:
        return self.share, len(self.signs)


_Signs = Mapping[str, tuple[tuple[str, ...], ...]]
"""For each format, alternative sets of paths; all paths of one set must be present."""


def _declared_signs(*rows: str | None) -> _Signs:
    """Return the signs of the declared formats whose rows are there."""
    return {form.name: form.signs for form in DECLARED if form.signs and form.rows in rows}


_IN_PYTHON: tuple[Importer, ...] = (*BY_ROWS[len(DECLARED) :], *AS_A_WHOLE)

_OBJECTS: _Signs = {
    **_declared_signs(*{form.rows for form in DECLARED}.difference((None, ALL_OTHERS))),
    **{form.name: form.object_signs for form in _IN_PYTHON if form.object_signs},
}
"""Files that are one object."""

_ROWS: _Signs = {
    **_declared_signs(None),
    **{form.name: form.signs for form in _IN_PYTHON if form.signs},
}
"""Files of rows: JSON Lines, lists, tables."""

_MEMBERS = _declared_signs(ALL_OTHERS)
"""Files that are an object of objects of one kind."""

_REPORTS = (
    (re.compile(rb"\s*evalId: "), "YAML"),
    (re.compile(rb"\s*<promptfoo>"), "XML"),
    (re.compile(rb"(?s).*,Status,Score,Named Scores,.*Grader Reason,Comment[,\r\n]"), "CSV"),
)
"""How promptfoo's files for people begin, and their form: they lack the grader, or more."""

_RULED_OUT = {form.name: form.is_other for form in BY_ROWS if form.is_other is not None}
"""Whether a row that has the signs of a format is not of it."""

_INSPECT_MEMBERS = {"header.json", "_journal/start.json", "summaries.json"}
_TIDY = {"models", "instances"}
"""Tables that every folder in exchange format has, in any file format."""


def likenesses(path: str | Path) -> list[Likeness]:
    """Return the formats that a file or folder looks like, the best match first; empty if none fits.

    Each format has signs: fields that only its rows, objects or archives have. The first rows of a file are
    compared with the signs of all formats; those with most rows, then most signs, come first. A file that
    fits none is a table if it has named columns. Its name counts only for formats without other signs.

    Raises UsageError if nothing is there, BadInputError if a file cannot be read.
    """
    place = existing_path(path)
    added_signs = {form.name: form.signs for form in added_formats() if form.signs}
    return _of_folder(place, added_signs) if place.is_dir() else _of_file(place, added_signs)


def format_of(path: str | Path) -> Likeness:
    """Return the format of a file or folder, `table` if no other fits; BadInputError if none or two fit."""
    ranked = likenesses(path)
    if not ranked:
        raise BadInputError(
            f"{Path(path).name!r} matches no known format; name one (spb import table PATH --map ...)"
        )
    best = ranked[0]
    rivals = [each.form for each in ranked[1:] if each.strength == best.strength]
    if rivals and best.form != "table":
        raise BadInputError(
            f"{str(path)!r} looks like {best.form} and like {', '.join(rivals)}; name the right one"
        )
    return best


def hint(path: str | Path, form: str) -> str:
    """Return a sentence on what a file looks like other than `form`; empty if that is unknown."""
    with suppress(SpbError, OSError):
        others = [likeness for likeness in likenesses(path) if likeness.form != form]
        if others:
            return f"it looks like {others[0].form}: {others[0].reason}"
    return ""


def _of_file(file: Path, added: _Signs) -> list[Likeness]:
    with open_bounded(file) as stream:
        first = stream.read(_FIRST_BYTES)
    for begin, form in _REPORTS:
        if begin.match(first):
            raise BadInputError(
                f"{file.name!r} is promptfoo's results as {form}, which cannot be read; export them as JSON: "
                "promptfoo export eval latest -o results.json"
            )
    name = file.name.lower().removesuffix(".gz")
    if name.endswith(".eval") or zipfile.is_zipfile(file):
        members: set[str] = set()
        # NotImplementedError: of a later version of zip
        with suppress(OSError, zipfile.BadZipFile, NotImplementedError), zipfile.ZipFile(file) as packed:
            members = set(islice(packed.namelist(), MOST_FILES)) & _INSPECT_MEMBERS
        if members:
            return [Likeness("inspect", tuple(f"{member} in it" for member in sorted(members)), 1.0)]
        if not name.endswith((".xlsx", ".xlsm")):
            return []
    if not name.endswith(_TABLES):
        return _of_json(file, added)
    ranked = _rank({**_ROWS, **added}, _first_rows(file, nested_rows))
    return ranked or _table_likeness(_first_rows(file, table_rows))


def _of_json(file: Path, added: _Signs) -> list[Likeness]:
    with open_bounded(file) as stream:
        first = stream.readline(LONGEST_ROW).lstrip(b"\xef\xbb\xbf \t\r\n")
        while first == b"" and (line := stream.readline(LONGEST_ROW)):
            first = line.lstrip()
        has_more = bool(stream.read(_FIRST_BYTES).strip())
    is_list = first[:1] == b"["
    if not is_list and first[:1] != b"{" and not first.startswith(_UTF_16):
        return []
    content = None if is_list else json_or_none(first)
    if not isinstance(content, dict):
        if not is_list:
            with suppress(BadInputError):
                return _of_object(json_object(file, _EXPECTED), added) or _inside(file)
        rows = _first_rows(file, json_members)
        return _rank({**_ROWS, **added}, rows) or _table_likeness(rows)
    rows = _first_rows(file, json_lines) if has_more else [content]
    ranked = [] if has_more else _of_object(content, added)
    ranked = ranked or _rank({**_ROWS, **added}, rows) or _rank(_OBJECTS, rows)
    return ranked or (_table_likeness(rows) if has_more else _inside(file))


def _inside(file: Path) -> list[Likeness]:
    """Return the likeness of an object to a table: one in another form, or one inside it."""
    rows = _first_rows(file, file_rows)
    if len(rows) == 1 and (lists := lists_in(rows[0])):
        return [Likeness("table", (f"a list of objects at {' and at '.join(map(repr, lists[:3]))}",), 1.0)]
    return _table_likeness(rows)


def _of_object(content: Mapping[str, Any], added: _Signs) -> list[Likeness]:
    members = [value for value in islice(content.values(), ROWS) if isinstance(value, dict)]
    as_members = _rank(_MEMBERS, members) if members and len(members) == min(len(content), ROWS) else []
    return [*_rank({**_OBJECTS, **added}, [content]), *as_members]


def _of_folder(folder: Path, added: _Signs) -> list[Likeness]:
    files = [file for file in islice(sorted(folder.rglob("*")), MOST_FILES) if file.is_file()]
    stems = {file.name.partition(".")[0] for file in files if file.parent == folder}
    if stems >= _TIDY:
        return [Likeness("tidy", tuple(f"{name} among its files" for name in sorted(_TIDY)), 1.0)]
    if "state.json" in {file.name for file in files} and any(file.suffix == ".arrow" for file in files):
        files = [file for file in files if file.suffix == ".arrow"]
    by_form: dict[str, list[Likeness]] = {}
    inspected = [file for file in files if not file.name.startswith(".")][:_FILES]
    for file in inspected:
        with suppress(SpbError):
            for likeness in _of_file(file, added)[:1]:
                by_form.setdefault(likeness.form, []).append(likeness)
    formats = [Likeness(form, each[0].signs, len(each) / len(inspected)) for form, each in by_form.items()]
    others = [likeness for likeness in formats if likeness.form != "table"]
    return sorted(others or formats, key=lambda likeness: -likeness.share)


def _rank(signs: _Signs, rows: Sequence[Mapping[str, Any]]) -> list[Likeness]:
    """Return the formats with signs in some row, by descending share of rows and number of signs."""
    ranked = []
    for form, choices in signs.items():
        is_other = _RULED_OUT.get(form)
        fitting = [row for row in rows if is_other is None or not is_other(row)]
        matches = [[each for each in choices if all(_has(row, path) for path in each)] for row in fitting]
        hits = [paths[0] for paths in matches if paths]
        if hits:
            ranked.append(Likeness(form, max(hits, key=len), len(hits) / len(rows)))
    return sorted(ranked, key=lambda likeness: likeness.strength, reverse=True)


def _has(row: Mapping[str, Any], path: str) -> bool:
    """Return whether a row has a field; `*_score` is any field whose name ends in `_score`."""
    if path.startswith("*"):
        return any(name.endswith(path[1:]) for name in row)
    return path in row or value_at(row, path) is not None


def _table_likeness(rows: Sequence[Mapping[str, Any]]) -> list[Likeness]:
    """Return the likeness to a table, which needs a column common to all rows."""
    common = set.intersection(*(set(row) for row in rows)) if rows else set()
    columns = [name for name in rows[0] if name in common] if common else []
    if not columns:
        return []
    names = ", ".join(columns[:6]) + (" and others" if len(columns) > 6 else "")
    return [Likeness("table", (f"the columns {names}",), 1.0)]


def _first_rows(file: Path, reader: Callable[..., Iterator[Any]]) -> list[Mapping[str, Any]]:
    try:
        with look(ROWS):
            rows = [row.values for row in islice(reader(file, ImportStats(), _EXPECTED), ROWS)]
        allowance().check_columns(file.name, max(map(len, rows), default=0))
        return rows
    except (csv.Error, UnicodeError) as error:
        raise BadInputError(f"{file.name!r} cannot be read: {system_words(error)}") from error
