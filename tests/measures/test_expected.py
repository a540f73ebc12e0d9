"""`expected`: given and expected of a slice are those of the scorecard, and take every filter."""

import numpy as np
import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of


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
    facts = one(study.result("expected", axis="facts", judges=["m0"]).rows, judge="m0")

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

    row = one(load(plain).result("expected", resamples=0).rows, judge="J")

    # J votes for itself in 9 of 12 pairs, the others in none.
    assert (row["own_given"], row["own_expected"], row["n_own"]) == (0.75, 0.0, 12)
