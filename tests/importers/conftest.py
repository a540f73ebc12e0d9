"""A study that is imported by the command, for the tests of tables."""

from pathlib import Path
from typing import Any

import pytest
from command_line import spb

from engine.store import Store
from engine.store.study_files import StudyFiles


class Imported:
    """An import by the command: its exit code, what it reported, and the study."""

    def __init__(self, store: Path, code: int, report: str) -> None:
        self.store, self.code, self.report = store, code, report

    @property
    def study(self) -> StudyFiles:
        assert self.code == 0, self.report
        return Store(self.store).open("s")


@pytest.fixture
def import_by(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs `spb import FORMAT PATH ...` into the study `s`."""

    def run(form: str, path: Path, *words: object) -> Imported:
        store = tmp_path / "store"
        code = spb(monkeypatch, "import", form, path, "--store", store, "--study", "s", "--no-doctor", *words)
        return Imported(store, code, capsys.readouterr().err)

    return run
