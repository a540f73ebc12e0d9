"""Agreement of sources, and section 13's arithmetic, by hand."""

import pytest

from plain.resampling import benjamini_hochberg, bootstrap_interval, p_value
from plain.sources import human_ceiling, reference_agreement
from plain.study import PlainStudy


def study_of(instances=4):
    """Models A, B, C; instances x0, x1, ... with one rubric k."""
    study = PlainStudy()
    for model in "ABC":
        study.add("models", model=model, family=model)
    for i in range(instances):
        study.add("instances", instance_id=f"x{i}")
        study.add("rubrics", instance_id=f"x{i}", rubric_id="k")
    return study


def refer(study, source, mets, scores=None):
    """A source's verdicts on A's responses, instance by instance, `-` for none; or its scores."""
    for i, met in enumerate(mets):
        if met != "-":
            study.add(
                "references",
                instance_id=f"x{i}",
                generator="A",
                rubric_id="k",
                source=source,
                met=None if scores else met == "1",
                score=scores[i] if scores else None,
            )


def test_kappa_and_balanced_f1_of_two_sources_of_verdicts():
    study = study_of()
    refer(study, "program", "1100")
    refer(study, "program:loose", "1110")

    rows, _left_out = reference_agreement(study, "program", "program:loose")

    row = rows[0]
    assert (row["kind"], row["n"], row["agreement"]) == ("verdict", 4, 0.75)
    assert row["kappa"] == pytest.approx(0.5)  # expected 1/2 * 3/4 + 1/2 * 1/4 = 1/2
    assert row["balanced_f1"] == pytest.approx((4 / 5 + 2 / 3) / 2)  # met 2*2/(2+3), not met 2*1/(2+1)
    assert (row["win_rate_a"], row["win_rate_b"]) == (0.5, 0.75)


def test_balanced_f1_against_people_counts_every_person():
    study = study_of(instances=2)
    refer(study, "program", "10")
    for person, mets in (("human:a", "10"), ("human:b", "11"), ("human:c", "0-")):
        refer(study, person, mets)

    rows, _left_out = reference_agreement(study, "program", "human")
    ceiling = human_ceiling(study)

    # The people's majority: met on x0, tied on x1.
    assert (rows[0]["n"], rows[0]["agreement"]) == (1, 1.0)
    # Pairs (program, person): x0 11 11 10, x1 00 01. Met: 2*2/(3+3); not met: 2*1/(2+2).
    assert rows[0]["balanced_f1"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    # a against the others: x0 1 against {1, 0}, a tie; x1 0 against {1}. c: x0 0 against {1, 1}.
    assert [(row["a"], row["n"], row["agreement"]) for row in ceiling] == [
        ("human:a", 1, 0.0),
        ("human:b", 1, 0.0),
        ("human:c", 1, 0.0),
    ]


def test_outcomes_take_the_orientation_of_the_first_source():
    study = study_of(instances=3)
    for i, (one, two) in enumerate(((1, -1), (0, 0), (-1, -1))):
        for target, other, source, outcome in (("B", "A", "C", one), ("A", "B", "human:p", two)):
            study.add(
                "preferences",
                instance_id=f"x{i}",
                generator=target,
                opponent=other,
                source=source,
                outcome=outcome,
            )

    rows, _left_out = reference_agreement(study, "C", "human:p")

    # For B: C says 1, 0, -1, the person 1, 0, 1.
    row = rows[0]
    assert (row["kind"], row["n"], row["agreement"]) == ("outcome", 3, pytest.approx(2 / 3))
    assert (row["win_rate_a"], row["win_rate_b"]) == (pytest.approx(0.5), pytest.approx(2.5 / 3))
    assert row["kappa"] == pytest.approx((2 / 3 - 1 / 3) / (2 / 3))  # expected 1/3 * 2/3 + 1/3 * 1/3


def test_scores_are_compared_by_their_differences_and_correlations():
    study = study_of()
    refer(study, "human:a", "1111", scores=(1, 2, 3, 4))
    refer(study, "human:b", "1111", scores=(1, 2.25, 3.5, 7))

    row = reference_agreement(study, "human:a", "human:b")[0][0]

    assert row["kind"] == "score"
    assert row["within"] == {
        "0": 0.25,
        "0.25": 0.5,
        "0.5": 0.75,
        "1": 0.75,
        "1.5": 0.75,
        "2": 0.75,
        "more": 1.0,
    }
    assert row["mean_difference"] == pytest.approx(0.9375)  # (0 + 0.25 + 0.5 + 3) / 4
    assert row["median_difference"] == pytest.approx(0.375)
    assert row["spearman"] == pytest.approx(1.0)
    # Deviations -1.5 -0.5 0.5 1.5 and -2.4375 -1.1875 0.0625 3.5625: 9.625 / sqrt(5 * 20.046875).
    assert row["pearson"] == pytest.approx(9.625 / (5 * 20.046875) ** 0.5)


def test_a_judge_and_its_two_runs_are_also_sources():
    study = study_of(instances=3)
    refer(study, "program", "101")
    for run_id, mets in (("r1", "101"), ("r2", "11-")):
        for i, met in enumerate(mets):
            if met != "-":
                study.add(
                    "judgments",
                    judge="B",
                    paradigm="single_rubric",
                    instance_id=f"x{i}",
                    generator="A",
                    rubric_id="k",
                    run_id=run_id,
                    met=met == "1",
                )

    runs = reference_agreement(study, "run:r1", "run:r2")[0][0]
    judge = reference_agreement(study, "judge:B", "program")[0][0]

    assert (runs["n"], runs["agreement"]) == (2, 0.5)
    assert (judge["n"], judge["agreement"]) == (2, 1.0)  # on x1 the two runs are tied


def test_a_percentile_interval_lies_between_the_order_statistics():
    low, high = bootstrap_interval([float(i) for i in range(101)])

    assert (low, high) == (pytest.approx(2.5), pytest.approx(97.5))


def test_with_more_than_five_percent_undefined_resamples_there_is_no_interval():
    assert bootstrap_interval([1.0] * 95 + [None] * 5) == (1.0, 1.0)
    assert bootstrap_interval([1.0] * 94 + [None] * 6) is None
    assert bootstrap_interval([None]) is None


def test_p_values_count_draws_at_the_null_on_both_sides():
    assert p_value([1.0, 2.0, 3.0, None], 0.0) == pytest.approx(2 * 1 / 4)  # k 0, l 3, B 3
    assert p_value([-1.0, 0.0, 1.0, 2.0], 0.0) == pytest.approx(1.0)  # k 2, l 3: 2 * 3 / 5 > 1
    assert p_value([None], 0.0) is None


def test_adjusted_p_values_never_fall_below_those_of_larger_ones():
    # 0.04 * 4/4 = 0.04; 0.03 * 4/3 = 0.04; 0.02 * 4/2 = 0.04; 0.005 * 4 = 0.02.
    assert benjamini_hochberg([0.04, None, 0.005, 0.03, 0.02]) == [
        pytest.approx(0.04),
        None,
        pytest.approx(0.02),
        pytest.approx(0.04),
        pytest.approx(0.04),
    ]
