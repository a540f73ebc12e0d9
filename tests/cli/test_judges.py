"""Commands on a study of several runs, and filters that name what is not there."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from command_line import Spb
from jsonschema import Draft202012Validator
from plain.published import ROOT

import engine
from engine.errors import UsageError
from engine.measures.catalogue import MEASURES
from engine.report.formats import json_schema
from engine.study import Study
from engine.views.accuracy import ACCURACY
from engine.views.judges import JUDGES
from engine.words.caveats import caveats_of, shared_caveats

MODELS = ("gpt-4o", "claude-3-5-sonnet", "llama-3.1-70b")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder whose content `store` copies."""
    return tmp_path_factory.mktemp("imported")


@pytest.fixture
def store(spb_here: Spb, imported: Path, tmp_path: Path) -> Path:
    """Import verdicts of two weeks; in the second one gpt-4o says the opposite on every other question."""
    if not any(imported.iterdir()):
        import_weeks(spb_here, imported)
    return shutil.copytree(imported, tmp_path, dirs_exist_ok=True)


def import_weeks(spb_here: Spb, folder: Path) -> None:
    for week in (1, 2):
        lines = ["judge,model,question,verdict,truth"]
        for question in range(20):
            for judge in MODELS:
                for place, model in enumerate(MODELS):
                    passes = (question + place) % 3 > 0
                    errs = (question + 3 * place + len(judge)) % 7 == 0
                    errs ^= bool(week == 2 and judge == "gpt-4o" and question % 2)
                    verdict = "pass" if passes != errs else "fail"
                    lines.append(f"{judge},{model},q{question},{verdict},{'pass' if passes else 'fail'}")
        (folder / f"week{week}.csv").write_text("\n".join(lines), "utf-8")
    into = ("--study", "mine", "--store", folder)
    assert spb_here("import", folder / "week1.csv", *into, "--run", "week1").returncode == 0
    assert spb_here("import", folder / "week2.csv", *into, "--append", "--run", "week2").returncode == 0


def test_who_reads_json_or_the_summary_of_a_study_learns_what_merging_its_runs_does(
    spb_here: Spb, store: Path
) -> None:
    place = ("mine", "--store", store)
    board = " ".join(spb_here("judges", *place).stdout.split())
    of_board, of_info = (
        json.loads(spb_here(*words, *place, "--format", "json").stdout)
        for words in (("judges",), ("study", "info"))
    )
    one = json.loads(spb_here("judges", *place, "--run", "week1", "--format", "json").stdout)
    info = " ".join(spb_here("study", "info", *place).stdout.split())

    (remark,) = of_board["remarks"]
    assert remark.startswith("The runs week1 and week2 are taken together.")
    assert remark in board
    assert one["remarks"] == []
    assert list(Draft202012Validator(json_schema("scorecard")).iter_errors(of_board)) == []
    (of_info_alone,) = of_info["remarks"]
    assert of_info_alone.startswith("The runs week1 and week2 are taken together.")
    assert info.index(of_info_alone) < info.index("Can be measured:")
    grouped = spb_here("judges", *place, "--by", "paradigm", "--format", "json")
    assert json.loads(grouped.stdout)["remarks"][0].startswith("The runs week1 and week2 are taken together.")


def test_verdicts_lost_as_runs_disagree_are_counted_with_the_way_to_one_run(
    spb_here: Spb, store: Path
) -> None:
    both = spb_here("judges", "mine", "--store", store)
    one = spb_here("judges", "mine", "--store", store, "--run", "week1")

    text = " ".join(both.stdout.split())
    divided, merged = 10 * 3 * 2, 360 - 180 - 10 * 3  # of 60 cells of gpt-4o half disagree: both rows go
    assert f"Left out: {divided + merged} repeats of a judgment that do not count by themselves" in text
    together = f"Of 180 verdicts given more than once, the {divided // 2} without a majority are left out."
    assert f"The runs week1 and week2 are taken together. {together}" in text
    assert (
        text.index("(for the newest alone: --run week2;")
        < text.index("Judge Conclusion")
        < text.index("Left out:")
    )
    assert "Left out" not in one.stdout


