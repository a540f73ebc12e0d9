"""Runs of version 0.2, which kept what must survive in several files: they are read once into the database.

Finished calls that the study lacks are in `journal*.jsonl`. In `under_way.jsonl` is what calls in progress
may cost: a line as each began, with its dollars, and another as it ended. The folder `batches` has a record
of each batch under way (`LABEL.json`), its calls (`.jsonl`) and, until it is submitted, its lines (`.input`).
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.collect.database.batch_records import BROKEN, BatchRecord, BatchRecords, damaged_record, record_of
from engine.collect.database.calls_under_way import CallsUnderWay, Group
from engine.collect.database.entries import Entry
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import RunDatabase, unwritable
from engine.collect.database.sealed_lines import json_lines, read_lines, set_aside
from engine.collect.run_log import LOG

_NUMBERED = re.compile(r"journal-([0-9]+)\.jsonl")
_UNDER_WAY = "under_way.jsonl"
_BATCHES = "batches"


def has_old_files(folder: Path) -> bool:
    """Return whether a folder has calls, calls under way or batches of an older version."""
    if (folder / _UNDER_WAY).exists() or any((folder / _BATCHES).glob("*.json")):
        return True
    return any(path.stat().st_size for path in journal_files(folder))


def take_over(folder: Path, database: RunDatabase) -> None:
    """Read the files of an older version into the database, then remove them.

    If killed in between, the next start reads them again, and leaves out what the database has.
    """
    calls, charges = RecordedCalls(database), _charges(folder)
    paths = journal_files(folder)
    recorded = {entry.to_line() for portion in calls.portions() for entry in portion.entries}
    for path in paths:
        entries = list(read_entries(path))
        calls.add_all(entry for entry in entries if entry.to_line() not in recorded)
        for entry in entries:
            charges.pop(entry.key, None)
    CallsUnderWay(database).add_charges(charges)
    records = BatchRecords(database)
    for path in sorted((folder / _BATCHES).glob("*.json")):
        records.restore(*_batch(path))
    for path in (*paths, folder / _UNDER_WAY, *(folder / _BATCHES).glob("*")):
        path.unlink(missing_ok=True)
    with suppress(OSError):
        (folder / _BATCHES).rmdir()


def journal_files(folder: Path) -> list[Path]:
    """Return all journal files in the folder, in order; the one that was last written to is last."""
    matches = ((_NUMBERED.fullmatch(path.name), path) for path in folder.glob("journal-*.jsonl"))
    numbered = sorted((int(match[1]), path) for match, path in matches if match)
    current = folder / "journal.jsonl"
    return [path for _, path in numbered] + ([current] if current.exists() else [])


def read_entries(path: Path) -> Iterator[Entry]:
    """Yield the calls of a journal; a torn last line is skipped.

    A damaged line is copied beside the journal and skipped: its call counts as unanswered and is made again.
    """
    for entry in read_lines(path, Entry.from_line):
        if isinstance(entry, Entry):
            yield entry
            continue
        try:
            copy = set_aside(path.parent, entry)
        except OSError as error:
            raise unwritable(path.parent, error) from error
        place = f"{entry.path}, line {entry.number:,}"
        LOG.warning("%s is damaged (%s); it is set aside in %s", place, entry.why, copy)


def _charges(folder: Path) -> dict[str, dict[Group, float]]:
    """Return what calls may cost that began and did not end, by call and row of `runs`."""
    charges: dict[str, dict[Group, float]] = {}
    for line in json_lines(folder / _UNDER_WAY):
        if "ended" in line:
            charges.pop(line["ended"], None)
        else:
            model, role, paradigm, variant = line["group"]
            charges.setdefault(line["began"], {})[(model, role, paradigm, variant)] = line["usd"]
    return charges


def _batch(path: Path) -> tuple[BatchRecord, list[dict[str, Any]], bytes | None]:
    """Return the record of a batch, its calls, and its lines if it may not have been submitted."""
    lines = path.with_suffix(".input")
    try:
        record = record_of(json.loads(path.read_bytes()))
        if record.label != path.stem:
            raise ValueError(f"its label is {record.label!r}")
        calls = [dict(json.loads(line)) for line in path.with_suffix(".jsonl").read_bytes().splitlines()]
        return record, calls, lines.read_bytes() if lines.exists() else None
    except BROKEN as error:
        raise damaged_record(str(path), error) from error
