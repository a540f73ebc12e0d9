"""Six annotators at once, and processes that are killed without warning."""

import multiprocessing
import sys
import time
from collections import Counter
from types import ModuleType

import pytest
import sqlalchemy as sa

from annotations.labeller import label_all
from annotations.small import pair, task
from engine.annotations.database_tables import LABELS
from engine.annotations.progress import progress

PEOPLE = [f"person{number}" for number in range(6)]
ITEMS = 12
PLACES = ITEMS + 1  # and a hidden repeat
_LONGEST_S = 600


@pytest.fixture(scope="module")
def launch():
    """Return a function that starts an annotator in its own process, forked from one that is ready."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["engine.annotations.labels", "psycopg"])

    def start(url, person, folder):
        files = folder / f"{person}.acknowledged", folder / "stop"
        process = context.Process(target=label_all, args=(url, "t", person, *files))
        process.start()
        return process

    # A new process reruns the main module's file, which Streamlit's tests leave set to a page.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        yield start


def acknowledgements(folder, person):
    """The (place, submission) of each label whose storage was acknowledged to a person."""
    path = folder / f"{person}.acknowledged"
    lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
    return [tuple(line.split()) for line in lines]


def wait_for(condition, processes):
    deadline = time.monotonic() + _LONGEST_S
    while not condition():
        assert [each.exitcode for each in processes] == [None] * len(processes), "one of them ended by itself"
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def test_killed_processes_neither_lose_nor_duplicate_an_acknowledged_label(database, url, tmp_path, launch):
    task(database, [pair(i) for i in range(ITEMS)], people=PEOPLE)

    def labels(person):
        return len(acknowledgements(tmp_path, person))

    processes = {person: launch(url, person, tmp_path) for person in PEOPLE}
    wait_for(lambda: all(map(labels, PEOPLE)), processes.values())
    alive = []
    for number, person in enumerate(PEOPLE[:3]):
        goal = labels(person) + 1 + 2 * number
        wait_for(lambda: labels(person) >= goal, processes.values())  # noqa: B023
        alive.append(sum(process.is_alive() for process in processes.values()))
        processes[person].kill()
        processes[person].join()
        processes[person] = launch(url, person, tmp_path)
    (tmp_path / "stop").touch()
    for process in processes.values():
        process.join()
    ends = {person: process.exitcode for person, process in processes.items()}

    assert alive == [6] * 3
    assert set(ends.values()) == {0}, ends
    with database.read() as connection:
        rows = connection.execute(sa.select(LABELS.c.submission, LABELS.c.annotator, LABELS.c.place)).all()
    counts = Counter((row.annotator, str(row.place), row.submission) for row in rows)
    confirmed = {(person, *each) for person in PEOPLE for each in acknowledgements(tmp_path, person)}
    assert (
        set(counts) == confirmed
    )  # one may be acknowledged twice: a process killed just after it sends it again
    assert set(counts.values()) == {1}
    for person in PEOPLE:
        assert progress(database, "t", person).done == PLACES
