"""Verdicts written as marks, scores called by their scale, and judges that columns are called by."""

import csv
import json
import random
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import Spb

from engine.importers.model_names.corrections import read_corrections
from engine.store import Store

MODELS = ("gpt-4.1", "claude-3-haiku", "gemini-1.5-pro")


def verdicts(path: Path, column: str, values: Sequence[object], prefix: str = "") -> Path:
    """Write verdicts or scores of each judge on each model; every other judge's name has a prefix."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "model", "grader", column])
        writer.writerows(
            [f"q{question}", model, (prefix if question % 2 else "") + judge, chance.choice(values)]
            for question in range(12)
            for model in MODELS
            for judge in MODELS
        )
    return path


@pytest.mark.parametrize("marks", ["✓✗", "✔✘", ("✔\ufe0f", "✘"), "☑☐", "✅❌"])
def test_ticks_and_crosses_are_verdicts(spb_here: Spb, tmp_path: Path, marks: Sequence[str]) -> None:
    path = verdicts(tmp_path / "t.csv", "ruling", marks)

    done = spb_here("import", path, "--store", tmp_path / "s")

    assert done.returncode == 0, done.stderr
    with path.open(encoding="utf-8", newline="") as file:
        written = [row["ruling"] == marks[0] for row in csv.DictReader(file)]
    met = Store(tmp_path / "s").open("t").judgments(("met",))["met"].to_pylist()
    assert sorted(met) == sorted(written)


@pytest.mark.parametrize("marks", ["☒☐", "👍👎"])
def test_marks_of_several_meanings_are_asked_about(spb_here: Spb, tmp_path: Path, marks: str) -> None:
    refused = spb_here("import", verdicts(tmp_path / "t.csv", "ruling", marks), "--store", tmp_path / "s")

    assert refused.returncode == 2
    assert f"{marks[0]}=?" in refused.stderr


@pytest.mark.parametrize(("name", "top"), [("stars_of_5", 5), ("how_good", 10)])
def test_a_column_of_many_numbers_is_proposed_as_scores(
    spb_here: Spb, tmp_path: Path, name: str, top: int
) -> None:
    path = verdicts(tmp_path / "t.csv", name, range(1, top + 1))

    refused = spb_here("import", path, "--store", tmp_path / "s")
    done = spb_here(*shlex.split(refused.stderr.splitlines()[-1])[1:])

    assert refused.returncode == 2
    assert f"it may be '{name}'. Name it with --map score=FIELD" in refused.stderr
    assert f"--map score={name} --set scale={top}" in refused.stderr
    assert done.returncode == 0, done.stderr


def test_true_scores_of_the_printed_command_are_stored(spb_here: Spb, tmp_path: Path) -> None:
    path = verdicts(tmp_path / "t.csv", "Stars", range(1, 6))
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    truth = {tuple(row[:2]): str(1 + len("".join(row[:2])) % 5) for row in rows}
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [[*header, "Panel stars"], *([*row, truth[tuple(row[:2])]] for row in rows)]
        )

    refused = spb_here("import", path, "--store", tmp_path / "s")
    line = refused.stderr.splitlines()[-1]
    done = spb_here(*shlex.split(line)[1:])

    assert "'Panel stars' as reference_score (what is true)" in refused.stderr
    assert "--set rubric_id=overall" in line
    assert done.returncode == 0, done.stderr
    assert Store(tmp_path / "s").open("t").table("references").num_rows == len(truth)


@pytest.mark.parametrize(
    "form",
    [
        *("by_{}", "judge_{}", "{}_verdict", "verdict.{}", "{} score", "by_{}_verdict", "{} says", "{}_pass"),
        *("{} (judge)", "{} (as judge)", "{}:ok", "{}-says", "{} zorg", "zorg_{}"),
    ],
)
def test_a_column_of_a_judge_keeps_the_spelling_of_its_name(spb_here: Spb, tmp_path: Path, form: str) -> None:
    chance, path = random.Random(1), tmp_path / "wide.jsonl"
    rows = [
        {"question_id": question, "model": model, "criterion": "Names the dose"}
        | {form.format(judge): chance.choice(("yes", "no")) for judge in MODELS}
        for question in range(12)
        for model in MODELS
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")

    done = spb_here("import", path, "--store", tmp_path / "s")

    assert done.returncode == 0, done.stderr
    assert set(Store(tmp_path / "s").open("wide").table("models")["model"].to_pylist()) == set(MODELS)


@pytest.mark.parametrize(
    ("columns", "n_doubted"),
    [
        (("gpt-4.1 zorg", "claude-3-haiku_yes", "gemini-1.5-pro"), 2),
        (("gpt-4.1 v2", "claude-3-haiku v2", "gemini-1.5-pro v2"), 3),
        (("gpt-4.1-mini", "claude-3-haiku-turbo", "gemini-1.5-pro"), 0),
    ],
)
def test_a_judge_whose_name_begins_with_an_authors_is_asked_about_unless_it_is_another_model(
    spb_here: Spb, tmp_path: Path, columns: Sequence[str], n_doubted: int
) -> None:
    chance, path = random.Random(1), tmp_path / "wide.jsonl"
    rows = [
        {"question_id": question, "model": model, "criterion": "Names the dose"}
        | {column: chance.choice(("yes", "no")) for column in columns}
        for question in range(12)
        for model in MODELS
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")

    done = spb_here("import", path, "--store", tmp_path / "s", "--dry-run")

    assert done.returncode == 0, done.stderr
    output = " ".join(done.stdout.split())
    assert output.count("(judges) and ") == n_doubted
    assert ("one model under two names" in output) == (n_doubted > 0)


def test_a_few_cells_of_unknown_words_leave_a_column_its_judges(spb_here: Spb, tmp_path: Path) -> None:
    path = tmp_path / "wide.jsonl"
    rows = [
        {"question_id": question, "model": model, "criterion": "Names the dose"}
        | dict.fromkeys(MODELS, "I cannot say." if not question else "yes")
        for question in range(12)
        for model in MODELS
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")

    refused = spb_here("import", path, "--store", tmp_path / "s")

    assert refused.returncode == 2
    assert "no column is judge" not in refused.stderr
    assert "hold 'yes' (99), 'I cannot say.' (9)" in refused.stderr
    assert "(first in 'gpt-4.1')" in refused.stderr


def test_a_command_and_a_models_file_make_one_model_of_two_spellings(spb_here: Spb, tmp_path: Path) -> None:
    path = verdicts(tmp_path / "t.csv", "ruling", ("yes", "no"), prefix="openai/")
    store = ("--store", tmp_path / "s")

    done = spb_here("import", path, *store, "--write-models", tmp_path / "models.csv")
    line = re.search(r"one name for each of these models:\n  (spb import .*)", done.stdout)
    assert line is not None, done.stdout
    again = spb_here(*shlex.split(line[1])[1:])
    by_file = spb_here("import", path, *store, "--study", "f", "--models", tmp_path / "models.csv")

    assert read_corrections(tmp_path / "models.csv").names["openai/gpt-4.1"] == "gpt-4.1"
    assert again.returncode == by_file.returncode == 0, again.stderr + by_file.stderr
    for study in ("t", "f"):
        assert set(Store(tmp_path / "s").open(study).table("models")["model"].to_pylist()) == set(MODELS)
    assert "under two names" not in done.stderr, "it is said before the conclusion"
    assert "under two names" not in again.stdout


def test_a_command_makes_one_model_of_a_judges_column_and_its_answers(spb_here: Spb, tmp_path: Path) -> None:
    chance, path = random.Random(1), tmp_path / "wide.jsonl"
    rows = [
        {"question_id": question, "model": model, "criterion": "Names the dose"}
        | {f"by_openai/{judge}": chance.choice(("yes", "no")) for judge in MODELS}
        for question in range(12)
        for model in MODELS
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")

    done = spb_here("import", path, "--store", tmp_path / "s")
    line = re.search(r"one name for each of these models:\n  (spb import .*)", done.stdout)
    assert line is not None, done.stdout
    again = spb_here(*shlex.split(line[1])[1:])

    assert again.returncode == 0, again.stderr
    assert set(Store(tmp_path / "s").open("wide").table("models")["model"].to_pylist()) == set(MODELS)


def test_a_broken_zip_is_called_damaged(spb_here: Spb, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 and nothing of an archive")

    refused = spb_here("import", tmp_path / "bad.zip", "--store", tmp_path / "s")

    assert refused.returncode == 2
    assert "it is damaged, or was not copied whole; copy or download it again" in refused.stderr
