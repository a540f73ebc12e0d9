"""What reports say besides numbers, in the words of both their forms."""

import shlex

from engine.findings import Method
from engine.measures.catalogue import Measure
from engine.report.content import Report
from engine.report.exhibit import Table
from engine.report.provenance import intervals

KEPT = ("dataset", "source", "licence", "created_at", "schema_version", "notes")
"""The fields of `study.json` that a report repeats."""

FACTS = "The study and the versions"
FILES = "The files of the study, with the SHA-256 of their bytes"
STATUSES = "Judgments stored; those that are not ok count as no verdict"
RULES = "Findings are made by the rules below, from the measures' numbers alone; no model writes them."
PLACE = "Where the study lies in the folder results, or in the folder that SPB_STORE names:"
EACH = "Each of these prints rows in which numbers of this report stand:"


def on_methods(report: Report) -> tuple[str, ...]:
    """Return how intervals and findings are made."""
    return intervals(dict(report.found.settings)), RULES


def method_of(method: Method) -> str:
    """Return how claims of a rule are made."""
    return f"{method.words} (rule {method.rule}, of {method.measure})"


def words_of(measure: Measure) -> tuple[str, ...]:
    """Return what a measure asks, how it is taken, what is left out and where it comes from."""
    return (
        measure.question,
        f"Formula: {measure.formula}.",
        f"Left out: {measure.left_out}.",
        f"From: {measure.paper}. Printed by spb metrics {measure.name}.",
    )


def facts(report: Report) -> Table:
    """Return what is known of the study, the rows of its tables, and the versions."""
    told = {"study": report.found.study, "provenance": str(report.info.provenance)}
    told |= {name: str(value) for name in KEPT if (value := getattr(report.info, name)) is not None}
    rows = ", ".join(f"{name} {count:,}" for name, count in report.rows.items())
    told |= {"rows": rows} | dict(report.versions)
    return Table(("What", "Is"), tuple((name.replace("_", " "), value) for name, value in told.items()))


def files(report: Report) -> Table:
    """Return the files of the study with their hashes."""
    return Table(
        ("File", "Bytes", "SHA-256"),
        tuple((file.name, f"{file.size:,}", file.sha256) for file in report.files),
    )


def statuses(report: Report) -> Table:
    """Return how many judgments came to which status."""
    return Table(
        ("Judge", "Way of judging", "Status", "Judgments"),
        tuple((judge, way, status, f"{n:,}") for judge, way, status, n in report.statuses),
    )


def first_steps(report: Report) -> tuple[str, ...]:
    """Return the commands that come before all others: the program, and a check of the study."""
    return (
        f"pip install spb-explorer=={report.versions['spb-explorer']}",
        f"spb validate --study {shlex.quote(report.found.study)}",
    )
