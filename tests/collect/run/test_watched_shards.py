"""A run in shards, each by a command of its own, is seen as one run: its state, calls, cost and way on."""

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from command_line import Spb

from engine.collect.run.start import run
from engine.collect.run_options import RunOptions, Shard
from engine.collect.watch import watched_runs
from engine.collect.watch.watched_runs import WatchedRun, all_runs, stop
from engine.errors import StoreError
from engine.store import Store

from .small import FakeModels, config, write_folder

SHARDS = 3


class Sharded:
    """A run of 24 judgments in three shards; each answer costs $0.001."""

    def __init__(self, root: Path) -> None:
        self.store = Store(root / "store")
        self.config = config(write_folder(root / "data"))

    def run(self, number: int | None = None) -> int:
        """Make a shard, or all that is left, and return the answers of this start."""
        part = "" if number is None else f" --shard {number}/{SHARDS}"
        options = RunOptions(
            shard=None if number is None else Shard(number, SHARDS), command=f"spb run run.toml{part}"
        )
        return run(self.config, self.store, options, models=FakeModels()).done  # type: ignore[arg-type]

    def seen(self) -> WatchedRun:
        (watched,) = all_runs(self.store)
        return watched

    def change(self, number: int, **values: Any) -> None:
        """Change the status that a shard left."""
        (path,) = Path(self.store.root).rglob(f"shard-{number}-of-{SHARDS}/status.json")
        path.write_text(json.dumps(json.loads(path.read_text()) | values))


@pytest.fixture
def sharded(tmp_path: Path) -> Sharded:
    return Sharded(tmp_path)


def test_one_shard_of_three_is_a_partial_run_that_names_the_other_two(sharded: Sharded) -> None:
    done = sharded.run(2)

    seen = sharded.seen()

    assert 0 < done < 24
    assert (seen.state, seen.active, seen.status["done"], seen.status["total"]) == (
        "partial",
        False,
        done,
        done,
    )
    assert seen.share == pytest.approx(1 / 3)
    assert seen.cost_usd == pytest.approx(0.001 * done)
    assert seen.status["shards_to_begin"] == ["1/3", "3/3"]
    assert seen.status["commands_to_continue"] == [
        "spb run run.toml --shard 1/3",
        "spb run run.toml --shard 3/3",
    ]
    assert seen.status["command_for_the_rest"] == "spb run run.toml"


def test_all_shards_are_one_run_with_the_sum_of_their_calls_and_costs(sharded: Sharded) -> None:
    for number in (1, 2, 3):
        sharded.run(number)

    seen = sharded.seen()

    assert (seen.state, seen.status["done"], seen.status["total"], seen.share) == ("done", 24, 24, 1.0)
    assert seen.cost_usd == pytest.approx(0.024)
    assert seen.status["run_calls"] == 24
    assert [each["shard"] for each in seen.status["shards"]] == ["1/3", "2/3", "3/3"]
    assert (seen.status["commands_to_continue"], seen.status["message"]) == (
        [],
        "24 of 24 calls answered in 3 shards",
    )


def test_the_rest_of_a_run_after_a_shard_counts_what_the_shard_cost(sharded: Sharded) -> None:
    first = sharded.run(1)
    rest = sharded.run()

    seen = sharded.seen()

    assert first + rest == 24
    assert (seen.state, seen.status["done"], seen.shards) == ("done", 24, ())
    assert seen.cost_usd == pytest.approx(0.024)  # the rest alone cost less


def test_what_a_killed_start_did_not_report_is_counted_from_the_study(sharded: Sharded) -> None:
    sharded.run(1)
    sharded.run()
    sharded.change(1, run_cost_usd=0.0)

    assert sharded.seen().cost_usd == pytest.approx(0.024)


def test_a_run_without_a_known_price_has_no_known_cost(sharded: Sharded) -> None:
    sharded.run(1)
    sharded.run(2)
    sharded.change(2, run_cost_usd=None)

    assert sharded.seen().cost_usd is None


