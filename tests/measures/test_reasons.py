"""Codes for the reason of an undefined number, and rows as CSV."""

import ast
import csv
import io
import re
from pathlib import Path

from engine.arrays.left_out import CODES
from engine.measures import result
from engine.measures.catalogue import MEASURES
from engine.measures.result import Result, columns_of
from engine.schema import RUBRIC_PARADIGMS
from engine.words.conclusions import CONCLUSIONS

MODULES = Path(__file__).parents[2] / "engine" / "measures"
CODE = re.compile(r"(no|not|one|all|row|on|of|too|fewer|rubric|instance)(_[a-z0-9]+)+")


def written() -> set[str]:
    """Return the codes written in the modules of measures: texts that are not column names."""
    names = {*RUBRIC_PARADIGMS, *CODES, *CONCLUSIONS}
    for measure in MEASURES.values():
        names |= {column for field in measure.fields for column in field.columns()}
        names |= {option.name for option in measure.options}
    paths = [path for path in MODULES.glob("*.py") if path.name != "result.py"]
    nodes = (node for path in paths for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {text for text in texts if CODE.fullmatch(text)} - names


def test_every_code_that_a_measure_writes_has_a_meaning():
    assert written() - set(result.REASONS) == set()


def test_no_meaning_is_declared_for_an_unused_code():
    modules = MODULES.parent.rglob("*.py")
    text = "\n".join(path.read_text("utf-8") for path in modules if path.name != "result.py")

    assert [code for code in result.REASONS if f'"{code}"' not in text] == []


def test_an_unknown_code_is_shown_as_its_own_words():
    assert result.meaning("no_such_thing") == "no such thing"
    assert result.meaning(None) == "not defined"


def test_csv_quotes_text_that_would_break_a_line():
    names = ["a\rb", "c\nd", "e\r\nf", 'g"h,i', "plain"]
    rows = [{"judge": name, "reasons": {}} for name in names]

    text = Result(MEASURES["hspp"], "study", {}, columns_of(rows), {}, None).csv()

    records = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["judge"] for row in records] == names
    assert text.endswith("plain,\n")
    assert text.startswith("judge,reasons\n")
