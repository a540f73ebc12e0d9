"""Texts of one answer, question or criterion that are spelt otherwise, or are others."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from importers.foreign_files import imported, lines, rows_of

import engine
from engine.errors import BadInputError

JUDGES = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
SAME = ("Un café.\nYes", "Un café.\r\nYes \n", " Un cafe\u0301.\rYes")
"""One text: with other blanks at its ends, other line ends, and an accent of its own."""


def rows(**texts: tuple[str, ...]) -> list[dict[str, Any]]:
    """Each judge on two models' answers to a question, with the judge's own copy of each text."""
    return [
        {"judge": judge, "model": model, "question_id": "1", "criterion_id": "c", "met": "yes"}
        | {name: copies[place] for name, copies in texts.items()}
        for place, judge in enumerate(JUDGES)
        for model in JUDGES[:2]
    ]


@pytest.mark.parametrize(
    ("column", "table", "name"),
    [
        ("response", "responses", "text"),
        ("question", "instances", "prompt"),
        ("criterion", "rubrics", "criterion"),
    ],
)
def test_a_text_whose_ends_line_ends_or_accents_are_written_otherwise_is_the_same(
    tmp_path: Path, column: str, table: str, name: str
) -> None:
    report, study = imported("table", lines(tmp_path / "t.jsonl", rows(**{column: SAME})))

    assert report.rows_stored == 6
    assert {*rows_of(study.table(table), name)} == {(SAME[0],)}


def test_a_question_known_by_such_texts_alone_is_one_question(tmp_path: Path) -> None:
    texts = [{k: v for k, v in row.items() if k != "question_id"} for row in rows(question=SAME)]

    _, study = imported("table", lines(tmp_path / "t.jsonl", texts))

    assert rows_of(study.table("instances"), "prompt") == [(SAME[0],)]


def test_such_a_text_can_be_added_to_a_study_which_keeps_its_own(tmp_path: Path) -> None:
    frame = pd.DataFrame(rows(response=SAME))
    names = {"generator": "model", "instance_id": "question_id", "rubric_id": "criterion_id"}
    first, last = frame[frame.judge == JUDGES[0]], frame[frame.judge == JUDGES[2]]
    engine.from_frame(first, **names).save("mine", store=tmp_path)

    study = engine.from_frame(last, **names).save("mine", store=tmp_path, mode="append")

    assert len(study.judgments()) == 4
    assert {*rows_of(study.files.table("responses"), "text")} == {(SAME[0],)}


def test_a_file_is_refused_if_most_rows_have_another_text_of_an_answer(tmp_path: Path) -> None:
    texts = rows(response=("one", "another", "a third"))

    with pytest.raises(BadInputError) as refused:
        imported("table", lines(tmp_path / "t.jsonl", texts))

    assert str(refused.value) == (
        "'t.jsonl': 'response' has more than one text of both answers: 4 of 6 rows would be left out; "
        "nothing was written. If they are one answer, leave the texts out: --not response; if a model "
        "answered a question several times, give each time an id of the question of its own"
    )


def test_few_other_texts_of_an_answer_are_left_out(tmp_path: Path) -> None:
    report, _ = imported("table", lines(tmp_path / "t.jsonl", rows(response=("one", "one ", "another"))))

    assert report.rows_stored == 4
    assert [*report.left_out] == ["another text of this model's answer is in an earlier row"]


@pytest.mark.parametrize("score", ["1_0", "_1", "0.1_5"])
def test_a_score_with_an_underscore_is_no_number(tmp_path: Path, score: str) -> None:
    scores = [{"judge": "gpt-4o", "model": "gpt-4o", "question_id": str(n), "score": ".5"} for n in range(9)]

    with pytest.raises(BadInputError, match=f"holds '{score}' \\(1\\) among numbers. What do they mean"):
        imported("table", lines(tmp_path / "t.jsonl", [*scores, scores[0] | {"score": score}]))
