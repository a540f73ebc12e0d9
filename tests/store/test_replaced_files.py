"""Files that another process replaces while they are read."""

import os
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from engine.store.study_files import StudyFiles

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
