"""Every choice of a measure has a phrase, and every phrase has a choice."""

import pytest

from engine.measures.catalogue import MEASURES
from engine.words.based_on import _VALUE_PHRASES, basis_of

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
    words = basis_of({name: value})

    assert not words.endswith(f", {name.replace('_', ' ')} {value}.")
    assert "_" not in words


def test_every_phrase_belongs_to_an_existing_choice() -> None:
    phrases = {(name, value) for name, value in _VALUE_PHRASES if name not in NOT_AN_OPTION}

    assert phrases <= set(CHOICES)
