"""Fixtures for tests of runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina
from collect.run.small import write_folder

from engine.store import Store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write the small exchange folder that runs judge."""
    return write_folder(tmp_path / "data")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store without a study."""
    return Store(tmp_path / "store")


@pytest.fixture(autouse=True)
def no_waits() -> Iterator[None]:
    """Let calls be tried again at once; where a server names a time, it is waited for."""
    with stamina.set_testing(True, attempts=100, cap=True):
        yield
