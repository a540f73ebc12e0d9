"""A simulated study put into a store."""

from typing import Any, Protocol

import pyarrow as pa

from engine.store import Store, StudyInfo

NOTES = "Simulated: no model was asked. What was planted stands under truth."


class Simulated(Protocol):
    """A study that was drawn, of rubrics, pairs or orders, short of its judgments."""

    @property
    def run_id(self) -> str:
        """The name of the one run that it consists of."""

    def tables(self) -> dict[str, pa.Table]:
        """Return every table but `judgments`."""

    def judgments(self) -> pa.RecordBatchReader:
        """Return the judgments as a stream."""

    def planted(self) -> dict[str, Any]:
        """Return what was planted, as JSON values."""


def write_simulated(
    store: Store, name: str, study: Simulated, *, title: str | None = None, replace: bool = False
) -> None:
    """Write a simulated study as `name`; the verdicts are drawn while they are written.

    An existing study is refused with UsageError unless `replace` is true.
    """
    info = StudyInfo(
        name=name,
        title=title or f"{name} (simulated)",
        provenance="simulated",
        source=study.run_id,
        notes=NOTES,
        truth=study.planted(),
    )
    batches = (pa.Table.from_batches([batch]) for batch in study.judgments())
    tables = {**study.tables(), "judgments": batches}
    store.write(name, tables, info, mode="replace" if replace else "new")
