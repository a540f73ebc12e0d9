"""Any table: its fields named, its verdicts read, in each file format."""

import csv
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from importers.foreign_files import dump, imported, judgments, lines, rows_of

from engine.errors import BadInputError, UsageError
from engine.importers.import_options import ImportOptions
from engine.importers.pipeline import study_name
from engine.importers.reading.format import pairs

MAP = {"judge": "rater", "generator": "model", "met": "verdict", "instance_id": "question", "rubric_id": "k"}


def verdict(value: Any, **more: Any) -> dict[str, Any]:
    return {"rater": "gpt-4o", "model": "claude-3-haiku", "verdict": value, "question": "1", "k": "r"} | more


def write(path: Path, form: str, rows: list[dict[str, Any]]) -> Path:
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path := path.with_suffix(".parquet"))
    elif form == "csv":
        path = path.with_suffix(".csv")
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    elif form == "json":
        path = dump(path.with_suffix(".json"), rows)
    else:
        path = lines(path.with_suffix(".jsonl"), rows)
    return path


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl", "json"])
def test_a_table_reads_the_same_in_every_file_format(tmp_path: Path, form: str) -> None:
    rows = [verdict(value, question=str(n)) for n, value in enumerate(("true", "0", "-1", "error", None))]
    path = write(tmp_path / "mine", form, rows)

    report, study = imported("table", path, ImportOptions(map=MAP))

    assert judgments(study, "judge", "generator", "instance_id", "met", "status") == [
        ("gpt-4o", "claude-3-haiku", "0", True, "ok"),
        ("gpt-4o", "claude-3-haiku", "1", False, "ok"),
        ("gpt-4o", "claude-3-haiku", "2", None, "unparsed"),
        ("gpt-4o", "claude-3-haiku", "3", None, "unparsed"),
        ("gpt-4o", "claude-3-haiku", "4", None, "unparsed"),
    ]
    assert report.paradigms == {"single_rubric": 5}


@pytest.mark.parametrize(
    ("winner", "choice"),
    [
        ("model_a", "generator"),
        ("B", "opponent"),
        ("claude-3-haiku", "generator"),
        ("gpt-4o", "opponent"),
        ("tie (bothbad)", "tie"),
        (-1, None),
    ],
)
def test_a_winner_may_be_a_side_or_a_name(tmp_path: Path, winner: object, choice: str | None) -> None:
    row = {"judge": "j", "a": "claude-3-haiku", "b": "gpt-4o", "winner": winner, "prompt": "Hi"}
    path = lines(tmp_path / "battles.jsonl", [row])

    _, study = imported(
        "table", path, ImportOptions(map={"generator": "a", "opponent": "b", "choice": "winner"})
    )

    assert judgments(study, "choice", "first", "paradigm") == [(choice, "unknown", "pairwise")]


def test_scores_are_divided_by_the_scale_and_out_of_range_is_a_bad_row(tmp_path: Path) -> None:
    scores = (7, -1, 70, *[7] * 20)
    rows = [{"judge": "j", "generator": "g", "instance_id": n, "score": s} for n, s in enumerate(scores)]
    path = lines(tmp_path / "scores.jsonl", rows)

    report, study = imported("table", path, ImportOptions(set={"scale": "10"}))

    assert judgments(study, "score", "status", "paradigm")[:2] == [
        (pytest.approx(0.7), "ok", "direct_assessment"),
        (None, "unparsed", "direct_assessment"),
    ]
    assert {reason: out.count for reason, out in report.left_out.items()} == {
        "score is above its scale of 10": 1
    }


def test_a_table_can_include_texts_and_references(tmp_path: Path) -> None:
    row = {
        "judge": "gpt-4o",
        "generator": "gpt-4o",
        "prompt": "Name a fruit.",
        "criterion": "Names one.",
        "response": "",
        "met": "yes",
        "reference_met": "no",
        "points": "2",
    }

    _, study = imported("table", lines(tmp_path / "t.jsonl", [row]))

    assert rows_of(study.table("references"), "source", "met") == [("human", False)]
    assert rows_of(study.table("responses"), "text") == [("",)]
    assert rows_of(study.table("rubrics"), "criterion", "points") == [("Names one.", 2.0)]


