"""Of two columns of ids, each value of one of which has several of the other, the finer may name criteria."""

import csv
import random
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from command_line import Spb

from engine.store import Store

MODELS = ("gpt-4.1", "claude-3-haiku", "gemini-1.5-pro", "llama-3.1-70b-instruct")
CHECKS = ("Dose", "Red flags", "When to see a vet", "Plain words", "Toxic drug")
RULINGS = ("fulfilled", "not fulfilled")
N_CASES = 16


def table(path: Path, header: Mapping[str, str], *, with_answers: Sequence[str] = ()) -> Path:
    """Write three of five checks of each case; `header` renames columns, empty for none.

    `with_answers` are the columns by which answers have a text of their own.
    """
    chance = random.Random(1)
    rows = []
    for case in range(N_CASES):
        for place in chance.sample(range(5), 3):
            of = {"case_no": f"V{case}", "owner_question": f"What is wrong with my dog {case}?"}
            of |= {"checkpoint_no": f"V{case}-{place}", "checkpoint": CHECKS[place]}
            rows += [
                of
                | {"weight": (3, 2, 1, 5, -5)[place], "bot": bot, "grader": judge}
                | {"ruling": chance.choice(RULINGS)}
                | (
                    {"advice": f"Give it rest and {[of[each] for each in with_answers]} {bot}"}
                    if with_answers
                    else {}
                )
                for bot in MODELS
                for judge in MODELS
            ]
    left_out = {} if with_answers else {"advice": ""}
    names = {name: {**header, **left_out}.get(name, name) for name in rows[0]}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([new for new in names.values() if new])
        writer.writerows([row[old] for old, new in names.items() if new] for row in rows)
    return path


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"owner_question": "question"},
        {"owner_question": ""},
        {"case_no": ""},
        {"checkpoint_no": "item_id"},
        {"checkpoint_no": "check", "checkpoint": "what"},
        {"checkpoint_no": "code"},
    ],
)
@pytest.mark.parametrize("with_answers", [(), ("case_no",)])
def test_ids_of_criteria_are_not_taken_for_those_of_questions(
    spb_here: Spb, tmp_path: Path, header: Mapping[str, str], with_answers: Sequence[str]
) -> None:
    path = table(tmp_path / "week.csv", header, with_answers=with_answers)

    first = spb_here("import", path, "--store", tmp_path / "s")
    if first.returncode:
        assert "a judge has several verdicts on the same answer" in first.stderr
        first = spb_here(*shlex.split(first.stderr.splitlines()[-1])[1:])

    assert first.returncode == 0, first.stderr
    study = Store(tmp_path / "s").open("week")
    assert study.table("instances").num_rows == N_CASES
    rubrics = study.table("rubrics").to_pylist()
    assert len(rubrics) == 3 * N_CASES
    assert {row["points"] for row in rubrics} == {3, 2, 1, 5, -5}


def test_the_question_whether_ids_are_of_criteria_has_both_answers(spb_here: Spb, tmp_path: Path) -> None:
    path = table(tmp_path / "week.csv", {"checkpoint": ""})

    refused = spb_here("import", path, "--store", tmp_path / "s")
    as_question = spb_here("import", path, "--store", tmp_path / "s", "--map", "instance_id=checkpoint_no")

    assert refused.returncode == 2
    assert "--map criterion=checkpoint_no" in refused.stderr
    assert "if 'checkpoint_no' names the question, --map instance_id=checkpoint_no" in refused.stderr
    assert as_question.returncode == 0, as_question.stderr
    assert Store(tmp_path / "s").open("week").table("instances").num_rows == 3 * N_CASES


@pytest.mark.parametrize(
    ("header", "with_answers"),
    [
        ({"checkpoint_no": "question_id", "owner_question": ""}, ()),
        ({"checkpoint_no": "question_no", "owner_question": "", "checkpoint": ""}, ()),
        ({"checkpoint_no": "part_no", "owner_question": ""}, ("checkpoint_no",)),
        ({"checkpoint_no": "id", "owner_question": ""}, ()),
    ],
)
def test_ids_of_questions_within_a_document_stay_those_of_questions(
    spb_here: Spb, tmp_path: Path, header: Mapping[str, str], with_answers: Sequence[str]
) -> None:
    path = table(tmp_path / "week.csv", {**header, "weight": ""}, with_answers=with_answers)

    imported = spb_here("import", path, "--store", tmp_path / "s")

    assert imported.returncode == 0, imported.stderr
    assert Store(tmp_path / "s").open("week").table("instances").num_rows == 3 * N_CASES
