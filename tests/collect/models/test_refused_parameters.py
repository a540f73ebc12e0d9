"""What is sent without after a model has refused it, by the words of its server."""

import pytest

from engine.collect.limits.refused_parameters import ParameterFallback

SENT = {"temperature": 0.0, "top_p": 1.0, "max_tokens": 9}
ALTERNATIVES = {"logprobs": True, "top_logprobs": 20}


@pytest.mark.parametrize(
    ("words", "dropped"),
    [
        ("Unsupported value: 'temperature' does not support 0.0", {"temperature"}),
        ("`temperature` is deprecated for this model", {"temperature"}),
        ("Unrecognized request argument supplied: top_p", {"top_p"}),
        ("unrecognised: top_p", {"top_p"}),
        ("temperature: only the default (1) is taken", {"temperature"}),
        ("Unknown name top_p", {"top_p"}),
        ("unknown parameter: top_p", {"top_p"}),
        ("top_p: Extra inputs are not permitted", {"top_p"}),
        ("This model cannot be used: temperature is not currently supported", {"temperature"}),
        ("temperature isn't allowed", {"temperature"}),
        ("top_p is no longer accepted", {"top_p"}),
        ("temperature and top_p are not compatible", {"temperature"}),  # one at a time
    ],
)
def test_a_refused_parameter_is_not_sent_again(words: str, dropped: set[str]) -> None:
    fallback = ParameterFallback()

    change = fallback.update(words, dict(SENT))

    assert change == f"does not accept {min(dropped)!r}; it is not sent"
    assert fallback.dropped == dropped
    assert fallback.parameters(SENT, logprobs=False).keys() == SENT.keys() - dropped


@pytest.mark.parametrize(
    "words",
    [
        "temperature must be between 0 and 2",  # of a value, not of the parameter
        "max_tokens is not supported",  # whose absence could cost more
        "seed is not supported",  # which was not sent
        "temperatures are not supported",
        "",
    ],
)
def test_other_words_change_nothing(words: str) -> None:
    fallback = ParameterFallback()

    assert fallback.update(words, dict(SENT)) is None
    assert (fallback.dropped, fallback.top) == (set(), 20)


def test_what_a_call_under_way_learns_again_is_not_said_again() -> None:
    fallback = ParameterFallback()
    words = "temperature is not supported"

    assert [bool(fallback.update(words, dict(SENT))) for _ in range(2)] == [True, False]
    assert fallback.update(words, dict(SENT)) == ""


def test_alternatives_are_reduced_where_their_number_is_refused() -> None:
    fallback = ParameterFallback()
    words = "top_logprobs must be at most 5"

    changes = [fallback.update(words, {**ALTERNATIVES}) for _ in range(2)]

    assert changes == ["takes 5 top_logprobs at most", ""]
    assert fallback.parameters({}, logprobs=True) == {"logprobs": True, "top_logprobs": 5}
    assert fallback.update(words, {"logprobs": True, "top_logprobs": 5}) is None  # there is no smaller number
    assert fallback.update("logprobs must be small", {**ALTERNATIVES}) == ""


@pytest.mark.parametrize("name", ["logprobs", "top_logprobs"])
def test_without_one_of_the_two_parameters_of_alternatives_neither_is_sent(name: str) -> None:
    fallback = ParameterFallback()

    change = fallback.update(f"{name} is not supported", {**ALTERNATIVES})

    assert change == f"does not accept {name!r}; it is not sent"
    assert fallback.top == 20
    assert fallback.parameters({"seed": 1}, logprobs=True) == {"seed": 1}
    assert fallback.update(f"{name} is not supported", {**ALTERNATIVES}) == ""


def test_alternatives_are_sent_only_where_they_are_requested() -> None:
    assert ParameterFallback().parameters(SENT, logprobs=False) == SENT
    assert ParameterFallback().parameters(SENT, logprobs=True) == {**SENT, **ALTERNATIVES}


@pytest.mark.parametrize(
    "words", ["response_format", "JSON schema", "json_schema", "json-mode", "structured output", "a grammar"]
)
def test_words_about_a_schema_end_its_use_once(words: str) -> None:
    fallback = ParameterFallback()
    assert fallback.takes_schema is None
    assert fallback.update_schema("temperature is not supported") is None

    changes = [fallback.update_schema(f"{words} is not supported") for _ in range(2)]

    assert changes == ["supports no JSON schema (`response_format`); it is called without one", ""]
    assert fallback.takes_schema is False
