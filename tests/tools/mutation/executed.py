"""Which tests execute a line of the engine, from one recorded run of them without a fault."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import coverage

from .mutants import statement


class Executed:
    """The recorded run of some folders of tests.

    Tests of a file share what one of them, or a fixture, has computed, so all tests of a file can notice a
    fault in what one of them executes. A statement executed while its module is imported belongs to no test,
    and so to all. What is executed in other processes is not recorded.
    """

    def __init__(self, recorded: Path) -> None:
        self._lines = coverage.CoverageData(str(recorded))
        self._lines.read()
        tests = json.loads(recorded.with_suffix(".json").read_text())
        self._seconds: dict[str, float] = tests["seconds"]
        self._failed = set(tests["failed"])

    def tests(self, path: str, source: str, line: int, folders: tuple[str, ...]) -> list[list[str]]:
        """Return the tests to try on a fault in a line, in turns: first those that execute its statement.

        Tests that failed without the fault are left out. Quick tests come first.
        """
        able = [test for test in self._seconds if test not in self._failed and test.startswith(folders)]
        contexts = self._contexts(path)
        first, last, while_imported = statement(source, line)
        executing = {test for line in range(first, last + 1) for test in contexts.get(line, ())}
        direct = sorted(executing.intersection(able), key=self._seconds.__getitem__)
        files = {_file(test) for test in direct}
        others = [test for test in able if test not in executing and (while_imported or _file(test) in files)]
        return [turn for turn in (direct, others) if turn]

    @cache  # noqa: B019 - one object a run
    def _contexts(self, path: str) -> dict[int, list[str]]:
        return self._lines.contexts_by_lineno(path)


def _file(test: str) -> str:
    return test.partition("::")[0]


def recorded(root: Path, folders: tuple[str, ...], to: Path) -> Executed:
    """Return what the tests of some folders execute, by running them once unless that is on record."""
    if not to.with_suffix(".json").exists():
        command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"]
        command += ["-p", "tests.tools.mutation.recording", "--record", str(to), *folders]
        environment = {**os.environ, "PYTHONPATH": str(root)}
        subprocess.run(command, cwd=root, env=environment, check=False, stdout=subprocess.DEVNULL)
    return Executed(to)
