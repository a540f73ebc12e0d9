"""What judges said and what is true are told apart by the data, and what stays unclear is asked about."""

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
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
from engine.importers.tables.judge_agreement import Dependence
from engine.importers.tables.table import FORMAT
from engine.store import Store
from engine.study import Study

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
CRITERIA = ("flags risk", "cites law")
NO_YES = ("no", "yes")

Row = dict[str, Any]


def is_true(question: int, author: int, criterion: int) -> bool:
    return (question * (3 + author) + author * 5 + criterion * 7) % 3 > 0


def says(question: int, author: int, criterion: int, judge: int) -> bool:
    """Return what a judge says: the opposite of the truth in a quarter of cases, others for each judge."""
    return is_true(question, author, criterion) ^ ((question + author * 2 + criterion + judge) % 4 == 0)


def table(n_questions: int = 8, **columns: Any) -> list[Row]:
    """Return a row for each judge of an answer and criterion; `columns` are functions of their numbers."""
    return [
        {
            "question_id": f"q{question}",
            "author": author,
            "criterion": criterion,
            "judge": judge,
            **{name: value(question, at, number, whose) for name, value in columns.items()},
        }
        for question in range(n_questions)
        for at, author in enumerate(MODELS)
        for number, criterion in enumerate(CRITERIA)
        for whose, judge in enumerate(MODELS)
    ]


def verdict(words: Sequence[Any] = NO_YES) -> Callable[..., Any]:
    return lambda *case: words[says(*case)]


def truth(words: Sequence[Any] = NO_YES) -> Callable[..., Any]:
    return lambda question, at, number, _: words[is_true(question, at, number)]


def report_of(path: Path, rows: list[Row], options: ImportOptions | None = None) -> MappingReport:
    with reading(FORMAT, lines(path / "t.jsonl", rows), options or ImportOptions()) as read:
        return read.report


def problem_of(path: Path, rows: list[Row], options: ImportOptions | None = None) -> str:
    with pytest.raises(OpenQuestionsError) as refused:
        report_of(path, rows, options)
    return str(refused.value)


def read_from(report: MappingReport) -> dict[str, str]:
    """Return the column from which each of what judges said and what is true was read."""
    ours = ("met", "score", "choice", "reference_met", "reference_score", "preference")
    return {field.becomes: field.name for field, _ in report.present if field.becomes in ours}


def commands_of(stderr: str) -> list[list[str]]:
    """Return the words of the commands that an error prints."""
    return [shlex.split(line)[1:] for line in stderr.splitlines() if line.startswith("  spb import ")]


def n_met(store: Path, study: str) -> int:
    return sum(Store(store).open(study).judgments(("met",))["met"].to_pylist())


@pytest.mark.parametrize(
    ("judged", "true", "words", "truths"),
    [
        ("pred", "correct", (False, True), (False, True)),
        ("judge_says", "is_correct", NO_YES, ("failed", "passed")),
        ("vote", "passed", (0, 1), (0, 1)),
        ("verdict", "met", NO_YES, NO_YES),
        ("grade", "gold", ("fail", "pass"), ("fail", "pass")),
        ("verdict", "is_correct", NO_YES, NO_YES),
        ("mark", "unit_test", ("NOT OK", "OK"), ("failed", "passed")),
        ("verdict", "reference", NO_YES, (0, 1)),
        ("verdict", "reference", NO_YES, NO_YES),
        ("verdict", "answer_key", NO_YES, NO_YES),
        ("verdict", "gold_label", NO_YES, NO_YES),
        ("verdict", "correct_verdict", NO_YES, NO_YES),
        ("judgement", "true_verdict", NO_YES, NO_YES),
        ("verdict", "tests_passed", NO_YES, (False, True)),
        ("own_word", "correct", NO_YES, NO_YES),
    ],
)
def test_the_column_that_no_judge_decides_is_the_truth_and_the_other_one_the_verdict(
    tmp_path: Path, judged: str, true: str, words: Sequence[Any], truths: Sequence[Any]
) -> None:
    columns = [(judged, verdict(words)), (true, truth(truths))]
    for each in (columns, columns[::-1]):
        report = report_of(tmp_path, table(**dict(each)))

        assert read_from(report) == {"met": judged, "reference_met": true}
        assert report.unused == ()


