"""Downloads: each button's file has its form, and lasts until a browser has fetched it, and no longer."""

import pandas as pd
import pytest
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from engine.study import Study
from engine.views.registry import VIEWS
from explorer.parts.downloads import TABLES, files
from explorer.parts.show import cases
from explorer.serving.downloads import LASTS_S, LastingFile, let_downloads_last


def test_a_file_outlasts_the_runs_of_others_for_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [100.0]
    monkeypatch.setattr(LastingFile, "clock", lambda: seconds[0])
    monkeypatch.setattr(media_file_manager, "MediaFileMetadata", media_file_manager.MediaFileMetadata)
    let_downloads_last()
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    button = files.add_deferred(lambda: b"a,b", "text/csv", "1.0")
    name = files.execute_deferred(button).removeprefix("/media/").removesuffix(".csv")

    for _ in range(3):  # each run of anybody ends so
        files.remove_orphaned_files()
    fetched = files.read_file(name)
    seconds[0] += LASTS_S + 1
    files.remove_orphaned_files()

    assert fetched is not None
    assert fetched.content == b"a,b"
    assert files.read_file(name) is None


def test_each_button_of_a_table_writes_its_own_form() -> None:
    frame = pd.DataFrame({"judge": ["a"], "n": [1]})

    beginnings = {file.label: file.make()[:6] for file in files(TABLES, lambda write: write(frame))}

    assert beginnings["CSV"].lstrip(b"\xef\xbb\xbf").startswith(b"judge")
    assert beginnings["Parquet"].startswith(b"PAR1")
    assert beginnings["LaTeX"] == b"\\begin"


def test_a_picture_of_judges_names_the_cases_of_those_that_are_drawn(demo: Study) -> None:
    shown = VIEWS["judges"].shown(demo, {})
    counts = [row["n_own"] for row in demo.result("scorecard").rows if row["judge"] is not None]

    assert shown.figure is not None
    assert cases(shown.table, shown.figure) == f" n: {min(counts):,} to {max(counts):,} cases."
