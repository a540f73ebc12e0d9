"""How likely a judge finds responses, and how much of its preference that explains."""

import random

import pytest
from plain import mechanism as plain
from plain.builders import compare, one, study_of
from scipy import stats

from engine.errors import BadInputError

FEW = {"resamples": 0}
COUNTS = ("n_own", "n_cases")
SLOPES = ("own_effect", "own_effect_held", "explained", "familiarity_effect")


def weigh(study, judge, generator, logprob, instance="x0", **rest):
    """Store how likely a judge finds a response: the mean log-probability of its tokens."""
    study.add(
        "judgments", judge=judge, paradigm="familiarity", instance_id=instance, generator=generator,
        score=logprob, **rest,
    )  # fmt: skip


def score(study, judge, generator, value, instance="x0"):
    study.add(
        "judgments", judge=judge, paradigm="direct_assessment", instance_id=instance, generator=generator,
        score=value,
    )  # fmt: skip


def test_the_gap_is_the_own_value_less_the_mean_of_others_on_the_same_instance(load):
    study = study_of("J:F K:F A:G B:H", instances=3)
    for generator, logprob in zip("JKAB", (-1.0, -9.0, -2.0, -4.0), strict=True):
        weigh(study, "J", generator, logprob, "x0")
    for generator, logprob in zip("JA", (-1.5, -1.0), strict=True):
        weigh(study, "J", generator, logprob, "x1")
    weigh(study, "J", "A", -7.0, "x2")

    row = one(load(study).result("familiarity-score", **FEW).rows, judge="J")

    # x0: -1 - (-3) = 2, K being of the family; x1: -1.5 - (-1) = -.5; x2 has no response of its own.
    assert row["familiarity_gap"] == pytest.approx((2 - 0.5) / 2)
    assert row["familiarity_own"] == pytest.approx(-1.25)
    assert row["familiarity_other"] == pytest.approx((-3 - 1) / 2)
    assert (row["n_own"], row["n_other"], row["n_cases"]) == (2, 3, 0)
    assert row["reasons"]["own_effect"] == "no_verdict_beside"
    assert row["reasons"]["preference_rho"] == "few_cases_to_rank"


def test_a_preference_due_to_familiarity_alone_vanishes_at_equal_familiarity(load):
    study = study_of("J:F A:G B:H C:I", instances=30)
    draw = random.Random(5)
    for i in range(30):
        for generator in "JABC":
            likely = draw.gauss(-2 + 0.6 * (generator == "J"), 0.3)
            weigh(study, "J", generator, likely, f"x{i}")
            score(study, "J", generator, 0.9 + 0.1 * likely, f"x{i}")
            for judge in "ABC":
                score(study, judge, generator, 0.5, f"x{i}")

    row = one(load(study).result("familiarity-score", resamples=50).rows, judge="J")

    # What J gives rises by .1 with each unit of log-probability, and by nothing else.
    assert row["familiarity_effect"] == pytest.approx(0.1)
    assert row["own_effect_held"] == pytest.approx(0, abs=1e-12)
    assert row["explained"] == pytest.approx(row["own_effect"])
    assert row["own_effect"] == pytest.approx(0.06, abs=0.02)
    assert row["own_effect_low"] > 0
    assert row["preference_rho"] == pytest.approx(1)


def test_a_preference_unrelated_to_familiarity_remains(load):
    study = study_of("J:F A:G B:H", instances=40)
    draw = random.Random(6)
    for i in range(40):
        for generator in "JAB":
            weigh(study, "J", generator, draw.gauss(-2, 0.3), f"x{i}")
            score(study, "J", generator, 0.5 + 0.2 * (generator == "J"), f"x{i}")
            for judge in "AB":
                score(study, judge, generator, 0.5, f"x{i}")

    row = one(load(study).result("familiarity-score", **FEW).rows, judge="J")

    assert (row["own_effect"], row["own_effect_held"]) == (pytest.approx(0.2), pytest.approx(0.2))
    assert row["explained"] == pytest.approx(0, abs=1e-12)


