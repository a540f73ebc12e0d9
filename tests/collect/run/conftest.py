"""What tests of runs begin with."""

from pathlib import Path

import pytest

from engine.store import Store
from runner.small import write_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write the small exchange folder that runs judge."""
    return write_folder(tmp_path / "data")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store without a study."""
    return Store(tmp_path / "store")
