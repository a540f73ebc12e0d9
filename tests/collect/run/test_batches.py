"""A run in batches: submitted once, found again, mapped by identity, at batch prices."""

import json
import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from collect.run.small import config, write_folder
from loopback import Batches, Loopback, Script, serving

from engine.collect.client import litellm_batches
from engine.collect.configuration.config import RunConfig
from engine.collect.database.batch_records import BatchRecord, BatchRecords
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import RunDatabase
from engine.collect.forecast.forecasts import forecast
from engine.collect.rows.recorder import Collector
from engine.collect.run.run_report import RunReport
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions, Shard
from engine.errors import StoreError, UsageError
from engine.store import Store
from engine.store.writer import validate_study

PRICED = "price = { input_per_million = 1.0, output_per_million = 10.0 }"


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serving() as running:
        yield running


def in_batches(folder: Path, server: Loopback, *, more: str = "", **top: Any) -> RunConfig:
    address = f'api_base = "{server.url}"\n{PRICED}\n{more}'
    settings: dict[str, Any] = {"mode": "batch", "judges": ["a"], "a": address, "b": address}
    return config(folder, run="poll_s = 0.01\nretries = 2", **{**settings, **top})


def run_batches(config: RunConfig, store: Store, **options: Any) -> RunReport:
    return run(config, store, RunOptions(**options))


def judgments(store: Store) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = store.open("s").table("judgments").to_pylist()
    return rows


def open_batches(store: Store, report: RunReport) -> list[BatchRecord]:
    with closing(RunDatabase(Path(store.location.path) / ".runs" / "s" / report.run_id)) as database:
        return BatchRecords(database).open()


def test_answers_are_matched_to_their_calls(folder: Path, store: Store, server: Loopback) -> None:
    server.answer = lambda body: json.dumps({"criteria_met": "Says 0" in body["messages"][-1]["content"]})

    report = run_batches(in_batches(folder, server), store, batch_calls=5)

    assert (report.planned, report.ok, report.calls, report.exit_code) == (12, 12, 12, 0)
    assert [batch.total for batch in server.batches.by_id.values()] == [5, 5, 2]
    rows = judgments(store)
    assert len(rows) == 12
    assert all(row["met"] is (row["rubric_id"] == "r0") for row in rows)
    assert set(server.answers.values()) == {1}
    assert open_batches(store, report) == []
    validate_study(store.open("s"))


def test_answers_from_batches_are_reused_by_live_runs(
    folder: Path, store: Store, server: Loopback, tmp_path: Path
) -> None:
    cache = str(tmp_path / "cache")
    free = "structured = 'never'"  # batches send no schema
    paid = run_batches(in_batches(folder, server, more=free), store, cache=cache)

    again = run_batches(in_batches(folder, server, more=free, mode="live", study="t"), store, cache=cache)

    assert (again.ok, again.cached, again.calls, server.calls) == (12, 12, 0, 12)
    assert again.saved_usd == pytest.approx(paid.cost_usd)


def test_responses_are_collected_in_batches_before_they_are_judged(
    tmp_path: Path, store: Store, server: Loopback
) -> None:
    folder = write_folder(tmp_path / "bare", responses=False)

    report = run_batches(in_batches(folder, server), store)

    assert report.done == report.planned == 6 + 12
    assert len(store.open("s").table("responses")) == 6
    assert len(judgments(store)) == 12


def test_a_batch_costs_half_unless_its_price_is_given(folder: Path, store: Store, server: Loopback) -> None:
    own = "batch_price = { input_per_million = 0.0, output_per_million = 3.0 }"

    half = run_batches(in_batches(folder, server), store)
    given = run_batches(in_batches(folder, server, more=own), store, fresh=True)

    tokens = half.prompt_tokens * 0.5 + half.completion_tokens * 5.0
    assert half.cost_usd == pytest.approx(tokens / 1e6)
    assert given.cost_usd == pytest.approx(given.completion_tokens * 3.0 / 1e6)
    runs = store.open("s").table("runs").to_pylist()
    assert sum(row["cost_usd"] for row in runs if row["run_id"] == half.run_id) == pytest.approx(
        half.cost_usd
    )


def test_a_forecast_uses_batch_prices(folder: Path, store: Store, server: Loopback) -> None:
    live = forecast(in_batches(folder, server, mode="live"), store, RunOptions()).total.cost_usd
    batch = forecast(in_batches(folder, server), store, RunOptions()).total.cost_usd

    assert live is not None
    assert batch == pytest.approx(live / 2)
    assert not server.batches.by_id


