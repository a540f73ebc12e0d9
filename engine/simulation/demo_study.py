"""What the demonstration studies have in common: where they lie, who answered, and how they are written."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from engine.store import Committee, Store, StudyInfo

ROOT = Path(__file__).resolve().parents[2]


def with_generators(runs: pa.Table, run_id: str, models: Sequence[str]) -> pa.Table:
    """Return the table of runs with a row for each model that wrote responses."""
    answered = {
        "run_id": [run_id] * len(models),
        "model": list(models),
        "role": ["generator"] * len(models),
        "provenance": ["simulated"] * len(models),
    }
    return pa.concat_tables([runs, pa.table(answered)], promote_options="default")


def write_study(
    store: Store,
    tables: Mapping[str, pa.Table],
    *,
    name: str,
    title: str,
    notes: str,
    truth: dict[str, Any],
    committees: dict[str, Committee] | None = None,
) -> None:
    """Write a demonstration study into a store, in the place of an older one of its name.

    The module that builds it and the folder of its texts are called as the study is, with underscores.
    """
    module = name.replace("-", "_")
    info = StudyInfo(
        name=name,
        title=title,
        dataset=module,
        provenance="simulated",
        committees=committees or {},
        created_at="2025-01-01T00:00:00Z",  # the same texts give the same files
        licence="Apache-2.0",
        source=f"python -m engine.simulation.{module}",
        notes=notes,
        truth=truth,
    )
    store.write(name, tables, info, mode="replace" if name in store.studies() else "new")
