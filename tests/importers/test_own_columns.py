"""Columns under names of the user's own that group questions or criteria are stored, and no row is lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Spb
from importers.foreign_files import lines

import engine
from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.importers.pipeline import reading
from engine.importers.table import FORMAT, SAMPLE
from engine.store import Store
from engine.store.study_files import StudyFiles

CRITERIA = ("short", "polite")


def verdicts(number: int = 4, **own: Callable[[int, str], str]) -> list[dict[str, Any]]:
    """Return verdicts of two judges on so many questions, with columns of these values."""
    return [
        {
            "judge": judge,
            "generator": "g",
            "instance_id": f"q{question}",
            "criterion": criterion,
            "met": "yes",
            **{name: value(question, criterion) for name, value in own.items()},
        }
        for judge in ("j1", "j2")
        for question in range(number)
        for criterion in CRITERIA
    ]


def imported(
    path: Path, rows: list[dict[str, Any]], options: ImportOptions | None = None
) -> tuple[MappingReport, StudyFiles]:
    store = Store(path / "store")
    with reading(FORMAT, lines(path / "t.jsonl", rows), options or ImportOptions()) as read:
        read.write(store, "read")
    return read.report, store.open("read")


def values(files: StudyFiles, table: str, column: str) -> set[object]:
    rows = files.table(table).to_pylist()
    return {(row["instance_id"], row.get("criterion"), row[column]) for row in rows}


@pytest.mark.parametrize(
    "area", [lambda _, criterion: criterion[0], lambda question, criterion: f"{criterion} {question % 2}"]
)
def test_a_column_that_groups_criteria_is_their_axis(tmp_path: Path, area: Callable[[int, str], str]) -> None:
    report, files = imported(tmp_path, verdicts(area=area))

    assert values(files, "rubrics", "axis") == {
        (f"q{question}", criterion, area(question, criterion))
        for question in range(4)
        for criterion in CRITERIA
    }
    assert (
        "'area' groups the criteria, and is stored as their axis (--not area leaves it out)" in report.notes
    )


def test_columns_that_group_questions_are_their_category_and_segment(tmp_path: Path) -> None:
    rows = verdicts(
        channel=lambda question, _: f"way {question % 2}",
        effort=lambda question, _: f"level {question // 2}",
        third=lambda question, _: f"site {question % 2}",
    )

    report, files = imported(tmp_path, rows)

    assert values(files, "instances", "category") == {(f"q{n}", None, f"way {n % 2}") for n in range(4)}
    assert values(files, "instances", "segment") == {(f"q{n}", None, f"level {n // 2}") for n in range(4)}
    assert report.unused == ("third",)


def test_a_column_whose_name_is_near_ours_fills_that(tmp_path: Path) -> None:
    _, files = imported(tmp_path, verdicts(main_topic=lambda question, _: f"law {question % 2}"))

    assert {row["theme"] for row in files.table("instances").to_pylist()} == {"law 0", "law 1"}


@pytest.mark.parametrize(
    "area",
    [
        lambda question, _: f"id {question}",
        lambda question, _: str(question % 2),
        lambda question, _: "yes" if question % 2 else "no",
        lambda *_: "same",
    ],
)
def test_a_column_that_groups_nothing_is_not_stored(tmp_path: Path, area: Callable[[int, str], str]) -> None:
    report, _ = imported(tmp_path, verdicts(area=area))

    assert report.unused == ("area",)
    assert not any("is stored" in note for note in report.notes)


def test_a_column_is_left_out_as_asked(tmp_path: Path) -> None:
    rows = verdicts(area=lambda question, _: f"law {question % 2}")

    _, files = imported(tmp_path, rows, ImportOptions(leave_out=("area",)))

    assert {row["category"] for row in files.table("instances").to_pylist()} == {None}


def test_a_column_that_differs_within_a_question_later_on_costs_no_row(tmp_path: Path) -> None:
    rows = verdicts(SAMPLE, area=lambda question, _: f"law {question % 2}")
    rows[-1]["area"] = "tax"

    report, files = imported(tmp_path, rows)

    assert report.rows_stored == report.rows_read == len(rows)
    assert {row["category"] for row in files.table("instances").to_pylist()} == {None}
    assert report.unused == ("area",)
    assert report.notes[-1] == (
        f"'area' is not stored after all: question 'q{SAMPLE - 1}' has two values of it"
    )
    assert not any("category" in (record.options or {}).get("map", {}) for record in files.info.imports or ())


def test_its_own_name_groups_and_filters(spb_here: Spb, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    rows = [
        row
        | {
            "judge": judge,
            "generator": model,
            "reference_met": "no",
            "met": "yes" if judge == model else "no",
        }
        for row in verdicts(8, channel=lambda question, _: f"way {question % 2}")[:16]
        for judge in ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
        for model in ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
    ]
    file = lines(tmp_path / "t.jsonl", rows)
    assert spb_here("import", str(file), "--study", "mine", "--store", store).returncode == 0

    by = spb_here("measure", "overestimation", "mine", "--by", "channel", "--store", store)
    own = spb_here(
        "measure", "overestimation", "mine", "--where", "channel=way 1", "--store", store, "--format", "csv"
    )
    ours = spb_here(
        "measure", "overestimation", "mine", "--category", "way 1", "--store", store, "--format", "csv"
    )
    flag = spb_here("judges", "mine", "--channel", "way 1", "--store", store)
    frame = engine.open_study(tmp_path / "store" / "mine").overestimation(by="channel")

    assert by.returncode == 0
    assert "Category is the file's column 'channel'." in by.stdout
    assert own.stdout == ours.stdout != ""
    assert "the study has the file's column 'channel' as category: --category 'way 1'" in flag.stderr
    assert set(frame["slice"]) == {"way 0", "way 1"}
