"""Detection of a file's format from its content: `spb import PATH` without a format."""

import codecs
import csv
import re
import shlex
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from engine.errors import BadInputError, SpbError
from engine.importers.format_loading import AS_A_WHOLE, Importer, added_formats, by_rows
from engine.importers.misnamed_files import check_content, why_nothing_fits
from engine.importers.reading.columns import value_at
from engine.importers.reading.files import MOST_FILES
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
from engine.importers.reading.tables import SUFFIXES, nested_rows, table_rows
from engine.plain_words import system_words
from engine.wording import Sentence, command_words

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


@dataclass(frozen=True, slots=True)
class FormatSigns:
    """The signs of all formats: of rows, of files that are one object, and of the members of one.

    `is_other` says of a row with a format's signs that it is not of it.
    """

    rows: _Signs
    objects: _Signs
    members: _Signs
    is_other: Mapping[str, Callable[[Mapping[str, Any]], bool]]

    @classmethod
    def of_all(cls) -> "FormatSigns":
        """Return the signs of this project's formats and of those that other packages add."""
        added = list(added_formats())
        by_row = [*by_rows(), *added]
        forms: list[Importer] = [*by_rows(), *AS_A_WHOLE, *added]
        of_objects = {form.name: form.object_signs for form in forms if form.object_signs}
        return cls(
            {form.name: form.signs for form in forms if form.signs},
            of_objects | {form.name: form.signs for form in added if form.signs},
            {form.name: form.member_signs for form in by_row if form.member_signs},
            {form.name: form.is_other for form in by_row if form.is_other is not None},
        )

    def rank(self, signs: _Signs, rows: Sequence[Mapping[str, Any]]) -> list[Likeness]:
        """Return the formats with signs in some row, by descending share of rows and number of signs."""
        ranked = []
        for form, choices in signs.items():
            is_other = self.is_other.get(form)
            fitting = [row for row in rows if is_other is None or not is_other(row)]
            matches = [[each for each in choices if all(_has(row, path) for path in each)] for row in fitting]
            hits = [paths[0] for paths in matches if paths]
            if hits:
                ranked.append(Likeness(form, max(hits, key=len), len(hits) / len(rows)))
        return sorted(ranked, key=lambda likeness: likeness.strength, reverse=True)


_REPORTS = (
    (re.compile(rb"\s*evalId: "), "YAML"),
    (re.compile(rb"\s*<promptfoo>"), "XML"),
    (re.compile(rb"(?s).*,Status,Score,Named Scores,.*Grader Reason,Comment[,\r\n]"), "CSV"),
)
"""How promptfoo's files for people begin, and their form: they lack the grader, or more."""

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
    signs = FormatSigns.of_all()
    return _of_folder(place, signs) if place.is_dir() else _of_file(place, signs)


def format_of(path: str | Path) -> Likeness:
    """Return the format of a file or folder, `table` if no other fits; BadInputError if none or two fit."""
    ranked = likenesses(path)
    if not ranked:
        why = why_nothing_fits(existing_path(path)) or Sentence(
            "matches no known format; ", _remedy(Path(path))
        )
        raise BadInputError(f"{Path(path).absolute().name!r} ", why)
    best = ranked[0]
    rivals = [each.form for each in ranked[1:] if each.strength == best.strength]
    if rivals and best.form != "table":
        raise BadInputError(
            f"{str(path)!r} looks like {best.form} and like {', '.join(rivals)}; name the right one"
        )
    return best


def _remedy(path: Path) -> Sentence:
    """Return what to do about a file or folder of no known format: another file, or the format's name."""
    formats = "`spb import -h` lists the formats"
    if path.is_dir() or path.name.lower().removesuffix(".gz").endswith((*SUFFIXES, ".eval")):
        command = shlex.join(["spb", "import", str(path), "--as", "FORMAT"])
        remedy = f"name it in place of FORMAT: `{command}` ({formats})"
        return Sentence("if it has one, ", command_words(remedy, "choose it as “Format”"))
    return Sentence(
        f"what can be read are tables ({', '.join(SUFFIXES)}) and the files of other tools",
        command_words(f" ({formats})"),
        "; save it as one of them, such as CSV",
    )


def hint(path: str | Path, form: str) -> str:
    """Return a sentence on what a file looks like other than `form`; empty if that is unknown."""
    with suppress(SpbError, OSError):
        others = [likeness for likeness in likenesses(path) if likeness.form != form]
        if others:
            return f"it looks like {others[0].form}: {others[0].reason}"
    return ""


def _of_file(file: Path, signs: FormatSigns) -> list[Likeness]:
    with open_bounded(file) as stream:
        first = stream.read(_FIRST_BYTES)
    check_content(file, first)
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
        return _of_json(file, signs)
    ranked = signs.rank(signs.rows, _first_rows(file, nested_rows))
    return ranked or _table_likeness(_first_rows(file, table_rows))


def _of_json(file: Path, signs: FormatSigns) -> list[Likeness]:
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
                return _of_object(json_object(file, _EXPECTED), signs) or _inside(file)
        rows = _first_rows(file, json_members)
        return signs.rank(signs.rows, rows) or _table_likeness(rows)
    rows = _first_rows(file, json_lines) if has_more else [content]
    ranked = [] if has_more else _of_object(content, signs)
    ranked = ranked or signs.rank(signs.rows, rows) or signs.rank(signs.objects, rows)
    return ranked or (_table_likeness(rows) if has_more else _inside(file))


def _inside(file: Path) -> list[Likeness]:
    """Return the likeness of an object to a table: one in another form, or one inside it."""
    rows = _first_rows(file, file_rows)
    if len(rows) == 1 and (lists := lists_in(rows[0])):
        return [Likeness("table", (f"a list of objects at {' and at '.join(map(repr, lists[:3]))}",), 1.0)]
    return _table_likeness(rows)


def _of_object(content: Mapping[str, Any], signs: FormatSigns) -> list[Likeness]:
    members = [value for value in islice(content.values(), ROWS) if isinstance(value, dict)]
    as_members = (
        signs.rank(signs.members, members) if members and len(members) == min(len(content), ROWS) else []
    )
    return [*signs.rank(signs.objects, [content]), *as_members]


def _of_folder(folder: Path, signs: FormatSigns) -> list[Likeness]:
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
            for likeness in _of_file(file, signs)[:1]:
                by_form.setdefault(likeness.form, []).append(likeness)
    formats = [Likeness(form, each[0].signs, len(each) / len(inspected)) for form, each in by_form.items()]
    others = [likeness for likeness in formats if likeness.form != "table"]
    return sorted(others or formats, key=lambda likeness: -likeness.share)


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
    n_columns = len({name for row in rows for name in row})
    names = ", ".join(columns[:6]) + (" and others" if n_columns > len(columns[:6]) else "")
    return [Likeness("table", (f"the columns {names}",), 1.0)]


def _first_rows(file: Path, reader: Callable[..., Iterator[Any]]) -> list[Mapping[str, Any]]:
    try:
        with look(ROWS):
            rows = [row.values for row in islice(reader(file, ImportStats(), _EXPECTED), ROWS)]
        allowance().check_columns(file.name, max(map(len, rows), default=0))
        return rows
    except (csv.Error, UnicodeError) as error:
        raise BadInputError(f"{file.name!r} cannot be read: {system_words(error)}") from error
