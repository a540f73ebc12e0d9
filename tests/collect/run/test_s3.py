"""A run into a store on S3: the same guarantees, with the database on the local disk."""

import json
import os
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from collect.run.recording import recorded_in
from collect.run.small import FakeModels, config, met, write_folder
from object_store import url

from engine.collect.calls import Failure, Reply
from engine.collect.database.entries import Entry
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import RunDatabase
from engine.collect.locks.lock_holders import BusyError
from engine.collect.locks.object_locks import hold_object_lock
from engine.collect.rows.recorder import Collector
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions, Shard
from engine.errors import StoreError
from engine.store import Store
from engine.store.writer import validate_study


@pytest.fixture
def store(
    object_store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Store:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Store(url(object_store, f"{request.node.name[:40]}-{os.getpid()}"))


def test_shards_add_to_one_study_and_a_start_uploads_what_is_recorded_here_and_asks_for_the_rest(
    tmp_path: Path, store: Store
) -> None:
    folder = write_folder(tmp_path / "data")

    def one_fails(model: str, prompt: str) -> Reply | Failure:
        return Failure("server", "down", 503) if model == "b" else met(model, prompt)

    shards = [
        run(config(folder), store, RunOptions(shard=Shard(k, 2)), models=FakeModels(one_fails))
        for k in (1, 2)
    ]
    (place,) = (tmp_path / "state").rglob(shards[0].run_id)
    recorded = _recorded_elsewhere(tmp_path, folder, shards[0].run_id)
    with closing(RunDatabase(place)) as database:
        RecordedCalls(database).add_all(recorded[:5])
    models = FakeModels()
    report = run(config(folder), store, models=models)

    study = store.open("s")
    rows = study.table("judgments").to_pylist()
    assert (sum(each.ok for each in shards), sum(each.error for each in shards)) == (12, 12)
    assert all(each.ok for each in shards)
    assert {each.run_id for each in (*shards, report)} == {report.run_id}
    assert (len(recorded), report.already_done, report.done) == (12, 12 + 5, 7)
    assert models.prompts.total() == 7
    assert len(rows) == 24
    assert {row["status"] for row in rows} == {"ok"}
    validate_study(study)


def _recorded_elsewhere(tmp_path: Path, folder: Path, run_id: str) -> list[Entry]:
    """Return b's answers, as a killed process would leave them in its database."""
    local = Store(tmp_path / "local")
    with pytest.MonkeyPatch.context() as patch:

        def broken(*_: object) -> None:
            raise StoreError("cannot be written")

        patch.setattr(Collector, "collect", broken)
        with pytest.raises(StoreError):
            run(config(folder, judges=["b"]), local, models=FakeModels())
    (path,) = (tmp_path / "local" / ".runs").rglob("run.sqlite")
    entries = recorded_in(path.parent)
    return [replace(each, rows=[{**row, "run_id": run_id} for row in each.rows]) for each in entries]


def test_a_second_run_on_s3_is_refused_naming_the_first(store: Store) -> None:
    folder = store.location.child("locks")
    with hold_object_lock(folder, "s"):
        with pytest.raises(BusyError, match=f"process {os.getpid()}"), hold_object_lock(folder, "s"):
            pass
        with pytest.raises(BusyError, match="a run of the study"), hold_object_lock(folder, "s", Shard(1, 2)):
            pass

    with hold_object_lock(folder, "s", Shard(1, 2)), hold_object_lock(folder, "s", Shard(2, 2)):
        pass


def test_the_lock_object_of_a_dead_process_is_taken_over(store: Store) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    folder = store.location.child("locks")
    with hold_object_lock(folder, "s"):
        token = folder.listing()[0]
        holder = json.loads(folder.child(token.base_name).read())
    with folder.filesystem.open_output_stream(token.path) as stream:
        stream.write(json.dumps({**holder, "pid": dead.pid}).encode())

    with hold_object_lock(folder, "s"):
        names = [info.base_name for info in folder.listing()]

    assert token.base_name not in names
    assert len(names) == 1


def test_a_lock_object_is_removed_if_the_other_locks_cannot_be_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = store.location.child("locks")

    def broken(_: object) -> None:
        raise StoreError("the bucket does not answer")

    with monkeypatch.context() as patch:
        patch.setattr("engine.store.location.Location.listing", broken)
        with pytest.raises(StoreError, match="does not answer"), hold_object_lock(folder, "s"):
            pass

    assert not folder.listing()
