"""What an import accepts and keeps exactly."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import schema
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.store.export import export_study
from engine.store.study_files import StudyFiles
from store.small import Rows, study, write_folder, write_table

FORMS = ["parquet", "csv", "jsonl"]
AWKWARD = [
    "001",
    "a/b",
    'say "x"',
    "two\nlines",
    "\r\n",
    "🍎",
    "-1",
    " ",
    "x,y",
    "'",
    "NULL",
    "nan",
    "=1+1",
    "é",
    "../x",
]


def imported(folder: Path) -> StudyFiles:
    store = Store(folder.parent / "store")
    import_tidy(folder, store, "s", mode="replace")
    return store.open("s")


@pytest.mark.parametrize("form", FORMS)
def test_awkward_ids_are_kept_exactly(tmp_path: Path, form: str) -> None:
    rows: Rows = {
        "models": [{"model": name, "family": name} for name in AWKWARD],
        "instances": [{"instance_id": name} for name in AWKWARD],
        "rubrics": [{"instance_id": name, "rubric_id": name} for name in AWKWARD],
        "judgments": [
            {
                "judge": n,
                "paradigm": "single_rubric",
                "instance_id": n,
                "generator": n,
                "rubric_id": n,
                "met": True,
            }
            for n in AWKWARD
        ],
    }

    files = imported(write_folder(tmp_path / "in", rows, form))

    assert files.table("models")["model"].to_pylist() == AWKWARD
    assert files.table("rubrics")["rubric_id"].to_pylist() == AWKWARD
    judgments = files.judgments(["judge", "instance_id", "generator", "rubric_id"])
    assert judgments.to_pylist() == [dict.fromkeys(judgments.column_names, name) for name in AWKWARD]


# CSV can hold no NUL, and nothing can hold half a surrogate pair.
IDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ids=st.lists(IDS, min_size=1, max_size=6, unique=True),
    met=st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=9),
)
def test_any_text_survives_import_and_export(
    tmp_path_factory: pytest.TempPathFactory, form: str, ids: list[str], met: list[bool | None]
) -> None:
    folder = tmp_path_factory.mktemp("case")
    verdicts = [
        {
            "judge": ids[0],
            "paradigm": "single_rubric",
            "instance_id": ids[trial % len(ids)],
            "generator": ids[-1],
            "rubric_id": ids[trial % len(ids)],
            "trial": trial,
            "met": verdict,
            "status": "unparsed" if verdict is None else "ok",
        }
        for trial, verdict in enumerate(met)
    ]
    rows: Rows = {
        "models": [{"model": name, "family": "f"} for name in ids],
        "instances": [{"instance_id": name} for name in ids],
        "rubrics": [{"instance_id": name, "rubric_id": name} for name in ids],
        "judgments": verdicts,
    }

    first = imported(write_folder(folder / "one" / "in", rows, form))
    export_study(first, folder / "two" / "out", "parquet" if form == "jsonl" else form)
    again = imported(folder / "two" / "out")

    columns = list(rows["judgments"][0])
    for files in (first, again):
        assert files.table("instances")["instance_id"].to_pylist() == ids
        assert files.table("judgments", columns).to_pylist() == rows["judgments"]


def test_missing_columns_take_their_defaults(tmp_path: Path) -> None:
    files = imported(write_folder(tmp_path / "in", study()))

    row = files.table("judgments").to_pylist()[0]

    assert {name: row[name] for name in ("status", "variant", "trial", "transform", "run_id")} == {
        "status": "ok",
        "variant": "default",
        "trial": 0,
        "transform": "none",
        "run_id": "import",
    }
    assert files.table("rubrics")["points"].to_pylist() == [1.0, 1.0, 1.0]
    assert set(row) == set(schema.JUDGMENTS.names)


def test_the_length_of_a_rubric_is_computed_from_its_criterion(tmp_path: Path) -> None:
    rows = study()
    rows["rubrics"] = [
        {"instance_id": "i1", "rubric_id": "r1", "criterion": "Été 🍎", "length": 99},
        {"instance_id": "i1", "rubric_id": "r2", "length": 36},
        {"instance_id": "i2", "rubric_id": "r1"},
    ]

    files = imported(write_folder(tmp_path / "in", rows))

    assert files.table("rubrics")["length"].to_pylist() == [5, 36, None]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_byte_order_mark_is_not_content(tmp_path: Path, form: str) -> None:
    folder = write_folder(tmp_path / "in", study(), form)
    for path in folder.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())

    files = imported(folder)

    assert files.table("models")["model"].to_pylist() == ["a", "b"]


def test_an_empty_cell_is_null_in_csv_and_a_text_elsewhere(tmp_path: Path) -> None:
    rows = study()
    rows["responses"] = [{"instance_id": "i1", "generator": "a", "text": "", "transform": "plain"}]

    texts = {
        form: imported(write_folder(tmp_path / form, rows, form)).table("responses")["text"].to_pylist()
        for form in FORMS
    }

    assert texts == {"csv": [None], "parquet": [""], "jsonl": [""]}


def test_an_empty_csv_cell_takes_the_default(tmp_path: Path) -> None:
    rows = study()
    rows["judgments"] = [
        {**row, "status": "", "trial": "", "explanation": ""} for row in rows["judgments"][:1]
    ]

    files = imported(write_folder(tmp_path / "in", rows, "csv"))

    assert files.table("judgments", ["status", "trial", "explanation"]).to_pylist() == [
        {"status": "ok", "trial": 0, "explanation": None}
    ]


def test_numeric_ids_in_json_are_kept_as_written(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "in", study())
    (folder / "instances.jsonl").write_text(
        '{"instance_id": 7}\n{"instance_id": 7.10}\n{"instance_id": "i1"}\n{"instance_id": "i2"}\n'
    )

    files = imported(folder)

    assert files.table("instances")["instance_id"].to_pylist() == ["7", "7.10", "i1", "i2"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [("true", True), ("TRUE", True), ("False", False), ("1", True), ("0", False), (1, True), (0.0, False)],
)
def test_truth_values_are_read_in_any_case(tmp_path: Path, written: Any, expected: bool) -> None:
    rows = study()
    rows["judgments"] = [{**rows["judgments"][0], "met": written}]

    forms = FORMS if isinstance(written, (str, bool)) else ["parquet"]
    columns = [
        imported(write_folder(tmp_path / f, rows, f)).table("judgments")["met"].to_pylist() for f in forms
    ]

    assert columns == [[expected]] * len(forms)


@pytest.mark.parametrize("form", FORMS)
def test_a_whole_number_written_as_a_float_is_an_integer(tmp_path: Path, form: str) -> None:
    rows = study()
    rows["judgments"] = [{**rows["judgments"][0], "trial": 3.0, "position": None}]

    files = imported(write_folder(tmp_path / "in", rows, form))

    assert files.table("judgments", ["trial", "position"]).to_pylist() == [{"trial": 3, "position": None}]


def test_nested_json_in_a_json_column_is_stored_as_text(tmp_path: Path) -> None:
    rows = study()
    rows["instances"][0]["prompt"] = [{"role": "user", "content": "Hé 1"}]
    rows["rubrics"][0]["checker_kwargs"] = {"n": 2.5}

    files = imported(write_folder(tmp_path / "in", rows))

    assert files.table("instances")["prompt"].to_pylist() == ['[{"role": "user", "content": "Hé 1"}]', None]
    assert files.table("rubrics")["checker_kwargs"].to_pylist()[0] == '{"n": 2.5}'


@pytest.mark.parametrize("values", [pa.string(), pa.large_string()])
def test_dictionary_encoded_and_large_text_columns_are_read_as_text(
    tmp_path: Path, values: pa.DataType
) -> None:
    folder = write_folder(tmp_path / "in", study(), "parquet")
    models = pa.array(["a", "b"], values)
    coded = pa.table({"model": models.dictionary_encode(), "family": models})
    pq.write_table(coded, folder / "models.parquet")

    files = imported(folder)

    assert files.table("models", ["model", "family"]) == pa.table({"model": ["a", "b"], "family": ["a", "b"]})


def test_integer_ids_in_parquet_become_text(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "in", study(), "parquet")
    pq.write_table(pa.table({"instance_id": pa.array([7, 2**40])}), folder / "instances.parquet")
    for name in ("rubrics", "judgments", "references", "preferences"):
        (folder / f"{name}.parquet").unlink()

    files = imported(folder)

    assert files.table("instances")["instance_id"].to_pylist() == ["7", str(2**40)]


def test_a_table_may_be_a_folder_of_files(tmp_path: Path) -> None:
    rows = study()
    judgments = rows.pop("judgments")
    folder = write_folder(tmp_path / "in", rows, "csv")
    (folder / "judgments").mkdir()
    write_table(folder / "judgments" / "b.parquet", judgments[1:])
    write_table(folder / "judgments" / "a.parquet", judgments[:1])

    files = imported(folder)

    assert files.table("judgments", ["generator", "met"]).to_pylist() == [
        {"generator": row["generator"], "met": row.get("met")} for row in judgments
    ]


def test_models_and_instances_alone_make_a_study(tmp_path: Path) -> None:
    rows = {name: table for name, table in study().items() if name in ("models", "instances")}

    files = imported(write_folder(tmp_path / "in", rows))

    assert files.table("judgments").num_rows == 0
    assert files.table("responses").num_rows == 0


def test_an_undecided_reference_is_kept(tmp_path: Path) -> None:
    rows = study()
    rows["references"][0]["met"] = None

    files = imported(write_folder(tmp_path / "in", rows))

    assert files.table("references")["met"].to_pylist() == [None, False]


def test_failures_may_repeat_and_other_runs_or_trials_may_repeat_a_verdict(tmp_path: Path) -> None:
    rows = study()
    first = rows["judgments"][0]
    failed = {**first, "met": None, "status": "error"}
    rows["judgments"] = [first, failed, failed, {**first, "trial": 1}, {**first, "run_id": "other"}]

    files = imported(write_folder(tmp_path / "in", rows))

    assert files.table("judgments").num_rows == 5


def test_dimensions_are_not_looked_up_in_rubrics(tmp_path: Path) -> None:
    rows = study()
    quality = {"judge": "a", "paradigm": "quality", "instance_id": "i1", "generator": "b", "score": 8.25}
    structured = {**rows["judgments"][2], "variant": "structured"}
    rows = {name: rows[name] for name in ("models", "instances")}
    rows["judgments"] = [
        {**row, "rubric_id": name} for row in (quality, structured) for name in ("logic", "depth")
    ]

    files = imported(write_folder(tmp_path / "in", rows))

    assert files.table("judgments")["rubric_id"].to_pylist() == ["logic", "depth"] * 2


def test_a_position_must_agree_with_its_ordering(tmp_path: Path) -> None:
    rows = study()
    row = {
        **rows["judgments"][0],
        "met": None,
        "paradigm": "score_rubric",
        "score": 4,
        "ordering": "5-4-3-2-1",
    }
    rows["judgments"] = [{**row, "position": 2}, {**row, "position": None, "trial": 1}]

    files = imported(write_folder(tmp_path / "in", rows))

    assert files.table("judgments")["position"].to_pylist() == [2, None]


def test_study_json_supplies_the_studys_metadata(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "in", study())
    (folder / "study.json").write_text(
        '{"name": "other", "title": "T", "licence": "CC0", "provenance": "simulated",'
        ' "truth": {"ratio": 1.5}, "parts": ["judgments/old.parquet"],'
        ' "committees": {"c": {"members": ["a"], "paradigm": "single_rubric"}}}'
    )

    info = imported(folder).info

    assert (info.name, info.title, info.licence, info.provenance) == ("s", "T", "CC0", "simulated")
    assert info.truth == {"ratio": 1.5}
    assert info.committees["c"].members == ["a"]
    assert info.parts is not None
    assert "judgments/old.parquet" not in info.parts


def test_the_provenance_of_a_study_comes_from_its_runs(tmp_path: Path) -> None:
    rows = study()
    run = {"model": "a", "role": "judge"}
    rows["runs"] = [
        {**run, "run_id": "1", "provenance": "api"},
        {**run, "run_id": "2", "provenance": "simulated"},
    ]

    assert imported(write_folder(tmp_path / "in", rows)).info.provenance == "mixed"


def test_the_stored_tables_are_read_by_any_parquet_reader(tmp_path: Path) -> None:
    files = imported(write_folder(tmp_path / "in", study()))

    frame = pq.read_table(tmp_path / "store" / "s" / "judgments").to_pandas()

    assert list(frame["judge"]) == ["a"] * 4
    assert files.judgments(["judge"], where={"paradigm": ["pairwise"]}).num_rows == 2


@pytest.mark.parametrize(
    "written",
    ["2025-01-31T12:00:00Z", "2025-01-31T13:00:00+01:00", "2025-01-31 12:00:00", "2025-01-31T12:00"],
)
def test_times_are_kept_in_utc(tmp_path: Path, written: str) -> None:
    rows = study()
    rows["judgments"] = [{**rows["judgments"][0], "created_at": written}]

    first = imported(write_folder(tmp_path / "one" / "in", rows))
    export_study(first, tmp_path / "two" / "out", "csv")
    again = imported(tmp_path / "two" / "out")

    noon = datetime(2025, 1, 31, 12, tzinfo=UTC)
    assert first.table("judgments")["created_at"].to_pylist() == [noon]
    assert again.table("judgments")["created_at"].to_pylist() == [noon]
