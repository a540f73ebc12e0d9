"""`spb import --append --replace --run NAME` replaces one imported run; names of models stay."""

import json
from pathlib import Path

import pytest
from command_line import Spb

from engine.store import Store
from engine.store.study_files import StudyFiles

MODELS = {"openai/gpt-4o": "gpt-4o", "anthropic/claude-3": "claude-3", "gemini-pro": "gemini-pro"}
HEADS = "judge,model,question_id,question,response,criterion,verdict,truth"


def week(folder: Path, number: int, name: str = "", wrong: str = "") -> str:
    """Write a week of two questions of its own and one that all have; `wrong` is a misspelt rater."""
    rows = [
        f"{wrong if wrong and rater == 'gemini-pro' else rater},{model},{question},Why {question}?,"
        f"So {model} says.,Polite,"
        f"{'yes' if (at + number) % 2 else 'no'},{'yes' if at % 3 else 'no'}"
        for at, question in enumerate(("shared", f"a{number}", f"b{number}"))
        for rater in MODELS
        for model in MODELS
    ]
    path = folder / (name or f"week{number}.csv")
    path.write_text("\n".join([HEADS, *rows]) + "\n", "utf-8")
    return path.name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPB_STORE", raising=False)
    lines = ["model,name", *(f"{old},{new}" for old, new in MODELS.items())]
    (tmp_path / "models.csv").write_text("\n".join(lines), "utf-8")
    return tmp_path


def study(folder: Path, name: str = "s") -> StudyFiles:
    return Store(folder / "results").open(name)


def models(folder: Path, name: str = "s") -> set[str]:
    return set(study(folder, name).table("models")["model"].to_pylist())


def content(folder: Path, name: str) -> dict[str, list[str]]:
    """Return the rows of a study's tables as texts, but for the run's name, in an order of their own."""
    files = study(folder, name)
    tables = ("models", "instances", "rubrics", "responses", "references")
    rows = {table: files.table(table).to_pylist() for table in tables if files.has(table)}
    columns = ["run_id", "judge", "generator", "instance_id", "rubric_id", "met"]
    rows["judgments"] = files.judgments(columns).to_pylist()
    return {table: sorted(json.dumps(row, default=str) for row in each) for table, each in rows.items()}


def imported(spb_here: Spb, file: str, run: str, *words: str, name: str = "s"):
    return spb_here("import", file, "--study", name, "--run", run, *words)


def test_a_further_file_has_the_names_that_the_first_ones_models_file_gave(
    spb_here: Spb, folder: Path
) -> None:
    first = imported(spb_here, week(folder, 1), "week1", "--models", "models.csv")
    second = imported(spb_here, week(folder, 2), "week2", "--append")

    assert (first.returncode, second.returncode) == (0, 0), second.stderr
    assert models(folder) == {*MODELS.values()}
    assert "models are named as in this study's other imports: 'openai/gpt-4o' is 'gpt-4o'" in second.stderr
    assert [each.names for each in study(folder).info.imports or ()] == [
        {old: new for old, new in MODELS.items() if old != new}
    ] * 2


def test_the_names_in_a_models_file_win_over_those_of_earlier_imports(spb_here: Spb, folder: Path) -> None:
    imported(spb_here, week(folder, 1), "week1", "--models", "models.csv")
    (folder / "other.csv").write_text("model,name\nopenai/gpt-4o,gpt-4o-new\n", "utf-8")

    imported(spb_here, week(folder, 2), "week2", "--append", "--models", "other.csv")

    assert models(folder) == {*MODELS.values(), "gpt-4o-new"}


@pytest.mark.parametrize("number", [1, 2])
def test_a_run_is_replaced_as_if_it_had_been_imported_right_in_its_place(
    spb_here: Spb, folder: Path, number: int
) -> None:
    weeks = [week(folder, each) for each in (1, 2)]
    wrong = [*weeks]
    wrong[number - 1] = week(folder, number, "wrong.csv", wrong="Gemini??")
    for name, files in (("right", weeks), ("s", wrong)):
        first = imported(spb_here, files[0], "week1", "--models", "models.csv", name=name)
        second = imported(spb_here, files[1], "week2", "--append", "--models", "models.csv", name=name)
        assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert "Gemini??" in models(folder)

    done = imported(
        spb_here, weeks[number - 1], f"week{number}", "--append", "--replace", "--models", "models.csv"
    )

    assert done.returncode == 0, done.stderr
    lost = "1 model, 2 questions, 2 criteria, 6 answers and 6 references"
    words = f"replaced are the 27 judgments of run 'week{number}', and what they alone were about: {lost}"
    assert f"warning: {words}" in done.stderr
    assert content(folder, "s") == content(folder, "right")
    parts = study(folder).judgments(["run_id"])["run_id"].to_pylist()
    assert list(dict.fromkeys(parts)) == ["week1", "week2"]
    assert sorted(str(each.run) for each in study(folder).info.imports or ()) == ["week1", "week2"]
    assert spb_here("study", "check", "s").returncode == 0


def test_a_dry_run_says_what_would_be_replaced_and_changes_nothing(spb_here: Spb, folder: Path) -> None:
    imported(spb_here, week(folder, 1), "week1", "--models", "models.csv")
    imported(spb_here, week(folder, 2), "week2", "--append")
    before = content(folder, "s")

    output = imported(spb_here, "week1.csv", "week2", "--append", "--replace", "--dry-run")

    assert output.returncode == 0, output.stderr
    assert "replaced are the 27 judgments of run 'week2'" in output.stderr
    assert content(folder, "s") == before


@pytest.mark.parametrize(
    ("words", "run", "error"),
    [
        (["--append", "--replace"], "week9", "unknown run 'week9'"),
        (
            ["--append", "--replace"],
            None,
            "together replace one imported run of the study: name it",
        ),
    ],
)
def test_only_a_run_that_is_named_and_there_is_replaced(
    spb_here: Spb, folder: Path, words: list[str], run: str | None, error: str
) -> None:
    imported(spb_here, week(folder, 1), "week1", "--models", "models.csv")
    before = content(folder, "s")

    output = spb_here("import", week(folder, 2), "--study", "s", *words, *(["--run", run] if run else []))

    assert output.returncode == 2
    assert error in output.stderr
    assert content(folder, "s") == before


def test_a_run_for_which_models_were_called_is_not_replaced(spb_here: Spb, folder: Path) -> None:
    imported(spb_here, week(folder, 1), "week1", "--models", "models.csv")
    config = "study = 's'\njudges = ['new']\nparadigms = ['single_rubric']\n"
    (folder / "run.toml").write_text(f"{config}[models.new]\nmodel = 'simulated/new'\n", "utf-8")
    called = spb_here("run", "run.toml", "--run-id", "called")
    assert called.returncode == 0, called.stderr
    before = content(folder, "s")

    output = imported(spb_here, "week1.csv", "called", "--append", "--replace")

    assert output.returncode == 2
    assert "the run 'called' was made by `spb run`" in output.stderr
    assert content(folder, "s") == before


def test_a_file_of_a_run_that_is_there_is_answered_by_how_to_replace_it(spb_here: Spb, folder: Path) -> None:
    imported(spb_here, week(folder, 1), "week1", "--models", "models.csv")

    output = imported(spb_here, week(folder, 1, wrong="Gemini??"), "week1", "--append")

    assert output.returncode == 2
    assert "to put this file in the place of that run, which was imported, add --replace" in output.stderr
