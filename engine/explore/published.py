"""What papers printed about a study, to be set beside what is computed from it."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from engine.values import DATASETS as SHIPPED_DATASETS

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


FOLDER = SHIPPED_DATASETS / "published"
PAPER = "rubric-self-preference"
DATASETS = {"ifeval": "IFEval", "healthbench": "HealthBench"}
"""How the data sets of papers are written in a study, and at the head of a paper's columns."""


@dataclass(frozen=True)
class Printed:
    """One printed number: where it stands, its model in studies, and its text as printed."""

    paper: str
    table: str
    row: str
    column: str
    value: str
    model: str


@dataclass(frozen=True)
class Comparable:
    """A column of a paper, and the measure and field that compute it; `percent`: printed as percent.

    `complement`: what is printed is the rest to one of the field.
    """

    table: str
    column: str
    measure: str
    field: str
    level: str | None = None
    percent: bool = False
    complement: bool = False

    def recomputed(self, value: float, like: str) -> str:
        """Return a computed value as the paper would print it: with as many decimals."""
        result = 1 - value if self.complement else value
        return f"{100 * result if self.percent else result:.{len(like.partition('.')[2])}f}"


def comparables(dataset: str) -> tuple[Comparable, ...]:
    """Return the columns of rubric-self-preference that can be computed of a study of this data set.

    Its columns named family hold, recomputed, the ratio for the family with the judge itself (MEASURES 2).
    The second table is of IFEval only.
    """
    first = (
        Comparable("Table 1", f"{dataset} MRA", "accuracy", "mra"),
        Comparable("Table 1", f"{dataset} HSPP-Rub. (Self)", "hspp", "hspp_self"),
        Comparable("Table 1", f"{dataset} HSPP-Rub. (Fam.)", "hspp", "hspp_family_with_self"),
    )
    if dataset != "IFEval":
        return first
    who = (("Self", "l2w_share_self"), ("Other", "l2w_share_other"))
    return first + tuple(
        Comparable("Table 2", f"{name} {kind} (%)", "hspp", field, "instance", True, complement=kind == "l2t")
        for name, field in who
        for kind in ("l2w", "l2t")
    )


def committee(study: "StudyArrays") -> tuple[str, ...]:
    """Return the members of the paper's committee as its Table 3 names them, none for another study."""
    return () if dataset_of(study) is None else tuple(printed("Table 3", "Pairwise F1 (Bal.)"))


def dataset_of(study: "StudyArrays") -> str | None:
    """Return which of a paper's data sets a study holds, None where it is not the published study.

    It is where its judgments were imported and its models are all those of the paper. Which data set, its
    `study.json` says; where it does not, references by programs are IFEval's.
    """
    models = {fact.model for fact in facts() if fact.paper == PAPER}
    if study.info.provenance != "imported" or not models or not models <= set(study.index.models):
        return None
    words = " ".join(filter(None, (study.info.dataset, study.info.title, study.name))).lower()
    for written, dataset in DATASETS.items():
        if written in words:
            return dataset
    return "IFEval" if "program" in study.references.sources else None


@cache
def facts() -> tuple[Printed, ...]:
    """Return every printed number; none where the project was installed without its data."""
    return tuple(_read()) if FOLDER.is_dir() else ()


def printed(table: str, column: str) -> dict[str, str]:
    """Return the numbers of one column of rubric-self-preference as printed, by model."""
    place = (PAPER, table, column)
    return {fact.model: fact.value for fact in facts() if (fact.paper, fact.table, fact.column) == place}


def _read() -> Iterator[Printed]:
    model_of = {(row["paper"], row["row"]): row["model"] for row in _rows(FOLDER / "models.csv")}
    for path in sorted(FOLDER.glob("*.csv")):
        if path.name == "models.csv":
            continue
        for row in _rows(path):
            model = model_of.get((row["paper"], row["row"]))
            if model is not None:
                yield Printed(row["paper"], row["table"], row["row"], row["column"], row["value"], model)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