def test_every_number_of_runs_taken_together_says_so(spb_here: Spb, store: Path) -> None:
    def says_so(*words: str) -> bool:
        result = spb_here(*words, "--store", store)
        return "The runs week1 and week2 are taken together" in " ".join(
            (result.stdout + result.stderr).split()
        )

    counted = ("measure", "accuracy", "mine")
    for words in (
        counted,
        ("measure", "which-judge", "mine"),  # a measure made of others counts nothing left out
        ("slices", "mine"),
        ("gate", "mine"),
        ("plan", "power", "mine"),
    ):
        assert says_so(*words), words
        assert not says_so(*words, "--run", "week2"), words
    assert not says_so(*counted, "--by", "run")
    study = engine.open_study("mine", store=store)
    for view in (JUDGES, ACCURACY):
        *_, last = view.shown(study, {}).sentences  # above the chart, as a sixth of the verdicts differs
        assert last.startswith("The runs week1 and week2 are taken together.")
    for name in ("report.md", "report.html"):
        assert spb_here("report", "mine", "--store", store, "--out", store / name).returncode == 0
        assert "The runs week1 and week2 are taken together" in (store / name).read_text("utf-8"), name


def test_a_study_of_several_files_has_the_name_given_to_it_and_names_its_runs(
    spb_here: Spb, store: Path
) -> None:
    (store / "week1.csv").rename(store / "week3.csv")
    words = ("--study", "mine", "--store", store, "--append", "--run", "week3")
    text = " ".join(spb_here("import", store / "week3.csv", *words).stdout.split())

    assert "The runs week1, week2 and week3 are taken together" in text
    assert engine.open_study("mine", store=store).findings().title == "mine"


def test_of_two_runs_that_are_compared_nothing_is_said_to_be_left_out(spb_here: Spb, store: Path) -> None:
    words = ("measure", "reference-agreement", "mine", "--store", store)

    apart = spb_here(*words, "--a", "run:week1", "--b", "run:week2").stdout
    together = spb_here(*words, "--a", "judge:gpt-4o", "--b", "judge:claude-3-5-sonnet").stdout

    assert "taken together" not in apart
    assert "left out" not in apart
    assert "The runs week1 and week2 are taken together" in " ".join(together.split())


def test_an_audit_says_once_that_runs_are_taken_together(spb_here: Spb, store: Path) -> None:
    output = spb_here("audit", "mine", "--store", store, "--out", store / "audit")

    assert output.returncode == 0, output.stderr
    texts = [
        output.stdout,
        *((store / "audit" / f"audit.{each}").read_text("utf-8") for each in ("md", "html")),
    ]
    assert [" ".join(text.split()).count("are taken together") for text in texts] == [1, 1, 1]


def test_the_gate_checks_one_run(spb_here: Spb, store: Path) -> None:
    words = ("gate", "mine", "--store", store, "--format", "json", "--run")
    first, second = (json.loads(spb_here(*words, f"week{week}").stdout) for week in (1, 2))

    assert first["rows"] != second["rows"]
    assert first["filters"] == {"run": ["week1"], "repeats": "majority"}


def test_the_gate_says_what_the_newest_run_alone_gives(spb_here: Spb, store: Path) -> None:
    words = ("gate", "mine", "--store", store)
    both, newest = (
        json.loads(spb_here(*words, *run, "--format", "json").stdout) for run in ((), ("--run", "week2"))
    )

    assert both["newest_run"] == {
        "run": "week2",
        "status": newest["status"],
        "judges": {row["judge"]: row["status"] for row in newest["rows"]},
        "reason": None,
    }
    assert newest["newest_run"] is None
    summary = store / "gate.md"
    text = " ".join(spb_here(*words, "--markdown", summary).stdout.split())
    head = spb_here(*words, "--run", "week2").stdout.partition("The rule")[0]
    of_newest = f"In the newest run alone (--run week2): {' '.join(head.split())} The rule"
    assert of_newest in text
    assert both["remarks"][0] == of_newest.removesuffix(" The rule")
    assert both["remarks"][0] in summary.read_text("utf-8")


def test_where_the_newest_run_lets_nothing_be_checked_that_is_said(spb_here: Spb, store: Path) -> None:
    rows = "judge,model,question,verdict,truth\ngpt-4o,claude-3,q0,pass,pass\n"
    (store / "last.csv").write_text(rows, "utf-8")
    into = ("--study", "mine", "--store", store, "--append", "--run", "another")  # first by its name
    assert spb_here("import", store / "last.csv", *into).returncode == 0

    text = " ".join(spb_here("gate", "mine", "--store", store).stdout.split())

    assert "In the newest run alone (--run another): nothing is checked: " in text


