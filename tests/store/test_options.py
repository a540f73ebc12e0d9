"""A score rubric's options as a study stores them."""

import json

import pytest

from engine.rubric_options import options_of


def test_options_are_sorted_by_score() -> None:
    stored = json.dumps([{"score": 2, "text": "good"}, {"score": 1, "text": None}, {"score": 1.5}])

    assert options_of(stored) == ((1.0, ""), (1.5, ""), (2.0, "good"))


@pytest.mark.parametrize(
    "stored",
    [None, "", "3", '{"a": 1}', "[1]", '[{"text": "x"}]', '[{"score": "high"}]', '[{"score": NaN}]',
     '[{"score": 1' + "0" * 400 + "}]", "[" * 100_000],
)  # fmt: skip
def test_invalid_options_are_none(stored: str | None) -> None:
    assert options_of(stored) == ()
