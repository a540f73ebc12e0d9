"""Objects with slips: what is forgiven, how deep they may be, and where doubt begins."""

import json
from typing import Any

import pytest

from engine.collect.paradigms.answers.parts import loose_json
from engine.collect.paradigms.answers.parts.loose_json import CONTRADICTION, decode_object, squeeze


def decoded(text: str, *, finished: bool = True) -> dict[str, Any] | None:
    result = decode_object(text, 0, finished=finished)
    return None if result is None else result.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 1,}", {"a": 1}),
        ("{a: True, b: None, c: FALSE, d: null}", {"a": True, "b": None, "c": False, "d": None}),
        ("{“a”: ‘x’， b： 1/2}", {"a": "x", "b": "1/2"}),
        ("{a: clearly better }", {"a": "clearly better"}),
        ("{'a': 'he said \"no\"', b: 2}", {"a": 'he said "no"', "b": 2}),
        ('{"a": "he said "no", twice", b: 2}', {"a": 'he said "no", twice', "b": 2}),
        ('{"a": "one\ntwo\\n\\t\\q\\u0041", b: 2}', {"a": "one\ntwo\n\tqA", "b": 2}),
        ("{a: -1.5e2, b: 7, c: -3}", {"a": -150.0, "b": 7, "c": -3}),
        ("{a: [1, 'x', [], {}], b: {c: {}}}", {"a": [1, "x", [], {}], "b": {"c": {}}}),
        ("{'Criteria Met': true, criteria_met: true}", {"criteriamet": True}),
        ("{a: 1, A: 2}", {"a": CONTRADICTION}),
        ("{}", {}),
    ],
)
def test_slips_that_leave_no_doubt_are_forgiven(text: str, value: dict[str, Any]) -> None:
    assert decoded(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "{a 1}",
        '{a"x"}',  # no colon
        "{a[1]}",
        "{a: }",
        "{a: 1 b: 2}",  # no comma
        "{a: 1,, b: 2}",
        "{a: 1, 2}",
        "{a: [1 2]}",
        "{a: 'x}",  # no end
        "{a: +1}",
        "[a]",
        "{'a': 1 or 2}",
    ],
)
def test_nothing_is_skipped_or_added_beyond_these(text: str) -> None:
    assert decoded(text) is None


@pytest.mark.parametrize("text", ["{a: {b: 1", "{a: {b: 1 ", "{a: {b: 1}", "{a: {b: 1\n```\n"])
def test_brackets_are_missing_only_at_the_end_of_a_finished_answer(text: str) -> None:
    whole, unfinished = decode_object(text, 0, finished=True), decode_object(text, 0, finished=False)

    assert whole is not None
    assert (whole.value, whole.end, whole.loose) == ({"a": {"b": 1}}, len(text), True)
    assert unfinished is None


@pytest.mark.parametrize("text", ["{a: 1,", "{a: 1, ", "{a: [1,"])
def test_an_answer_does_not_end_with_a_comma(text: str) -> None:
    assert decoded(text) is None


def test_a_whole_object_is_read_from_an_answer_that_is_not_finished() -> None:
    assert decoded("{a: {b: 1}} and so", finished=False) == {"a": {"b": 1}}


@pytest.mark.parametrize("brackets", [("{a: ", "}"), ("{a: [", "]}")])
@pytest.mark.parametrize(("depth", "is_read"), [(30, True), (31, False)])
def test_a_value_stands_in_at_most_thirty_brackets(
    brackets: tuple[str, str], depth: int, is_read: bool
) -> None:
    opening, closing = brackets
    if "[" in opening:  # one object, and lists in it
        text = f"{opening}{'[' * (depth - 2)}1{']' * (depth - 2)}{closing}"
    else:
        text = f"{opening * depth}1{closing * depth}"

    assert (decoded(text) is not None) is is_read


def test_a_deep_strict_object_is_read_as_json_is() -> None:
    text = '{"a": ' * 40 + "1" + "}" * 40

    assert decoded(text) == json.loads(text)


@pytest.mark.parametrize("form", ['{{"a": {}}}', "{{a: {}}}"])
def test_whole_numbers_stay_whole_up_to_eighteen_digits(form: str) -> None:
    for digits, kind in (("9" * 18, int), ("9" * 19, float)):
        result = decoded(form.format(digits))

        assert result is not None
        assert type(result["a"]) is kind
        assert result["a"] == kind(digits)


def test_long_objects_are_read_strictly_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "And: {a: 1}"
    monkeypatch.setattr(loose_json, "_LONGEST_LOOSE", len("{a: 1}"))
    at_the_limit = decode_object(text, 5, finished=True)
    monkeypatch.setattr(loose_json, "_LONGEST_LOOSE", len("{a: 1}") - 1)
    beyond = decode_object(text, 5, finished=True)
    strict = decode_object('And: {"a": 1}', 5, finished=True)

    assert at_the_limit is not None
    assert (at_the_limit.value, at_the_limit.end, at_the_limit.loose) == ({"a": 1}, len(text), True)
    assert beyond is None
    assert strict is not None
    assert (strict.value, strict.loose) == ({"a": 1}, False)


def test_names_of_fields_are_compared_without_case_and_marks() -> None:
    assert squeeze("Criteria-Met ") == squeeze("criteriaMet") == "criteriamet"
