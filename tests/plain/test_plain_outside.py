"""Judges compared with outside judges, by hand arithmetic."""

import math

import pytest
from scipy import stats

from plain.builders import compare, judge_rubrics, one, refer, study_of
from plain.conditional import Estimate, Placebo
from plain.outside import outside
from plain.pair_builders import rate
from plain.tastes import delete_one, p_of_assignments, rank_among, taste_spread, taste_variance


def row(study, judge="J", **options):
    return one(outside(study, **options)[0], judge=judge)


def four_judges():
    """J and K of one family, A and B of others; all responses fail all four rubrics."""
    study = study_of(rubrics=(1, 1, 1, 1))
    for generator in ("J", "K", "A", "B"):
        refer(study, generator, "0000")
    for judge, by_generator in {
        "J": {"J": "1110", "K": "1100", "A": "1100", "B": "1000"},
        "A": {"J": "1100", "K": "1000", "A": "1111", "B": "1000"},
        "B": {"J": "1000", "K": "1100", "A": "1010", "B": "1111"},
    }.items():
        for generator, mets in by_generator.items():
            judge_rubrics(study, judge, generator, mets)
    return study


def test_shares_are_means_over_the_outside_judges():
    fields = row(four_judges())

    # Against A: own .75 and .5; others only B's (A is of A's family): .25 and .25.
    # Against B: own .75 and .25; others only A's: .5 and .5.
    assert fields["own_judge"] == pytest.approx(0.75)
    assert fields["own_outside"] == pytest.approx((0.5 + 0.25) / 2)
    assert fields["other_judge"] == pytest.approx((0.25 + 0.5) / 2)
    assert fields["other_outside"] == pytest.approx((0.25 + 0.5) / 2)
    assert fields["ratio_outside"] == pytest.approx(2.0)
    assert fields["difference_outside"] == pytest.approx(0.375)
    assert (fields["n_own"], fields["n_other"], fields["n_outside"]) == (4, 8, 2)


def test_relatives_replace_the_own_response():
    fields = row(four_judges())

    # K's cells: J .5; A .25 and B .5. The others as before: (.5 / .375) / 1.
    assert fields["ratio_outside_family"] == pytest.approx(0.5 / 0.375)


def test_only_cells_judged_by_both_count():
    study = study_of(models="J:F A:G B:H C:I", rubrics=(1, 1))
    for generator in ("J", "B", "C"):
        refer(study, generator, "00")
    judge_rubrics(study, "J", "J", "11")
    judge_rubrics(study, "A", "J", "1u")
    for generator in ("B", "C"):
        judge_rubrics(study, "J", generator, "10")
    judge_rubrics(study, "A", "B", "11")

    fields = row(study)

    # Own: k0 alone, 1 and 1. Others: B alone (A never judged C), .5 and 1.
    assert [fields[name] for name in ("own_judge", "own_outside", "other_judge", "other_outside")] == [
        1,
        1,
        0.5,
        1,
    ]
    assert fields["ratio_outside"] == pytest.approx(2.0)
    assert (fields["n_own"], fields["n_other"], fields["n_outside"]) == (1, 2, 1)


def test_a_judge_without_outside_judges_has_a_row_with_the_reason():
    study = study_of(models="J:F K:F A:G", rubrics=(1,))
    for generator in ("J", "A"):
        refer(study, generator, "0")
        judge_rubrics(study, "J", generator, "1")
        judge_rubrics(study, "K", generator, "1")

    fields = row(study)

    assert fields["ratio_outside"] is None
    assert fields["reasons"]["ratio_outside"] == "no_outside_judge"
    assert fields["reasons"]["odds_self"] == "few_judges"
    assert fields["reasons"]["bonus_outside"] == "no_outside_judge"
    assert fields["reasons"]["vote_outside"] == "not_in_paradigm"


@pytest.mark.parametrize(
    ("own", "other", "reason"),
    [(("1", "0"), ("1", "1"), "zero_own_outside"), (("1", "1"), ("0", "1"), "zero_other_judge")],
)
def test_a_zero_denominator_leaves_only_the_difference(own, other, reason):
    study = study_of(models="J:F A:G B:H", rubrics=(1,))
    for generator, mets in (("J", own), ("B", other)):
        refer(study, generator, "0")
        judge_rubrics(study, "J", generator, mets[0])
        judge_rubrics(study, "A", generator, mets[1])

    fields = row(study)

    assert (fields["ratio_outside"], fields["reasons"]["ratio_outside"]) == (None, reason)
    assert fields["difference_outside"] == pytest.approx(1.0)


