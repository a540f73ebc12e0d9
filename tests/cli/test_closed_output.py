"""A command whose output nobody reads on does its work; one that finds no room for it says so."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine.store import Store

TUTORIAL = Path(__file__).parents[2] / "datasets" / "tutorial" / "verdicts.csv"
SPB = f"{sys.executable} -c 'from engine.cli import main; main()'"
FULL = Path("/dev/full")


def shell(line: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)


def test_an_import_is_written_though_its_report_is_cut_off(tmp_path: Path) -> None:
    line = (
        f"{SPB} import {TUTORIAL} --study mine --store {tmp_path} 2>&1 | head -n 1; echo ${{PIPESTATUS[0]}}"
    )

    output = shell(line)

    assert output.stdout.splitlines()[-1] == "0"
    assert len(output.stdout.splitlines()) == 2
    assert Store(tmp_path).open("mine").table("models").num_rows == 3


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", ["--version", "explain hspp", "measure list --format json"])
def test_output_for_which_there_is_no_room_is_an_error(words: str) -> None:
    output = shell(f"{SPB} {words} > {FULL}")

    assert output.returncode == 1
    assert output.stderr == (
        "error: what is printed cannot be written: the disk is full; free some space, or write it elsewhere\n"
    )
