"""Who may work on a study."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.collect.locks.lock_holders import BusyError
from engine.collect.locks.machine_locks import hold_lock
from engine.collect.run_options import Shard
from engine.errors import StoreError


def test_a_second_holder_is_refused_naming_the_first(tmp_path: Path) -> None:
    with hold_lock(tmp_path, "s"):
        holder = json.loads((tmp_path / "lock").read_text("utf-8"))

        with pytest.raises(BusyError) as refused, hold_lock(tmp_path, "s"):
            pass

    assert all(str(holder[name]) in str(refused.value) for name in ("name", "host", "pid", "since"))


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from engine.collect.locks.machine_locks import hold_lock\n"
        "with hold_lock(Path(sys.argv[1]), 's'): os.kill(os.getpid(), 9)"
    )
    dead = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    dead_holder = json.loads((tmp_path / "lock").read_text("utf-8"))

    with hold_lock(tmp_path, "s"):
        now = json.loads((tmp_path / "lock").read_text("utf-8"))

    assert dead.returncode == -9
    assert dead_holder["pid"] != now["pid"]


def test_shards_of_one_division_run_concurrently_and_exclude_whole_runs(tmp_path: Path) -> None:
    with hold_lock(tmp_path, "s", Shard(1, 3)), hold_lock(tmp_path, "s", Shard(2, 3)):
        with pytest.raises(BusyError, match="shard 1/3"), hold_lock(tmp_path, "s"):
            pass
        with pytest.raises(BusyError, match="shard 2/3"), hold_lock(tmp_path, "s", Shard(2, 3)):
            pass


def test_shards_of_another_division_are_refused_because_they_share_calls(tmp_path: Path) -> None:
    with (
        hold_lock(tmp_path, "s", Shard(1, 3)),
        pytest.raises(BusyError, match="shard 1/3"),
        hold_lock(tmp_path, "s", Shard(2, 4)),
    ):
        pass


def test_a_whole_run_excludes_shards(tmp_path: Path) -> None:
    with (
        hold_lock(tmp_path, "s"),
        pytest.raises(BusyError, match="a run of the study 's'"),
        hold_lock(tmp_path, "s", Shard(1, 2)),
    ):
        pass


def test_a_lock_is_held_even_if_a_full_disk_has_no_room_for_its_holders_name(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to("/dev/full")

    with (
        hold_lock(tmp_path, "s"),
        pytest.raises(BusyError, match="by another process"),
        hold_lock(tmp_path, "s"),
    ):
        pass


def test_everybody_can_read_who_holds_a_lock_and_only_its_owner_can_write_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with hold_lock(tmp_path, "s", Shard(1, 2)):
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("lock*")}
    finally:
        os.umask(before)

    assert modes == {"lock": 0o644, "lock-1-of-2": 0o644}  # rw-r--r--


def test_after_a_run_its_lock_names_nobody_and_shards_of_other_divisions_may_begin(tmp_path: Path) -> None:
    with hold_lock(tmp_path, "s", Shard(1, 2)):
        pass
    (tmp_path / "lock-of-something-else").touch()

    with hold_lock(tmp_path, "s", Shard(1, 4)):
        assert (tmp_path / "lock-1-of-2").read_bytes() == b""
    with hold_lock(tmp_path, "s"):
        pass
    assert (tmp_path / "lock").read_bytes() == b""


def test_a_lock_that_cannot_be_made_is_named_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()

    with (
        pytest.raises(StoreError, match=r"lock: cannot be written: .*choose another --store"),
        hold_lock(tmp_path, "s"),
    ):
        pass
