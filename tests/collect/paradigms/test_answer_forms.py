"""Which objects of an answer hold its verdict, and where one of them leaves it in doubt."""

import pytest

from engine.collect.calls import Reply
from engine.collect.paradigms.answers.parts.answer_forms import (
    MOST_OBJECTS,
    UnclearAnswerError,
    objects_with,
    only_object,
)

MET = '{"criteria_met": true}'


def met(text: str, finish_reason: str | None = None) -> list[object]:
    """Return the verdict of each object of an answer."""
    reply = Reply(text, finish_reason=finish_reason)
    return [passage.value["criteriamet"] for passage in objects_with(reply, "criteria_met")]


@pytest.mark.parametrize(
    "text",
    [
        f'{{"note": +1}} {MET}',
        f'{{"note": {{"of": {{"it": +1}}, "and": {{}}}}}} {MET}',
        f'{{"my_criteria_met": +1}} {MET}',  # another field's name
        f'{{"note": 1}} {MET}',
        "{criteria_met: true, note: {of: [{criteria_met: false}]}}",  # a field of another object, inside it
        '{criteria_met: true, note: "my_criteria_met: no"}',
    ],
)
def test_an_object_that_holds_no_verdict_is_passed_over(text: str) -> None:
    assert met(text) == [True]


@pytest.mark.parametrize(
    "text",
    [
        f'{{"criteria_met": +1}} {MET}',  # a broken one that may hold a verdict
        f'{{"Criteria Met": +1}} {MET}',
        f'{{"note": {{"criteria-met" : +1}}}} {MET}',
        f'{{"note": +1 {MET}',  # one without an end: the other stands in it
        f'{{"note": {{"of": +1}} {MET}',
        f'{MET} {{"note": 1}}',
        f'{MET} {{"criteria_met": false}}',
        "{criteria_met: true, note: 'criteria_met: false'}",  # a slip, and the field once more in a text
    ],
)
def test_an_object_that_may_say_otherwise_leaves_no_verdict(text: str) -> None:
    with pytest.raises(UnclearAnswerError):
        met(text)


def test_an_answer_of_so_many_objects_is_read_and_one_of_more_is_not() -> None:
    assert met(MET * MOST_OBJECTS) == [True] * MOST_OBJECTS
    with pytest.raises(UnclearAnswerError):
        met(MET * (MOST_OBJECTS + 1))


@pytest.mark.parametrize("finish_reason", ["stop", "STOP", "End_Turn"])
def test_providers_may_write_the_end_of_an_answer_in_capitals(finish_reason: str) -> None:
    assert met(MET[:-1], finish_reason) == [True]


def test_of_objects_with_the_same_verdict_the_last_is_the_answer() -> None:
    text = '{"criteria_met": true, "explanation": "one"}\n{"criteria_met": true, "explanation": "two"}'

    answer = only_object(Reply(text), "criteria_met")

    assert answer is not None
    assert answer["explanation"] == "two"
    assert only_object(Reply("None."), "criteria_met") is None
