"""Which calls the study has an answer of, by the rows that they gave."""

from typing import Any

import pytest

from engine.collect.calls import CallRequest, Subject
from engine.collect.paradigms.judgment_rows import blank_rows
from engine.collect.rows.completed_calls import CompletedCalls
from engine.paradigms import Paradigm
from engine.shown_order import shown_order


def request(paradigm: Paradigm = "single_rubric", *, variant: str = "default", **about: Any) -> CallRequest:
    return CallRequest("judge", "m", paradigm, variant, Subject("x", **({"generator": "g"} | about)))


def completed(*requests: CallRequest, **changes: Any) -> CompletedCalls:
    calls = CompletedCalls()
    for each in requests:
        for row in blank_rows(each):
            calls.add("judgments", row | changes)
    return calls


SINGLE = request(rubric_ids=("r1",))
LISTED = request("all_rubrics", rubric_ids=("r1", "r2"), ordering="original")
PAIR = request("pairwise", opponent="o", first="generator")
EVERY = (
    SINGLE,
    LISTED,
    PAIR,
    request("pairwise", variant="structured", opponent="o", first="opponent"),
    request("direct_assessment", rubric_ids=("r1", "r2")),
    request("score_rubric", rubric_ids=("r1",), ordering="1-2-3-4-5"),
    request("quality"),
    request("listwise", ordering=shown_order(("g", "h"))),
    request("recognition", opponent="o", first="opponent"),
    request("familiarity"),
)


@pytest.mark.parametrize("call", EVERY, ids=lambda each: f"{each.paradigm}-{each.variant}")
def test_a_call_is_completed_by_its_own_rows_alone(call: CallRequest) -> None:
    assert call in completed(call)
    assert call not in CompletedCalls()
    assert call not in completed(*(each for each in EVERY if each is not call))


@pytest.mark.parametrize(
    "other",
    [
        {"judge": "n"}, {"variant": "cot"}, {"transform": "t"}, {"instance_id": "y"}, {"generator": "h"},
        {"rubric_id": "r2"}, {"trial": 1}, {"stood_in_for": "n"},
    ],
)  # fmt: skip
def test_rows_of_another_call_complete_nothing(other: dict[str, Any]) -> None:
    assert SINGLE not in completed(SINGLE, **other)


def test_a_list_is_completed_by_as_many_rows_as_it_has_criteria() -> None:
    calls = CompletedCalls()
    first, second = blank_rows(LISTED)

    calls.add("judgments", first)
    half = LISTED in calls
    calls.add("judgments", second)

    assert (half, LISTED in calls) == (False, True)


def test_a_pair_is_the_same_with_its_sides_exchanged() -> None:
    turned_round = request("pairwise", generator="o", opponent="g", first="opponent")
    other_order = request("pairwise", opponent="o", first="opponent")

    assert turned_round in completed(PAIR)
    assert other_order not in completed(PAIR)


def test_a_row_of_a_fallback_completes_the_call_of_the_model_that_it_stood_in_for() -> None:
    assert SINGLE in completed(SINGLE, judge="spare", stood_in_for="m")


def test_omitted_columns_have_their_defaults() -> None:
    assert SINGLE in completed(SINGLE, variant=None, transform=None, trial=None)


@pytest.mark.parametrize(("transform", "stored"), [("none", None), ("none", "none"), ("t", "t")])
def test_a_response_is_completed_under_its_transform(transform: str, stored: str | None) -> None:
    calls = CompletedCalls()
    calls.add("responses", {"instance_id": "x", "generator": "g", "transform": stored})

    def response(**about: Any) -> CallRequest:
        subject = Subject(**({"instance_id": "x", "generator": "g", "transform": transform} | about))
        return CallRequest("generator", "m", None, "default", subject)

    assert response() in calls
    assert response(generator="h") not in calls
    assert response(instance_id="y") not in calls
    assert response(transform="other") not in calls
    assert calls.has_row("responses", {"instance_id": "x", "generator": "g", "transform": transform})
    assert not calls.has_row("judgments", blank_rows(SINGLE)[0])
