"""Builds the atlas: fetches or finds each study's files, imports them, and writes the study's numbers."""

import hashlib
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engine.atlas.declared import PublishedStudy
from engine.atlas.rows import VERSION, StudyNumbers, about, numbers_of, read_numbers
from engine.errors import BadInputError, SpbError, StoreError, UsageError
from engine.importers.datasets.catalogue import fetch
from engine.importers.datasets.downloads import Progress, local_copy
from engine.importers.format_loading import importer
from engine.importers.pipeline import reading
from engine.importers.reading.format import WholeFormat
from engine.measures.measured_study import MeasuredStudy
from engine.plain_words import disk_words
from engine.store import Store
from engine.version import __version__

State = Literal["computed", "as before", "skipped", "failed"]


@dataclass(frozen=True)
class StudyOutcome:
    """What became of one study: its numbers, or why there are none."""

    study: str
    state: State
    numbers: StudyNumbers | None = None
    why: str = ""


def build(
    studies: Iterable[PublishedStudy],
    folder: Path,
    store: Store,
    *,
    origin: Path | None = None,
    fetching: bool = True,
    again: bool = False,
    progress: Progress | None = None,
    report: Callable[[StudyOutcome], None] = lambda _: None,
) -> list[StudyOutcome]:
    """Write `studies/NAME.json` into a folder for each study, each apart: one that fails stops no other.

    Files are taken from `origin` where a study's are there, else fetched, if `fetching`. A study whose
    declaration, files and version are those of an earlier build is computed anew only if `again`. The
    imported studies stay in the store.
    """
    place = folder / "studies"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{str(place)!r} cannot be made: {disk_words(error, 'choose another --out')}"
        ) from error
    outcomes = []
    for entry in studies:
        try:
            outcome = _one(entry, place, store, origin, fetching=fetching, again=again, progress=progress)
        except StoreError:
            raise  # the store itself: every other study would fail too
        except SpbError as error:
            outcome = StudyOutcome(entry.name, "failed", why=str(error))
        report(outcome)
        outcomes.append(outcome)
    return outcomes


def _one(
    entry: PublishedStudy,
    place: Path,
    store: Store,
    origin: Path | None,
    *,
    fetching: bool,
    again: bool,
    progress: Progress | None,
) -> StudyOutcome:
    file, mark = place / f"{entry.name}.json", place / f".{entry.name}.built"
    if not entry.is_read:
        return StudyOutcome(entry.name, "skipped", why="no format reads its files yet")
    given = None if origin is None or entry.path is None else origin / entry.path
    if given is not None and not given.exists():
        given = None
    if given is None and entry.url is None and entry.dataset is None:
        where = f"; put them at {entry.path} in a folder and give it with --from" if entry.path else ""
        return StudyOutcome(entry.name, "skipped", why=f"its files cannot be fetched as they are{where}")
    if given is None and not fetching:
        return StudyOutcome(entry.name, "skipped", why="its files are not here, and nothing is fetched")
    state = _mark(entry, given)
    if not again and file.is_file() and mark.is_file() and mark.read_text("utf-8") == state:
        try:
            return StudyOutcome(entry.name, "as before", read_numbers(file))
        except BadInputError:
            pass  # what an interrupted or another program left: computed anew
    _import(entry, given, store, progress)
    try:
        numbers = numbers_of(MeasuredStudy(store.open(entry.name)), entry)
    except BadInputError as error:
        numbers = StudyNumbers(**about(entry), nothing_because=str(error))
    write_numbers(numbers, file)
    mark.write_text(state, "utf-8")
    return StudyOutcome(entry.name, "computed", numbers, numbers.nothing_because or "")


def _import(entry: PublishedStudy, given: Path | None, store: Store, progress: Progress | None) -> None:
    """Import a study's files into the store, in place of an earlier import."""
    if given is None and entry.dataset is not None:
        fetch(entry.dataset, store, entry.name, mode="replace", progress=progress)
        return
    source = nullcontext(given) if given is not None else local_copy(str(entry.url), progress)
    with source as path:
        form = importer(str(entry.format))
        if isinstance(form, WholeFormat):
            form.importer(str(path), store, entry.name, mode="replace")
            return
        with reading(form, path, entry.import_options) as content:
            content.check_verdicts()
            content.write(store, entry.name, mode="replace")


def _mark(entry: PublishedStudy, given: Path | None) -> str:
    """Return a sum of all on which a study's numbers depend."""
    files: list[Any] = []
    if given is not None:
        paths = sorted(path for path in given.rglob("*") if path.is_file()) if given.is_dir() else [given]
        files = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    text = f"{__version__} {VERSION} {entry.model_dump_json()} {files}"
    return hashlib.sha256(text.encode()).hexdigest()


def write_numbers(numbers: StudyNumbers, file: Path) -> None:
    """Write a study's numbers, whole or not at all."""
    coming = file.with_name(f".{file.name}.coming")
    try:
        coming.write_text(numbers.text(), "utf-8")
        coming.replace(file)
    except OSError as error:
        raise UsageError(
            f"{str(file)!r} cannot be written: {disk_words(error, 'choose another place')}"
        ) from error
