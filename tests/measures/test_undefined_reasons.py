"""Codes for the reason of an undefined number, and rows as CSV."""

import ast
import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.arrays.left_out import CODES
from engine.conclusions import OF_JUDGE
from engine.measures import undefined_reasons
from engine.measures.catalogue import MEASURES
from engine.measures.entry import JUDGE, count, ratio
from engine.measures.finished_rows import finish
from engine.measures.result import Result, columns_of
from engine.measures.rows import Column, Table
from engine.paradigms import RUBRIC_PARADIGMS

MODULES = Path(__file__).parents[2] / "engine" / "measures"
CODE = re.compile(r"(no|not|one|all|row|on|of|too|fewer|rubric|instance)(_[a-z0-9]+)+")


def written() -> set[str]:
    """Return the codes written in the modules of measures: texts that are not column names."""
    names = {*RUBRIC_PARADIGMS, *CODES, *OF_JUDGE}
    for measure in MEASURES.values():
        names |= {column for field in measure.fields for column in field.columns()}
        names |= {option.name for option in measure.options}
    paths = [path for path in MODULES.glob("*.py") if path.name != "result.py"]
    nodes = (node for path in paths for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {text for text in texts if CODE.fullmatch(text)} - names


def test_every_code_that_a_measure_writes_has_a_meaning():
    assert written() - set(undefined_reasons.REASONS) == set()


def test_no_meaning_is_declared_for_an_unused_code():
    modules = MODULES.parent.rglob("*.py")
    text = "\n".join(path.read_text("utf-8") for path in modules if path.name != "result.py")

    assert [code for code in undefined_reasons.REASONS if f'"{code}"' not in text] == []


def test_an_unknown_code_is_shown_as_its_own_words():
    assert undefined_reasons.meaning("no_such_thing") == "no such thing"
    assert undefined_reasons.meaning(None) == "not defined"


def test_csv_quotes_text_that_would_break_a_line():
    names = ["a\rb", "c\nd", "e\r\nf", 'g"h,i', "plain"]
    rows = [{"judge": name, "reasons": {}} for name in names]

    text = Result(MEASURES["hspp"], "study", {}, columns_of(rows), {}, None).csv()

    records = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["judge"] for row in records] == names
    assert text.endswith("plain,\n")
    assert text.startswith("judge,reasons\n")


def three_ratios() -> Result:
    """Return rows without resamples: a ratio of 1.5, none, and an infinite one in the row of means."""
    measure = replace(MEASURES["hspp"], fields=(JUDGE, ratio("times", "times"), count("n", "cases")))
    columns = {
        "judge": Column(["a", "b", None], reasons="row_of_means"),
        "times": Column(np.array([1.5, np.nan, np.inf]), reasons=[None, "no_own_failures", ""]),
        "n": Column(np.array([7, 0, 7], dtype=np.int32)),
    }
    table = Table(columns, keep=np.ones(3, dtype=bool), instances=50)
    return Result(measure, "study", {}, finish(measure, table, 10), {}, None)


def test_rows_csv_and_frame_agree_on_what_is_undefined():
    result = three_ratios()

    rows, frame, csv_rows = result.rows, result.frame(), list(csv.DictReader(io.StringIO(result.csv())))
    assert [row["times"] for row in rows] == [1.5, None, None]
    assert [row["times"] for row in csv_rows] == ["1.5", "", ""]
    assert frame["times"].isna().tolist() == [False, True, True]
    assert [type(row["n"]) for row in rows] == [int, int, int]
    assert frame["reasons"].tolist() == [row["reasons"] for row in rows]
    assert frame["times_low"].isna().all()


def test_the_ends_of_an_undefined_number_are_undefined_for_its_reason():
    first, second, means = (row["reasons"] for row in three_ratios().rows)

    tested = ("times_low", "times_high", "times_p", "times_p_adjusted")
    assert first == dict.fromkeys(tested, "no_resamples")
    assert second == dict.fromkeys(("times", *tested), "no_own_failures")
    undefined = dict.fromkeys(("times", *tested[:-1]), "undefined")
    assert means == {"judge": "row_of_means"} | undefined | {"times_p_adjusted": "row_of_means"}


def test_a_change_of_one_rows_reasons_leaves_the_other_rows_alone():
    measure = replace(MEASURES["hspp"], fields=(ratio("times", "times"),))
    table = Table({"times": Column(np.array([1.0, 2.0]))}, keep=np.ones(2, dtype=bool), instances=50)

    first, second = finish(measure, table, 10)["reasons"]
    first.clear()

    assert second["times_low"] == "no_resamples"
