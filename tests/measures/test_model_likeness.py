"""`model-likeness`: by hand, its properties, and judges with and without a planted pull of places."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from plain.builders import one
from plain.study import PlainStudy

from engine.errors import UsageError
from engine.stats.model_likeness import log_ratios, mean_likelihood, place_evidence, place_pull
from engine.words.model_likeness import likeness_words

ORDERINGS = ("1-2-3", "2-3-1", "3-1-2", "3-2-1", "2-1-3", "1-3-2")
FIRST, STEADY = "first", "steady"


def study_of(raters, questions=10, orderings=ORDERINGS):
    """A study whose raters pick the `first` option shown, or give each question a `steady` score."""
    study = PlainStudy()
    for name in raters:
        study.add("models", model=name, family=name)
    for i in range(questions):
        study.add("instances", instance_id=f"x{i}")
        study.add("rubrics", instance_id=f"x{i}", rubric_id="k")
        for name, habit in raters.items():
            for ordering in orderings:
                score = int(ordering[0]) if habit == FIRST else 1 + i % 3
                keys = {"instance_id": f"x{i}", "generator": name, "rubric_id": "k"}
                study.add(
                    "judgments", judge=name, paradigm="score_rubric", ordering=ordering, score=score, **keys
                )
    return study


def test_pull_is_observed_over_expected_as_far_as_it_is_beyond_chance():
    # Each of two scores stands 10 times at each place, and is given 8 times at the first, 2 at the second.
    # Its share is 10 / 20, so 5 are expected everywhere; of a place 10, observed 16 and 4: chi-square
    # 36 / 10 + 36 / 10 = 7.2 on 1 degree of freedom; 1 - 1 / 7.2 of the .6 stays: 1 +- .516667. Beyond that a
    # score has 8 of 7.58 and 2 of 2.42: chi-square .19, below 1, so nothing stays.
    chosen, shown = np.array([[8, 2], [8, 2]]), np.full((2, 2), 10)

    pull = place_pull(chosen, shown)

    np.testing.assert_allclose(pull, [[1 + 0.6 * (1 - 1 / 7.2), 1 - 0.6 * (1 - 1 / 7.2)]] * 2)


def test_forms_add_up_their_log_ratios_and_models_are_averaged():
    # A rater held against the pull above: 3 forms at the first place, 1 at the second, both shown equally.
    # Against a model without a pull each form says nothing.
    own, none = np.array([[2, 1], [1, 0]]), np.zeros((2, 2))
    drawn, steady = np.array([[8, 2], [8, 2]]), np.full((2, 2), 5)
    chosen = np.array([[own, none, none], [none, drawn, steady]])
    shown = np.array([[none + 2, none, none], [none, none + 10, none + 10]])
    by_hand = 3 * math.log(1.5166667) + math.log(0.4833333)

    ratios = log_ratios(chosen, shown, 0, np.array([1, 2]))

    np.testing.assert_allclose(ratios, [by_hand, 0], atol=1e-6)
    assert mean_likelihood(ratios) == pytest.approx(math.log((math.exp(by_hand) + 1) / 2))


def test_a_score_that_stood_at_one_place_only_is_no_evidence():
    evidence = place_evidence(np.array([[1.5, 0.5], [1.5, 0.5]]), np.array([[4, 0], [2, 2]]))

    assert evidence[0, 0] == 0
    np.testing.assert_allclose(evidence[1], np.log([1.5, 0.5]))


counts = arrays(np.int64, (3, 4, 3, 3), elements=st.integers(0, 6))


@given(chosen=counts, more=counts)
def test_nothing_is_held_against_its_own_rows_nor_against_others_on_its_questions(chosen, more):
    shown = chosen + more
    others = np.array([1, 2, 3])
    chosen[1:, 0] = shown[1:, 0] = 0  # the rater's forms are all of the first part

    before = log_ratios(chosen, shown, 0, others)
    chosen[0, 1:], shown[0, 1:] = more[0, 1:], chosen[0, 1:] + more[0, 1:]

    assert np.isfinite(before).all()
    np.testing.assert_array_equal(log_ratios(chosen, shown, 0, others), before)
    twice = np.array([2, 1, 1, 1])[:, None, None]
    np.testing.assert_allclose(log_ratios(chosen * twice, shown * twice, 0, others), 2 * before)


@given(chosen=counts, more=counts, order=st.permutations(range(3)))
def test_renaming_the_scores_changes_nothing(chosen, more, order):
    shown, others = chosen + more, np.array([1, 2, 3])

    renamed = log_ratios(chosen[:, :, order], shown[:, :, order], 0, others)

    np.testing.assert_allclose(renamed, log_ratios(chosen, shown, 0, others), atol=1e-9)


def test_a_rater_drawn_like_the_models_is_likelier_and_a_steady_one_is_not(load):
    raters = {"a": FIRST, "b": FIRST, "drawn": FIRST, "own mind": STEADY}
    study = load(study_of(raters))

    rows = study.result("model-likeness", models=["a", "b"], resamples=50).rows

    drawn, steady = one(rows, judge="drawn"), one(rows, judge="own mind")
    assert drawn["log_ratio_low"] > 0
    assert drawn["log_ratio_se"] is not None
    assert steady["log_ratio_high"] < 0
    assert (drawn["known_as"], one(rows, judge="a")["known_as"]) == (None, "model")
    assert (drawn["n"], drawn["n_questions"], drawn["n_models"]) == (60, 10, 2)
    assert one(rows, judge="a")["n_models"] == 1  # never itself


def test_people_with_the_same_pull_leave_nothing_that_tells_a_model(load):
    raters = {"a": FIRST, "b": FIRST, "person 1": FIRST, "person 2": FIRST, "drawn": FIRST}
    study = load(study_of(raters))

    rows = study.result("model-likeness", people=["person 1", "person 2"], resamples=0).rows

    assert {row["against"] for row in rows} == {"people"}
    assert one(rows, judge="drawn")["log_ratio"] == pytest.approx(0, abs=1e-9)
    assert one(rows, judge="person 1")["n_people"] == 1


@pytest.mark.parametrize(
    ("study", "options", "reason"),
    [
        (study_of({"a": FIRST}), {}, "no_other_model_scored"),
        (study_of({"a": FIRST, "b": FIRST}), {"people": ["b"], "judges": ["b"]}, "no_other_person_scored"),
        (study_of({"a": FIRST, "b": FIRST}, orderings=["2-3-1"]), {}, "one_ordering"),
        (study_of({"a": FIRST, "b": FIRST}, questions=1), {}, "no_other_question"),
    ],
    ids=["no model", "no person", "one order", "one question"],
)
def test_what_is_unknown_has_its_reason(load, study, options, reason):
    row = load(study).result("model-likeness", resamples=20, **options).rows[0]

    for field in ("log_ratio", "log_ratio_se", "per_100", "nearest"):
        assert (row[field], row["reasons"][field]) == (None, reason)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"people": ["nobody"]}, "nobody"), ({"models": ["a"], "people": ["a"]}, "in models and in people")],
    ids=["unknown", "both"],
)
def test_a_name_of_nobody_or_in_both_groups_is_refused(load, options, message):
    with pytest.raises(UsageError, match=message):
        load(study_of({"a": FIRST, "b": FIRST})).result("model-likeness", **options)


def test_the_sentence_says_who_and_of_how_many_and_never_that_a_model_wrote_it(load):
    study = load(study_of({"a": FIRST, "b": FIRST, "own mind": STEADY}))

    words = likeness_words(study.result("model-likeness", models=["a", "b"], resamples=50).rows)

    assert words.startswith("The scores of 2 of 3 raters are clearly likelier if places attract the rater as")
    assert words.endswith("Among 2 known models: both.")


def test_the_sentence_says_why_nobody_can_be_held_against_models(load):
    rows = load(study_of({"a": FIRST, "b": FIRST}, orderings=["2-3-1"])).result("model-likeness").rows

    assert likeness_words(rows) == (
        "No rater's scores can be held against those of models here: each score that it gave stood at the "
        "same place in all its forms."
    )