def test_that_a_verdict_was_told_by_the_data_is_said(tmp_path: Path) -> None:
    report = report_of(tmp_path, table(pred=verdict(), correct=truth()))

    note = (
        "guessed: 'correct' does not depend on who judged, and 'pred' does, which is taken for what judges "
        "said, and 'correct' for what is true (--not correct if it is not)"
    )
    assert note in report.cautions


def test_a_frame_is_read_likewise(recwarn: pytest.WarningsRecorder) -> None:
    frame = pd.DataFrame(table(pred=verdict((False, True)), correct=truth((False, True))))

    study = engine.from_frame(frame)

    assert sum(study.files.judgments(("met",))["met"].to_pylist()) == frame["pred"].sum()
    assert study.files.table("references").num_rows == frame["correct"].size // len(MODELS)
    assert any("(drop correct from the frame if it is not)" in str(each.message) for each in recwarn)


def test_the_author_is_the_other_column_of_judges_names_whatever_it_is_called(
    spb_here: Spb, tmp_path: Path
) -> None:
    rows = table(mark=verdict(("NOT OK", "OK")), unit_test=truth(("failed", "passed")))

    imported = spb_here("import", renamed(tmp_path, rows, "by_x"), "--study", "mine", "--store", tmp_path)

    assert imported.returncode == 0, imported.stderr
    assert n_met(tmp_path, "mine") == sum(row["mark"] == "OK" for row in rows)
    references = Store(tmp_path).open("mine").table("references")
    assert set(references["source"].to_pylist()) == {"program"}
    assert sum(references["met"].to_pylist()) == sum(row["unit_test"] == "passed" for row in rows) // 3


@pytest.mark.parametrize("name", ["winner", "opponent", "by_x"])
def test_a_column_of_judges_names_that_may_be_another_is_asked_about(
    spb_here: Spb, tmp_path: Path, name: str
) -> None:
    rows = table(mark=verdict(("NOT OK", "OK")))
    if name == "by_x":  # each judges itself, or it is the judge's name once more
        rows = [row | {"author": row["judge"]} for row in rows]

    refused = spb_here("import", renamed(tmp_path, rows, name), "--study", "mine", "--store", tmp_path)

    assert refused.returncode == 2
    assert not (tmp_path / "mine").exists()


def renamed(folder: Path, rows: Sequence[Row], name: str) -> Path:
    """Return a file of the rows in which the author's column has another name."""
    of_file = [{(name if key == "author" else key): value for key, value in row.items()} for row in rows]
    return lines(folder / "t.jsonl", of_file)


def test_a_mistake_in_a_truth_leaves_it_one(tmp_path: Path) -> None:
    rows = table(20, pred=verdict(), correct=truth())
    rows[0]["correct"] = "no" if rows[0]["correct"] == "yes" else "yes"

    assert read_from(report_of(tmp_path, rows)) == {"met": "pred", "reference_met": "correct"}


def test_of_two_columns_that_judges_decide_the_names_decide_as_before(tmp_path: Path) -> None:
    report = report_of(tmp_path, table(pred=lambda *case: NO_YES[case[3] % 2], correct=verdict()))

    assert read_from(report) == {"met": "correct"}


def test_with_one_judge_the_data_cannot_tell_and_the_user_is_asked(tmp_path: Path) -> None:
    rows = [row for row in table(pred=verdict(), correct=truth()) if row["judge"] == MODELS[0]]

    others = [{name: cell for name, cell in row.items() if name != "judge"} for row in rows]

    assert "it may be 'correct' or 'pred'" in problem_of(tmp_path, rows)
    assert "it may be 'correct' or 'pred'" in problem_of(tmp_path, others, ImportOptions(judge=MODELS[0]))


def test_verdicts_that_the_user_left_out_by_naming_the_truth_are_doubted(tmp_path: Path) -> None:
    rows = table(pred=verdict(), correct=truth())

    report = report_of(tmp_path, rows, ImportOptions(map={"met": "correct"}))
    mended = report_of(tmp_path, rows, ImportOptions(map={"met": "pred", "reference_met": "correct"}))
    silenced = report_of(tmp_path, rows, ImportOptions(map={"met": "correct"}, leave_out=("pred",)))

    assert report.doubts == (
        (
            "'correct', read as the verdicts, does not depend on who judged, and 'pred', which is not read, "
            "does: if that is what judges said, give --map met=pred,reference_met=correct (--not pred if it "
            "is not)"
        ),
    )
    assert read_from(mended) == {"met": "pred", "reference_met": "correct"}
    assert mended.doubts == silenced.doubts == ()


