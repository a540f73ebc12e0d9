"""Full or unwritable disks: a clear message, and nothing already written is lost."""

import contextlib
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from collect.run.small import MET, FakeModels, config, met, write_folder

from engine.collect.calls import Reply
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.errors import StoreError
from engine.store import Store
from engine.store.writer import validate_study


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 11 MB; skips if that is not allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=11m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_stops_the_run_and_freed_space_lets_it_resume(tmp_path: Path, disk: Path) -> None:
    folder = write_folder(tmp_path / "data", instances=40)
    filler = disk / "filler"
    filler.write_bytes(bytes(6_400_000))  # so much is more than the study that is written in the end
    rng = random.Random(5)  # long answers that hardly shrink
    words = FakeModels(lambda _model, _prompt: Reply(MET + f" {rng.randbytes(6_000).hex()}", cost_usd=0.0))
    store = Store(disk / "store")

    with pytest.raises(StoreError, match=r"full|No space left"):
        run(config(folder, run="concurrency = 64"), store, models=words)
    calls = sum(words.prompts.values())
    validate_study(store.open("s"))
    filler.unlink()
    other_models = FakeModels()
    report = run(config(folder), store, models=other_models)

    assert 0 < calls < 320
    assert report.end == "done"
    # Answers in progress when the disk filled went to the reserve.
    assert calls + sum(other_models.prompts.values()) == report.planned == 320


def test_a_run_begun_on_a_full_disk_ends_with_a_message_naming_the_file(tmp_path: Path, disk: Path) -> None:
    folder, store, models = write_folder(tmp_path / "data"), Store(disk / "store"), FakeModels()
    run(config(folder), store, RunOptions(run_id="r"), models=FakeModels())
    with (disk / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(bytes(1024))

    with pytest.raises(StoreError, match=r"r2/config\.toml: cannot be written"):
        run(config(folder), store, RunOptions(run_id="r2"), models=models)

    assert not models.prompts


def test_a_log_that_cannot_be_written_stops_no_run_and_prints_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, place = write_folder(tmp_path / "data"), tmp_path / "store" / ".runs" / "s" / "r"
    place.mkdir(parents=True)
    (place / "log").symlink_to("/dev/full")

    report = run(config(folder), Store(tmp_path / "store"), RunOptions(run_id="r"), models=FakeModels())

    assert (report.end, report.done) == ("done", 24)
    assert not capfd.readouterr().err


def test_an_unwritable_store_is_named_before_any_call(tmp_path: Path, disk: Path) -> None:
    folder = write_folder(tmp_path / "data")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    models = FakeModels()

    with pytest.raises(StoreError, match=r"cannot be (created|written).*choose another --store"):
        run(config(folder), Store(disk / "store"), models=models)

    assert not models.prompts


def test_if_a_study_cannot_be_written_at_the_end_its_answers_stay_in_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_folder(tmp_path / "data")
    store = Store(tmp_path / "store")
    run(config(folder, judges=["a"]), store, models=FakeModels())

    def broken(*_: object, **__: object) -> None:
        raise StoreError("the store is read-only")

    with monkeypatch.context() as patch:
        patch.setattr("engine.collect.rows.recorder.Collector.collect", broken)
        with pytest.raises(StoreError, match="read-only"):
            run(
                config(folder, judges=["a"], paradigms=["single_rubric", "direct_assessment"]),
                store,
                models=FakeModels(met),
            )
    models = FakeModels()
    report = run(config(folder), store, models=models)

    assert report.end == "done"
    assert sum(models.prompts.values()) == 12  # b's; a's second paradigm was in the database
    paradigms = store.open("s").table("judgments")["paradigm"].to_pylist()
    assert (paradigms.count("single_rubric"), paradigms.count("direct_assessment")) == (24, 6)
