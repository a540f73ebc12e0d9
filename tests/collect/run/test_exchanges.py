"""Requests and answers as sent over the wire: stored if requested, and never with a key."""

import json
import sqlite3
from contextlib import closing
from contextvars import copy_context
from pathlib import Path
from types import SimpleNamespace

import pytest
import stamina
from collect.models.asking import logged
from command_line import spb
from loopback import Script, serving

from engine.collect.database import exchanges
from engine.collect.database.exchanges import Exchange, ExchangeLog, exchanges_of, note_exchange
from engine.collect.database.run_database import RunDatabase
from engine.collect.run.run_report import RunReport
from engine.collect.run.start import run
from engine.collect.run_folder import run_path
from engine.collect.run_options import RunOptions
from engine.errors import UsageError
from engine.store import Store

from .small import config

KEY = "sk-loopback-0123456789abcdefghij"
KEEP = RunOptions(keep_raw=True)


def place(store: Store, report: RunReport) -> Path:
    return run_path(store, "s", report.run_id)


def call_ids(store: Store) -> list[str]:
    ids: list[str] = store.open("s").judgments(["call_id"], {})["call_id"].to_pylist()
    return ids


def test_each_request_of_a_call_is_stored_with_its_answer_and_without_the_key(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPB_TEST_WIRE_KEY", KEY)
    waitless = stamina.set_testing(True, attempts=100, cap=True)
    with serving(script=Script(models={"a": ("503", "ok")})) as server, waitless:
        where = f"api_base = '{server.url}'\napi_key_env = 'SPB_TEST_WIRE_KEY'\n"
        server.answer = lambda _: json.dumps({"criteria_met": True, "key": KEY})
        report = run(config(folder, a=where, b=where, judges=["a"]), store, KEEP)

    kept_calls = {call: exchanges_of(place(store, report), call) for call in call_ids(store)}

    assert len(kept_calls) == report.ok == 12
    for of_call in kept_calls.values():
        assert of_call[-1].status == 200
        assert json.loads(of_call[-1].request)["messages"][-1]["role"] == "user"
        assert "[key]" in of_call[-1].answer
        assert of_call[-1].address == f"{server.url}/chat/completions"
    assert any([each.status for each in of_call] == [503, 200] for of_call in kept_calls.values())
    files = [path for path in place(store, report).rglob("*") if path.is_file()]
    texts = [str(each) for of_call in kept_calls.values() for each in of_call]
    assert not any(KEY in text for text in texts)
    assert not any(KEY.encode() in path.read_bytes() for path in files)


def test_the_log_of_a_run_says_once_what_a_model_refuses_and_why_calls_are_repeated(
    folder: Path, store: Store
) -> None:
    waitless = stamina.set_testing(True, attempts=100, cap=True)
    script = Script(models={"a": ("400-temperature*",), "b": ("503", "ok")})
    with serving(script=script) as server, waitless:
        where = f"api_base = '{server.url}'\n"
        report = run(config(folder, a=f"{where}params = {{ temperature = 0.0 }}\n", b=where), store)

    log = (place(store, report) / "log").read_text("utf-8")

    assert report.exit_code == 0
    assert log.count("WARNING model 'a' does not accept 'temperature'; it is not sent") == 1
    assert "INFO model 'b' is called again after: server" in log


def test_nothing_is_stored_unless_requested(folder: Path, store: Store) -> None:
    with serving() as server:
        where = f"api_base = '{server.url}'\n"
        report = run(config(folder, a=where, b=where), store)

    assert exchanges_of(place(store, report), call_ids(store)[0]) == []


def test_a_damaged_exchange_is_skipped(folder: Path, store: Store) -> None:
    with serving() as server:
        where = f"api_base = '{server.url}'\n"
        report = run(config(folder, a=where, b=where, run="keep_raw = true"), store)
    first, second, *_ = call_ids(store)
    with closing(sqlite3.connect(place(store, report) / "run.sqlite")) as database:
        database.execute("UPDATE exchanges SET exchange = x'1f8b' WHERE call_id = ?", (first,))
        database.commit()

    assert exchanges_of(place(store, report), first) == []
    assert len(exchanges_of(place(store, report), second)) == 1


def test_exchanges_that_version_0_2_stored_are_read(folder: Path, store: Store) -> None:
    with serving() as server:
        where = f"api_base = '{server.url}'\n"
        report = run(config(folder, a=where, b=where), store, KEEP)
    call, where_stored = call_ids(store)[0], place(store, report)
    stored = exchanges_of(where_stored, call)
    with closing(sqlite3.connect(where_stored / "run.sqlite")) as database:
        rows = database.execute("SELECT call_id, at, exchange FROM exchanges").fetchall()
    (where_stored / "run.sqlite").unlink()
    with closing(sqlite3.connect(where_stored / "raw-0001.sqlite")) as database:
        database.execute("CREATE TABLE exchanges (call_id TEXT, at REAL, exchange BLOB)")
        database.executemany("INSERT INTO exchanges VALUES (?, ?, ?)", rows)
        database.commit()

    assert len(stored) == 1
    assert exchanges_of(where_stored, call) == stored


def record(folder: Path, monkeypatch: pytest.MonkeyPatch, *noted: tuple[float, str, object, object]) -> None:
    """Record exchanges, each at its time and of its call, in a folder's database."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(RunDatabase(folder)) as database:
        for at, call, request, answer in noted:

            def note(at: float, call: str, *exchanged: object) -> None:
                ExchangeLog(database).listen(call)
                monkeypatch.setattr(exchanges, "time", SimpleNamespace(time=lambda: at))
                note_exchange("http://x/v1", exchanged[0], 200, exchanged[1])

            copy_context().run(note, at, call, request, answer)


def test_the_exchanges_of_a_call_are_in_order_over_the_whole_run_and_its_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(tmp_path, monkeypatch, (3.0, "c", "third", ""), (2.5, "other", "no", ""))
    record(tmp_path / "shard-2-of-2", monkeypatch, (4.0, "c", "fourth", ""), (1.0, "c", "first", ""))
    record(tmp_path / "shard-1-of-2", monkeypatch, (2.0, "c", "second", ""))
    (tmp_path / "shard-3-of-4").mkdir()
    (tmp_path / "shard-3-of-4" / "run.sqlite").write_bytes(b"no database" * 500)

    with logged() as notices:
        stored = exchanges_of(tmp_path, "c")

    assert [each.request for each in stored] == ["first", "second", "third", "fourth"]
    assert [notice.rpartition(": ")[0] for notice in notices] == [f"{tmp_path}/shard-3-of-4/run.sqlite"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Größe", "Größe"),
        ("Größe".encode(), "Größe"),
        (b"\xff!", "\ufffd!"),
        ({"size": "Größe"}, '{"size": "Größe"}'),
        ([Path("a/b")], '["a/b"]'),
        (None, "null"),
    ],
)
def test_what_is_sent_is_stored_as_text_as_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: object, text: str
) -> None:
    record(tmp_path, monkeypatch, (1.0, "c", value, value))

    assert exchanges_of(tmp_path, "c") == [Exchange(1.0, "http://x/v1", 200, text, text)]


def test_keys_that_were_sent_are_hidden_wherever_they_are_repeated() -> None:
    heard: list[Exchange] = []

    def note() -> None:
        note_exchange("before", "anybody", 200, "listens")
        exchanges._LISTENER.set(heard.append)
        note_exchange(
            "http://x/?k=my-own-secret", {"k": "my-own-secret"}, None, b"no my-own-secret", ("my-own-secret",)
        )

    copy_context().run(note)

    assert [(each.address, each.request, each.status, each.answer) for each in heard] == [
        ("http://x/?k=[key]", '{"k": "[key]"}', None, "no [key]")
    ]


def test_a_judgment_is_shown_with_its_requests_and_answers(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving() as server:
        where = f"api_base = '{server.url}'\n"
        run(config(folder, a=where, b=where), store, KEEP)
    call, *_ = call_ids(store)

    where = ("--study", "s", "--store", store.root)

    shown = spb(monkeypatch, "show", call, *where, "--raw"), capsys.readouterr().out
    in_json = spb(monkeypatch, "show", call, *where, "--raw", "--format", "json"), capsys.readouterr().out

    facts = json.loads(in_json[1])
    assert (shown[0], in_json[0]) == (0, 0)
    assert f"call_id: {call}" in shown[1]
    assert "/chat/completions, status 200" in shown[1]
    assert facts["judgments"][0]["raw"] == '{"criteria_met": true}'
    assert [each["status"] for each in facts["exchanges"]] == [200]
    assert spb(monkeypatch, "show", "nothing", *where) == 2
    assert "has no judgment with call_id 'nothing'" in capsys.readouterr().err


def test_batches_store_none_and_say_so(folder: Path, store: Store) -> None:
    with pytest.raises(UsageError, match="leave keep_raw out"):
        run(config(folder, mode="batch"), store, KEEP)
