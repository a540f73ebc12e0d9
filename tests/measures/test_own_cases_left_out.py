"""Own cases that no judge of another family judged are counted by the ratio, and said to be left out else."""

import pandas as pd
import pytest

import engine

MODELS = ("ada", "bo", "cy", "dee", "eli", "fay")


@pytest.fixture(scope="module")
def study():
    """Each judge passes every third failure; nobody else judged ada's own answer to q0."""
    rows = [
        {
            "judge": judge,
            "generator": writer,
            "instance_id": f"q{n}",
            "criterion": "right",
            "met": (n + len(judge) + len(writer)) % 3 == 0,
            "reference_met": n % 2 == 0,
        }
        for judge in MODELS
        for writer in MODELS
        for n in range(61)
        if judge == "ada" or writer != "ada" or n != 1
    ]
    return engine.from_frame(
        pd.DataFrame(rows), set={"reference_source": "human"}, families={name: name for name in MODELS}
    )


@pytest.mark.parametrize("measure", ["scorecard", "expected", "outside"])
def test_an_own_case_that_no_other_family_judged_is_said_to_be_left_out(study, measure):
    """Ada failed the 30 odd questions of 0 to 60; to q1 only ada has a verdict."""
    of_ada = {row["judge"]: row for row in study.result("hspp", resamples=0).rows}["ada"]
    result = study.result(measure, resamples=0) if measure != "scorecard" else study.result(measure)
    compared = {row["judge"]: row for row in result.rows}["ada"]

    assert (of_ada["n_self"], compared["n_own"]) == (30, 29)
    assert result.left_out["no_outside_verdict"] == 1


def test_nothing_is_said_where_all_own_cases_were_judged_by_others():
    health = engine.open_study("results/demo-health").result("scorecard")

    assert "no_outside_verdict" not in health.left_out
