"""A wide table with a column for each criterion is read as a row for each of its verdicts."""

import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import Spb
from importers.foreign_files import imported, judgments, lines, rows_of

import engine
from engine.errors import BadInputError, UsageError
from engine.importers.declared.mapping_file import mapping_file
from engine.importers.format_loading import own_format
from engine.importers.import_options import ImportOptions
from engine.importers.pipeline import reading
from engine.importers.tables.asking.questions import OpenQuestionsError
from engine.store import Store

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
COLUMNS = ("accuracy", "clarity", "tone")

Rows = list[dict[str, Any]]


def score(question: int, author: int, judge: int, criterion: int) -> int:
    """Return one of the scores 1 to 5, which differs between judges."""
    return 1 + (question + 2 * author + 3 * judge + criterion) % 5


def wide(
    n_questions: int = 6, columns: tuple[str, ...] = COLUMNS, **more: tuple[int, int, int, int, int]
) -> Rows:
    """Return a row for each judge of an answer; `more` columns are linear in their numbers, then modulo."""
    return [
        {
            "question_id": f"q{question}",
            "model": model,
            "judge": judge,
            **{name: score(question, a, j, c) for c, name in enumerate(columns)},
            **{
                name: least + (by_question * question + by_author * a + by_judge * j) % modulo
                for name, (least, by_question, by_author, by_judge, modulo) in more.items()
            },
        }
        for question in range(n_questions)
        for a, model in enumerate(MODELS)
        for j, judge in enumerate(MODELS)
    ]


def long(n_questions: int = 6) -> Rows:
    return [
        {"question_id": row["question_id"], "model": row["model"], "judge": row["judge"], "rubric_id": name}
        | {"score": row[name]}
        for row in wide(n_questions)
        for name in COLUMNS
    ]


def written(path: Path, rows: "Rows | pd.DataFrame") -> Path:
    path.parent.mkdir(exist_ok=True)
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


FIELDS = ("judge", "generator", "instance_id", "rubric_id", "score")


def test_columns_of_like_scores_are_guessed_and_give_what_a_long_table_gives(tmp_path: Path) -> None:
    fives = ImportOptions(set={"scale": "5"})

    report, study = imported("table", written(tmp_path / "wide.csv", wide()), fives)
    _, other = imported("table", written(tmp_path / "long" / "long.csv", long()), fives)

    assert sorted(judgments(study, *FIELDS)) == sorted(judgments(other, *FIELDS))
    assert len(judgments(study, "judge")) == 6 * 3 * 3 * 3
    assert any("on one criterion each: accuracy, clarity, tone" in note for note in report.notes)


def test_the_question_about_their_scale_ends_with_the_whole_command(spb_here: Spb, tmp_path: Path) -> None:
    path = written(tmp_path / "wide.csv", wide())

    refused = spb_here("import", path, "--study", "s", "--store", tmp_path / "store")

    assert refused.returncode == 2
    line = next(each for each in refused.stderr.splitlines() if each.strip().startswith("spb import"))
    assert "--criterion-columns accuracy,clarity,tone" in line
    assert "'accuracy', 'clarity' and 'tone' go up to 5, where 1 is perfect" in refused.stderr
    assert "; if they differ in their scales, import those of each scale by themselves" in refused.stderr
    assert spb_here(*shlex.split(line)[1:]).returncode == 0


@pytest.mark.parametrize(("n_criteria", "names"), [(1, "'c0' goes"), (5, "'c0', 'c1' and 3 more go")])
def test_the_question_about_their_scale_names_some_of_many(
    tmp_path: Path, n_criteria: int, names: str
) -> None:
    columns = tuple(f"c{number}" for number in range(n_criteria))
    path = written(tmp_path / "wide.csv", wide(columns=columns))

    with pytest.raises(OpenQuestionsError, match=f": {names} up to 5, where 1 is perfect") as refused:
        imported("table", path, ImportOptions(criteria=columns))

    assert ("if they differ in their scales" in str(refused.value)) == (n_criteria > 1)


