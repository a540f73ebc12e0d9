"""Each judgment finds its rubric by the question and the rubric's id, whether questions share ids or not."""

from pathlib import Path

import pyarrow as pa
import pytest

from engine.arrays.index import StudyIndex
from engine.store import Store
from engine.store.study_files import StudyFiles, StudyInfo

QUESTIONS = [f"q{number:02}" for number in range(40)]
SHARED = [(question, rubric) for question in QUESTIONS for rubric in ("r0", "r1", "r2")]
OF_THEIR_OWN = [(question, f"{question}-{rubric}") for question in QUESTIONS for rubric in ("r0", "r1")]


@pytest.mark.parametrize("rubrics", [SHARED, OF_THEIR_OWN], ids=["shared ids", "ids of their own"])
def test_each_rubric_has_its_place_and_unknown_ones_none(
    tmp_path: Path, rubrics: list[tuple[str, str]]
) -> None:
    tables = {
        "models": pa.table({"model": ["a"], "family": ["a"]}),
        "instances": pa.table({"instance_id": QUESTIONS}),
        "rubrics": named(rubrics),
    }
    Store(tmp_path).write("s", tables, StudyInfo())
    index = StudyIndex.read(StudyFiles.at(str(tmp_path / "s")))
    unknown = [("q00", "no such id"), ("no such question", rubrics[0][1]), ("q01", OF_THEIR_OWN[0][1])]

    places = index.rubrics_of(named([*reversed(rubrics), *unknown]))

    assert places.tolist() == [*reversed(range(len(rubrics))), -1, -1, -1]


def named(rubrics: list[tuple[str, str]]) -> pa.Table:
    questions, names = zip(*rubrics, strict=True)
    return pa.table({"instance_id": questions, "rubric_id": names})