def test_the_winner_of_pairs_that_no_judge_decides_is_the_preference(tmp_path: Path) -> None:
    rows = [
        {
            "question_id": f"q{n}",
            "judge": judge,
            "model_a": MODELS[0],
            "model_b": MODELS[1],
            "winner": ("model_a", "model_b")[n % 2],
            "judge_vote": ("model_a", "model_b")[(n + (place == n % 3)) % 2],
        }
        for n in range(9)
        for place, judge in enumerate(MODELS)
    ]

    assert read_from(report_of(tmp_path, rows)) == {"choice": "judge_vote", "preference": "winner"}


@pytest.mark.parametrize(("n_questions", "is_doubted"), [(8, False), (9, True)])
def test_judges_who_agree_on_all_of_many_answers_are_doubted(
    tmp_path: Path, n_questions: int, is_doubted: bool
) -> None:
    report = report_of(tmp_path, table(n_questions, correct=truth()))  # 6 answers and criteria a question

    assert read_from(report) == {"met": "correct"}
    assert report.doubts == (
        (
            (
                "all judges agree on all 54 answers and criteria that several judged, by 'correct': if that "
                "is what is true, the judges' verdicts are missing, and --map "
                "reference_met=correct,met=FIELD names both"
            ),
        )
        if is_doubted
        else ()
    )


def test_judges_who_differ_after_the_first_rows_are_not_doubted(tmp_path: Path) -> None:
    rows = table(9, correct=truth())
    rows[-1]["correct"] = "no" if rows[-1]["correct"] == "yes" else "yes"

    assert report_of(tmp_path, rows).doubts == ()


def test_a_key_that_is_about_the_question_is_not_what_is_true_of_its_answers(tmp_path: Path) -> None:
    report = report_of(
        tmp_path, table(verdict=verdict(), answer_key=lambda question, *_: NO_YES[question % 2])
    )

    assert read_from(report) == {"met": "verdict"}


def test_texts_in_a_column_called_reference_are_no_truth(tmp_path: Path) -> None:
    report = report_of(tmp_path, table(verdict=verdict(), reference=truth(("It is not.", "It is so."))))

    assert read_from(report) == {"met": "verdict"}
    assert report.unused == ("reference",)


def test_a_test_is_the_truth_beside_judges_with_a_column_each(tmp_path: Path) -> None:
    rows = [
        {
            "question_id": f"q{question}",
            "author": author,
            "criterion": CRITERIA[0],
            **{judge: NO_YES[says(question, at, 0, place)] for place, judge in enumerate(MODELS)},
            "passed": is_true(question, at, 0),
        }
        for question in range(8)
        for at, author in enumerate(MODELS)
    ]

    assert read_from(report_of(tmp_path, rows))["reference_met"] == "passed"


@pytest.mark.parametrize(
    ("column", "source"),
    [
        *((name, "program") for name in ("unit_test", "tests_passed", "exact_match", "compiles")),
        *((name, "gold") for name in ("answer_key", "reference")),
        *((name, "human") for name in ("human_label", "truth")),
    ],
)
def test_the_source_of_a_truth_is_told_by_a_plain_name(
    spb_here: Spb, tmp_path: Path, column: str, source: str
) -> None:
    file = lines(tmp_path / "t.jsonl", table(verdict=verdict(), **{column: truth()}))

    read = spb_here("import", file, "--study", "by-name", "--store", tmp_path)
    given = spb_here(
        "import", file, "--study", "given", "--store", tmp_path, "--set", "reference_source=human:ana"
    )

    sources = [
        set(Store(tmp_path).open(study).table("references")["source"].to_pylist())
        for study in ("by-name", "given")
    ]
    assert sources == [{source}, {"human:ana"}]
    assert ("--set reference_source=human if people" in " ".join(read.stderr.split())) == (source != "human")
    assert "reference_source" not in given.stderr


