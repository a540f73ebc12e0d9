"""`spb import` of grades: which scale they have is read or asked, and a grade beyond it is named."""

import shlex
from pathlib import Path

import pytest
from command_line import Spb

from engine.store import Store

MODELS = ("gpt-4o", "claude-3-opus")
HEADS = "judge,model,question,grade,expert_grade"
GRADES = [
    (judge, model, f"q{n}", 1 + n % 10, 1 + n % 7) for n in range(10) for judge in MODELS for model in MODELS
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "grades.csv"


def write(table: Path, heads: str, grades: list[tuple[object, ...]]) -> None:
    table.write_text("\n".join([heads, *(",".join(map(str, row)) for row in grades)]), "utf-8")


def scores(folder: Path, study: str = "mine") -> list[float]:
    return Store(folder).open(study).judgments(("score",))["score"].to_pylist()


def test_one_grade_above_the_scale_is_left_out_and_named(spb_here: Spb, table: Path, tmp_path: Path) -> None:
    grades = [(*row, 10) for row in GRADES]
    grades[5] = (*grades[5][:3], 12, *grades[5][4:])
    write(table, f"{HEADS},out_of", grades)

    output = spb_here("import", table, "--study", "mine", "--store", tmp_path)

    assert output.returncode == 0, output.stderr
    assert "'out_of' is taken for the top of the scale of 'grade' (10)" in output.stderr
    assert "left out, score is above its scale of 10: 1 row, such as grades.csv, row 6 (12)" in output.stderr
    words = " ".join(output.stdout.split())
    assert "Left out: 1 of 40 rows: score is above its scale of 10 (1)." in words
    assert "no scale is known" not in words
    assert scores(tmp_path) == pytest.approx([row[3] / 10 for n, row in enumerate(GRADES) if n != 5])


def test_a_scale_that_the_user_gives_has_a_top_too(spb_here: Spb, table: Path, tmp_path: Path) -> None:
    write(table, HEADS, [*GRADES, ("gpt-4o", "gpt-4o", "q11", 12, 5), ("gpt-4o", "gpt-4o", "q12", -3, 5)])

    output = spb_here("import", table, "--study", "mine", "--store", tmp_path, "--set", "scale=10")

    assert output.returncode == 0, output.stderr
    assert "left out, score is above its scale of 10: 1 row, such as grades.csv, row 41 (12)" in output.stderr
    assert "left out, score is below 0, on a scale from 0 to 10: 1 row, such as grades.csv, row 42 (-3)" in (
        output.stderr
    )
    assert "no scale is known" not in " ".join(output.stdout.split())
    assert len(scores(tmp_path)) == len(GRADES)


def test_a_true_grade_above_the_scale_leaves_its_row_out(spb_here: Spb, table: Path, tmp_path: Path) -> None:
    write(table, HEADS, [*GRADES, ("gpt-4o", "gpt-4o", "q11", 9, 11)])

    output = spb_here("import", table, "--study", "mine", "--store", tmp_path, "--set", "scale=10")

    assert output.returncode == 0, output.stderr
    assert "reference_score is above its scale of 10: 1 row, such as grades.csv, row 41 (11)" in output.stderr
    truths = Store(tmp_path).open("mine").table("references", ["score"])["score"].to_pylist()
    assert max(truths) == pytest.approx(0.7)


@pytest.mark.parametrize("heads", [HEADS, HEADS.replace("expert_grade", "criterion")])
def test_grades_by_criterion_ask_for_their_scale_before_anything_is_written(
    spb_here: Spb, table: Path, tmp_path: Path, heads: str
) -> None:
    write(table, heads, GRADES)

    refused = spb_here("import", table, "--study", "mine", "--store", tmp_path)
    command = refused.stderr.splitlines()[-1]
    is_written = (tmp_path / "mine").exists()
    done = spb_here(*shlex.split(command)[1:])

    assert refused.returncode == 2
    assert "'grade' goes up to 10, where 1 is perfect. On which scale are the scores?" in refused.stderr
    assert not is_written
    assert done.returncode == 0, done.stderr
    assert scores(tmp_path) == pytest.approx([row[3] / 10 for row in GRADES])
