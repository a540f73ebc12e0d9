"""Which texts of a study a request has, and which count as present."""

import pytest
from collect.plan.small import stored

from engine.collect.calls import CallRequest, Subject
from engine.collect.paradigms.request_texts import RequestTexts
from engine.collect.plan.study_texts import Library, texts_of

OPTIONS = '[{"score": 1, "text": "Bad."}, {"score": 2, "text": "Good."}]'
CRITERIA = {
    "wanted": {"criterion": "Is short.", "points": 1},
    "neutral": {"criterion": "Is long.", "points": 0},
    "unpointed": {"criterion": "Is odd."},
    "unwanted": {"criterion": "Is rude.", "points": -0.5},
    "empty": {"criterion": ""},
    "scored": {"criterion": "Is clear.", "options": OPTIONS},
    "bare": {"options": OPTIONS},
    "textless": {"points": -1},
}


@pytest.fixture
def library(tmp_path):
    """Two questions with the criteria above, and responses some of which count as missing."""
    responses = [
        {"generator": "z", "text": "short"},
        {"generator": "b", "text": ""},  # imported: an empty answer is one
        {"generator": "c", "text": None},
        {"generator": "d", "text": "I can", "shortfall": "cut_off"},
        {"generator": "e", "text": "", "shortfall": "empty"},
        {"generator": "a", "text": "by a", "transform": "signed", "author": "a"},
        {"generator": "z", "text": "plain", "transform": "changed", "beside": "plain"},
    ]
    rows = {
        "models": [{"model": model, "family": model} for model in ("z", "e", "d", "c", "b", "a")],
        "instances": [{"instance_id": each, "prompt": f"Ask {each}."} for each in ("x", "y")],
        "rubrics": [
            {"instance_id": each, "rubric_id": name, "criterion": None, **fields}
            for each in ("x", "y")
            for name, fields in CRITERIA.items()
        ],
        "responses": [{"instance_id": "x", "transform": "none", "run_id": "r", **row} for row in responses],
    }
    return Library(stored(tmp_path, rows))


def judged(paradigm, *rubric_ids, generator="z", instance="x", **about):
    subject = Subject(instance, generator, rubric_ids=rubric_ids, **about)
    return CallRequest("judge", "j", paradigm, "default", subject)


def test_a_criterion_is_undesirable_if_it_takes_points_off_and_is_none_without_a_text_and_options(library):
    rubrics = {each.rubric_id: each for each in (*library.criteria("x"), *library.score_rubrics("x"))}

    assert list(rubrics) == [
        "wanted",
        "neutral",
        "unpointed",
        "unwanted",
        "empty",
        "textless",
        "scored",
        "bare",
    ]
    undesirable = [name for name, each in rubrics.items() if each.criterion and each.criterion.undesirable]
    assert undesirable == ["unwanted"]
    assert rubrics["textless"].criterion is None
    assert (rubrics["empty"].criterion.text, rubrics["bare"].criterion.text) == ("", "")
    assert [option.text for option in rubrics["bare"].criterion.options] == ["Bad.", "Good."]


def test_an_empty_answer_counts_unless_its_model_gave_none(library):
    present = {name for name in "zbcdea" if library.has_response(("x", name, "none"))}

    assert present == {"z", "b", "d"}
    assert [library.response(("x", name, "none")) for name in "bce"] == ["", None, None]
    assert library.unanswered == {("x", "e", "none"): "empty"}
    assert library.generators() == ("z", "d", "b")  # of a there is a changed response alone


def test_what_a_response_is_paired_with_is_stored_with_it(library):
    assert (library.beside_under("changed"), library.beside_under("signed")) == ("plain", None)
    assert [library.author(("x", name, "signed")) for name in "az"] == ["a", None]


def test_a_run_has_its_own_responses_and_no_run_has_none(library):
    assert len(library.responses_of_run("r")) == 7
    assert library.responses_of_run("s") == library.responses_of_run(None) == frozenset()


def test_a_library_of_one_question_has_its_texts_alone(library):
    of_one = Library(library.study, "y")

    assert list(of_one.instances) == ["y"]
    assert (len(of_one.criteria("y")), of_one.criteria("x")) == (6, [])
    assert not of_one.has_response(("x", "z", "none"))


def test_a_request_has_the_criteria_that_have_texts_in_its_order(library):
    def criteria(call):
        return [each.text for each in texts_of(library, call).criteria]

    every = ["Is short.", "Is long.", "Is odd.", "Is rude.", ""]
    assert criteria(judged("all_rubrics", "unwanted", "gone", "textless", "wanted")) == [
        "Is rude.",
        "Is short.",
    ]
    assert criteria(judged("pairwise", opponent="b", first="generator")) == every
    assert criteria(judged("listwise", ordering="z|b")) == every
    assert criteria(judged("quality")) == []
    [shown] = texts_of(library, judged("score_rubric", "scored", ordering="2-1")).criteria
    assert [option.score for option in shown.options] == [2, 1]


def test_a_question_that_the_study_lacks_has_no_texts(library):
    assert texts_of(library, judged("single_rubric", "wanted", instance="gone")) == RequestTexts()