def test_a_report_calls_no_program_people(spb_here: Spb, tmp_path: Path) -> None:
    file = lines(tmp_path / "t.jsonl", table(20, verdict=verdict(), unit_test=truth()))

    imported = spb_here("import", file, "--study", "mine", "--store", tmp_path)
    measured = spb_here("measure", "people", "mine", "--store", tmp_path)

    assert "'unit_test' is taken for what a program decided" in " ".join(imported.stderr.split())
    assert "There is nothing to show: the study has no verdicts of people" in measured.stdout


LEVELS = ("beginner", "intermediate", "expert")


@pytest.mark.parametrize(
    "columns",
    [
        {"level": lambda question, *_: LEVELS[question % 3]},
        {"level": lambda question, *_: LEVELS[question % 3], "easy": lambda question, *_: question % 2},
        {"level": lambda question, *_: LEVELS[question % 3], "tested": truth()},
        {"unit_test": truth()},
        {"violations": lambda *case: sum(case) % 4},
    ],
)
def test_what_is_no_verdict_is_not_offered_as_one(
    spb_here: Spb, tmp_path: Path, columns: dict[str, Callable[..., Any]]
) -> None:
    file = lines(tmp_path / "t.jsonl", table(**columns))

    refused = spb_here("import", file, "--study", "mine", "--store", tmp_path)
    [command] = commands_of(refused.stderr)

    assert "no column is met or score" in refused.stderr
    assert "it may be" not in refused.stderr
    assert [word for word in command if word.startswith(("met", "score"))] == ["met=?"]
    assert "--value" not in command
    assert spb_here(*command).returncode == 2


def test_a_column_that_may_be_the_verdict_is_still_offered(spb_here: Spb, tmp_path: Path) -> None:
    rows = table(level=lambda question, *_: LEVELS[question % 3], odd=verdict())
    file = lines(tmp_path / "t.jsonl", rows)

    refused = spb_here("import", file, "--study", "mine", "--store", tmp_path)
    [command] = commands_of(refused.stderr)

    assert "this reads 'odd' as met" in refused.stderr
    assert spb_here(*command).returncode == 0
    assert n_met(tmp_path, "mine") == sum(row["odd"] == "yes" for row in rows)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("violation", (1, 0)),
        ("hallucinated", (True, False)),
        ("error", ("yes", "no")),
        ("failed", (1, 0)),
        ("is_toxic", (1, 0)),
        ("refused", ("true", "false")),
        ("bad", (1, 0)),
    ],
)
def test_which_way_round_a_column_is_that_is_called_bad_is_asked_with_both_commands(
    spb_here: Spb, tmp_path: Path, column: str, words: tuple[Any, Any]
) -> None:
    rows = table(**{column: verdict(words)})
    file = lines(tmp_path / "t.jsonl", rows)

    refused = spb_here("import", file, "--study", "mine", "--store", tmp_path)
    upright, inverted = commands_of(refused.stderr)
    n = sum(row[column] == words[0] for row in rows)

    assert refused.returncode == 2
    assert not Store(tmp_path).studies()
    assert "its name says that something is bad" in refused.stderr
    assert spb_here(*upright).returncode == 0
    assert n_met(tmp_path, "mine") == n
    assert spb_here(*inverted, "--replace").returncode == 0
    assert n_met(tmp_path, "mine") == len(rows) - n


def test_a_name_of_something_bad_is_asked_about_where_the_user_gave_it(tmp_path: Path) -> None:
    rows = table(verdict=verdict(), violation=verdict((1, 0)))
    given = ImportOptions(map={"met": "violation"}, value={"met": {"1": "no", "0": "yes"}})

    problem = problem_of(tmp_path, rows, ImportOptions(map={"met": "violation"}))

    assert "Give --value met:1=yes,0=no if it is met, or --value met:1=no,0=yes if it is not" in problem
    assert read_from(report_of(tmp_path, rows, given)) == {"met": "violation"}


def share(question: int, author: int, criterion: int, judge: int) -> float:
    """Return a score from 0 to 1, which differs between judges."""
    return (question + 2 * author + 3 * criterion + judge) % 5 / 4


