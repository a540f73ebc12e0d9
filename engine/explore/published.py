"""Numbers printed in papers about a study, to compare with the computed ones."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from engine.shipped_files import DATASETS as SHIPPED_DATASETS

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


FOLDER = SHIPPED_DATASETS / "published"
PAPER = "rubric-self-preference"
DATASETS = {"ifeval": "IFEval", "healthbench": "HealthBench"}
"""The data sets of papers: their names in studies, and in the heads of a paper's columns."""


@dataclass(frozen=True)
class Fact:
    """Where one number is printed, and its model in studies."""

    paper: str
    table: str
    column: str
    model: str


def committee(study: "StudyArrays") -> tuple[str, ...]:
    """Return the members of the paper's committee by its Table 3; empty for another study."""
    if dataset_of(study) is None:
        return ()
    column = (PAPER, "Table 3", "Pairwise F1 (Bal.)")
    return tuple(fact.model for fact in facts() if (fact.paper, fact.table, fact.column) == column)


def dataset_of(study: "StudyArrays") -> str | None:
    """Return the paper's data set that a study holds; None if it is not the published study.

    It is the published study if its judgments were imported and it has all models of the paper. Its
    `study.json` names the data set; otherwise references by programs mean IFEval.
    """
    models = {fact.model for fact in facts() if fact.paper == PAPER}
    if study.info.provenance != "imported" or not models or not models <= set(study.index.models):
        return None
    words = " ".join(filter(None, (study.info.dataset, study.info.title, study.name))).lower()
    for name, dataset in DATASETS.items():
        if name in words:
            return dataset
    return "IFEval" if "program" in study.references.sources else None


@cache
def facts() -> tuple[Fact, ...]:
    """Return every printed number; empty if the project was installed without its data."""
    return tuple(_read()) if FOLDER.is_dir() else ()


def printed_cells(paper: str) -> list[dict[str, str]]:
    """Return a paper's printed numbers as stored: table, row, column, value; empty without its data."""
    path = FOLDER / f"{paper}.csv"
    return _rows(path) if path.is_file() else []


def model_names(paper: str) -> dict[str, str]:
    """Return the models in studies by the paper's names of rows, or of models in them."""
    path = FOLDER / "models.csv"
    rows = _rows(path) if path.is_file() else []
    return {row["row"]: row["model"] for row in rows if row["paper"] == paper}


def _read() -> Iterator[Fact]:
    model_of = {(row["paper"], row["row"]): row["model"] for row in _rows(FOLDER / "models.csv")}
    for path in sorted(FOLDER.glob("*.csv")):
        if path.name == "models.csv":
            continue
        for row in _rows(path):
            model = model_of.get((row["paper"], row["row"]))
            if model is not None:
                yield Fact(row["paper"], row["table"], row["column"], model)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
