"""The differences of an opened judge: own responses on which an outside judge's verdict differs."""

import pytest

import engine
from engine.views.differences import DIFFERENCES


@pytest.fixture(scope="module")
def study():
    return engine.open_study("results/demo-health")


def test_no_outside_judge_shares_the_overestimations_that_are_shown(study):
    shown = DIFFERENCES.shown(study, {"judge": ("dune-large",)})

    rows = shown.table.numbers
    assert rows
    assert {row["judge"] for row in rows} == {row["generator"] for row in rows} == {"dune-large"}
    assert all(row["verdict"] != row["verdict_beside"] == row["reference"] for row in rows)


def test_they_are_of_the_chosen_slice(study):
    keys = {"judge": ("dune-large",), "polarity": ("negative",)}

    every, negative = (DIFFERENCES.shown(study, texts) for texts in ({"judge": ("dune-large",)}, keys))

    n_every, n_negative = (len(each.table.rows) + each.table.n_more for each in (every, negative))
    assert 0 < n_negative < n_every


def test_a_judge_of_its_family_is_no_outside_judge(study):
    first = DIFFERENCES.shown(study, {"judge": ("dune-large",)})

    of_family = DIFFERENCES.shown(study, {"judge": ("dune-large",), "beside": ("judge:dune-mini",)})

    assert first.table.rows == of_family.table.rows
