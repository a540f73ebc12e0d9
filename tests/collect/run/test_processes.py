"""A run shared by several processes: one cap, one status, and nothing lost or asked twice."""

import json
import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.read_config import parse_config
from engine.collect.dispatch.run_status import Counts, ErrorWords
from engine.collect.run.shard_workers import share_of
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.collect.watch.watched_runs import all_runs
from engine.errors import UsageError
from engine.store import Store
from engine.store.writer import validate_study

from .small import write_folder

IDENTITY = ("judge", "instance_id", "generator", "rubric_id")


def two_processes(tmp_path: Path, *, instances: int = 3, model: str = "", run_more: str = "") -> RunConfig:
    folder = write_folder(tmp_path / "data", instances=instances)
    models = "".join(f"[models.{name}]\nmodel = 'simulated/{name}'\n{model}\n" for name in "ab")
    top = f"study = 's'\ndata = '{folder}'\ngenerators = ['a', 'b']\njudges = ['a', 'b']\n"
    run_table = f"[run]\nprocesses = 2\n{run_more}\n"
    return parse_config(f"{top}paradigms = ['single_rubric']\n{models}{run_table}")


def rows(store: Store) -> list[dict[str, Any]]:
    return store.open("s").table("judgments").to_pylist()


def once(action: Callable[[], None], *, after: int = 1) -> Callable[[dict[str, Any]], None]:
    """Return a callback that acts once, when `after` calls of a run are answered."""
    actions = [action]

    def show(status: dict[str, Any]) -> None:
        if status["done"] >= after and actions:
            actions.pop()()

    return show


def test_processes_share_the_calls_stop_together_and_survive_a_killed_one(tmp_path: Path) -> None:
    def kill() -> None:
        os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)

    store = Store(tmp_path / "store")
    config = two_processes(
        tmp_path, instances=30, model="simulated = { slow_s = 0.02 }", run_more="concurrency = 2"
    )

    first = run(config, store, show=once(lambda: os.kill(os.getpid(), signal.SIGINT), after=10))
    children = multiprocessing.active_children()
    second = run(config, store, show=once(kill, after=first.done + 10))

    assert (first.end, first.exit_code, children) == ("interrupted", 130, [])
    assert 10 <= first.done < 240
    assert second.run_id == first.run_id
    assert (second.planned, second.done + second.already_done, second.exit_code) == (240, 240, 0)
    assert second.already_done >= first.done
    assert len({tuple(row[name] for name in IDENTITY) for row in rows(store)}) == len(rows(store)) == 240
    assert {row["status"] for row in rows(store)} == {"ok"}
    validate_study(store.open("s"))
    (state,) = all_runs(store)
    assert (state.state, state.status["total"], state.status["done"]) == ("done", 240, 240)
    shared = ("already_done", "ok", "unparsed", "refused", "error", "calls", "prompt_tokens", "cost_usd")
    assert [state.status[name] for name in shared] == [getattr(second, name) for name in shared]
    shards = sorted(state.folder.path.glob("shard-*"))
    parts = [json.loads((each / "status.json").read_text())["total"] for each in shards]
    assert (len(parts), sum(parts)) == (2, 240)
    assert all(parts)


def test_one_cap_holds_over_all_processes_and_is_used_fully(tmp_path: Path) -> None:
    price = "price = { input_per_million = 0.0, output_per_million = 1000.0 }\nparams = { max_tokens = 100 }"
    config = two_processes(tmp_path, instances=20, model=price)
    alone = config.model_copy(update={"run": config.run.model_copy(update={"processes": 1})})
    total = run(alone, Store(tmp_path / "other")).spent
    store = Store(tmp_path / "store")

    capped = run(config, store, RunOptions(max_usd=total / 2))
    rest = run(alone, store, RunOptions(max_usd=2 * total))

    dearest = 100 * 1000.0 / 1e6
    assert (capped.end, capped.exit_code) == ("budget", 4)
    assert total / 2 - 2 * dearest <= capped.spent <= total / 2
    assert capped.spent == pytest.approx(capped.cost_usd)
    assert (rest.exit_code, rest.run_id) == (0, capped.run_id)
    assert rest.spent == pytest.approx(total)


def test_a_shard_made_twice_counts_all_its_answers_and_the_errors_of_the_last_try() -> None:
    # Ten calls: five answered by the first try, which failed at three; then four more, and one that fails.
    words = ErrorWords()
    words.add("it is down", 3)
    first = Counts(total=10, ok=4, unparsed=1, error=3, calls=9, words=words, cost_usd=0.5)
    first.errors["server"], first.shortfalls["empty"] = 3, 1
    second = Counts(total=10, already_done=5, ok=3, unparsed=1, error=1, calls=6, cost_usd=0.25)
    second.errors["timeout"], second.shortfalls["empty"] = 1, 1

    both = Counts.sum_of([[first, second], [Counts(total=7, already_done=7)]])

    assert (both.planned, both.answered, both.already_done, both.done) == (17, 16, 7, 9)
    assert (both.ok, both.unparsed, both.error, both.calls, both.cost_usd) == (7, 2, 1, 15, 0.75)
    assert (both.errors, both.shortfalls, both.error_words) == ({"timeout": 1}, {"empty": 2}, ())


def test_limits_apply_to_all_processes_together() -> None:
    config = parse_config(
        "study = 's'\njudges = ['a']\nparadigms = ['single_rubric']\n[run]\nprocesses = 4\nconcurrency = 9\n"
        "[models.a]\nmodel = 'openai/a'\nconcurrency = 4\nrequests_per_minute = 60\n"
    )

    share = share_of(config, 4, minutes=1.5)

    assert (share.run.concurrency, share.run.max_minutes) == (2, 1.5)
    assert (share.models["a"].concurrency, share.models["a"].requests_per_minute) == (1, 15)
    assert share.models["a"].tokens_per_minute is None
    assert share.text == config.text


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("concurrency = 1", r"run\.concurrency is 1, and run\.processes is 2"),
        ("[models.a]\nmodel = 'simulated/a'\nconcurrency = 1", r"models\.a\.concurrency is 1, and run\.proc"),
    ],
)
def test_a_process_without_calls_is_named_before_the_first_call(
    tmp_path: Path, settings: str, words: str
) -> None:
    folder = write_folder(tmp_path / "data")
    models = "" if "[models.a]" in settings else "[models.a]\nmodel = 'simulated/a'\n"
    top = f"study = 's'\ndata = '{folder}'\njudges = ['a']\nparadigms = ['single_rubric']\n"
    config = parse_config(f"{top}[run]\nprocesses = 2\n{settings}\n{models}")

    with pytest.raises(UsageError, match=words):
        run(config, Store(tmp_path / "store"))
    assert not (tmp_path / "store").exists()
