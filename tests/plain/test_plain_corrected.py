"""Scores corrected for the judges' errors, by hand arithmetic."""

import math

import pytest
from scipy import stats

from plain.builders import judge_rubrics, one, refer, study_of
from plain.corrected import Rates, corrected, prediction_powered, ranks, rate_pair, rogan_gladen


@pytest.mark.parametrize(
    ("share", "rates", "expected"),
    [
        (0.5, Rates(0.9, 0.3), 1 / 3),  # (.5 - .3) / (.9 - .3)
        (0.2, Rates(0.9, 0.3), 0.0),  # clipped
        (0.95, Rates(0.9, 0.3), 1.0),
        (0.5, Rates(0.4, 0.4), None),
        (0.5, Rates(0.3, 0.4), None),
        (0.5, Rates(None, 0.4), None),
    ],
)
def test_rogan_gladen_undoes_the_rates(share, rates, expected):
    estimate = rogan_gladen(share, rates)

    assert estimate == (None if expected is None else pytest.approx(expected))


def test_rates_are_shares_of_met_and_of_failed_cells():
    rates = rate_pair([(True, True), (False, True), (True, False), (False, False), (False, False)])

    assert rates == Rates(pytest.approx(1 / 2), pytest.approx(1 / 3))


def test_a_prediction_powered_mean_uses_the_judge_as_far_as_it_is_informative():
    estimate = prediction_powered([0.6, 0.8, 1.0, 0.8], [0.9, 0.7, 0.5], [0.6, 0.6, 0.3])

    # cov (.02 + 0 + .04)/3 = .02, variance of all seven .0295238: lambda = .02 / (1.75 * .0295238) = .387097.
    # .5 + lambda (.8 - .7). Rectifiers .251613, .329032, .106452: variance .012768, over 3 and times 2/1
    # .008512; lambda^2 * .026667/4 = .000999.
    assert estimate.tuning == pytest.approx(0.387097, abs=1e-6)
    assert estimate.value == pytest.approx(0.5387097, abs=1e-6)
    assert estimate.se == pytest.approx(math.sqrt(0.009511), abs=1e-5)
    assert estimate.df == pytest.approx(0.009511**2 / (0.008512**2 / 1 + 0.000999**2 / 3), rel=1e-3)


@pytest.mark.parametrize(
    ("truths", "judged", "alone", "expected"),
    [
        (
            [0.2, 0.5, 0.9, 0.4, 0.6, 1.0],
            [0.4, 0.6, 1.0, 0.5, 0.9, 1.0],
            [0.5, 0.7, 0.9, 0.8, 0.3, 0.6, 1.0, 0.7],
            0.5695983,
        ),
        (
            [0.1, 0.3, 0.5, 0.2, 0.6, 0.4],
            [0.2, 0.2, 0.6, 0.1, 0.5, 0.6],
            [0.3, 0.1, 0.4, 0.6, 0.2, 0.5, 0.3, 0.4],
            0.34192251,
        ),
    ],
)
def test_the_value_equals_that_of_the_authors_package(truths, judged, alone, expected):
    # ppi-python 0.2.3, ppi_mean_pointestimate; not a test dependency, as it takes 500 MB.
    assert prediction_powered(alone, judged, truths).value == pytest.approx(expected, abs=1e-8)


def test_a_judge_that_says_the_opposite_is_ignored():
    estimate = prediction_powered([0.6, 0.8], [0.9, 0.7, 0.5], [0.1, 0.2, 0.6])

    assert (estimate.tuning, estimate.value) == (0.0, pytest.approx(0.3))


def test_two_labels_give_no_score():
    assert prediction_powered([0.6, 0.8], [0.9, 0.8], [0.6, 0.7]).value is None
    assert prediction_powered([0.6, 0.8], [], []).interval() == (None, None)


def test_equal_scores_share_their_rank():
    assert ranks({"A": 0.5, "B": 0.7, "C": 0.5}) == {"A": 2.5, "B": 1.0, "C": 2.5}


