"""Which places flip: hand arithmetic, and the counts of `ranking-distance` found again one by one."""

import pytest
from plain.builders import judge_rubrics, refer, study_of

import engine


def test_each_pair_turned_round_has_a_row_with_both_leads(ranked):
    rows = [row for row in ranked.result("ranking-flips", resamples=100).rows if row["by"] == "J"]

    # J scores 1, A 1/2, B 0; the reference 0, 1/2 and 1: all three pairs are turned round, in every resample.
    told = {(row["above"], row["below"]): (row["lead"], row["lead_reference"]) for row in rows}
    assert told == {("J", "A"): (0.5, -0.5), ("J", "B"): (1.0, -1.0), ("A", "B"): (0.5, -0.5)}
    assert [row["itself"] for row in rows] == [True, True, False]
    assert {row["sure"] for row in rows} == {1.0}


def test_a_judge_that_ranks_as_the_reference_does_has_no_row(ranked):
    assert "B" not in {row["by"] for row in ranked.result("ranking-flips", resamples=0).rows}


def test_without_resamples_nothing_is_said_of_how_sure_a_flip_is(ranked):
    row = ranked.result("ranking-flips", resamples=0).rows[0]

    assert (row["sure"], row["reasons"]["sure"]) == (None, "no_resamples")


def test_without_a_flip_there_is_a_reason(opened):
    plain = study_of(models="J:F A:G", rubrics=(1,), instances=3)
    for i in range(3):
        for generator, met in (("J", "1"), ("A", "0")):
            judge_rubrics(plain, "J", generator, met, f"x{i}")
            refer(plain, generator, met, f"x{i}")

    result = opened(plain).result("ranking-flips", resamples=0)

    assert (result.rows, result.reason) == ([], "no ranking turns a pair of models of the reference's round")


def test_the_rows_are_as_many_as_ranking_distance_counts():
    study = engine.open_study("results/demo-health")
    rows = study.result("ranking-flips", resamples=0).rows

    for told in study.result("ranking-distance", resamples=0).rows:
        assert told["flips"] == sum(row["by"] == told["by"] for row in rows)


def test_the_gain_is_the_tau_less_that_of_all_judges():
    rows = engine.open_study("results/demo-health").result("ranking-distance", resamples=0).rows
    everyone = next(row for row in rows if row["by"] == "all")

    assert everyone["gain"] == 0
    for row in rows:
        assert row["gain"] == pytest.approx(row["tau"] - everyone["tau"])