def test_familiarity_collinear_with_authorship_explains_nothing(load):
    study = study_of("J:F A:G B:H", instances=12)
    for i in range(12):
        for generator in "JAB":
            weigh(study, "J", generator, -1.0 if generator == "J" else -2.0, f"x{i}")
            score(study, "J", generator, 0.7 if generator == "J" else 0.5, f"x{i}")
            for judge in "AB":
                score(study, judge, generator, 0.5, f"x{i}")

    row = one(load(study).result("familiarity-score", **FEW).rows, judge="J")

    assert row["own_effect"] == pytest.approx(0.2)
    assert row["own_effect_held"] is None
    assert row["reasons"]["own_effect_held"] == "familiarity_follows_authorship"


@pytest.mark.parametrize("paradigm", ["direct_assessment", "pairwise"])
@pytest.mark.parametrize("seed", range(2))
def test_the_numbers_equal_plain_loops_and_numpys_least_squares(load, seed, paradigm):
    draw = random.Random(seed)
    study = study_of("J:F K:F A:G B:H C:I", instances=14)
    for i in range(14):
        for generator in "JKABC":
            for judge in "JA":
                if draw.random() < 0.9:
                    weigh(study, judge, generator, -draw.expovariate(0.5), f"x{i}")
            for judge in "JKABC":
                if draw.random() < 0.9:
                    score(study, judge, generator, round(draw.random(), 2), f"x{i}")
        for judge in "JAB":
            for generator, opponent in ("JA", "JB", "AB", "KB", "JC", "AC"):
                for first in ("generator", "opponent"):
                    if draw.random() < 0.95:
                        choice = draw.choice(("generator", "tie", "opponent"))
                        compare(study, judge, generator, opponent, first, choice, f"x{i}")

    rows = load(study).result("familiarity-score", verdicts=paradigm, resamples=20).rows

    assert [row["judge"] for row in rows] == ["J", "A"]
    for row in rows:
        expected = plain.familiarity(study, row["judge"], paradigm)
        for name in ("familiarity_gap", *COUNTS, *SLOPES):
            assert row[name] == pytest.approx(expected[name]), name
        _, f, v = zip(*expected["cases"], strict=True)
        if paradigm == "pairwise":  # each pair seen from either side
            f, v = (*f, *(-x for x in f)), (*v, *(-x for x in v))
        assert row["preference_rho"] == pytest.approx(stats.spearmanr(f, v).statistic)
        for name in SLOPES:
            assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]


def test_the_interval_of_the_gap_is_students_t_over_instances(load):
    study = study_of("J:F A:G", instances=9)
    gaps = [0.1 * i * i - 0.2 for i in range(9)]
    for i, gap in enumerate(gaps):
        weigh(study, "J", "J", -9 + gap, f"x{i}")
        weigh(study, "J", "A", -9, f"x{i}")

    row = one(load(study).result("familiarity-score", resamples=20).rows, judge="J")

    low, high = stats.t.interval(0.95, 8, sum(gaps) / 9, stats.sem(gaps))
    assert (row["familiarity_gap_low"], row["familiarity_gap_high"]) == (
        pytest.approx(low),
        pytest.approx(high),
    )


def test_a_positive_log_probability_is_refused_with_its_row(load):
    study = study_of("J:F A:G")
    weigh(study, "J", "J", 0.5)

    with pytest.raises(BadInputError, match=r"score is 0\.5, which is not a mean log-probability"):
        load(study)


def test_a_study_without_log_probabilities_has_no_familiarity(load):
    study = study_of("J:F A:G")
    score(study, "J", "A", 1.0)

    assert "no familiarity judgments" in load(study).result("familiarity-score", **FEW).reason


def test_the_chart_shows_each_judge_with_a_number(load):
    study = study_of("J:F A:G", instances=12)
    for i in range(12):
        for judge in "JA":
            for generator in "JA":
                weigh(study, judge, generator, -1.0 - i / 10 - (judge != generator), f"x{i}")

    chart = load(study).chart("familiarity-score", resamples=20).to_dict()

    points = [point for rows in chart["datasets"].values() for point in rows]
    assert {point["label"] for point in points} == {"J", "A"}
