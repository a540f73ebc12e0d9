"""What the scores of a judge say of it in general, in a sentence."""

import pytest

from engine.words.bonus_words import leniency_sentence, noise_sentence


def row(judge, leniency, low, high, generator=None):
    own = {"judge": judge, "generator": generator or judge}
    return own | {"leniency_outside": leniency, "leniency_outside_low": low, "leniency_outside_high": high}


def test_lenient_and_strict_judges_are_named_in_points_and_the_others_counted():
    rows = [
        row("a", 0.021, -0.006, 0.050),
        row("b", 0.053, 0.026, 0.079),
        row("b", None, None, None, generator="a"),
        row("c", -0.04, -0.066, -0.014),
        row("d", 0.060, 0.030, 0.090),
    ]

    assert leniency_sentence(rows) == (
        "By their scores of other families' answers against the reference, lenient: d +6.0 points "
        "[+3.0, +9.0] and b +5.3 points [+2.6, +7.9]; strict: c -4.0 points [-6.6, -1.4]; not clear for 1 "
        "of 4 judges."
    )


def test_no_judge_is_called_lenient_where_that_is_clear_of_none_and_one_without_an_interval_is_named():
    rows = [row("a", 0.02, -0.01, 0.05), row("b", 0.01, -0.02, 0.04), row("c", 0.3, None, None)]
    rows[2]["reasons"] = {"leniency_outside_low": "too_many_undefined_resamples"}

    assert leniency_sentence(rows) == (
        "By their scores of other families' answers against the reference, neither judge is clearly lenient "
        "or strict. No interval of its leniency: c (too few cases for an interval)."
    )


def test_without_a_number_nothing_is_said_of_leniency():
    assert leniency_sentence([row("a", None, None, None)]) == ""


@pytest.mark.parametrize(
    ("bonus", "low", "high", "is_said"),
    [(-6.0, -9.9, -2.1, True), (-3.0, -9.0, 3.0, False), (6.0, 2.0, 9.0, True)],
)
def test_that_leniency_and_random_errors_move_scores_too_is_said_where_a_judge_clearly_moves_its_own(
    bonus, low, high, is_said
):
    bonus_row = {"judge": "a", "generator": "a", "bonus": bonus, "bonus_low": low, "bonus_high": high}

    assert bool(noise_sentence([bonus_row])) is is_said
