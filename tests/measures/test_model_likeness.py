"""`model-likeness`: by hand, its properties, and judges with and without a planted pull of places."""

import pytest
from plain.builders import one
from plain.study import PlainStudy

from engine.errors import UsageError
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
    for end in ("", "_low", "_high"):
        assert steady[f"per_100{end}"] == pytest.approx(100 * steady[f"log_ratio{end}"] / 60)


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