def one_criterion(**columns: Any) -> list[Row]:
    """Return rows of answers to questions, without a column of criteria."""
    rows = table(**columns)
    for row in rows:
        row["question_id"] += row.pop("criterion")
    return rows


def test_scores_of_something_bad_are_asked_about_with_both_commands(spb_here: Spb, tmp_path: Path) -> None:
    file = lines(tmp_path / "t.jsonl", one_criterion(toxicity=share))

    refused = spb_here("import", file, "--map", "score=toxicity", "--study", "mine", "--store", tmp_path)
    bad, good = commands_of(refused.stderr)

    assert refused.returncode == 2
    assert "'toxicity' holds scores of something bad, by its name. Is a high score bad, or good?" in (
        refused.stderr
    )
    scores = {}
    for command, points in ((bad, {-1.0}), (good, set())):
        assert spb_here(*command, "--replace").returncode == 0
        study = Study(Store(tmp_path).open("mine"))
        rubrics = study.files.table("rubrics").to_pylist()
        assert {row["points"] for row in rubrics} == points
        assert all(row["rubric_id"] == "toxicity" for row in rubrics)
        rows = study.result("ranking", resamples=0).rows
        scores[len(points)] = {(row["by"], row["model"]): row["score"] for row in rows}
    assert len(scores[0]) > 3
    assert scores[1] == pytest.approx({name: 1 - score for name, score in scores[0].items()})


@pytest.mark.parametrize("column", ["rank", "mean_rank", "ranking", "place", "error_count"])
def test_ranks_and_counts_of_errors_are_asked_about_as_scores_of_something_bad(
    tmp_path: Path, column: str
) -> None:
    rows = one_criterion(**{column: share})

    problem = problem_of(tmp_path, rows, ImportOptions(map={"score": column}))

    what = "scores of something bad" if column == "error_count" else "ranks"
    assert f"{column!r} holds {what}, by its name. Is a high score bad, or good?" in problem
    assert f"Give --set points=-1 with --set rubric_id={column} if it is bad" in problem


def test_many_numbers_are_proposed_as_scores_and_not_as_verdicts(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, one_criterion(rank=share), ImportOptions())

    assert "it may be 'rank'. Name it with --map score=FIELD" in problem


@pytest.mark.parametrize(
    "column", ["helpfulness", "error_handling", "ranked_answer", "error_free", "no_harm", "badness_of_fit"]
)
def test_scores_of_other_names_are_not_asked_about(tmp_path: Path, column: str) -> None:
    options = ImportOptions(map={"score": column})

    assert read_from(report_of(tmp_path, one_criterion(**{column: share}), options)) == {"score": column}


@pytest.mark.parametrize(
    ("columns", "criteria"),
    [(("toxicity", "error_rate"), ("toxicity", "error_rate")), (("toxicity", "clarity"), ("toxicity",))],
)
def test_of_columns_with_a_criterion_each_those_of_something_bad_are_turned_alone(
    tmp_path: Path, columns: tuple[str, ...], criteria: tuple[str, ...]
) -> None:
    file = lines(tmp_path / "t.jsonl", one_criterion(**dict.fromkeys(columns, share)))

    with (
        pytest.raises(OpenQuestionsError) as refused,
        reading(FORMAT, file, ImportOptions(criteria=columns)),
    ):
        pass
    [question] = refused.value.questions
    bad, good = (choice.added_to(refused.value.options) for choice in question.choices)

    assert bad.criteria == good.criteria == columns
    for options, turned in ((bad, {*criteria}), (good, set())):
        with reading(FORMAT, file, options) as read:
            rubrics = read.builder.rows["rubrics"].values()
            points = {row["rubric_id"]: float(row["points"]) for row in rubrics}
            assert points == {name: -1 if name in turned else 1 for name in columns}


def test_a_criterion_of_something_bad_among_others_is_doubted_unless_it_has_points(tmp_path: Path) -> None:
    names = ("toxicity", "clarity")
    rows = [row | {"metric": names["law" in row.pop("criterion")]} for row in table(score=share)]
    with_points = [row | {"points": -1 if row["metric"] == "toxicity" else 1} for row in rows]

    doubts = report_of(tmp_path, rows).doubts

    [doubt] = [each for each in doubts if "of something bad" in each]
    assert doubt.startswith(
        "'toxicity' is a criterion of something bad, by the name, and a high score counts"
    )
    assert "(--map points=FIELD names the column that has them)" in doubt
    assert not any("something bad" in each for each in report_of(tmp_path, with_points).doubts)


