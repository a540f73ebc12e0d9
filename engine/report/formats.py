"""JSON Schemas of a study and of a measure's rows, for other programs."""

from typing import Any

from engine import schema
from engine.conclusions import OF_GROUP, OF_JUDGE
from engine.measures.catalogue import find
from engine.measures.entry import Field, Measure
from engine.store.study_files import StudyInfo
from engine.version import __version__

RESULT_VERSION = 1  # version of what `--format json` prints
_VERSIONS = {"scorecard": 2}
"""Later versions, by measure. Scorecard 2: seven conclusions in place of six, the judges together first."""
STORE, AUDIT = "store", "audit"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_KINDS: dict[schema.Kind, dict[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "time": {"type": "string", "format": "date-time"},
}
_FIELD_SCHEMAS: dict[str, dict[str, Any]] = {
    "text": {"type": ["string", "null"]},
    "count": {"type": ["integer", "null"]},
    "flag": {"type": ["boolean", "null"]},
    "list": {"type": ["array", "null"]},
    "share": {"type": ["number", "null"], "maximum": 1},
    "difference": {"type": ["number", "null"], "maximum": 1},
}
_NUMBER: dict[str, Any] = {"type": ["number", "null"]}
_CHOICES = {("scorecard", "conclusion"): tuple(dict.fromkeys([*OF_JUDGE, *OF_GROUP]))}
"""The allowed texts of a field, by measure and field."""
_REMARKS: dict[str, Any] = {
    "remarks": {
        "type": "array",
        "items": {"type": "string"},
        "description": "of spb judges: what to know of the conclusions, such as that runs are taken together",
    }
}
_REMARKED = ("scorecard", "expected")
"""What `spb judges` prints, whose JSON has remarks."""


def json_schema(of: str) -> dict[str, Any]:
    """Return the schema of the store, an audit, or a measure's result; UsageError for an unknown name."""
    if of == AUDIT:
        from engine.report.audit.record import json_schema as schema_of_audit  # with most views

        return schema_of_audit()
    return _of_store() if of == STORE else _of_result(find(of))


def _of_store() -> dict[str, Any]:
    """Return the schema of a study as one object: `study.json`, and a list of rows for each table."""
    info = StudyInfo.model_json_schema(ref_template="#/$defs/{model}")
    inner = info.pop("$defs", {})
    rows = {name: _of_row(table) for name, table in schema.TABLES.items()}
    return {
        "$schema": _DRAFT,
        "$id": f"urn:spb-explorer:store:{schema.SCHEMA_VERSION}",
        "title": "A study of the self-preference explorer",
        "description": (
            "The tables' rows as objects, as in JSON Lines of an exchange folder; a row of one table is "
            "#/$defs/TABLE. Written by spb schema."
        ),
        "type": "object",
        "properties": {
            "study": {"$ref": "#/$defs/study"},
            **{name: {"type": "array", "items": {"$ref": f"#/$defs/{name}"}} for name in rows},
        },
        "required": [name for name, table in schema.TABLES.items() if table.compulsory],
        "$defs": {"study": info, **inner, **rows},
    }


def _of_row(table: schema.TableSchema) -> dict[str, Any]:
    return {
        "title": table.name,
        "description": table.meaning,
        "type": "object",
        "properties": {column.name: _of_column(column) for column in table.columns},
        "required": [column.name for column in table.columns if column.required],
        "x-key": list(table.key),
    }


def _of_column(column: schema.ColumnSchema) -> dict[str, Any]:
    """Return the schema of a cell; if not required, it may be null, which means absent."""
    cell = dict(_KINDS[column.kind])
    if column.json:
        cell = {}  # any value, or the text of it
    elif column.choices and column.pattern:
        cell = {"anyOf": [{"enum": list(column.choices)}, cell | {"pattern": f"^(?:{column.pattern})$"}]}
    elif column.choices:
        cell = {"enum": list(column.choices)}
    elif column.pattern:
        cell["pattern"] = f"^(?:{column.pattern})$"
    for name, bound in (("minimum", column.low), ("maximum", column.high)):
        if bound is not None:
            cell[name] = bound
    if column.required and column.kind == "text" and not column.json and not column.choices:
        cell["minLength"] = 1
    if not column.required and cell:
        cell = {"anyOf": [cell, {"type": "null"}]}
    refers = {"x-refers": column.refers} if column.refers else {}
    default = {} if column.default is None else {"default": column.default}
    return {"description": column.meaning, **cell, **default, **refers}


def _of_result(measure: Measure) -> dict[str, Any]:
    """Return the schema of the object that `spb measure MEASURE --format json` prints."""
    row = {name: cell for field in measure.fields for name, cell in _of_field(measure, field).items()}
    return {
        "$schema": _DRAFT,
        "$id": f"urn:spb-explorer:{measure.name}:{_VERSIONS.get(measure.name, RESULT_VERSION)}",
        "title": f"spb metrics {measure.name} --format json",
        "description": f"{measure.question} Undefined is null, with its code in `reasons`.",
        "$comment": f"spb-explorer {__version__}; a later version may add fields",
        "type": "object",
        "properties": {
            "measure": {"const": measure.name},
            "study": {"type": "string"},
            "filters": {"type": "object", "description": "all that applied, defaults too"},
            "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
            "left_out": {
                "type": "object",
                "description": "judgments left out, by code",
                "additionalProperties": {"type": "integer", "minimum": 0},
            },
            "reason": {
                "type": ["string", "null"],
                "description": "why there are no rows, where there are none",
            },
            **(_REMARKS if measure.name in _REMARKED else {}),
        },
        "required": ["measure", "study", "filters", "rows", "left_out", "reason"],
        "$defs": {
            "row": {
                "type": "object",
                "properties": {
                    **row,
                    "reasons": {
                        "type": "object",
                        "description": "why a field is null: a code for each such field",
                        "additionalProperties": {"type": "string"},
                    },
                },
                "required": [*row, "reasons"],
            }
        },
    }


def _of_field(measure: Measure, field: Field) -> dict[str, dict[str, Any]]:
    cell = {**_FIELD_SCHEMAS.get(field.kind, _NUMBER), "description": field.meaning}
    if choices := _CHOICES.get((measure.name, field.name)):
        cell = {"enum": list(choices), "description": field.meaning}
    return {name: cell if name == field.name else dict(_NUMBER) for name in field.columns()}