def test_what_is_said_of_scores_below_0_is_of_all_of_them(tmp_path: Path) -> None:
    rows = [{name: value - 3 if name in COLUMNS else value for name, value in row.items()} for row in wide()]
    halves = [{name: value / 2 if name in COLUMNS else value for name, value in row.items()} for row in rows]

    with pytest.raises(BadInputError) as refused:
        imported("table", written(tmp_path / "whole.csv", rows), ImportOptions(criteria=COLUMNS))
    with pytest.raises(BadInputError) as of_halves:
        imported("table", written(tmp_path / "halves.csv", halves), ImportOptions(criteria=COLUMNS))

    for problem in map(str, (refused.value, of_halves.value)):
        assert "'accuracy', 'clarity' and 'tone' hold scores below 0, down to " in problem
    assert "d[['accuracy', 'clarity', 'tone']] += 1" in str(of_halves.value)


def test_what_is_read_as_no_verdict_is_counted_in_all_of_them(tmp_path: Path) -> None:
    rows = wide()
    rows[3]["tone"] = rows[4]["clarity"] = -1
    rows[5]["tone"] = "error"

    report, _ = imported("table", written(tmp_path / "w.csv", rows), ImportOptions(set={"scale": "5"}))

    note = "'accuracy', 'clarity' and 'tone' {}, read as no verdict"
    for what in ("are -1 in 2 cells", "hold 'error' (1)"):
        assert any(each.startswith(note.format(what)) for each in report.notes), report.notes


def test_words_that_all_columns_share_are_asked_about_once(tmp_path: Path) -> None:
    words = ("reject", "approve")
    rows = [
        {"change": f"pr{q}", "author": m, "judge": j}
        | {name: words[(q + 2 * a + 3 * b + c) % 4 > 1] for c, name in enumerate(COLUMNS)}
        for q in range(6)
        for a, m in enumerate(MODELS)
        for b, j in enumerate(MODELS)
    ]

    with pytest.raises(OpenQuestionsError) as refused:
        imported("table", written(tmp_path / "wide.csv", rows))
    _, study = imported(
        "table",
        tmp_path / "wide.csv",
        ImportOptions(value={"met": {"approve": "yes", "reject": "no"}}),
    )

    assert refused.value.options.criteria == COLUMNS
    assert {rubric for (rubric,) in rows_of(study.table("rubrics"), "rubric_id")} == {*COLUMNS}
    verdicts = judgments(study, "instance_id", "generator", "judge", "rubric_id", "met")
    expected = {
        (row["change"], row["author"], row["judge"], name, row[name] == "approve")
        for row in rows
        for name in COLUMNS
    }
    assert {*verdicts} == expected


@pytest.mark.parametrize(
    "more",
    [
        {"difficulty": (1, 1, 0, 0, 5)},
        {"confidence": (1, 1, 0, 1, 5)},
        {"human_clarity": (1, 1, 1, 0, 5)},
        {"n_words": (20, 1, 0, 1, 7)},
        {"violation": (0, 1, 0, 1, 2)},
        {"price": (1000, 1, 0, 1, 99)},
    ],
    ids=lambda more: next(iter(more)),
)
def test_what_is_of_the_question_of_people_or_counts_something_is_no_criterion(
    tmp_path: Path, more: dict[str, tuple[int, int, int, int, int]]
) -> None:
    path = written(tmp_path / "wide.csv", wide(**more))

    _, study = imported("table", path, ImportOptions(set={"scale": "5"}))

    assert {rubric for (rubric,) in rows_of(study.table("rubrics"), "rubric_id")} == {*COLUMNS}


@pytest.mark.parametrize("column", ["cost_realism", "price_fit", "ease_of_order"])
def test_the_noun_of_a_name_says_what_a_column_is(tmp_path: Path, column: str) -> None:
    columns = ("pacing", "tone", column)
    path = written(tmp_path / "wide.csv", wide(columns=columns))

    _, study = imported("table", path, ImportOptions(set={"scale": "5"}))

    assert {rubric for (rubric,) in rows_of(study.table("rubrics"), "rubric_id")} == {*columns}


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("latency_ms", (1, 1, 0, 1, 5)),
        ("tokens_in_prompt", (1, 1, 0, 1, 5)),
        ("n_retries", (1, 1, 0, 1, 5)),
        ("turn_2", (1, 1, 0, 1, 5)),
        ("confidence_level", (1, 1, 0, 1, 5)),
        ("confidence_stated", (1, 1, 0, 1, 5)),
        ("cost_usd", (20, 1, 0, 1, 5)),
        ("length_of_answer", (20, 1, 0, 1, 5)),
    ],
)
def test_units_and_links_after_a_noun_leave_it_what_it_is(
    tmp_path: Path, column: str, values: tuple[int, int, int, int, int]
) -> None:
    path = written(tmp_path / "wide.csv", wide(**{column: values}))

    _, study = imported("table", path, ImportOptions(set={"scale": "5"}))

    assert {rubric for (rubric,) in rows_of(study.table("rubrics"), "rubric_id")} == {*COLUMNS}