@pytest.mark.parametrize(
    ("column", "words"), [("no_violation", (0, 1)), ("error_free", (0, 1)), ("failed", ("fail", "pass"))]
)
def test_a_name_or_words_that_are_plain_are_not_asked_about(
    tmp_path: Path, column: str, words: tuple[Any, Any]
) -> None:
    report = report_of(tmp_path, table(**{column: verdict(words)}), ImportOptions(map={"met": column}))

    assert read_from(report) == {"met": column}


def test_an_error_beside_a_column_that_may_be_the_verdict_is_not_offered_as_one(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, table(odd=verdict(), error=lambda *case: case[3] % 2))

    assert "--map met=error" not in problem


def test_an_error_beside_the_verdict_is_no_verdict(tmp_path: Path) -> None:
    rows = table(verdict=verdict(), error=lambda *case: case[3] % 2)

    assert read_from(report_of(tmp_path, rows)) == {"met": "verdict"}


@pytest.mark.parametrize(
    ("column", "other", "name"), [("verdict", 2, ()), ("decision", 7, ("score=decision",))]
)
def test_a_verdict_of_two_numbers_may_be_codes_or_scores(
    spb_here: Spb, tmp_path: Path, column: str, other: int, name: tuple[str, ...]
) -> None:
    rows = table(**{column: verdict((other, 1))}, truth=truth())
    words = [word for each in name for word in ("--map", each)]
    file = lines(tmp_path / "t.jsonl", rows)

    refused = spb_here("import", file, *words, "--study", "mine", "--store", tmp_path)
    codes, scores = commands_of(refused.stderr)
    chosen = [word.replace("1=?", "1=yes").replace("=?", "=no") for word in codes]

    assert "which may be codes of yes and no, or scores of which" in " ".join(refused.stderr.split())
    assert f"met:1=?,{other}=?" in codes  # which of them is yes is no guess
    assert spb_here(*chosen).returncode == 0
    assert n_met(tmp_path, "mine") == sum(row[column] == 1 for row in rows)
    assert spb_here(*scores, "--replace").returncode == 0
    judgments = Store(tmp_path).open("mine").judgments(("score",))["score"].to_pylist()
    assert judgments == [row[column] / other for row in rows]


def test_a_decision_of_two_numbers_is_no_score_and_which_is_yes_is_asked(
    spb_here: Spb, tmp_path: Path
) -> None:
    other = {"area": lambda question, *_: "abc"[question % 3], "words": lambda *case: "xyz"[sum(case) % 3]}
    file = lines(tmp_path / "t.jsonl", table(decision=verdict((7, 1)), **other))

    refused = spb_here("import", file, "--store", tmp_path)

    (command,) = commands_of(refused.stderr)
    assert "this reads 'decision' as met" in refused.stderr
    assert {"met=decision", "met:1=?,7=?"} <= {*command}


def test_a_rating_of_1_and_2_is_a_score(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, table(rating=verdict((2, 1))))

    assert "goes up to 2, where 1 is perfect" in problem


def with_one(value: Any, column: str, rows: list[Row]) -> list[Row]:
    """Return rows of which the eighth has another value in a column."""
    return [row | {column: value} if number == 7 else row for number, row in enumerate(rows)]


@pytest.mark.parametrize(("column", "words"), [("verdict", (0, 1)), ("grade", (0, 1)), ("correct", NO_YES)])
def test_a_stray_number_among_many_verdicts_is_asked_about_alone_and_makes_no_scores(
    spb_here: Spb, tmp_path: Path, column: str, words: tuple[Any, Any]
) -> None:
    rows = with_one(7, column, table(**{column: verdict(words)}))
    file = lines(tmp_path / "t.jsonl", rows)

    refused = spb_here("import", file, "--study", "mine", "--store", tmp_path)
    [command] = commands_of(refused.stderr)

    assert len(rows) == 8 * 3 * 2 * 3
    assert "'7' is neither true nor false. What do they mean? Give such as --value met:7=none" in (
        refused.stderr
    )
    are_numbers = words == (0, 1)
    assert (f"; if these are scores, --map score={column} reads them so" in refused.stderr) == are_numbers
    assert {f"met={column}", "met:7=none"} <= {*command}
    assert spb_here(*command).returncode == 0
    stored = Store(tmp_path).open("mine").judgments(("met",))["met"].to_pylist()
    assert Counter(stored) == Counter({words[0]: False, words[1]: True}.get(row[column]) for row in rows)


