"""A run from configuration to study, with models that answer without a network."""

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from collect.run.small import FakeModels, config, met, write_folder
from loopback import serving

from engine.collect.calls import Failure, Reply
from engine.collect.configuration.config import Price
from engine.collect.database.entries import Entry
from engine.collect.database.sqlite_file import SqliteFile
from engine.collect.dispatch.run_status import Status
from engine.collect.rows.recorder import Collector
from engine.collect.rows.run_rows import run_cost
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions, Shard
from engine.errors import UsageError
from engine.store import Store
from engine.store.writer import validate_study

IDENTITY = ("judge", "paradigm", "variant", "instance_id", "generator", "opponent", "first", "rubric_id")
PRICES = {name: Price(input_per_million=1.0, output_per_million=10.0) for name in ("a", "b")}


def judgments(store: Store) -> list[dict[str, object]]:
    return store.open("s").table("judgments").to_pylist()


def test_every_planned_call_is_made_once_and_its_rows_are_in_the_study(folder: Path, store: Store) -> None:
    models = FakeModels()

    report = run(config(folder), store, models=models)

    # 2 judges x 2 generators x 3 instances x 2 rubrics
    assert (report.planned, report.done, report.ok, report.calls, report.exit_code) == (24, 24, 24, 24, 0)
    assert set(models.prompts.values()) == {1}
    rows = judgments(store)
    assert len({tuple(row[name] for name in IDENTITY) for row in rows}) == len(rows) == 24
    assert {row["run_id"] for row in rows} == {report.run_id}
    assert all(row["met"] is True and row["raw"] and row["created_at"] for row in rows)
    validate_study(store.open("s"))


def test_responses_that_are_missing_are_collected_before_they_are_judged(
    tmp_path: Path, store: Store
) -> None:
    folder = write_folder(tmp_path / "bare", responses=False)

    report = run(config(folder), store, models=FakeModels())

    responses = store.open("s").table("responses").to_pylist()
    assert report.planned == report.done == 6 + 24
    assert len(responses) == 6
    assert {row["run_id"] for row in responses} == {report.run_id}
    assert len(judgments(store)) == 24


def test_progress_counts_the_judgments_that_follow_the_responses(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "bare", responses=False)
    statuses: list[dict[str, object]] = []
    models = FakeModels(prices=PRICES)

    bounded = config(folder, a="params.max_tokens = 100", b="params.max_tokens = 100")
    report = run(bounded, store, RunOptions(max_usd=0.004), models=models, show=statuses.append)

    # 2 models x 3 instances of responses, then 2 judges x 2 generators x 3 instances x 2 rubrics
    assert report.end == "budget"
    assert report.done < 6
    assert report.planned == 6 + 24
    assert {status["total"] for status in statuses if status["done"]} == {30}


@pytest.mark.parametrize("family", ["x", "z"])
def test_models_of_a_csv_folder_are_those_of_the_configuration(
    folder: Path, store: Store, family: str
) -> None:
    (folder / "models.jsonl").unlink()
    (folder / "models.csv").write_text("model,family\na,x\n7,y\n", "utf-8")
    settings = config(folder)
    model = settings.models["a"].model_copy(update={"family": family})
    settings = settings.model_copy(update={"models": {**settings.models, "a": model}})

    if family == "z":
        with pytest.raises(UsageError, match=r"models\.a\.family is 'z', and the study has 'x'"):
            run(settings, store, models=FakeModels())
        return
    run(settings, store, models=FakeModels())

    rows = store.open("s").table("models").to_pylist()
    assert [(row["model"], row["family"]) for row in rows][:2] == [("a", "x"), ("7", "y")]
    assert [row["model"] for row in rows] == ["a", "7", "b"]


def test_a_transform_to_judge_that_no_response_has_is_refused_before_anything_is_called(
    folder: Path, store: Store
) -> None:
    models = FakeModels()

    with pytest.raises(UsageError, match=r"'styel'; choose from: none"):
        run(config(folder, judge_transforms=["styel"]), store, models=models)

    assert not models.prompts