def test_failed_lines_are_failures_and_are_asked_again(folder: Path, store: Store, server: Loopback) -> None:
    server.script = Script(share=0.5, faults=["429", "500", "400-policy"], most=1, seed=4)

    first = run_batches(in_batches(folder, server), store)
    second = run_batches(in_batches(folder, server), store)

    assert first.errors.keys() == {"rate_limit", "server"}
    assert first.refused > 0
    assert first.error + first.done == 12
    assert first.exit_code == 3
    assert second.done == first.error
    assert second.exit_code == 0
    assert set(server.answers.values()) == {1}
    assert Counter(row["status"] for row in judgments(store)) == {
        "ok": 12 - first.refused,
        "refused": first.refused,
    }


def test_a_refused_parameter_is_omitted_and_its_lines_are_resubmitted(
    folder: Path, store: Store, server: Loopback
) -> None:
    server.script = Script(models={"a": ["400-temperature*"]})
    settings = in_batches(folder, server, more="params = { temperature = 0.0 }")

    report = run_batches(settings, store)

    assert (report.ok, report.error, report.exit_code) == (12, 0, 0)
    assert [batch.total for batch in server.batches.by_id.values()] == [12, 12]
    assert ["temperature" in seen.parameters for seen in server.requests] == [True] * 12 + [False] * 12


@pytest.mark.parametrize("end", ["expired", "cancelled"])
def test_answers_of_a_batch_that_ended_early_are_kept(
    folder: Path, store: Store, server: Loopback, end: Any
) -> None:
    server.batches = Batches(ends=end)

    first = run_batches(in_batches(folder, server), store)
    server.batches = Batches()
    second = run_batches(in_batches(folder, server), store)

    assert (first.ok, first.errors) == (6, {"timeout": 6})
    assert (second.ok, second.already_done, second.exit_code) == (6, 6, 0)
    assert set(server.answers.values()) == {1}


def test_a_batch_refused_as_a_whole_says_why(folder: Path, store: Store, server: Loopback) -> None:
    server.batches = Batches(ends="failed")

    report = run_batches(in_batches(folder, server), store)

    assert report.errors == {"request": 12}
    assert "invalid_json_line" in str(judgments(store)[0]["explanation"])
    assert open_batches(store, report) == []


def test_a_batch_whose_creation_was_not_confirmed_is_found_and_not_created_again(
    folder: Path, store: Store, server: Loopback
) -> None:
    server.batches = Batches(making=["500", "lost"], uploading=["500"], asking=["500", "500"])

    report = run_batches(in_batches(folder, server), store)

    assert report.ok == 12
    assert len(server.batches.by_id) == 1
    assert set(server.answers.values()) == {1}


def test_batches_of_an_interrupted_run_are_collected_by_a_later_start(
    folder: Path, store: Store, server: Loopback
) -> None:
    server.batches = Batches(polls=10**6)
    stopped: list[str] = []

    def stop_once_asked(status: dict[str, Any]) -> None:
        if "under way" in status["message"] and not stopped:
            stopped.append(status["message"])
            os.kill(os.getpid(), signal.SIGINT)

    first = run(in_batches(folder, server), store, RunOptions(), show=stop_once_asked)
    open_then = open_batches(store, first)
    server.batches.polls = 1
    second = run_batches(in_batches(folder, server), store)

    assert (first.end, first.done, first.with_provider) == ("interrupted", 0, 12)
    assert "12 calls with the provider" in first.message
    assert [record.calls for record in open_then] == [12]
    assert (second.ok, second.exit_code, second.run_id) == (12, 0, first.run_id)
    assert len(server.batches.by_id) == 1


def as_left_by_version_0_2(place: Path) -> None:
    """Turn a run's folder into what version 0.2 would have left: a folder with the records of batches."""
    with closing(sqlite3.connect(place / "run.sqlite")) as database:
        records = database.execute("SELECT label, record FROM batches").fetchall()
        calls = database.execute("SELECT label, request FROM batch_calls").fetchall()
    (place / "run.sqlite").unlink()
    (place / "batches").mkdir()
    for label, record in records:
        (place / "batches" / f"{label}.json").write_text(json.dumps(json.loads(record), indent=1) + "\n")
        lines = [text + "\n" for of_label, text in calls if of_label == label]
        (place / "batches" / f"{label}.jsonl").write_text("".join(lines))


