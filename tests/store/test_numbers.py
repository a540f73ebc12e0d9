"""Numbers from outside: valid and invalid ones."""

import math

import pytest

from engine.values import parse_float, parse_int


@pytest.mark.parametrize(("value", "expected"), [(0, 0.0), (-2.5, -2.5), (2**70, 2.0**70)])
def test_a_number_is_finite(value: object, expected: float) -> None:
    assert parse_float(value) == expected


@pytest.mark.parametrize("value", [None, True, "1", [1], math.inf, math.nan, 10**400])
def test_anything_but_a_finite_number_is_none(value: object) -> None:
    assert parse_float(value) is None


@pytest.mark.parametrize(("value", "expected"), [("0", 0), ("007", 7), ("9" * 15, 10**15 - 1)])
def test_digits_are_a_whole_number(value: str, expected: int) -> None:
    assert parse_int(value) == expected


@pytest.mark.parametrize("value", ["", "-1", "+1", "1.0", " 1", "1\n", "1_0", "²", "٣", "9" * 5000])
def test_anything_else_is_no_whole_number(value: str) -> None:
    assert parse_int(value) is None
