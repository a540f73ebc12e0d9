"""`spb explain` knows every column and every code that the program prints."""

import ast
import json
from pathlib import Path
from typing import get_args

import pytest

from engine import paradigms, schema
from engine.arrays.left_out import CODES
from engine.cli import app
from engine.cli.explain import everything
from engine.collect.calls import Cause, FailureKind
from engine.explore.find_slices import FIND
from engine.explore.gate import GateResult, GateStatus
from engine.findings.claims import MarkKind
from engine.measures.catalogue import MEASURES
from engine.measures.reasons import REASONS
from engine.store.study_files import StudyInfo
from engine.words.codes import WORDS

ROOT = Path(__file__).resolve().parents[2]
KNOWN = {(row["name"], row["kind"].split(" of ")[0]) for row in everything()}
NAMES = {name for name, _ in KNOWN}


def caveats_of_the_scorecard() -> set[str]:
    """The codes that the function of caveats names: the first of each pair in its list."""
    tree = ast.parse((ROOT / "engine/measures/scorecard_doubts.py").read_text("utf-8"))
    body = next(
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "cautions"
    )
    pairs = [node for node in ast.walk(body) if isinstance(node, ast.Tuple) and len(node.elts) == 2]
    firsts = [pair.elts[0] for pair in pairs if isinstance(pair.elts[0], ast.Constant)]
    return {str(first.value) for first in firsts}


def test_every_column_of_the_store_is_explained() -> None:
    columns = {column.name for table in schema.TABLES.values() for column in table.columns}

    assert columns | set(StudyInfo.model_fields) <= NAMES


def test_every_column_of_a_measure_a_search_and_the_gate_is_explained() -> None:
    of_measures = {
        column
        for measure in (*MEASURES.values(), FIND)
        for field in measure.fields
        for column in field.columns()
    }

    assert of_measures <= NAMES
    assert set(GateResult.__dataclass_fields__) <= NAMES


@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        ("conclusion", set(WORDS)),
        ("reason", set(REASONS)),
        ("left out", set(CODES)),
        ("caveat", caveats_of_the_scorecard()),
        ("status", set(schema.STATUSES)),
        ("shortfall", set(paradigms.SHORTFALLS)),
        ("kind", set(get_args(FailureKind))),
        ("cause", set(get_args(Cause))),
        ("mark", {kind.value for kind in MarkKind}),
        ("result", set(get_args(GateStatus))),
        ("paradigm", set(paradigms.PARADIGMS)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_code_that_the_program_prints_is_explained(kind: str, codes: set[str]) -> None:
    assert codes
    assert {code for code in codes if (code, kind) not in KNOWN} == set()


def test_a_remedy_names_a_code_that_exists() -> None:
    from engine.cli.code_list import _REMEDIES, codes

    helped = [name for _, names in _REMEDIES for name in names]

    assert len(set(helped)) == len(helped)
    assert set(helped) <= {code.name for code in codes()}


def test_what_helps_is_printed_with_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    app(["explain", "few_credited", "--format", "json"], standalone_mode=False)

    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["meaning"].endswith("What helps: judge more questions; `spb plan power` says how many.")
