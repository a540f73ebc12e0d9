"""A plugin of pytest that records which lines of the engine each test executes: see `executed.py`."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest


class Recording:
    """Records lines by test, what each test took, and which failed."""

    def __init__(self, to: Path) -> None:
        self._coverage = coverage.Coverage(data_file=str(to), source=["engine"], config_file=False)
        self._coverage.set_option("run:relative_files", True)
        self._to = to
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        started = time.monotonic()
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] = time.monotonic() - started
            self._coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        tests = {"seconds": self._seconds, "failed": sorted(self._failed)}
        self._to.with_suffix(".json").write_text(json.dumps(tests))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", type=Path, required=True)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Recording(config.getoption("record")))