@pytest.mark.parametrize(
    ("states", "together"),
    [
        (("done", "running"), "running"),
        (("stopping", "stopping"), "stopping"),
        (("done", "interrupted"), "interrupted"),
        (("budget", "errors"), "budget"),
        (("done", "unread"), "partial"),
    ],
)
def test_a_run_is_active_while_a_shard_is_and_else_in_the_worst_state(
    sharded: Sharded, states: tuple[str, str], together: str
) -> None:
    for number, state in zip((1, 2), states, strict=True):
        sharded.run(number)
        sharded.change(number, state=state, pid=os.getpid())

    assert (sharded.seen().state, sharded.seen().active) == (together, together in ("running", "stopping"))


def test_a_killed_shard_is_lost_and_its_command_goes_on(sharded: Sharded) -> None:
    sharded.run(1)
    sharded.change(1, state="running", pid=2**22 + 1)  # more than Linux has

    seen = sharded.seen()

    assert (seen.state, seen.active) == ("lost", False)
    assert seen.status["commands_to_continue"] == [
        f"spb run run.toml --shard {number}/3" for number in (1, 2, 3)
    ]


def test_the_shards_of_one_command_are_not_counted_beside_its_own_status(sharded: Sharded) -> None:
    sharded.run(1)
    sharded.run()
    sharded.change(1, step=0, run_cost_usd=9.0, started_at="9")

    assert sharded.seen().cost_usd == pytest.approx(0.024)
    assert sharded.seen().shards == ()


@pytest.mark.parametrize("values", [{"total": "many"}, {"ok": None}, {"run_cost_usd": "x"}, {"state": []}])
def test_a_shard_with_another_status_than_ours_is_left_out(sharded: Sharded, values: dict[str, Any]) -> None:
    sharded.run(1)
    sharded.run(2)
    sharded.change(1, **values)

    assert [each.shard.number for each in sharded.seen().shards] in ([2], [1, 2])


def test_all_active_shards_of_this_machine_are_stopped_and_the_others_are_named(
    sharded: Sharded, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat = "9999-01-01T00:00:00+00:00"
    for number, host in ((1, socket.gethostname()), (2, "elsewhere"), (3, socket.gethostname())):
        sharded.run(number)
        sharded.change(number, state="running", host=host, pid=os.getpid(), heartbeat=beat)
    seen, signals = sharded.seen(), []
    monkeypatch.setattr(watched_runs.os, "kill", lambda _, number: signals.append(number))

    with pytest.raises(StoreError, match=r"active elsewhere: 2/3 on 'elsewhere'; stop them there"):
        stop(seen)

    assert [number for number in signals if number] == [15, 15]


def test_commands_list_show_and_watch_the_shards_as_one_run(sharded: Sharded, spb_here: Spb) -> None:
    done, store = sharded.run(1), sharded.store.root
    run_id = sharded.seen().run_id

    listed = spb_here("run", "list", "--store", store)
    shown = spb_here("run", "show", run_id, "--store", store)
    facts = json.loads(spb_here("run", "show", "s", "--store", store, "--format", "json").stdout)["rows"][0]
    watched = spb_here("run", "watch", run_id, "--store", store)

    assert "1 of 3 shards begun" in listed.stdout
    assert f"{done} of {done} calls answered." in shown.stdout
    assert "Shard 1/3: done." in shown.stdout
    assert "Not begun: 2/3 and 3/3." in shown.stdout
    assert "next: spb run run.toml --shard 2/3\nnext: spb run run.toml --shard 3/3\n" in shown.stderr
    assert "or all that is left by one command: spb run run.toml" in shown.stderr
    assert (facts["state"], facts["shards_to_begin"]) == ("partial", ["2/3", "3/3"])
    assert facts["shards"][0]["run_cost_usd"] == pytest.approx(0.001 * done)
    assert watched.returncode == 3
    assert "2/3 and 3/3 have not begun" in watched.stderr
