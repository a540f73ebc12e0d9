"""Studies written out by hand, opened as a user would open them."""

import pytest

from engine.importers.tidy import import_tidy
from engine.store import Store
from engine.study import Study


@pytest.fixture
def opened(tmp_path):
    """Return a function that imports a plain study and opens it."""

    def open_plain(study):
        study.write(tmp_path / "exchange")
        import_tidy(tmp_path / "exchange", Store(tmp_path / "store"), "small")
        return Study.open(tmp_path / "store" / "small")

    return open_plain