def test_failed_met_and_any_select_the_cells():
    study = four_judges()
    for stored in study.references:
        stored["met"] = stored["rubric_id"] in ("k0", "k1")

    assert row(study, truth="met")["n_own"] == 2
    assert row(study, truth="failed")["own_judge"] == pytest.approx(0.5)  # k2 and k3: 1 and 0
    assert row(study, truth="any")["own_judge"] == pytest.approx(0.75)


def test_without_a_reference_all_cells_count():
    study = four_judges()
    study.references.clear()

    assert row(study)["ratio_outside"] == pytest.approx(2.0)


def test_a_judge_filter_selects_rows_but_not_outside_judges():
    rows, _left_out = outside(four_judges(), judges="J")

    assert [each["judge"] for each in rows] == ["J"]
    assert rows[0]["n_outside"] == 2


def instances_of_three(own=(4, 1), others=(2, 3)):
    """J and A, each cell an instance: only J or only A favourable; C, a third judge, judges none of them."""
    study = study_of(models="J:F A:G C:I D:K", instances=sum(own) + sum(others) + 1)
    n = 0
    for generator, counts in (("J", own), ("D", others)):
        for mets, count in zip(("10", "01"), counts, strict=True):
            for _ in range(count):
                refer(study, generator, "0", f"x{n}")
                judge_rubrics(study, "J", generator, mets[0], f"x{n}")
                judge_rubrics(study, "A", generator, mets[1], f"x{n}")
                n += 1
    refer(study, "D", "0", f"x{n}")
    judge_rubrics(study, "C", "D", "1", f"x{n}")
    return study


def test_odds_have_students_interval_and_tastes_in_the_deciding_p():
    fields = row(instances_of_three())

    # As in the tests of the model: (4/1) / (2/3) = 6 with this se; five own instances leave 4 degrees.
    se = math.sqrt(0.9 * (1.953125 + 1.3020833333))
    assert fields["odds_self"] == pytest.approx(6.0)
    assert fields["odds_self_high"] == pytest.approx(6 * math.exp(stats.t.ppf(0.975, 4) * se))
    assert fields["odds_self_p"] == pytest.approx(2 * stats.t.sf(math.log(6) / se, 4))
    # Two judges of two families say anything in the model: .34 is assumed, times (1 + 1/1), as if known. Of
    # the degrees of freedom se^4 / 4 alone is in the denominator.
    assert (fields["taste_spread"], fields["tastes_assumed"]) == (0.34, True)
    wide = se**2 + (0.34 * 2) ** 2
    degrees = wide**2 / (se**4 / 4)
    p_tastes = 2 * stats.t.sf(math.log(6) / math.sqrt(wide), degrees)
    assert fields["odds_self_p_tastes"] == pytest.approx(p_tastes)
    assert fields["odds_shrunken"] == pytest.approx(6.0)  # nobody to be drawn to


def test_a_ratios_p_deletes_one_instance_at_a_time():
    fields = row(instances_of_three())

    # ln of (.8 / .2) / (.4 / .6) = ln 6. Without one of the four: (3/4)/(1/4) = 3 for 4; without the one:
    # none
    # of A's is left, so that there is no ratio, and no p.
    assert fields["ratio_outside"] == pytest.approx(6.0)
    assert fields["ratio_outside_p"] is None
    more = row(instances_of_three(own=(4, 2), others=(3, 3)))
    # ln 2; own without a J: ln 3/2, without an A: ln 4; others without one: ln (2 * 3/2) and ln (2 * 2/3).
    steps = [4 * math.log(3 / 4) ** 2, 2 * math.log(2) ** 2, 6 * math.log(3 / 2) ** 2]
    assert more["ratio_outside_se"] == pytest.approx(math.sqrt(sum(steps) * 11 / 12))


def assess(study, judge, generator, score, instance="x0"):
    study.add(
        "judgments",
        judge=judge,
        paradigm="direct_assessment",
        instance_id=instance,
        generator=generator,
        score=score,
    )