def test_a_newest_run_of_a_new_judge_alone_is_said_to_be_that(spb_here: Spb, store: Path) -> None:
    rows = "judge,model,question,verdict,truth\nmistral-large,claude-3,q0,pass,pass\n"
    (store / "last.csv").write_text(rows, "utf-8")
    into = ("--study", "mine", "--store", store, "--append", "--run", "another")
    assert spb_here("import", store / "last.csv", *into).returncode == 0

    text = " ".join(spb_here("gate", "mine", "--store", store).stdout.split())

    place = "In the newest run alone (--run another), which added mistral-large and has no other judge: "
    assert f"{place}nothing is checked: " in text
    assert ". The rule: " in text


def test_no_run_is_proposed_alone_that_has_no_answer(spb_here: Spb, store: Path) -> None:
    rows = [f"gpt-4o,claude-3,q{question},pass,pass" for question in range(20)]
    (store / "last.csv").write_text("\n".join(["judge,model,question,verdict,truth", *rows]), "utf-8")
    into = ("--study", "mine", "--store", store, "--append", "--run", "another")  # first by its name
    assert spb_here("import", store / "last.csv", *into).returncode == 0

    texts = [
        " ".join(spb_here(*words, "mine", "--store", store).stdout.split())
        for words in (("judges",), ("measure", "accuracy"), ("gate",))
    ]

    for text in texts:
        assert "for the newest with an answer alone: --run week2" in text
    assert "Run another alone allows no conclusion." in texts[0]
    assert "nothing is checked: no judge has judged its own answers in this slice. The rule: " in texts[2]


def test_a_run_of_another_kind_of_judgment_is_not_the_newest_of_a_conclusion(
    spb_here: Spb, store: Path
) -> None:
    rows = [
        f"{judge},{model},q{question},{(question + len(judge)) % 5 + 1}"
        for judge in MODELS
        for model in MODELS
        for question in range(20)
    ]
    (store / "scores.csv").write_text("\n".join(["judge,model,question,score", *rows]), "utf-8")
    into = ("--study", "mine", "--store", store, "--append", "--run", "scored", "--set", "scale=5")
    assert spb_here("import", store / "scores.csv", *into).returncode == 0

    gate, judges = (
        " ".join(spb_here(command, "mine", "--store", store).stdout.split()) for command in ("gate", "judges")
    )
    report = store / "report.md"
    assert spb_here("report", "mine", "--store", store, "--out", report).returncode == 0

    assert "In the newest run alone (--run week2): " in gate
    for text in (gate, judges):
        assert "The runs week1 and week2 are taken together." in text
        assert "for the newest alone: --run week2" in text
    assert "The runs week1 and week2 are taken together." in report.read_text("utf-8")
    assert "scored" not in judges.partition("Judge Conclusion")[0]
    one = spb_here("gate", "mine", "--store", store, "--run", "scored").stdout
    assert "newest run" not in one


def test_the_newest_run_of_a_named_judge_is_one_that_it_judged(spb_here: Spb, store: Path) -> None:
    rows = ["judge,model,question,verdict,truth", "claude-3-5-sonnet,gpt-4o,q0,pass,fail"]
    (store / "last.csv").write_text("\n".join(rows), "utf-8")
    into = ("--study", "mine", "--store", store, "--append", "--run", "last")
    assert spb_here("import", store / "last.csv", *into).returncode == 0
    words = ("gate", "mine", "--store", store, "--format", "json")

    every, one = spb_here(*words), spb_here(*words, "--judge", "llama-3.1-70b")

    assert "{" in every.stdout, every.stderr
    assert json.loads(every.stdout)["newest_run"]["run"] == "last"
    assert json.loads(one.stdout)["newest_run"]["run"] == "week2"


