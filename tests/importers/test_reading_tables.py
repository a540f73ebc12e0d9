"""Tables of any form: delimiters, encodings, headers, workbooks, Feather, paths, value maps, wide tables."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from engine.errors import BadInputError, UsageError
from engine.importers.declared.declaration_file import read_declaration
from engine.importers.format_loading import FOLDER
from engine.importers.reading.columns import column_in, listed_columns, melt, value_at
from engine.importers.reading.json_rows import UPLOAD_LIMITS, ImportLimits, apply_limits
from engine.importers.reading.rows import ImportStats, Row
from engine.importers.reading.tables import nested_rows, table_rows
from engine.importers.reading.text_tables import delimiter_of, encoding_of
from engine.importers.reading.value_maps import keys_of, merged_meanings, value_maps

ROWS = [["judge", "model", "note"], ["gpt-4o", "claude", "déjà vu; ça va"], ["qwen", "llama", "1,5 | x"]]


def rows_of(path: Path, tally: ImportStats | None = None) -> list[dict[str, Any]]:
    return [dict(row.values) for row in table_rows(path, tally or ImportStats(), "a table")]


def text(rows: list[list[str]], delimiter: str) -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter).writerows(rows)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("delimiter", "names"), [(",", []), (";", ["semicolons"]), ("\t", ["tabs"]), ("|", ["pipes"])]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_a_table_reads_the_same_with_every_delimiter_and_encoding(
    tmp_path: Path, delimiter: str, names: list[str], encoding: str
) -> None:
    path = tmp_path / "mine.csv"
    tally = ImportStats()
    path.write_bytes(text(ROWS * 1 + ROWS[1:] * 20, delimiter).encode(encoding))

    rows = rows_of(path, tally)

    assert rows[:2] == [dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]
    separated = [note for note in tally.notes if "separated" in note]
    assert separated == [f"mine.csv: its cells are separated by {name}" for name in names]


def test_detected_properties_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(text(ROWS, ";").encode("cp1252"))
    tally = ImportStats()

    rows_of(path, tally)

    assert len(tally.notes) == 2
    assert tally.notes[0].startswith("mine.csv is not UTF-8; reading it as ")
    assert tally.notes[1] == "mine.csv: its cells are separated by semicolons"


@pytest.mark.parametrize(
    ("sample", "encoding", "certain"),
    [
        (b"", "utf-8", True),
        (b"a,b\n1,2\n", "utf-8", True),
        ("é".encode()[:1], "utf-8", True),  # the sample may end within a character
        (b"\xef\xbb\xbfa", "utf-8-sig", True),
        ("a,b\n".encode("utf-16-le"), "utf-16-le", True),
    ],
)
def test_an_encoding_is_detected_by_byte_order_marks_and_zeros(
    sample: bytes, encoding: str, certain: bool
) -> None:
    assert encoding_of(sample) == (encoding, certain)


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ("a\tb\n1,2\t3\n", "\t"),
        ('a,b\n"x;y;z",1\n', ","),
        ("only\n1\n2\n", ","),
        ("", ","),
    ],
)
def test_the_delimiter_is_the_one_that_gives_rows_the_headers_width(content: str, delimiter: str) -> None:
    assert delimiter_of(content) == delimiter


def test_headers_are_stripped_and_unnamed_columns_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text(" Judge \t\tScore\n gpt \tx\t1\n\t\t\n", "utf-8")

    assert rows_of(path) == [{"Judge": " gpt ", "column 2": "x", "Score": "1"}]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "it has no header"),
        (" , \n1,2\n", "it has no header"),
        ("a, a\n1,2\n", "its header has 'a' twice"),
    ],
)
def test_a_table_without_a_header_is_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(content, "utf-8")

    with pytest.raises(BadInputError, match=words):
        rows_of(path)


def test_a_row_of_the_wrong_width_is_counted_as_bad(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("a,b\n1,2\n1,2,3\n", "utf-8")
    tally = ImportStats()

    assert rows_of(path, tally) == [{"a": "1", "b": "2"}]
    assert list(tally.left_out) == ["not 2 cells, as the header has"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('a,b\n1,"2\n3,4\n5,6\n', 2),
        ('a,"b\n1,2\n', 1),
        ('a;b\n1;"x\ny"\n"3;4\n5;6', 4),
    ],
)
def test_a_quote_that_swallows_the_rest_of_a_table_is_refused(
    tmp_path: Path, content: str, line: int
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(content, "utf-8")

    with pytest.raises(
        BadInputError, match=f"'mine.csv': the row that begins in line {line} has a quote that does not end"
    ):
        rows_of(path)


def test_the_first_sheet_of_a_workbook_with_a_table_is_read(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="the extra for workbooks is not installed")
    book = openpyxl.Workbook()
    for line in ("Verdicts on listings", "second sheet"):
        book.active.append([line])
    sheet = book.create_sheet("verdicts")
    for row in ([None, None], ["judge", " met "], ["gpt-4o", True], [None, None], ["qwen", 0.5]):
        sheet.append(row)
    book.create_sheet("to do").append(["judge", "met"])
    more = book.create_sheet("more judges")
    for row in (["judge", "met"], ["oak", True]):
        more.append(row)
    book.save(path := tmp_path / "mine.xlsx")
    book.close()
    tally = ImportStats()

    rows = rows_of(path, tally)

    assert rows == [{"judge": "gpt-4o", "met": True}, {"judge": "qwen", "met": 0.5}]
    (doubt,) = tally.doubts
    assert doubt == (
        "mine.xlsx: only the sheet 'verdicts' is read, not 'more judges'; if it has judgments too, save it "
        "as a CSV file and add that to the study: spb import more-judges.csv --append --study STUDY"
    )


def test_an_invalid_workbook_and_a_zip_bomb_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="the extra for workbooks is not installed")
    path = tmp_path / "mine.xlsx"
    path.write_bytes(b"not a zip")
    with pytest.raises(BadInputError, match="not a readable workbook"):
        rows_of(path)

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/sharedStrings.xml", b" " * (1 << 20))
    with (
        apply_limits(ImportLimits(1 << 16, 100, 100)),
        pytest.raises(BadInputError, match="unpacks to more than"),
    ):
        rows_of(path)


@pytest.mark.parametrize(
    ("member", "old", "new"),
    [
        ("xl/worksheets/sheet1.xml", b"</sheetData>", b""),  # no longer XML
        ("xl/worksheets/sheet1.xml", b"<v>7</v>", b"<v>seven</v>"),  # a number that is none
        ("xl/workbook.xml", b"activeTab", b"activeTub"),  # a property that openpyxl does not know
        ("xl/workbook.xml", b"<", b""),
    ],
)
def test_a_damaged_workbook_is_refused(tmp_path: Path, member: str, old: bytes, new: bytes) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="the extra for workbooks is not installed")
    book = openpyxl.Workbook()
    book.active.append(["judge", "score"])
    book.active.append(["gpt-4o", 7])
    book.save(tmp_path / "whole.xlsx")
    with (
        zipfile.ZipFile(tmp_path / "whole.xlsx") as workbook,
        zipfile.ZipFile(tmp_path / "mine.xlsx", "w") as damaged,
    ):
        for name in workbook.namelist():
            content = workbook.read(name)
            assert name != member or old in content
            damaged.writestr(name, content.replace(old, new) if name == member else content)

    assert rows_of(tmp_path / "whole.xlsx") == [{"judge": "gpt-4o", "score": 7}]
    with pytest.raises(BadInputError, match=r"'mine.xlsx': it is not a readable workbook \("):
        rows_of(tmp_path / "mine.xlsx")


def test_a_workbook_whose_packed_bytes_are_damaged_is_refused(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="the extra for workbooks is not installed")
    openpyxl.Workbook().save(path := tmp_path / "mine.xlsx")
    with zipfile.ZipFile(path) as packed:
        member = packed.getinfo("xl/workbook.xml")
    content = bytearray(path.read_bytes())
    begin = member.header_offset + 30 + len(member.filename)
    content[begin : begin + member.compress_size] = b"\xff" * member.compress_size
    path.write_bytes(content)

    with pytest.raises(BadInputError, match=r"'mine.xlsx': it is not a readable workbook \("):
        rows_of(path)


def test_cells_of_a_workbook_beyond_its_header_are_in_numbered_columns(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="the extra for workbooks is not installed")
    book = openpyxl.Workbook()
    book.active.append(["judge", "met"])
    book.active.append(["gpt-4o", True, None, "perhaps"])
    book.save(path := tmp_path / "mine.xlsx")

    assert rows_of(path) == [{"judge": "gpt-4o", "met": True, "column 4": "perhaps"}]


def test_a_workbook_without_the_extra_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (path := tmp_path / "mine.xlsx").write_bytes(b"")

    with pytest.raises(UsageError, match=r"pip install 'spb-explorer\[excel\]'"):
        rows_of(path)


def test_objects_are_kept_in_own_feather_files_and_refused_in_others(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"a": 1, "b": "x", "c": {"d": [1]}}]
    path = tmp_path / "mine.feather"
    pyarrow.feather.write_feather(pa.Table.from_pylist(rows), str(path))

    assert rows_of(path) == rows
    with apply_limits(UPLOAD_LIMITS), pytest.raises(BadInputError, match="Arrow files are not supported"):
        rows_of(path)


def test_columns_of_the_same_name_are_refused(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["x"]), pa.array(["y"])], ["a", "a"])
    pyarrow.parquet.write_table(table, tmp_path / "mine.parquet")
    with pa.OSFile(str(tmp_path / "mine.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as out:
        out.write_table(table)

    for name in ("mine.parquet", "mine.arrow"):
        with pytest.raises(BadInputError, match="its header has 'a' twice"):
            list(nested_rows(tmp_path / name, ImportStats(), "a table"))
    with (
        apply_limits(UPLOAD_LIMITS),
        pytest.raises(BadInputError, match="two of its columns have the same name"),
    ):
        list(nested_rows(tmp_path / "mine.parquet", ImportStats(), "a table"))


def test_a_torn_feather_file_is_refused(tmp_path: Path) -> None:
    (path := tmp_path / "mine.feather").write_bytes(b"ARROW1" + bytes(100))

    with pytest.raises(BadInputError, match="not a complete Arrow file"):
        rows_of(path)


def test_arrow_streams_of_saved_data_sets_are_read(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([{"a": [1, 2]}])
    path = tmp_path / "data-00000-of-00001.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)

    assert rows_of(path) == [{"a": [1, 2]}]


def test_nested_parquet_columns_are_read_from_own_files_only(tmp_path: Path) -> None:
    path = tmp_path / "mine.parquet"
    pa.parquet.write_table(pa.Table.from_pylist([{"a": 1, "talk": [{"role": "user"}]}]), path)
    tally = ImportStats()

    own = [dict(row.values) for row in nested_rows(path, tally, "")]

    assert own == [{"a": 1, "talk": [{"role": "user"}]}]
    with apply_limits(UPLOAD_LIMITS):
        assert next(nested_rows(path, tally, "")).values["a"] == 1
    assert "lists and objects are not supported" in tally.notes[0]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("plain", 1),
        ("scores.judge", "gpt"),
        ("scores.list[1].name", "b"),
        ("scores.list.0.name", "a"),
        ("a.b", "dotted"),
        ("a.b.c", None),
        ("text.deep", 3),
        ("scores.nothing.more", None),
        ("scores.list[9]", None),
        ("plain.more", None),
        ("absent", None),
    ],
)
def test_paths_lead_into_objects_lists_and_texts_of_json(path: str, value: object) -> None:
    values = {
        "plain": 1,
        "a.b": "dotted",
        "text": '{"deep": 3}',
        "scores": {"judge": "gpt", "list": [{"name": "a"}, {"name": "b"}]},
    }

    assert value_at(values, path) == value


def test_columns_are_matched_ignoring_case_blanks_and_punctuation() -> None:
    names = ["Judge Name", "score", "Score", "met"]

    assert column_in("judge_name", names) == "Judge Name"
    assert column_in("score", names) == "score"
    assert column_in("absent", names) is None
    with pytest.raises(UsageError, match="may mean any of 'score', 'Score'"):
        column_in("SCORE", names)


def test_value_maps_accept_numbers_and_words_and_refuse_anything_else() -> None:
    maps = value_maps(["choice:0=first,1=second", "met:Ja=yes"])

    assert [keys_of(value, maps["choice"]) for value in (0, 1.0, "1", " 0 ", 2)] == [
        *(["0"], ["1"], ["1"], ["0"], [])
    ]
    assert keys_of("JA", maps["met"]) == ["ja"]
    assert keys_of(True, {"true": "yes"}) == ["true"]
    for wrong in ("choice", "choice:", "choice:0", ":0=a", "choice:0=a,0=b"):
        with pytest.raises(UsageError):
            value_maps([wrong])


def test_spellings_of_one_word_may_differ_in_meaning_and_are_then_kept_as_written() -> None:
    maps = value_maps(["met:X=yes,x=no", "reference_met:Ja=yes,JA=yes"])

    assert maps == {"met": {"X": "yes", "x": "no"}, "reference_met": {"ja": "yes"}}
    assert [keys_of(value, maps["met"]) for value in ("X", "x")] == [["X"], ["x"]]
    assert keys_of("Pass", {"pass": "yes", "PASS": "no"}) == ["pass", "PASS"]
    assert merged_meanings({"x": "yes", "y": "no"}, maps["met"]) == {"y": "no", "X": "yes", "x": "no"}


def test_a_wide_row_becomes_one_row_for_each_judge_with_a_value() -> None:
    row = Row("f", 3, {"question": "q", "gpt": True, "qwen": False})

    names = {"gpt": "GPT", "qwen": "qwen", "llama": "llama"}
    rows = [(one.number, dict(one.values)) for one in melt(row, names, "judge", "met")]

    assert rows == [
        (3, {"question": "q", "judge": "GPT", "met": True}),
        (3, {"question": "q", "judge": "qwen", "met": False}),
    ]
    assert listed_columns("--judge-columns", "gpt, qwen,gpt") == ("gpt", "qwen")
    with pytest.raises(UsageError):
        listed_columns("--judge-columns", " , ")


def test_labels_of_pairs_name_positions() -> None:
    labels = ["A>>B", "[[A>B]]", "b>a", "B++", "A=B", "tie (bothbad)", "model_a", "[[C]]", "?", 1]
    (arena,) = read_declaration(FOLDER / "chatbot-arena.toml").kinds

    a, b, tie, none = "generator", "opponent", "tie", "none"
    assert [arena.values["choice"].meaning(label) for label in labels] == [
        *(a, a, b, b, tie, tie, a, tie),
        *(none, none),
    ]


def test_objects_over_several_lines_are_read_singly_or_in_sequence(tmp_path: Path) -> None:
    rows = [{"judge": "gpt-4o", "note": "}\n{"}, {"judge": "qwen", "note": {"a": [1]}}]
    for number in (1, 2):
        path = tmp_path / f"{number}.json"
        path.write_text("\n".join(json.dumps(row, indent=2) for row in rows[:number]) + "\n", "utf-8")

        assert rows_of(path) == rows[:number]

    path.write_text('{\n "judge": "gpt-4o"\n}\n{\n "judge":', "utf-8")
    with pytest.raises(BadInputError, match="not JSON, or not complete"):
        rows_of(path)
