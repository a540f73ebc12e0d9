"""Which pairs flip: hand arithmetic, and agreement with the counts of `ranking-distance`."""

import numpy as np
import pytest
from plain.builders import judge_rubrics, refer, study_of
from scipy import stats

import engine
from engine.measures.rankings.ranking_flips import _p_flip, _reversed_pairs


def test_each_reversed_pair_has_a_row_with_both_leads(ranked):
    rows = [row for row in ranked.result("ranking", rows="flips", resamples=100).rows if row["by"] == "J"]

    # J scores 1, A 1/2, B 0; the reference 0, 1/2 and 1: all three pairs are reversed, in every resample.
    leads = {(row["above"], row["below"]): (row["lead"], row["lead_reference"]) for row in rows}
    assert leads == {("J", "A"): (0.5, -0.5), ("J", "B"): (1.0, -1.0), ("A", "B"): (0.5, -0.5)}
    assert [row["itself"] for row in rows] == [True, True, False]
    assert {row["sure"] for row in rows} == {1.0}


def test_a_judge_that_ranks_like_the_reference_has_no_row(ranked):
    assert "B" not in {row["by"] for row in ranked.result("ranking", rows="flips", resamples=0).rows}


def test_without_resamples_the_certainty_of_a_flip_is_null(ranked):
    row = ranked.result("ranking", rows="flips", resamples=0).rows[0]

    assert (row["sure"], row["reasons"]["sure"]) == (None, "no_resamples")


def test_the_p_of_a_flip_is_that_of_the_less_certain_order(load):
    # J passes its own always and A's never; the reference fails J in 30 of 40, A in 14: leads of +1, and of
    # -1 in 20, 0 in 16 and +1 in 4 instances.
    plain = study_of(models="J:F A:G", rubrics=(1,), instances=40)
    gaps = [-1] * 20 + [0] * 16 + [1] * 4
    for i, gap in enumerate(gaps):
        for generator, met in (("J", "1"), ("A", "1" if i % 10 == 9 else "0")):
            judge_rubrics(plain, "J", generator, met, f"x{i}")
        refer(plain, "J", "1" if gap == 1 else "0", f"x{i}")
        refer(plain, "A", "1" if gap == -1 else "0", f"x{i}")

    row = next(r for r in load(plain).result("ranking", rows="flips", resamples=2000).rows if r["by"] == "J")

    assert row["lead_reference"] == pytest.approx(-16 / 40)
    expected = stats.ttest_1samp(gaps, 0, alternative="less").pvalue
    assert np.log(row["p_flip"]) == pytest.approx(np.log(expected), rel=0.1)
    # One pair in J's ranking, and the same in that of all judges; without J nobody scores its answers.
    assert row["p_flip_adjusted"] == pytest.approx(2 * row["p_flip"])


def test_without_a_flip_there_is_a_reason(load):
    plain = study_of(models="J:F A:G", rubrics=(1,), instances=3)
    for i in range(3):
        for generator, met in (("J", "1"), ("A", "0")):
            judge_rubrics(plain, "J", generator, met, f"x{i}")
            refer(plain, generator, met, f"x{i}")

    result = load(plain).result("ranking", rows="flips", resamples=0)

    assert (result.rows, result.reason) == ([], "no ranking reverses a pair of models")


def test_the_number_of_rows_equals_the_count_of_ranking_distance():
    study = engine.open_study("results/demo-health")
    rows = study.result("ranking", rows="flips", resamples=0).rows

    for distance in study.result("ranking-distance", resamples=0).rows:
        assert distance["flips"] == sum(row["by"] == distance["by"] for row in rows)


def test_the_gain_is_tau_less_that_of_all_judges():
    rows = engine.open_study("results/demo-health").result("ranking-distance", resamples=0).rows
    everyone = next(row for row in rows if row["by"] == "all")

    assert everyone["gain"] == 0
    for row in rows:
        assert row["gain"] == pytest.approx(row["tau"] - everyone["tau"])