TOPICS = {("1", "a"): "Tone", ("1", "b"): "Format", ("2", "a"): "Tone", ("2", "b"): "Tone"}


def of_criterion(question: str, criterion: str, **more: str) -> dict[str, str]:
    row = {"judge": "gpt-4o", "model": "claude-3-haiku", "question_id": question, "verdict": "yes"}
    return row | {"criterion_id": criterion} | more


@pytest.mark.parametrize("column", ["topic", "theme"])
def test_a_topic_is_of_the_criterion_where_those_of_a_question_differ(tmp_path: Path, column: str) -> None:
    rows = [of_criterion(*place, **{column: topic}) for place, topic in TOPICS.items()]

    report, study = imported("table", lines(tmp_path / "t.jsonl", rows))

    assert report.rows_stored == 4
    themes = rows_of(study.table("rubrics"), "instance_id", "rubric_id", "theme")
    assert themes == [("1", "a", "Tone"), ("1", "b", "Format"), ("2", "a", None), ("2", "b", None)]
    assert rows_of(study.table("instances"), "instance_id", "theme") == [("1", None), ("2", "Tone")]


def test_a_criterion_with_another_topic_than_before_is_a_bad_row(tmp_path: Path) -> None:
    rows = [of_criterion("1", "a", topic="Tone"), of_criterion("1", "a", topic="Format", judge="gpt-5")]

    report, _ = imported("table", lines(tmp_path / "t.jsonl", rows))

    assert report.rows_stored == 1
    assert [*report.left_out] == ["another theme of this criterion is in an earlier row"]


@pytest.mark.parametrize(
    ("columns", "remedy"),
    [
        ({"segment": "words"}, "Leave out --map segment=words; "),
        ({"category": "words"}, "Leave out --map category=words; "),
        ({"theme": "words"}, "Leave out --map theme=words; "),
        ({"axis": "words"}, "Leave out --map axis=words; "),
        ({}, "Leave it out: --not language; "),
    ],
)
def test_a_property_of_answers_is_refused_as_one_of_questions_or_criteria(
    tmp_path: Path, columns: dict[str, str], remedy: str
) -> None:
    name, field = next(iter(columns.items()), ("language", "language"))
    rows = [of_criterion(f"{n // 2}", "a", model=f"m{n % 2}", **{field: f"{n % 2} more"}) for n in range(12)]
    thing, things = ("criterion", "criteria") if {"theme", "axis"} & {*columns} else ("question", "questions")

    with pytest.raises(BadInputError) as refused:
        imported("table", lines(tmp_path / "t.jsonl", rows), ImportOptions(map=columns))

    assert str(refused.value) == (
        f"'t.jsonl': {name} is a property of the {thing}, and {field!r}, read as {name}, differs within all "
        f"6 {things}: 6 of 12 rows would be left out; nothing was written. {remedy}a study keeps no columns "
        "of answers"
    )


@pytest.mark.parametrize("n_others", [2, 4])
def test_a_few_rows_that_contradict_others_on_a_question_are_left_out(tmp_path: Path, n_others: int) -> None:
    rows = [
        of_criterion("1", "a", judge=f"judge {n}", segment="short" if n < 40 - n_others else "long")
        for n in range(40)
    ]

    report, _ = imported("table", lines(tmp_path / "t.jsonl", rows))

    assert report.rows_stored == 40 - n_others
    assert [*report.left_out] == ["another segment of this question is in an earlier row"]


@pytest.mark.parametrize("column", ["category", "domain"])
def test_a_category_that_differs_among_criteria_is_what_they_are_about(tmp_path: Path, column: str) -> None:
    rows = [of_criterion(*place, **{column: topic}) for place, topic in TOPICS.items()]

    report, study = imported("table", lines(tmp_path / "t.jsonl", rows))

    assert report.rows_stored == 4
    assert [axis for (axis,) in rows_of(study.table("rubrics"), "axis")] == [*TOPICS.values()]
    assert any(f"{column!r} differs among the criteria of a question" in note for note in report.notes)


def test_a_category_that_a_question_has_is_its_own(tmp_path: Path) -> None:
    rows = [of_criterion(q, k, category=f"of {q}") for q, k in TOPICS]

    _, study = imported("table", lines(tmp_path / "t.jsonl", rows))

    assert rows_of(study.table("instances"), "category") == [("of 1",), ("of 2",)]


