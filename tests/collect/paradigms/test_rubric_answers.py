"""Answers about rubrics, and scores."""

import json

import pytest
from collect.paradigms.calls import answer, assessed, listed, only, rated, scored, single

from engine.schema import DIMENSIONS


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ('{"criteria_met": true}', True),
        ('{"criteria_met": false}', False),
        ('{"criteria_met": "true"}', True),
        ('{"criteria_met": " FALSE "}', False),
        ('{"Criteria_Met": true}', True),
        ('  \n{"explanation": "a } brace, a \\" quote", "criteria_met": true}\n', True),
        ('Sure!\n```json\n{"criteria_met": false}\n```\nHope that helps {really}.', False),
        ('{"criteria_met": true} {}', True),
        ('\ufeff{"criteria_met": true}', True),
        ('{"criteria_met": true, "criteria_met": true}', True),
        ('{"note": {"criteria_met": false}, "criteria_met": true}', True),
    ],
)
def test_a_verdict_is_read_whatever_surrounds_it(text, met):
    row = only(single(), text)

    assert (row["status"], row["met"], row["rubric_id"]) == ("ok", met, "r1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "true",
        "Yes, the criterion is met.",
        '{"criteria_met": null}',
        '{"criteria_met": 1}',
        '{"criteria_met": "yes"}',
        '{"criteria_met": [true]}',
        '{"met": true}',
        '{"criteria_met": true',
        '{"criteria_met": true, "criteria_met": false}',
        '{"criteria_met": true} and then {"note": "nothing"}',
        '{"answer": {"criteria_met": true}}',
    ],
)
def test_anything_else_is_unparsed(text):
    row = only(single(), text)

    assert (row["status"], row["met"], row["raw"]) == ("unparsed", None, text)


def test_the_reason_is_stored_with_the_verdict():
    row = only(single(), '{"explanation": " It says so. ", "criteria_met": true}')

    assert row["explanation"] == "It says so."


def test_a_list_of_verdicts_is_read_in_the_order_shown():
    rows = answer(
        listed("r3", "r1", "r2"),
        '{"results": [{"criteria_met": true}, {"criteria_met": "false"}, {"criteria_met": true}]}',
    )

    assert [(row["rubric_id"], row["position"], row["met"]) for row in rows] == [
        ("r3", 1, True),
        ("r1", 2, False),
        ("r2", 3, True),
    ]
    assert {row["ordering"] for row in rows} == {"original"}


@pytest.mark.parametrize("count", [0, 2, 4])
def test_a_list_of_the_wrong_length_gives_no_verdicts(count):
    verdicts = ", ".join(['{"criteria_met": true}'] * count)

    rows = answer(listed(), f'{{"results": [{verdicts}]}}')

    assert [(row["status"], row["met"]) for row in rows] == [("unparsed", None)] * 3


def test_one_invalid_verdict_in_a_list_affects_only_its_own_row():
    rows = answer(listed(), '{"results": [{"criteria_met": true}, {"criteria_met": "perhaps"}, 7]}')

    assert [row["status"] for row in rows] == ["ok", "unparsed", "unparsed"]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"score": "2/3"}', 2 / 3),
        ('{"score": " 3 / 3 "}', 1.0),
        ('{"score": "0/3"}', 0.0),
        ('{"score": "5/3"}', 1.0),
        ('{"score": "999999999999/3"}', 1.0),
    ],
)
def test_a_share_of_the_rubrics_is_a_score_of_at_most_1(text, score):
    row = only(assessed(3), text)

    assert (row["status"], row["score"], row["rubric_id"]) == ("ok", score, None)


@pytest.mark.parametrize(
    "value",
    ['"2/4"', '"0/0"', '"2/2"', '"-1/3"', '"2.5/3"', "0.67", '"2"', '"2/3/3"', '"two/3"', "null", '"٢/3"'],
)
def test_a_share_of_the_wrong_number_of_rubrics_is_unparsed(value):
    row = only(assessed(3), f'{{"score": {value}}}')

    assert (row["status"], row["score"]) == ("unparsed", None)


@pytest.mark.parametrize(
    ("text", "score", "position"),
    [
        ("Feedback: Good. [RESULT] 4", 4.0, 2),
        ("feedback: so [result]: (5)", 5.0, 1),
        ("Feedback: x [RESULT]\n1", 1.0, 5),
        ("Feedback: x [RESULT] 4/5", 4.0, 2),
        ("Feedback: x [RESULT] 4.", 4.0, 2),
        ('{"score": 4}', 4.0, 2),
        ('{"score": "4"}', 4.0, 2),
        ('{"score": 4.0}', 4.0, 2),
        ('[RESULT] 3\n{"score": 3}', 3.0, 3),
    ],
)
def test_the_position_of_a_score_is_where_its_option_was_shown(text, score, position):
    row = only(scored("5-4-3-2-1"), text)

    assert (row["status"], row["score"], row["position"]) == ("ok", score, position)


@pytest.mark.parametrize(
    "text",
    [
        "Feedback: Good. 4",
        "[RESULT] 6",
        "[RESULT] 0",
        "[RESULT] 3.5",
        "[RESULT] -4",
        "[RESULT] 4 or 5",
        "[RESULT] 45",
        "[RESULT] four",
        "[RESULT] 4 [RESULT] none",
        '{"score": true}',
        '{"score": 40}',
        '{"score": NaN}',
        '{"score": 1e999}',
        '{"score": null}',
    ],
)
def test_a_score_that_was_not_offered_is_unparsed(text):
    row = only(scored(), text)

    assert (row["status"], row["score"], row["position"]) == ("unparsed", None, None)


def test_the_feedback_before_a_score_becomes_its_reason():
    row = only(scored(), "Feedback: Clear, but short. [RESULT] 3")

    assert row["explanation"] == "Clear, but short."


def test_each_dimension_of_quality_has_a_row():
    rows = answer(rated(), '{"relevance": 8.25, "Accuracy": 7, "depth": "6.5", "logic": 0, "clarity": 10}')

    assert [(row["rubric_id"], row["score"]) for row in rows] == [
        ("relevance", 8.25),
        ("accuracy", 7.0),
        ("depth", 6.5),
        ("logic", 0.0),
        ("clarity", 10.0),
    ]


def test_a_dimension_out_of_range_or_missing_affects_only_its_own_row():
    rows = answer(rated(), '{"relevance": 11, "accuracy": -1, "depth": true, "logic": 5}')

    assert {row["rubric_id"]: row["status"] for row in rows} == {
        **dict.fromkeys(DIMENSIONS, "unparsed"),
        "logic": "ok",
    }


@pytest.mark.parametrize(
    ("numbers", "are_read"),
    [
        ((1, 2, 3), True),
        ((0, 1, 2), True),
        ((1, None, 3), True),
        ((None, None, None), True),
        ((1, 3, 2), False),
        ((0, 2, 1), False),
        ((0, 1, None), False),  # which of them are counted from 0 is unclear
        ((2, 3, 4), False),
        (("r1", "#2", "3. Says so."), True),
        (("Criterion 2", "Criterion 1", "Criterion 3"), False),
        ((True, False, True), True),  # no numbers
    ],
)
def test_results_are_read_in_their_places_unless_their_numbers_say_otherwise(numbers, are_read):
    results = [{"criteria_met": True} | ({} if number is None else {"id": number}) for number in numbers]

    rows = answer(listed(), json.dumps({"results": results}))

    assert {row["status"] for row in rows} == {"ok" if are_read else "unparsed"}