def test_points_need_no_reference():
    study = study_of(models="J:F A:G B:H", rubrics=(), instances=2)
    for instance, scores in {
        "x0": {"J": (0.9, 0.5, 0.7), "A": (0.4, 0.8, 0.5), "B": (0.6, 0.5, 0.9)},
        "x1": {"J": (0.8, 0.6, 0.8), "A": (0.4, 0.9, 0.2), "B": (0.7, 0.7, 1.0)},
    }.items():
        for generator, given in scores.items():
            for judge, score in zip(("J", "A", "B"), given, strict=True):
                assess(study, judge, generator, score, instance)

    fields = row(study)

    # Own: .9 - .6 = .3 and .8 - .7 = .1, mean .2. A against B: -.1 and .2, mean .05; B against A: .1 and 0,
    # mean
    # .05. 100 (.2 - .05) = 15. Without x0: .1 - (.2 + 0)/2 = 0; without x1: .3 - 0 = 30: se = 15, 1 degree.
    assert fields["bonus_outside"] == pytest.approx(15.0)
    assert fields["bonus_outside_p"] == pytest.approx(2 * stats.t.sf(1, 1))
    assert fields["bonus_outside_p_tastes"] is None  # three judges do not tell tastes
    assert (fields["n_own"], fields["n_outside"], fields["placebo_of"]) == (2, 2, 1)  # no third outside
    assert fields["reasons"]["odds_self"] == "not_in_paradigm"


def test_rubric_verdicts_have_points_of_complete_responses():
    fields = row(four_judges())

    # Own .75 less (.5 + .25)/2 = .375; others: A's .5 less B's .5 = 0, B's .25 less A's .25 = 0.
    assert fields["bonus_outside"] == pytest.approx(37.5)


def test_relatives_of_a_generator_are_not_outside_judges_of_its_responses():
    study = study_of(models="J:F A:G A2:G B:H", rubrics=())
    for generator, scores in {
        "J": {"J": 0.5, "A": 0.5},
        "A": {"J": 0.5, "A": 1, "A2": 1},
        "B": {"J": 0.4, "A2": 0.2},
    }.items():
        for judge, score in scores.items():
            assess(study, judge, generator, score)

    # A's response has no outside judge (A and A2 are kin): B's alone stands against J's own 0.
    assert row(study)["bonus_outside"] == pytest.approx(-20.0)


def score_rubric(study, judge, generator, score, ordering="1-2-3-4-5"):
    study.add(
        "judgments",
        judge=judge,
        paradigm="score_rubric",
        instance_id="x0",
        generator=generator,
        rubric_id="k0",
        ordering=ordering,
        score=score,
    )


def test_score_rubrics_count_as_fractions_of_their_scale():
    study = study_of(models="J:F A:G B:H")
    for judge, generator, score in (("J", "J", 5), ("A", "J", 3), ("J", "B", 2), ("A", "B", 1)):
        score_rubric(study, judge, generator, score)
        score_rubric(study, judge, generator, score, "5-4-3-2-1")

    assert row(study)["bonus_outside"] == pytest.approx(100 * (2 / 4 - 1 / 4))


def pairs_study():
    """J's response against A's, B's and K's, judged by J and outside judges."""
    study = study_of(models="J:F K:F A:G B:H C:I", instances=2)
    for judge, opponent, choice, instance in (
        ("J", "A", "generator", "x0"),
        ("B", "A", "opponent", "x0"),
        ("C", "A", "tie", "x0"),
        ("J", "B", "tie", "x1"),
        ("A", "B", "generator", "x1"),
        ("K", "A", "opponent", "x0"),
        ("J", "K", "generator", "x1"),
        ("C", "K", "opponent", "x1"),
        ("A", "A", None, None),
    ):
        if choice is not None:
            compare(study, judge, "J", opponent, None, choice, instance)
    return study


def test_votes_are_compared_with_the_mean_outcome_of_outside_judges():
    fields = row(pairs_study())

    # x0 against A: 1 less (0 + .5)/2 (K is kin); x1 against B: .5 less 1; K is no opponent.
    assert fields["vote_outside"] == pytest.approx((0.75 - 0.5) / 2)
    assert (fields["n_own"], fields["n_outside"]) == (2, 3)
    # With relatives as opponents: 1 less C's 0 beside.
    assert row(pairs_study(), opponents="all")["vote_outside"] == pytest.approx((0.75 - 0.5 + 1) / 3)


