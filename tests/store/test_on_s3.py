"""Writers and readers of one study on S3 at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pyarrow as pa
import pyarrow.fs as pafs
import pytest
from object_store import url

from engine.errors import StudyChangedError
from engine.store import Store, object_lock
from engine.store.location import Location
from engine.store.object_lock import only_object_writer
from engine.store.publish import change_info
from engine.store.study_files import StudyInfo
from engine.study import Study

MODELS = pa.table({"model": ["a", "b"], "family": ["x", "y"]})
INSTANCES = pa.table({"instance_id": ["i1"]})


def tables(*met: bool) -> dict[str, pa.Table]:
    rows = [
        {
            "judge": "a",
            "paradigm": "single_rubric",
            "instance_id": "i1",
            "generator": "ab"[n],
            "rubric_id": "r",
        }
        | {"met": value}
        for n, value in enumerate(met)
    ]
    rubrics = pa.table({"instance_id": ["i1"], "rubric_id": ["r"]})
    judgments = pa.Table.from_pylist(rows)
    return {"models": MODELS, "instances": INSTANCES, "rubrics": rubrics, "judgments": judgments}


def test_no_edit_of_several_at_once_is_lost(object_store: str) -> None:
    address = url(object_store, "edits")
    Store(address).write("s", tables(True), StudyInfo())

    def edit(number: int) -> None:
        files = Store(address).open("s")
        change_info(
            files,
            lambda info: info.model_copy(update={"slices": info.slices | {f"n{number}": {"judges": "a"}}}),
        )

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(edit, range(10)))

    assert set(Store(address).open("s").info.slices) == {f"n{number}" for number in range(10)}


def test_of_two_replacements_at_once_one_is_refused_and_one_is_whole(object_store: str) -> None:
    store = Store(url(object_store, "replacements"))
    store.write("s", tables(True), StudyInfo())

    def replace_by(met: tuple[bool, ...]) -> str:
        try:
            store.write("s", tables(*met), StudyInfo(), mode="replace")
        except StudyChangedError:
            return "refused"
        return "written"

    with ThreadPoolExecutor(2) as pool:
        ends = sorted(pool.map(replace_by, [(False,), (False, False)]))

    rows = store.open("s").table("judgments")
    assert ends[-1] == "written"
    assert set(rows["met"].to_pylist()) == {False}


def test_writers_go_one_after_the_other(object_store: str) -> None:
    study = Store(url(object_store, "queue")).location.child("s")
    inside: list[int] = []
    most: list[int] = []

    def write(number: int) -> None:
        with only_object_writer(study):
            inside.append(number)
            most.append(len(inside))
            study.child("x").exists()
            inside.remove(number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(8)))

    assert most == [1] * 8


def test_a_writer_that_died_holds_nobody_up(object_store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study = Store(url(object_store, "dead")).location.child("s")
    folder = Store(url(object_store, "dead")).location.child(".runs").child("s").child("writing")
    for name in ("choosing-dead", "000000000001-dead"):
        with folder.filesystem.open_output_stream(folder.child(name).path) as stream:
            stream.write(b"")
    listing = Location.listing

    def two_minutes_later(self: Location, *, recursive: bool = False) -> list[pafs.FileInfo]:
        return [
            pafs.FileInfo(info.path, info.type, mtime=info.mtime - timedelta(minutes=2))
            if info.base_name.endswith("-dead")
            else info
            for info in listing(self, recursive=recursive)
        ]

    monkeypatch.setattr(Location, "listing", two_minutes_later)
    monkeypatch.setattr(object_lock, "_LONGEST_WAIT_S", 0.0)

    with only_object_writer(study):
        left = [info.base_name for info in listing(folder) if info.is_file]

    assert [name.partition("-")[0] for name in left] == ["000000000001"]
    assert not left[0].endswith("dead")


def test_a_reader_that_opened_the_study_before_it_was_replaced_reads_the_new_one(object_store: str) -> None:
    store = Store(url(object_store, "readers"))
    store.write("s", tables(True), StudyInfo())
    early = store.open("s")
    store.write("s", tables(False, False), StudyInfo(), mode="replace")

    assert early.table("judgments")["met"].to_pylist() == [False, False]
    assert early.parts() == store.open("s").parts()


def test_a_reader_that_read_rows_before_is_told_to_open_the_study_again(object_store: str) -> None:
    store = Store(url(object_store, "halfway"))
    store.write("s", tables(True), StudyInfo())
    files, study = store.open("s"), Study(store.open("s"))
    files.table("models")
    assert list(study.index.models) == ["a", "b"]
    store.write("s", tables(False, False), StudyInfo(), mode="replace")

    with pytest.raises(StudyChangedError, match="was replaced while it was read; open it again"):
        files.table("judgments")
    with pytest.raises(StudyChangedError, match="open it again"):
        list(files.judgment_batches())
    rows = study.result("which-judge", rows="costs", resamples=0).rows
    assert {row["calls"] for row in rows} == {2}
