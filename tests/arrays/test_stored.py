"""Packed arrays are cached beside a study, and never override its tables."""

import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import engine
from engine.arrays import study_cache
from engine.store import Store
from engine.store.study_files import StudyFiles

DEMO = Path(__file__).resolve().parents[2] / "results" / "demo-health"


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the demonstration, and cache small studies too."""
    monkeypatch.setattr(study_cache, "LEAST_BYTES", 0)
    return Path(shutil.copytree(DEMO, tmp_path / "store" / "health"))


def packed_files(study: Path) -> list[Path]:
    return sorted((study.parent / ".packed" / study.name).glob("*"))


def measured(study: Path, measure: str = "hspp") -> pd.DataFrame:
    return engine.open_study(study).measure(measure, resamples=20)


@pytest.fixture
def nothing_read(monkeypatch: pytest.MonkeyPatch):
    """Return a function that makes any later reading of judgments fail."""

    def forbid() -> None:
        def refuse(*_: object, **__: object) -> None:
            raise AssertionError("judgments were read")

        for name in ("judgments", "judgment_batches"):
            monkeypatch.setattr(StudyFiles, name, refuse)

    return forbid


@pytest.mark.parametrize("measure", ["hspp", "overestimation", "accuracy"])
def test_a_cached_study_gives_the_same_results_without_reading_a_judgment(study, nothing_read, measure):
    first = measured(study, measure)

    nothing_read()
    again = measured(study, measure)

    pd.testing.assert_frame_equal(first, again)
    assert first.attrs == again.attrs


def test_left_out_counts_are_cached_too(study, nothing_read):
    first = engine.open_study(study).result("hspp", resamples=0).left_out

    nothing_read()
    again = engine.open_study(study).result("hspp", resamples=0).left_out

    assert first == again
    assert any(first.values())


def test_a_changed_study_is_read_again_and_its_old_cache_is_deleted(study):
    measured(study)
    before = packed_files(study)
    part = next((study / "judgments").glob("*.parquet"))
    table = pq.read_table(part)
    place = table.schema.get_field_index("met")
    reversed_verdicts = table.set_column(place, table.schema.field("met"), pc.invert(table["met"]))
    pq.write_table(reversed_verdicts, part)

    after = measured(study)

    assert not set(before) & set(packed_files(study))
    shutil.rmtree(study.parent / ".packed")
    pd.testing.assert_frame_equal(after, measured(study))


@pytest.mark.parametrize("harm", ["cut", "empty", "other bytes", "of another study", "one bit"])
def test_a_broken_cache_file_is_rebuilt(study, harm):
    first = measured(study)
    harms = 0
    for path in packed_files(study):
        content = path.read_bytes()
        harmed = {
            "cut": content[: len(content) // 2],
            "empty": b"",
            "other bytes": os.urandom(200),
            "of another study": content.replace(b'"shape": [9', b'"shape": [8'),
            "one bit": content[: len(content) // 2]
            + bytes([content[len(content) // 2] ^ 1])
            + content[len(content) // 2 + 1 :],
        }[harm]
        harms += harmed != content
        path.write_bytes(harmed)

    again = measured(study)

    assert harms > 0
    pd.testing.assert_frame_equal(first, again)


def test_a_cache_file_cannot_load_pickled_objects(tmp_path, monkeypatch):
    monkeypatch.setattr(study_cache, "_checksum", lambda *_: b"whatever the file holds")
    with (tmp_path / "file").open("wb") as stream:
        study_cache._put(stream, study_cache.CacheEntry({"met": np.zeros(4, dtype=np.uint64)}))
    text = (tmp_path / "file").read_bytes().replace(b'"<u8"', b'"|O8"')
    (tmp_path / "file").write_bytes(text)

    with pytest.raises((TypeError, ValueError)):
        study_cache._read(Store(tmp_path).location.child("file"))


def test_an_unwritable_store_is_used_without_a_cache(study):
    (study.parent / ".packed").write_text("a file where a folder would be")

    assert len(measured(study)) > 0


def test_a_full_disk_leaves_no_partial_file(study, monkeypatch):
    def fill(stream: object, packed: object) -> None:  # noqa: ARG001
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(study_cache, "_put", fill)

    assert len(measured(study)) > 0
    assert packed_files(study) == []


def test_nothing_is_written_if_writing_is_not_allowed(study, monkeypatch):
    monkeypatch.setenv("SPB_READ_ONLY", "1")

    measured(study)

    assert packed_files(study) == []


def test_a_small_study_is_not_cached(study, monkeypatch):
    monkeypatch.setattr(study_cache, "LEAST_BYTES", 10**9)

    measured(study)

    assert packed_files(study) == []


def test_a_study_that_changed_while_being_read_is_not_cached(study, monkeypatch):
    stamps = iter(["before", "after"])
    monkeypatch.setattr(StudyFiles, "stamp", lambda *_, **__: next(stamps, "after"))

    engine.open_study(study).inventory  # noqa: B018 - the access reads it

    assert packed_files(study) == []


def test_arrays_survive_a_round_trip(tmp_path):
    arrays = {
        "words": np.arange(6, dtype=np.uint64).reshape(1, 2, 3),
        "none": np.empty((0, 4), dtype=np.int64),
        "ints": np.array([-1, 5], dtype=np.int64),
    }
    with (tmp_path / "file").open("wb") as stream:
        study_cache._put(stream, study_cache.CacheEntry(arrays, {"codes": ["refused", "ü"]}))

    content = study_cache._read(Store(tmp_path).location.child("file"))

    assert content.facts == {"codes": ["refused", "ü"]}
    for name, array in arrays.items():
        assert content.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(content.arrays[name], array)
