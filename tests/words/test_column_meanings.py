"""What a table says of its columns, in words."""

import re

import pytest

from engine.measures.catalogue import OWN
from engine.words.column_meanings import meaning_in_words

MEANINGS = sorted({field.meaning for measure in OWN for field in measure.fields})


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("own_given less own_expected", "“Given” less “Expected”"),
        ("favours_itself or not_shown", "favours itself or no difference shown"),
        ("`rubric` or `instance`", "single criteria or comparisons of answers"),
        ("at level `instance`, comparisons lost", "between whole answers, comparisons lost"),
        ("n / (1 + (n - 1) r)", "n / (1 + (n - 1) r)"),
    ],
)
def test_codes_of_columns_conclusions_and_levels_are_words(declared: str, words: str):
    assert meaning_in_words(declared) == words


def test_no_meaning_of_any_measure_shows_a_code():
    shown = map(meaning_in_words, MEANINGS)

    assert [text for text in shown if re.search(r"[a-z]_[a-z]", text)] == []