def test_a_finished_run_makes_no_further_call(folder: Path, store: Store) -> None:
    first = run(config(folder), store, models=FakeModels())
    models = FakeModels()

    second = run(config(folder), store, models=models)

    assert not models.prompts
    assert (second.planned, second.already_done, second.done, second.calls) == (24, 24, 0, 0)
    assert second.run_id == first.run_id
    assert second.exit_code == 0


def test_errors_are_asked_again_and_replaced_by_the_answer(folder: Path, store: Store) -> None:
    def broken(model: str, prompt: str) -> Reply | Failure:
        return Failure("server", "it is down", 503) if model == "a" else met(model, prompt)

    first = run(config(folder), store, models=FakeModels(broken))
    errors = [row for row in judgments(store) if row["status"] == "error"]
    models = FakeModels()
    second = run(config(folder), store, models=models)

    assert (first.ok, first.error, first.exit_code) == (12, 12, 3)
    assert first.errors == {"server": 12}
    assert first.error_words == (("it is down", 12),)
    assert len(errors) == 12
    assert all("503" in str(row["explanation"]) for row in errors)
    assert sum(models.prompts.values()) == 12
    assert (second.already_done, second.done, second.exit_code) == (12, 12, 0)
    assert Counter(row["status"] for row in judgments(store)) == {"ok": 24}


def test_unparsed_and_refused_answers_count_and_are_not_asked_again(folder: Path, store: Store) -> None:
    def odd(model: str, _prompt: str) -> Reply:
        return Reply("I would rather not say.") if model == "a" else Reply("", refusal="no")

    first = run(config(folder), store, models=FakeModels(odd))
    models = FakeModels()
    second = run(config(folder), store, models=models)

    assert (first.unparsed, first.refused, first.exit_code) == (12, 12, 5)
    assert not models.prompts
    assert second.already_done == 24


def test_fresh_starts_a_separate_run(folder: Path, store: Store) -> None:
    first = run(config(folder), store, models=FakeModels())

    second = run(config(folder), store, RunOptions(fresh=True), models=FakeModels())

    assert second.run_id != first.run_id
    assert second.done == 24
    assert Counter(row["run_id"] for row in judgments(store)) == {first.run_id: 24, second.run_id: 24}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"a": "params = { temperature = 1.0 }"}, r"models\.a\.params is \{'temperature': 1\.0\}"),
        ({"b": "logprobs = true"}, r"models\.b\.logprobs is True, it was left out"),
    ],
)
def test_a_changed_model_is_named_before_any_call(
    folder: Path, store: Store, changes: dict[str, str], words: str
) -> None:
    run(config(folder), store, models=FakeModels())
    models = FakeModels()

    with pytest.raises(UsageError, match=words + r".*--fresh"):
        run(config(folder, **changes), store, models=models)

    assert not models.prompts