def half_labelled(copies=10):
    """J judges itself, K of its family and A on four labelled and four other instances, `copies` times."""
    study = study_of("J:F K:F A:G", instances=8 * copies)
    for generator, true, judged in (
        ("J", "1100", "1110" + "1110"),  # passes 2 of 2 met, 1 of 2 failed
        ("K", "1000", "1000" + "1100"),  # 1 of 1, 0 of 3
        ("A", "1110", "1101" + "1000"),  # 2 of 3, 1 of 1
    ):
        for copy in range(copies):
            for n, met in enumerate(judged):
                judge_rubrics(study, "J", generator, met, f"x{8 * copy + n}")
                if n < 4:
                    refer(study, generator, true[n], f"x{8 * copy + n}")
    return study


def test_own_relatives_and_others_have_separate_rates():
    rows = corrected(half_labelled(), method="rogan_gladen")

    # J: .75 with rates 1 and 1/2 is .5; K: .5 with 1 and 0 stays .5; A: rates 2/3 and 1 are uninformative.
    assert [row["score"] for row in rows] == [pytest.approx(0.5), pytest.approx(0.5), None]
    assert [(row["n_labelled"], row["n_unlabelled"]) for row in rows] == [(40, 40)] * 3
    assert [row["rank"] for row in rows] == [1.5, 1.5, None]


def test_rates_from_few_instances_are_not_surely_different():
    rows = corrected(half_labelled(copies=1), method="rogan_gladen")

    # J: without one of its two failures the gap is 0 or 1, so that its error is .5 or so.
    assert one(rows, model="J")["score"] is None


def test_one_pair_of_rates_for_all_is_what_other_tools_assume():
    rows = corrected(half_labelled(), method="rogan_gladen", rates="one")

    # Over all: met 5 of 6, failed 2 of 6. A: .25 is below 1/3, so 0. J: (.75 - 1/3) / .5 = .8333.
    assert one(rows, model="A")["score"] == pytest.approx(0)
    assert one(rows, model="J")["score"] == pytest.approx(5 / 6)


def test_prediction_powered_rows_rank_the_generators_with_intervals():
    rows = corrected(half_labelled())

    # J: as much is judged favourable on either half, so the labels' .5. K: cov .1875, variance of all
    # .234375 * 80/79: lambda = .395, .25 + .395 (.5 - .25). A: cov .5 - .5625 < 0, so the labels' .75.
    assert [row["score"] for row in rows] == [pytest.approx(s) for s in (0.5, 0.34875, 0.75)]
    assert [row["rank"] for row in rows] == [2, 3, 1]
    assert one(rows, model="J")["uncorrected"] == pytest.approx(6 / 8)
    assert all(row["score_low"] < row["score"] < row["score_high"] for row in rows)


def test_if_a_generator_has_no_labels_no_instance_is_labelled():
    study = half_labelled(copies=1)
    study.references = [row for row in study.references if row["generator"] != "A"]

    row = one(corrected(study), model="A")

    assert (row["score"], row["rank"], row["n_labelled"], row["n_unlabelled"]) == (None, None, 0, 8)
    assert row["uncorrected"] == pytest.approx(4 / 8)


def test_if_everything_is_labelled_only_the_reference_counts():
    study = half_labelled(copies=1)
    for generator in ("J", "K", "A"):
        for n in range(4, 8):
            refer(study, generator, "1", f"x{n}")

    row = one(corrected(study), model="K")

    assert (row["score"], row["n_unlabelled"]) == (pytest.approx(5 / 8), 0)
    # s^2 / n = 8/7 * 5/8 * 3/8 / 8.
    assert row["score_high"] == pytest.approx(5 / 8 + stats.t.ppf(0.975, 7) * math.sqrt(15 / 64 / 7))
    assert one(corrected(study, method="rogan_gladen"), model="K")["score"] is None
