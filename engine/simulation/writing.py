"""A simulated study put into a store."""

from collections.abc import Mapping

import pyarrow as pa

from engine.simulation.rows import run_id
from engine.simulation.study import SimulatedStudy
from engine.store import Committee, Store, StudyInfo

NOTES = "Simulated: no model was asked. What was planted stands under truth."


def write_simulated(
    store: Store, name: str, study: SimulatedStudy, *, title: str | None = None, replace: bool = False
) -> None:
    """Write a simulated study as `name`; the verdicts are drawn while they are written.

    An existing study is refused with UsageError unless `replace` is true.
    """
    info = StudyInfo(
        name=name,
        title=title or f"{name} (simulated)",
        provenance="simulated",
        notes=NOTES,
        source=run_id(study.design),
        truth=study.planted(),
    )
    batches = (pa.Table.from_batches([batch]) for batch in study.judgments())
    tables = {**study.tables(), "judgments": batches}
    store.write(name, tables, info, mode="replace" if replace else "new")


def write_tables(
    store: Store,
    name: str,
    tables: Mapping[str, pa.Table],
    info: StudyInfo,
) -> None:
    """Write tables that were drawn already, in the place of any study of that name."""
    store.write(name, dict(tables), info, mode="replace")


__all__ = ["Committee", "write_simulated", "write_tables"]
