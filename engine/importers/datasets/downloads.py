"""Files that the user's own machine downloads; an interrupted download is resumed."""

import hashlib
import http
import os
import re
import shutil
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.errors import SpbError, UsageError
from engine.importers.datasets.repository_files import git_sum
from engine.process import user_folder
from engine.values import parse_int

Progress = Callable[[int, int | None], None]
"""Called with the bytes downloaded so far, and the total if it is known."""

_BLOCK = 1 << 18
_TIMEOUT_S = 60


@contextmanager
def local_copy(origin: str, progress: Progress | None) -> Iterator[Path]:
    """Yield the path of the file at a path or URL; a download is removed afterwards.

    An interrupted download is kept (`partial_path`) and completed the next time, if the server says that the
    file is unchanged. Raises UsageError for a missing file or an unknown scheme, SpbError if the download
    fails.
    """
    if "://" not in origin:
        path = Path(os.path.expanduser(origin))
        if not path.is_file():
            raise UsageError(f"there is no file {origin!r}; give the path of the file, or a URL")
        yield path
        return
    if not origin.startswith(("https://", "http://", "file://")):
        raise UsageError(f"the address {origin!r} has an unknown scheme; give an https:// URL or a path")
    part = partial_path(origin)
    try:
        _download(origin, part, progress)
    except (OSError, urllib.error.URLError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        raise SpbError(
            f"{origin!r} could not be downloaded: {error}; try again, or give a file with --from"
        ) from error
    with tempfile.TemporaryDirectory(prefix="spb-", dir=part.parent) as folder:
        last = urllib.parse.unquote(urllib.parse.urlsplit(origin).path.rpartition("/")[2])
        name = re.sub(r"[^A-Za-z0-9._=-]", "_", last).lstrip(".") or "download"
        path = part.rename(Path(folder) / name)
        part.with_suffix(".mark").unlink(missing_ok=True)
        yield path


@contextmanager
def local_copies(
    base: str, names: Sequence[str], progress: Progress | None, sums: Mapping[str, str] | None = None
) -> Iterator[tuple[Path, list[str]]]:
    """Yield a folder with the files `names` of the address `base`, and the names that do not exist there.

    Each file keeps its path below the folder. Files stay until they have been read without an error, so that
    an interrupted download goes on with those that are missing. `sums` are Git's sums of the files: one with
    another is downloaded again. Raises the errors of `local_copy`, SpbError if none of the files exists or
    one has another sum than the list.
    """
    missing: list[str] = []
    folder = partial_path(base).with_suffix(".files")
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        place = folder / name
        if place.is_file() and (sums is None or git_sum(place) == sums[name]):
            continue
        try:
            with local_copy(base + urllib.parse.quote(name), progress) as path:
                if sums is not None and git_sum(path) != sums[name]:
                    raise SpbError(f"{name!r} is not the file that the list names; try again later")
                place.parent.mkdir(parents=True, exist_ok=True)
                path.replace(place)
        except SpbError as error:
            cause = error.__cause__
            if not isinstance(cause, urllib.error.HTTPError) or cause.code != http.HTTPStatus.NOT_FOUND:
                done = f"{number - len(missing):,} of {len(names):,} files are here"
                raise SpbError(f"{error}; {done}, and the same command gets the others") from cause
            missing.append(name)
    if len(missing) == len(names):
        shutil.rmtree(folder, ignore_errors=True)
        raise SpbError(f"none of the {len(names)} files of {base!r} is there; give a folder with --from")
    yield folder, missing
    shutil.rmtree(folder, ignore_errors=True)


def partial_path(origin: str) -> Path:
    """Return the path of an incomplete download: in XDG_CACHE_HOME/spb, else ~/.cache/spb, else temporary."""
    try:
        cache = user_folder("XDG_CACHE_HOME") / "spb" / "downloads"
        cache.mkdir(parents=True, exist_ok=True)
    except (OSError, UsageError):
        cache = Path(tempfile.gettempdir())
    return cache / f"{hashlib.sha256(origin.encode()).hexdigest()[:16]}.part"


def _download(origin: str, part: Path, progress: Progress | None) -> None:
    request = urllib.request.Request(origin)  # noqa: S310 - the scheme is checked by the caller
    offset, validator_file = 0, part.with_suffix(".mark")  # the server's ETag or Last-Modified
    if part.exists() and validator_file.exists() and origin.startswith("http"):
        offset = part.stat().st_size
        request.add_header("Range", f"bytes={offset}-")
        request.add_header("If-Range", validator_file.read_text("utf-8"))
    with _answer(request, origin) as answer:
        is_resumed = offset > 0 and getattr(answer, "status", None) == 206
        offset = offset if is_resumed else 0
        etag = answer.headers.get("ETag") or ""
        validator = etag if etag and not etag.startswith("W/") else answer.headers.get("Last-Modified")
        if validator:
            validator_file.write_text(validator, "utf-8")
        else:
            validator_file.unlink(missing_ok=True)
        length = parse_int(answer.headers.get("Content-Length") or "")
        total = None if length is None else offset + length
        with part.open("ab" if is_resumed else "wb") as file:
            while block := answer.read(_BLOCK):
                file.write(block)
                offset += len(block)
                if progress is not None:
                    progress(offset, total)
        if total is not None and offset < total:
            raise OSError(f"the connection ended after {offset} of {total} bytes")


def _answer(request: urllib.request.Request, origin: str) -> Any:
    """Return the server's answer; request the whole file if there is nothing after the part.

    That happens if the part was complete when the program was killed, or the file has become shorter.
    """
    try:
        return urllib.request.urlopen(request, timeout=_TIMEOUT_S)  # noqa: S310 - as above
    except urllib.error.HTTPError as error:
        if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        error.close()
        return urllib.request.urlopen(origin, timeout=_TIMEOUT_S)  # noqa: S310 - as above
