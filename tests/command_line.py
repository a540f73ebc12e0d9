"""Runs commands as a user types them."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from engine.cli import main


def spb(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """Run a command in this process and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["spb", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


Spb = Callable[..., "subprocess.CompletedProcess[str]"]
"""The type of the fixture `spb_here`, which runs a command in this process."""


def spb_apart(*words: object) -> "subprocess.CompletedProcess[str]":
    """Run a command in a process of its own, with a terminal width of 100 columns."""
    command = [sys.executable, "-c", "from engine.cli import main; main()", *map(str, words)]
    settings = {**os.environ, "COLUMNS": "100"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=settings)
