"""What people of any trade say is true is read; a column that may say so is pointed out by the conclusion."""

import re
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import Spb
from importers.foreign_files import lines

import engine
from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.importers.pipeline import reading
from engine.importers.tables.asking.questions import OpenQuestionsError
from engine.importers.tables.table import FORMAT

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")


def verdicts(*columns: str, values: tuple[Any, Any] = ("fail", "pass"), **own: Any) -> list[dict[str, Any]]:
    """Return verdicts of three judges that differ, with the truth in `columns` for two of three answers."""
    rows = []
    for place, judge in enumerate(MODELS):
        for at, author in enumerate(MODELS):
            for question in range(6):
                for number, criterion in enumerate(("flags risk", "cites law")):
                    case = question + at + number
                    truth = values[case % 2] if question % 3 else None
                    rows.append(
                        {
                            "judge": judge,
                            "author": author,
                            "question": f"q{question}",
                            "criterion": criterion,
                            "verdict": values[(case + (place == case % 3)) % 2],
                            **dict.fromkeys(columns, truth),
                            **{name: value(question, at, number) for name, value in own.items()},
                        }
                    )
    return rows


def report_of(path: Path, rows: list[dict[str, Any]], options: ImportOptions | None = None) -> MappingReport:
    with reading(FORMAT, lines(path / "t.jsonl", rows), options or ImportOptions()) as read:
        return read.report


def field_of(report: MappingReport, becomes: str) -> str | None:
    return next((field.name for field, _ in report.present if field.becomes == becomes), None)


@pytest.mark.parametrize(
    "column",
    [
        *("lawyer_verdict", "physician_verdict", "reviewer_label", "sme_label", "doctor_grade"),
        *("verdict_rater", "labeller_label", "Nurse's verdict", "qa_verdict", "attorneys_verdict"),
        "linguist_verdict",
    ],
)
def test_verdicts_of_people_of_a_trade_are_the_truth(tmp_path: Path, column: str) -> None:
    report = report_of(tmp_path, verdicts(column))

    assert field_of(report, "reference_met") == column
    assert report.doubts == ()


def test_scores_of_people_of_a_trade_are_the_true_scores(tmp_path: Path) -> None:
    report = report_of(tmp_path, verdicts("doctor_grade", values=(0.2, 0.8)))

    assert field_of(report, "reference_score") == "doctor_grade"


def test_a_column_of_people_is_read_beside_judges_with_a_column_each(tmp_path: Path) -> None:
    rows = [
        {"author": model, "question": f"q{n}", MODELS[0]: "pass", MODELS[1]: "fail", "lawyer_verdict": truth}
        for model in MODELS
        for n, truth in enumerate(("pass", "fail"))
    ]

    assert field_of(report_of(tmp_path, rows), "reference_met") == "lawyer_verdict"


def test_raters_are_people_only_where_a_column_has_the_judges(tmp_path: Path) -> None:
    rows = [{name: cell for name, cell in row.items() if name != "judge"} for row in verdicts("rater_label")]

    report = report_of(tmp_path, rows, ImportOptions(judge="gpt-4o"))

    assert field_of(report, "reference_met") is None


@pytest.mark.parametrize("column", ["lawyer_id", "doctor_age", "editor_note", "worker_name"])
def test_what_else_is_known_of_people_is_no_truth(tmp_path: Path, column: str) -> None:
    report = report_of(tmp_path, verdicts(**{column: lambda question, *_: f"n{question}"}))

    assert field_of(report, "reference_met") is None


def test_of_two_trades_none_is_taken_and_the_conclusion_is_doubted(tmp_path: Path) -> None:
    report = report_of(tmp_path, verdicts("lawyer_verdict", "doctor_verdict"))

    assert field_of(report, "reference_met") is None
    assert report.doubts == (
        (
            "'lawyer_verdict' and 'doctor_verdict' may each be what is true; none is taken "
            "(--map reference_met=FIELD names one)"
        ),
    )


