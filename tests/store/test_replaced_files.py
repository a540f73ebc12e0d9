"""Files that another process replaces while they are read."""

import os
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine.importers.formats.exchange import import_tidy
from engine.store import Store, study_files
from engine.store.study_files import StudyFiles
from store.small import study, write_folder

DEMO = Path(__file__).resolve().parents[2] / "results" / "demo-verifiable"


def test_a_table_replaced_while_it_is_read_is_read_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(DEMO, tmp_path / "s")
    file, later = tmp_path / "s" / "models.parquet", tmp_path / "later.parquet"
    before = StudyFiles.at(tmp_path / "s").table("models")
    pq.write_table(pq.read_table(file).slice(0, 1), later)
    read_footer = pq.read_metadata

    def read_and_replace(*source: object, **options: object) -> pq.FileMetaData:
        footer = read_footer(*source, **options)
        if later.exists():
            os.replace(later, file)
        return footer

    monkeypatch.setattr(pq, "read_metadata", read_and_replace)

    during = StudyFiles.at(tmp_path / "s").table("models")

    assert during.equals(before)
    assert StudyFiles.at(tmp_path / "s").table("models").num_rows == 1


def test_judgments_replaced_again_and_again_while_they_are_opened_are_read_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")
    import_tidy(write_folder(tmp_path / "first", study()), store, "s")
    reader, open_parquet = store.open("s"), study_files.open_parquet
    replacements = iter(range(3))

    def replace_and_open(*arguments: Any) -> Any:
        for number in replacements:
            rows = write_folder(tmp_path / f"later{number}", study())
            import_tidy(rows, store, "s", mode="replace")
            break
        return open_parquet(*arguments)

    monkeypatch.setattr(study_files, "open_parquet", replace_and_open)

    assert reader.table("judgments").equals(store.open("s").table("judgments"))
    assert next(replacements, None) is None
