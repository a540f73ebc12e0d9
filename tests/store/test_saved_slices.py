"""Slices saved by name: stored with the study, used in Python and on the command line."""

import json
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest
from explorer_studies import PLANS, write

import engine
from engine.errors import StoreError, UsageError
from engine.saved_slices import delete_slice, save_slice
from engine.store import Store
from engine.store.study_files import StudyInfo


@pytest.fixture
def store(tmp_path):
    write(tmp_path, "plain", PLANS["plain"])
    return Store(tmp_path)


def numbers(study, **filters):
    return [row["n_self"] for row in study.result("hspp", resamples=0, **filters).rows]


def test_a_saved_slice_is_in_study_json_and_nothing_else_of_the_study_changes(store, tmp_path):
    before = {path.name: path.read_bytes() for path in (tmp_path / "plain").rglob("*.parquet")}

    save_slice(store.open("plain"), "hard", {"polarity": "negative", "theme": ("theme 0", "theme 1")})

    info = json.loads((tmp_path / "plain" / "study.json").read_text())
    assert info["slices"] == {"hard": {"polarity": "negative", "theme": ["theme 0", "theme 1"]}}
    assert {path.name: path.read_bytes() for path in (tmp_path / "plain").rglob("*.parquet")} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plain"]


def test_a_measure_of_a_saved_slice_equals_that_with_its_filters(store, tmp_path):
    filters = {"polarity": "positive", "length": (10, None), "leave_self_out": True}
    save_slice(store.open("plain"), "hard", filters)
    study = engine.open_study(tmp_path / "plain")

    saved = study.result("hspp", resamples=0, slice="hard")

    assert saved.rows == study.result("hspp", resamples=0, **filters).rows
    assert saved.filters["length"] == (10.0, None)
    assert numbers(study, slice="hard") != numbers(study)


def test_filters_given_with_a_saved_slice_override_its_own(store, tmp_path):
    save_slice(store.open("plain"), "hard", {"polarity": "negative", "theme": "theme 0"})
    study = engine.open_study(tmp_path / "plain")

    refined = study.result("hspp", resamples=0, slice="hard", polarity="positive", judges=["m1"])

    plainly = study.result("hspp", resamples=0, theme="theme 0", polarity="positive", judges=["m1"])
    assert refined.rows == plainly.rows


def test_a_threshold_of_0_overrides_that_of_a_saved_slice(store, tmp_path):
    save_slice(store.open("plain"), "agreed", {"min_agreement": 0.9})
    study = engine.open_study(tmp_path / "plain")

    refined = study.result("hspp", resamples=0, slice="agreed", min_agreement=0)

    assert refined.filters["min_agreement"] == 0
    assert refined.rows == study.result("hspp", resamples=0, min_agreement=0).rows


def test_two_saved_slices_can_be_compared(store, tmp_path):
    save_slice(store.open("plain"), "one", {"theme": "theme 0"})
    save_slice(store.open("plain"), "two", {"theme": "theme 1"})
    study = engine.open_study(tmp_path / "plain")

    compared = study.result("hspp", resamples=20, slice="one", against="slice=two")

    assert compared.rows == study.result("hspp", resamples=20, theme="theme 0", against="theme=theme 1").rows


@pytest.mark.parametrize(
    ("name", "filters", "message"),
    [
        ("hard", {}, "no filter"),
        ("hard", {"polarity": None, "axis": []}, "no filter"),
        ("hard", {"colour": "red"}, "axis"),
        ("hard", {"polarity": "sideways"}, "positive"),
        ("  ", {"polarity": "negative"}, "slice name"),
        ("x" * 81, {"polarity": "negative"}, "longer than 80"),
        ("a\nb", {"polarity": "negative"}, "unprintable"),
    ],
)
def test_an_invalid_slice_is_refused_and_nothing_is_written(store, tmp_path, name, filters, message):
    before = (tmp_path / "plain" / "study.json").read_bytes()

    with pytest.raises(UsageError, match=message):
        save_slice(store.open("plain"), name, filters)

    assert (tmp_path / "plain" / "study.json").read_bytes() == before


def test_an_unknown_slice_is_refused_with_the_existing_names(store, tmp_path):
    save_slice(store.open("plain"), "hard", {"polarity": "negative"})
    study = engine.open_study(tmp_path / "plain")

    for ask in (lambda: study.measure("hspp", slice="soft"), lambda: delete_slice(study.files, "soft")):
        with pytest.raises(UsageError, match="unknown saved slice 'soft'; choose from: hard"):
            ask()


def test_a_deleted_slice_no_longer_exists(store):
    save_slice(store.open("plain"), "hard", {"polarity": "negative"})
    save_slice(store.open("plain"), "soft", {"polarity": "positive"})

    study = delete_slice(store.open("plain"), "hard")

    assert list(study.info.slices) == ["soft"]


def test_slices_saved_at_the_same_time_are_all_kept(store):
    names = [f"slice {number}" for number in range(12)]
    files = store.open("plain")

    with ThreadPoolExecutor(6) as several:
        list(several.map(lambda name: save_slice(files, name, {"polarity": "negative"}), names))

    assert sorted(store.open("plain").info.slices) == sorted(names)


def test_a_study_keeps_its_slices_if_it_cannot_be_written(store, tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("pathlib.Path.replace", refuse)

    with pytest.raises(StoreError, match="cannot be written: its disk can only be read; nothing was changed"):
        save_slice(store.open("plain"), "hard", {"polarity": "negative"})

    assert store.open("plain").info.slices == {}
    assert [path.name for path in (tmp_path / "plain").glob(".*")] == []


def test_an_append_keeps_the_slices_of_the_study(store):
    save_slice(store.open("plain"), "hard", {"polarity": "negative"})

    models = pa.Table.from_pylist([{"model": "m9", "family": "omega"}])
    instances = pa.Table.from_pylist([{"instance_id": "x99"}])
    store.write("plain", {"models": models, "instances": instances}, StudyInfo(), mode="append")

    assert list(store.open("plain").info.slices) == ["hard"]


def test_the_command_line_accepts_a_saved_slice_refined_by_flags(store, tmp_path, spb_here):
    save_slice(store.open("plain"), "hard", {"polarity": "negative", "exclude_family": True})
    study = engine.open_study(tmp_path / "plain")
    arguments = ("metrics", "hspp", "--study", "plain", "--resamples", "0", "--format", "json", "--slice")

    process = spb_here(*arguments, "hard", "--theme", "theme 0", "--store", tmp_path)

    assert process.returncode == 0, process.stderr
    expected = study.result("hspp", resamples=0, polarity="negative", exclude_family=True, theme="theme 0")
    assert json.loads(process.stdout)["rows"] == expected.rows


def test_the_command_line_names_the_saved_slices_if_one_is_unknown(store, tmp_path, spb_here):
    save_slice(store.open("plain"), "hard", {"polarity": "negative"})

    process = spb_here("metrics", "hspp", "--study", "plain", "--slice", "soft", "--store", tmp_path)

    assert process.returncode == 2
    assert "unknown saved slice 'soft'; choose from: hard" in process.stderr
    assert process.stdout == ""