def test_a_run_counts_the_judges_that_judged_in_it_and_a_judge_named_is_checked_all_the_same(
    spb_here: Spb, store: Path
) -> None:
    rows = ["judge,model,question,verdict,truth", "later-judge,gpt-4o,q0,pass,pass"]
    rows += [f"{judge},{judge},q0,pass,fail" for judge in MODELS]
    (store / "last.csv").write_text("\n".join(rows), "utf-8")
    into = ("--study", "mine", "--store", store, "--append", "--run", "last")
    assert spb_here("import", store / "last.csv", *into).returncode == 0

    def judges_of(*words: str) -> dict[str, str]:
        output = spb_here("gate", "mine", "--store", store, "--max-excess", "99", "--format", "json", *words)
        return {row["judge"]: row["status"] for row in json.loads(output.stdout)["rows"]}

    assert sorted(judges_of("--run", "week1")) == sorted(MODELS)
    assert judges_of("--run", "week1,last")["later-judge"] == "INCONCLUSIVE"  # judged, without a number
    named = judges_of("--run", "week1", "--judge", "gpt-4o,later-judge")
    assert named["later-judge"] == "INCONCLUSIVE"
    assert len(named) == 2


def test_the_gate_keeps_the_first_of_each_repeat_where_asked(spb_here: Spb, store: Path) -> None:
    words = ("gate", "mine", "--store", store)
    of_first = json.loads(spb_here(*words, "--repeats", "first", "--format", "json").stdout)
    week1 = json.loads(spb_here(*words, "--run", "week1", "--format", "json").stdout)
    both = json.loads(spb_here(*words, "--format", "json").stdout)

    assert of_first["rows"] == week1["rows"] != both["rows"]  # every judgment of week 2 repeats one of week 1
    assert of_first["filters"] == {"run": [], "repeats": "first"}
    assert week1["remarks"] == []
    assert "are left out" in both["remarks"][1]
    text = " ".join(spb_here(*words).stdout.split())
    assert (
        "(for the newest alone: --run week2; for all 180, each by its first verdict: --repeats first)."
        in text
    )
    refused = spb_here(*words, "--independent", "--repeats", "first")
    assert (refused.returncode, "leave --repeats out" in refused.stderr) == (2, True)


ONE = ", of the run week1 alone"


def test_a_report_and_an_audit_of_one_run_are_those_of_a_study_of_it(spb_here: Spb, store: Path) -> None:
    alone = ("--study", "mine", "--store", store / "other", "--run", "week1")
    assert spb_here("import", store / "week1.csv", *alone).returncode == 0
    texts = []
    for place, run in ((store, ("--run", "week1")), (store / "other", ())):
        words = ("mine", "--store", place, "--date", "2026-01-01", "--force", *run)
        for command in (
            ("report", *words, "--out", place / "report.md"),
            ("report", *words, "--judge", "gpt-4o", "--out", place / "card.md"),
            ("audit", *words, "--out", place / "audit"),
        ):
            assert spb_here(*command).returncode == 0
        files = [place / name for name in ("report.md", "card.md", "audit/audit.md")]
        texts.append([file.read_text("utf-8") for file in files])

    both, one = texts
    assert all(ONE in text for text in both)
    assert not any(ONE in text for text in one)
    plain = [re.sub(f"{ONE}| --run week1|, run week1", "", text) for text in both]
    assert plain[1:] == one[1:]
    assert plain[0].partition("| dataset")[0] == one[0].partition("| dataset")[0]
    assert "spb measure scorecard mine --run week1" in both[0]


def test_a_report_of_all_runs_names_them(spb_here: Spb, store: Path) -> None:
    spb_here("report", "mine", "--store", store, "--out", store / "report.md")

    assert "360 verdicts, of the runs week1 and week2 together" in (store / "report.md").read_text("utf-8")


def test_what_a_study_can_measure_is_said_of_one_run(spb_here: Spb, store: Path) -> None:
    words = ("study", "info", "mine", "--store", store, "--format", "json", "--resamples", "0")
    one, both = (json.loads(spb_here(*words, *run).stdout) for run in (("--run", "week2"), ()))

    assert one["rows"] != both["rows"]


def test_stored_verdicts_of_one_run_are_read_by_its_name(store: Path) -> None:
    study = engine.open_study("mine", store=store)

    assert len(study.judgments(run="week2")) == len(study.judgments(run_id="week2")) == 180
    assert set(study.judgments()["run_id"]) == {"week1", "week2"}
    with pytest.raises(UsageError, match="both run= and run_id="):
        study.judgments(run="week2", run_id="week2")


