"""Pass and fail on criteria that are bad to meet: how the answer did, or whether the criterion is met."""

import itertools
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from importers.foreign_files import imported, judgments, lines, rows_of

import engine
from engine.errors import BadInputError, UsageError
from engine.importers.import_options import ImportOptions

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
POINTS = {"names a cause": "2", "invents a name": "-1"}


def rows(good: Any, bad: Any, *, truth: tuple[str, str] | None = None, n: int = 4) -> list[dict[str, Any]]:
    """Verdicts of each judge on each model's answers: each answer does well on the criterion of both signs.

    Only the first model's does badly. `truth` are its words for an answer that did well, or badly.
    """
    return [
        {"judge": judge, "model": model, "question_id": f"q{q}", "criterion_id": k, "points": points}
        | {"verdict": bad if model == MODELS[0] else good}
        | ({} if truth is None else {"human": truth[model == MODELS[0]]})
        for q, judge, model, (k, points) in itertools.product(range(n), MODELS, MODELS, POINTS.items())
    ]


def renamed(rows: list[dict[str, Any]], old: str, new: str) -> list[dict[str, Any]]:
    return [{new if name == old else name: cell for name, cell in row.items()} for row in rows]


def met_of(study: Any, table: str = "judgments") -> set[tuple[Any, ...]]:
    """Return which criterion of which model's answers is met."""
    columns = ("rubric_id", "generator", "met")
    return {*(judgments(study, *columns) if table == "judgments" else rows_of(study.table(table), *columns))}


DID_WELL = {
    *((k, model, (model != MODELS[0]) == (points == "2")) for k, points in POINTS.items() for model in MODELS)
}
"""Which criteria are met if the answers of all models but the first did well."""

MET = {(k, model, model != MODELS[0]) for k in POINTS for model in MODELS}
"""Which are met if the words say that."""


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("pass", "fail"),
        ("PASSED", "FAILED"),
        ("correct", "incorrect"),
        ("right", "wrong"),
        ("good", "bad"),
        ("ok", "not ok"),
        ("✅", "❌"),
        ("great", "poor"),
    ],
)
def test_words_for_how_an_answer_did_are_asked_about_and_either_answer_reads_them(
    tmp_path: Path, good: str, bad: str
) -> None:
    path = lines(tmp_path / "t.jsonl", rows(good, bad))

    with pytest.raises(BadInputError) as refused:
        imported("table", path)

    (question,) = refused.value.questions
    good, bad = good.lower(), bad.lower()
    assert [each.options.value for each in question.choices] == [
        {"met": {good: "good", bad: "bad"}},
        {"met": {good: "yes", bad: "no"}},
    ]
    for folder, choice, met in zip("12", question.choices, (DID_WELL, MET), strict=True):
        path = lines(tmp_path / folder / "t.jsonl", rows(good, bad))
        _, study = imported("table", path, choice.added_to(refused.value.options))
        assert met_of(study) == met


@pytest.mark.parametrize(("good", "bad"), [("yes", "no"), ("met", "not met"), (True, False), (1, 0)])
def test_words_for_a_criterion_that_is_met_are_read_without_a_question(
    tmp_path: Path, good: Any, bad: Any
) -> None:
    _, study = imported("table", lines(tmp_path / "t.jsonl", rows(good, bad)))

    assert met_of(study) == MET


@pytest.mark.parametrize("column", ["passed", "pass", "ok", "correct", "success", "is_good", "judge_passed"])
@pytest.mark.parametrize(("good", "bad"), [(True, False), (1, 0), ("yes", "no")])
def test_true_and_false_are_asked_about_in_a_column_that_is_called_by_such_a_word(
    tmp_path: Path, column: str, good: Any, bad: Any
) -> None:
    named = renamed(rows(good, bad), "verdict", column)

    with pytest.raises(BadInputError) as refused:
        imported("table", lines(tmp_path / "t.jsonl", named), ImportOptions(map={"met": column}))

    (question,) = refused.value.questions
    for folder, choice, met in zip("12", question.choices, (DID_WELL, MET), strict=True):
        path = lines(tmp_path / folder / "t.jsonl", named)
        _, study = imported("table", path, choice.added_to(refused.value.options))
        assert met_of(study) == met


@pytest.mark.parametrize("column", ["human_passed", "passed_by_human", "human_score"])
def test_a_truth_of_true_and_false_is_asked_about_if_its_column_is_called_so(
    tmp_path: Path, column: str
) -> None:
    named = renamed(rows("yes", "no", truth=("1", "0")), "human", column)
    options = ImportOptions(map={"reference_met": column})

    with pytest.raises(BadInputError, match="Give --value reference_met:1=good,0=bad if the answer did well"):
        imported("table", lines(tmp_path / "t.jsonl", named), options)


