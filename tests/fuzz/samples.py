"""Inputs of a reader: the files of one folder, from the corpus or changed."""

import atexit
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

Files = Mapping[str, bytes]
"""Contents by name, or by `folder/name`."""


def corpus_of(reader: str) -> dict[str, Files]:
    """Return the entries of a reader's corpus by name, sorted."""
    entries = sorted(path for path in (CORPUS / reader).iterdir() if path.is_dir())
    return {entry.name: _files(entry) for entry in entries}


def write(files: Files, folder: Path) -> None:
    """Write the files into an existing empty folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def fresh_folder() -> Path:
    """Return an empty folder that exists until the process ends."""
    folder = tempfile.mkdtemp(prefix="spb-fuzz-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def only_file(folder: Path) -> Path:
    """Return the folder's only file, or the folder if it holds several."""
    entries = list(folder.iterdir())
    return entries[0] if len(entries) == 1 and entries[0].is_file() else folder


def _files(folder: Path) -> Files:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
