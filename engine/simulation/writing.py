"""A simulated study put into a store."""

import pyarrow as pa

from engine.simulation.rows import run_id
from engine.simulation.study import SimulatedStudy
from engine.store import Store, StudyInfo

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
        source=run_id(study.design),
        notes=NOTES,
        truth=study.planted(),
    )
    batches = (pa.Table.from_batches([batch]) for batch in study.judgments())
    tables = {**study.tables(), "judgments": batches}
    store.write(name, tables, info, mode="replace" if replace else "new")
