"""Files that the user's own machine downloads; one that was interrupted goes on where it ended."""

import hashlib
import http
import os
import re
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from engine.errors import SpbError, UsageError
from engine.values import parse_int

Progress = Callable[[int, int | None], None]
"""Is given the bytes that are there, and those there will be where that is known."""

_BLOCK = 1 << 18
_TIMEOUT_S = 60


@contextmanager
def local_copy(origin: str, progress: Progress | None) -> Iterator[Path]:
    """Yield the path of the file at a path or URL; a download is removed afterwards.

    What came of a download before it broke is kept (`partial_path`) and completed the next time, if the
    server says that the file is the same. Raises UsageError for a path or address that cannot be, SpbError
    where the download fails.
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
        raise SpbError(
            f"{origin!r} could not be downloaded: {error}; try again, or give a file with --from"
        ) from error
    with tempfile.TemporaryDirectory(prefix="spb-", dir=part.parent) as folder:
        last = urllib.parse.unquote(urllib.parse.urlsplit(origin).path.rpartition("/")[2])
        name = re.sub(r"[^A-Za-z0-9._=-]", "_", last).lstrip(".") or "download"
        path = part.rename(Path(folder) / name)
        _mark(part).unlink(missing_ok=True)
        yield path


@contextmanager
def local_copies(
    base: str, names: Sequence[str], progress: Progress | None
) -> Iterator[tuple[Path, list[str]]]:
    """Yield a folder with the files `names` of the address `base`, and those of them that are not there.

    Each is completed by itself; it keeps its place in the folder. Raises as `local_copy` does, and SpbError
    where none of them is there.
    """
    missing: list[str] = []
    with tempfile.TemporaryDirectory(prefix="spb-files-", dir=partial_path(base).parent) as text:
        folder = Path(text)
        for name in names:
            try:
                with local_copy(base + urllib.parse.quote(name), progress) as path:
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    path.rename(folder / name)
            except SpbError as error:
                gone = error.__cause__
                if not (isinstance(gone, urllib.error.HTTPError) and gone.code == http.HTTPStatus.NOT_FOUND):
                    raise
                missing.append(name)
        if len(missing) == len(names):
            raise SpbError(f"none of the {len(names)} files of {base!r} is there; give a folder with --from")
        yield folder, missing


def partial_path(origin: str) -> Path:
    """Return where a download is kept until it is whole: in XDG_CACHE_HOME/spb, else ~/.cache/spb.

    Where nothing can be written there it is the system's folder for temporary files.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spb" / "downloads"
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        cache = Path(tempfile.gettempdir())
    return cache / f"{hashlib.sha256(origin.encode()).hexdigest()[:16]}.part"


def _mark(part: Path) -> Path:
    """Return the file beside a part that holds what the server calls this state of the file."""
    return part.with_suffix(".mark")


def _download(origin: str, part: Path, progress: Progress | None) -> None:
    """Write the file at an address into a part, or complete one that is there."""
    request = urllib.request.Request(origin)  # noqa: S310 - the scheme is checked by the caller
    done, mark = 0, _mark(part)
    if part.exists() and mark.exists() and origin.startswith("http"):
        done = part.stat().st_size
        request.add_header("Range", f"bytes={done}-")
        request.add_header("If-Range", mark.read_text("utf-8"))
    with _answer(request, origin) as answer:
        resumed = done > 0 and getattr(answer, "status", None) == 206
        done = done if resumed else 0
        tag = answer.headers.get("ETag") or ""
        state = tag if tag and not tag.startswith("W/") else answer.headers.get("Last-Modified")
        if state:
            mark.write_text(state, "utf-8")
        else:
            mark.unlink(missing_ok=True)
        length = parse_int(answer.headers.get("Content-Length") or "")
        with part.open("ab" if resumed else "wb") as file:
            _copy(answer, file, done, None if length is None else done + length, progress)


def _answer(request: urllib.request.Request, origin: str) -> Any:
    """Return the server's answer; anew from the beginning where it has nothing after what is there.

    That is so of a part that was whole when the program was killed, and of a file that has become shorter.
    """
    try:
        return urllib.request.urlopen(request, timeout=_TIMEOUT_S)  # noqa: S310 - as above
    except urllib.error.HTTPError as error:
        if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        error.close()
        return urllib.request.urlopen(origin, timeout=_TIMEOUT_S)  # noqa: S310 - as above


def _copy(answer: Any, file: BinaryIO, done: int, total: int | None, progress: Progress | None) -> None:
    while block := answer.read(_BLOCK):
        file.write(block)
        done += len(block)
        if progress is not None:
            progress(done, total)
    if total is not None and done < total:
        raise OSError(f"the connection ended after {done} of {total} bytes")
