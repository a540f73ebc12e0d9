"""What a table says of its columns, in words."""

import re

import pytest

from engine.measures.catalogue import MEASURES, OWN
from engine.words.column_meanings import meaning_in_words
from engine.words.short_titles import title

MEANINGS = sorted({field.meaning for measure in OWN for field in measure.fields})


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("own_given minus own_expected", "“Given” minus “Expected”"),
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


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("p_tastes_adjusted", "p with tastes"),
        ("p_tastes", "p with tastes, not adjusted"),
        ("hspp_self_p", "p, HSPP ratio, not adjusted"),
        ("odds_self_p_tastes_adjusted", "p with tastes, odds, own answers"),
        ("mra_least", "Accuracy on criteria, lowest"),
        ("under_n", "n met"),
        ("n_own", "n own"),
    ],
)
def test_a_heading_is_no_name_of_a_field(name, words):
    assert title(name) == words


def test_no_heading_of_a_p_value_spells_its_fields_name():
    columns = {
        column for measure in MEASURES.values() for field in measure.fields for column in field.columns()
    }
    of_p = {
        name for name in columns if name.startswith("p_") or name.endswith(("_p", "_p_adjusted", "_adjusted"))
    }

    spelt = {name for name in of_p if title(name).lower() == name.replace("_", " ")}

    assert spelt == {"p_flip", "p_flip_adjusted"}
