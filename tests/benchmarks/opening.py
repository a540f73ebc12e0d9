"""The time to import a study, to open it, and to run commands."""

import shutil
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import engine
from engine.simulation.study_tables import write_simulated
from engine.store import Store

from .studies import large, published_size, write_exchange
from .timing import Row, median_run, run_probe, run_spb


def import_rows(work: Path) -> Iterator[Row]:
    """Measure `spb import` of the large study."""
    write_exchange(large(), work / "exchange")
    taken = run_spb(
        "import", "tidy", str(work / "exchange"), "--study", "large", "--store", str(work / "store")
    )
    yield Row("import of 8.2 million verdicts, from Parquet", taken.seconds, "s")
    yield Row("peak memory of that import", taken.peak_megabytes, "MB", 2000)


def open_rows(work: Path) -> Iterator[Row]:
    """Time the first measure of the large study, which reads and packs it, and the next opening."""
    shutil.rmtree(work / "store" / ".packed", ignore_errors=True)  # of an earlier run
    start = time.perf_counter()
    engine.open_study(work / "store" / "large").measure("hspp", resamples=0)
    yield Row("first measure of 8.2 million verdicts after opening", time.perf_counter() - start, "s")
    again = statistics.median(
        run_probe("opened", work / "store" / "large")["open"]["clock"] for _ in range(3)
    )
    yield Row("opening from the packed file and first slice, a new process", again, "s", 0.5)


def command_rows(work: Path) -> Iterator[Row]:
    """Time commands in processes of their own, on a study of the size of the published one."""
    write_simulated(Store(work / "store"), "published-size", published_size(), replace=True)
    arguments = ("metrics", "hspp", "--study", "published-size", "--store", str(work / "store"))
    yield Row("`spb metrics hspp`, 12 x 12 x 834, a new process", median_run(5, *arguments), "s", 2)
    yield Row("`spb --help`, a new process", median_run(5, "--help"), "s", 0.5)