@pytest.mark.parametrize("column", ["correct_verdict", "true_label", "not_ok", "human_verdict"])
def test_a_truth_that_is_called_the_right_verdict_is_not_asked_about(tmp_path: Path, column: str) -> None:
    named = renamed(rows("yes", "no", truth=("1", "0")), "human", column)

    _, study = imported(
        "table", lines(tmp_path / "t.jsonl", named), ImportOptions(map={"reference_met": column})
    )

    assert met_of(study, "references") == MET


def test_scores_of_0_and_1_are_asked_about_where_points_are_below_0(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", renamed(rows(1, 0), "verdict", "score"))

    with pytest.raises(BadInputError, match="which may be verdicts or scores"):
        imported("table", path)
    with pytest.raises(BadInputError, match="Give --value met:1=good,0=bad if the answer did well"):
        imported("table", path, ImportOptions(map={"met": "score"}))
    _, study = imported("table", path, ImportOptions(map={"score": "score"}))

    assert {*judgments(study, "score", "met")} == {(1.0, None), (0.0, None)}


def test_true_in_a_column_called_failed_may_mean_that_the_answer_did_badly(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", renamed(rows(0, 1), "verdict", "failed"))

    with pytest.raises(
        BadInputError, match=r"Give .* or --value met:1=bad,0=good if the answer did badly"
    ) as refused:
        imported("table", path, ImportOptions(map={"met": "failed"}))

    (question,) = refused.value.questions
    _, study = imported("table", path, question.choices[2].added_to(refused.value.options))
    assert met_of(study) == DID_WELL


def test_nothing_is_asked_where_no_criterion_is_bad_to_meet(tmp_path: Path) -> None:
    positive = [row | {"points": "1"} for row in rows("pass", "fail")]

    _, study = imported("table", lines(tmp_path / "t.jsonl", positive))

    assert met_of(study) == MET


def test_truths_with_such_words_are_asked_about_with_the_verdicts(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", rows("pass", "fail", truth=("pass", "fail")))

    with pytest.raises(BadInputError) as refused:
        imported("table", path)

    (question,) = refused.value.questions
    did_well, met = question.choices
    words = {"pass": "good", "fail": "bad"}
    assert did_well.options.value == {"met": words, "reference_met": words}
    _, study = imported("table", path, did_well.added_to(refused.value.options))
    assert met_of(study) == met_of(study, "references") == DID_WELL
    assert met.options.value["reference_met"] == {"pass": "yes", "fail": "no"}


def test_the_truth_alone_is_asked_about_if_the_verdicts_say_whether_it_is_met(tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as refused:
        imported("table", lines(tmp_path / "t.jsonl", rows("yes", "no", truth=("pass", "fail"))))

    (question,) = refused.value.questions
    assert [{*each.options.value} for each in question.choices] == [{"reference_met"}] * 2


def test_a_bad_criterion_after_the_first_rows_is_asked_about_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", 2000)
    in_order = sorted(rows("pass", "fail", n=150), key=lambda row: -int(row["points"]))
    assert len(in_order) == 2700  # 1,350 of each sign, of which 2,000 rows are looked at before
    late = [row | {"points": "1"} for row in in_order[:2000]] + in_order[2000:]

    with pytest.raises(BadInputError, match="Give --value met:pass=good,fail=bad if the answer did well"):
        imported("table", lines(tmp_path / "t.jsonl", late))

    assert not (tmp_path / "store").exists()


def test_a_column_of_a_criterion_that_is_bad_to_meet_is_asked_about(tmp_path: Path) -> None:
    wide = [
        {"judge": judge, "model": model, "question_id": f"q{q}", "clear": "pass", "invents": "fail"}
        for q, judge, model in itertools.product(range(3), MODELS, MODELS)
    ]
    options = ImportOptions(criteria=("clear", "invents"), value={"points": {"invents": "-1"}})
    path = lines(tmp_path / "t.jsonl", wide)

    with pytest.raises(BadInputError, match="'clear' and 'invents' hold 'pass'"):
        imported("table", path, options)
    words = {"pass": "good", "fail": "bad"}
    _, study = imported(
        "table", path, ImportOptions(criteria=options.criteria, value={**options.value, "met": words})
    )

    assert {*judgments(study, "rubric_id", "met")} == {("clear", True), ("invents", True)}


def test_python_gives_such_meanings_too() -> None:
    frame = pd.DataFrame(rows("pass", "fail"))
    names = {
        "generator": "model",
        "instance_id": "question_id",
        "rubric_id": "criterion_id",
        "met": "verdict",
    }

    with pytest.raises(UsageError, match=re.escape("{'met': {'pass': 'good', 'fail': 'bad'}}")):
        engine.from_frame(frame, **names)
    study = engine.from_frame(frame, **names, value={"met": {"pass": "good", "fail": "bad"}})

    assert met_of(study.files) == DID_WELL
