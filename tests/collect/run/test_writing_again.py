"""A portion that meets another writer of the study is added again, after waits that grow to two seconds."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.rows import recorder
from engine.collect.rows.new_rows import NewRows
from engine.collect.rows.recorder import Collector
from engine.collect.rows.run_rows import RunRows
from engine.errors import StudyChangedError
from engine.store.study_files import StudyFiles


class Writer:
    """In the place of what adds rows: fails so many times, and records locks, studies and waits."""

    def __init__(self, failures: int) -> None:
        self.failures, self.attempts, self.locked = failures, 0, 0
        self.waits: list[tuple[float, float]] = []

    @contextmanager
    def lock(self) -> Iterator[None]:
        self.locked += 1
        yield
        self.locked -= 1

    def add_rows(self, study: object, new: NewRows, change: Any) -> object:
        del new, change
        assert self.locked > 0
        self.attempts += 1
        if self.attempts <= self.failures:
            self.locked -= 1
            raise StudyChangedError("changed")
        return f"{study} and more"


def collector(monkeypatch: pytest.MonkeyPatch, writer: Writer) -> Collector:
    def uniform(low: float, high: float) -> float:
        writer.waits.append((low, high))
        return high / 2

    slept: list[float] = []
    monkeypatch.setattr(recorder, "add_rows", writer.add_rows)
    monkeypatch.setattr(recorder, "random", SimpleNamespace(uniform=uniform))
    monkeypatch.setattr(recorder, "time", SimpleNamespace(sleep=slept.append))
    runs = cast("RunRows", SimpleNamespace(run_id="one"))
    return Collector(cast("StudyFiles", "study"), runs, writer.lock)


def test_waits_double_from_a_twentieth_of_a_second_up_to_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(failures=8)
    adding = collector(monkeypatch, writer)

    adding.add_judgments([])

    assert cast("str", adding.study) == "study and more"
    assert writer.waits == [(0, wait) for wait in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0)]
    assert writer.locked == 0


def test_after_forty_attempts_the_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    enough, too_few = Writer(failures=39), Writer(failures=40)

    collector(monkeypatch, enough).add_judgments([])
    with pytest.raises(StudyChangedError):
        collector(monkeypatch, too_few).add_judgments([])

    assert (enough.attempts, too_few.attempts) == (40, 40)
    assert len(too_few.waits) == 39


def test_no_calls_are_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(failures=0)

    collector(monkeypatch, writer)._add([])

    assert writer.attempts == 0