def test_a_pair_is_reversed_by_more_than_rounding_and_those_scored_highest_come_first():
    scores, truths = np.array([0.5, 1.0, 0.75, np.nan]), np.array([1.0, 0.5, 0.75, 0.0])

    assert _reversed_pairs(scores, truths) == [(1, 2), (1, 0), (2, 0)]
    assert _reversed_pairs(np.array([1.0, 0.5]), np.array([0.5, 0.5])) == []
    assert _reversed_pairs(np.array([0.5 + 1e-12, 0.5]), np.array([0.0, 1.0])) == []
    assert _reversed_pairs(np.array([1.0, 0.5]), np.array([0.5, 0.5 + 1e-12])) == []


def lead(value, *draws):
    return np.array([value]), np.array([[draw] for draw in draws])


def test_the_p_of_a_reversal_is_students_t_of_the_less_certain_order():
    # Draws spread by 1 about each lead: t of 3 and of 2, with 9 degrees of freedom of 10 instances.
    sure, unsure = lead(3.0, 2.0, 4.0), lead(-2.0, -3.0, -1.0)

    assert _p_flip(sure, unsure, 10) == pytest.approx(stats.t.sf(2, 9))
    assert _p_flip(lead(1.0, 0.0, 2.0), unsure, 10) == pytest.approx(stats.t.sf(1, 9))
    assert _p_flip(sure, unsure, 1) == pytest.approx(stats.t.sf(2, 1))
    assert _p_flip(sure, unsure, 2) == pytest.approx(stats.t.sf(2, 1))


def test_without_resamples_or_a_spread_a_reversal_has_no_p():
    sure, alike = lead(3.0, 2.0, 4.0), lead(-2.0, -2.0, -2.0)

    assert np.isnan(_p_flip((np.array([3.0]), None), lead(-2.0, -3.0, -1.0), 10))
    assert np.isnan(_p_flip(sure, (np.array([-2.0]), None), 10))
    assert np.isnan(_p_flip(sure, alike, 10))


@pytest.mark.parametrize(("leads", "true_leads"), [((1, 0), (-1, -1)), ((1, 1), (-1, 0))])
def test_a_resample_in_which_either_ties_the_pair_does_not_reverse_it(load, leads, true_leads):
    plain = study_of(models="J:F A:G B:H", rubrics=(1,), instances=2)
    for i, (lead, true_lead) in enumerate(zip(leads, true_leads, strict=True)):
        for generator, met, true in (("A", "1", "0"), ("B", str(1 - lead), str(-true_lead))):
            judge_rubrics(plain, "J", generator, met, f"x{i}")
            refer(plain, generator, true, f"x{i}")

    rows = load(plain).result("ranking", rows="flips", resamples=2000).rows

    # One resample of two instances in four has the tied one twice.
    assert next(row for row in rows if row["by"] == "J")["sure"] == pytest.approx(3 / 4, abs=0.03)


def test_pairs_come_by_the_score_of_the_model_above_then_of_the_one_below():
    scores, truths = np.array([0.1, 0.5, 0.8, 0.9]), np.array([0.9, 0.5, 0.4, 0.6])

    assert _reversed_pairs(scores, truths) == [(3, 0), (2, 1), (2, 0), (1, 0)]


def test_from_one_question_no_reversal_is_sure(load):
    plain = study_of(models="J:F A:G", rubrics=(1,), instances=1)
    for generator, met, true in (("J", "1", "0"), ("A", "0", "1")):
        judge_rubrics(plain, "J", generator, met, "x0")
        refer(plain, generator, true, "x0")

    row = next(r for r in load(plain).result("ranking", rows="flips", resamples=50).rows if r["by"] == "J")

    assert (row["lead"], row["lead_reference"]) == (1, -1)
    names = ("sure", "p_flip", "p_flip_adjusted", "lead_low")
    assert {row["reasons"][name] for name in names} == {"one_instance"}
