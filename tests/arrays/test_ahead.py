"""A study is packed before it is first opened, or the reason why not is given."""

import shutil
from pathlib import Path

import pytest
from command_line import spb

from engine.arrays import study_cache
from engine.arrays.bits.verdicts import prebuild_cache
from engine.errors import StoreError, UsageError
from engine.store.study_files import StudyFiles
from engine.study import Study

DEMO = Path(__file__).resolve().parents[2] / "results" / "demo-health"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StudyFiles:
    """Copy the demonstration, and cache small studies too."""
    monkeypatch.setattr(study_cache, "LEAST_BYTES", 0)
    monkeypatch.delenv("SPB_READ_ONLY", raising=False)
    return StudyFiles.at(shutil.copytree(DEMO, tmp_path / "store" / "health"))


def test_a_study_packed_ahead_opens_without_reading_a_judgment(
    files: StudyFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Study.open(DEMO).measure("overestimation", resamples=0)

    packed = list(prebuild_cache(files))

    assert [(one.selection.paradigm, one.selection.variant) for one in packed] == [
        ("single_rubric", "default"),
        ("all_rubrics", "default"),
    ]
    monkeypatch.setattr(StudyFiles, "judgment_batches", None)
    monkeypatch.setattr(StudyFiles, "judgments", None)
    for one in packed:
        measured = Study.open(files.path).measure(
            "overestimation", paradigm=one.selection.paradigm, resamples=0
        )
        assert int(measured["n"].sum()) > 0
    assert Study.open(files.path).measure("overestimation", resamples=0).equals(expected)


def test_a_small_study_is_not_cached(files: StudyFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_cache, "LEAST_BYTES", 1 << 30)

    assert list(prebuild_cache(files)) == []


def test_nothing_is_packed_if_writing_is_not_allowed(
    files: StudyFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPB_READ_ONLY", "1")

    with pytest.raises(UsageError, match="SPB_READ_ONLY is 1"):
        list(prebuild_cache(files))


def test_a_cache_that_cannot_be_written_is_not_reported_as_written(files: StudyFiles) -> None:
    folder = Path(files.path).parent / ".packed"
    folder.write_text("a file in the folder's place")

    with pytest.raises(StoreError, match="could not be stored"):
        list(prebuild_cache(files))


def test_an_unresponsive_cluster_is_named(files: StudyFiles) -> None:
    with pytest.raises(UsageError, match="'nowhere' does not answer"):
        list(prebuild_cache(files, "nowhere"))


def test_the_command_reports_what_it_packed_and_that_a_small_study_needs_no_packing(
    files: StudyFiles, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("pack", "--study", files.name, "--store", Path(files.path).parent)

    status = spb(monkeypatch, *arguments)
    output = capsys.readouterr().err
    monkeypatch.setattr(study_cache, "LEAST_BYTES", 1 << 30)
    again = spb(monkeypatch, *arguments)

    assert (status, again) == (0, 0)
    assert "single_rubric (default, transform none): " in output
    assert "nothing to pack in 'health': it is small" in capsys.readouterr().err
