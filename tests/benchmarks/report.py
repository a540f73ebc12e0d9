"""The report: a Markdown table, and the machine it was measured on."""

import os
import platform
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path

from .timing import Row

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
PACKAGES = ("numpy", "pyarrow", "pandas", "polars", "duckdb", "scipy")


def report(rows: Sequence[Row], load: float) -> str:
    """Return the table with the machine, the versions and the load at the start."""
    lines = ["| what | measured | target | |", "|---|---:|---:|---|"]
    for row in rows:
        target = "" if row.target is None else f"{row.target:,g} {row.unit}"
        lines.append(f"| {row.what} | {short(row.value)} {row.unit} | {target} | {row.verdict} |")
    return "\n".join([*lines, "", measured_on(load)]) + "\n"


def measured_on(load: float) -> str:
    """Return the date, the machine, the versions and the load at the start."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    when = f"{date.today():%Y-%m-%d}; {_machine()}; load {load:.1f} when the run began."
    return f"{when}\nPython {platform.python_version()}, {versions}."


def put_into(page: Path, text: str) -> None:
    """Write the report between the page's two marks; ValueError if they are missing."""
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{page} has no place marked {BEGIN!r} to {END!r}")
    page.write_text(f"{before}{begin}\n{text}{end}{after}")


def _machine() -> str:
    model = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else ():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{os.cpu_count()} cores of {model}, {platform.system()}"


def short(value: float) -> str:
    """Return a number with three significant digits or, from 100 on, rounded to a whole number."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
