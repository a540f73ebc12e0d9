"""A plugin of pytest that records which lines of the engine each test executes: see `executed.py`."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

IN_OTHER_PROCESSES = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"})


class Recording:
    """Records lines by test, what each took, and which start a process, whose lines are not recorded."""

    def __init__(self, to: Path) -> None:
        self._coverage = coverage.Coverage(data_file=str(to), source=["engine"], config_file=False)
        self._coverage.set_option("run:relative_files", True)
        self._to = to
        self._test = ""
        self._seconds: dict[str, float] = {}
        self._starts_processes: set[str] = set()
        self._failed: set[str] = set()
        sys.addaudithook(self._note_process)
        self._coverage.start()

    def _note_process(self, event: str, _arguments: tuple[Any, ...]) -> None:
        if event in IN_OTHER_PROCESSES:
            self._starts_processes.add(self._test)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._test = item.nodeid
        self._coverage.switch_context(item.nodeid)
        started = time.monotonic()
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] = time.monotonic() - started
            self._test = ""
            self._coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        tests = {"seconds": self._seconds, "processes": sorted(self._starts_processes)}
        self._to.with_suffix(".json").write_text(json.dumps(tests | {"failed": sorted(self._failed)}))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", type=Path, required=True)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Recording(config.getoption("record")))
