"""Columns by which criteria count against an answer are read as points, or asked about."""

import csv
import random
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest
from command_line import Spb
from importers.foreign_files import imported, lines

import engine
from engine.store import Store

MODELS = ("gpt-4.1", "claude-3-haiku", "gemini-1.5-pro", "llama-3.1-70b-instruct")
CRITERIA = ("Dose", "Red flags", "Plain words", "Toxic drug")
WEIGHTS = (3, 2, 1, -5)
SIGNED = (1.0, 1.0, 1.0, -1.0)


def table(path: Path, columns: Mapping[str, Sequence[object]]) -> Path:
    """Write verdicts on four criteria of each question, with columns that have a value for each of them."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "criterion", *columns, "model", "grader", "ruling"])
        for question in range(14):
            for place, criterion in enumerate(CRITERIA):
                own = [values[place] for values in columns.values()]
                writer.writerows(
                    [
                        f"V{question}",
                        criterion,
                        *own,
                        model,
                        judge,
                        chance.choice(("fulfilled", "not fulfilled")),
                    ]
                    for model in MODELS
                    for judge in MODELS
                )
    return path


def points(store: Path, study: str) -> tuple[float, ...]:
    rows = Store(store).open(study).table("rubrics").to_pylist()
    by_criterion = {row["criterion"]: row["points"] for row in rows}
    return tuple(by_criterion[name] for name in CRITERIA)


@pytest.mark.parametrize(
    ("name", "values", "read_as"),
    [
        ("weight", WEIGHTS, WEIGHTS),
        ("score_weight", WEIGHTS, WEIGHTS),
        ("Criterion weight", WEIGHTS, WEIGHTS),
        ("sign", (1, 1, 1, -1), SIGNED),
        ("polarity", ("beneficial", "beneficial", "beneficial", "harmful"), SIGNED),
        ("polarity", ("+", "+", "+", "-"), SIGNED),
        ("is_negative", ("false", "false", "false", "true"), SIGNED),
        ("desirable", ("yes", "yes", "yes", "no"), SIGNED),
    ],
)
def test_a_column_called_like_points_is_read_as_them_and_its_sign_is_said(
    spb_here: Spb, tmp_path: Path, name: str, values: Sequence[object], read_as: Sequence[float]
) -> None:
    path = table(tmp_path / "week.csv", {name: values})

    imported = spb_here("import", path, "--store", tmp_path / "s")

    assert imported.returncode == 0, imported.stderr
    assert points(tmp_path / "s", "week") == tuple(read_as)
    assert f"{name!r} has the points of criteria" in imported.stderr
    assert "to meet one counts against the answer" in imported.stderr


@pytest.mark.parametrize(
    ("name", "values", "read_as"),
    [
        ("impact", WEIGHTS, WEIGHTS),
        ("kind", ("positive", "positive", "positive", "negative"), SIGNED),
        ("nature", ("wanted", "wanted", "wanted", "unwanted"), SIGNED),
        ("rule", ("MUST", "MUST", "MUST", "MUST NOT"), SIGNED),
        ("rule", ("must", "must", "must", "mustn't"), SIGNED),
        ("kind", ("required", "required", "required", "forbidden"), SIGNED),
        ("kind", ("do", "do", "do", "don't"), SIGNED),
        ("kind", ("strength", "strength", "strength", "weakness"), SIGNED),
        ("kind", ("inclusive", "inclusive", "inclusive", "non-inclusive"), SIGNED),
        ("is_flaw", ("no", "no", "no", "yes"), SIGNED),
        ("fault", ("n", "n", "n", "y"), SIGNED),
    ],
)
def test_a_column_that_may_have_points_below_0_is_asked_about_with_whole_commands(
    spb_here: Spb, tmp_path: Path, name: str, values: Sequence[object], read_as: Sequence[float]
) -> None:
    path = table(tmp_path / "week.csv", {name: values})

    refused = spb_here("import", path, "--store", tmp_path / "s")
    lines = [line for line in refused.stderr.splitlines() if line.startswith("  spb ")]
    as_points, as_else = (spb_here(*shlex.split(line)[1:], "--study", study)
                          for line, study in zip(lines, ("points", "else"), strict=True))  # fmt: skip

    assert refused.returncode == 2
    assert f"{name!r} (" in refused.stderr
    assert "counts against the answer" in refused.stderr
    assert as_points.returncode == as_else.returncode == 0, as_points.stderr + as_else.stderr
    assert points(tmp_path / "s", "points") == tuple(read_as)
    assert points(tmp_path / "s", "else") == (1.0,) * 4


def test_a_weight_below_0_is_asked_about_where_all_other_columns_are_named(
    spb_here: Spb, tmp_path: Path
) -> None:
    path = table(tmp_path / "week.csv", {"weight": WEIGHTS})
    named = "judge=grader,generator=model,met=ruling,instance_id=question_id,criterion=criterion"

    refused = spb_here("import", path, "--map", named, "--store", tmp_path / "s")

    assert refused.returncode == 2
    assert "--map points=weight" in refused.stderr
    assert not (tmp_path / "s" / "week").exists()


@pytest.mark.parametrize(
    ("weights", "column"), [((3, 2, 1, 5), "polarity"), (WEIGHTS, "weight"), ((-3, 2, 1, 5), None)]
)
def test_of_a_weight_and_a_polarity_the_sign_decides_and_a_contradiction_is_asked_about(
    spb_here: Spb, tmp_path: Path, weights: Sequence[int], column: str | None
) -> None:
    polarity = ("beneficial", "beneficial", "beneficial", "harmful")
    path = table(tmp_path / "week.csv", {"polarity": polarity, "weight": weights})

    imported = spb_here("import", path, "--store", tmp_path / "s")

    if column is None:
        assert imported.returncode == 2
        assert "'polarity' (harmful) and 'weight' (-3) may say" in imported.stderr
    else:
        assert points(tmp_path / "s", "week") == (SIGNED if column == "polarity" else WEIGHTS)
        assert ("'weight' is not read beside it" in imported.stderr) == (column == "polarity")


def test_a_weight_of_questions_is_not_taken_for_that_of_criteria(spb_here: Spb, tmp_path: Path) -> None:
    path = table(tmp_path / "week.csv", {"weight": WEIGHTS})
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    for row in rows[1:]:
        row[2] = str(int(row[0].removeprefix("V")) - 3)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)

    imported = spb_here("import", path, "--store", tmp_path / "s")

    assert imported.returncode == 0, imported.stderr
    assert points(tmp_path / "s", "week") == (1.0,) * 4


def test_a_frame_read_without_guesses_is_told_of_points(tmp_path: Path) -> None:
    frame = pd.read_csv(table(tmp_path / "week.csv", {"impact": WEIGHTS}))
    names = {"judge": "grader", "generator": "model", "met": "ruling", "instance_id": "question_id"}

    with pytest.warns(UserWarning, match=r"'impact' \(-5\) may say of each criterion"):
        engine.from_frame(frame, **names, guess=False)


def test_two_topics_of_criteria_are_their_axis_and_the_report_says_how_they_would_be_signs(
    spb_here: Spb, tmp_path: Path
) -> None:
    path = table(tmp_path / "week.csv", {"about": ("facts", "facts", "tone", "tone")})

    imported = spb_here("import", path, "--store", tmp_path / "s", "--verbose")

    assert imported.returncode == 0, imported.stderr
    assert {row["axis"] for row in Store(tmp_path / "s").open("week").table("rubrics").to_pylist()} == {
        "facts",
        "tone",
    }
    assert "--map points=about --value 'points:facts=?,tone=?' with 1 or -1" in imported.stderr


def test_words_that_are_named_as_points_are_asked_about(spb_here: Spb, tmp_path: Path) -> None:
    path = table(tmp_path / "week.csv", {"nature": ("wanted", "wanted", "wanted", "unwanted")})

    refused = spb_here("import", path, "--map", "points=nature", "--store", tmp_path / "s")
    [line] = [line for line in refused.stderr.splitlines() if line.startswith("  spb ")]
    imported = spb_here(*shlex.split(line)[1:])

    assert refused.returncode == 2
    assert "--value points:wanted=1,unwanted=-1" in refused.stderr
    assert imported.returncode == 0, imported.stderr
    assert points(tmp_path / "s", "week") == SIGNED


def test_a_column_that_each_criterion_decides_is_not_proposed_as_verdicts(
    spb_here: Spb, tmp_path: Path
) -> None:
    frame = pd.read_csv(table(tmp_path / "week.csv", {"nature": ("wanted", "wanted", "wanted", "unwanted")}))
    names = {"model": "copywriter", "ruling": "zorg"}
    frame.rename(columns=names).to_csv(path := tmp_path / "t.csv", index=False)

    refused = spb_here("import", path, "--store", tmp_path / "s")

    assert refused.returncode == 2
    assert "--map met=nature" not in refused.stderr


def test_that_criteria_without_points_count_as_good_to_meet_is_said_once(tmp_path: Path) -> None:
    rows = [
        {"judge": "j", "generator": "g", "instance_id": q, "criterion": k, "met": q}
        for q in "01"
        for k in "ab"
    ]

    without, _ = imported("table", lines(tmp_path / "a" / "t.jsonl", rows))
    points, _ = imported("table", lines(tmp_path / "b" / "t.jsonl", [row | {"points": 2} for row in rows]))

    notes = [note for note in without.notes if "--map points=FIELD" in note]
    assert [note.startswith("criteria have no points: to meet each counts as good") for note in notes] == [
        True
    ]
    assert not [note for note in points.notes if "criteria have no points" in note]
