"""The published study and the numbers printed in its paper, if they are available."""

import csv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT.parent / "shared" / "data" / "rubric-self-preference"
PRINTED = ROOT / "datasets" / "published"

needs_published_study = pytest.mark.skipif(
    not STUDY.exists(), reason="the published study is not part of the repository (../shared/data is absent)"
)


def printed(table: str, column: str) -> dict[str, str]:
    """Model -> the value as printed."""
    with (PRINTED / "models.csv").open(encoding="utf-8", newline="") as file:
        model_of = {row["row"]: row["model"] for row in csv.DictReader(file)}
    with (PRINTED / "rubric-self-preference.csv").open(encoding="utf-8", newline="") as file:
        return {
            model_of[row["row"]]: row["value"]
            for row in csv.DictReader(file)
            if row["table"] == table and row["column"] == column
        }


def as_printed(value: float, like: str) -> str:
    """The value with as many decimals as the printed one."""
    return f"{value:.{len(like.partition('.')[2])}f}"
