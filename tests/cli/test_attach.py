"""`spb run watch`: watching a run of another process."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.cli import app
from engine.cli.exit_codes import NoAnswerError
from engine.cli.run import runs as command
from engine.collect.database.calls_under_way import CallsUnderWay
from engine.collect.database.run_database import RunDatabase
from engine.collect.dispatch.run_status import Counts, Status, add_command_to_continue
from engine.collect.run_folder import run_folder
from engine.collect.watch import watched_runs
from engine.errors import UsageError
from engine.store import Store

RUN = "20260101-000000-abc"


class RunElsewhere:
    """A run whose process reports the test's next scripted step at each wait."""

    def __init__(self, root: Path) -> None:
        self.root = root
        folder = run_folder(Store(root), "s", RUN)
        self.status = Status(folder.status, {"run_id": RUN, "study": "s", "command": "spb run run.toml"})
        self.status.set("running", "judgments")
        self.looks = 0
        self.steps: Iterator[Callable[[], None]] = iter(())

    def wait(self, seconds: float) -> None:
        assert seconds > 0
        self.looks += 1
        next(self.steps)()

    def attach(self, *arguments: str) -> Any:
        return CliRunner().invoke(app, ["runs", "attach", *arguments, "--store", str(self.root)])


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunElsewhere:
    run = RunElsewhere(tmp_path)
    clock = SimpleNamespace(sleep=run.wait, monotonic=time.monotonic)  # other threads sleep as always
    monkeypatch.setattr(command, "time", clock)
    return run


def scripted_steps(run: RunElsewhere, steps: Sequence[dict[str, str]]) -> Iterator[Callable[[], None]]:
    return iter([lambda step=step: run.status.set(**step) for step in steps])


@pytest.mark.parametrize(
    ("state", "code"), [("done", 0), ("errors", 3), ("budget", 4), ("time", 7), ("failed", 1)]
)
@pytest.mark.parametrize("arguments", [(RUN,), ()])
def test_it_is_watched_to_its_end_and_passes_on_its_exit_code(
    running: RunElsewhere, state: str, code: int, arguments: tuple[str, ...]
) -> None:
    continuing = "spb run run.toml --max-usd 2"
    [status] = running.root.rglob("status.json")
    steps = scripted_steps(running, [{"message": "on"}, {"state": state, "message": "that was all"}])
    running.steps = chain(steps, [lambda: add_command_to_continue(status, continuing)])

    result = running.attach(*arguments)

    assert (result.exit_code, running.looks) == (code, 2 if state == "done" else 3)
    assert "judgments: 0 of 0" in result.stderr
    next_command = "spb judges s --store" if state == "done" else continuing
    assert f"that was all\nnext: {next_command}" in result.stderr


def test_detaching_leaves_it_running(running: RunElsewhere) -> None:
    def leave() -> None:
        raise KeyboardInterrupt

    running.steps = iter([leave])

    result = running.attach(RUN)

    assert result.exit_code == 0
    again = f"spb run watch {RUN} --store {running.root}"
    assert f"the run continues; watch it again with `{again}`" in result.stderr
    (status,) = running.root.rglob("status.json")
    assert json.loads(status.read_text())["state"] == "running"


def test_a_run_whose_process_has_died_says_how_to_resume_it(running: RunElsewhere) -> None:
    (status,) = running.root.rglob("status.json")
    status.write_text(json.dumps(json.loads(status.read_text()) | {"pid": 2**22 + 1}))  # more than Linux has

    result = running.attach(RUN)

    assert result.exit_code == 1
    assert f"its process has ended; continue it with spb run run.toml --run-id {RUN}\n" in result.stderr


@pytest.mark.parametrize("named", [(RUN,), ("s",), ()])
def test_a_run_is_asked_to_end_in_good_order_and_what_has_ended_is_not(
    running: RunElsewhere, monkeypatch: pytest.MonkeyPatch, named: tuple[str, ...]
) -> None:
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(watched_runs.os, "kill", lambda *words: sent.append(words))
    words = ["run", "stop", *named, "--store", str(running.root)]

    stopped = CliRunner().invoke(app, [*words, "--format", "json"])
    signals = [number for _, number in sent if number]
    running.status.set("done")
    again = CliRunner().invoke(app, words)

    assert (stopped.exit_code, signals) == (0, [15])
    assert f"spb run watch {RUN} --store {running.root}" in stopped.stderr
    assert json.loads(stopped.stdout)["rows"][0]["run_id"] == RUN
    assert isinstance(again.exception, UsageError)
    assert "active" in str(again.exception)


def test_an_unknown_run_is_refused_with_the_choices(running: RunElsewhere) -> None:
    result = running.attach("another")

    assert "unknown run 'another'; choose from: " + RUN in str(result.exception)


def test_the_absence_of_active_runs_is_reported(running: RunElsewhere) -> None:
    running.status.set("done")

    assert "no run of this store is active; name the run" in str(running.attach().exception)


@pytest.mark.parametrize(
    ("state", "following"),
    [
        ("running", f"next: spb run watch {RUN} --store"),
        ("done", "next: spb judges s --store"),
        ("budget", f"next: spb run run.toml --run-id {RUN}"),
    ],
)
@pytest.mark.parametrize("named", [(RUN,), ("s",), ()])
def test_a_run_is_shown_with_its_counts_its_cost_and_the_next_command(
    running: RunElsewhere, state: str, following: str, named: tuple[str, ...]
) -> None:
    running.status.counts = Counts(total=9, ok=5, unparsed=2, error=1, cost_usd=0.25)
    running.status.set(state, "judgments")

    shown = CliRunner().invoke(app, ["run", "show", *named, "--store", str(running.root)])

    words = " ".join(shown.stdout.split())
    assert f"{RUN}, of the study s," in words
    assert f": {state}. 7 of 9 calls answered (2 unparsed), 1 error." in words
    assert "It cost $0.25." in words
    assert following in shown.stderr


def test_a_killed_run_cost_at_least_what_is_counted_while_calls_have_no_answer(running: RunElsewhere) -> None:
    running.status.counts = Counts(total=9, ok=5, cost_usd=0.25)
    running.status.set("running", "judgments")
    (status,) = running.root.rglob("status.json")
    status.write_text(json.dumps(json.loads(status.read_text()) | {"pid": 2**22 + 1}))  # more than Linux has

    def shown(*words: str) -> str:
        return " ".join(CliRunner().invoke(app, ["run", *words, "--store", str(running.root)]).stdout.split())

    with closing(RunDatabase(status.parent)) as database:
        CallsUnderWay(database).add_charges({"c": {("a", "judge", None, "default"): 0.5}})
        killed = shown("show")
    closed = shown("show")
    listed_runs = shown("list")
    with closing(RunDatabase(status.parent)) as database:
        CallsUnderWay(database).clear()

    least = "It cost at least $0.25: calls that were under way may have cost up to $0.50 more."
    assert least in killed
    assert least in closed
    assert "at least $0.25" in listed_runs
    assert "It cost $0.25." in shown("show")


def test_a_store_without_runs_has_none_to_show(tmp_path: Path) -> None:
    with pytest.raises(NoAnswerError, match="has no runs; begin one with `spb run CONFIG"):
        CliRunner().invoke(app, ["run", "show", "--store", str(tmp_path)], catch_exceptions=False)
