"""An audit as data: `audit.json`, and its JSON Schema.

`VERSION` rises when a field is removed or changes its meaning, not when one is added.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

from engine.explore.gate import EXIT_CODES
from engine.views.audit import SECTIONS, Exhibit, SectionAnswer

if TYPE_CHECKING:
    from engine.report.audit.content import AuditContent, Check

VERSION = 1
SCHEMA_ID = f"urn:spb-explorer:audit:{VERSION}"


def record_of(audit: "AuditContent") -> dict[str, Any]:
    """Return every answer and number of an audit as plain data."""
    source = audit.source
    return {
        "schema": SCHEMA_ID,
        "study": audit.study.name,
        "title": audit.title,
        "provenance": str(audit.study.info.provenance),
        "date": audit.date,
        "size": audit.size,
        "source": None if source is None else asdict(source) | {"notes": list(source.notes)},
        "software": dict(audit.versions),
        "files": [asdict(file) for file in audit.files],
        "sections": [_section(each) for each in audit.answers],
        "check": None if audit.check is None else _check(audit.check),
        "methods": list(audit.methods),
    }


def _section(answer: SectionAnswer) -> dict[str, Any]:
    return {
        "name": answer.section.name,
        "question": answer.section.question,
        "is_answered": answer.is_answered,
        "sentences": [] if not answer.is_answered else list(answer.sentences),
        "lacking": list(answer.lacking),
        "exhibits": [_exhibit(each) for each in answer.exhibits],
    }


def _exhibit(exhibit: Exhibit) -> dict[str, Any]:
    shown = exhibit.shown
    table = shown.table
    rows: Sequence[Mapping[str, Any]] = ()
    if table is not None:
        rows = table.result.rows if table.result is not None else table.records
    return {
        "view": exhibit.view.name,
        "title": exhibit.view.title,
        "keys": {name: list(texts) for name, texts in exhibit.keys.items()},
        "measures": list(shown.measures),
        "commands": list(shown.commands),
        "basis": list(shown.basis),
        "rows": [_plain(row) for row in rows],
    }


def _check(check: "Check") -> dict[str, Any]:
    return {
        "status": check.status,
        "exit_code": EXIT_CODES[check.status],
        "problem": check.problem,
        "results": [_plain(asdict(each)) for each in check.results],
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: numbers that are not finite are null."""
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner) for inner in value]
    if isinstance(value, bool) or value is None or isinstance(value, int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    return _plain(value.item()) if hasattr(value, "item") else str(value)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of `audit.json`."""
    text, texts = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    maybe_text = {"type": ["string", "null"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "audit.json, as spb audit writes it",
        "description": "Every question of an audit with its answer, and the numbers that it rests on.",
        "$comment": "a later version may add fields",
        **_object(
            {
                "schema": {"const": SCHEMA_ID},
                "study": text,
                "title": text,
                "provenance": text,
                "date": {"type": "string", "format": "date"},
                "size": {**text, "description": "questions, judges and verdicts, in words"},
                "source": {
                    "anyOf": [
                        _object({"name": text, "format": text, "sha256": maybe_text, "notes": texts}),
                        {"type": "null"},
                    ],
                    "description": "the file or folder that was imported; null for a stored study",
                },
                "software": {"type": "object", "additionalProperties": text},
                "files": {
                    "type": "array",
                    "items": _object({"name": text, "size": {"type": "integer"}, "sha256": text}),
                },
                "sections": {"type": "array", "items": _section_schema(text, texts)},
                "check": {
                    "anyOf": [_check_schema(text, maybe_text), {"type": "null"}],
                    "description": "the rule of a gate; null where none was given",
                },
                "methods": {**texts, "minItems": 2, "maxItems": 2},
            }
        ),
    }


def _section_schema(text: Mapping[str, Any], texts: Mapping[str, Any]) -> dict[str, Any]:
    exhibit = _object(
        {
            "view": text,
            "title": text,
            "keys": {"type": "object", "additionalProperties": texts},
            "measures": texts,
            "commands": {**texts, "description": "commands that print these rows"},
            "basis": texts,
            "rows": {
                "type": "array",
                "items": {"type": "object"},
                "description": "unrounded; null where undefined, with its code in `reasons` of a measure",
            },
        }
    )
    return _object(
        {
            "name": {"enum": [section.name for section in SECTIONS]},
            "question": text,
            "is_answered": {"type": "boolean"},
            "sentences": texts,
            "lacking": {**texts, "description": "why there is no answer, or not all, and what it needs"},
            "exhibits": {"type": "array", "items": exhibit},
        }
    )


def _check_schema(text: Mapping[str, Any], maybe_text: Mapping[str, Any]) -> dict[str, Any]:
    number = {"type": ["number", "null"]}
    result = _object(
        {
            "judge": text,
            "status": {"enum": list(EXIT_CODES)},
            "rule": text,
            "reason": text,
            **dict.fromkeys(("estimate", "low", "high"), number),
            "kind": text,
            **dict.fromkeys(("bound", "own_given", "own_expected"), number),
            "is_checked": {"type": "boolean"},
        }
    )
    return _object(
        {
            "status": {"enum": list(EXIT_CODES)},
            "exit_code": {"enum": list(EXIT_CODES.values())},
            "problem": maybe_text,
            "results": {"type": "array", "items": result},
        }
    )


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}
