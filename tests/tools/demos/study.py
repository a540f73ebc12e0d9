"""Shared by the demonstration studies: their location, their runs of generators, and writing them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from engine.simulation.study_tables import Simulation
from engine.store import Store
from engine.store.study_files import Committee, StudyInfo

ROOT = Path(__file__).resolve().parents[3]


def with_generators(runs: pa.Table, run_id: str, models: Sequence[str]) -> pa.Table:
    """Return the table of runs with a row added for each model that wrote responses."""
    answered = {
        "run_id": [run_id] * len(models),
        "model": list(models),
        "role": ["generator"] * len(models),
        "provenance": ["simulated"] * len(models),
    }
    return pa.concat_tables([runs, pa.table(answered)], promote_options="default")


@dataclass(frozen=True)
class Demo:
    """A demonstration study; `build` returns its tables, and the drawn study behind them.

    The module that builds it and the folder of its texts are named like the study, with underscores.
    """

    name: str
    title: str
    notes: str
    build: Callable[[], tuple[Mapping[str, pa.Table], Simulation]]
    committees: Mapping[str, Committee] = field(default_factory=dict)

    def write(self, store: Store) -> None:
        """Build the study and write it into a store, replacing an older one."""
        tables, study = self.build()
        module = self.name.replace("-", "_")
        info = StudyInfo(
            name=self.name,
            title=self.title,
            dataset=module,
            provenance="simulated",
            committees=dict(self.committees),
            created_at="2025-01-01T00:00:00Z",  # the same texts give the same files
            licence="Apache-2.0",
            source=f"python -m tests.tools.demos.{self.name.removeprefix('demo-')}",
            notes=self.notes,
            truth=study.planted(),
        )
        store.write(self.name, tables, info, mode="replace" if self.name in store.studies() else "new")

    def main(self) -> None:
        """Write the study into the store given as argument, else into `results`."""
        self.write(Store(sys.argv[1] if len(sys.argv) > 1 else ROOT / "results"))
