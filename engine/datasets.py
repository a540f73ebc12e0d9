"""Data sets and published studies that the user's own machine downloads, checked by sha256."""

import hashlib
import os
import tempfile
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pydantic

from engine.errors import BadInputError, SpbError, UsageError, unknown
from engine.finite import whole
from engine.shipped import DATASETS

if TYPE_CHECKING:
    from engine.importers import Importer
    from engine.store import Store
    from engine.store.store import Mode
    from engine.store.writer import WriteReport

Progress = Callable[[int, int | None], None]
_BLOCK = 1 << 18
_TIMEOUT_S = 60


class Entry(pydantic.BaseModel):
    """One entry of the catalogue; `loader` names the module and function of `engine.importers`.

    An entry without `sha256` is not pinned: what a download's sum is, is shown and not compared.
    """

    model_config = pydantic.ConfigDict(extra="forbid")

    name: str
    title: str
    licence: str
    size: str
    url: str
    sha256: str | None = pydantic.Field(default=None, pattern="^[0-9a-f]{64}$")
    loader: str = pydantic.Field(pattern=r"^[a-z_]+:[a-z0-9_]+$")


def catalogue_path() -> Path:
    """Return where the catalogue is: `datasets/catalogue.toml` of what ships with the project."""
    return DATASETS / "catalogue.toml"


def catalogue() -> dict[str, Entry]:
    """Return the catalogue by name; UsageError where the project was installed without its data."""
    path = catalogue_path()
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UsageError(
            f"the catalogue {str(path)!r} is not there; install with `pip install -e .`"
        ) from error
    return {name: Entry(name=name, **fields) for name, fields in tomllib.loads(text).items()}


def fetch(
    name: str,
    store: "Store",
    study: str | None = None,
    *,
    origin: str | None = None,
    mode: "Mode" = "new",
    progress: Progress | None = None,
) -> "WriteReport":
    """Get the entry's file (from `origin`, a URL or path, where given) and write it as a study.

    A wrong sum is a warning for `origin` and BadInputError for the catalogue's own address; an entry that is
    not pinned has a warning with the sum. Raises SpbError where the download fails, BadInputError where the
    file is not as its format says; nothing is written then.
    """
    entries = catalogue()
    if name not in entries:
        raise unknown("data set", name, entries)
    entry = entries[name]
    study = name if study is None else study
    _refuse_early(store, study, mode)
    with _local_copy(origin or entry.url, progress) as path:
        warnings = _check_sum(path, entry, origin)
        report = _loader(entry)(str(path), store, study, mode=mode)
    report.warnings[:0] = warnings
    return report


def _refuse_early(store: "Store", name: str, mode: "Mode") -> None:
    """Raise UsageError for a study that exists already, before anything is downloaded."""
    from engine.store.writer import study_before

    study_before(store, name, mode)


def _loader(entry: Entry) -> "Importer":
    from importlib import import_module

    module, function = entry.loader.split(":")
    loader: Importer = getattr(import_module(f"engine.importers.{module}"), function)
    return loader


def _check_sum(path: Path, entry: Entry, origin: str | None) -> list[str]:
    """Return the warnings about the file's sum; BadInputError where it is not that of the catalogue."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if entry.sha256 is None:
        told = f"the sha256 of {origin or entry.url!r} is {found}"
        return [f"{told}; the catalogue has none to compare it with"]
    if found == entry.sha256:
        return []
    problem = f"the sha256 of {origin or entry.url!r} is {found}, the catalogue has {entry.sha256}"
    if origin is None:
        raise BadInputError(f"{problem}; download again, or give a file with --from")
    return [f"{problem}: it is another version of the file"]


@contextmanager
def _local_copy(origin: str, progress: Progress | None) -> Iterator[Path]:
    """Yield the path of the file at a path or URL; a download is removed afterwards."""
    if "://" not in origin:
        path = Path(os.path.expanduser(origin))
        if not path.is_file():
            raise UsageError(f"there is no file {origin!r}; give the path of the file, or a URL")
        yield path
        return
    if not origin.startswith(("https://", "http://", "file://")):
        raise UsageError(f"the address {origin!r} is of an unknown kind; give an https:// URL or a path")
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        path = Path(folder) / "download"
        try:
            with urllib.request.urlopen(origin, timeout=_TIMEOUT_S) as answer, path.open("wb") as file:  # noqa: S310 - the scheme is checked above
                length = whole(answer.headers.get("Content-Length") or "")
                _copy(answer, file, length, progress)
        except (OSError, urllib.error.URLError) as error:
            raise SpbError(
                f"{origin!r} could not be downloaded: {error}; try again, or give a file with --from"
            ) from error
        yield path


def _copy(answer: BinaryIO, file: BinaryIO, total: int | None, progress: Progress | None) -> None:
    done = 0
    while block := answer.read(_BLOCK):
        file.write(block)
        done += len(block)
        if progress is not None:
            progress(done, total)
    if total is not None and done < total:
        raise OSError(f"the connection ended after {done} of {total} bytes")
