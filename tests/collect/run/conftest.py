"""Fixtures for tests of runs."""

from pathlib import Path

import pytest
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
