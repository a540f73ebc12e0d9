"""The exchange format: a folder with a study's tables as Parquet, CSV or JSON Lines."""

from dataclasses import dataclass
from pathlib import Path

from engine import schema
from engine.errors import BadInputError, UsageError
from engine.importers.formats import SUFFIXES, TableFile, open_source
from engine.store.files import INFO_FILE
from engine.store.info import StudyInfo, parse_info
from engine.store.sources import Source
from engine.store.store import Mode, Store
from engine.store.writer import WriteReport, write_sources

_FORMATS = "a .parquet, .csv or .jsonl file"


@dataclass(frozen=True, slots=True)
class TidyFolder:
    """What an exchange folder holds: its tables, what it says of itself, and files that are none of these."""

    sources: dict[str, Source]
    info: StudyInfo
    name: str
    strangers: tuple[str, ...]


def import_tidy(
    folder: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write the exchange folder as a study of `store`; `name` else that in study.json else the folder's.

    Raises BadInputError or UsageError, and then nothing is written; nor is it with `dry_run`.
    """
    found = open_tidy(folder)
    study = found.name if name is None else name
    report = write_sources(store, study, found.sources, found.info, mode=mode, dry_run=dry_run)
    report.ignored_files = found.strangers
    return report


def open_tidy(folder: str | Path) -> TidyFolder:
    """Return what is in the folder; BadInputError where a table stands in two formats or in none we know."""
    root = Path(folder)
    if not root.is_dir():
        raise UsageError(f"{str(folder)!r} is not a folder; give one that holds models, instances, ...")
    sources: dict[str, Source] = {}
    strangers = []
    entries: dict[str, list[Path]] = {}
    for entry in sorted(root.iterdir()):
        table = entry.name.partition(".")[0]
        if table in schema.TABLES:
            entries.setdefault(table, []).append(entry)
        elif entry.name != INFO_FILE and not entry.name.startswith((".", "_")):
            strangers.append(entry.name)
    for name, found in entries.items():
        sources[name] = _source(schema.TABLES[name], found)
    info = StudyInfo()
    if (root / INFO_FILE).is_file():
        info = parse_info((root / INFO_FILE).read_bytes().removeprefix(b"\xef\xbb\xbf"), INFO_FILE)
    name = info.name or root.resolve().name
    info = info.model_copy(update={"parts": None})
    return TidyFolder(sources, info, name, tuple(strangers))


def _source(table: schema.Table, entries: list[Path]) -> Source:
    """Return the source of one table, which is one file or one folder of files in one format."""
    if len(entries) > 1:
        listed = ", ".join(repr(entry.name) for entry in entries)
        raise BadInputError(f"{table.name}: it is there more than once ({listed}); keep one of them")
    entry = entries[0]
    paths = [entry]
    if entry.is_dir():
        paths = sorted(path for path in entry.iterdir() if not path.name.startswith((".", "_")))
        if not paths:
            raise BadInputError(f"{table.name}: the folder {entry.name!r} is empty; put {_FORMATS} into it")
    forms = {_form(table, path) for path in paths}
    if len(forms) > 1:
        raise BadInputError(
            f"{table.name}: the folder {entry.name!r} holds files in two formats "
            f"({', '.join(sorted(forms))}); keep one format"
        )
    files = [TableFile(table, path, path.name if len(paths) > 1 else None) for path in paths]
    return open_source(forms.pop(), files)


def _form(table: schema.Table, path: Path) -> str:
    form = SUFFIXES.get(path.suffix.lower())
    if form is None or not path.is_file():
        raise BadInputError(f"{table.name}: {path.name!r} is in no format that can be read; give {_FORMATS}")
    return form
