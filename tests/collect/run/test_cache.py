"""Answers paid for once are reused in another study, whatever happened to the run that paid."""

import gzip
import itertools
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from loopback import serving

from engine.collect.calls import CallRequest, Failure, Reply, Subject
from engine.collect.client.model_client import Models
from engine.collect.configuration.config import ModelConfig, Params, RunConfig
from engine.collect.configuration.read_config import load_config, parse_config
from engine.collect.database.answer_cache import AnswerCache, age_s, call_key, open_cache
from engine.collect.forecast.forecasts import forecast
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.collect.watch.watched_runs import watched_run
from engine.errors import StoreError, UsageError
from engine.store import Store

from .small import FakeModels, config, config_text

CUT_OFF = Reply('{"criteria_met": tr', finish_reason="length", shortfall="cut_off", cost_usd=0.001)
KEY = "sk-loopback-0123456789abcdefghij"
MALFORMED = Reply("Perhaps.", finish_reason="stop", cost_usd=0.001)


@pytest.fixture
def options(tmp_path: Path) -> RunOptions:
    return RunOptions(cache=str(tmp_path / "cache"))


def rows(store: Store, study: str = "s") -> list[dict[str, object]]:
    return store.open(study).judgments(["judge", "status", "cost_usd", "cached"], {}).to_pylist()


def test_another_study_does_not_pay_again_for_an_answer(
    folder: Path, store: Store, options: RunOptions
) -> None:
    run(config(folder), store, options, models=FakeModels())
    models = FakeModels()

    report = run(config(folder, study="t"), store, options, models=models)

    assert (report.ok, report.calls, report.cost_usd, report.cached) == (24, 0, 0.0, 24)
    assert report.saved_usd == pytest.approx(24 * 0.001)
    assert not models.prompts
    assert {(row["status"], row["cost_usd"], row["cached"]) for row in rows(store, "t")} == {
        ("ok", 0.0, True)
    }
    assert {row["cached"] for row in rows(store)} == {None}
    run_rows = store.open("t").table("runs").to_pylist()
    assert sum(row["cached"] for row in run_rows) == 24
    assert sum(row["saved_usd"] for row in run_rows) == pytest.approx(24 * 0.001)


def test_the_final_report_and_the_status_say_what_was_saved(
    folder: Path, store: Store, options: RunOptions
) -> None:
    run(config(folder), store, options, models=FakeModels())

    report = run(config(folder), store, replace(options, fresh=True), models=FakeModels())

    state = watched_run(store, "s", report.run_id)
    assert "24 of them from the cache, which saved $0.0240" in report.message
    assert state is not None
    assert state.status["cached"] == 24
    assert state.status["saved_usd"] == pytest.approx(0.024)


SIMULATED = """
study = "s"
data = "DATA"
generators = ["a", "b"]
judges = ["a"]
paradigms = ["single_rubric"]
[models.a]
family = "x"
model = "simulated/a"
price = { input_per_million = 1.0, output_per_million = 1.0 }
[models.a.simulated]
self_ratio = RATIO
[models.b]
family = "y"
model = "simulated/b"
"""


def simulated(folder: Path, study: str, ratio: float = 2.0) -> RunConfig:
    text = SIMULATED.replace("DATA", str(folder)).replace("RATIO", str(ratio))
    return parse_config(text.replace('"s"', f'"{study}"'))


def test_the_forecast_counts_cached_answers_including_those_of_simulated_models(
    folder: Path, store: Store, options: RunOptions
) -> None:
    first = run(simulated(folder, "s"), store, options)

    before = forecast(simulated(folder, "t"), store, options)
    report = run(simulated(folder, "t"), store, options)

    assert first.cost_usd
    assert (before.total.calls, before.total.cached) == (0, 12)
    assert before.total.saved_usd == pytest.approx(first.cost_usd)
    assert (report.cached, report.saved_usd) == (12, pytest.approx(first.cost_usd))
    assert forecast(simulated(folder, "u", ratio=3.0), store, options).total.cached == 0


def test_answers_of_a_server_are_also_reused_in_batches(
    folder: Path, store: Store, options: RunOptions
) -> None:
    with serving() as server:
        where = f"api_base = '{server.url}'\nstructured = 'never'\n"
        run(config(folder, a=where, b=where), store, options)

        report = run(config(folder, a=where, b=where, mode="batch", study="t"), store, options)

        assert (report.ok, report.cached, report.calls) == (24, 24, 0)
        assert server.calls == 24


