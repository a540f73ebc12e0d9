"""Bad input is refused whole, and the message names table, row, value and remedy."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from engine.errors import BadInputError, UsageError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from store.small import Rows, study, write_folder, write_table


def refusal(folder: Path, tmp_path: Path) -> str:
    with pytest.raises(BadInputError) as caught:
        import_tidy(folder, Store(tmp_path / "store"), "s")

    assert not (tmp_path / "store").exists(), "a refused import wrote something"
    return str(caught.value)


def judged(**values: Any) -> dict[str, Any]:
    row = {
        "judge": "a",
        "paradigm": "single_rubric",
        "instance_id": "i1",
        "generator": "a",
        "rubric_id": "r2",
    }
    return {**row, "met": True, **values}


def paired(**values: Any) -> dict[str, Any]:
    row = {"judge": "a", "paradigm": "pairwise", "instance_id": "i2", "generator": "a", "opponent": "b"}
    return {**row, "first": "generator", "choice": "tie", **values}


def offered(options: object) -> dict[str, Any]:
    return {"instance_id": "i1", "rubric_id": "r9", "options": options}


# What is wrong with one more row, and (value shown, remedy) of the refusal.
BAD_ROWS: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("an unknown judge", "judgments", judged(judge="zz"), "'zz'", "add it to models"),
    ("an unknown model", "judgments", judged(generator="zz"), "'zz'", "add it to models"),
    ("an unknown instance", "judgments", judged(instance_id="zz"), "'zz'", "add it to instances"),
    ("an unknown criterion", "judgments", judged(rubric_id="zz"), "'zz'", "add it to `rubrics`"),
    ("a rubric of another instance", "judgments", judged(instance_id="i2"), "'r2'", "add it to `rubrics`"),
    ("an unknown opponent", "judgments", paired(opponent="zz"), "'zz'", "add it to models"),
    ("an unknown paradigm", "judgments", judged(paradigm="zz"), "'zz'", "use one of 'single_rubric'"),
    ("an unknown status", "judgments", judged(status="zz"), "'zz'", "use one of 'ok'"),
    ("a repeated verdict", "judgments", judged(rubric_id="r1"), "'r1'", "keep one of the two"),
    ("no key", "judgments", judged(judge=None), "None", "fill it in"),
    ("an empty key", "judgments", judged(judge=""), "fill it in", "fill it in"),
    ("text for a truth value", "judgments", judged(met="maybe"), "'maybe'", "write true, false"),
    ("a verdict of a refusal", "judgments", judged(status="refused"), "True", "set the status to 'ok'"),
    ("no verdict in an ok row", "judgments", judged(met=None), "None", "'unparsed'"),
    (
        "no criterion in a paradigm of criteria",
        "judgments",
        judged(rubric_id=None),
        "None",
        "name the criterion",
    ),
    ("a position of 0", "judgments", judged(position=0), "0", "at least 1"),
    ("options that are no list", "rubrics", offered('{"1": "low"}'), "low", "what it stands for"),
    ("an option without a score", "rubrics", offered([{"text": "low"}]), "low", "what it stands for"),
    ("an option whose score is a word", "rubrics", offered([{"score": "low"}]), "low", "what it stands for"),
    ("half a position", "judgments", judged(position=1.5), "1.5", "whole number"),
    ("half a trial", "judgments", judged(trial="1.5"), "'1.5'", "whole number"),
    ("a trial beyond 64 bits", "judgments", judged(trial=2**70), str(2**70), "whole number"),
    ("a trial of 5,000 digits", "judgments", judged(trial="9" * 5000), "999", "whole number"),
    ("text for a number", "judgments", judged(latency_s="quick"), "'quick'", "finite number"),
    ("a negative cost", "judgments", judged(cost_usd=-0.5), "-0.5", "at least 0"),
    ("not a number", "judgments", judged(latency_s=float("nan")), "NaN", "finite number"),
    ("infinity", "judgments", judged(latency_s=float("inf")), "Infinity", "finite number"),
    ("no time", "judgments", judged(created_at="yesterday"), "'yesterday'", "2025-01-31"),
    (
        "a fraction above 1",
        "judgments",
        judged(paradigm="direct_assessment", score=1.2),
        "1.2",
        "from 0 to 1",
    ),
    (
        "a fraction below 0",
        "judgments",
        judged(paradigm="direct_assessment", score=-0.1),
        "-0.1",
        "from 0 to 1",
    ),
    ("no fraction", "judgments", judged(paradigm="direct_assessment"), "None", "write the score"),
    ("a quality above 10", "judgments", judged(paradigm="quality", score=11), "11.0", "from 0 to 10"),
    (
        "no dimension",
        "judgments",
        judged(paradigm="quality", score=1, rubric_id=None),
        "None",
        "name the dimension",
    ),
    ("no score", "judgments", judged(paradigm="score_rubric"), "None", "write the score"),
    (
        "a position that is not the score's",
        "judgments",
        judged(paradigm="score_rubric", score=5, position=2, ordering="5-4-3-2-1"),
        "2",
        "correct position",
    ),
    ("no opponent", "judgments", paired(opponent=None), "None", "name the other"),
    ("a pair with itself", "judgments", paired(opponent="a"), "'a'", "two different models"),
    ("no choice", "judgments", paired(choice=None), "None", "write the choice"),
    ("a choice by letter", "judgments", paired(choice="A"), "'A'", "use one of 'generator'"),
    ("a probability above 1", "judgments", paired(p_generator=1.01), "1.01", "at most 1"),
    ("an unknown order", "judgments", paired(first="left"), "'left'", "use one of 'generator'"),
    (
        "a presentation written the other way round",
        "judgments",
        paired(instance_id="i1", generator="b", opponent="a", first="opponent"),
        "'b'",
        "keep one of the two",
    ),
    (
        "a reference to no rubric",
        "references",
        {"instance_id": "i1", "generator": "a", "rubric_id": "zz", "source": "program", "met": True},
        "'zz'",
        "add it to `rubrics`",
    ),
    (
        "an unknown source",
        "references",
        {"instance_id": "i1", "generator": "a", "rubric_id": "r2", "source": "judge:b", "met": True},
        "'judge:b'",
        "use one of 'program'",
    ),
    (
        "a model as a source",
        "references",
        {"instance_id": "i1", "generator": "a", "rubric_id": "r2", "source": "b", "met": True},
        "'b', which is a model",
        "import its verdicts as judgments",
    ),
    (
        "a preference the other way round",
        "preferences",
        {"instance_id": "i1", "generator": "b", "opponent": "a", "source": "human:1", "outcome": -1},
        "'b'",
        "keep one of the two",
    ),
    (
        "an outcome of 2",
        "preferences",
        {"instance_id": "i2", "generator": "a", "opponent": "b", "source": "human:1", "outcome": 2},
        "2",
        "at most 1",
    ),
    (
        "a preference with itself",
        "preferences",
        {"instance_id": "i2", "generator": "a", "opponent": "a", "source": "human:1", "outcome": 0},
        "'a'",
        "two different models",
    ),
    ("a repeated model", "models", {"model": "a", "family": "x"}, "'a'", "keep one of the two"),
    ("a model without family", "models", {"model": "c"}, "None", "fill it in"),
    (
        "a stage that is none",
        "models",
        {"model": "c", "family": "x", "stage": "zz"},
        "'zz'",
        "use one of 'base'",
    ),
    ("a repeated instance", "instances", {"instance_id": "i1"}, "'i1'", "keep one of the two"),
    ("a repeated rubric", "rubrics", {"instance_id": "i1", "rubric_id": "r1"}, "'r1'", "keep one of the two"),
    (
        "arguments that are no JSON",
        "rubrics",
        {"instance_id": "i2", "rubric_id": "r9", "checker_kwargs": "{n: 1"},
        "'{n: 1'",
        "valid JSON",
    ),
]


@pytest.mark.parametrize(
    ("table", "row", "value", "remedy"), [case[1:] for case in BAD_ROWS], ids=[case[0] for case in BAD_ROWS]
)
def test_a_bad_row_is_refused_with_table_row_value_and_remedy(
    tmp_path: Path, table: str, row: dict[str, Any], value: str, remedy: str
) -> None:
    rows = study()
    rows[table].append(row)

    message = refusal(write_folder(tmp_path / "in", rows), tmp_path)

    assert message.startswith(f"{table}, row {len(rows[table])}: ")
    assert value in message
    assert remedy in message


def test_unknown_and_resolved_pairs_are_the_same_in_either_direction(tmp_path: Path) -> None:
    for first in ("unknown", None):
        rows = study()
        rows["judgments"] = [paired(first=first), paired(first=first, generator="b", opponent="a")]

        message = refusal(write_folder(tmp_path / f"in-{first}", rows), tmp_path)

        assert message.startswith("judgments, row 2: ")
        assert "whichever way round" in message


@pytest.mark.parametrize(
    ("table", "column"),
    [("models", "family"), ("instances", "instance_id"), ("rubrics", "rubric_id"), ("judgments", "judge")],
)
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_a_missing_key_column_is_named(tmp_path: Path, table: str, column: str, form: str) -> None:
    rows = study()
    rows[table] = [{**{k: v for k, v in row.items() if k != column}, "more": "x"} for row in rows[table]]

    message = refusal(write_folder(tmp_path / "in", rows, form), tmp_path)

    assert message.startswith(f"{table}: ")
    assert f"column {column!r} is missing" in message
    assert "add it" in message


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_all_missing_columns_are_named_at_once(tmp_path: Path, form: str) -> None:
    rows = study()
    columns = ("rubric_id", "status", "met")
    rows["judgments"] = [{name: row.get(name) for name in columns} for row in rows["judgments"]]

    message = refusal(write_folder(tmp_path / "in", rows, form), tmp_path)

    columns = "'judge', 'paradigm', 'instance_id' and 'generator'"
    assert message.startswith(f"judgments: the columns {columns} are missing; add them (judge: ")


@pytest.mark.parametrize("table", ["models", "instances"])
def test_a_missing_table_is_named(tmp_path: Path, table: str) -> None:
    rows = study()
    del rows[table]

    message = refusal(write_folder(tmp_path / "in", rows), tmp_path)

    assert f"table {table!r} is missing; add it" in message


def test_rubric_verdicts_without_a_rubrics_table_are_refused(tmp_path: Path) -> None:
    rows = study()
    del rows["rubrics"], rows["references"]

    message = refusal(write_folder(tmp_path / "in", rows), tmp_path)

    assert message.startswith("judgments, row 1: rubric_id is 'r1'")


def test_two_formats_of_one_table_are_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "in", study())
    write_table(folder / "models.csv", study()["models"])

    message = refusal(folder, tmp_path)

    assert message.startswith("models: ")
    assert "'models.csv'" in message
    assert "keep one" in message


def test_two_formats_in_the_folder_of_one_table_are_refused(tmp_path: Path) -> None:
    rows = study()
    judgments = rows.pop("judgments")
    folder = write_folder(tmp_path / "in", rows)
    (folder / "judgments").mkdir()
    write_table(folder / "judgments" / "a.csv", judgments)
    write_table(folder / "judgments" / "b.parquet", judgments)

    message = refusal(folder, tmp_path)

    assert "csv, parquet" in message


def test_a_file_in_an_unknown_format_is_refused_by_name(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "in", study())
    (folder / "responses.csv.gz").write_bytes(b"x")

    message = refusal(folder, tmp_path)

    assert "responses: 'responses.csv.gz' has no supported format" in message


@pytest.mark.parametrize(
    "spoil", [lambda raw: raw[: len(raw) // 2], lambda _: b"", lambda raw: b"PAR1" + raw[4:-9]]
)
def test_a_broken_parquet_file_is_refused_by_name(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    folder = write_folder(tmp_path / "in", study(), "parquet")
    path = folder / "judgments.parquet"
    path.write_bytes(spoil(path.read_bytes()))

    message = refusal(folder, tmp_path)

    assert message.startswith("judgments: 'judgments.parquet' is not a complete Parquet file")
    assert "export it again" in message


def test_a_csv_row_that_is_too_long_or_swallowed_by_a_quote_is_refused_with_both_reasons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.importers.formats.exchange._CSV_BLOCK", 1 << 10)
    rows = study()
    rows["instances"][1]["prompt"] = "word " * 1_000
    folder = write_folder(tmp_path / "in", rows, "csv")

    message = refusal(folder, tmp_path)

    assert message.startswith("instances: a row of 'instances.csv' has more than 1,024 bytes, or a quote")
    assert "the table as Parquet" in message


@pytest.mark.parametrize(
    ("text", "row", "value", "remedy"),
    [
        (b"model,family\na,x\nb\n", "models, row 2", "'b'", "the header has 2"),
        (b"model,family\na,x\nb,y,z\n", "models, row 2", "'b,y,z'", "the header has 2"),
        (b"model,family\na,x\n\xff,y\n", "models, row 2", r"b'\xff'", "UTF-8"),
        (b'model,family\na,x\nb,"y\n', "models", "does not end", 'write quotes in a cell as ""'),
        (b'model,family\na,x\nb,"y""', "models", "does not end", 'write quotes in a cell as ""'),
        (b'model,family\na,x\n"b,y\nc,x\n', "models", "does not end", 'write quotes in a cell as ""'),
        (b"model,model\na,x\n", "models", "'model'", "keep one"),
        (b"", "models", "'models.csv' is empty", "write a header"),
        ("model,family\na,x\n".encode("utf-16"), "models", "'models.csv'", "UTF-8"),
    ],
)
def test_a_malformed_csv_file_is_refused(
    tmp_path: Path, text: bytes, row: str, value: str, remedy: str
) -> None:
    rows = study()
    del rows["models"]
    folder = write_folder(tmp_path / "in", rows, "csv")
    (folder / "models.csv").write_bytes(text)

    message = refusal(folder, tmp_path)

    assert message.startswith(row)
    assert value in message
    assert remedy in message


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b'{"model": "c", "family": ', "is not a JSON object"),
        (b'["c", "x"]', "is not a JSON object"),
        (b'{"model": "\xff", "family": "x"}', "is not UTF-8"),
        (b'{"model": "\\ud800", "family": "x"}', "is not text"),
        (b'{"model": ["c"], "family": "x"}', "['c']"),
    ],
)
def test_a_malformed_json_line_is_refused(tmp_path: Path, line: bytes, value: str) -> None:
    folder = write_folder(tmp_path / "in", study())
    with (folder / "models.jsonl").open("ab") as file:
        file.write(line + b"\n")

    message = refusal(folder, tmp_path)

    assert message.startswith("models, row 3: ")
    assert value in message


def test_parquet_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "in", study(), "parquet")
    names = pa.array([b"a", b"\xff"], pa.binary())
    pq.write_table(pa.table({"model": names, "family": ["x", "y"]}), folder / "models.parquet")

    message = refusal(folder, tmp_path)

    assert message.startswith(r"models, row 2: model is b'\xff'")


def test_a_row_of_a_table_in_several_files_is_named_with_its_file(tmp_path: Path) -> None:
    rows = study()
    judgments = rows.pop("judgments")
    folder = write_folder(tmp_path / "in", rows)
    (folder / "judgments").mkdir()
    write_table(folder / "judgments" / "1.jsonl", judgments)
    write_table(folder / "judgments" / "2.jsonl", [judged(), judgments[0]])

    message = refusal(folder, tmp_path)

    assert message.startswith("judgments (2.jsonl), row 2: ")
    assert "row 1 of 1.jsonl" in message


def test_a_committee_of_unknown_members_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "in", study())
    (folder / "study.json").write_text('{"committees": {"c": {"members": ["a", "zz"]}}}')

    message = refusal(folder, tmp_path)

    assert "study.json: committee 'c' has the member 'zz'" in message


def test_an_invalid_study_json_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "in", study())
    (folder / "study.json").write_text('{"provenance": "dreamt"}')

    message = refusal(folder, tmp_path)

    assert "study.json: provenance is 'dreamt'" in message


@pytest.mark.parametrize("part", ["judgments/../../x.parquet", "/x.parquet", "judgments/x", "x" * 5000])
def test_a_study_json_with_parts_outside_the_study_is_refused(tmp_path: Path, part: str) -> None:
    folder = write_folder(tmp_path / "in", study())
    (folder / "study.json").write_text(json.dumps({"parts": [part]}))

    message = refusal(folder, tmp_path)

    assert "study.json: parts.0 is '" in message


@pytest.mark.parametrize(
    "name", ["../x", "/x", "", ".", "..", ".x", "a/b", "a\\b", "a\0b", "a\nb", " a", "x" * 300]
)
def test_a_study_name_outside_the_store_is_refused(tmp_path: Path, name: str) -> None:
    store = Store(tmp_path / "store")
    tables: Rows = study()

    with pytest.raises(UsageError, match=r"study name .*; choose a plain name"):
        store.write(name, {k: pa.Table.from_pylist(v) for k, v in tables.items()}, info())

    assert not any(tmp_path.iterdir())


def info() -> Any:
    from engine.store.study_files import StudyInfo

    return StudyInfo()


def test_an_existing_study_is_refused_without_append_or_replace(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "in", study())
    store = Store(tmp_path / "store")
    import_tidy(folder, store, "s")
    stamp = store.open("s").stamp()

    with pytest.raises(UsageError, match=r"exists already; give another --study, --replace .* --append"):
        import_tidy(folder, store, "s")

    assert store.open("s").stamp() == stamp


def test_csv_is_read_without_python_in_the_threads_that_read_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them in a Python file outlived the end of one in seven processes, which hung or aborted."""
    sources: list[object] = []
    open_csv = pacsv.open_csv

    def noted(source: object, *options: object) -> object:
        sources.append(source)
        return open_csv(source, *options)

    monkeypatch.setattr(pacsv, "open_csv", noted)
    folder = write_folder(tmp_path / "in", study(), "csv")

    import_tidy(folder, Store(tmp_path / "store"), "whole")

    assert sources
    assert {type(source) for source in sources} == {pa.OSFile}
