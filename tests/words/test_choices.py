"""What was chosen of a measure is said in words, and words are kept for nothing that cannot be chosen."""

import pytest

from engine.measures.catalogue import MEASURES
from engine.words import _CHOSEN, applied

CHOICES = sorted(
    {
        (option.name, value)
        for measure in MEASURES.values()
        for option in measure.options
        for value in option.choices
    }
)
NOT_AN_OPTION = {"decided_by"}
"""What a measure settles by itself, and says among its filters."""


@pytest.mark.parametrize(("name", "value"), CHOICES)
def test_no_choice_is_printed_as_its_code(name: str, value: str) -> None:
    words = applied({name: value})

    assert not words.endswith(f", {name.replace('_', ' ')} {value}.")
    assert "_" not in words


def test_every_phrase_is_of_a_choice_that_there_is() -> None:
    phrases = {(name, value) for name, value in _CHOSEN if name not in NOT_AN_OPTION}

    assert phrases <= set(CHOICES)
