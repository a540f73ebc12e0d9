"""`expected`: given and expected of a slice are those of the scorecard, and take every filter."""

from itertools import product

import numpy as np
import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of

from engine.measures.scorecard.cases import NO_MODEL


@pytest.fixture
def study(load):
    """Return a study of five models on two axes; m0 passes its own failures more often on the first axis."""
    rng, names = np.random.default_rng(5), [f"m{i}" for i in range(5)]
    plain = study_of(models=" ".join(f"{name}:{name}" for name in names), rubrics=(1,), instances=80)
    for i, row in enumerate(plain.rubrics):
        row["axis"] = "style" if i % 2 else "facts"
    for i in range(80):
        for generator in names:
            refer(plain, generator, "0", f"x{i}")
            for judge in names:
                biased = judge == generator == "m0" and i % 2 == 0
                verdict = rng.random() < (0.9 if biased else 0.4)
                judge_rubrics(plain, judge, generator, str(int(verdict)), f"x{i}")
    return load(plain)


def test_the_whole_study_has_the_scorecards_numbers(study):
    rows, card = study.result("expected").rows, study.result("scorecard").rows

    for row in rows:
        of_card = one(card, judge=row["judge"])
        assert row["own_given"] == pytest.approx(of_card["own_given"])
        assert row["own_expected"] == pytest.approx(of_card["own_expected"], abs=1e-4)
        assert row["excess"] == pytest.approx(row["own_given"] - row["own_expected"])
        assert row["excess_low"] == pytest.approx(of_card["excess_low_plain"], abs=1e-4)
        assert row["n_own"] == of_card["n_own"] == 80


def test_slices_are_read_apart(study):
    by_axis = {row["slice"]: row for row in study.result("expected", by="axis").rows if row["judge"] == "m0"}
    [facts] = study.result("expected", axis="facts", judges=["m0"]).rows

    assert by_axis["facts"]["own_expected"] == pytest.approx(facts["own_expected"])
    assert by_axis["facts"]["excess_low"] > 0.1
    assert by_axis["style"]["excess_low"] < 0 < by_axis["style"]["excess_high"]
    assert by_axis["facts"]["n_own"] == 40


def test_without_resamples_there_is_no_interval(study):
    row = one(study.result("expected", resamples=0).rows, judge="m0")

    assert (row["excess_low"], row["reasons"]["excess_low"]) == (None, "no_resamples")
    assert row["excess"] > 0


def test_votes_given_are_the_judges_own_and_expected_those_of_others(load):
    plain = study_of(models="J:J A:A B:B C:C", instances=12)
    for i in range(12):
        for judge, choice in (("J", "generator"), ("B", "opponent"), ("C", "opponent")):
            won = choice if i < 9 else "opponent"
            compare(plain, judge, "J", "A", None, won, f"x{i}")

    row = one(load(plain).result("expected").rows, judge="J")

    # J votes for itself in 9 of 12 pairs, the others in none.
    assert (row["own_given"], row["own_expected"], row["n_own"]) == (0.75, 0.0, 12)
    # Nine differences of 1 and three of 0: variance .75 x .25 x 12 / 11, and a t of 11 degrees of freedom.
    reach = 2.200985 * (0.75 * 0.25 / 11) ** 0.5
    assert (row["excess_low"], row["excess_high"]) == pytest.approx((0.75 - reach, 0.75 + reach))
    assert (row["own_expected_low"], row["own_expected_high"]) == pytest.approx((-reach, reach), abs=1e-6)


def test_at_the_level_of_answers_given_and_expected_are_mean_scores(load):
    plain = study_of(models="J:J A:A B:B C:C", rubrics=(1, 1), instances=4)
    for i in range(4):
        for judge in "JABC":
            for generator in "JABC":
                own = judge == generator == "J"
                judge_rubrics(plain, judge, generator, "11" if own and i else "10", f"x{i}")

    of_answers, of_criteria = (
        one(load(plain, level).result("expected", resamples=0, level=level).rows, judge="J")
        for level in ("instance", "rubric")
    )

    # J gives its own (1/2 + 1 + 1 + 1) / 4 where others give 1/2, and scores the others' as they do.
    assert (of_answers["own_given"], of_answers["own_expected"], of_answers["n_own"]) == (7 / 8, 1 / 2, 4)
    # It passed 7 of its 8 criteria, and all three on which judges differ: without odds nothing is expected.
    assert (of_criteria["own_given"], of_criteria["own_expected"], of_criteria["n_own"]) == (7 / 8, None, 8)
    assert of_criteria["reasons"]["own_expected"] == "all_own_disputed_passed"


@pytest.mark.parametrize(
    ("families", "reason"),
    [("abc", None), ("ab", NO_MODEL), ("aaa", NO_MODEL)],
)
def test_a_model_takes_three_judges_and_an_outside_one(load, families, reason):
    rng, names = np.random.default_rng(4), [f"m{i}" for i in range(len(families))]
    plain = study_of(models=" ".join(map("{}:{}".format, names, families)), instances=20)
    for i in range(20):
        for judge, generator in product(names, repeat=2):
            judge_rubrics(plain, judge, generator, str(rng.integers(2)), f"x{i}")

    rows = load(plain).result("expected", resamples=0).rows

    assert len(rows) == len(families)
    for row in rows:
        assert row["reasons"].get("excess") == reason
        assert (row["own_given"] is None) == (row["n_own"] == 0)


def test_with_a_reference_the_failed_cases_count_and_without_one_all_of_them(load):
    rng, names = np.random.default_rng(4), [f"m{i}" for i in range(4)]
    plain = study_of(models=" ".join(f"{name}:{name}" for name in names), rubrics=(1, 1), instances=10)
    for i in range(10):
        for generator in names:
            refer(plain, generator, "01", f"x{i}")
            for judge in names:
                judge_rubrics(plain, judge, generator, f"{rng.integers(2)}1", f"x{i}")
    study = load(plain)

    def cases(**options):
        return [row["n_own"] for row in study.result("expected", resamples=0, **options).rows]

    assert cases() == cases(truth="failed") == [10] * 4
    assert cases(truth="any") == cases(reference="none") == [20] * 4
    assert study.result("expected", reference="none", truth="failed").reason == (
        "the study has no reference; --truth any works without one"
    )


def test_a_judge_that_passes_only_its_own_failures_has_the_share_of_others_beside_its_own(load):
    # Of failed criteria J passes its own on every other question and nobody else's; A and B some of all.
    study = study_of("J:F A:G B:H", instances=24)
    for i in range(24):
        for place, generator in enumerate("JAB"):
            refer(study, generator, "0", f"x{i}")
            judge_rubrics(study, "J", generator, str(int(generator == "J" and i % 2)), f"x{i}")
            judge_rubrics(study, "A", generator, str(int((i + place) % 3 == 0)), f"x{i}")
            judge_rubrics(study, "B", generator, str(int((i + place) % 4 == 0)), f"x{i}")

    rows = load(study).result("scorecard").rows

    own, other = one(rows, judge="J"), one(rows, judge="A")
    assert (own["conclusion"], own["estimate"]) == ("too_few_cases", None)
    assert own["reason"] in ("not_identified", "separated")
    assert (own["own_given"], own["other_given"]) == (0.5, 0)
    # A passes a third of J's and of B's.
    assert other["other_given"] == pytest.approx(1 / 3)
