"""Timings of one study in a process of its own: `python -m tests.benchmarks.probe WHAT FOLDER`.

It prints one JSON object: seconds on the clock and of the processor for each timing, counts, and
`peak_megabytes` of the whole process.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import engine
from engine.explore.judgment_detail import item
from engine.explore.judgment_page import rows
from engine.slices import Slice

from .timing import peak_megabytes

SLICES = 5
JUDGE, GENERATOR = "f1-1", "f2-1"


@dataclass(frozen=True)
class Taken:
    """Seconds on the clock, and of the processor."""

    clock: float
    processor: float


def opened(folder: str) -> dict[str, Any]:
    """Time opening the study and a first slice of all judgments."""
    return {"open": _taken(lambda: engine.open_study(folder).result("hspp", resamples=0))}


def ask_open_study(folder: str) -> dict[str, Any]:
    """Time an open study: slices, resamples, the instance level."""
    study = engine.open_study(folder)
    taken = {}
    for measure in ("hspp", "overestimation"):
        study.measure(measure, resamples=0)
        again = [
            _taken(lambda m=measure: study.measure(m, polarity="negative", resamples=0))
            for _ in range(SLICES)
        ]
        taken[measure] = Taken(
            statistics.median(one.clock for one in again), statistics.median(one.processor for one in again)
        )
    study.weights(1000, 0)
    for measure in ("hspp", "overestimation"):
        taken[f"{measure}, resamples"] = _taken(lambda m=measure: study.measure(m, polarity="negative"))
    for resamples in (0, 1000):
        taken[f"instance level, resamples={resamples}"] = _taken(
            lambda n=resamples: study.measure("hspp", level="instance", resamples=n)
        )
    return taken


def drilled(folder: str) -> dict[str, Any]:
    """Time reading the verdicts of one judge on one generator, and all verdicts on one of these items."""
    study = engine.open_study(folder)
    listing = rows(study, Slice(), judge=JUDGE, generator=GENERATOR, limit=100)
    keys = {name: listing.rows[0][name] for name in ("instance_id", "generator", "rubric_id", "opponent")}
    where = {"judge": (JUDGE,), "generator": (GENERATOR,)}
    groups = _row_groups_read()
    taken: dict[str, Any] = {
        "verdicts": _taken(lambda: study.files.judgments(["instance_id", "rubric_id", "met"], where))
    }
    taken["verdicts, row groups"] = len(groups)
    groups.clear()
    taken["item"] = _taken(lambda: item(study, listing.request, **keys))
    taken["item, row groups"] = len(groups)
    places = [study.files.location.child(part) for part in study.files.parts()]
    footers = (pq.read_metadata(place.path, filesystem=place.filesystem) for place in places)
    return taken | {"row groups": sum(footer.num_row_groups for footer in footers)}


def _row_groups_read() -> set[tuple[int, int]]:
    """Return a set that fills with each row group of judgments that is read from now on."""
    seen: set[tuple[int, int]] = set()
    read = pq.ParquetFile.read_row_groups

    def noted(file: pq.ParquetFile, groups: list[int], *given: Any, **named: Any) -> Any:
        if "judge" in file.schema_arrow.names:
            seen.update((id(file), group) for group in groups)
            opened_files.append(file)  # so that no other file gets its id
        return read(file, groups, *given, **named)

    opened_files: list[pq.ParquetFile] = []
    pq.ParquetFile.read_row_groups = noted
    return seen


def _taken(function: Callable[[], Any]) -> Taken:
    clock, processor = time.perf_counter(), time.process_time()
    function()
    return Taken(time.perf_counter() - clock, time.process_time() - processor)


if __name__ == "__main__":
    measured = {"opened": opened, "asked": ask_open_study, "drilled": drilled}[sys.argv[1]](sys.argv[2])
    numbers = {name: asdict(one) if isinstance(one, Taken) else one for name, one in measured.items()}
    numbers["peak_megabytes"] = peak_megabytes(Path("/proc/self/status").read_text())
    print(json.dumps(numbers))
