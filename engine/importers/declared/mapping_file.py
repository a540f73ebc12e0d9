"""A table's mapping as a format of one's own: the TOML file that reads further tables of the same kind."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from engine.importers.declared.declared_rows import VERDICT
from engine.importers.declared.source_entries import is_path
from engine.importers.import_options import ImportOptions
from engine.importers.reading.rows import ImportStats
from engine.importers.tables.table import ImportedTable

_HEAD = "# How this table is read. Another of the same kind: spb import {name}.toml FILE\n"


def mapping_file(path: Path, options: ImportOptions, name: str) -> str | None:
    """Return the TOML of a format that reads a table as it is read with these options.

    What was guessed is written down too, so that the file says all. None where scores are written as 7/10,
    which such a file cannot say. Raises the errors of the table's import.
    """
    table = ImportedTable(path, options, ImportStats())
    next(table.rows(), None)
    plan = table.plan
    if plan.fractions:
        return None
    places = {our: place for our, place in plan.places.items() if our not in plan.constants}
    fields: dict[str, Any] = {our: _field(place) for our, place in places.items()}
    values = {our: dict(words) for our, words in plan.values.items() if our in places and words}
    if plan.verdict is not None:
        fields |= {plan.wide_names: plan.wide_names, plan.verdict: VERDICT}
        renamed = {column: name for column, name in plan.wide.items() if column != name}
        values |= {"judge": renamed} if renamed and plan.wide_names == "judge" else {}
        values |= {plan.verdict: dict(words)} if (words := plan.values.get(plan.verdict)) else {}
    content: dict[str, Any] = {"name": name, "title": f"Table like {path.name}"}
    rows = options.rows or table.inside
    content |= {"rows": rows} if rows else {}
    wide = "judges" if plan.wide_names == "judge" else "criteria"
    content |= {wide: list(plan.wide)} if plan.wide else {}
    content |= {"whole_ids": True} if options.whole_ids else {}
    content |= {"scales_truth": True} if plan.scales_truth else {}
    content["map"] = fields
    content |= {"set": dict(plan.constants)} if plan.constants else {}
    content |= {"value": values} if values else {}
    return _HEAD.format(name=name) + tomli_w.dumps(content)


def _field(place: str) -> str | Mapping[str, str]:
    """Return a field as a path; one whose name is none, such as `No.`, as the name that it is."""
    return place if is_path(place) else {"field": place}
