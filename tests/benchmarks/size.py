"""How time and memory grow with a study: 60 judges on 60 generators, 1, 10 and 100 million verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .report import measured_on, short
from .studies import sized, write_exchange
from .timing import run_probe, run_spb

SIZES = (1, 10, 100)
"""Millions of verdicts; the targets are for the last."""

Measured = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """One line of the report: its label, the name of the measured value, the unit and the target."""

    what: str
    name: str
    unit: str = ""
    target: float | None = None

    def value(self, measured: Measured) -> float:
        """Return the value in the line's unit; for a timing, that of the clock."""
        reading = measured[self.name]
        seconds = reading["clock"] if isinstance(reading, dict) else reading
        return float(seconds) * (1e3 if self.unit == "ms" else 1)

    def processor(self, measured: Measured) -> float | None:
        """Return the processor time in the line's unit; None if it was not measured."""
        reading = measured[self.name]
        return (
            float(reading["processor"]) * (1e3 if self.unit == "ms" else 1)
            if isinstance(reading, dict)
            else None
        )

    def shown(self, measured: Measured) -> str:
        """Return the value with its unit, and the processor time in brackets."""
        processor = self.processor(measured)
        value = f"{short(self.value(measured))} {self.unit}".rstrip()
        return value if processor is None else f"{value} ({short(processor)})"

    def verdict(self, measured: Measured) -> str:
        """Return the target and whether it is met; empty without a target."""
        if self.target is None:
            return ""
        return f"{self.target:,g} {self.unit}, {'met' if self.value(measured) <= self.target else 'missed'}"

    def exponent(self, sizes: Sequence[int], measurements: Sequence[Measured]) -> str:
        """Return the slope of the logarithms, of the processor time if it was measured."""
        if len(sizes) < 2:
            return ""
        values = [self.processor(one) or self.value(one) for one in measurements]
        return f"{np.polyfit(np.log(sizes), np.log(values), 1)[0]:.2f}"


LINES = (
    Line("import from Parquet", "import", "s"),
    Line("peak memory", "import, memory", "MB", 4000),
    Line("first opening and slice: everything is read and packed", "first", "s"),
    Line("peak memory", "first, memory", "MB"),
    Line("opening from the packed file and first slice, a new process", "open", "s", 2),
    Line("slice: `hspp`, polarity=negative", "hspp", "ms", 150),
    Line("slice: `overestimation`, polarity=negative", "overestimation", "ms", 150),
    Line("slice of `hspp` with 1,000 resamples", "hspp, resamples", "s", 5),
    Line("slice of `overestimation` with 1,000 resamples", "overestimation, resamples", "s", 5),
    Line("instance level: `hspp`, resamples=0", "instance level, resamples=0", "s", 5),
    Line("instance level: `hspp`, resamples=1000", "instance level, resamples=1000", "s", 5),
    Line("peak memory of the measuring process", "asked, memory", "MB"),
    Line("the rows of one judge on one generator", "verdicts", "s"),
    Line("row groups read for them", "verdicts, row groups"),
    Line("all verdicts on one rubric of a response", "item", "s"),
    Line("row groups read for it", "item, row groups"),
    Line("row groups in all", "row groups"),
)


def size_report(work: Path, sizes: Sequence[int], load: float) -> str:
    """Measure studies of these sizes and return a table with a column for each and the fitted exponent.

    An exponent of 1 means in proportion to the size, 0 independent of it. Targets are for the last size.
    """
    readings = [measure(work / f"{millions}-million", millions) for millions in sizes]
    heads = " | ".join(f"{millions:,} million" for millions in sizes)
    lines = [f"| what | {heads} | exponent | target |", f"|---|{'---:|' * len(sizes)}---:|---|"]
    for line in LINES:
        shown = " | ".join(line.shown(measured) for measured in readings)
        lines.append(
            f"| {line.what} | {shown} | {line.exponent(sizes, readings)} | {line.verdict(readings[-1])} |"
        )
    return "\n".join([*lines, "", measured_on(load)]) + "\n"


def measure(folder: Path, millions: int) -> Measured:
    """Measure one study, which is drawn unless the folder has it from an earlier run."""
    exchange, store = folder / "exchange", folder / "store"
    if not exchange.exists():
        write_exchange(sized(millions), exchange)
    taken = run_spb("import", "tidy", str(exchange), "--study", "s", "--store", str(store), "--replace")
    first, again, queries, drilled = (
        run_probe(what, store / "s") for what in ("opened", "opened", "asked", "drilled")
    )
    return {
        "import": taken.seconds,
        "import, memory": taken.peak_megabytes,
        "first": first["open"],
        "first, memory": first["peak_megabytes"],
        **again,
        **queries,
        "asked, memory": queries["peak_megabytes"],
        **drilled,
    }
