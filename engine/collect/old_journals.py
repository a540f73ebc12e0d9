"""Runs of version 0.2, whose finished calls are in `journal*.jsonl`: they are read once into the database.

An interrupted run has whatever it had not added to its study in there, and in `under_way.jsonl` what its
calls in progress may cost: a line as each began, with its dollars, and another as it ended.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from engine.collect.calls_under_way import CallsUnderWay, Group
from engine.collect.entries import Entry
from engine.collect.recorded_calls import RecordedCalls
from engine.collect.run_database import RunDatabase, unwritable
from engine.collect.run_log import LOG
from engine.collect.sealed_lines import json_lines, read_lines, set_aside

_NUMBERED = re.compile(r"journal-([0-9]+)\.jsonl")
_UNDER_WAY = "under_way.jsonl"


def has_old_files(folder: Path) -> bool:
    """Return whether a folder has a journal with calls, or calls under way, of an older version."""
    return any(path.stat().st_size for path in journal_files(folder)) or (folder / _UNDER_WAY).exists()


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
    for path in (*paths, folder / _UNDER_WAY):
        path.unlink(missing_ok=True)


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
