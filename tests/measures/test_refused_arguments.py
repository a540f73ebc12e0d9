"""A wrong argument in Python is refused by name, with the value and the remedy."""

from pathlib import Path

import numpy as np
import pytest

import engine
from engine.errors import UsageError
from engine.explore.doctor import examine

STUDY = Path(__file__).parents[2] / "results" / "demo-health"


@pytest.fixture(scope="module")
def health() -> engine.Study:
    return engine.open_study(STUDY)


@pytest.mark.parametrize("measure", [None, 3, "hsp"])
def test_whatever_is_no_measure_is_refused_with_the_names(health, measure):
    for compute in (health.measure, health.chart):
        with pytest.raises(UsageError, match=rf"unknown measure {measure!r}; .*choose from: scorecard, "):
            compute(measure)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"resamples": "many"},
            "resamples 'many' is not a number; write one such as 1000, or 0",
        ),
        ({"resamples": 1.5}, "resamples 1.5 is not a whole number from 0"),
        ({"resamples": -1}, "resamples -1 is not a whole number from 0"),
        ({"resamples": 1}, "resamples 1: too few for an interval; give 10 or more, 1000 to report numbers"),
        ({"seed": -1}, "seed -1 is not a whole number from 0"),
        ({"seed": "x"}, "seed 'x' is not a number"),
        ({"common": "maybe"}, "common is 'maybe'; give True or False"),
        ({"exclude_family": "maybe"}, "exclude_family is 'maybe'; give True or False"),
        ({"against": 3}, r"against 3 is not a slice; give one such as against=\{'polarity': 'negative'\}"),
        ({"length": 20}, "length 20 is not a range; write LOW:HIGH"),
        ({"length": "a:b"}, "length 'a' is not a number; write one such as 90"),
        ({"position": "a"}, "position 'a' is not a number; write one such as 3"),
    ],
)
def test_a_wrong_value_is_refused_with_a_remedy(health, arguments, message):
    with pytest.raises(UsageError, match=message):
        health.measure("hspp", **arguments)


def test_a_misspelt_option_is_answered_with_the_options_of_that_measure_too(health):
    with pytest.raises(
        UsageError, match=r"option 'resample'; did you mean 'resamples'. choose from: .*, axis, .*, resamples"
    ):
        health.measure("hspp", resample=0)
    with pytest.raises(
        UsageError, match=r"filter or option 'epsilom'; did you mean 'epsilon'. choose from: .*, epsilon, "
    ):
        health.measure("equal-quality", epsilom=1)


def test_a_fraction_is_no_number_of_committees(health):
    with pytest.raises(UsageError, match=r"most_committees 2\.7 is not a whole number from 0"):
        health.measure("committee-size", most_committees=2.7)


def test_names_of_an_option_may_have_spaces_around_them(health):
    one, other = (
        health.result("committee-size", sizes=sizes, resamples=0).rows for sizes in ("1, 3", ["1", "3"])
    )

    assert one == other
    assert {row["size"] for row in one} == {1, 3}


def test_names_of_an_option_may_come_in_an_array(health):
    names = np.array(["aster-large", "cinder-mini", "dune-large"])

    one, other = (
        health.result("committee", members=members, resamples=0).rows for members in (names, names.tolist())
    )

    assert one == other
    assert one


def test_a_switch_of_a_measure_may_be_a_word_and_no_means_no(health):
    no, never = (
        health.result("dbg", panels=value, resamples=0, judges="aster-large") for value in ("no", False)
    )

    assert no.rows == never.rows
    with pytest.raises(UsageError, match="unknown panels 'maybe'; choose from: true, false"):
        health.result("dbg", panels="maybe")


@pytest.mark.parametrize("resamples", [-1, 3])
def test_the_doctor_refuses_resamples_instead_of_saying_that_nothing_can_be_measured(health, resamples):
    with pytest.raises(UsageError, match=f"resamples {resamples}"):
        examine(health, resamples=resamples)


def test_findings_refuse_wrong_settings(health):
    with pytest.raises(UsageError, match="resamples -1 is not a whole number from 0"):
        health.findings(resamples=-1)
    with pytest.raises(UsageError, match="seed 'x' is not a number"):
        health.findings(seed="x")


def test_a_study_and_a_result_say_briefly_what_they_are(health):
    result = health.result("hspp", resamples=0)

    assert repr(health) == f"<Study: {STUDY}>"
    assert repr(result) == "<StudyResult: hspp of demo-health, 10 rows>"
    assert repr(health.result("position")).startswith("<StudyResult: position of demo-health, no rows: the s")


@pytest.mark.parametrize("measure", ["scorecard", "outside", "expected"])
def test_a_judge_without_answers_as_the_only_author_leaves_nothing_to_show(measure):
    pairs = engine.open_study(STUDY.parent / "demo-pairs")
    result = pairs.result(measure, generators="gauge-south", resamples=0)
    assert (result.rows, result.reason) == ([], "no pair has an answer of these models")


def test_an_ordering_of_another_paradigm_is_missing_but_not_unknown():
    orders = engine.open_study(STUDY.parent / "demo-orders")
    result = orders.result("hspp", ordering="5-4-3-2-1")
    assert "no all_rubrics judgments with ordering '5-4-3-2-1'; it has original" in str(result.reason)
    with pytest.raises(UsageError, match="unknown ordering '5-4'; choose from: original"):
        orders.measure("hspp", ordering="5-4")