def test_batches_that_version_0_2_left_are_collected_and_not_created_again(
    folder: Path, store: Store, server: Loopback
) -> None:
    server.batches = Batches(forgets=True)
    first = run_batches(in_batches(folder, server), store, batch_calls=7)
    server.batches.forgets = False
    place = Path(store.location.path) / ".runs" / "s" / first.run_id
    as_left_by_version_0_2(place)

    second = run_batches(in_batches(folder, server), store)

    assert (first.done, second.ok, second.exit_code) == (0, 12, 0)
    assert set(server.answers.values()) == {1}
    assert not (place / "batches").exists()


def test_batches_that_are_given_up_are_made_again_and_only_then(
    folder: Path, store: Store, server: Loopback
) -> None:
    server.batches = Batches(forgets=True)
    first = run_batches(in_batches(folder, server), store)

    report = run_batches(in_batches(folder, server, mode="live"), store, abandon_batches=True)

    assert (first.done, report.ok, report.exit_code) == (0, 12, 0)
    assert open_batches(store, report) == []


def test_pending_batches_keep_a_live_run_from_paying_again(
    folder: Path, store: Store, server: Loopback
) -> None:
    server.batches = Batches(forgets=True)
    report = run_batches(in_batches(folder, server), store)

    with pytest.raises(StoreError, match=r'12 calls in 1 batch under way; collect them with mode = "batch"'):
        run_batches(in_batches(folder, server, mode="live"), store)

    assert report.done == 0
    assert server.calls == 12


def test_a_batch_that_the_provider_does_not_list_is_not_created_again(
    folder: Path, store: Store, server: Loopback
) -> None:
    server.batches = Batches(forgets=True)

    first = run_batches(in_batches(folder, server), store)
    second = run_batches(in_batches(folder, server), store)
    server.batches.forgets = False
    third = run_batches(in_batches(folder, server), store)

    assert [report.done for report in (first, second, third)] == [0, 0, 12]
    assert first.exit_code == 3
    assert "cannot be fetched" in first.given_up["a"]
    assert "--abandon-batches" in first.given_up["a"]
    assert len(server.batches.by_id) == 1


def test_the_cap_limits_what_is_submitted_and_the_rest_follows_later(
    folder: Path, store: Store, server: Loopback
) -> None:
    tokens = "params = { max_tokens = 1000 }"  # $0.005 a call at most, and the prompt

    report = run_batches(in_batches(folder, server, more=tokens), store, max_usd=0.03)
    stopped = run_batches(in_batches(folder, server, more=tokens, judges=["b"]), store, max_usd=0.002)

    sizes = [batch.total for batch in server.batches.by_id.values()]
    assert sizes[0] == 5
    assert (report.ok, report.exit_code) == (12, 0)
    assert sum(sizes) == 12
    assert (stopped.end, stopped.done) == ("budget", 0)


@pytest.mark.parametrize(
    ("changes", "options", "words"),
    [
        ({"a": ""}, {"shard": (1, 2)}, "leave --shard out"),
        ({"model": "simulated/a"}, {}, r"models\.a\.model is 'simulated/a', and there are no batches for it"),
    ],
)
def test_options_impossible_in_batches_are_refused_before_any_call(
    folder: Path, store: Store, server: Loopback, changes: dict[str, Any], options: dict[str, Any], words: str
) -> None:
    settings = in_batches(folder, server)
    if "model" in changes:
        models = {name: each.model_copy(update=changes) for name, each in settings.models.items()}
        settings = settings.model_copy(update={"models": models})
    shard = {"shard": Shard(*options["shard"])} if options else {}

    with pytest.raises(UsageError, match=words):
        run_batches(settings, store, **shard)

    assert not server.batches.by_id
    assert not store.studies()


Change = Callable[[dict[str, Any]], Any]

