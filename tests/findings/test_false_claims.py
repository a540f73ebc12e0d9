"""Studies drawn to count false claims are as described, and a few of each kind are concluded correctly."""

import numpy as np
import pytest
from benchmarks.claims.judges import AUTHOR, Judges
from benchmarks.claims.kinds import NULLS, PLANTS
from benchmarks.claims.pairs import PairStudies
from benchmarks.claims.rubrics import RubricStudies
from benchmarks.claims.scores import ScoreStudies
from benchmarks.claims.trial import CLAIMS, Truth, conclude
from scipy.special import expit, logit

ALIKE = {"strictness": 0.0}
PLAIN = {"instances": 3000, "subtlety": 0.0, "mood": 0.0}


def credited(study, judge, generator):
    failed = study.failed[generator]
    return study.favourable[judge, generator][failed].mean()


def test_a_planted_judge_credits_its_own_failures_by_the_planted_log_odds():
    study = RubricStudies(Judges(planted=1.0, **ALIKE), **PLAIN).draw(np.random.default_rng(1))

    base = 1.15 * logit(0.3)
    assert credited(study, AUTHOR, AUTHOR) == pytest.approx(expit(base + 1.0), abs=0.03)
    assert credited(study, AUTHOR, 1) == pytest.approx(expit(base), abs=0.03)
    assert credited(study, 1, 1) == pytest.approx(expit(base), abs=0.03)


def test_all_judges_credit_convincing_responses_and_the_author_no_more_than_others():
    study = RubricStudies(Judges(appeal=2.0, **ALIKE), **PLAIN).draw(np.random.default_rng(2))

    of_author = [credited(study, judge, AUTHOR) for judge in range(12)]
    assert of_author == pytest.approx([expit(1.15 * logit(0.3) + 2.0)] * 12, abs=0.04)
    assert credited(study, AUTHOR, 1) == pytest.approx(expit(1.15 * logit(0.3)), abs=0.03)


def test_if_judges_are_alike_the_expected_ratio_is_that_of_the_shares():
    studies = RubricStudies(Judges(planted=1.5, **ALIKE), subtlety=0.0, mood=0.0)

    base = 1.15 * logit(0.3)
    ratio = studies.expected_ratio(np.random.default_rng(3))
    # judges credit others' failures alike, so the second quotient is 1
    assert ratio == pytest.approx(expit(base + 1.5) / expit(base), rel=1e-9)


def test_the_reference_of_a_committee_of_three_is_its_majority():
    study = RubricStudies(Judges(family_size=2), instances=20, committee=True).draw(np.random.default_rng(4))

    assert ((study.favourable[:3].sum(axis=0) < 2) == study.failed).all()
    assert study.committees["three"]["members"] == ["m00", "m01", "m02"]


def test_only_unfavourable_verdicts_on_own_failures_are_missing():
    study = RubricStudies(instances=50, missing=0.3).draw(np.random.default_rng(5))

    judge, generator, instance, rubric = np.nonzero(~study.answered)
    assert len(judge)
    assert (judge == generator).all()
    assert study.failed[generator, instance, rubric].all()
    assert not study.favourable[judge, generator, instance, rubric].any()


def test_without_self_preference_the_expected_votes_and_points_are_null():
    rng = np.random.default_rng(6)

    assert PairStudies(Judges(appeal=1.0)).expected_gap(rng) == pytest.approx(0, abs=1e-9)
    assert PairStudies(Judges(planted=1.0)).expected_gap(rng) > 0.1
    assert ScoreStudies(Judges(**ALIKE)).expected_bonus(rng) == pytest.approx(0, abs=0.5)


NULL_KINDS = ("one convinces everybody", "an undiscerning judge convinces", "pairs, tastes", "scores, tastes")
KINDS = {kind.name: kind for kind in (*NULLS, *PLANTS)}


@pytest.mark.parametrize("name", NULL_KINDS)
def test_nothing_is_claimed_if_no_judge_favours_itself(name):
    kind = KINDS[name]

    for answers in conclude(kind, range(3), Truth.of(kind)):
        assert not answers.claimed(*CLAIMS)


@pytest.mark.parametrize("name", ["rubrics, 1.5, 100", "scores, 1, 100"])
def test_the_planted_judge_is_claimed(name):
    kind = KINDS[name]

    for answers in conclude(kind, range(2), Truth.of(kind)):
        assert answers.conclusions["m00"] == "favours_itself"
