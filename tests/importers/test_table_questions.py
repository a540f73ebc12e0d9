"""Real-world tables: what is mapped, what is asked, and what is stopped before it gives a wrong number."""

from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import dumped, judgments, lines, rows_of

from engine.errors import BadInputError, UsageError
from engine.importers.pipeline import MappingReport, reading
from engine.importers.reading.format import ImportOptions
from engine.importers.reading.tables import judge_columns, value_maps
from engine.importers.table import FORMAT
from engine.store import Store
from engine.store.study_files import StudyFiles


def imported(path: Path, options: ImportOptions | None = None) -> tuple[MappingReport, StudyFiles]:
    store = Store(path.parent / "store")
    with reading(FORMAT, path, options or ImportOptions()) as read:
        read.write(store, "read")
    return read.report, store.open("read")


def options(
    *values: str, judges: str | None = None, scale: str | None = None, **columns: str
) -> ImportOptions:
    return ImportOptions(
        map=columns,
        set={"scale": scale} if scale else {},
        value=value_maps("--value", values),
        judges=judge_columns("--judges", judges) if judges else (),
    )


def pair(winner: object, **more: Any) -> dict[str, Any]:
    return {"judge": "j", "generator": "g", "opponent": "o", "prompt": "Hi", "choice": winner} | more


def score(value: object, **more: Any) -> dict[str, Any]:
    return {"judge": "j", "generator": "g", "instance_id": str(more), "score": value} | more


@pytest.mark.parametrize("winners", [[0, 1, 0], ["0", "1"], [1.0, 0.0], [-1, 0, 1]])
def test_winners_of_0_and_1_are_asked_about(tmp_path: Path, winners: list[Any]) -> None:
    path = lines(tmp_path / "t.jsonl", [pair(one, prompt=str(n)) for n, one in enumerate(winners)])

    with pytest.raises(BadInputError, match=r"0 may be a tie or the first side.*--value choice:"):
        imported(path)


def test_a_value_map_answers_the_question(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [pair(one, prompt=str(n)) for n, one in enumerate((0, 1, "1.0"))])

    _, study = imported(path, options("choice:0=first,1=second"))

    assert judgments(study, "choice") == [("generator",), ("opponent",), ("opponent",)]


@pytest.mark.parametrize(
    ("winners", "choices"),
    [
        ([1, 2, 0], ["generator", "opponent", "tie"]),
        (["g", "o", "tie"], ["generator", "opponent", "tie"]),
        (["A", "-1", "n/a"], ["generator", None, None]),
    ],
)
def test_unambiguous_winners_are_accepted(
    tmp_path: Path, winners: list[Any], choices: list[str | None]
) -> None:
    path = lines(tmp_path / "t.jsonl", [pair(one, prompt=str(n)) for n, one in enumerate(winners)])

    _, study = imported(path)

    assert [choice for (choice,) in judgments(study, "choice")] == choices


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([pair("neither")], "'choice' holds 'neither' .1.; these name neither model"),
        ([score(n, a=n) for n in (1, 4, 5)], "goes up to 5, where 1 is perfect.*--set scale=5"),
        ([score("good")], "these are not numbers"),
        (
            [{**score(None), "met": "4", "rubric_id": "r"}],
            "these are neither true nor false.*--value met:4=yes",
        ),
    ],
)
def test_unexpected_values_stop_the_import_with_a_question(
    tmp_path: Path, rows: list[Any], words: str
) -> None:
    path = lines(tmp_path / "t.jsonl", rows)

    with pytest.raises(BadInputError, match=words):
        imported(path)


def test_a_likert_score_with_its_scale_keeps_all_rows(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [score(n, a=n) for n in (1, 3, 5)])

    report, study = imported(path, options(scale="5"))

    assert [value for (value,) in judgments(study, "score")] == pytest.approx([0.2, 0.6, 1.0])
    assert report.read == report.taken


def test_an_unknown_value_after_the_first_rows_is_a_bad_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.importers.table.SAMPLE", 2)
    path = lines(tmp_path / "t.jsonl", [pair(one, prompt=str(n)) for n, one in enumerate("AB?!")])

    report, _ = imported(path)

    assert report.statuses == {"ok": 2, "unparsed": 1}
    assert list(report.left_out) == ["choice names neither side (--value choice:VALUE=a says which)"]


def test_padded_and_capitalised_headers_are_matched_and_absent_ones_reported(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(" Judge ;GENERATOR;Instance ID;Met;K\nj;g;1;yes;r\n", "utf-8")

    _, study = imported(path, options(rubric_id="k"))
    assert judgments(study, "judge", "generator", "instance_id", "met") == [("j", "g", "1", True)]

    with pytest.raises(
        UsageError, match="--map judge= names 'rater', which no row has; the fields are 'Judge'"
    ):
        imported(path, options(judge="rater"))


def test_paths_reach_into_objects(tmp_path: Path) -> None:
    row = {"q": {"id": "1"}, "scores": {"judge": "j", "verdicts": [{"ok": True}]}, "generator": "g", "k": "r"}
    path = dumped(tmp_path / "t.json", [row])

    report, study = imported(
        path, options(judge="scores.judge", met="scores.verdicts[0].ok", instance_id="q.id", rubric_id="k")
    )

    assert judgments(study, "judge", "instance_id", "met") == [("j", "1", True)]
    assert report.unused == ()


def test_a_wide_table_has_a_judgment_for_each_judge(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "model,question,gpt-4o,Claude 3,truth\na,Q1,TRUE,FALSE,yes\nb,Q1,FALSE,,no\nb,Q2,error,TRUE,no\n",
        "utf-8",
    )
    mapping = {"generator": "model", "prompt": "question", "reference_met": "truth"}
    wide = ImportOptions(map=mapping, set={"rubric_id": "correct"}, judges=("gpt-4o", "claude_3"))

    _, study = imported(path, wide)

    assert judgments(study, "judge", "generator", "met", "status") == [
        ("gpt-4o", "a", True, "ok"),
        ("Claude 3", "a", False, "ok"),
        ("gpt-4o", "b", False, "ok"),
        ("gpt-4o", "b", None, "unparsed"),
        ("Claude 3", "b", True, "ok"),
    ]
    assert sorted(rows_of(study.table("references"), "generator", "met")) == [
        ("a", True),
        ("b", False),
        ("b", False),
    ]


def test_a_wide_table_of_words_needs_a_value_map(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [{"generator": "g", "instance_id": "1", "j1": "ja", "rubric_id": "r"}])

    with pytest.raises(BadInputError, match=r"'j1' holds 'ja' \(1\)"):
        imported(path, options(judges="j1"))

    _, study = imported(path, options("met:ja=yes", judges="j1"))
    assert judgments(study, "judge", "met") == [("j1", True)]


def test_a_saved_data_set_is_read_from_its_arrow_files(tmp_path: Path) -> None:
    import pyarrow as pa

    folder = tmp_path / "set" / "train"
    folder.mkdir(parents=True)
    dumped(folder / "state.json", {"_data_files": [{"filename": "data-00000-of-00001.arrow"}]})
    dumped(folder / "dataset_info.json", {"features": {}})
    table = pa.Table.from_pylist([pair("A")])
    path = folder / "data-00000-of-00001.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)

    _, study = imported(tmp_path / "set")

    assert judgments(study, "choice") == [("generator",)]
