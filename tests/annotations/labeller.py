"""Labels all items of one annotator, then changes labels until it is told to stop.

Each acknowledged label is recorded before the next. Run as a process that may be killed at any moment.
"""

import itertools
import os
import uuid
from pathlib import Path

from engine.annotations.database import Database
from engine.annotations.labels import save
from engine.annotations.progress import progress
from engine.annotations.shown_items import next_item


def label_all(url: str, task: str, annotator: str, acknowledgements: Path, stop: Path) -> None:
    """Label until nothing is left and `stop` exists; resend what a killed process had started."""
    database = Database(url)
    pending = acknowledgements.with_suffix(".begun")
    places = itertools.cycle(range(1, progress(database, task, annotator).total + 1))

    def label(place: int, submission: str) -> None:
        save(database, task, annotator, place, "left", submission=submission)
        with acknowledgements.open("a", encoding="utf-8") as acknowledgement_file:
            acknowledgement_file.write(f"{place} {submission}\n")

    if pending.exists() and len(words := pending.read_text(encoding="utf-8").split()) == 3:
        label(int(words[0]), words[1])
    while True:
        item = next_item(database, task, annotator)
        if item is None and stop.exists():
            return
        place, submission = next(places) if item is None else item.place, uuid.uuid4().hex
        _keep(pending, f"{place} {submission} .")
        label(place, submission)


def _keep(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
