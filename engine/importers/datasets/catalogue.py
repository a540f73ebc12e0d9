"""The catalogue of data sets, and how one is fetched, checked by its sum and read."""

import hashlib
import os
import shutil
import tomllib
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path

import pydantic

from engine.errors import BadInputError, UsageError, unknown
from engine.importers.datasets.downloads import Progress, local_copies, local_copy
from engine.importers.datasets.repository_files import listed_files
from engine.importers.import_options import ImportOptions
from engine.importers.reading.format import Importer
from engine.phrases import quantity
from engine.plain_words import system_words
from engine.shipped_files import DATASETS, RESULTS
from engine.store import Mode, Store
from engine.store.writer import WriteReport, existing_study


class Dataset(pydantic.BaseModel):
    """One entry of the catalogue: a data set of questions, or a study with verdicts.

    With `files`, the address is that of a folder, and these files of it are read together; with `listing`, it
    is that of a repository at one commit, `listing` the address of Git's list of its files, and those in
    `folders` with a name that matches `pattern` are read together. `loader` names the
    module and function of `engine.importers` that reads the file; otherwise `format` is a format of
    `spb import`, and `judge` the judge if the file does not name it. `measures` says what can be measured. An
    entry without `sha256` is not pinned: the sum of a download is shown but not compared.
    """

    model_config = pydantic.ConfigDict(extra="forbid")

    name: str
    title: str
    licence: str
    size: str
    url: str
    files: tuple[str, ...] = ()
    listing: str | None = None
    folders: tuple[str, ...] = ()
    pattern: str | None = None
    sha256: str | None = pydantic.Field(default=None, pattern="^[0-9a-f]{64}$")
    loader: str | None = pydantic.Field(default=None, pattern=r"^[a-z_]+:[a-z0-9_]+$")
    format: str | None = None
    judge: str | None = None
    measures: str | None = None

    @pydantic.model_validator(mode="after")
    def _check_reader(self) -> "Dataset":
        if (self.loader is None) == (self.format is None):
            raise ValueError("give loader or format, one of the two")
        several = bool(self.files or self.listing)
        if several and (self.sha256 or self.loader or not self.url.endswith("/")):
            raise ValueError("give files with a format, no sha256, and an address that ends in a slash")
        of_list = (self.listing, self.folders, self.pattern)
        if any(of_list) and (self.files or not all(of_list)):
            raise ValueError("give listing, folders and pattern together, and no files")
        return self

    @property
    def host(self) -> str:
        return urllib.parse.urlsplit(self.url).netloc


def catalogue_path() -> Path:
    return DATASETS / "catalogue.toml"


def catalogue() -> dict[str, Dataset]:
    """Return the catalogue by name; UsageError if the project was installed without its data."""
    path = catalogue_path()
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UsageError(
            f"the catalogue {str(path)!r} is missing; install with `pip install -e .`"
        ) from error
    return dict(_entries(text))


@cache
def _entries(text: str) -> Mapping[str, Dataset]:
    return {name: Dataset(name=name, **fields) for name, fields in tomllib.loads(text).items()}


def fetch(
    name: str,
    store: Store,
    study: str | None = None,
    *,
    origin: str | None = None,
    mode: Mode = "new",
    progress: Progress | None = None,
) -> WriteReport:
    """Get the entry's file (from `origin`, a URL or path, if given) and write it as a study.

    A wrong sum is a warning for `origin` and BadInputError for the catalogue's own address. An entry that is
    not pinned gives a warning with the sum. Raises SpbError if the download fails and BadInputError if the
    file does not match its format; nothing is written then.
    """
    entries = catalogue()
    if name not in entries:
        raise unknown("data set", name, entries)
    entry = entries[name]
    study = name if study is None else study
    existing_study(store, study, mode, may_append=False)  # refused before anything is downloaded
    with _files_of(entry, origin, progress) as (path, warnings):
        if entry.loader is not None:
            module, function = entry.loader.split(":")
            loader: Importer = getattr(import_module(f"engine.importers.datasets.{module}"), function)
            report = loader(str(path), store, study, mode=mode)
        else:
            from engine.importers.format_loading import row_format
            from engine.importers.pipeline import reading

            options = ImportOptions(judge=entry.judge)
            with reading(row_format(str(entry.format)), path, options) as content:
                report = content.write_to(store, study, mode=mode)
                left_out = content.report.left_out.items()
                report.warnings += [f"left out, {why}: {quantity(out.count, 'row')}" for why, out in left_out]
    report.warnings[:0] = warnings
    return report


@contextmanager
def _files_of(
    entry: Dataset, origin: str | None, progress: Progress | None
) -> Iterator[tuple[Path, list[str]]]:
    """Yield the entry's file, or the folder of its files, with warnings about sums and missing files."""
    folder = None if origin is None else Path(os.path.expanduser(origin))
    if folder is not None and folder.is_dir():
        yield folder, []
    elif origin is not None or not (entry.files or entry.listing):
        with local_copy(origin or entry.url, progress) as path:
            yield path, _check_sum(path, entry, origin)
    elif entry.listing is not None:
        with local_copy(entry.listing, None) as path:
            sums, empty = listed_files(path, entry.folders, entry.pattern or "")
        with local_copies(entry.url, list(sums), progress, sums) as (folder, missing):
            warnings = [f"the list of files has none in {name}" for name in empty]
            yield folder, [*warnings, *(f"{entry.url}{name} no longer exists" for name in missing)]
    else:
        with local_copies(entry.url, entry.files, progress) as (folder, missing):
            warnings = [f"{entry.url}{name} no longer exists" for name in missing]
            yield folder, [*warnings, f"the catalogue has no sums of the {len(entry.files)} files"]


def _check_sum(path: Path, entry: Dataset, origin: str | None) -> list[str]:
    """Return the warnings about the file's sum; BadInputError if it differs from the catalogue's."""
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if entry.sha256 is None:
        sentence = f"the sha256 of {origin or entry.url!r} is {actual}"
        return [f"{sentence}; the catalogue has none to compare it with"]
    if actual == entry.sha256:
        return []
    problem = f"the sha256 of {origin or entry.url!r} is {actual}, the catalogue has {entry.sha256}"
    if origin is None:
        raise BadInputError(f"{problem}; download again, or give a file with --from")
    return [f"{problem}: it is another version of the file"]


def demonstrations() -> list[str]:
    return sorted(study.name for study in RESULTS.glob("demo-*"))


def copy_demonstrations(folder: Path, names: Sequence[str] | None = None) -> list[str]:
    """Copy the demonstrations, or those named, that are not in the folder yet; return their names."""
    copied = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in demonstrations() if names is None else names:
            if not (folder / name).is_dir():
                copy = folder / f".{name}.coming"
                shutil.copytree(RESULTS / name, copy, dirs_exist_ok=True)
                copy.rename(folder / name)
                copied.append(name)
    except OSError as error:
        why = system_words(error)
        raise UsageError(
            f"the studies cannot be copied to {str(folder)!r}: {why}; give another folder with --store"
        ) from error
    return copied