def test_repeated_verdicts_are_further_trials_whether_equal_or_not(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [verdict("true"), verdict("true"), verdict("false")])

    report, study = imported("table", path, ImportOptions(map=MAP))

    assert judgments(study, "met", "trial") == [(True, 0), (True, 1), (False, 2)]
    assert report.repeats == 2


def test_pairs_are_given_singly_or_with_commas() -> None:
    assert pairs("--map", ["judge=rater,met=ok", "raw=said"]) == {
        "judge": "rater",
        "met": "ok",
        "raw": "said",
    }
    assert pairs("--set", ["rubric_id=short, plain"]) == {"rubric_id": "short, plain"}
    with pytest.raises(UsageError, match="--map gives judge twice, 'a' and 'b'; keep one"):
        pairs("--map", ["judge=a,judge=b"])


def test_strict_stops_at_the_first_bad_row(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [verdict("true"), {"rater": "x"}])

    with pytest.raises(BadInputError, match=r"t.jsonl, row 2: neither question nor prompt; correct the row"):
        imported("table", path, ImportOptions(map=MAP), strict=True)


def test_an_unknown_field_is_refused_with_the_choices(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [verdict("true")])

    with pytest.raises(UsageError, match=r"unknown column of --map 'thing'; choose from: judge, generator"):
        imported("table", path, ImportOptions(map={"thing": "rater"}))
    with pytest.raises(UsageError, match=r"unknown column of --map 'juge'; did you mean judge"):
        imported("table", path, ImportOptions(map={"juge": "rater"}))


@pytest.mark.parametrize(("mapped", "column"), [("response", "explanation"), ("criterion", "theme")])
def test_a_mapped_column_is_not_read_by_its_own_name_too(tmp_path: Path, mapped: str, column: str) -> None:
    path = lines(tmp_path / "t.jsonl", [verdict("true", **{column: "Some words."})])

    report, _ = imported("table", path, ImportOptions(map=MAP | {mapped: column}))

    assert {field.becomes for field, _ in report.present} == {*MAP, mapped}


def test_an_id_may_be_read_as_its_text_too(tmp_path: Path) -> None:
    rows = [{"judge": "o3", "model": "o3", "question": "1", "met": "yes", "rubric_id": "Is it polite?"}]
    path = lines(tmp_path / "t.jsonl", rows)

    _, study = imported("table", path, ImportOptions(map={"criterion": "rubric_id"}))

    assert rows_of(study.table("rubrics"), "rubric_id", "criterion") == [("Is it polite?", "Is it polite?")]


def test_a_mapped_column_that_no_row_has_is_refused_with_the_columns(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [verdict("true")])

    with pytest.raises(
        UsageError, match="--map raw= names 'words', which no row has; the fields are 'rater'"
    ):
        imported("table", path, ImportOptions(map=MAP | {"raw": "words"}))


def _parquet(table: pa.Table) -> bytes:
    pq.write_table(table, sink := pa.BufferOutputStream())
    return bytes(sink.getvalue())


