"""Truths that are added to a study and are on no judged answer are said to be, with the nearest reason."""

import csv
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Spb

MODELS = ("gpt-4.1", "claude-3-haiku", "gemini-1.5-pro")
CRITERION = "Names the dose"


def judged(spb_here: Spb, folder: Path) -> None:
    chance = random.Random(1)
    with (folder / "week.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "model", "criterion", "judge", "verdict"])
        writer.writerows(
            [f"Q-{question}", model, CRITERION, judge, chance.choice(("yes", "no"))]
            for question in range(10)
            for model in MODELS
            for judge in MODELS
        )
    assert spb_here("import", folder / "week.csv", "--store", folder / "s").returncode == 0


def truths(path: Path, question: Callable[[int], str], model: Callable[[str], str]) -> Path:
    """Write what two people say is true of each answer; people contradict themselves nowhere."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "model", "criterion", "annotator", "reference_met"])
        writer.writerows(
            [question(number), model(author), CRITERION, person, "yes" if number % 2 else "no"]
            for number in range(10)
            for author in MODELS
            for person in ("ana", "bo")
        )
    return path


@pytest.mark.parametrize(
    ("question", "model", "says"),
    [
        ("Q-{}".format, str, None),
        ("{}0".format, str, "none of 60 truths is on an answer that a judge judged"),
        ("Q-{}".format, str.upper, "such as 'GPT-4.1' (the study has 'gpt-4.1')"),
        ("Q-{}".format, str.upper, "60 truths are of authors without verdicts"),
        (lambda n: f"Q-{n}" if n < 5 else f"{n}00", str, "only 30 of 60 truths are on an answer"),
    ],
)
def test_truths_beside_what_was_judged_are_counted(
    spb_here: Spb,
    tmp_path: Path,
    question: Callable[[int], str],
    model: Callable[[str], str],
    says: str | None,
) -> None:
    judged(spb_here, tmp_path)
    path = truths(tmp_path / "truth.csv", question, model)

    done = spb_here("import", path, "--append", "--study", "week", "--store", tmp_path / "s")

    assert done.returncode == 0, done.stderr
    assert ("that a judge judged" in done.stderr) == (says is not None)
    assert says is None or says in done.stderr


def test_rows_that_contradict_the_same_person_are_left_out_for_that(spb_here: Spb, tmp_path: Path) -> None:
    judged(spb_here, tmp_path)
    path = truths(tmp_path / "truth.csv", "Q-{}".format, str)
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines, lines[1].replace(",no", ",yes")]), "utf-8")

    done = spb_here("import", path, "--append", "--study", "week", "--store", tmp_path / "s")

    output = " ".join(done.stdout.split())
    assert "Left out: 1 of 61 rows: a truth that contradicts an earlier one of the same source (1)" in output