def test_a_changed_template_is_named_before_any_call(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data")
    template = tmp_path / "mine.txt"
    template.write_text("{{response}} {{rubric}} JSON with criteria_met, please.", "utf-8")
    own = {"variants": [str(template)]}
    run(config(folder, **own), store, models=FakeModels())
    template.write_text("{{response}} {{rubric}} JSON with criteria_met.", "utf-8")
    models = FakeModels()

    with pytest.raises(UsageError, match=r"the template of single_rubric, variant 'mine'.*sha256.*--fresh"):
        run(config(folder, **own), store, models=models)

    assert not models.prompts


def test_a_judge_and_a_paradigm_may_be_added_to_a_run(folder: Path, store: Store) -> None:
    first = run(config(folder, judges=["a"]), store, models=FakeModels())

    second = run(
        config(folder, paradigms=["single_rubric", "direct_assessment"]),
        store,
        models=FakeModels(lambda _model, _prompt: Reply('{"score": "1/2", "criteria_met": true}')),
    )

    assert second.run_id == first.run_id
    assert (second.already_done, second.done) == (12, 12 + 12)


def test_concurrent_calls_stay_within_the_limit(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=20)
    models = FakeModels()

    run(config(folder, run="concurrency = 5", a="concurrency = 2"), store, models=models)

    assert models.most_under_way == 5
    assert models.most_by_model["a"] == 2


def test_a_model_with_a_refused_key_fails_at_once_and_the_others_continue(
    tmp_path: Path, store: Store
) -> None:
    folder = write_folder(tmp_path / "data", instances=30)
    models = FakeModels(
        lambda model, prompt: (
            Failure("key", "a: the key was refused", 401) if model == "a" else met(model, prompt)
        )
    )

    report = run(config(folder, run="concurrency = 4"), store, models=models)

    assert sum(number for (model, _), number in models.prompts.items() if model == "a") <= 4
    assert (report.ok, report.error, report.planned) == (120, 120, 240)
    assert report.given_up == {"a": "a: the key was refused"}
    assert report.exit_code == 3


def test_the_budget_stops_a_run_before_it_is_exceeded(folder: Path, store: Store) -> None:
    # At most: (prompt / 3 + 16 tokens) x $1 + 100 tokens x $10 a million, well above the $0.001 it costs.
    limited = {"a": "params = { max_tokens = 100 }", "b": "params = { max_tokens = 100 }"}

    report = run(config(folder, **limited), store, RunOptions(max_usd=0.01), models=FakeModels(prices=PRICES))

    assert report.end == "budget"
    assert report.exit_code == 4
    assert 0 < report.done < 24
    assert report.cost_usd is not None
    assert report.cost_usd <= 0.01
    assert len(judgments(store)) == report.done


def test_the_budget_covers_the_whole_run_and_a_larger_one_lets_it_resume(folder: Path, store: Store) -> None:
    prices = FakeModels(prices=PRICES)
    first = run(config(folder), store, RunOptions(max_usd=0.01), models=prices)

    same = run(config(folder), store, RunOptions(max_usd=0.01), models=FakeModels(prices=PRICES))
    more = run(config(folder), store, RunOptions(max_usd=1.0), models=FakeModels(prices=PRICES))

    assert same.done == 0
    assert same.end == "budget"
    assert more.exit_code == 0
    assert more.done + first.done == 24


def test_the_status_has_the_cost_calls_and_beginning_of_all_starts(folder: Path, store: Store) -> None:
    statuses: list[dict[str, Any]] = []
    limited = {"a": "params = { max_tokens = 100 }", "b": "params = { max_tokens = 100 }"}
    for cap in (0.01, 1.0):
        options, models = RunOptions(max_usd=cap), FakeModels(prices=PRICES)
        run(config(folder, **limited), store, options, models=models, show=statuses.append)
        row = store.open("s").table("runs").to_pylist()
        statuses[-1] |= {"stored_usd": sum(each["cost_usd"] for each in row)}
    second = statuses[-1]
    [first] = [each for each in statuses if each["state"] == "budget"]

    assert 0 < first["cost_usd"] == first["run_cost_usd"]
    assert second["run_cost_usd"] == pytest.approx(first["cost_usd"] + second["cost_usd"])
    assert second["run_cost_usd"] == pytest.approx(second["stored_usd"])
    assert second["run_calls"] == first["calls"] + second["calls"]
    assert second["first_started_at"] == first["first_started_at"]
    assert second["started_at"] > first["started_at"]


@pytest.mark.parametrize("max_usd", [None, 1.0])
def test_a_start_without_the_cap_of_the_one_before_says_so(
    folder: Path, store: Store, max_usd: float | None
) -> None:
    run(config(folder), store, RunOptions(max_usd=0.01), models=FakeModels(prices=PRICES))
    shown: list[str] = []

    run(
        config(folder),
        store,
        RunOptions(max_usd=max_usd),
        models=FakeModels(prices=PRICES),
        show=lambda status: shown.append(status["message"]),
    )

    assert ("no spending cap (an earlier start had $0.01)" in shown) == (max_usd is None)


def test_each_status_without_the_cap_of_an_earlier_one_says_so(tmp_path: Path) -> None:
    def message(cap: float | None) -> str:
        status = Status(tmp_path / "status.json", {"run_id": "1", "study": "s", "max_usd": cap})
        status.set("starting")
        return status.message

    messages = [message(cap) for cap in (None, 2.0, None, None, 3.0, None)]

    lifted = "no spending cap (an earlier start had ${})"
    assert messages == ["", "", lifted.format(2), lifted.format(2), "", lifted.format(3)]


def test_answers_that_do_not_say_what_they_cost_count_under_the_cap_at_every_start(
    folder: Path, store: Store
) -> None:
    def silent(model: str, question: str) -> Reply:
        return Reply(met(model, question).text)

    # 100 tokens of $10 a million: $0.001 and the prompt for each of 24 calls
    bounded = {"a": "params = { max_tokens = 100 }", "b": "params = { max_tokens = 100 }"}
    settings, options = config(folder, **bounded), RunOptions(max_usd=0.01)

    first = run(settings, store, options, models=FakeModels(silent, PRICES))
    second = run(settings, store, options, models=FakeModels(silent, PRICES))

    assert (first.exit_code, second.exit_code) == (4, 4)
    assert 6 <= first.done < 10
    assert (second.done, second.already_done, second.planned) == (0, first.done, 24)
    assert first.cost_usd == pytest.approx(first.spent)
    assert second.spent == pytest.approx(first.spent)
    assert {row["cost_usd"] for row in judgments(store)} == {None}


def test_what_was_spent_before_the_price_was_known_counts_by_its_tokens(folder: Path, store: Store) -> None:
    def free(model: str, question: str) -> Reply:
        return replace(met(model, question), cost_usd=None)

    run(config(folder), store, models=FakeModels(free))
    rows = store.open("s").table("runs").to_pylist()

    # 12 calls of 10 and 5 tokens by each model, at $1 and $10 a million
    assert run_cost(rows, rows[0]["run_id"], PRICES) == pytest.approx(2 * 12 * 60e-6)
    assert run_cost(rows, rows[0]["run_id"], {}) == 0


def test_a_budget_with_an_unknown_price_is_refused_before_any_call(folder: Path, store: Store) -> None:
    models = FakeModels(prices={"a": PRICES["a"], "b": None})

    with pytest.raises(UsageError, match=r"models\.b: the price is unknown"):
        run(config(folder), store, RunOptions(max_usd=1.0), models=models)

    assert not models.prompts
    assert not store.studies()


def test_table_runs_sums_each_judges_usage_over_several_starts(folder: Path, store: Store) -> None:
    def one_fails(model: str, prompt: str) -> Reply | Failure:
        return Failure("server", "down", 500) if "r" in prompt and model == "b" else met(model, prompt)

    run(config(folder), store, models=FakeModels(one_fails))
    run(config(folder), store, models=FakeModels())

    rows = [row for row in store.open("s").table("runs").to_pylist() if row["role"] == "judge"]
    by_judge = {row["model"]: row for row in rows}
    assert by_judge["a"]["calls"] == 12
    assert by_judge["b"]["calls"] == 24
    assert by_judge["a"]["prompt_tokens"] == by_judge["b"]["prompt_tokens"] == 120
    assert by_judge["a"]["cost_usd"] == pytest.approx(0.012)
    assert all(row["finished_at"] >= row["started_at"] for row in rows)
    assert all(
        row["provenance"] == "api" and row["template_sha256"] and "[models.a]" in row["config"]
        for row in rows
    )


def test_shards_divide_the_calls_of_one_run(folder: Path, store: Store) -> None:
    models = FakeModels()

    reports = [run(config(folder), store, RunOptions(shard=Shard(k, 3)), models=models) for k in (1, 2, 3)]

    assert sum(report.planned for report in reports) == 24
    assert set(models.prompts.values()) == {1}
    assert len({report.run_id for report in reports}) == 1
    assert len(judgments(store)) == 24


def test_a_shard_started_again_leaves_the_others_their_share_of_the_cap(folder: Path, store: Store) -> None:
    # Twelve answers of $0.001, six for each of two shards.
    price = Price(input_per_million=0.0, output_per_million=200.0)
    settings = config(folder, a="params = { max_tokens = 5 }", b="params = { max_tokens = 5 }")
    again = FakeModels(prices={"a": price, "b": price})

    def options(shard: int) -> RunOptions:
        return RunOptions(shard=Shard(shard, 2), run_id="r", max_usd=0.0125)

    def answer(model: str, question: str) -> Reply:
        for _ in range(0 if again.prompts else 3):
            thread = Thread(target=run, args=(settings, store, options(1)), kwargs={"models": again})
            thread.start()
            thread.join()
        return met(model, question)

    models = FakeModels(answer, {"a": price, "b": price})
    report = run(settings, store, options(2), models=models)

    assert (again.prompts.total(), models.prompts.total(), report.end) == (6, 6, "budget")
    assert run(settings, store, RunOptions(run_id="r", max_usd=0.0145), models=again).done == 2
    assert not list(Path(store.root).rglob("share"))


def test_parts_are_written_during_the_run_and_stay_few(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=60)

    report = run(
        config(folder), store, RunOptions(collect_calls=20, collect_seconds=0.0), models=FakeModels()
    )

    study = store.open("s")
    assert report.done == 480
    assert len(judgments(store)) == 480
    assert len(study.parts()) == 1
    validate_study(study)


def test_the_status_file_shows_the_progress_of_a_run_and_how_it_ended(folder: Path, store: Store) -> None:
    statuses: list[dict[str, object]] = []

    report = run(config(folder), store, models=FakeModels(), show=statuses.append)

    path = Path(store.location.path) / ".runs" / "s" / report.run_id / "status.json"
    status = json.loads(path.read_text("utf-8"))
    assert (status["state"], status["done"], status["total"], status["ok"]) == ("done", 24, 24, 24)
    assert status["finished_at"] >= status["started_at"]
    assert next(each["state"] for each in statuses) == "starting"
    assert "running" in [each["state"] for each in statuses]


def test_text_that_utf8_cannot_encode_is_kept_as_far_as_possible(folder: Path, store: Store) -> None:
    odd = FakeModels(
        lambda _model, _prompt: Reply('{"criteria_met": true, "explanation": "half \ud800 a pair"}')
    )

    report = run(config(folder), store, models=odd)

    assert report.ok == 24
    assert "half" in str(judgments(store)[0]["explanation"])


def test_simulated_models_make_a_simulated_study(folder: Path, store: Store) -> None:
    plain = config(folder)
    simulated = {
        name: model.model_copy(update={"model": f"simulated/{name}"}) for name, model in plain.models.items()
    }

    run(plain.model_copy(update={"models": simulated}), store, models=FakeModels())

    assert store.open("s").info.provenance == "simulated"


def test_answers_recorded_during_the_last_write_are_written_once(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    transact, collect, written = SqliteFile._transact, Collector.collect, Counter[str]()

    def slow(file: SqliteFile, group: Sequence[Any]) -> list[Any]:
        time.sleep(0.02)  # so that all calls have ended before the first answer counts
        return transact(file, group)

    def counting_collect(collector: Collector, entries: Sequence[Entry]) -> None:
        written.update(entry.key for entry in entries)
        collect(collector, entries)

    monkeypatch.setattr(SqliteFile, "_transact", slow)
    monkeypatch.setattr(Collector, "collect", counting_collect)

    report = run(config(folder), store, RunOptions(collect_calls=24), models=FakeModels())

    assert set(written.values()) == {1}
    assert (report.done, report.exit_code, len(judgments(store))) == (24, 0, 24)


def test_judges_on_a_server_get_the_schema_of_their_template_and_the_run_records_it(
    folder: Path, store: Store
) -> None:
    with serving() as server:
        own = f"api_base = {server.url!r}"
        run(config(folder, a=own, b=f"{own}\nstructured = 'never'"), store)

    formats = {call.model: call.parameters.get("response_format") for call in server.requests}
    assert list(formats["a"]["json_schema"]["schema"]["properties"]) == ["explanation", "criteria_met"]
    assert formats["b"] is None
    rows = store.open("s").table("runs").to_pylist()
    assert {(row["model"], row["role"], row["structured"]) for row in rows} == {
        ("a", "generator", 0),
        ("b", "generator", 0),
        ("a", "judge", 12),
        ("b", "judge", 0),
    }
