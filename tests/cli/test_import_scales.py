"""`spb import` of grades: which scale they have is read or asked, and a grade beyond it is named."""

import shlex
from pathlib import Path

import pandas as pd
import pytest
from command_line import Spb

import engine
from engine.errors import BadInputError
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


def written_out(rows: list[tuple[object, ...]], *tops: int) -> list[tuple[object, ...]]:
    """Return the rows with both grades as `7/10`, by turns out of each of `tops`."""
    return [
        (*row[:3], *(f"{grade * top // 10}/{top}" for grade in row[3:]))
        for n, row in enumerate(rows)
        for top in (tops[n % len(tops)],)
    ]


@pytest.mark.parametrize("words", [(), ("--map", "score=grade"), ("--set", "scale=10")])
def test_grades_written_as_parts_of_their_scale_are_scores(
    spb_here: Spb, table: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    write(table, HEADS, written_out(GRADES, 10))

    output = spb_here("import", table, "--study", "mine", "--store", tmp_path, *words)

    assert output.returncode == 0, output.stderr
    assert "'grade' is read as scores with their scale: 1/10 is out of 10" in output.stderr
    assert scores(tmp_path) == pytest.approx([row[3] / 10 for row in GRADES])
    truths = Store(tmp_path).open("mine").table("references", ["score"])["score"].to_pylist()
    assert set(truths) == {n / 10 for n in range(1, 8)}


def test_each_grade_may_have_a_scale_of_its_own(spb_here: Spb, table: Path, tmp_path: Path) -> None:
    write(table, HEADS, written_out(GRADES, 10, 20))

    output = spb_here("import", table, "--study", "mine", "--store", tmp_path)

    assert output.returncode == 0, output.stderr
    assert scores(tmp_path) == pytest.approx([row[3] / 10 for row in GRADES])


def test_true_grades_without_a_scale_are_on_that_of_the_judges(
    spb_here: Spb, table: Path, tmp_path: Path
) -> None:
    write(table, HEADS, [(*row[:3], f"{row[3]}/10", row[4]) for row in GRADES])

    output = spb_here("import", table, "--study", "mine", "--store", tmp_path)

    assert output.returncode == 0, output.stderr
    truths = Store(tmp_path).open("mine").table("references", ["score"])["score"].to_pylist()
    assert set(truths) == {n / 10 for n in range(1, 8)}


def test_a_grade_above_the_scale_that_it_names_is_left_out(
    spb_here: Spb, table: Path, tmp_path: Path
) -> None:
    odd = [("gpt-4o", "gpt-4o", "q11", "12/10", "5/10"), ("gpt-4o", "gpt-4o", "q12", "5/10", "11/10")]
    write(table, HEADS, [*written_out(GRADES, 10), *odd])

    output = spb_here("import", table, "--study", "mine", "--store", tmp_path)

    assert output.returncode == 0, output.stderr
    assert "score is above its scale of 10: 1 row, such as grades.csv, row 41 (12/10)" in output.stderr
    assert "reference_score is above its scale of 10: 1 row, such as grades.csv, row 42 (11/10)" in (
        output.stderr
    )


def test_a_grade_after_the_first_rows_that_names_no_scale_is_left_out(
    spb_here: Spb, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", 40)
    write(table, HEADS, [*written_out(GRADES, 10), ("gpt-4o", "gpt-4o", "q11", "7", "5/10")])

    output = spb_here("import", table, "--study", "mine", "--store", tmp_path)

    assert "score is not written as 7/10, like the others: 1 row, such as grades.csv, row 41 (7)" in (
        output.stderr
    )
    assert scores(tmp_path) == pytest.approx([row[3] / 10 for row in GRADES])


def test_a_grade_out_of_another_number_than_the_scale_given_is_left_out(
    spb_here: Spb, table: Path, tmp_path: Path
) -> None:
    write(table, HEADS, [*written_out(GRADES, 10), ("gpt-4o", "gpt-4o", "q11", "2/5", "5/10")])

    output = spb_here("import", table, "--study", "mine", "--store", tmp_path, "--set", "scale=10")

    assert "score is out of another number than its scale of 10: 1 row, such as grades.csv, row 41 (2/5)" in (
        output.stderr
    )
    assert len(scores(tmp_path)) == len(GRADES)


@pytest.mark.parametrize(("grade", "example"), [("{}%", "write 80% as 0.8"), ("{}/10|{}", "4/5 as 4 with")])
def test_grades_in_two_forms_or_in_percent_are_refused_as_no_plain_numbers(
    spb_here: Spb, table: Path, tmp_path: Path, grade: str, example: str
) -> None:
    forms = grade.split("|")
    write(
        table, HEADS, [(*row[:3], forms[row[3] // 9 % len(forms)].format(row[3]), row[4]) for row in GRADES]
    )

    refused = spb_here("import", table, "--study", "mine", "--store", tmp_path)

    assert refused.returncode == 2
    assert "which are not plain numbers" in refused.stderr
    assert example in refused.stderr
    assert "--value" not in refused.stderr


def test_each_judge_may_have_a_column_of_grades_with_their_scale(
    spb_here: Spb, table: Path, tmp_path: Path
) -> None:
    rows = [(model, f"q{n}", f"{n}/10", f"{n}/20") for n in range(1, 11) for model in MODELS]
    write(table, "model,question,gpt-4o,claude-3-opus", rows)

    output = spb_here("import", table, "--study", "mine", "--store", tmp_path)

    assert output.returncode == 0, output.stderr
    assert scores(tmp_path) == pytest.approx(
        [n / top for n in range(1, 11) for _ in MODELS for top in (10, 20)]
    )


@pytest.mark.parametrize(
    ("heads", "scale", "words"),
    [
        (HEADS, ("--set", "scale=5"), "20 of 40 scores lie above the scale of 5; the highest is 10"),
        (
            f"{HEADS},top",
            ("--map", "scale=top"),
            "lie above the top of their scale in 'top'; the highest is 10",
        ),
    ],
)
def test_a_scale_that_many_grades_lie_above_is_refused(
    spb_here: Spb, table: Path, tmp_path: Path, heads: str, scale: tuple[str, ...], words: str
) -> None:
    write(table, heads, [(*row, 5) for row in GRADES] if "top" in heads else GRADES)

    refused = spb_here("import", table, "--study", "mine", "--store", tmp_path, *scale)
    is_written = (tmp_path / "mine").exists()
    mended = spb_here("import", table, "--study", "mine", "--store", tmp_path, "--set", "scale=10")

    assert (refused.returncode, is_written) == (2, False), refused.stderr
    assert words in refused.stderr
    assert "--set scale=10" in refused.stderr
    assert mended.returncode == 0, mended.stderr
    assert len(scores(tmp_path)) == len(GRADES)


def test_a_frame_whose_scale_many_scores_lie_above_is_refused() -> None:
    frame = pd.DataFrame(GRADES, columns=HEADS.split(","))

    with pytest.raises(BadInputError, match=r"20 of 40 scores lie above the scale of 5.*: scale=10, or more"):
        engine.from_frame(frame, set={"scale": 5})
    with pytest.raises(BadInputError, match=r"40 of 40 scores lie above the scale of 0\.5"):
        engine.from_frame(frame, scale=0.5)