def test_the_gate_refuses_a_run_where_none_is_read(spb_here: Spb, store: Path) -> None:
    result = spb_here("gate", "mine", "--store", store, "--independent", "--run", "week1")

    assert result.returncode == 2
    assert "leave --run out" in result.stderr


@pytest.mark.parametrize(
    "words", [("judges", "mine"), ("gate", "mine"), ("measure", "hspp", "mine"), ("study", "info", "mine")]
)
def test_an_unknown_run_is_refused_with_those_there_are(
    spb_here: Spb, store: Path, words: tuple[str]
) -> None:
    result = spb_here(*words, "--store", store, "--run", "week3")

    assert result.returncode == 2
    assert "unknown run 'week3'; choose from: week1, week2" in result.stderr


@pytest.mark.parametrize(
    "words",
    [("--axis", "accuracy"), ("--where", "axis=accuracy"), ("--axis", "accuracy", "--judge", "aster-large")],
)
def test_a_board_takes_the_filters_of_a_measure_and_says_which_slice_it_counts(
    spb_here: Spb, words: tuple[str, ...]
) -> None:
    study = ("demo-health", "--store", ROOT / "results")

    board = spb_here("judges", *study, *words)
    of_measure = spb_here("measure", "scorecard", *study, *words, "--format", "json")

    assert board.stdout.startswith("Only axis accuracy is counted.\n")
    data = spb_here("judges", *study, *words, "--format", "json").stdout
    assert json.loads(data) == json.loads(of_measure.stdout) | {"remarks": []}
    assert json.loads(data)["filters"]["axis"] == ["accuracy"]


def test_a_board_of_the_whole_study_names_no_slice(spb_here: Spb) -> None:
    board = spb_here("judges", "demo-health", "--store", ROOT / "results", "--judge", "aster-large")

    assert "counted" not in board.stdout.splitlines()[0]


@pytest.mark.parametrize("name", [name for name, entry in MEASURES.items() if entry.sliced])
def test_no_measure_takes_a_filter_that_names_nothing(name: str) -> None:
    study = engine.open_study(ROOT / "results" / "demo-health")

    for flag in ("run", "theme", "axis", "category", "language", "rubric_id", "generators"):
        with pytest.raises(UsageError, match=r"unknown .* 'nowhere'; "):
            study.result(MEASURES[name], **{flag: ("nowhere",)})


def test_a_reference_that_the_study_lacks_is_refused_with_those_that_it_has(spb_here: Spb) -> None:
    command = ("judges", "demo-health", "--store", str(ROOT / "results"), "--reference", "foo")

    answer = spb_here(*command)

    assert answer.returncode == 2
    assert "unknown reference 'foo'; choose from: program" in answer.stderr


@pytest.mark.parametrize("command", ["judges", "gate"])
def test_an_empty_name_does_not_mean_all_judges(spb_here: Spb, command: str) -> None:
    answer = spb_here(command, "demo-health", "--store", str(ROOT / "results"), "--judge", "")

    assert answer.returncode == 2
    assert (
        "a list of names is empty, as if a variable were unset; give a name, or leave the option out"
        in answer.stderr
    )


@pytest.mark.parametrize(
    ("words", "cautions"),
    [
        (("judges", "mine"), []),
        (("measure", "which-judge", "mine"), []),
        (("slices", "mine"), []),
        (("plan", "power", "mine", "--effect", "1.5"), []),
        (
            ("plan", "power", "mine", "--effect", "1.5", "--format", "csv"),
            ["The runs week1 and week2 are taken together."],
        ),
        (("measure", "dbg", "mine", "--format", "csv"), ["the study has no pairwise judgments"]),
    ],
)
def test_quiet_leaves_the_answer_and_its_cautions_alone(
    words: tuple[str, ...], cautions: list[str], spb_here: Spb, store: Path
) -> None:
    usual = spb_here(*words, "--store", store)
    quiet = spb_here(*words, "--store", store, "-q")

    assert (quiet.returncode, quiet.stdout) == (usual.returncode, usual.stdout)
    lines = quiet.stderr.splitlines()
    assert len(lines) <= len(usual.stderr.splitlines())
    assert len([line for line in lines if any(each in line for each in cautions)]) == len(cautions)
    assert all("spb plan power" in line or any(each in line for each in cautions) for line in lines)


