"""One model under several spellings of its name: what an import says of it, and how its names become one."""

import csv
import re
import warnings
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest
from command_line import Spb

import engine
from engine.errors import BadInputError
from engine.importers.families import other_names, twins
from engine.importers.model_names.corrections import read_corrections
from engine.store import Store

MODELS = ("gpt-4o", "claude-3-5-sonnet", "gemini-1.5-pro")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPB_STORE", str(tmp_path / "store"))
    return tmp_path / "t.csv"


def frame_of(judges: Iterable[str] = MODELS, authors: Iterable[str] = MODELS) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"question_id": f"q{n}", "author": author, "judge": judge, "verdict": ("yes", "no")[n % 2]}
            for judge in judges
            for author in authors
            for n in range(4)
        ]
    )


def models_of(path: Path) -> set[str]:
    return set(Store(path.parent / "store").open("s").table("models")["model"].to_pylist())


def lines_in(words: str) -> list[str]:
    """Return the lines of the models file that a remedy prints."""
    return re.findall(r"'([^']*)'", words.partition("of the lines ")[2].partition(". ")[0])


@pytest.mark.parametrize("spelling", ["claude-3.5-sonnet", "Claude 3.5 Sonnet", "CLAUDE_3_5_SONNET"])
def test_a_judge_spelt_otherwise_than_its_answers_comes_before_the_conclusion(
    spb_here: Spb, table: Path, tmp_path: Path, spelling: str
) -> None:
    frame_of((MODELS[0], spelling, MODELS[2])).to_csv(table, index=False)

    done = spb_here("import", table, "--study", "s")
    words = " ".join(done.stdout.split())
    models = tmp_path / "models.csv"
    models.write_text("\n".join(lines_in(words)), encoding="utf-8")
    again = spb_here("import", table, "--study", "s", "--replace", "--models", models)

    assert words.startswith(
        f"{spelling!r} (judges) and 'claude-3-5-sonnet' (answers) may be one model under two names, whose "
        "verdicts on its own answers do not count as such; if so, give --models FILE, a CSV file of the "
        f"lines 'model,name' and '{spelling},claude-3-5-sonnet'."
    )
    assert re.search(rf"one model in several forms\? .*{spelling!r}", done.stderr)
    assert again.returncode == 0, again.stderr
    assert "may be one model" not in again.stdout
    assert models_of(table) == set(MODELS)


def test_answers_of_which_some_are_under_another_spelling_are_pointed_out(spb_here: Spb, table: Path) -> None:
    frame_of(authors=(*MODELS, "Claude 3.5 Sonnet")).to_csv(table, index=False)

    done = spb_here("import", table, "--study", "s")

    assert " ".join(done.stdout.split()).startswith(
        "'Claude 3.5 Sonnet' (answers) and 'claude-3-5-sonnet' (judges and answers) may be one model"
    )


def test_a_frame_is_answered_by_an_argument_that_makes_the_names_one() -> None:
    frame = frame_of((MODELS[0], "claude-3.5-sonnet", MODELS[2]))
    names = {"claude-3.5-sonnet": "claude-3-5-sonnet"}

    with pytest.warns(UserWarning, match="may be one model") as caught:
        engine.from_frame(frame, generator="author")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="from_frame: guessed")
        study = engine.from_frame(frame, generator="author", value={"judge": names, "generator": names})

    assert f"give value={ {'judge': names, 'generator': names} }" in str(caught[0].message)
    assert set(study.files.table("models")["model"].to_pylist()) == set(MODELS)


def test_models_that_judge_and_answer_under_their_own_names_are_no_doubt() -> None:
    models = ("gpt-4-0613", "gpt-4-0314", "o3")

    assert other_names(models, models, models) == {}
    assert other_names(models, models[:1], models[1:]) == {"gpt-4-0314": ["gpt-4-0613"]}
    assert other_names(models, models[1:], models) == {}, "another snapshot that only answers"


def test_names_that_differ_by_dots_hyphens_blanks_and_case_are_twins() -> None:
    names = ["Llama 3.1 70B", "llama-3-1-70b", "llama_3.1_70b"]

    assert twins([*names, "llama-3.1-8b", "llama-3.3-70b"]) == [names]


def test_a_models_file_with_another_column_is_refused_with_what_the_columns_are(tmp_path: Path) -> None:
    path = tmp_path / "models.csv"

    path.write_text("model,aliases\ngpt-4o,gpt4o\n", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"'aliases'.*name its name in the study: models given one name"):
        read_corrections(path)
    path.write_text("name,family\ngpt-4o,GPT\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="the model is ''; give the column model; model is a name"):
        read_corrections(path)


def test_the_help_of_import_says_what_a_models_file_has(spb_here: Spb) -> None:
    words = " ".join(re.sub(r"[│╭╰─╮╯]", " ", spb_here("import", "--help").stdout).split())

    assert "`name` (in the study; models given one name become one)" in words or (
        "name (in the study; models given one name become one)" in words
    )
    assert "aliases" not in words


def test_blanks_around_names_ids_and_verdicts_are_left_out_and_counted(spb_here: Spb, table: Path) -> None:
    rows = frame_of().astype(object)
    rows.loc[rows["judge"] == "gpt-4o", "judge"] = "gpt-4o "
    rows.loc[0, "question_id"] = " q0"
    rows.loc[1, "verdict"] = "no "
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([rows.columns, *rows.to_numpy().tolist()])

    done = spb_here("import", table, "--study", "s")

    assert (
        "note: blanks around names and ids were left out: judge (12 rows), instance_id (1 row)" in done.stderr
    )
    assert "several forms" not in done.stderr
    assert models_of(table) == set(MODELS)
    files = Store(table.parent / "store").open("s")
    assert set(files.table("instances")["instance_id"].to_pylist()) == {"q0", "q1", "q2", "q3"}
    assert files.judgments(["status"])["status"].to_pylist() == ["ok"] * len(rows)


def test_a_winner_with_blanks_names_its_model(spb_here: Spb, table: Path) -> None:
    table.write_text(
        "question_id,judge,model_a,model_b,winner\n"
        + "".join(f"q{n},o3,gpt-4o ,gemini-1.5-pro, gpt-4o\n" for n in range(4)),
        encoding="utf-8",
    )

    done = spb_here("import", table, "--study", "s", "--set", "first=generator")

    assert done.returncode == 0, done.stderr
    assert set(Store(table.parent / "store").open("s").judgments(["choice"])["choice"].to_pylist()) == {
        "generator"
    }
