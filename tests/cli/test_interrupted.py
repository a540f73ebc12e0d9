"""A command that is stopped with Ctrl-C says so, without a traceback, and what it has written."""

import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from command_line import Spb

from engine.store import Store

ROWS = "\n".join(f"{judge},{author},q,yes" for judge in ("gpt-4o", "o3") for author in ("gpt-4o", "o3"))


def stop(*_: object, **__: object) -> NoReturn:
    raise KeyboardInterrupt


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(f"judge,model,question_id,verdict\n{ROWS}", "utf-8")
    return path


def test_an_import_that_is_stopped_before_it_writes_says_that_nothing_was_written(
    table: Path, spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spb_here("import", table, "--store", tmp_path / "s")
    monkeypatch.setattr("engine.importers.pipeline.ImportedFile.check_verdicts", stop)

    new = spb_here("import", table, "--store", tmp_path / "s", "--study", "u")
    again = spb_here("import", table, "--store", tmp_path / "s", "--replace", "-q")

    assert (new.returncode, again.returncode) == (130, 130)
    assert new.stderr.splitlines()[-1] == again.stderr.splitlines()[-1] == "stopped; nothing was written"
    assert Store(tmp_path / "s").studies() == ["t"]


def test_an_import_that_is_stopped_after_it_wrote_says_that_the_study_is_there(
    table: Path, spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.study.Study.result", stop)

    stopped = spb_here("import", table, "--store", tmp_path / "s")

    assert stopped.returncode == 130
    assert stopped.stderr.splitlines()[-1] == "stopped; the study t is written"
    assert Store(tmp_path / "s").studies() == ["t"]


def test_another_command_that_is_stopped_says_so(
    table: Path, spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spb_here("import", table, "--store", tmp_path / "s")
    monkeypatch.setattr("engine.study.Study.result", stop)

    stopped = spb_here("judges", "t", "--store", tmp_path / "s")

    assert (stopped.returncode, stopped.stdout, stopped.stderr) == (130, "", "interrupted\n")


_STOPPED_WHILE_IT_LOADS = """
import sys


class Stop:
    def find_spec(self, name, *_):
        if name == "engine.cli":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Stop())
from engine.__main__ import main

main()
"""


def test_a_command_that_is_stopped_while_it_loads_leaves_no_traceback() -> None:
    stopped = subprocess.run(
        [sys.executable, "-c", _STOPPED_WHILE_IT_LOADS], capture_output=True, text=True, check=False
    )

    assert (stopped.returncode, stopped.stdout, stopped.stderr) == (130, "", "interrupted\n")
