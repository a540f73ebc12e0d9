"""A column of an imported file that the study does not have is named with the import that stores it."""

import re
import shlex
from pathlib import Path

import pytest
from command_line import Spb

from engine.store import Store

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
    commands = [shlex.split(line) for line in re.findall("`(spb import [^`]*)`", refused.stderr)]
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