@pytest.mark.parametrize(
    ("column", "stray", "n_questions"),
    [("score", 7, 8), ("verdict", 7, 5), ("verdict", 0.5, 8)],  # a name of scores, 1 of 90, part of a score
)
def test_scores_that_are_mostly_0_and_1_are_scores(
    tmp_path: Path, column: str, stray: float, n_questions: int
) -> None:
    rows = with_one(stray, column, table(n_questions, **{column: verdict((0, 1))}))

    report = report_of(tmp_path, rows, ImportOptions(set={"scale": "10"}))

    assert read_from(report) == {"score": column}


def test_a_stray_number_of_a_column_that_is_first_asked_for_is_named_beside_its_command(
    spb_here: Spb, tmp_path: Path
) -> None:
    file = lines(tmp_path / "t.jsonl", with_one(7, "odd", table(odd=verdict((0, 1)))))

    refused = spb_here("import", file, "--study", "mine", "--store", tmp_path)

    assert "this reads '7' as none; correct what is wrong, and run:" in refused.stderr
    assert "met:7=none" in commands_of(refused.stderr)[0]


def test_a_stray_number_leaves_a_column_for_each_criterion_one_of_verdicts(tmp_path: Path) -> None:
    rows = with_one(7, "tone", table(clarity=verdict((0, 1)), tone=lambda q, a, _, j: (q + a + j) % 2))
    for row in rows:
        row["question_id"] += row.pop("criterion")

    problem = problem_of(tmp_path, rows)
    report = report_of(tmp_path, rows, ImportOptions(value={"met": {"7": "none"}}))

    assert "(first in 'tone')" in problem
    assert "Give such as --value met:7=none. All together" in problem
    assert report.statuses == {"ok": 2 * len(rows) - 1, "unparsed": 1}


def test_a_column_that_is_called_bad_is_asked_about_beside_a_stray_number_and_after_it(
    tmp_path: Path,
) -> None:
    rows = with_one(7, "violation", table(violation=verdict((0, 1))))

    both = problem_of(tmp_path, rows, ImportOptions(map={"met": "violation"}))
    after = problem_of(tmp_path, rows, ImportOptions(map={"met": "violation"}, value={"met": {"7": "none"}}))

    assert "'7' is neither true nor false" in both
    assert all("its name says that something is bad" in problem for problem in (both, after))


def becomes(report: MappingReport) -> dict[str, str]:
    return {field.name: field.becomes for field, count in report.fields if count}


@pytest.mark.parametrize("name", ["rating", "score"])
@pytest.mark.parametrize(
    ("true", "words", "mapped"),
    [
        ("coach", (0, 1), True),
        ("coach", NO_YES, True),
        ("human_label", (0, 1), False),
        ("human_score", (0, 1), False),
    ],
)
def test_a_rating_that_is_only_0_and_1_is_a_verdict_where_the_truth_is_one(
    tmp_path: Path, name: str, true: str, words: Sequence[Any], mapped: bool
) -> None:
    rows = table(**{name: verdict((0, 1)), true: truth(words)})
    rows[3][name] = None
    options = ImportOptions(map={"reference_met": true} if mapped else {})

    report = report_of(tmp_path, rows, options)

    assert becomes(report) | {name: "met", true: "reference_met"} == becomes(report)
    assert any(
        f"{name!r} has only 0 and 1, beside {true!r}, so it is read as verdicts (--map score={name} reads"
        in note
        for note in report.cautions
    )
    assert report.paradigms == {"single_rubric": len(rows)}
    assert report.statuses == {"ok": len(rows) - 1, "unparsed": 1}


