"""Whether a judge has changed between two runs: verdicts, scores and pairs alike."""

import functools
import itertools
import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from typer.testing import CliRunner, Result

import engine
from engine.cli import app
from engine.errors import UsageError
from engine.explore import run_changes
from engine.explore.gate import GateResult, GateStatus
from engine.measures.catalogue import find
from engine.report.content import content_of
from engine.report.gate_results import estimate_text
from engine.store import Store
from engine.words.compared_runs import explained_intervals, sentences
from engine.words.run_changes import changes_words

MODELS = ("gpt-4o", "claude-3", "gemini-2")
RESULTS = Path(__file__).parents[2] / "results"


def verdicts(bias: float, seed: int) -> Iterator[str]:
    truth, drawn = random.Random(5), random.Random(seed)
    yield "judge,generator,instance_id,rubric_id,met,truth"
    for question in range(150):
        for model in MODELS:
            met = truth.random() < 0.4
            for judge in MODELS:
                own = bias if judge == model == "gpt-4o" and not met else 0
                passed = drawn.random() < (0.8 if met else 0.25) + own
                yield f"{judge},{model},q{question},r,{str(passed).lower()},{str(met).lower()}"


def scores(bias: float, seed: int) -> Iterator[str]:
    quality, drawn = random.Random(5), random.Random(seed)
    yield "judge,generator,instance_id,score"
    for question in range(60):
        for model in MODELS:
            mean = quality.gauss(3, 0.7)
            for judge in MODELS:
                own = bias * 2 if judge == model == "gpt-4o" else 0
                yield f"{judge},{model},q{question},{min(5, max(1, round(mean + own + drawn.gauss(0, 0.3))))}"


def pairs(bias: float, seed: int) -> Iterator[str]:
    drawn = random.Random(seed)
    yield "judge,instance_id,generator,opponent,first,choice"
    for question in range(60):
        for judge in MODELS:
            for first in ("generator", "opponent"):
                for a, b in ((0, 1), (0, 2), (1, 2)):
                    chance = 0.5 + (bias if judge == MODELS[a] == "gpt-4o" else 0)
                    choice = "generator" if drawn.random() < chance else "opponent"
                    yield f"{judge},q{question},{MODELS[a]},{MODELS[b]},{first},{choice}"


KINDS = {
    "verdicts": (verdicts, ["--map", "reference_met=truth", "--set", "reference_source=program"], "hspp"),
    "scores": (scores, ["--set", "scale=5"], "outside"),
    "pairs": (pairs, [], "outside"),
}