def test_a_column_like_the_verdicts_that_does_not_depend_on_the_judge_may_be_true(tmp_path: Path) -> None:
    report = report_of(tmp_path, verdicts("status2"))

    assert report.doubts == (
        (
            "'status2' has values like 'verdict', one for each answer and criterion, and is not read: if it "
            "says what is true, give --map reference_met=status2 (--not status2 if it does not)"
        ),
    )
    assert set(report.doubts) <= {*report.notes} & {*report.cautions}


def test_what_the_caution_names_silences_it(tmp_path: Path) -> None:
    rows = verdicts("status2")

    read = report_of(tmp_path, rows, ImportOptions(map={"reference_met": "status2"}))
    left_out = report_of(tmp_path, rows, ImportOptions(leave_out=("status2",)))

    assert field_of(read, "reference_met") == "status2"
    assert read.doubts == left_out.doubts == ()


def test_a_truth_is_doubted_where_the_user_named_all_columns(tmp_path: Path) -> None:
    names = {"judge": "judge", "generator": "author", "instance_id": "question", "met": "verdict"}

    report = report_of(tmp_path, verdicts("lawyer_verdict"), ImportOptions(map=names))

    assert "give --map reference_met=lawyer_verdict" in report.doubts[0]


def test_the_remedy_for_scores_is_the_true_score(tmp_path: Path) -> None:
    report = report_of(tmp_path, verdicts("second", values=(0.2, 0.8)))

    assert "give --map reference_score=second (" in report.doubts[0]


def test_the_remedy_says_what_the_users_words_mean(tmp_path: Path) -> None:
    words = {"good": "yes", "meh": "no"}
    rows = verdicts("second", values=("meh", "good"))

    report = report_of(tmp_path, rows, ImportOptions(value={"met": words}))
    mended = ImportOptions(map={"reference_met": "second"}, value={"met": words, "reference_met": words})

    assert "--map reference_met=second --value reference_met:good=yes,meh=no" in report.doubts[0]
    assert field_of(report_of(tmp_path, rows, mended), "reference_met") == "second"


def test_a_truth_in_the_users_words_groups_no_criteria(tmp_path: Path) -> None:
    rows = [row for row in verdicts("second", values=("meh", "good")) if row["author"] == MODELS[0]]

    report = report_of(tmp_path, rows, ImportOptions(value={"met": {"good": "yes", "meh": "no"}}))

    assert report.unused == ("second",)
    assert len(report.doubts) == 1


def test_the_remedy_for_pairs_is_the_preference(tmp_path: Path) -> None:
    rows = [
        {
            "judge": judge,
            "item": f"q{n}",
            "model_a": "o3",
            "model_b": "gpt-4o",
            "verdict": side,
            "second": true,
        }
        for n, true in enumerate(("left", "right", "right", "left"))
        for judge, side in (("o3", "left"), ("gpt-4o", "right"))
    ]

    report = report_of(tmp_path, rows)

    assert report.doubts == (
        (
            "'second' has values like 'verdict', one for each pair, and is not read: if it says what is "
            "true, give --map preference=second (--not second if it does not)"
        ),
    )


@pytest.mark.parametrize(
    "of_what",
    [
        lambda question, *_: question % 2,
        lambda _, author, __: author % 2,
        lambda _, __, criterion: criterion,
        lambda question, _, criterion: (question + criterion) % 2,
    ],
)
def test_what_a_question_a_criterion_or_an_author_decides_is_no_truth(tmp_path: Path, of_what: Any) -> None:
    flag = {"flag": lambda *of: ("fail", "pass")[of_what(*of)]}

    assert report_of(tmp_path, verdicts(**flag)).doubts == ()


def test_a_column_with_other_values_or_one_alone_is_no_truth(tmp_path: Path) -> None:
    own = {"one": lambda *_: "pass", "other": lambda question, at, _: ("pass", "late")[(question + at) % 2]}

    assert report_of(tmp_path, verdicts(**own)).doubts == ()