_TWICE = _parquet(pa.Table.from_arrays([pa.array(["x"]), pa.array(["y"])], ["a", "a"]))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b"", "it has no header"),
        ("t.csv", b"a,a\n1,2\n", "its header has 'a' twice"),
        ("t.parquet", b"PAR1", "not a complete Parquet file"),
        ("t.jsonl", b"[1, 2]\n", "the line is not an object"),
        ("t.json", b'[{"a": 1}, {"a"', "not complete"),
        ("t.json", b'[{"a": 1} {"a": 2}]', "is in place of a comma"),
        ("t.json", b'[{"a": "\xff"}]', "is not UTF-8"),
        ("t.json", b'[{"a": 1}]\n[{"a": 2}]', "'[{\"a\": 2}]' follows the list"),
        ("t.jsonl", '{"a": 1}\n'.encode("utf-16"), "it is UTF-16; save it as UTF-8"),
        ("t.json", '[{"a": 1}]\n'.encode("utf-16"), "it is UTF-16; save it as UTF-8"),
        ("t.jsonl", b'{"a": "\xff"}\n', "the line is not UTF-8"),
        ("t.jsonl", b'{"a": ' + b"[" * 100_000, "the line is nested too deeply"),
        ("t.parquet", _TWICE, "its header has 'a' twice"),
        ("t.pdf", b"x", "does not show its format"),
        ("t.jsonl", b"", "it is empty"),
        ("t.json", b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_broken_file_is_refused_with_the_expected_form(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(BadInputError) as refused:
        imported("table", path)

    assert words in str(refused.value)
    assert "expected a table (.csv, .tsv, .xlsx, .parquet" in str(refused.value)


def test_a_torn_csv_row_is_counted_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"judge,generator,instance_id,met\nj,g,1,true\nj,g\nj,g,2,false\n")

    report, study = imported("table", path, ImportOptions(set={"rubric_id": "r"}))

    assert judgments(study, "instance_id", "met") == [("1", True), ("2", False)]
    assert list(report.left_out) == ["not 4 cells, as the header has"]


def test_a_list_longer_than_a_block_is_read_item_by_item(tmp_path: Path) -> None:
    rows = [verdict("true", question=str(n), note="x" * 3_000) for n in range(900)]
    path = dump(tmp_path / "t.json", rows)

    report, study = imported("table", path, ImportOptions(map=MAP))

    assert path.stat().st_size > 2 << 20, "three blocks of the reader"
    assert report.rows_stored == study.table("instances").num_rows == 900


def test_judges_that_look_like_people_are_reported(tmp_path: Path) -> None:
    rows = [verdict("true", rater=rater) for rater in ("human1", "Annotator-2", "gpt-4o", "expert-coder")]

    report, _ = imported("table", lines(tmp_path / "t.jsonl", rows), ImportOptions(map=MAP))

    notes = [note.partition(" look") for note in report.notes]
    assert [names for names, looks, _ in notes if looks] == ["human1, Annotator-2"]


@pytest.mark.parametrize(
    ("name", "study"),
    [("a b (1).jsonl", "a-b-1"), ("x.jsonl.gz", "x"), ("....jsonl", "imported"), ("日本.jsonl", "imported")],
)
def test_a_study_is_named_after_the_file(tmp_path: Path, name: str, study: str) -> None:
    path = tmp_path / name
    path.touch()

    assert study_name(path) == study


def test_an_empty_score_is_a_missing_score_and_no_verdict_on_a_rubric(tmp_path: Path) -> None:
    rows = [
        {"judge": "gpt-4o", "generator": "o3", "instance_id": place, "score": score}
        for place, score in enumerate((1, "", 3))
    ]
    path = write(tmp_path / "scores", "csv", rows)

    _, study = imported("table", path, ImportOptions(set={"scale": "5"}))

    assert judgments(study, "paradigm", "score", "status") == [
        ("direct_assessment", 0.2, "ok"),
        ("direct_assessment", None, "unparsed"),
        ("direct_assessment", 0.6, "ok"),
    ]


def test_a_verdict_that_two_columns_may_hold_is_asked_about_and_not_left_out(tmp_path: Path) -> None:
    pair = {"judge": "gpt-4o", "generator": "gpt-4o", "opponent": "o3", "instance_id": 1}
    single = {"judge": "gpt-4o", "generator": "o3", "instance_id": 1}

    with pytest.raises(UsageError, match=r"no column is choice.*'winner' or 'vote'.*--map choice=FIELD"):
        imported("table", write(tmp_path / "p", "jsonl", [pair | {"winner": "a", "vote": "b"}]))
    with pytest.raises(UsageError, match=r"no column is met or score.*'how good'.*--map met=FIELD"):
        imported("table", write(tmp_path / "s", "jsonl", [single | {"how good": 0.5}]))


def test_files_of_a_folder_that_are_not_read_are_named(tmp_path: Path) -> None:
    lines(tmp_path / "f" / "a.jsonl", [verdict("yes", question=str(n)) for n in range(3)])
    for name in ("notes.pdf", "empty.csv", ".hidden"):
        (tmp_path / "f" / name).write_text("a,b" if name == "empty.csv" else "", "utf-8")

    report, _ = imported("table", tmp_path / "f", ImportOptions(map=MAP))

    assert "read of the folder: a.jsonl; not read: empty.csv and notes.pdf" in report.notes
