"""What a plan adds to the study before any call: pairs drawn, responses changed, and its templates."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine import schema
from engine.collect.locks.study_locks import write_lock
from engine.collect.plan.stage_calls import Plan
from engine.store import Store
from engine.store.study_files import StudyFiles
from engine.store.writer import Rows, exchange_table


def store_plan(store: Store, study: StudyFiles, plan: Plan) -> StudyFiles:
    """Add what the study lacks, after other writers such as shards, and return the changed study."""
    with write_lock(store, study.name):
        study = StudyFiles(study.location)
        new = {"pairs": plan.pair_rows, "responses": plan.response_rows, "templates": plan.template_rows()}
        missing = {name: rows for name, each in new.items() if (rows := _missing_rows(study, name, each))}
        if not missing:
            return study
        tables = {name: exchange_table(name, rows) for name, rows in missing.items()}
        store.write(study.name, tables, study.info, mode="append")
        return StudyFiles(study.location)


def _missing_rows(study: StudyFiles, table: str, rows: Sequence[Mapping[str, Any]]) -> Rows:
    names = schema.TABLES[table].key
    keys = {tuple(row.values()) for row in study.table(table, names).to_pylist()} if rows else set()
    rows_by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        if key not in keys:
            rows_by_key.setdefault(key, dict(row))
    return list(rows_by_key.values())
