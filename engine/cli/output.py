"""How much a command says, and where what it prints goes: -q, -v and --out FILE."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import typer

from engine import output_files
from engine.errors import UsageError, printable, without_keys
from engine.extras import NO_PICTURES, can_draw


@dataclass
class _Loudness:
    """What goes to standard error: with `quiet` errors and cautions alone, with `verbose` details too."""

    quiet: bool = False
    verbose: bool = False


_loudness = _Loudness()


@contextmanager
def loudness(*, quiet: bool, verbose: bool) -> Iterator[None]:
    """Set how much is said while a command runs."""
    before = (_loudness.quiet, _loudness.verbose)
    _loudness.quiet, _loudness.verbose = quiet, verbose
    try:
        yield
    finally:
        _loudness.quiet, _loudness.verbose = before


def say(text: str, *, result: bool = False, caution: bool = False) -> None:
    """Print a message to standard error, or a `result` to standard output.

    Control characters in names are shown escaped, and keys in addresses hidden. With -q there are no
    messages but a `caution`, without which the answer misleads; the result stays as it is.
    """
    if not result:
        say_notes()
    if result or caution or not _loudness.quiet:
        print(printable(without_keys(text), keep="\n"), file=sys.stdout if result else sys.stderr)


_notes: list[str] = []


def note(text: str | None) -> None:
    """Note what is to be said before the first message, or once the command has answered; None forgets it.

    An error stands alone.
    """
    _notes[:] = [] if text is None else [text]


def say_notes() -> None:
    """Say what was noted."""
    while _notes:
        say(_notes.pop())


def say_undrawn(what: str) -> None:
    """Say of a file that was written that it has no charts, if they cannot be drawn here."""
    if not can_draw():
        say(f"note: {what}: {NO_PICTURES}", caution=True)


def say_detail(text: str) -> None:
    """Print to standard error what only -v asks for."""
    if _loudness.verbose:
        say(text)


def is_verbose() -> bool:
    """Return whether -v was given."""
    return _loudness.verbose


def check_new_file(out: str, *, force: bool) -> None:
    """Raise UsageError if there is a folder of that name, or a file without `force`."""
    output_files.check_new_file(out, force=force)


def write_file(path: Path, content: bytes, remedy: str = "choose another --out") -> None:
    """Write a file, and say if that made its folder; StoreError, with the remedy, if it fails."""
    is_new = not path.parent.exists()
    output_files.write_file(path, content, remedy)
    if is_new:
        say(f"made the folder {path.parent}")


_MARKDOWN = (".md", ".markdown")
_NO_TEXTS = frozenset(
    (
        *(".bmp", ".gif", ".jpeg", ".jpg", ".pdf", ".png", ".svg", ".tif", ".tiff", ".webp", ".htm", ".html"),
        *(".doc", ".docx", ".odp", ".odt", ".ppt", ".pptx", ".ods", ".xls", ".xlsx", ".tsv", ".jsonl"),
        *(".arrow", ".feather", ".parquet", ".db", ".sqlite", ".gz", ".zip", ".ipynb", ".rtf", ".xml"),
    )
)
"""Endings of files under whose names what a command prints would pass for what it is not."""
_TEXTS = frozenset(("", ".bib", ".csv", ".json", ".log", ".out", ".toml", ".txt", ".text", *_MARKDOWN))
"""Endings of files of text, also of entries for BibTeX and of a run's configuration.

Another one of letters alone, such as .cvs, is a mistake.
"""


class _OutFile(StringIO):
    """Standard output while a command writes to the file of --out."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.is_markdown = Path(name).suffix.lower() in _MARKDOWN


def goes_to_file() -> bool:
    """Return whether what is printed goes to the file of --out."""
    return isinstance(sys.stdout, _OutFile)


def out_file() -> str | None:
    """Return the file of --out that what is printed goes to."""
    return sys.stdout.name if isinstance(sys.stdout, _OutFile) else None


def goes_to_markdown() -> bool:
    """Return whether what is printed goes to a Markdown file."""
    return isinstance(sys.stdout, _OutFile) and sys.stdout.is_markdown


@contextmanager
def printed_to(out: str | None, *, force: bool, draws: bool = False, junit: bool = False) -> Iterator[None]:
    """Write what a command prints on standard output to the file `out` at its end; None: print it.

    The file is written whole, when the command has ended with an answer; an error leaves no file. `draws`
    says that the command writes pictures too, `junit` that --junit of it writes XML.
    """
    if out is None:
        yield
        return
    ending = Path(out).suffix.lower()
    if ending in _NO_TEXTS or (ending not in _TEXTS and ending[1:].isalpha()):
        others = ", or of a picture .svg, .png or .pdf" if draws else ""
        if junit and ending == ".xml":
            others += f", or for a JUnit report: --junit {shlex.quote(out)}"
        if ending == ".parquet":
            others += "; `spb study export --format parquet` writes a study's tables"
        raise UsageError(f"--out {out!r}: no {ending} is written; choose .csv, .json, .md or .txt{others}")
    check_new_file(out, force=force)
    text = _OutFile(out)
    try:
        with redirect_stdout(text):
            yield
    except (SystemExit, typer.Exit):  # an exit code is part of an answer
        _write(out, text.getvalue())
        raise
    _write(out, text.getvalue())


def _write(out: str, text: str) -> None:
    if not text:
        say(f"there was nothing to print; {out} was not written")
        return
    content = text.encode("utf-8", "backslashreplace")
    write_file(Path(out), content)
    say(f"wrote {out}: {len(content):,} bytes")
