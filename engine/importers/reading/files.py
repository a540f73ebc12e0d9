"""The files of an import: one, or those of a folder."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from engine.errors import BadInputError
from engine.importers.reading.rows import ImportStats

MOST_FILES = 10_000  # of a folder in one import
T = TypeVar("T")


def each_file(
    files: Sequence[Path], content: Callable[[Path], T], tally: ImportStats
) -> Iterator[tuple[Path, T]]:
    """Yield each file with its content; of several files, those of another format are noted and skipped."""
    for file in files:
        try:
            yield file, content(file)
        except BadInputError as error:
            if len(files) == 1:
                raise
            tally.note(f"{file.name} is left out: {error}")


def files_in(path: Path, *suffixes: str, expected: str) -> list[Path]:
    """Return the file, or a folder's files with these suffixes, sorted; BadInputError if none or too many."""
    if path.is_file():
        return [path]
    files = []
    for file in sorted(path.rglob("*")):
        if file.is_file() and file.name.removesuffix(".gz").endswith(suffixes):
            files.append(file)
        if len(files) > MOST_FILES:
            raise BadInputError(f"{str(path)!r} holds more than {MOST_FILES:,} files; import parts of it")
    if not files:
        raise BadInputError(
            f"{str(path)!r} holds no file that ends in {', '.join(suffixes)}; expected ", expected
        )
    return files


def file_in(path: Path, *suffixes: str, expected: str) -> Path:
    """Return the file, or the only one of a folder with these suffixes; a missing path as it is."""
    if not path.is_dir():
        return path
    files = files_in(path, *suffixes, expected=expected)
    if len(files) > 1:
        names = ", ".join(str(file.relative_to(path)) for file in files[:5])
        raise BadInputError(
            f"{str(path)!r} holds {len(files):,} files that end in {', '.join(suffixes)} ({names}); import "
            "them one by one"
        )
    return files[0]
