"""A table whose column says of which run each judgment is."""

import json
from collections import Counter
from pathlib import Path

import pytest
from command_line import Spb

from engine.store import Store

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")


def table(folder: Path, runs: tuple[str, ...], name: str = "night") -> Path:
    """Write a judgment of each model by each judge, on six questions, in each run."""
    rows = [
        f"{judge},{model},q{question},{'pass' if (question + len(judge)) % 3 else 'fail'},{run}"
        for run in runs
        for judge in MODELS
        for model in MODELS
        for question in range(6)
    ]
    path = folder / "verdicts.csv"
    path.write_text("\n".join([f"judge,model,question,verdict,{name}", *rows]), "utf-8")
    return path


def runs_of(folder: Path) -> Counter[str | None]:
    stored = Store(folder / "store").open("mine").table("judgments", ["run_id"])
    return Counter(stored["run_id"].to_pylist())


@pytest.fixture
def imported(spb_here: Spb, tmp_path: Path):
    """Return a function that imports a table as the study `mine`."""
    place = ("--study", "mine", "--store", tmp_path / "store", "--as", "table")
    return lambda path, *words: spb_here("import", path, *place, *words)


@pytest.mark.parametrize(
    ("name", "words"),
    [("night", ("--map", "run_id=night")), ("run_id", ()), ("run", ()), ("run_id", ("--no-guess", *(
        "--map", "generator=model", "--map", "instance_id=question", "--map", "met=verdict",
        "--set", "rubric_id=overall")))],
)  # fmt: skip
def test_a_column_of_runs_is_stored(imported, tmp_path, name, words):
    output = imported(table(tmp_path, ("monday", "tuesday"), name), *words)

    assert output.returncode == 0, output.stderr
    assert runs_of(tmp_path) == {"monday": 54, "tuesday": 54}
    assert "further trials" not in output.stdout


def test_runs_of_one_table_are_compared(spb_here, imported, tmp_path):
    imported(table(tmp_path, ("monday", "tuesday"), "run_id"))
    place = ("mine", "monday", "tuesday", "--store", tmp_path / "store")

    output = spb_here("compare", *place, "--measure", "strictness", "--format", "json")

    assert {row["judge"] for row in json.loads(output.stdout)["rows"]} == {*MODELS}


def test_an_id_of_each_call_or_the_number_of_a_repeat_is_no_run(imported, tmp_path):
    path = table(tmp_path, ("monday", "tuesday"), "run_id")
    lines = path.read_text("utf-8").splitlines()
    for ids in ((f"r{n}" for n in range(len(lines))), (str(n % 2) for n in range(len(lines)))):
        rows = (f"{line.rpartition(',')[0]},{each}" for line, each in zip(lines[1:], ids, strict=False))
        path.write_text("\n".join([lines[0], *rows]), "utf-8")

        output = imported(path, "--replace")

        assert "not stored: 'run_id'" in output.stderr
        assert runs_of(tmp_path) == {"import": 108}


def test_one_run_and_a_column_of_runs_are_not_both_taken(imported, tmp_path):
    output = imported(table(tmp_path, ("monday", "tuesday"), "run_id"), "--run", "friday")

    assert output.returncode == 2
    assert "--run friday names one run for all rows, and a column of the file names them" in output.stderr
    assert not (tmp_path / "store" / "mine").exists()

    imported(tmp_path / "verdicts.csv", "--run", "friday", "--not", "run_id")
    assert runs_of(tmp_path) == {"friday": 108}
