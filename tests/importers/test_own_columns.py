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
from engine.importers.tables.table import FORMAT
from engine.importers.tables.table_sample import SAMPLE
from engine.store import Store
from engine.store.study_files import StudyFiles

CRITERIA = ("short", "polite")


def verdicts(number: int = 4, **own: Callable[[int, str], object]) -> list[dict[str, Any]]:
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
    assert any(
        note.startswith("'area' groups the criteria, and is stored as their axis (--not area leaves it out)")
        for note in report.notes
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


@pytest.mark.parametrize("number", [int, float, str])
def test_a_column_of_few_numbers_that_is_named_like_a_group_is_stored(
    tmp_path: Path, number: Callable[[int], object]
) -> None:
    report, files = imported(tmp_path, verdicts(difficulty=lambda question, _: number(question % 2 + 1)))

    assert values(files, "instances", "category") == {(f"q{n}", None, str(n % 2 + 1)) for n in range(4)}
    assert any("'difficulty' groups the questions" in note for note in report.notes)


@pytest.mark.parametrize("missing", ["NA", "None", "", None])
def test_questions_without_a_group_have_none(tmp_path: Path, missing: str | None) -> None:
    rows = verdicts(level=lambda question, _: missing if question == 0 else f"level {question % 2}")
    rows[2]["level"] = missing  # of a question that has one in its other rows

    _, files = imported(tmp_path, rows)

    levels = {row["instance_id"]: row["category"] for row in files.table("instances").to_pylist()}
    assert levels == {"q0": None, "q1": "level 1", "q2": "level 0", "q3": "level 1"}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (lambda question, criterion: f"{question % 2} {criterion}" if question else criterion * 9, None),
        (lambda question, _: question * 2.5, "it holds numbers, and its name is not that of a group"),
        (lambda *_: "one way", "all rows have the same value"),
        (lambda question, _: ("yes", "no")[question % 2], "its values are those of verdicts"),
        (lambda question, _: f"way {question}", "nearly each question has a value of its own"),
    ],
)
def test_a_column_that_is_not_stored_has_its_reason_in_the_report(
    tmp_path: Path, value: Callable[[int, str], object], reason: str | None
) -> None:
    report, _ = imported(tmp_path, verdicts(area=value))

    assert report.not_stored.get("area") == reason
    assert reason is None or f"    'area': {reason}" in report.lines()


def test_the_reason_for_many_values_counts_those_that_fit(tmp_path: Path) -> None:
    report, _ = imported(tmp_path, verdicts(13, level=lambda question, _: question))

    assert report.not_stored == {"level": "it has more than 12 values, too many for groups"}


def test_the_reason_for_two_values_names_the_question_and_both(tmp_path: Path) -> None:
    rows = verdicts(level=lambda question, _: f"level {question % 2}")
    rows[-1]["level"] = "level 0"

    report, _ = imported(tmp_path, rows)

    reason = "question 'q3' has two values of it, such as 'level 1' and 'level 0'"
    assert report.not_stored == {"level": reason}
    assert f"    'level': {reason}" in report.lines()


def test_a_third_group_says_how_it_is_stored_instead(spb_here: Spb, tmp_path: Path) -> None:
    rows = verdicts(
        channel=lambda n, _: f"way {n % 2}", level=lambda n, _: f"l{n // 2}", third=lambda n, _: f"t{n % 2}"
    )
    report, _ = imported(tmp_path, rows)
    remedy = report.not_stored["third"].partition("(")[2].removesuffix(" stores this one instead)")

    done = spb_here(
        "import", tmp_path / "t.jsonl", "--study", "s", "--store", tmp_path / "two", *remedy.split()
    )

    assert done.returncode == 0, done.stderr
    stored = Store(tmp_path / "two").open("s").table("instances").to_pylist()
    assert {row["segment"] for row in stored} == {"t0", "t1"}


def later(first: str, second: str, n: int = 2000) -> Callable[[int, str], str]:
    return lambda question, _: first if question < n else second


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("day", later("Monday", "Tuesday"), "all of the first 2,000 rows have the same value"),
        ("memo", later("", "late"), "all of the first 2,000 rows have no value of it"),
        ("run", later("1", "2", 1), "it may name the runs (--map run_id=run reads it so)"),
        ("remark", lambda *_: "two\nlines", "it holds texts of several lines"),
        (
            "brief",
            lambda question, _: f"Write a note on wine {question}.",
            "it may be the text of each question (--map prompt=brief reads it so)",
        ),
    ],
)
def test_a_column_that_is_not_stored_has_the_reason_that_its_values_show(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    column: str,
    value: Callable[[int, str], str],
    reason: str,
) -> None:
    for module in ("table", "own_columns"):
        monkeypatch.setattr(f"engine.importers.tables.{module}.SAMPLE", 2000)
    named = ("judge", "generator", "instance_id", "criterion", "met")

    report, _ = imported(
        tmp_path, verdicts(2001, **{column: value}), ImportOptions(map={name: name for name in named})
    )

    assert report.not_stored[column] == reason


def test_letters_of_answers_that_are_no_pairs_group_questions(tmp_path: Path) -> None:
    report, files = imported(tmp_path, verdicts(form=lambda question, _: "AB"[question % 2]))

    assert values(files, "instances", "category") == {(f"q{n}", None, "AB"[n % 2]) for n in range(4)}
    assert not report.not_stored
