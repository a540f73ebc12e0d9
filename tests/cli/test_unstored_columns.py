"""A column of an imported file that the study does not have is named with the import that stores it."""

import re
import shlex
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest
from command_line import Spb

from engine.store import Store
from engine.store.study_files import Committee
from engine.store.writer import replace_tables

MODELS = ("gpt-4o", "claude-3-opus")
AREAS = {"Polite": "1", "Right": "2"}


def week(
    folder: Path, spb_here: Spb, monkeypatch: pytest.MonkeyPatch, criterion: str = ",requirement"
) -> None:
    """Store two days of verdicts whose files have a column `area` of numbers, of criteria or of questions."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("SPB_STORE", raising=False)
    for day, words in (("monday", ()), ("tuesday", ("--append",))):
        rows = [
            f"{judge},{model},q{n}{f',{check}' if criterion else ''},{area if criterion else n % 2},"
            f"{'yes' if len(judge) + n + len(day) & 2 else 'no'}"
            for n in range(12)
            for check, area in (AREAS if criterion else {"": ""}).items()
            for judge in MODELS
            for model in MODELS
        ]
        text = "\n".join([f"rater,model,question_id{criterion},area,verdict", *rows])
        (folder / f"{day}.csv").write_text(text, "utf-8")
        more = () if criterion else ("--set", "rubric_id=overall")
        output = spb_here("import", f"{day}.csv", "--study", "week", "--run", day, *words, *more)
        assert output.returncode == 0, output.stderr


def import_commands(message: str) -> list[list[str]]:
    """Return the words of each command of the line that imports a study's files again."""
    [line] = re.findall("`(spb import [^`]*)`", message)
    return [shlex.split(command) for command in line.split(" && ")]


