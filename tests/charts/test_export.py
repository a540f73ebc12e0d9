"""Exported tables and charts, read back."""

import csv
import io
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.charts import export
from engine.charts.forest import forest, forest_rows
from engine.values import FORMULA_STARTS

DEMO = Path(__file__).resolve().parents[2] / "results" / "demo-health"
HOSTILE = "<b>x</b> & $y$ <script>alert(1)</script>"


@pytest.fixture(scope="module")
def result():
    return engine.open_study(DEMO).result("hspp", resamples=50)


@pytest.fixture(scope="module")
def spec(result):
    return forest(forest_rows(result.rows), width=500).to_dict()


def read_csv(content):
    return list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(1)"])
def test_a_text_that_would_be_a_formula_is_escaped_in_csv(formula):
    rows = read_csv(export.csv_of(pd.DataFrame({"judge": [formula], formula: ["x"]})))

    assert rows == [["judge", f"'{formula}"], [f"'{formula}", "x"]]


def test_numbers_are_unchanged_in_csv_and_null_is_an_empty_cell():
    frame = pd.DataFrame({"x": [-1.5, 0.1 + 0.2, None], "n": [-3, 0, 7], "t": ["–", "", None]})

    rows = read_csv(export.csv_of(frame))

    assert rows[1:] == [["-1.5", "-3", "–"], ["0.30000000000000004", "0", ""], ["", "7", ""]]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1))
def test_any_text_survives_csv_apart_from_the_apostrophe(texts):
    rows = read_csv(export.csv_of(pd.DataFrame({"t": texts, "n": range(len(texts))}).astype({"t": object})))

    back = [row[0] for row in rows[1:]]
    for cell, text in zip(back, texts, strict=True):
        assert cell == (f"'{text}" if text and text[0] in FORMULA_STARTS else text)
    assert not any(cell.startswith(FORMULA_STARTS) for cell in back)


def test_a_measure_survives_csv_with_every_digit(result):
    rows = list(csv.DictReader(io.StringIO(export.csv_of(export.frame_of(result)).decode())))

    assert [row["judge"] for row in rows] == [row["judge"] or "" for row in result.rows]
    for row, expected in zip(rows, result.rows, strict=True):
        assert row["hspp_self"] == ("" if expected["hspp_self"] is None else repr(expected["hspp_self"]))
        assert row["n_self"] == str(expected["n_self"])


def test_a_measure_survives_parquet_with_its_types(result):
    table = pq.read_table(io.BytesIO(export.parquet_of(export.frame_of(result))))

    kinds = {field.name: str(field.type) for field in table.schema}
    assert (kinds["hspp_self"], kinds["n_self"], kinds["small"]) == ("double", "int64", "bool")
    assert kinds["judges"] == "int64"
    assert kinds["l2w_share_self"] == "double"
    assert "string" in kinds["judge"]
    assert table["hspp_self"].to_pylist() == [row["hspp_self"] for row in result.rows]
    assert table["judges"].to_pylist() == [row["judges"] for row in result.rows]
    assert table["reasons"].to_pylist()[0].startswith("l2w_share_self=instance_level_only; ")


def test_latex_is_escaped_and_numbers_are_right_aligned():
    frame = pd.DataFrame({"a_b": [r"50% & $x$ #1 {y} ~z^2 \end", None], "ratio": [1.23456789, -0.5]})

    lines = export.latex_of(frame).decode().splitlines()

    assert lines == [
        r"\begin{tabular}{lr}",
        r"\hline",
        r"a\_b & ratio \\",
        r"\hline",
        r"50\% \& \$x\$ \#1 \{y\} \textasciitilde{}z\textasciicircum{}2 \textbackslash{}end & 1.235 \\",
        r"-- & -0.5 \\",
        r"\hline",
        r"\end{tabular}",
    ]


def test_no_cell_of_latex_changes_the_row_above_it_or_holds_a_control_character():
    frame = pd.DataFrame({"judge": ["[2cm]", "*", "a\x00b\x1bc\nd"], "n": [1, 2, 3]})

    rows = export.latex_of(frame).decode().splitlines()[4:7]

    # After \\ LaTeX reads [2cm] as a space of two centimetres, and * as a ban on a page break.
    assert rows == [r"{[}2cm] & 1 \\", r"{*} & 2 \\", r"a b c d & 3 \\"]


def test_a_png_is_larger_than_the_chart(spec):
    picture = export.png_of(spec, "Ratios", ["Based on: single criterion judgments."])

    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    assert width > export.SCALE * 500
    assert height > export.SCALE * 100


def test_an_svg_names_its_filters_and_shows_names_as_text(spec):
    svg = export.svg_of(spec, HOSTILE, ["Based on: single criterion judgments.", "n: 32 to 410 cases."])

    root = ET.fromstring(svg)  # noqa: S314 - made here
    texts = [text for element in root.iter("{http://www.w3.org/2000/svg}text") for text in element.itertext()]
    assert HOSTILE in texts
    assert "n: 32 to 410 cases." in texts
    assert "aster-large" in texts
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


def test_a_long_caption_is_broken_into_lines(spec):
    lines = export.with_caption(spec, "T", ["word " * 60])["vconcat"][1]["mark"]["text"]

    assert len(lines) == 3
    assert max(map(len, lines)) <= export.CAPTION_WIDTH


def test_what_a_chart_shows_stands_above_it_and_what_it_rests_on_below():
    chart = {
        "title": {"text": "Passed, of 100", "subtitle": ["A dot is", "a judge."]},
        "width": 200,
        "params": [{"name": "opened", "value": None}],
        "data": {"values": [{}]},
        "mark": "point",
    }

    whole = export.with_caption(chart, "T", ["Based on: all."], ["The judges favour themselves."])

    assert whole["title"]["text"] == ["T"]
    assert whole["title"]["subtitle"] == [
        "The judges favour themselves.",
        "Passed, of 100.",
        "A dot is a judge.",
    ]
    drawn, foot = whole["vconcat"]
    assert foot["mark"]["text"] == ["Based on: all."]
    assert "title" not in drawn
    assert whole["params"][:1] == chart["params"]


def test_an_expression_of_a_charts_width_holds_above_a_caption():
    chart = {
        "width": 200,
        "data": {"values": [{}]},
        "mark": {"type": "point", "x": {"expr": "width - 3"}, "y": 7},
    }

    alone, captioned = (export.svg_of(chart, "T", caption) for caption in ([], ["Based on: all."]))

    assert b"translate(197,7)" in alone
    assert b"translate(197,7)" in captioned


def test_a_chart_without_a_caption_has_nothing_below_it(spec):
    assert "vconcat" not in export.with_caption(spec, "T", [])


def test_an_export_loads_no_external_resources():
    picture = {"mark": {"type": "image", "url": "http://127.0.0.1:9/x.png"}, "encoding": {}}
    chart = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "data": {"values": [{}]}} | picture

    svg = export.svg_of(chart, "T", [])

    assert b"base64" not in svg


@pytest.mark.parametrize("by", [["theme", "polarity"], "theme", "criterion"])
def test_a_table_of_slices_is_written_in_every_form(by):
    result = engine.open_study("demo-health", store="results").result("expected", by=by, resamples=0)

    frame = export.frame_of(result)

    read = pd.read_parquet(io.BytesIO(export.parquet_of(frame)))
    assert list(read.columns) == list(frame.columns)
    assert len(read) == len(result.rows)
    assert (
        export.csv_of(frame).count(b"\r\n") == export.latex_of(frame).count(rb" \\") == len(result.rows) + 1
    )
