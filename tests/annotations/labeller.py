"""Labels all items of one annotator; each acknowledged label is written down before the next.

Run as a process that may be killed at any moment: python labeller.py URL TASK ANNOTATOR FILE
"""

import os
import sys
import uuid
from pathlib import Path

from engine.annotations.database import Database
from engine.annotations.labelling import next_item, save


def label_all(url: str, task: str, annotator: str, told: Path) -> None:
    """Label until nothing is left; a submission that a killed process began is sent again."""
    database = Database(url)
    begun = told.with_suffix(".begun")
    with told.open("a", encoding="utf-8") as acknowledged:
        if begun.exists() and len(words := begun.read_text(encoding="utf-8").split()) == 3:
            place, submission, _ = words
            save(database, task, annotator, int(place), "left", submission=submission)
            acknowledged.write(f"{submission}\n")
            acknowledged.flush()
        while (item := next_item(database, task, annotator)) is not None:
            submission = uuid.uuid4().hex
            _keep(begun, f"{item.place} {submission} .")
            save(database, task, annotator, item.place, "left", submission=submission)
            acknowledged.write(f"{submission}\n")
            acknowledged.flush()


def _keep(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


if __name__ == "__main__":
    label_all(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]))