ODD_LINES: dict[str, Change] = {
    "an error as text": lambda line: line | {"response": None, "error": "it broke"},
    "an error as a list": lambda line: line | {"response": None, "error": ["it", "broke"]},
    "an error as a number": lambda line: line | {"response": None, "error": 7},
    "a list as id": lambda line: line | {"custom_id": [line["custom_id"]]},
    "no id": lambda line: {name: line[name] for name in line if name != "custom_id"},
    "another id": lambda line: line | {"custom_id": "0" * 32},
    "a response as text": lambda line: line | {"response": "it broke"},
    "no response": lambda line: line | {"response": None},
    "a body as a list": lambda line: line | {"response": {"status_code": 200, "body": []}},
    "no body": lambda line: line | {"response": {"status_code": 200}},
    "no choices": lambda line: line | {"response": {"status_code": 200, "body": {"choices": []}}},
    "an empty choice": lambda line: _with(line, body={"choices": [{}]}),
    "an error in a choice": lambda line: _with_choice(line, error={"message": "It broke.", "code": 502}),
    "the finish reason error": lambda line: _with_choice(line, finish_reason="error"),
    "an error in a 200": lambda line: line | {"response": {"status_code": 200, "body": {"error": "no"}}},
    "an odd status": lambda line: line | {"response": {"status_code": {"a": 1}, "body": None}},
    "a status of text": lambda line: line | {"response": {"status_code": "500 no", "body": {"error": 5}}},
    "a line that is a text": lambda _line: "it broke",
    "a line that is a number": lambda _line: 7,
    "half a line": lambda line: json.dumps(line)[:50].encode(),
    "deep brackets": lambda _line: b"[" * 100_000,
    "no text": lambda _line: b"\xff\xfe\x00",
}
ANSWERS_OF_ANOTHER_FORM: dict[str, Change] = {
    "the status as text": lambda line: _with(line, status_code="200"),
    "no status": lambda line: _with(line, status_code=None),
    "the body as text": lambda line: _with(line, body=json.dumps(line["response"]["body"])),
    "an empty error": lambda line: line | {"error": {}},
    "a warning beside it": lambda line: line | {"error": {"code": "warning", "message": "slow"}},
    "fields of later versions": lambda line: line | {"usage": [1], "error": None, "more": {"a": []}},
}


