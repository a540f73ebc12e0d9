"""What is looked at before a run's first call: its cap, its keys, its folder, and batches under way."""

from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.configuration.config import Price, RunConfig
from engine.collect.database.batch_records import BatchRecords, Chunk
from engine.collect.database.run_database import RunDatabase
from engine.collect.run.prepared_run import PreparedRun, _look_for_batches, cap_of, check, facts_of
from engine.collect.run_folder import RunFolder
from engine.collect.run_options import RunOptions, Shard
from engine.errors import StoreError, UsageError
from engine.store import Store

from .small import config, write_folder
from .test_session import request


@pytest.mark.parametrize(
    ("options", "cap"),
    [
        (RunOptions(), 2.0),
        (RunOptions(max_usd=0.0), 0.0),
        (RunOptions(max_usd=5.0), 5.0),
        (RunOptions(no_cap=True), None),
    ],
)
def test_the_cap_of_a_command_comes_before_that_of_the_configuration(
    tmp_path: Path, options: RunOptions, cap: float | None
) -> None:
    assert cap_of(config(write_folder(tmp_path / "data"), run="max_usd = 2.0"), options) == cap


def test_the_folder_of_a_whole_run_is_above_that_of_its_shards(tmp_path: Path) -> None:
    def folder_of(shard: Shard | None) -> Path:
        about = dict.fromkeys(("config", "store", "study", "run_id", "prompts", "models"), cast("Any", None))
        return PreparedRun(**about, options=RunOptions(shard=shard), files=RunFolder(tmp_path)).run_files.path

    assert (folder_of(None), folder_of(Shard(1, 2))) == (tmp_path, tmp_path.parent)


def test_a_status_has_what_was_typed_and_the_cap(tmp_path: Path) -> None:
    settings, store = config(write_folder(tmp_path / "data"), run="max_usd = 2.0"), Store(tmp_path / "store")
    options = RunOptions(command="spb run x", shard=Shard(1, 2))

    assert facts_of(settings, store, options, "r") == {
        "run_id": "r", "study": "s", "store": store.root, "command": "spb run x", "max_usd": 2.0,
        "no_cap": False, "trial_usd": 0.0, "shard": "1-of-2", "step": None,
    }  # fmt: skip
    lifted = facts_of(settings, store, RunOptions(no_cap=True), "r")
    assert (lifted["max_usd"], lifted["no_cap"], lifted["shard"]) == (None, True, None)


def models(price: Price | None = None, **keys: str) -> Any:
    """Stand in for models of one price, of which some lack the key in an environment variable."""
    return SimpleNamespace(missing_keys=lambda: keys, price=lambda _: price)


PRICE = Price(input_per_million=1.0, output_per_million=1.0)


@pytest.fixture
def settings(tmp_path: Path) -> RunConfig:
    """A run in which only a is called."""
    return config(write_folder(tmp_path / "data"), judges=["a"], generators=["a"])


def test_a_key_that_is_not_set_is_named_if_its_model_is_called(settings: RunConfig) -> None:
    check(settings, RunOptions(), models(b="B_KEY"))

    with pytest.raises(
        UsageError, match=r"models\.a: .*variable A_KEY, which is not set; set it \(nothing was"
    ):
        check(settings, RunOptions(), models(a="A_KEY", b="B_KEY"))


@pytest.mark.parametrize(
    ("price", "cap", "refused"), [(None, 0.0, True), (None, None, False), (PRICE, 1.0, False)]
)
def test_a_cap_needs_prices(
    settings: RunConfig, price: Price | None, cap: float | None, refused: bool
) -> None:
    options = RunOptions(max_usd=cap)

    if refused:
        with pytest.raises(
            UsageError, match=r"models\.a: the price is unknown, so max_usd cannot be kept; add price"
        ):
            check(settings, options, models(price))
    else:
        check(settings, options, models(price))


def job(folder: Path, mode: str, *, abandon: bool = False) -> Any:
    return SimpleNamespace(
        run_files=RunFolder(folder), run_id="r", config=SimpleNamespace(mode=mode),
        options=RunOptions(abandon_batches=abandon),
    )  # fmt: skip


def open_batches(folder: Path) -> int:
    with closing(RunDatabase(folder)) as database:
        return len(BatchRecords(database).open())


@pytest.mark.parametrize(
    ("mode", "abandon", "left"),
    [("live", True, 0), ("batch", True, 0), ("batch", False, 1), ("live", False, None)],
)
def test_batches_under_way_are_collected_given_up_or_in_the_way_of_a_live_run(
    tmp_path: Path, mode: str, abandon: bool, left: int | None
) -> None:
    with closing(RunDatabase(tmp_path)) as database:
        BatchRecords(database).add(0, Chunk([(request(), b"line\n")], most=1.0))

    if left is None:
        with pytest.raises(StoreError, match="the run 'r' has 1 call in 1 batch under way; collect them"):
            _look_for_batches(job(tmp_path, mode, abandon=abandon))
    else:
        assert _look_for_batches(job(tmp_path, mode, abandon=abandon)) == ()
    assert open_batches(tmp_path) == (1 if left is None else left)


@pytest.mark.parametrize("mode", ["live", "batch"])
def test_in_a_new_folder_nothing_is_looked_for_or_created(tmp_path: Path, mode: str) -> None:
    assert _look_for_batches(job(tmp_path, mode, abandon=True)) == ()
    assert list(tmp_path.iterdir()) == []


def test_files_of_an_older_version_are_taken_over_before_batches_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "under_way.jsonl").touch()

    assert _look_for_batches(job(tmp_path, "live")) == ()
    assert [path.name for path in tmp_path.iterdir()] == ["run.sqlite"]


def test_what_was_saved_of_a_damaged_database_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    RunDatabase(tmp_path).close()
    monkeypatch.setattr("engine.collect.database.run_database._checked", lambda _: "some rows were saved")

    assert _look_for_batches(job(tmp_path, "live")) == ("some rows were saved",)
