"""Lineages: models derived from one another, or from a common source."""

import numpy as np
import pyarrow as pa

from engine.arrays.index import lineages


def lineage(**parents: str | None) -> list[str | None]:
    table = pa.table({"model": list(parents), "distilled_from": pa.array(parents.values(), pa.string())})
    return lineages(table, "distilled_from").tolist()


def test_a_teacher_its_student_and_that_students_student_share_a_lineage() -> None:
    assert lineage(a=None, b="a", c="b", d=None) == ["a", "a", "a", None]


def test_students_of_a_teacher_outside_the_study_share_a_lineage() -> None:
    assert lineage(a="GPT-4", b="GPT-4", c="o3-mini") == ["GPT-4", "GPT-4", "o3-mini"]


def test_a_model_with_two_teachers_joins_their_lineages() -> None:
    assert lineage(a="x", b="y", c="x, y", d=None) == ["x", "x", "x", None]


def test_without_models_or_edges_there_is_no_lineage() -> None:
    assert lineages(pa.table({"model": pa.array([], pa.string()), "tuned_from": []}), "tuned_from").size == 0
    assert lineage(a=None, b=" , ") == [None, None]
    assert np.asarray(lineage(a="a")).tolist() == ["a"]