def two_words(question: int, author: int, criterion: int) -> str:
    return ("error", "ok")[(question + author + criterion) % 2]


@pytest.mark.parametrize("column", ["lawyer_verdict", "second"])
def test_a_truth_in_other_words_than_the_verdicts_is_pointed_out(tmp_path: Path, column: str) -> None:
    rows = verdicts(**{column: two_words})
    words = {"reference_met": {"error": "no", "ok": "yes"}}

    report = report_of(tmp_path, rows)
    read = report_of(tmp_path, rows, ImportOptions(map={"reference_met": column}, value=words))

    assert (
        f"--map reference_met={column} --value 'reference_met:error=?,ok=?' with yes or no"
        in (report.doubts[0])
    )
    assert field_of(read, "reference_met") == column


def test_people_may_say_of_an_answer_as_a_whole_what_is_true(tmp_path: Path) -> None:
    of_answers = verdicts(lawyer_verdict=lambda question, author, _: two_words(question, author, 0))

    assert "--map reference_met=lawyer_verdict" in report_of(tmp_path, of_answers).doubts[0]


@pytest.mark.parametrize(
    "own",
    [
        {"format": lambda question, author, _: two_words(question, author, 0)},
        {"doctor_note": two_words},
        {"rare": lambda *of: ("error", "ok")[of != (1, 1, 1)]},
    ],
)
def test_other_words_of_an_answer_of_another_name_or_of_few_are_no_truth(
    tmp_path: Path, own: dict[str, Any]
) -> None:
    assert report_of(tmp_path, verdicts(**own)).doubts == ()


def test_the_command_of_a_question_reads_the_truth_in_other_words(tmp_path: Path) -> None:
    rows = verdicts("lawyer_verdict", values=("error", "ok"))
    for row in rows:
        row["verdict"] = {"error": "meh", "ok": "nice"}[row["verdict"]]

    with pytest.raises(OpenQuestionsError) as refused:
        report_of(tmp_path, rows)

    likely = refused.value.likely
    assert likely is not None
    assert likely.map["reference_met"] == "lawyer_verdict"
    assert likely.value == {"met": {"meh": "?", "nice": "?"}, "reference_met": {"error": "?", "ok": "?"}}


def test_the_caution_stands_by_the_conclusion(spb_here: Spb, tmp_path: Path) -> None:
    file = lines(tmp_path / "t.jsonl", verdicts("status2"))

    written = spb_here("import", file, "--study", "mine", "--store", tmp_path, "-q")
    dry = spb_here("import", file, "--study", "dry", "--store", tmp_path, "--dry-run", "-q")
    silent = spb_here("import", file, "--study", "other", "--store", tmp_path, "--not", "status2")

    assert written.returncode == dry.returncode == silent.returncode == 0
    assert "'status2' has values like 'verdict'" in " ".join(written.stdout.split())
    assert "'status2' has values like 'verdict'" in " ".join(dry.stdout.split()[-40:])
    assert "status2" not in silent.stdout


def test_an_audit_warns_of_a_column_that_may_be_true(spb_here: Spb, tmp_path: Path) -> None:
    file = lines(tmp_path / "t.jsonl", verdicts("status2"))

    audited = spb_here("audit", file, "--out", tmp_path / "audit", "-q")

    assert audited.returncode == 0, audited.stderr
    assert "warning: 'status2' has values like 'verdict', one for each answer" in audited.stderr
    assert "--map reference_met=status2" in audited.stderr


def test_a_frame_warns_of_a_column_that_may_be_true() -> None:
    frame = pd.DataFrame(verdicts("status2"))

    with pytest.warns(UserWarning, match=re.escape("give reference_met='status2' (drop status2 from the")):
        engine.from_frame(frame, generator="author", instance_id="question", met="verdict")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        engine.from_frame(frame.drop(columns="status2"))

    assert not any("status2" in str(each.message) for each in warned)
