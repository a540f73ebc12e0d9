"""The awkward studies are as awkward as promised, and lose no row."""

import random

import pytest

from plain.awkward import PARADIGMS, awkward_study
from plain.measures import overestimation
from plain.study import PlainStudy


@pytest.mark.parametrize("paradigm", PARADIGMS)
@pytest.mark.parametrize("seed", range(4))
def test_on_awkward_studies_every_row_is_counted_once_or_left_out(seed, paradigm):
    study = awkward_study(random.Random(seed))
    rows_in = [
        row
        for row in study.judgments
        if row["paradigm"] == paradigm
        and row["variant"] == "default"
        and row["transform"] == "none"
        and row["ordering"] in (None, "original")
    ]

    rows, left_out = overestimation(study, paradigm=paradigm)

    if paradigm in ("single_rubric", "all_rubrics"):
        counted = sum(row["n"] + row["under_n"] for row in rows)
        assert len(rows_in) == counted + sum(left_out.values())
    assert sum(left_out[status] for status in ("unparsed", "refused", "error")) == sum(
        row["status"] != "ok" for row in rows_in
    )
    assert all(row["over"] <= row["n"] and row["under"] <= row["under_n"] for row in rows)


def test_an_awkward_study_survives_a_round_trip(tmp_path):
    study = awkward_study(random.Random(11))

    study.write(tmp_path)

    assert PlainStudy.from_folder(tmp_path) == study


def test_awkward_studies_are_awkward_in_every_way_promised():
    study = awkward_study(random.Random(3), instances=7)
    rows = study.judgments

    assert {row["status"] for row in rows} == {"ok", "unparsed", "refused", "error"}
    assert {row["first"] for row in rows if row["paradigm"] == "pairwise"} == {
        "generator",
        "opponent",
        "unknown",
        None,
    }
    assert {row["choice"] for row in rows} >= {"generator", "opponent", "tie"}
    assert {row["trial"] for row in rows} == {0, 1, 2}
    assert len({row["run_id"] for row in rows}) == 2
    assert {"none", "plain style"} == {row["transform"] for row in rows}
    assert {(row["p_generator"] is None, row["p_tie"] is None) for row in rows} == {
        (True, True),
        (False, True),
        (False, False),
    }
    assert {row["met"] for row in study.references} == {True, False, None}
    assert any(row["points"] < 0 for row in study.rubrics)
    with_rubrics = {row["instance_id"] for row in study.rubrics}
    assert any(row["instance_id"] not in with_rubrics for row in study.instances)
