"""Formats for other programs: a gate's JUnit XML and Markdown, scores for Langfuse, JSON Schemas."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from engine import __version__, schema
from engine.explore.gate import TOGETHER, GateResult, overall
from engine.measures.catalogue import find
from engine.measures.entry import Field, Measure
from engine.report.escape import escape_markdown
from engine.store.study_files import StudyInfo
from engine.values import quantity
from engine.words.conclusions import CONCLUSIONS, GROUP_CONCLUSIONS, conclusion_sentence, judges_of

# ------------------------------------------------------------------------------
# The gate's results for pipelines: Markdown for a pull request, JUnit XML for a test report.


_MARKS = {"PASS": "✅", "FAIL": "❌", "INCONCLUSIVE": "❔"}


def estimate_text(result: GateResult) -> str:
    """Return the deciding number with its interval, a dash if there is none.

    Enough digits are written that no end of the interval looks like the bound which it is not.
    """
    if result.estimate is None:
        return "–"
    factor = 100 if result.kind == "excess" else 1
    numbers = [number for number in (result.estimate, result.low, result.high) if number is not None]
    digits = 1 if factor == 100 else 2
    if result.bound is not None:
        digits = _digits_apart([factor * number for number in numbers], factor * result.bound, digits)
    value, *ends = (f"{factor * number:.{digits}f}" for number in numbers)
    interval = f"95% CI {ends[0]} to {ends[1]}" if len(ends) == 2 else "no confidence interval"
    if result.kind != "excess":
        return f"{value} ({interval})"
    beside = ""
    if result.own_given is not None and result.own_expected is not None:
        beside = f", {100 * result.own_given:.1f} given and {100 * result.own_expected:.1f} expected"
    return f"{value} of 100 ({interval}){beside}"


_MOST_DIGITS = 9


def _digits_apart(numbers: Sequence[float], bound: float, least: int) -> int:
    """Return how many decimals tell the numbers from a bound that they are not."""
    apart = [number for number in numbers if isfinite(number) and number != bound]
    return next(
        (
            digits
            for digits in range(least, _MOST_DIGITS)
            if all(float(f"{number:.{digits}f}") != bound for number in apart)
        ),
        _MOST_DIGITS,
    )


def totals(results: Sequence[GateResult]) -> str:
    """Return the number of judges by result: `9 judges: 4 FAIL, 5 INCONCLUSIVE`."""
    if not results:
        return "no judge was found"
    by_status = Counter[str](result.status for result in results)
    shares = [f"{by_status[status]} {status}" for status in _MARKS if by_status[status]]
    judges = [result for result in results if result.judge != TOGETHER]
    subjects = [TOGETHER] if len(judges) < len(results) else []
    subjects += [quantity(len(judges), "judge")] if judges else []
    return f"{' and '.join(subjects)}: {', '.join(shares)}"


def gate_markdown(study: str, results: Sequence[GateResult]) -> str:
    """Return a summary for a pull request: the overall result, and a row for each judge."""
    status = overall(results)
    lines = [
        f"### {_MARKS[status]} Self-preference of judges in {escape_markdown(study)}: {status}",
        "",
        f"{totals(results)}.",
        "",
        "| Judge | Result | Measured | Why |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {_cell(result.judge)} | {_MARKS[result.status]} {result.status} | {estimate_text(result)} "
        f"| {_cell(result.reason)} |"
        for result in results
    ]
    rules = " ".join(dict.fromkeys(result.rule for result in results)) or "no judge was found"
    return "\n".join([*lines, "", f"Rule: {escape_markdown(rules)}. Intervals are 95 %.", ""])


def gate_junit(study: str, results: Sequence[GateResult]) -> bytes:
    """Return the results as JUnit XML: a test case for each judge, an inconclusive one as skipped."""
    counts = {
        "failures": sum(result.status == "FAIL" for result in results),
        "skipped": sum(result.status == "INCONCLUSIVE" for result in results),
    }
    numbers = {"tests": str(len(results))} | {name: str(count) for name, count in counts.items()}
    suite = Element("testsuite", {"name": _clean(f"self-preference of judges in {study}"), **numbers})
    for result in results:
        case = SubElement(suite, "testcase", {"classname": "spb.check-judge", "name": _clean(result.judge)})
        words = _clean(f"{result.rule}: {estimate_text(result)}; {result.reason}")
        if result.status == "FAIL":
            SubElement(case, "failure", {"message": words})
        elif result.status == "INCONCLUSIVE":
            SubElement(case, "skipped", {"message": words})
    body: bytes = tostring(suite, encoding="utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body


def _cell(text: str) -> str:
    return escape_markdown(text).replace("|", "\\|").replace("\n", " ")


def _clean(text: str) -> str:
    """Drop characters that are not printable, which XML may not allow."""
    return "".join(letter for letter in text if letter.isprintable())


# ------------------------------------------------------------------------------
# The scorecard as scores for Langfuse: bodies for `POST /api/public/scores`.
#
# A score belongs to a session. Its id is a hash of the study, session and name (which has the judge), so that
# sending it again replaces the earlier one.


_ABOUT = (
    *("judge", "family", "decided_by", "low", "high", "p_adjusted"),
    *("n_own", "n_other", "n_outside", "reason"),
)


def langfuse_scores(study: str, rows: Sequence[Mapping[str, Any]], session: str) -> list[dict[str, Any]]:
    """Return the scores of the rows of `scorecard`: each judge's conclusion, and its number if it has one."""
    return [score for row in judges_of(rows) for score in _of_judge(study, dict(row), session)]


def _of_judge(study: str, row: dict[str, Any], session: str) -> Iterator[dict[str, Any]]:
    common = {
        "sessionId": session,
        "comment": conclusion_sentence(row),
        "metadata": {"study": study, **{name: row.get(name) for name in _ABOUT}},
    }
    values = []
    if row["conclusion"] is not None:
        values.append((f"self_preference.{row['judge']}.conclusion", row["conclusion"], "CATEGORICAL"))
    if row["estimate"] is not None:
        values.append((f"self_preference.{row['judge']}", row["estimate"], "NUMERIC"))
    for name, value, kind in values:
        identity = hashlib.sha256("\0".join((study, session, name)).encode()).hexdigest()[:32]
        yield {"id": identity, "name": name, "value": value, "dataType": kind, **common}


# ------------------------------------------------------------------------------
# JSON Schemas of a study and of a measure's rows, for other programs.
#
# Generated from the declarations of tables and measures. The store's version is that of its tables; that of
# results rises when a field is removed or changes its meaning, not when one is added.


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
_CHOICES = {("scorecard", "conclusion"): tuple(dict.fromkeys([*CONCLUSIONS, *GROUP_CONCLUSIONS]))}
"""The allowed texts of a field, by measure and field."""


def json_schema(of: str) -> dict[str, Any]:
    """Return the schema of the store, an audit, or a measure's result; UsageError for an unknown name."""
    if of == AUDIT:
        from engine.report.audit.record import json_schema as schema_of_audit  # which needs Altair

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


def _of_row(table: schema.Table) -> dict[str, Any]:
    return {
        "title": table.name,
        "description": table.meaning,
        "type": "object",
        "properties": {column.name: _of_column(column) for column in table.columns},
        "required": [column.name for column in table.columns if column.required],
        "x-key": list(table.key),
    }


def _of_column(column: schema.Column) -> dict[str, Any]:
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
    """Return the schema of the object that `spb metrics MEASURE --format json` prints."""
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
