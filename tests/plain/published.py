"""The published study and the numbers printed in its paper, if they are available."""

import csv
from functools import cache
from pathlib import Path

import pytest

from plain.asking import Query, ask
from plain.measures import hspp_of
from plain.study import PlainStudy, Row

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT.parent / "shared" / "data" / "rubric-self-preference"
PRINTED = ROOT / "datasets" / "published"

needs_published_study = pytest.mark.skipif(
    not STUDY.exists(), reason="the published study is not part of the repository (../shared/data is absent)"
)


@cache
def published_study() -> PlainStudy:
    return PlainStudy.from_folder(STUDY)


@cache
def published_question() -> Query:
    """The default options, computed once for all printed numbers."""
    return ask(published_study())


@cache
def published_ratios() -> list[Row]:
    """The rows of `hspp`, the means last."""
    return hspp_of(published_question())[0]


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
