"""The JSON schemas describe what is stored and printed, and refuse what is neither."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tools.docs.schema import FOLDER, WRITTEN, text

import engine
from engine import schema
from engine.errors import UsageError
from engine.measures.catalogue import OWN
from engine.report.formats import json_schema
from engine.store import Store

DEMOS = ("demo-health", "demo-orders", "demo-pairs", "demo-verifiable")


@pytest.mark.parametrize("name", WRITTEN)
def test_the_schemas_on_disk_are_those_of_the_declarations(name: str) -> None:
    assert (FOLDER / f"{name}.json").read_text("utf-8") == text(name), "python -m tests.tools.docs.schema"


@pytest.mark.parametrize("name", ["store", *(measure.name for measure in OWN)])
def test_each_is_a_schema_with_a_version(name: str) -> None:
    declaration = json_schema(name)

    Draft202012Validator.check_schema(declaration)
    assert declaration["$id"].rpartition(":")[2].isdecimal()
    assert json.loads(json.dumps(declaration)) == declaration


def test_the_store_of_this_version_is_named_by_its_tables_version() -> None:
    assert json_schema("store")["$id"] == f"urn:spb-explorer:store:{schema.SCHEMA_VERSION}"


@pytest.mark.parametrize("name", DEMOS)
def test_a_stored_study_is_what_the_schema_says(name: str) -> None:
    files = Store("results").open(name)
    study = {"study": json.loads(files.info.to_json())} | {
        table: files.table(table).slice(0, 40).to_pylist()
        for table in schema.TABLES
        if table != "judgments" and files.has(table)
    }
    study["judgments"] = next(files.judgment_batches(rows=40)).to_pylist()

    errors = list(Draft202012Validator(json_schema("store")).iter_errors(plain(study)))

    assert errors == []
    assert len(study["judgments"]) == 40


def plain(value: Any) -> Any:
    """What JSON would hold: times as text."""
    return json.loads(json.dumps(value, default=lambda time: time.isoformat()))


@pytest.mark.parametrize(
    ("table", "row", "says"),
    [
        ("models", {"model": "m"}, "'family' is a required property"),
        ("models", {"model": "", "family": "f"}, "''"),
        ("judgments", {"judge": "j", "paradigm": "guess", "instance_id": "1", "generator": "g"}, "'guess'"),
        ("instances", {"instance_id": 7}, "7 is not of type 'string'"),
        ("models", {"model": "m", "family": "f", "size_b": -1}, "-1"),
    ],
)
def test_a_row_that_an_import_would_refuse_is_refused(table: str, row: dict[str, Any], says: str) -> None:
    study = {"models": [], "instances": []} | {table: [row]}

    (error,) = Draft202012Validator(json_schema("store")).iter_errors(study)

    assert says in str(error)


@pytest.mark.parametrize("name", DEMOS)
def test_what_measures_print_is_what_their_schemas_say(name: str) -> None:
    study = engine.open_study(f"results/{name}")
    for measure in ("scorecard", "hspp", "equal-quality", "order-effect", "ordering", "together"):
        printed = json.loads(study.result(measure, resamples=20).json())

        assert list(Draft202012Validator(json_schema(measure)).iter_errors(printed)) == []


def test_a_conclusion_that_there_is_not_is_refused() -> None:
    printed = json.loads(engine.open_study("results/demo-pairs").result("scorecard", resamples=20).json())
    printed["rows"][0]["conclusion"] = "loves_itself"

    (error,) = Draft202012Validator(json_schema("scorecard")).iter_errors(printed)

    assert "'loves_itself' is not one of" in str(error)


def test_a_schema_of_nothing_known_names_the_measures() -> None:
    with pytest.raises(UsageError, match="scorecard"):
        json_schema("scorecards")
