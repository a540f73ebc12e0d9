"""What a plan adds to the study before anybody is asked: the pairs that it drew, and its templates' words.

With the words in the study, the prompt of each of its judgments can be put together again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine import schema
from engine.plan import Plan
from engine.runner.guard import collecting
from engine.store import Store, StudyFiles
from engine.store.collected import exchange_table

Rows = Sequence[Mapping[str, Any]]


def with_planned(store: Store, study: StudyFiles, plan: Plan) -> StudyFiles:
    """Add what is not there yet and return the study as it is then.

    Other writers are waited for, such as shards that begin the same stage.
    """
    with collecting(store, study.name):
        study = StudyFiles(study.location)
        wanted = {"pairs": plan.drawn, "templates": plan.template_rows()}
        missing = {name: rows for name, each in wanted.items() if (rows := _missing(study, name, each))}
        if not missing:
            return study
        tables = {name: exchange_table(name, rows) for name, rows in missing.items()}
        store.write(study.name, tables, study.info, mode="append")
        return StudyFiles(study.location)


def _missing(study: StudyFiles, table: str, rows: Rows) -> list[dict[str, Any]]:
    """Return the rows whose key the table does not hold, each key once."""
    if not rows:
        return []
    names = schema.TABLES[table].key
    held = {tuple(row.values()) for row in study.table(table, names).to_pylist()}
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        if key not in held:
            found.setdefault(key, dict(row))
    return list(found.values())
