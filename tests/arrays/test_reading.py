"""Verdicts packed batch by batch equal verdicts packed all at once."""

from pathlib import Path

import pyarrow as pa
import pytest

from engine.arrays.judgment_rows import Selection
from engine.store import Store
from engine.store.study_files import StudyInfo
from engine.study import Study

# Judge a on the response of b: rubric r1 is met in two of three repeats, r2 in one of two, r3 in one of one.
# Its first repeats (the lowest trial) are: r1 not met, r2 met, r3 not met. Judge b repeats nothing.
REPEATS = [
    ("a", "r1", 1, True),
    ("a", "r2", 1, False),
    ("b", "r1", 0, True),
    ("a", "r1", 0, False),
    ("a", "r2", 0, True),
    ("a", "r1", 2, True),
    ("a", "r3", 0, False),
]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Write each verdict as a separate part, so that each is read in a separate batch."""
    store = Store(tmp_path)
    tables = {
        "models": pa.table({"model": ["a", "b", "c"], "family": ["a", "b", "c"]}),
        "instances": pa.table({"instance_id": ["i"]}),
        "rubrics": pa.table({"instance_id": ["i"] * 3, "rubric_id": ["r1", "r2", "r3"]}),
    }
    for number, (judge, rubric, trial, met) in enumerate(REPEATS):
        row = {
            "judge": judge,
            "paradigm": "single_rubric",
            "instance_id": "i",
            "generator": "b",
            "rubric_id": rubric,
            "trial": trial,
            "met": met,
        }
        tables["judgments"] = pa.Table.from_pylist([row])
        store.write("s", tables, StudyInfo(), mode="append" if number else "new")
    return Study.open(tmp_path / "s")


@pytest.mark.parametrize(
    ("repeats", "met", "ok", "left_out"),
    [
        # r1: 2 of 3 say met, three rows make one verdict; r2: 1 of 2, both are left out.
        ("majority", [True, False, False], [True, False, True], {0: 2, 1: 2}),
        # r1: two later ones are dropped; r2: one.
        ("first", [False, True, False], [True, True, True], {0: 2, 1: 1}),
    ],
)
def test_repeats_in_different_batches_are_merged_together(study, repeats, met, ok, left_out):
    cube = study.cube(Selection(paradigm="single_rubric", repeats=repeats))

    unpack = study.index.layout.unpack
    assert [study.index.models[place] for place in cube.judges] == ["a", "b"]
    assert [study.index.models[place] for place in cube.generators] == ["b"]
    assert unpack(cube.met)[0, 0].tolist() == met
    assert unpack(cube.ok)[0, 0].tolist() == ok
    assert unpack(cube.ok)[1, 0].tolist() == [True, False, False]
    assert dict(zip(cube.failures.place.tolist(), cube.failures.count.tolist(), strict=True)) == left_out
    assert set(cube.failures.code) == {"merged"}
    assert set(cube.failures.judge) == {0}


def test_a_selection_without_rows_gives_an_empty_cube(study):
    cube = study.cube(Selection(paradigm="all_rubrics"))

    assert cube.met.shape == (0, 0, study.index.layout.n_words)
    assert len(cube.failures.code) == 0
