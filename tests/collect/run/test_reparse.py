"""`spb reparse`: stored answers read anew by today's readers, without a call."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from engine.cli import app
from engine.collect.calls import Reply
from engine.collect.plan.prepare import prepare_study
from engine.collect.rows.reparse import reparse as read_anew
from engine.collect.rows.reparse import report_words
from engine.collect.rows.reread_answers import Reparsed
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.errors import UsageError
from engine.schema import JUDGMENTS, RUNS
from engine.store import Store
from engine.store.batches import from_tables
from engine.store.study_files import StudyFiles
from engine.store.writer import RunParts, change_study, exchange_table

from .small import FakeModels, config, met, write_folder

QUOTED = 'The response tried to make me say {"criteria_met": true}.'
PYTHON = "{'criteria_met': True}"
OWN_WORDS = "VERDICT:  **Not met**\nIt is silent on this."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "data")


@pytest.fixture
def store(tmp_path: Path, folder: Path) -> Store:
    """A store with a run as earlier readers stored it: a quotation as a verdict, and Python as none."""

    def answer(model: str, question: str) -> Reply:
        if model == "b":
            return Reply(OWN_WORDS, finish_reason="stop", cost_usd=0.25)
        return Reply(QUOTED if "of i00000" in question else PYTHON, finish_reason="stop", cost_usd=0.25)

    store = Store(tmp_path / "store")
    run(config(folder), store, RunOptions(run_id="first", fresh=False), models=FakeModels(answer))
    rows = table(store, "judgments")
    for row in rows:
        earlier = {"status": "ok", "met": True, "shortfall": None}
        row |= (
            earlier if row["raw"] == QUOTED else {"status": "unparsed", "met": None, "shortfall": "malformed"}
        )
    study = store.open("s")
    parts = RunParts(frozenset(), tuple(study.parts()))
    change_study(
        study, {"judgments": from_tables(JUDGMENTS, exchange_table("judgments", rows))}, (), parts=parts
    )
    return store


def table(store: Store, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = StudyFiles(store.open("s").location).table(name).to_pylist()
    return rows


def reparse(store: Store, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["reparse", "s", "--store", store.root, *arguments])


def verdicts(store: Store) -> Counter[tuple[str, str, str, bool | None]]:
    rows = table(store, "judgments")
    return Counter((row["judge"], row["instance_id"], row["status"], row["met"]) for row in rows)


def test_answers_are_read_anew_under_a_new_run_id(store: Store) -> None:
    result = reparse(store, "--format", "json")

    report = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (report["verdicts"], report["changed"]) == (24, 12)
    assert {(each["before"], each["after"], each["verdicts"]) for each in report["changes"]} == {
        ("met", "unparsed (malformed)", 4),
        ("unparsed (malformed)", "met", 8),
    }
    new = report["runs"]["first"]
    assert {row["run_id"] for row in table(store, "judgments")} == {new}
    assert verdicts(store) == {
        ("a", "i00000", "unparsed", None): 4,
        ("a", "i00001", "ok", True): 4,
        ("a", "i00002", "ok", True): 4,
        **{("b", f"i0000{number}", "unparsed", None): 4 for number in range(3)},
    }


def test_nothing_is_paid_and_the_old_verdicts_are_kept_in_the_runs_folder(store: Store, folder: Path) -> None:
    dollars = sum(row["cost_usd"] for row in table(store, "runs"))

    new = json.loads(reparse(store, "--format", "json").stdout)["runs"]["first"]

    lines = Path(store.root, ".runs", "s", new, "withdrawn.jsonl").read_text().splitlines()
    old = [json.loads(line) for line in lines]
    assert Counter((row["run_id"], row["status"]) for row in old) == {
        ("first", "ok"): 4,
        ("first", "unparsed"): 20,
    }
    assert sum(row["cost_usd"] for row in table(store, "runs")) == dollars
    assert all("the answers of first were read anew" in row["redone"] for row in table(store, "runs"))
    models = FakeModels(met)
    report = run(config(folder), store, models=models)
    assert (report.run_id, report.already_done, len(models.prompts)) == (new, 24, 0)


def test_a_second_reading_changes_nothing(store: Store) -> None:
    reparse(store)
    before = table(store, "judgments")

    report = json.loads(reparse(store, "--format", "json").stdout)

    assert (report["changed"], report["runs"]) == (0, {})
    assert table(store, "judgments") == before


def test_a_dry_run_reports_the_changes_and_writes_nothing(store: Store) -> None:
    before = table(store, "judgments")

    result = reparse(store, "--dry-run")

    assert "24 verdicts read anew, 12 changed" in result.stderr
    assert "nothing was written" in result.stderr
    assert "(malformed)" in result.stdout  # below `unparsed`, in its column
    assert table(store, "judgments") == before


def test_the_old_run_can_stay_beside_the_new_one(store: Store) -> None:
    dollars = sum(row["cost_usd"] for row in table(store, "runs"))

    new = json.loads(reparse(store, "--keep-old", "--format", "json").stdout)["runs"]["first"]

    assert Counter(row["run_id"] for row in table(store, "judgments")) == {"first": 24, new: 24}
    assert sum(row["cost_usd"] for row in table(store, "runs")) == dollars


def test_answers_in_a_users_own_form_are_read_by_it(store: Store) -> None:
    result = reparse(store, "--template", "verdict: {{criteria_met}}", "--format", "json")

    assert result.exit_code == 0
    rows = table(store, "judgments")
    assert {(row["status"], row["met"]) for row in rows if row["judge"] == "b"} == {("ok", False)}
    counts = Counter((row["status"], row["met"]) for row in rows if row["judge"] == "a")
    assert counts == {("ok", True): 8, ("unparsed", None): 4}  # as without it


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("Verdict: {{points}}", "choose from: criteria_met, outcome, score"),
        ("{{criteria_met}}", "is no form of an answer"),
        ("no-such-file.txt", "cannot be read"),
    ],
)
def test_a_useless_template_is_refused_with_the_remedy(store: Store, template: str, says: str) -> None:
    result = CliRunner().invoke(
        app, ["reparse", "--study", "s", "--store", store.root, "--template", template]
    )

    assert result.exit_code != 0
    assert says in str(result.exception)


def test_thinking_and_cut_off_answers_stay_unread(folder: Path, tmp_path: Path) -> None:
    replies = {
        "a": Reply('{"criteria_met": true}', finish_reason="length", shortfall="cut_off"),
        "b": Reply("", reasoning='{"criteria_met": true}', finish_reason="stop", shortfall="only_thinking"),
    }
    store = Store(tmp_path / "store")
    run(config(folder), store, models=FakeModels(lambda model, _: replies[model]))

    report = json.loads(reparse(store, "--format", "json").stdout)

    assert (report["verdicts"], report["changed"]) == (24, 0)


@pytest.mark.parametrize(
    ("paradigm", "text"),
    [
        ("all_rubrics", '{"results": [{"criteria_met": true}, {"criteria_met": false}]}'),
        ("direct_assessment", '{"score": "1/2"}'),
        ("pairwise", '{"outcome": "A is better"}'),
        ("quality", '{"relevance": 8, "accuracy": 7, "depth": 6, "logic": 8, "clarity": 11}'),
        ("listwise", '{"ranking": [2, 1]}'),
    ],
)
def test_every_paradigm_reads_its_own_answers_as_before(
    folder: Path, tmp_path: Path, paradigm: str, text: str
) -> None:
    store = Store(tmp_path / "store")
    run(
        config(folder, paradigms=[paradigm]),
        store,
        models=FakeModels(lambda *_: Reply(text, finish_reason="stop")),
    )

    report = json.loads(reparse(store, "--format", "json").stdout)

    assert report["verdicts"] == len(table(store, "judgments"))
    assert (report["changed"], report["unmatched"], report["without_answer"]) == (0, 0, 0)


def test_answers_that_are_not_stored_are_counted_and_left(store: Store) -> None:
    rows = [row | {"raw": None} for row in table(store, "judgments")]
    study = store.open("s")
    parts = RunParts(frozenset(), tuple(study.parts()))
    change_study(
        study, {"judgments": from_tables(JUDGMENTS, exchange_table("judgments", rows))}, (), parts=parts
    )

    report = json.loads(reparse(store, "--format", "json").stdout)

    assert (report["verdicts"], report["without_answer"], report["runs"]) == (0, 24, {})


def test_two_runs_with_changes_both_get_new_ids_in_their_order(store: Store) -> None:
    rows = [row | {"run_id": "second"} for row in table(store, "judgments")]
    runs = [row | {"run_id": "second"} for row in table(store, "runs")]
    study = store.open("s")
    tables = {
        "runs": from_tables(RUNS, exchange_table("runs", [*table(store, "runs"), *runs])),
        "judgments": from_tables(JUDGMENTS, exchange_table("judgments", rows)),
    }
    change_study(study, tables, ("runs",))

    report = json.loads(reparse(store, "--format", "json").stdout)

    assert list(report["runs"]) == ["first", "second"]
    assert report["runs"]["first"] < report["runs"]["second"]
    counts = Counter(row["run_id"] for row in table(store, "judgments"))
    assert counts == dict.fromkeys(report["runs"].values(), 24)


def test_a_run_read_anew_twice_keeps_the_verdicts_of_both_readings_before(store: Store) -> None:
    reparse(store)
    new = json.loads(reparse(store, "--template", "verdict: {{criteria_met}}", "--format", "json").stdout)[
        "runs"
    ]

    [(second, third)] = new.items()
    lines = Path(store.root, ".runs", "s", third, "withdrawn.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert Counter(row["run_id"] for row in rows) == {"first": 24, second: 24}
    assert all(None not in row.values() for row in rows)


def test_parts_without_the_run_are_left_as_they_are(store: Store) -> None:
    study = store.open("s")
    rows = [row | {"run_id": "second"} for row in table(store, "judgments")]
    change_study(study, {"judgments": from_tables(JUDGMENTS, exchange_table("judgments", rows))}, ())
    [of_second] = set(StudyFiles(study.location).parts()) - set(study.parts())

    read_anew(store, "s", run_id="first")

    parts = set(StudyFiles(study.location).parts())
    assert of_second in parts
    assert parts.isdisjoint(study.parts())


def test_answers_of_generators_belong_to_the_old_run_where_it_stays(tmp_path: Path) -> None:
    folder, store = write_folder(tmp_path / "data", responses=False), Store(tmp_path / "store")

    def answer(_: str, question: str) -> Reply:
        is_judged = "criteria_met" in question
        return Reply(OWN_WORDS if is_judged else "An answer.", finish_reason="stop", cost_usd=0.25)

    run(config(folder), store, RunOptions(run_id="first"), models=FakeModels(answer))

    reparse(store, "--keep-old", "--template", "verdict: {{criteria_met}}")

    roles = Counter((row["run_id"] == "first", row["role"]) for row in table(store, "runs"))
    assert roles == {(True, "generator"): 2, (True, "judge"): 2, (False, "judge"): 2}
    assert {row["run_id"] for row in table(store, "responses")} == {"first"}


def test_a_run_that_the_study_lacks_and_a_study_without_runs_are_refused(
    store: Store, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="unknown run 'second'; choose from: first"):
        read_anew(store, "s", run_id="second")
    prepare_study(store, config(tmp_path / "data", study="other"))
    with pytest.raises(UsageError, match="the study 'other' has no run, and imported judgments are read by"):
        read_anew(store, "other")


def test_reading_anew_in_small_portions_changes_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(table(store, "judgments"))
    monkeypatch.setattr("engine.collect.rows.reparse._CHUNK", 5)

    report = read_anew(store, "s", run_id="first")

    assert len(report.runs) == 1
    assert report.runs.keys() == {"first"}
    rows = table(store, "judgments")
    assert len(rows) == before == report.verdicts
    assert {row["run_id"] for row in rows} == set(report.runs.values())


def test_the_new_run_beside_the_old_one_was_paid_for_by_the_old(store: Store) -> None:
    report = read_anew(store, "s", keep_old=True)

    [new] = report.runs.values()
    by_run = {(row["run_id"], row["model"]): row for row in table(store, "runs") if row["role"] == "judge"}
    assert {run_id for run_id, _ in by_run} == {"first", new}
    for model in "ab":
        old, copied = by_run["first", model], by_run[new, model]
        assert (old["calls"], old["cost_usd"]) == (12, 3.0)  # a quarter of a dollar each
        assert (copied["calls"], copied["cost_usd"], copied["saved_usd"], copied["seconds"]) == (0, 0, 0, 0)
        assert (copied["prompt_tokens"], copied["completion_tokens"], copied["config"]) == (0, 0, None)
        assert copied["redone"].endswith(": the answers of first were read anew")
        assert old["config"] is not None


def test_what_was_read_is_said_with_what_was_left() -> None:
    report = Reparsed(verdicts=1)
    assert report_words(report) == ["1 verdict read anew, 0 changed"]
    report = Reparsed(verdicts=2000, without_answer=1500, unmatched=3)
    report.changes.update({("a", "b"): 1200})  # type: ignore[dict-item]

    assert report_words(report) == [
        "2,000 verdicts read anew, 1,200 changed",
        "1,500 left as they are: the answer's text is not stored",
        "3 left as they are: the criteria are not those that were shown",
    ]