@pytest.mark.parametrize(("kind", "expected"), [("lost", 0.75), ("won", -0.5), ("tied", None)])
def test_the_gold_vote_selects_the_pairs(kind, expected):
    study = pairs_study()
    for opponent, outcome, instance in (("A", -1, "x0"), ("B", 1, "x1")):
        study.add(
            "preferences",
            instance_id=instance,
            generator="J",
            opponent=opponent,
            source="gold",
            outcome=outcome,
        )

    fields = row(study, pairs=kind)

    assert fields["vote_outside"] == (None if expected is None else pytest.approx(expected))
    if expected is None:
        assert fields["reasons"]["vote_outside"] == "no_common_pairs"


def test_equal_quality_selects_the_pairs():
    study = pairs_study()
    study.add("models", model="R", family="Q")
    rate(study, "R", {"J": 6, "A": 6.25, "K": 6}, "x0")
    rate(study, "R", {"J": 6, "B": 7, "K": 6}, "x1")

    assert row(study, pairs="equal")["vote_outside"] == pytest.approx(0.75)


def test_tastes_are_the_spread_of_placebos_beyond_chance():
    placebos = [Placebo("J", "A", 1.0, 0.5), Placebo("J", "B", -1.0, 0.5), Placebo("A", "J", 0.0, 1.0)]

    # (4 + 4 + 0 - 3) / ((1 - 1/5)^2 (4 + 4 + 1)) = 5 / 5.76.
    assert taste_spread(placebos, 5) == pytest.approx(math.sqrt(5 / 5.76))
    assert taste_spread(placebos[2:], 5) == 0.0
    assert taste_spread([], 5) is None
    assert taste_variance(0.4, 5) == pytest.approx(0.16 * 1.25**2)


def test_an_equal_placebo_does_not_exceed_the_number():
    assert rank_among(1.0, [2.0, 1.0, 0.0]) == (2, 4)
    assert rank_among(None, [1.0]) == (None, None)


def test_few_assignments_are_all_counted():
    # Sums 0+0, 0+3, 2+0, 2+3 against 1 + 1: three of four reach 2.
    assert p_of_assignments([1.0, 1.0], [[0.0, 2.0], [0.0, 3.0]]) == pytest.approx(0.75)
    assert p_of_assignments([1.0], [[]]) is None


def test_the_delete_one_error_of_a_mean_is_its_standard_error():
    values = {"a": 1.0, "b": 2.0, "c": 6.0}

    estimate = delete_one(
        lambda gone: sum(v for x, v in values.items() if x != gone) / (3 - (gone is not None)), values, values
    )

    # The jackknife of a mean is s / sqrt(n): s^2 = (4 + 1 + 9) / 2 = 7.
    assert estimate.se == pytest.approx(math.sqrt(7 / 3))
    assert (estimate.value, estimate.df) == (3.0, 2)


def test_a_number_undefined_after_a_deletion_has_no_error():
    estimate = delete_one(lambda gone: None if gone == "a" else 1.0, "ab", "ab")

    assert estimate == Estimate(1.0, None, 1, "few_clusters")


def test_placebos_leave_out_relatives_of_both():
    study = study_of(models="J:F A:G A2:G B:H C:I", rubrics=())
    for generator, scores in {
        "J": {"J": 0.5, "A": 0.5},
        "A": {"J": 0.9, "B": 0.5, "A2": 0.1},
        "A2": {"J": 0.9, "B": 0.1},
        "B": {"J": 0.4, "C": 0.2, "A": 0.0},
        "C": {"J": 0.5, "B": 0.4},
    }.items():
        for judge, score in scores.items():
            assess(study, judge, generator, score)

    fields = row(study)

    # True: 0 less the mean of A's .4 (B alone is outside of J and A), A2's .8, B's .4 - .1 = .3 and C's .1:
    # -.4.
    assert fields["bonus_outside"] == pytest.approx(-40.0)
    # With A in the place of J's own, A2 is left out: .4 less the mean of B's .2 (A is kin now) and C's .1:
    # .25.
    # A2: .8 - .15 = .65. B: .3 less the mean of A's and A2's (none outside without B) and C's (none):
    # undefined.
    # C: .1 less the mean of .4, .8 and B's .4 (A alone, C being kin): -.433.
    assert (fields["placebo_rank"], fields["placebo_of"]) == (3, 4)