@pytest.mark.parametrize(
    "words",
    [
        ("measure", "hspp", "week", "--by", "area"),
        ("judges", "week", "--area", "1"),
        ("slices", "week", "--where", "area=1"),
    ],
)
def test_the_import_that_stores_a_column_is_named_where_it_is_wanted(
    spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    week(tmp_path, spb_here, monkeypatch)

    refused = spb_here(*words)
    commands = import_commands(refused.stderr)
    again = [spb_here(*command[1:]) for command in commands]

    assert refused.returncode == 2
    assert "the column 'area' of the file was not stored: import it again" in refused.stderr
    assert [(command[2], command[-1]) for command in commands] == [
        ("monday.csv", "--replace"),
        ("tuesday.csv", "--append"),
    ]
    assert [output.returncode for output in again] == [0, 0]
    study = Store(tmp_path / "results").open("week")
    assert set(study.table("rubrics", ["axis"])["axis"].to_pylist()) == {"1", "2"}
    assert set(study.judgments(("run_id",))["run_id"].to_pylist()) == {"monday", "tuesday"}


def test_the_import_is_into_the_store_that_was_given(
    spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    week(tmp_path, spb_here, monkeypatch)
    (tmp_path / "results").rename(tmp_path / "copy")

    by_option = spb_here("measure", "hspp", "week", "--by", "area", "--store", "copy")
    by_path = spb_here("measure", "hspp", "copy/week", "--by", "area")

    for refused in (by_option, by_path):
        commands = import_commands(refused.stderr)
        assert [command[command.index("--store") + 1] for command in commands] == ["copy", "copy"]


@pytest.mark.parametrize("more", ["run", "committee"])
def test_what_no_file_has_is_not_lost_by_the_import(
    spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    week(tmp_path, spb_here, monkeypatch)
    study = Store(tmp_path / "results").open("week")
    if more == "run":
        row = {"run_id": "paid", "model": MODELS[0], "role": "judge", "provenance": "api"}
        replace_tables(study, {"runs": pa.Table.from_pylist([row])})
    else:
        panel = Committee(members=[*MODELS])
        replace_tables(study, {}, study.info.model_copy(update={"committees": {"panel": panel}}))

    refused = spb_here("measure", "hspp", "week", "--by", "area")
    again = [spb_here(*command[1:]) for command in import_commands(refused.stderr)]

    assert "--replace" not in refused.stderr
    named = "the run paid" if more == "run" else "committees"
    assert f"(a study of its own: {named} would be lost with 'week')" in refused.stderr
    assert [output.returncode for output in again] == [0, 0]
    store = Store(tmp_path / "results")
    before = store.open("week")
    assert before.table("runs")["run_id"].to_pylist() == ["paid"] if more == "run" else before.info.committees
    stored = store.open("week-with-axis").table("rubrics", ["axis"])["axis"].to_pylist()
    assert set(stored) == {"1", "2"}


def test_a_column_of_questions_is_stored_as_their_category(
    spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    week(tmp_path, spb_here, monkeypatch, criterion="")

    refused = spb_here("measure", "hspp", "week", "--by", "area")

    assert refused.returncode == 2
    assert refused.stderr.count("--map category=area") == 2


def test_a_name_that_no_file_has_is_unknown(
    spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    week(tmp_path, spb_here, monkeypatch)

    refused = spb_here("measure", "hspp", "week", "--by", "regoin")

    assert refused.returncode == 2
    assert "was not stored" not in refused.stderr


def graded(folder: Path, spb_here: Spb, monkeypatch: pytest.MonkeyPatch) -> None:
    """Store a file in a folder `bad`: its numbers are of questions, of criteria, or of rows alone."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("SPB_STORE", raising=False)
    (folder / "bad").mkdir()
    checks = ((check, group) for check, group in (("Polite", "tone"), ("Right", "facts")))
    rows = [
        f"{judge},{model},q{n},{check},{group},{n % 2},{len(check)},{number},"
        f"{'yes' if len(judge) + n & 2 else 'no'}"
        for number, (n, (check, group), judge, model) in enumerate(
            product(range(12), list(checks), MODELS, MODELS)
        )
    ]
    head = "rater,model,question_id,requirement,kind,weekday,weight_class_code,token,verdict"
    (folder / "bad" / "graded.csv").write_text("\n".join([head, *rows]), "utf-8")
    output = spb_here("import", "bad/graded.csv", "--study", "graded", "--map", "axis=kind")
    assert output.returncode == 0, output.stderr


@pytest.mark.parametrize(
    ("own", "ours", "table", "instead"),
    [
        ("weekday", "category", "instances", ""),
        ("weight_class_code", "axis", "rubrics", " (in place of kind)"),
    ],
)
def test_the_command_runs_as_it_stands_and_maps_the_column_to_what_it_is_of(
    spb_here: Spb,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own: str,
    ours: str,
    table: str,
    instead: str,
) -> None:
    graded(tmp_path, spb_here, monkeypatch)

    refused = spb_here("measure", "expected", "graded", "--by", own)
    [command] = re.findall("`(spb import [^`]*)`", refused.stderr)
    again = spb_here(*shlex.split(command)[1:])

    assert f"import it again{instead} with `spb import bad/graded.csv" in refused.stderr
    assert command.count("--map axis=") == 1
    assert f"--map {ours}={own}" in command
    assert again.returncode == 0, again.stderr
    values = Store(tmp_path / "results").open("graded").table(table, [ours])[ours].to_pylist()
    assert None not in values


def test_of_a_column_with_a_value_for_each_row_no_command_is_printed(
    spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded(tmp_path, spb_here, monkeypatch)

    refused = spb_here("measure", "expected", "graded", "--by", "token")

    assert "was not stored, and groups nothing: one criterion of a question has several" in refused.stderr
    assert "spb import" not in refused.stderr


def test_a_file_outside_the_folder_is_neither_recorded_nor_read(
    spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded(tmp_path, spb_here, monkeypatch)
    table = tmp_path / "bad" / "graded.csv"

    imported = spb_here("import", table, "--study", "outside", "--store", tmp_path / "results")
    study = tmp_path / "results" / "graded" / "study.json"
    study.write_text(study.read_text("utf-8").replace('"bad/graded.csv"', f'"{table}"'), "utf-8")
    refused = spb_here("measure", "expected", "graded", "--by", "weekday")

    assert imported.returncode == 0, imported.stderr
    assert str(tmp_path) not in (tmp_path / "results" / "outside" / "study.json").read_text("utf-8")
    assert "if it is of criteria; --map category=weekday if of questions" in refused.stderr


def test_where_a_file_lay_that_is_not_recorded_is_said_to_be_unknown(
    spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded(tmp_path, spb_here, monkeypatch)
    study = tmp_path / "results" / "graded" / "study.json"
    study.write_text(study.read_text("utf-8").replace('"path"', '"former"'), "utf-8")

    refused = spb_here("measure", "expected", "graded", "--by", "weekday")

    assert "(where graded.csv lay is not recorded: write the path)" in refused.stderr
    assert "if it is of criteria; --map category=weekday if of questions" in refused.stderr
