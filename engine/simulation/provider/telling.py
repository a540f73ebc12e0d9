"""What a study holds, told to an oracle before simulated judges are asked about it."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from engine.simulation.provider.oracle import Oracle
from engine.store import StudyFiles

SOURCES = ("program", "human")
"""The references that are the truth, the first before the second, and both before any other."""


def tell_study(oracle: Oracle, study: StudyFiles) -> None:
    """Tell whose response is whose, and what the study's references say of each.

    May be called again when the study holds more. Texts are not kept, only digests of them.
    """
    criteria = _criteria(study, oracle)
    verdicts = _verdicts(study, criteria)
    responses = study.table("responses", ["instance_id", "generator", "transform", "text"])
    for row in _rows(responses):
        if row["text"] is None:
            continue
        met = verdicts.get((row["instance_id"], row["generator"])) if row["transform"] == "none" else None
        oracle.tell(row["text"], row["generator"], met)


def _criteria(study: StudyFiles, oracle: Oracle) -> dict[tuple[str, str], str]:
    """Return each rubric's words by instance and rubric; the oracle hears which are undesirable."""
    found = {}
    for row in _rows(study.table("rubrics", ["instance_id", "rubric_id", "criterion", "points"])):
        if row["criterion"] is None:
            continue
        found[row["instance_id"], row["rubric_id"]] = row["criterion"]
        if row["points"] < 0:
            oracle.tell_undesirable(row["criterion"])
    return found


def _verdicts(
    study: StudyFiles, criteria: dict[tuple[str, str], str]
) -> dict[tuple[str, str], dict[str, bool]]:
    """Return by instance and generator which criteria, by their words, are met."""
    found: dict[tuple[str, str], dict[str, bool]] = {}
    columns = ["instance_id", "generator", "rubric_id", "source", "met"]
    rows = [row for row in _rows(study.table("references", columns)) if row["met"] is not None]
    for row in sorted(rows, key=lambda row: _rank(row["source"]), reverse=True):  # the best source is last
        criterion = criteria.get((row["instance_id"], row["rubric_id"]))
        if criterion is not None:
            found.setdefault((row["instance_id"], row["generator"]), {})[criterion] = row["met"]
    return found


def _rank(source: str) -> int:
    return SOURCES.index(source) if source in SOURCES else len(SOURCES)


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()