def test_an_amount_on_the_very_scale_of_two_criteria_is_a_criterion(tmp_path: Path) -> None:
    columns = ("pacing", "length_of_days", "tone")
    path = written(tmp_path / "wide.csv", wide(columns=columns))

    _, study = imported("table", path, ImportOptions(set={"scale": "5"}))

    assert {rubric for (rubric,) in rows_of(study.table("rubrics"), "rubric_id")} == {*columns}


@pytest.mark.parametrize("values", [(2, 1, 0, 1, 4), (1, 1, 0, 1, 4)], ids=["2 to 5", "1 to 4"])
def test_numbers_on_the_range_of_the_scores_are_left_out_for_their_name_in_words(
    tmp_path: Path, values: tuple[int, int, int, int, int]
) -> None:
    path = written(tmp_path / "wide.csv", wide(duration=values))
    note = "eft out 'duration', by its name; add it to --criterion-columns if it is a criterion"

    with pytest.raises(OpenQuestionsError, match=note) as refused:
        imported("table", path)
    report, _ = imported("table", path, ImportOptions(set={"scale": "5"}))

    assert refused.value.options.criteria == COLUMNS
    assert any(each.endswith(note) for each in report.notes)


def test_beside_a_single_score_what_is_left_out_for_its_name_is_named_too(tmp_path: Path) -> None:
    path = written(tmp_path / "wide.csv", wide(columns=("cost", "duration", "realism")))
    note = (
        "eft out 'cost' and 'duration', by their names; give --criterion-columns realism,cost,duration in "
        "place of score if they are criteria"
    )
    named = ImportOptions(set={"scale": "5"}, map={"score": "realism"})

    with pytest.raises(OpenQuestionsError, match=note):
        imported("table", path)
    report, study = imported("table", path, named)

    assert len(judgments(study, "judge")) == 6 * 3 * 3
    assert any(each.endswith(note) for each in report.notes)


def test_one_truth_for_an_answer_is_not_that_of_each_of_its_criteria(tmp_path: Path) -> None:
    path = written(tmp_path / "wide.csv", wide(reference_score=(1, 1, 1, 0, 5)))

    report, study = imported("table", path, ImportOptions(set={"scale": "5"}))

    assert study.table("references").num_rows == 0
    assert any("'reference_score' is not read" in note for note in report.notes)


@pytest.mark.parametrize("stray", ["see note", "101", "-40", "1000000000"])
def test_one_odd_cell_leaves_no_criterion_out(tmp_path: Path, stray: str) -> None:
    rows = wide()
    rows[20]["clarity"] = stray
    path = written(tmp_path / "wide.csv", rows)
    none = {"score": {"see note": "none"}} if stray == "see note" else {}

    if none:
        with pytest.raises(
            OpenQuestionsError, match="'see note' \\(1\\) among numbers \\(first in 'clarity'"
        ):
            imported("table", path, ImportOptions(set={"scale": "5"}))
    report, study = imported("table", path, ImportOptions(set={"scale": "5"}, value=none))

    assert {rubric for (rubric,) in rows_of(study.table("rubrics"), "rubric_id")} == {*COLUMNS}
    verdicts = judgments(study, "status")
    assert len(verdicts) == 6 * 3 * 3 * 3 - (not none)
    assert len(report.left_out) == (not none)
    assert verdicts.count(("ok",)) == 6 * 3 * 3 * 3 - 1


def test_columns_on_other_scales_are_not_taken_together(tmp_path: Path) -> None:
    path = written(tmp_path / "wide.csv", wide(columns=COLUMNS[:1], percentage=(0, 10, 0, 10, 99)))

    with pytest.raises(OpenQuestionsError) as refused:
        imported("table", path)

    assert refused.value.options.criteria == ()


