"""Runs whose configuration limits their time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.collect.calls import Reply
from engine.collect.dispatch.calling import Session
from engine.collect.run import one_process as running
from engine.collect.run.start import run
from engine.collect.watch.watched_runs import all_runs
from engine.store import Store

from .small import FakeModels, config, met


def test_a_run_out_of_time_starts_no_calls_finishes_those_in_progress_and_can_resume(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions: list[Session] = []

    @contextmanager
    def clock(session: Session) -> Iterator[None]:
        assert session.config.run.max_minutes == 30
        sessions.append(session)
        yield

    def answer(model: str, question: str) -> Reply:
        if sum(models.prompts.values()) >= 5:
            sessions[0].end_in_time()
        return met(model, question)

    monkeypatch.setattr(running, "_end_on_signals", clock)
    models = FakeModels(answer)

    first = run(config(folder, run="max_minutes = 30\nconcurrency = 4"), store, models=models)
    status = all_runs(store)[0].status
    monkeypatch.undo()
    second = run(config(folder), store, models=FakeModels())

    assert (first.end, first.exit_code, first.abandoned) == ("time", 7, 0)
    assert 5 <= first.done == sum(models.prompts.values()) < 24
    assert "max_minutes" in first.message
    assert (status["state"], status["finished_at"] is None) == ("time", False)
    assert (second.run_id, second.already_done, second.done) == (first.run_id, first.done, 24 - first.done)
    assert second.exit_code == 0


def test_the_clock_of_a_run_is_its_event_loop(folder: Path, store: Store) -> None:
    report = run(config(folder, run="max_minutes = 1e-9"), store, models=FakeModels())

    assert (report.end, report.done) == ("time", 0)