def test_an_answer_that_repeats_the_key_is_cached_without_the_key(
    folder: Path, store: Store, options: RunOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPB_TEST_WIRE_KEY", KEY)
    with serving() as server:
        server.answer = lambda _: json.dumps({"criteria_met": True, "explanation": f"I was sent {KEY}."})
        where = f"api_base = '{server.url}'\napi_key_env = 'SPB_TEST_WIRE_KEY'\n"
        report = run(config(folder, a=where, b=where), store, options)

    assert options.cache is not None
    with closing(sqlite3.connect(Path(str(options.cache)) / "answers-0001.sqlite")) as database:
        answers = [gzip.decompress(packed) for (packed,) in database.execute("SELECT answer FROM answers")]
    assert len(answers) == report.ok == 24
    assert all(b"[key]" in answer and KEY.encode() not in answer for answer in answers)


def test_without_the_switch_every_call_is_made(folder: Path, store: Store, options: RunOptions) -> None:
    run(config(folder), store, options, models=FakeModels())
    models = FakeModels()

    report = run(config(folder, study="t"), store, RunOptions(), models=models)

    assert (report.cached, len(models.prompts)) == (0, 24)


def test_the_configuration_turns_it_on_and_the_command_turns_it_off(folder: Path, store: Store) -> None:
    cached = config(folder, run=f"cache = '{folder.parent / 'answers'}'")
    run(cached, store, models=FakeModels())
    models = FakeModels()

    run(cached, store, RunOptions(fresh=True, cache=False), models=models)
    report = run(cached, store, RunOptions(fresh=True), models=FakeModels())

    assert len(models.prompts) == 24
    assert report.cached == 24


def test_only_complete_answers_are_stored(folder: Path, store: Store, options: RunOptions) -> None:
    answers = itertools.cycle(
        (
            CUT_OFF,
            Reply("", finish_reason="stop", shortfall="empty"),
            Reply("Hm.", shortfall="only_thinking"),
            Reply("", finish_reason="content_filter", refusal="no"),
            Failure("server", "broken", 500),
            MALFORMED,
        )
    )
    answered: dict[tuple[str, str], Reply | Failure] = {}

    def answer(model: str, question: str) -> Reply | Failure:
        return answered.setdefault((model, question), next(answers))

    run(config(folder), store, options, models=FakeModels(answer))
    models = FakeModels()

    report = run(config(folder, study="t"), store, options, models=models)

    again = {(name, json.loads(messages)[-1]["content"]) for name, messages in models.prompts}
    assert again == {call for call, reply in answered.items() if reply is not MALFORMED}
    assert (len(answered), report.cached, models.prompts.total()) == (24, 4, 20)


def test_redone_calls_bypass_the_cache_and_update_it(folder: Path, store: Store, options: RunOptions) -> None:
    run(config(folder), store, options, models=FakeModels(lambda *_: MALFORMED))
    models = FakeModels()

    again = run(config(folder), store, replace(options, redo=frozenset(["malformed"])), models=models)
    report = run(config(folder, study="t"), store, options, models=FakeModels())

    assert (again.ok, again.cached, len(models.prompts)) == (24, 0, 24)
    assert (report.ok, report.cached) == (24, 24)


def request(trial: int = 0, role: str = "judge") -> CallRequest:
    return CallRequest(
        role, "a", "single_rubric", "default", Subject("i", "b", rubric_ids=("r",), trial=trial)
    )  # type: ignore[arg-type]


MESSAGES = [{"role": "user", "content": "Is it met?"}]
MODEL = ModelConfig(model="openai/m", api_base="http://127.0.0.1:1/v1", params=Params(temperature=0.0))


def key(
    model: ModelConfig = MODEL,
    text: str = "Is it met?",
    trial: int = 0,
    schema: dict[str, str] | None = None,
) -> str:
    identity = Models({"a": model}).identity("a", MESSAGES, schema)
    return call_key(identity, model, request(trial), [{"role": "user", "content": text}])


@pytest.mark.parametrize(
    "other",
    [
        lambda: key(MODEL.model_copy(update={"model": "openai/n"})),
        lambda: key(MODEL.model_copy(update={"api_base": "http://127.0.0.1:2/v1"})),
        lambda: key(MODEL.model_copy(update={"params": Params(temperature=0.5)})),
        lambda: key(MODEL.model_copy(update={"logprobs": True})),
        lambda: key(text="Is it met??"),
        lambda: key(trial=1),
        lambda: key(schema={"type": "object"}),
    ],
)
def test_the_cache_key_covers_everything_sent_and_the_trial(other: Callable[[], str]) -> None:
    assert other() != key()


def test_the_cache_key_ignores_price_api_key_and_the_users_model_name() -> None:
    elsewhere = MODEL.model_copy(update={"api_key_env": "OTHER", "family": "f", "concurrency": 2})
    identity = Models({"b": MODEL}).identity("b", MESSAGES)

    assert key(elsewhere) == key()
    assert call_key(identity, MODEL, request(), MESSAGES) == key()


def test_a_damaged_answer_is_set_aside_and_asked_again(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    reply = Reply("yes", cost_usd=0.5, first_token=(("A", 0.9),))
    cache.put("k", "m", reply)
    cache.close()
    with sqlite3.connect(tmp_path / "answers-0001.sqlite") as db:
        ((packed,),) = db.execute("SELECT answer FROM answers")
        torn = bytearray(packed)
        torn[len(torn) // 2] ^= 1
        db.execute("UPDATE answers SET answer = ?", (bytes(torn),))
    db.close()
    cache = AnswerCache(tmp_path)

    lost = cache.get("k")
    cache.put("k", "m", reply)
    cache.close()

    cache = AnswerCache(tmp_path)
    assert lost is None
    assert cache.get("k") == replace(reply, cached=True, cost_usd=0.0, saved_usd=0.5)
    assert cache.damaged == 1
    cache.close()


@pytest.mark.parametrize("when", ["before", "while open"])
def test_a_damaged_file_is_skipped(tmp_path: Path, when: str) -> None:
    cache = AnswerCache(tmp_path)
    for number in range(500):
        cache.put(f"k{number}", "m", Reply(os.urandom(200).hex()))
    if when == "before":
        cache.close()
        (tmp_path / "answers-0001.sqlite").write_bytes(b"no database at all" * 1000)
        cache = AnswerCache(tmp_path)
    else:
        cache.close()
        path = tmp_path / "answers-0001.sqlite"
        content = bytearray(path.read_bytes())
        content[4096:] = os.urandom(len(content) - 4096)
        path.write_bytes(content)
        cache = AnswerCache(tmp_path)
        assert cache.get("k7") is None

    cache.put("k1", "m", Reply("new"))
    cache.close()

    cache = AnswerCache(tmp_path)
    assert cache.get("k1") == Reply("new", cached=True, cost_usd=0.0)
    assert cache.damaged == 1
    cache.close()


WRITER = """
import sys
from pathlib import Path
from engine.collect.database.answer_cache import AnswerCache
from engine.collect.calls import Reply
cache = AnswerCache(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    cache.put(f"{sys.argv[2]}-{number}", "m", Reply(f"answer {number} of {sys.argv[2]}"))
    if not number:
        print("begun", flush=True)
cache.close()
"""


def test_processes_share_it_and_a_killed_one_harms_nothing(tmp_path: Path) -> None:
    def writer(name: str, count: int) -> "subprocess.Popen[bytes]":
        arguments = [sys.executable, "-c", WRITER, str(tmp_path), name, str(count)]
        return subprocess.Popen(arguments, stdout=subprocess.PIPE)

    killed, whole = writer("killed", 10**6), writer("whole", 300)
    assert killed.stdout
    killed.stdout.readline()
    whole.communicate()
    killed.send_signal(signal.SIGKILL)
    killed.communicate()

    cache = AnswerCache(tmp_path)
    (holding,) = cache.holdings()
    assert whole.returncode == 0
    assert all(cache.get(f"whole-{number}") for number in range(300))
    assert holding.answers >= 300
    assert cache.damaged == 0
    cache.close()


def test_a_file_that_another_process_is_creating_is_opened_when_it_is_done(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "answers-0001.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, other.rollback)
    release.start()

    cache = AnswerCache(tmp_path)
    cache.put("k", "m", Reply("yes"))
    cache.close()

    release.join()
    other.close()
    with closing(sqlite3.connect(tmp_path / "answers-0001.sqlite")) as database:
        assert database.execute("SELECT key FROM answers").fetchall() == [("k",)]


@contextmanager
def locked(cache: AnswerCache) -> Iterator[None]:
    """Hold the lock of a cache's file, as another process does that writes to it."""
    with closing(sqlite3.connect(cache.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.collect.database.shared_file._BUSY_S", 0.01)


@pytest.mark.usefixtures("impatient")
def test_rows_wait_while_another_process_writes(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    with locked(cache):
        for number in range(20):
            cache.put(f"k{number}", "m", Reply("yes"))
            time.sleep(0.005)

    cache.close()

    cache = AnswerCache(tmp_path)
    assert all(cache.get(f"k{number}") for number in range(20))
    cache.close()


@pytest.mark.usefixtures("impatient")
def test_rows_that_stay_locked_out_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = AnswerCache(tmp_path)
    with locked(cache):
        for number in range(3):
            cache.put(f"k{number}", "m", Reply("yes"))

        cache.close()

    assert "answers-0001.sqlite: locked by another process; rows not written: 3" in caplog.text


def test_it_lists_its_contents_and_deletes_what_it_is_told_to(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    for number in range(3):
        cache.put(f"{number}", "m" if number else "n", Reply("yes", cost_usd=0.25))
    cache.close()
    cache = AnswerCache(tmp_path)

    counts = {each.model: (each.answers, each.cost_usd) for each in cache.holdings()}

    assert counts == {"m": (2, 0.5), "n": (1, 0.25)}
    assert cache.clear(older_than_s=60) == 0
    assert cache.clear(model="m") == 2
    assert cache.clear() == 1
    cache.close()


def test_its_size_is_that_of_its_files_and_damaged_ones_count(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    cache.put("1", "m", Reply("yes", cost_usd=0.25))
    (tmp_path / "answers-9.damaged").write_bytes(b"x" * 1000)
    (tmp_path / "other.txt").write_bytes(b"x" * 500)

    assert cache.damaged == 1
    cache.change("INSERT INTO damaged VALUES ('2', 0, NULL), ('3', 0, NULL)")
    assert cache.damaged == 3
    # Damaged answers have no model, and are forgotten with everything alone.
    assert cache.clear(model="other") == cache.clear(older_than_s=60) == 0
    assert cache.damaged == 3
    assert cache.clear() == 1
    assert cache.damaged == 1
    cache.close()
    files = sum(path.stat().st_size for path in tmp_path.iterdir() if path.name != "other.txt")
    assert cache.size_bytes == files > 1000


@pytest.mark.parametrize(
    ("configured", "given", "place"),
    [
        ("", None, None),
        ("cache = false", None, None),
        ("cache = true", None, "user/spb/answers"),
        ("cache = true", False, None),
        ("cache = 'mine'", None, "configured/mine"),
        ("cache = 'mine'", "other", "configured/other"),
        ("", True, "user/spb/answers"),
    ],
)
def test_the_commands_setting_comes_before_the_configurations(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    configured: str,
    given: bool | str | None,
    place: str | None,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    file = tmp_path / "configured" / "run.toml"
    file.parent.mkdir()
    file.write_text(config_text(folder, run=configured))

    cache = open_cache(load_config(file), RunOptions(cache=given))

    if place is None:
        assert cache is None
        return
    assert cache is not None
    assert cache.folder == tmp_path / place
    cache.close()


def test_an_empty_cache_is_not_created_to_be_read(folder: Path, tmp_path: Path) -> None:
    options = RunOptions(cache=str(tmp_path / "cache"))

    assert open_cache(config(folder), options, write=False) is None
    assert not (tmp_path / "cache").exists()
    written = open_cache(config(folder), options)
    assert written is not None
    written.put("1", "m", Reply("yes"))
    written.close()
    read = open_cache(config(folder), options, write=False)
    assert read is not None
    read.close()


def test_ages_are_parsed() -> None:
    assert [age_s(text) for text in ("30d", "12h", "2w", "5m", "7")] == [
        30 * 86_400, 12 * 3_600, 14 * 86_400, 300, 7 * 86_400
    ]  # fmt: skip
    assert [age_s(text) for text in ("", "d", "-3d", "1.5d", "١d", "soon")] == [None] * 6


def test_an_unwritable_folder_is_named_before_any_call(folder: Path, store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    models = FakeModels()

    with pytest.raises(StoreError, match=r"file.*choose another folder"):
        run(config(folder), store, RunOptions(cache=str(tmp_path / "file")), models=models)

    assert not models.prompts


@pytest.mark.parametrize("value", ["''", "3", "'s3://bucket/cache'"])
def test_an_impossible_location_is_refused(folder: Path, value: str) -> None:
    with pytest.raises(UsageError, match=r"run\.cache is"):
        config(folder, run=f"cache = {value}")