def test_a_further_column_beside_a_known_verdict_is_pointed_out_and_not_read(tmp_path: Path) -> None:
    path = written(tmp_path / "wide.csv", wide(columns=("score", "clarity", "tone")))

    report, study = imported("table", path, ImportOptions(set={"scale": "5"}))

    assert len(judgments(study, "judge")) == 6 * 3 * 3
    assert any("--criterion-columns score,clarity,tone" in note for note in report.notes)
    named = ImportOptions(set={"scale": "5"}, criteria=("score", "clarity", "tone"))
    all_columns = imported("table", written(tmp_path / "all" / "wide.csv", pd.read_csv(path)), named)[1]
    assert len(judgments(all_columns, "judge")) == 3 * 6 * 3 * 3


def test_an_empty_cell_gives_no_judgment_and_is_counted(tmp_path: Path) -> None:
    rows = wide()
    rows[0]["tone"] = rows[1]["tone"] = None

    report, study = imported("table", written(tmp_path / "wide.csv", rows), ImportOptions(set={"scale": "5"}))

    assert len(judgments(study, "judge")) == 6 * 3 * 3 * 3 - 2
    assert any("empty cells of the criteria's columns" in note and ": 2" in note for note in report.notes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"judges": ("accuracy",)}, "--judge-columns are both given"),
        ({"map": {"score": "accuracy"}}, "score is given too"),
        ({"set": {"rubric_id": "overall"}}, "rubric_id is given too"),
        ({"criteria": ("colour",)}, "--criterion-columns names 'colour', which no row has"),
    ],
)
def test_what_contradicts_a_column_for_each_criterion_is_refused(
    tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    given = {"criteria": ("clarity", "tone"), **options}

    with pytest.raises(UsageError, match=words):
        imported("table", written(tmp_path / "wide.csv", wide()), ImportOptions(**given))


def nested() -> Rows:
    """Return the wide rows with their scores inside an object."""
    return [
        {name: row[name] for name in ("question_id", "model", "judge")}
        | {"scores": {name: row[name] for name in COLUMNS}}
        for row in wide()
    ]


def test_those_inside_an_object_are_criteria_of_their_last_name(tmp_path: Path) -> None:
    path, options = lines(tmp_path / "rows.jsonl", nested()), ImportOptions(set={"scale": "5"})

    report, study = imported("table", path, options)
    _, other = imported("table", written(tmp_path / "long" / "long.csv", long()), options)

    assert sorted(judgments(study, *FIELDS)) == sorted(judgments(other, *FIELDS))
    assert report.unused == ()


@pytest.mark.parametrize(
    "flags",
    [
        {"own": lambda row: row["judge"] == row["model"], "swapped": lambda row: row["accuracy"] > 2},
        {"judge_is_large": lambda row: "opus" in row["judge"], "cached": lambda row: row["tone"] > 3},
    ],
    ids=lambda flags: "-".join(flags),
)
def test_flags_of_the_models_or_of_the_call_are_no_criteria(tmp_path: Path, flags: dict[str, Any]) -> None:
    rows = [
        {name: row[name] for name in ("question_id", "model", "judge")}
        | {name: value(row) for name, value in flags.items()}
        for row in wide()
    ]

    with pytest.raises(OpenQuestionsError) as refused:
        imported("table", lines(tmp_path / "rows.jsonl", rows))

    assert refused.value.options.criteria == ()


def checked() -> Rows:
    """Return verdicts on two criteria that are good to meet and one that is bad, by each judge."""
    return [
        {
            **{name: row[name] for name in ("question_id", "model", "judge")},
            **{
                name: "yes" if row[column] > 2 else "no" for name, column in zip(CHECKS, COLUMNS, strict=True)
            },
        }
        for row in wide()
    ]


CHECKS = ("clear", "kind", "hallucinates")


def points_of(study: Any) -> dict[str, float]:
    return {row["rubric_id"]: row["points"] for row in study.table("rubrics").to_pylist()}


@pytest.mark.parametrize("spelt", ["hallucinates", "Hallucinates", "checks.hallucinates"])
def test_one_that_is_bad_to_meet_has_its_points_in_a_table_and_in_its_format(
    tmp_path: Path, spelt: str
) -> None:
    rows = [
        {
            **{name: row[name] for name in ("question_id", "model", "judge")},
            "checks": {name: row[name] for name in CHECKS},
        }
        for row in checked()
    ]
    path = lines(tmp_path / "wide.jsonl", rows)
    columns = tuple(f"checks.{name}" for name in CHECKS)
    options = ImportOptions(criteria=columns, value={"points": {spelt: "-1"}})
    declared = tmp_path / "mine.toml"

    _, study = imported("table", path, options)
    declared.write_text(mapping_file(path, options, "mine") or "", "utf-8")
    with reading(own_format(declared), path) as read:
        read.write(Store(tmp_path / "other"), "read")

    assert points_of(study) == {"clear": 1, "kind": 1, "hallucinates": -1}
    assert points_of(Store(tmp_path / "other").open("read")) == points_of(study)


def test_a_frame_with_a_criterion_that_is_bad_to_meet_gives_what_a_long_one_gives() -> None:
    frame = pd.DataFrame(checked())
    long_frame = frame.melt(["question_id", "model", "judge"], [*CHECKS], "rubric_id", "met")
    long_frame["points"] = long_frame["rubric_id"].map({"clear": 1, "kind": 1, "hallucinates": -1})
    columns = {"instance_id": "question_id", "generator": "model"}

    of_wide = engine.from_frame(
        frame, criteria=CHECKS, value={"points": {"hallucinates": -1}}, guess=False, **columns
    )
    of_long = engine.from_frame(long_frame, guess=False, **columns)

    assert points_of(of_wide.files) == points_of(of_long.files) == {"clear": 1, "kind": 1, "hallucinates": -1}
    keys = ["judge", "generator", "instance_id", "rubric_id"]
    verdicts = [
        study.judgments().sort_values(keys, ignore_index=True)[[*keys, "met"]] for study in (of_wide, of_long)
    ]
    pd.testing.assert_frame_equal(*verdicts)


def test_points_of_no_criterion_are_refused() -> None:
    with pytest.raises(
        UsageError, match=r"value=.'points': .'halucinates': '-1'.. names no criterion; their"
    ):
        engine.from_frame(pd.DataFrame(checked()), criteria=CHECKS, value={"points": {"halucinates": -1}})


def test_one_that_is_left_out_as_something_bad_is_named_with_what_reads_it(tmp_path: Path) -> None:
    rows = [{**row, "hallucination": row["hallucinates"]} for row in checked()]
    for row in rows:
        del row["hallucinates"]
    note = (
        "left out 'hallucination', as its name says something bad; if it is a criterion, add it to "
        "--criterion-columns, with --value points:hallucination=-1 if yes is bad"
    )

    report, study = imported("table", written(tmp_path / "wide.csv", rows))

    assert points_of(study) == {"clear": 1, "kind": 1}
    assert note in report.notes


def test_a_frame_has_them_as_criteria() -> None:
    frame, other = pd.DataFrame(wide()), pd.DataFrame(long())

    names = {"generator": "model", "instance_id": "question_id", "scale": 5}
    study, expected = engine.from_frame(frame, criteria=COLUMNS, **names), engine.from_frame(other, **names)

    columns = ["judge", "generator", "instance_id", "rubric_id", "score"]
    read, long_read = (
        each.judgments()[columns].sort_values(columns[:-1]).reset_index(drop=True)
        for each in (study, expected)
    )
    assert read.equals(long_read)


@pytest.mark.parametrize("form", ["columns", "an object"])
def test_a_format_of_ones_own_has_them_too(tmp_path: Path, form: str) -> None:
    options = ImportOptions(set={"scale": "5"})
    path = tmp_path / ("wide.csv" if form == "columns" else "rows.jsonl")
    _ = written(path, wide()) if form == "columns" else lines(path, nested())
    declared = tmp_path / "mine.toml"
    declared.write_text(mapping_file(path, options, "mine") or "", "utf-8")

    with reading(own_format(declared), path) as source:
        source.write(Store(tmp_path), "own")

    study, guessed = Store(tmp_path).open("own"), imported("table", path, options)[1]
    assert "criteria = [" in declared.read_text("utf-8")
    assert sorted(judgments(study, *FIELDS)) == sorted(judgments(guessed, *FIELDS))


def test_a_guess_of_criteria_says_that_to_meet_one_is_good_and_how_it_is_bad(tmp_path: Path) -> None:
    report, _ = imported("table", lines(tmp_path / "t.jsonl", wide()), ImportOptions(set={"scale": "5"}))

    [note] = [each for each in report.notes if "hold the verdicts on one criterion each" in each]
    assert note.endswith(
        "to meet one counts as good; of one that is bad, give its points, such as --value points:tone=-1"
    )