def _with(line: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return line | {"response": line["response"] | fields}


def _with_choice(line: dict[str, Any], **fields: Any) -> dict[str, Any]:
    body = line["response"]["body"]
    return _with(line, body=body | {"choices": [body["choices"][0] | fields]})


def _first_lines_changed(*changes: Change) -> Callable[[bytes], bytes]:
    def rewrite(content: bytes) -> bytes:
        lines = content.splitlines()
        for place, change in enumerate(changes):
            new = change(json.loads(lines[place]))
            lines[place] = new if isinstance(new, bytes) else json.dumps(new).encode()
        return b"\n".join(lines)

    return rewrite


def test_an_odd_line_costs_its_own_answer_and_no_other(
    tmp_path: Path, store: Store, server: Loopback
) -> None:
    folder = write_folder(tmp_path / "odd", instances=6)
    server.batches.rewrite = _first_lines_changed(*ODD_LINES.values())

    first = run_batches(in_batches(folder, server), store)
    server.batches.rewrite = bytes
    second = run_batches(in_batches(folder, server), store)

    assert (first.ok, first.error, first.exit_code) == (24 - 22, 22, 3)
    assert (second.ok, second.already_done, second.exit_code) == (22, 24 - 22, 0)
    assert sorted(server.answers.values()) == [1] * 2 + [2] * 22


def test_a_paid_answer_in_another_form_counts(folder: Path, store: Store, server: Loopback) -> None:
    server.batches.rewrite = _first_lines_changed(*ANSWERS_OF_ANOTHER_FORM.values())

    report = run_batches(in_batches(folder, server), store)

    assert (report.ok, report.error, report.exit_code) == (12, 0, 0)


@pytest.mark.parametrize("first", [True, False])
def test_a_paid_answer_never_yields_to_an_error_of_the_same_call(
    folder: Path, store: Store, server: Loopback, *, first: bool
) -> None:
    def beside_errors(content: bytes) -> bytes:
        lines = [json.loads(line) for line in content.splitlines()]
        failed = [line | {"response": None, "error": {"code": "batch_expired"}} for line in lines]
        return b"\n".join(json.dumps(each).encode() for each in (failed + lines if first else lines + failed))

    server.batches.rewrite = beside_errors

    report = run_batches(in_batches(folder, server), store)

    assert (report.ok, report.error, report.exit_code) == (12, 0, 0)


@pytest.mark.parametrize("form", [b"\xef\xbb\xbf%s", b"\n\n%s\n\n"])
def test_a_result_file_with_a_mark_or_blank_lines_is_read(
    folder: Path, store: Store, server: Loopback, form: bytes
) -> None:
    server.batches.rewrite = lambda content: form % content.replace(b"\n", b"\r\n")

    assert run_batches(in_batches(folder, server), store).ok == 12


def test_answers_are_kept_if_the_file_of_errors_cannot_be_fetched(
    folder: Path, store: Store, server: Loopback
) -> None:
    server.batches = Batches(ends="expired", forgets_errors=True)

    report = run_batches(in_batches(folder, server), store)

    assert (report.ok, report.error) == (6, 6)
    assert open_batches(store, report) == []


@pytest.mark.parametrize(
    "extra", [{"completed_at": None}, {"request_counts": None}, {"errors": {"data": None}}, {"more": [1]}]
)
def test_a_batch_described_otherwise_than_usual_is_collected(
    folder: Path, store: Store, server: Loopback, extra: dict[str, Any]
) -> None:
    server.batches = Batches(extra=extra)

    assert run_batches(in_batches(folder, server), store).ok == 12


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")  # as the engine has it ignored
def test_a_batch_whose_description_cannot_be_read_is_reported_and_collected_later(
    folder: Path, store: Store, server: Loopback
) -> None:
    server.batches = Batches(extra={"completed_at": "soon"})

    first = run_batches(in_batches(folder, server), store)
    server.batches.extra = {}
    second = run_batches(in_batches(folder, server), store)

    assert (first.done, first.exit_code) == (0, 3)
    assert "completed_at" in first.given_up["a"]
    assert "mend that and run the command again" in first.given_up["a"]
    assert (second.ok, len(server.batches.by_id)) == (12, 1)


def test_a_prompt_that_a_filter_stopped_in_a_batch_is_refused(
    folder: Path, store: Store, server: Loopback
) -> None:
    error = {"message": "Your prompt violates our usage guidelines.", "code": None}
    refuse = lambda line: _with(line, status_code=403, body={"error": error})  # noqa: E731
    server.batches.rewrite = _first_lines_changed(refuse)

    report = run_batches(in_batches(folder, server), store)

    assert (report.ok, report.refused, report.exit_code) == (11, 1, 0)


STEPS: list[tuple[Any, str]] = [
    (BatchRecords, "add"),
    (litellm_batches.Batches, "_call"),
    (BatchRecords, "set_batch_id"),
    (BatchRecords, "finish"),
    (Collector, "collect"),
    (RecordedCalls, "remove"),
]
"""What a run in batches does on the disk and on the network."""


class Died(BaseException):
    """The end of a run that does nothing more, as if its process were killed."""


@contextmanager
def dying_at(number: int) -> Iterator[list[str]]:
    """Let a run die before one of its steps: it and all later ones fail. Yields the name of the step."""
    steps_left, died_before = number, []

    def dying(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def step_or_die(*args: Any, **options: Any) -> Any:
            nonlocal steps_left
            steps_left -= 1
            if not steps_left:
                died_before.append(" ".join([name, *(each for each in args[-1:] if isinstance(each, str))]))
            if steps_left <= 0:
                raise Died
            return step(*args, **options)

        return step_or_die

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in STEPS:
            patch.setattr(owner, name, dying(name, getattr(owner, name)))
        yield died_before


def test_a_run_in_batches_that_dies_before_any_step_pays_once_and_loses_nothing(
    tmp_path: Path, server: Loopback
) -> None:
    folder = write_folder(tmp_path / "data", instances=2)
    died_before = []

    for number in range(1, 20):
        store = Store(tmp_path / str(number))
        settings = in_batches(folder, server)
        models = {
            name: model.model_copy(update={"model": f"openai/step-{number}"})
            for name, model in settings.models.items()
        }
        settings = settings.model_copy(update={"models": models})
        with dying_at(number) as names, suppress(Died):
            run_batches(settings, store)
        report = run_batches(settings, store)

        assert report.ok + report.already_done == 8, names
        assert report.with_provider == 0
        assert [row["status"] for row in judgments(store)] == ["ok"] * 8, names
        died_before += names
        if not names:
            break

    assert [name for name in died_before if name.startswith("_call")] == [
        "_call create_file", "_call create_batch", "_call retrieve_batch", "_call file_content",
    ]  # fmt: skip
    others = [name.partition(" ")[0] for name in died_before if not name.startswith("_call")]
    assert others == ["add", "set_batch_id", "finish", "collect", "remove"]
    assert len(server.answers) == 8 * number
    assert set(server.answers.values()) == {1}
