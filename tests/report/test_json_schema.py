"""The JSON schemas describe stored studies and printed measures, and refuse anything else."""

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
def test_the_schemas_on_disk_match_the_declarations(name: str) -> None:
    assert (FOLDER / f"{name}.json").read_text("utf-8") == text(name), "python -m tests.tools.docs.schema"


@pytest.mark.parametrize("name", ["store", *(measure.name for measure in OWN)])
def test_each_is_a_schema_with_a_version(name: str) -> None:
    declaration = json_schema(name)

    Draft202012Validator.check_schema(declaration)
    assert declaration["$id"].rpartition(":")[2].isdecimal()
    assert json.loads(json.dumps(declaration)) == declaration


def test_the_schema_of_the_store_is_named_by_the_version_of_its_tables() -> None:
    assert json_schema("store")["$id"] == f"urn:spb-explorer:store:{schema.SCHEMA_VERSION}"


@pytest.mark.parametrize("name", DEMOS)
def test_a_stored_study_satisfies_its_schema(name: str) -> None:
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
    """The value as in JSON, with times as text."""
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
def test_the_schema_refuses_rows_that_an_import_would_refuse(
    table: str, row: dict[str, Any], says: str
) -> None:
    study = {"models": [], "instances": []} | {table: [row]}

    (error,) = Draft202012Validator(json_schema("store")).iter_errors(study)

    assert says in str(error)


@pytest.mark.parametrize("name", DEMOS)
def test_the_output_of_measures_satisfies_their_schemas(name: str) -> None:
    study = engine.open_study(f"results/{name}")
    for measure in ("scorecard", "hspp", "equal-quality", "order-effect", "ordering", "together"):
        output = json.loads(study.result(measure, resamples=20).json())

        assert list(Draft202012Validator(json_schema(measure)).iter_errors(output)) == []


@pytest.mark.parametrize("measure", ["scorecard", "expected"])
def test_remarks_are_a_list_of_texts(measure: str) -> None:
    result = engine.open_study("results/demo-pairs").result(measure, resamples=20)
    validator = Draft202012Validator(json_schema(measure))

    (error,) = validator.iter_errors(json.loads(result.json()) | {"remarks": [1]})

    assert list(validator.iter_errors(json.loads(result.json(["runs are merged"])))) == []
    assert list(error.path) == ["remarks", 0]


def test_an_unknown_conclusion_is_refused() -> None:
    output = json.loads(engine.open_study("results/demo-pairs").result("scorecard", resamples=20).json())
    output["rows"][0]["conclusion"] = "loves_itself"

    (error,) = Draft202012Validator(json_schema("scorecard")).iter_errors(output)

    assert "'loves_itself' is not one of" in str(error)


def test_an_unknown_schema_is_refused_with_the_measures() -> None:
    with pytest.raises(UsageError, match="scorecard"):
        json_schema("scorecards")