def spb(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def import_day(folder: Path, kind: str, day: str, bias: float, *more: str) -> Result:
    lines, options, _ = KINDS[kind]
    table = folder / "day.csv"
    table.write_text("\n".join(lines(bias, seed=len(day))) + "\n")
    place = ["--study", "mine", "--store", folder / "store", "--run", day, "--no-doctor"]
    return spb("import", "table", table, *options, *place, *more)


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that gives a store of two runs without a change between them, made once."""

    @functools.cache
    def of(kind: str) -> Path:
        folder = tmp_path_factory.mktemp(kind)
        assert import_day(folder, kind, "monday", 0.0).exit_code == 0
        assert import_day(folder, kind, "tuesday", 0.0, "--append").exit_code == 0
        return folder / "store"

    return of


@pytest.mark.parametrize("kind", KINDS)
def test_two_imports_of_a_table_are_runs_whose_judges_are_compared(tmp_path: Path, kind: str) -> None:
    assert import_day(tmp_path, kind, "monday", 0.0).exit_code == 0
    assert import_day(tmp_path, kind, "tuesday", 0.4, "--append").exit_code == 0

    place = ["mine", "--before", "monday", "--after", "tuesday", "--store", tmp_path / "store"]
    result = spb("compare-runs", *place)

    assert result.exit_code == 1
    lines = {line.split("\t")[1]: line for line in result.stdout.splitlines()}
    assert set(lines) == set(MODELS)
    assert lines["gpt-4o"].startswith("FAIL")
    assert lines["gemini-2"].startswith("PASS")
    study = engine.open_study(str(tmp_path / "store" / "mine"))
    assert run_changes.changes(study, None, "monday", "tuesday").measure.name == KINDS[kind][2]


def test_the_same_run_twice_is_refused(tmp_path: Path) -> None:
    import_day(tmp_path, "scores", "monday", 0.0)

    again = import_day(tmp_path, "scores", "monday", 0.0, "--append")

    assert isinstance(again.exception, engine.errors.SpbError)
    assert "run" in str(again.exception)


@pytest.mark.parametrize("name", ["", "../x", ".hidden", "a\nb"])
def test_a_run_has_a_plain_name(tmp_path: Path, name: str) -> None:
    result = import_day(tmp_path, "scores", name, 0.0)

    assert isinstance(result.exception, UsageError)
    assert "name of the run" in str(result.exception)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("measure", ["ranking", "scorecard", "corrected", "annotators", "expected"])
def test_a_measure_whose_change_cannot_be_tested_for_each_judge_is_refused(
    alike: Callable[[str], Path], measure: str
) -> None:
    place = ["mine", "--before", "monday", "--after", "tuesday", "--store", alike("scores")]
    result = spb("compare-runs", *place, "--measure", measure)

    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2
    assert "choose from: strictness, outside" in str(result.exception)


def test_nothing_to_test_is_said_and_is_no_pass(alike: Callable[[str], Path]) -> None:
    place = ["mine", "--before", "monday", "--after", "tuesday", "--store", alike("scores")]
    result = spb("compare-runs", *place, "--measure", "hspp")

    assert (result.exit_code, result.stdout) == (3, "")
    assert "Nothing can be tested by hspp" in result.stderr


def test_runs_that_share_some_questions_say_how_many(tmp_path: Path) -> None:
    rows = [
        f"{run},{judge},{model},q{question},{(question + len(model)) % 2}"
        for run, first in (("monday", 0), ("tuesday", 4))
        for question in range(first, first + 6)
        for judge in MODELS
        for model in MODELS
    ]
    (tmp_path / "both.csv").write_text("\n".join(["run_id,judge,generator,instance_id,met", *rows]), "utf-8")
    assert spb("import", tmp_path / "both.csv", "--study", "mine", "--store", tmp_path).exit_code == 0

    result = spb("compare", "mine", "monday", "tuesday", "--store", tmp_path, "--measure", "strictness")

    assert "2 of 10 questions are in both runs" in " ".join(result.stdout.split())


@pytest.mark.parametrize("measure", [None, "strictness"])
def test_runs_without_a_common_question_are_not_compared(tmp_path: Path, measure: str | None) -> None:
    rows = [
        f"{run},{judge},{model},{run[0]}{question},{(question + len(model)) % 2}"
        for run in ("monday", "tuesday")
        for question in range(3)
        for judge in MODELS
        for model in MODELS
    ]
    (tmp_path / "both.csv").write_text("\n".join(["run_id,judge,generator,instance_id,met", *rows]), "utf-8")
    place = ["--study", "mine", "--store", tmp_path / "store"]
    assert spb("import", tmp_path / "both.csv", *place).exit_code == 0

    words = [] if measure is None else ["--measure", measure]
    result = spb("compare", "mine", "monday", "tuesday", "--store", tmp_path / "store", *words)
    stored_runs = json.loads(spb("run", "list", "mine", *place[2:], "--format", "json").stdout)

    printed = " ".join(result.stdout.split())
    assert result.exit_code == 3
    assert "share no question (monday has 'm0', 'm1' and 'm2'; tuesday has 't0'" in printed
    assert f"`spb judges mine --run monday --store {tmp_path / 'store'}`" in printed
    assert [(row["run_id"], row["state"]) for row in stored_runs] == [
        ("monday", "stored"),
        ("tuesday", "stored"),
    ]


def test_a_committee_votes_by_the_verdicts_of_the_runs_that_are_named(
    alike: Callable[[str], Path], tmp_path: Path
) -> None:
    shutil.copytree(alike("verdicts"), tmp_path / "store")
    place = ["mine", "--name", "three", "--members", ",".join(MODELS), "--store", tmp_path / "store"]

    refused = spb("reference", "committee", *place, "--run", "sunday")
    assert spb("reference", "committee", *place, "--run", "monday").exit_code == 0

    files = Store(tmp_path / "store").open("mine")
    votes: dict[tuple[str, str], list[bool]] = {}
    for row in files.table("judgments", where={"run_id": ["monday"]}).to_pylist():
        votes.setdefault((row["instance_id"], row["generator"]), []).append(row["met"])
    references = files.table("references", where={"source": ["committee:three"]}).to_pylist()
    assert "unknown run 'sunday'; choose from: monday, tuesday" in str(refused.exception)
    assert {(row["instance_id"], row["generator"]): row["met"] for row in references} == {
        cell: sum(mets) > 1 for cell, mets in votes.items()
    }
    assert files.info.committees["three"].runs == ["monday"]


@pytest.mark.parametrize("measure", run_changes.comparable_measures())
def test_every_measure_that_is_offered_can_be_compared(alike: Callable[[str], Path], measure: str) -> None:
    study = engine.open_study(str(alike("verdicts") / "mine"))

    changed = run_changes.changes(study, measure, "monday", "tuesday")

    assert changed.results or changed.reason
    assert not any("no resamples" in each.reason for each in changed.results)


@pytest.mark.parametrize(("p", "status"), [(0.001, "FAIL"), (0.04, "PASS"), (None, "INCONCLUSIVE")])
def test_a_change_is_tested_at_the_alpha_of_its_look(p: float | None, status: str) -> None:
    change = {"judge": "a", "a": 1.5, "b": 3.0, "difference": 0.5, "low": 0.2, "high": 0.9, "p_adjusted": p}
    change |= {"p_is_smallest": False, "reasons": {"p_adjusted": "few_cases"}}
    result = SimpleNamespace(
        rows=[change, change | {"judge": None}], reason=None, filters={"resamples": 1000}
    )
    questions = pa.table({"instance_id": ["q"]})
    study: Any = SimpleNamespace(
        inventory=SimpleNamespace(runs=["monday", "tuesday"]),
        result=lambda _, **__: result,
        files=SimpleNamespace(table=lambda *_: questions),
        remember=lambda _, read: read(),
    )

    (only,) = run_changes.changes(study, "hspp", "monday", "tuesday", look=1, looks=2).results

    assert (only.judge, only.status, only.estimate) == ("a", status, 0.5)
    assert p is not None or only.reason == "the change cannot be tested (few cases)"


def test_an_unknown_run_is_named() -> None:
    study = engine.open_study(str(RESULTS / "demo-health"))

    with pytest.raises(UsageError, match="unknown run 'monday'"):
        run_changes.changes(study, None, "monday", "tuesday")
    with pytest.raises(UsageError, match="run 'simulated-20' is compared with itself; name an earlier"):
        run_changes.changes(study, None, "simulated-20", "simulated-20")


def import_two_days(folder: Path, passes: dict[str, float]) -> list[str]:
    """Import days on which one judge passes such a share of the criteria, and two others always the same."""
    for number, (day, share) in enumerate(passes.items()):
        lines = ["judge,generator,instance_id,rubric_id,met,truth"]
        lines += [
            f"{judge},{model},q{question},r{criterion},{str(criterion < limit).lower()},{criterion % 2}"
            for question in range(20)
            for model in MODELS
            for judge in MODELS
            for limit in [10 * share if judge == "gpt-4o" else 5 + question % 2]
            for criterion in range(10)
        ]
        (folder / f"{day}.csv").write_text("\n".join(lines) + "\n")
        place = ["--study", "mine", "--store", folder / "store", "--run", day, "--no-doctor"]
        place += ["--append"] if number else []
        assert spb("import", "table", folder / f"{day}.csv", *KINDS["verdicts"][1], *place).exit_code == 0
    return ["mine", *passes, "--store", str(folder / "store")]


def test_strictness_is_the_share_that_a_judge_passes_whatever_the_truth(tmp_path: Path) -> None:
    runs = import_two_days(tmp_path, {"monday": 0.6, "tuesday": 0.4})

    answer = spb("compare", *runs, "--measure", "strictness", "--format", "json")
    in_words = spb("compare", *runs, "--measure", "strictness")

    assert answer.exit_code == 1
    assert "as tuesday minus monday, in points of 100" in " ".join(in_words.stdout.split())
    assert "-20.0 points (no confidence" in in_words.stdout  # by the same on every question
    rows = {row["judge"]: row for row in json.loads(answer.stdout)["rows"]}
    # 4 of 10 criteria less 6 of 10; of the others, the same in both runs
    assert {name: round(row["estimate"], 9) for name, row in rows.items()} == {
        "gpt-4o": -0.2,
        "claude-3": 0.0,
        "gemini-2": 0.0,
    }
    assert [name for name, row in rows.items() if row["status"] == "changed"] == ["gpt-4o"]
    assert rows["gpt-4o"]["reason"].startswith("stricter, adjusted p")


def test_a_judge_that_became_stricter_is_named_beside_what_is_said_of_self_preference(tmp_path: Path) -> None:
    runs = import_two_days(tmp_path, {"monday": 0.6, "tuesday": 0.4})

    answer = spb("compare", *runs)
    text = " ".join(answer.stdout.split())
    (changed,) = json.loads(spb("compare", *runs, "--format", "json").stdout)["strictness"]

    assert answer.exit_code == 0
    assert text.startswith(
        "NO CHANGE SHOWN IN SELF-PREFERENCE, BUT STRICTNESS CHANGED: none of 3 judges shows a change in "
        "self-preference."
    )
    # 6 and 4 of 10 criteria of each of 20 questions, answered by three models
    numbers = {"judge": "gpt-4o", "before": pytest.approx(0.6), "after": pytest.approx(0.4), "n": 60}
    assert changed == numbers | {"of_criteria": True}
    assert (
        "How strict judges are did change: gpt-4o became stricter (it passed 60.0% in run monday and "
        "40.0% in run tuesday, of the criteria of the same 60 answers). The exit code is of self-preference "
        "alone. For one of strictness, as in a pipeline: spb compare mine monday tuesday --measure strictness"
    ) in text
    assert text.count("--measure strictness") == 1


def test_a_judge_that_became_less_accurate_is_named_too(tmp_path: Path) -> None:
    runs = import_two_days(tmp_path, {"monday": 0.6, "tuesday": 0.3})

    text = " ".join(spb("compare", *runs).stdout.split())
    (changed,) = json.loads(spb("compare", *runs, "--format", "json").stdout)["accuracy"]

    # Odd criteria are met. Passing 0 to 5 is right on 1, 3, 5, 6 and 8, passing 0 to 2 on 1, 4, 6 and 8.
    numbers = {"judge": "gpt-4o", "before": pytest.approx(0.5), "after": pytest.approx(0.4)}
    assert changed == numbers | {"measure": "accuracy", "of_criteria": True}
    assert "BUT STRICTNESS AND ACCURACY CHANGED" in text
    assert "From run monday to run tuesday, gpt-4o is less accurate (50.0% to 40.0%). The exit code" in text


def test_findings_and_report_say_of_accuracy_what_the_command_says(tmp_path: Path) -> None:
    import_two_days(tmp_path, {"monday": 0.6, "tuesday": 0.3})
    study = engine.Study.open(tmp_path / "store" / "mine")

    findings = study.findings()
    answer = next(each for each in findings.answers if each.question == "changed")
    report = content_of(study, findings=findings, date="2026-01-01")

    # As above: gpt-4o passes 6 of 10, then 3, and is right on 5 of 10, then 4.
    changed = (
        "From run monday to run tuesday, gpt-4o passes less (60.0% to 30.0%) and is less accurate (50.0% to "
        "40.0%)."
    )
    assert answer.sentences == (changed, "No change in self-preference is shown.")
    assert report.run_changes == changed


def test_which_judge_names_the_judge_that_changed_between_the_runs_and_the_command(tmp_path: Path) -> None:
    runs = import_two_days(tmp_path, {"monday": 0.6, "tuesday": 0.3})
    place = ("mine", "--store", str(tmp_path / "store"), "--resamples", "20")

    text = spb("measure", "which-judge", *place).stdout
    one = spb("measure", "which-judge", *place, "--run", "monday").stdout

    # Odd criteria are met. Passing 0 to 5 is right on 1, 3, 5, 6 and 8, passing 0 to 2 on 1, 4, 6 and 8:
    # gpt-4o passes 6 of 10, then 3, and is right on 5 of 10, then 4; the others do not change.
    sentence = " ".join(text.split()).partition("From run ")[2]
    assert sentence.startswith(
        "monday to run tuesday, gpt-4o passes less (60.0% to 30.0%) and is less accurate (50.0% to 40.0%). "
        "To compare the runs: spb compare mine monday tuesday"
    )
    assert "From run" not in one
    assert spb("compare", *runs, "--measure", "strictness").exit_code == 1


def test_a_report_says_how_judges_changed_since_the_last_run_and_nothing_where_none_did(
    tmp_path: Path,
) -> None:
    heading = "## What has changed since the last run?"
    sentence = "From run monday to run tuesday, gpt-4o passes less (60.0% to 30.0%) and is less accurate"

    for after in (0.3, 0.6):
        folder = tmp_path / str(after)
        folder.mkdir()
        place = ("mine", "--store", str(folder / "store"), "--out", str(folder / "report.md"))
        import_two_days(folder, {"monday": 0.6, "tuesday": after})
        assert spb("report", *place).exit_code == 0

        text = (folder / "report.md").read_text()
        assert ((f"{heading}\n\n{sentence}") in text) == (after == 0.3)
        assert "From run monday" not in text or after == 0.3


def test_strictness_is_of_the_answers_that_a_judge_scored_in_both_runs(tmp_path: Path) -> None:
    """One judge passes 6 of 10 criteria on Monday, 3 on Tuesday, but all 10 of those it scored only once."""

    def share_passed(day: str, question: int) -> float:
        once = {"monday": 0, "tuesday": 1}
        return 1.0 if question == once[day] else {"monday": 0.6, "tuesday": 0.3}[day]

    def lacks(day: str, question: int) -> bool:
        return question == {"monday": 1, "tuesday": 0}[day]

    for number, day in enumerate(("monday", "tuesday")):
        lines = ["judge,generator,instance_id,rubric_id,met,truth"]
        for question, model, judge, criterion in itertools.product(range(20), MODELS, MODELS, range(10)):
            met = str(criterion < 10 * share_passed(day, question)).lower()
            if judge != "gpt-4o":
                met = str(criterion < 5 + question % 2).lower()
            elif lacks(day, question) and criterion == 9:  # the answer has no score without this verdict
                met = ""
            lines.append(f"{judge},{model},q{question},r{criterion},{met},{criterion % 2}")
        (tmp_path / f"{day}.csv").write_text("\n".join(lines) + "\n")
        place = ["--study", "mine", "--store", tmp_path / "store", "--run", day, "--no-doctor"]
        place += ["--append"] if number else []
        assert spb("import", "table", tmp_path / f"{day}.csv", *KINDS["verdicts"][1], *place).exit_code == 0
    runs = ["mine", "monday", "tuesday", "--store", str(tmp_path / "store")]

    text = " ".join(spb("compare", *runs).stdout.split())
    answer = spb("compare", *runs, "--measure", "strictness", "--format", "json")

    # 20 questions answered by three models, of which two questions have no score in one of the runs
    assert (
        "gpt-4o became stricter (it passed 60.0% in run monday and 30.0% in run tuesday, of the criteria of "
        "the same 54 answers)"
    ) in text
    rows = {row["judge"]: row["estimate"] for row in json.loads(answer.stdout)["rows"]}
    assert round(rows["gpt-4o"], 9) == -0.3


def test_an_interval_that_excludes_no_change_is_explained_where_p_is_adjusted() -> None:
    def change(judge: str, status: GateStatus, low: float, high: float) -> run_changes.JudgeChange:
        return run_changes.JudgeChange(judge, status, "", "", 1.1, low, high, kind="change")

    def sentences(*rows: run_changes.JudgeChange, null: float = 1.0, looks: int = 1) -> list[str]:
        return explained_intervals(run_changes.RunChanges(rows, find("hspp"), None, null=null), looks)

    no_change = change("a", "PASS", 0.9, 1.3)
    apart = change("b", "PASS", 1.01, 1.2)

    [explained] = sentences(no_change, apart)
    assert explained == (
        "The interval of b excludes 1, yet no change is shown: p-values are adjusted for the 2 tests, "
        "intervals are not."
    )
    assert "of a and b exclude 0, yet" in sentences(no_change, apart, null=0.0)[0]
    assert sentences(no_change, change("b", "FAIL", 1.01, 1.2)) == []
    assert sentences(apart) == []  # one test, one look: nothing is adjusted
    assert "adjusted for the 3 looks" in sentences(apart, looks=3)[0]


AT_MOST = "A p of at most so much (≤) is the smallest that 1,000 resamples can give."


def test_a_p_that_no_resample_bounds_from_below_is_said_to_be_at_most_so_much(tmp_path: Path) -> None:
    assert import_day(tmp_path, "verdicts", "monday", 0.0).exit_code == 0
    assert import_day(tmp_path, "verdicts", "tuesday", 0.4, "--append").exit_code == 0
    runs = ["mine", "monday", "tuesday", "--store", tmp_path / "store"]
    against = ["hspp", "mine", "--run", "tuesday", "--against", "run=monday", "--store", runs[-1]]

    rows = {row["judge"]: row for row in json.loads(spb("compare", *runs, "--format", "json").stdout)["rows"]}
    words = " ".join(spb("compare", *runs).stdout.split())
    table = spb("measure", *against, "--all").stdout

    changed, unchanged = rows["gpt-4o"], rows["gemini-2"]
    p = changed["p_adjusted"]
    assert (changed["p_is_smallest"], unchanged["p_is_smallest"]) == (True, False)
    assert 0 <= float(changed["reason"].removeprefix("adjusted p at most ")) - p < 0.001
    assert float(unchanged["reason"].removeprefix("adjusted p = ")) == pytest.approx(
        unchanged["p_adjusted"], rel=0.01
    )
    assert AT_MOST in words
    assert AT_MOST in " ".join(table.split())
    assert "≤" in next(line for line in table.splitlines() if line.startswith("gpt-4o"))
    assert "≤" not in next(line for line in table.splitlines() if line.startswith("gemini-2"))


def test_nothing_is_said_of_a_smallest_p_where_there_is_none(alike: Callable[[str], Path]) -> None:
    answer = spb("compare", "mine", "monday", "tuesday", "--store", alike("pairs"))

    assert "at most so much" not in answer.stdout


@pytest.mark.parametrize(
    ("ends", "null", "text"),
    [
        ((0.002, 0.011), 0.0, "0.006 (95% CI 0.002 to 0.011)"),
        ((-0.008, 0.012), 0.0, "0.01 (95% CI -0.01 to 0.01)"),
        ((1e-17, 0.012), 0.0, "0.01 (95% CI 0.00 to 0.01)"),  # 0, but for how computers add
        ((0.002, 0.011), None, "0.01 (95% CI 0.00 to 0.01)"),
    ],
)
def test_a_change_has_as_many_digits_as_tell_its_ends_from_none(
    ends: tuple[float, float], null: float | None, text: str
) -> None:
    assert estimate_text(GateResult("a", "FAIL", "", "", 0.006, *ends, kind="change"), null) == text


def test_of_many_judges_that_changed_the_farthest_are_written_out_and_the_rest_counted() -> None:
    def change(judge: str, after: float, measure: str = "strictness") -> run_changes.NumberChange:
        return run_changes.NumberChange(judge, measure, 0.5, after, measure == "accuracy")

    changes = [change("a", 0.51), change("b", 0.2), change("c", 0.50004), change("d", 0.49)]

    assert (
        changes_words(changes[:1], "x", "y") == "From run x to run y, a gives higher scores (50.0% to 51.0%)."
    )
    assert changes_words(changes[2:3], "x", "y").endswith("c gives higher scores (50.000% to 50.004%).")
    assert changes_words([*changes, change("a", 0.6, "accuracy")], "x", "y") == (
        "From run x to run y, b gives lower scores (50.0% to 20.0%); a is more accurate (50.0% to 60.0%) and "
        "gives higher scores (50.0% to 51.0%); d gives lower scores (50.0% to 49.0%); 1 other judge changed "
        "too."
    )
    assert changes_words([], "x", "y") == ""


def test_nothing_is_said_of_strictness_where_none_changed_or_that_was_compared(tmp_path: Path) -> None:
    runs = import_two_days(tmp_path, {"monday": 0.6, "tuesday": 0.6})

    assert "did change" not in spb("compare", *runs).stdout
    assert "did change" not in spb("compare", *runs, "--measure", "strictness").stdout


def test_a_judge_with_several_rows_is_one_judge_that_changed(tmp_path: Path) -> None:
    runs = import_two_days(tmp_path, {"monday": 0.6, "tuesday": 0.2})

    answer = spb("compare", *runs, "--measure", "overestimation")

    # judged on the answers of three models each; the share of failed criteria passed falls on each of them
    changed = (
        "CHANGED: 1 of 3 judges (gpt-4o) shows a change in overestimation (3 of 9 rows, one for each judge "
        "and model)."
    )
    assert " ".join(answer.stdout.split()).startswith(changed)


def test_rows_of_two_judges_are_counted_as_pairs_of_judges() -> None:
    """Two of four judges are alike on Monday alone: less their means, that changes each of the six pairs."""
    models, drawn = ("gpt-4o", "claude-3", "gemini-2", "o3"), random.Random(3)
    rows = []
    for run, question, writer in itertools.product(("monday", "tuesday"), range(100), models):
        row = {"run_id": run, "instance_id": f"q{question}", "generator": writer, "criterion": "right"}
        met = {judge: drawn.random() < 0.5 for judge in models}
        if run == "monday":
            met["o3"] = met["gpt-4o"]
        rows += [row | {"judge": judge, "met": met[judge], "reference_met": False} for judge in models]
    study = engine.from_frame(
        pd.DataFrame(rows), set={"reference_source": "human"}, families={name: name for name in models}
    )

    changed = run_changes.changes(study, "relatedness", "monday", "tuesday")

    head = sentences(changed, None, "monday", "tuesday", 1, "")[0]
    assert (changed.n_judges, len(changed.results)) == (6, 6)
    assert head == (
        "CHANGED: all 6 pairs of judges (gpt-4o / claude-3, gpt-4o / gemini-2, gpt-4o / o3 and 3 more) show "
        "a change in relatedness."
    )


def test_a_comparison_says_what_else_can_be_compared(tmp_path: Path) -> None:
    runs = import_two_days(tmp_path, {"monday": 0.6, "tuesday": 0.6})

    listed = spb("compare", "-h").stdout.partition("What --measure can compare:")[2]
    answer = spb("compare", *runs)

    names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2:3] != " "]
    assert names == list(run_changes.comparable_measures())
    assert "To compare how strict they are: spb compare mine monday tuesday --measure strictness" in " ".join(
        answer.stdout.split()
    )


def test_some_judges_alone_are_compared(alike: Callable[[str], Path]) -> None:
    runs = ("compare", "mine", "monday", "tuesday", "--store", str(alike("verdicts")))

    whole, some = (
        json.loads(spb(*runs, *words, "--measure", "strictness", "--format", "json").stdout)
        for words in ((), ("--judge", "gpt-4o"))
    )

    assert {row["judge"] for row in whole["rows"]} == set(MODELS)
    assert {row["judge"] for row in some["rows"]} == {"gpt-4o"}
    assert some["filters"] == {"judges": ["gpt-4o"]}


@pytest.mark.parametrize("words", [("--judge", "gpt-9"), ("--reference", "nobody")])
def test_a_judge_or_a_reference_that_is_not_there_is_refused(
    alike: Callable[[str], Path], words: tuple[str, str]
) -> None:
    refused = spb("compare", "mine", "monday", "tuesday", "--store", alike("verdicts"), *words)

    assert isinstance(refused.exception, UsageError)
    assert repr(words[1]) in str(refused.exception)
