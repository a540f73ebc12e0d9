"""Ten annotators at once, and processes that end without a word."""

import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import sqlalchemy as sa

from annotations.small import pair, task
from engine.annotations.labelling import progress
from engine.annotations.tables import LABELS

PEOPLE = [f"person{number}" for number in range(10)]
ITEMS = 12
PLACES = ITEMS + 1  # and a hidden repeat
_LONGEST_S = 600


def started(url, person, folder):
    script = Path(__file__).with_name("labeller.py")
    command = [sys.executable, str(script), url, "t", person, str(folder / f"{person}.told")]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def acknowledged(folder, person):
    path = folder / f"{person}.told"
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def wait_for(reached):
    until = time.monotonic() + _LONGEST_S
    while not reached():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)


def test_no_acknowledged_label_is_lost_and_none_doubled_when_processes_are_killed(database, url, tmp_path):
    task(database, [pair(i) for i in range(ITEMS)], people=PEOPLE)

    processes = {person: started(url, person, tmp_path) for person in PEOPLE}
    for number, person in enumerate(PEOPLE[:5]):
        goal = 1 + 2 * number
        process = processes[person]
        wait_for(lambda: len(acknowledged(tmp_path, person)) >= goal or process.poll() is not None)  # noqa: B023
        process.send_signal(signal.SIGKILL)
        process.communicate()
        processes[person] = started(url, person, tmp_path)
    ends = {person: (process.communicate()[1], process.returncode) for person, process in processes.items()}

    assert {code for _, code in ends.values()} == {0}, ends
    with database.read() as connection:
        rows = connection.execute(sa.select(LABELS.c.submission, LABELS.c.annotator, LABELS.c.place)).all()
    stored = {row.submission for row in rows}
    assert {each for person in PEOPLE for each in acknowledged(tmp_path, person)} == stored
    assert set(Counter((row.annotator, row.place) for row in rows).values()) == {1}
    for person in PEOPLE:
        assert progress(database, "t", person).done == PLACES