@pytest.mark.parametrize(
    "table",
    [Study.judges, Study.hspp, Study.slices, lambda study, **run: study.measure("accuracy", **run)],
    ids=["judges", "hspp", "slices", "measure"],
)
def test_python_warns_at_the_callers_line_that_runs_are_taken_together(
    store: Path, table: Callable[..., "pd.DataFrame"]
) -> None:
    study = engine.open_study("mine", store=store)

    with pytest.warns(UserWarning, match="^The runs week1 and week2 are taken together") as warned:
        both = table(study)
    one = table(study, run="week2")  # no warning, which is an error here
    first = table(study, repeats="first")

    assert [str(each.message) for each in warned] == both.attrs["remarks"]
    assert 'run="week2"' in both.attrs["remarks"][0]
    assert one.attrs["remarks"] == []
    assert len(first.attrs["remarks"]) == 1
    assert warned[0].filename == __file__


def test_a_caveat_on_missing_verdicts_counts_those_that_differ_and_says_so(store: Path) -> None:
    rows = engine.open_study("mine", store=store).result("scorecard").rows
    [row] = [row for row in rows if row["judge"] == "gpt-4o"]

    sentence = caveats_of({**row, "cautions": ["missing_verdicts"]})["missing_verdicts"]

    # The truth fails its answers to questions 0, 3, ..., 18; of these 7, the weeks differ on 3, 9 and 15.
    assert row["missing_own"] == pytest.approx(3 / 7)
    assert sentence.startswith(
        "42.9% of the cases of its own answers have no verdict, or several without a majority, "
    )


def test_of_a_slice_that_shows_more_than_the_whole_study_it_is_said_so(spb_here: Spb) -> None:
    command = ("judges", "demo-health", "--store", str(ROOT / "results"))

    negative = spb_here(*command, "--polarity", "negative").stdout
    whole, by_prompts = (spb_here(*command, *flags).stdout for flags in ((), ("--paradigm", "single_rubric")))
    data = spb_here(*command, "--polarity", "negative", "--format", "csv").stdout

    words = " ".join(negative.split())
    assert "cinder-mini favours itself" in words
    assert (
        "On all criteria and questions less is concluded on aster-medium (no difference shown) and "
        "cinder-mini (overrates its own answers); a slice chosen after looking may show more by chance."
    ) in words
    assert not any("chosen after looking" in output for output in (whole, by_prompts, data))


def test_details_claim_no_resamples_where_none_are_drawn(spb_here: Spb) -> None:
    where = ("demo-health", "--store", ROOT / "results", "-v")
    judges, accuracy = spb_here("judges", *where).stderr, spb_here("measure", "accuracy", *where).stderr

    assert "decided_by odds_self" in judges
    assert "resamples" not in judges
    assert "interval percentile" not in judges
    assert "resamples 1000" in accuracy


def test_what_a_study_cannot_measure_has_no_former_names(spb_here: Spb) -> None:
    text = " ".join(spb_here("study", "info", "demo-verifiable", "--store", ROOT / "results").stdout.split())

    assert "Cannot be measured:" in text
    assert "quality-baseline-summary" not in text
    assert not re.search(r"\btransforms\b", text.partition("Cannot be measured:")[2])


def test_a_claim_of_few_judges_comes_with_what_is_assumed_of_their_tastes() -> None:
    words = "With fewer than five judges, differences in taste are assumed, not measured."
    cautioned = {"judge": "gpt-4o", "cautions": ["tastes_assumed"]}

    assert shared_caveats([cautioned | {"conclusion": "favours_itself"}] * 2) == [words]
    assert shared_caveats([cautioned | {"conclusion": "too_few_cases"}]) == []


def test_a_caveat_on_few_families_is_said_once_where_a_claim_has_it(spb_here: Spb) -> None:
    words = ("judges", "demo-verifiable", "--store", ROOT / "results")
    rows = json.loads(spb_here(*words, "--format", "json").stdout)["rows"]
    claims = [row["judge"] for row in rows if "few_families" in (row["cautions"] or ())]

    whole = " ".join(spb_here(*words).stdout.split())
    other = next(row["judge"] for row in rows if row["judge"] and row["judge"] not in claims)
    without = spb_here(*words, "--judge", other).stdout

    assert claims
    assert whole.count("With fewer than six families, a taste that a family shares") == 1
    assert "six families" not in without