@pytest.mark.parametrize(
    ("options", "values", "late"),
    [
        ({"map": {"score": "rating"}}, (0, 1), None),
        ({"set": {"scale": "1"}}, (0, 1), None),
        ({}, (0, 0.5), None),
        ({"map": {"reference_score": "human"}}, (0, 1), None),
        ({}, (0, 1), 0.5),
    ],
)
def test_a_rating_that_is_clearly_a_score_stays_one_beside_a_truth_of_0_and_1(
    tmp_path: Path, options: dict[str, Any], values: tuple[float, float], late: float | None
) -> None:
    rows = table(80 if late else 8, rating=verdict(values), human=truth((0, 1)))  # 1,440 rows or 144
    if late is not None:
        rows = [*rows, *({**row, "question_id": f"late {row['question_id']}"} for row in rows)]
        rows[-1]["rating"] = late

    report = report_of(tmp_path, rows, ImportOptions(**options))

    assert becomes(report)["rating"] == "score"
    assert report.paradigms == {"score_rubric": len(rows)}


@pytest.mark.parametrize(("n_questions", "more"), [(4, {}), (8, {"scale": lambda *_: 1})])
def test_a_few_ratings_of_0_and_1_or_with_a_scale_are_asked_about_with_both_commands(
    spb_here: Spb, tmp_path: Path, n_questions: int, more: dict[str, Any]
) -> None:
    rows = table(n_questions, rating=verdict((0, 1)), human=truth((0, 1)), **more)
    path = lines(tmp_path / "t.jsonl", rows)

    refused = spb_here("import", path, "--store", tmp_path / "s")
    commands = [line for line in refused.stderr.splitlines() if line.startswith("  spb import ")]
    outputs = [spb_here(*shlex.split(line)[1:], "--replace") for line in commands]

    assert refused.returncode == 2
    assert (
        "'rating' has only 0 and 1, which may be verdicts or scores: give --map met=rating or --map"
        in refused.stderr
    )
    assert ["--map met=rating" in line for line in commands] == [True, False]
    assert ["--map score=rating" in line for line in commands] == [False, True]
    assert [output.returncode for output in outputs] == [0, 0]
    assert [
        f"{paradigm} {len(rows)}" in output.stderr
        for paradigm, output in zip(("single_rubric", "score_rubric"), outputs, strict=True)
    ] == [True, True]


def test_an_unread_truth_of_ratings_of_0_and_1_is_named_as_one_of_verdicts(tmp_path: Path) -> None:
    rows = table(rating=verdict((0, 1)), coach=truth((0, 1)))

    report = report_of(tmp_path, rows)

    assert any("give --map reference_met=coach (" in note for note in report.doubts)


def test_ok_and_not_ok_are_read_in_a_column_for_each_judge(tmp_path: Path) -> None:
    rows = [
        {
            "question_id": f"q{question}",
            "author": author,
            **{judge: ("Not OK", "OK")[says(question, at, 0, place)] for place, judge in enumerate(MODELS)},
        }
        for question in range(4)
        for at, author in enumerate(MODELS)
    ]

    assert report_of(tmp_path, rows).statuses == {"ok": 36}


def test_a_verdict_in_numbers_is_told_from_the_truth_too(tmp_path: Path) -> None:
    report = report_of(tmp_path, table(pred=verdict((0.2, 0.9)), correct=truth((0, 1))))

    assert read_from(report) == {"score": "pred", "reference_met": "correct"}


def test_ok_is_a_verdict_only_beside_not_ok(tmp_path: Path) -> None:
    report = report_of(tmp_path, table(mark=verdict(("NOT OK", "OK"))))

    assert "guessed: 'mark' has 'not ok' as no and 'ok' as yes" in report.cautions
    assert report.statuses == {"ok": len(table())}
    assert "'bad' (" in problem_of(tmp_path, table(mark=verdict(("bad", "ok"))))


def test_one_difference_is_no_sign_of_a_truth_that_differs_as_often() -> None:
    assert Dependence(20, 0).is_truth_beside(Dependence(20, 1))
    assert Dependence(20, 1).is_truth_beside(Dependence(20, 10))
    assert not Dependence(20, 1).is_truth_beside(Dependence(20, 9))
    assert not Dependence(2, 0).is_truth_beside(Dependence(2, 2))
    assert not Dependence(20, 0).is_truth_beside(Dependence(20, 0))
