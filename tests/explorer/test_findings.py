"""Sentences say what the numbers say, and no more."""

from engine.words.ratio_words import family_preference, self_preference


def row(judge, ratio=None, low=None, high=None, matched=None, family=None):
    value, matched_low, matched_high = matched or (None, None, None)
    relatives = family or (None, None, None)
    return {
        "judge": judge,
        "hspp_self": ratio,
        "hspp_self_low": low,
        "hspp_self_high": high,
        "hspp_matched": value,
        "hspp_matched_low": matched_low,
        "hspp_matched_high": matched_high,
        "hspp_family": relatives[0],
        "hspp_family_low": relatives[1],
        "hspp_family_high": relatives[2],
    }


MEANS = row(None, 1.2, 1.1, 1.3)


def test_the_judge_with_the_highest_ratio_clearly_above_one_is_named_with_its_interval():
    wide = row("wide", 3.0, 0.7, 9.0)
    top = row("top", 1.8, 1.4, 2.3, matched=(2.0, 1.3, 2.9))
    rest = row("rest", 1.0, 0.8, 1.2)

    text = " ".join(self_preference([wide, top, rest, MEANS]))

    assert text.startswith("top passes its own failed answers 1.80 times as often as other families'")
    assert "(95% CI 1.40 to 2.30)" in text
    assert "The same on criteria that both answers failed: 2.00 (95% CI 1.30 to 2.90)." in text
    assert "For 2 other judges the intervals include 1." in text


def test_a_ratio_that_matching_explains_away_is_called_unclear():
    top = row("top", 1.8, 1.4, 2.3, matched=(1.0, 0.8, 1.2))

    text = " ".join(self_preference([top, MEANS]))

    assert "Not clear on criteria that both answers failed: 1.00 (95% CI 0.80 to 1.20)." in text
    assert "The same on" not in text


def test_if_no_interval_is_above_one_nobody_is_accused():
    text = " ".join(self_preference([row("a", 1.3, 0.9, 1.8), row("b", 0.5, 0.3, 0.8), MEANS]))

    assert "No ratio is clearly above 1; the highest is a's" in text
    assert "Below 1: b 0.50 [0.30, 0.80]." in text


def test_a_ratio_that_is_significant_only_before_adjusting_is_not_called_above_1():
    rows = [
        row("top", 1.8, 1.4, 2.3) | {"hspp_self_p_adjusted": 0.01},
        row("chance", 1.3, 1.05, 1.7) | {"hspp_self_p_adjusted": 0.06},
    ]

    text = " ".join(self_preference([*rows, MEANS]))

    assert "Also above 1" not in text
    assert text.endswith("Not significant once adjusted for 2 judges: chance (1.30).")


def test_a_judge_without_a_ratio_is_counted_and_not_taken_for_unbiased():
    text = " ".join(self_preference([row("top", 1.8, 1.4, 2.3), row("none"), MEANS]))

    assert "1 judge has no ratio." in text
    assert "include" not in text


def test_without_any_ratio_nothing_is_said_of_anyone():
    without_failures = row("a") | {"reasons": {"hspp_self": "no_own_failures"}}

    assert self_preference([row("a"), MEANS]) == ["No judge has a ratio here."]
    assert self_preference([without_failures, MEANS]) == [
        "No judge has a ratio here: its own answers failed no criterion."
    ]
    assert self_preference([]) == ["No judge has a ratio here."]


def test_without_intervals_nobody_is_accused():
    assert "without an interval" in " ".join(self_preference([row("a", 2.0)]))


def test_a_higher_ratio_without_an_interval_is_named():
    text = " ".join(self_preference([row("top", 1.8, 1.4, 2.3), row("few", 3.42), MEANS]))

    assert "the highest ratio with an interval." in text
    assert "Too few cases for an interval: few (3.42)." in text


def test_a_ratio_below_a_higher_one_with_an_interval_is_not_called_the_highest_with_one():
    wide, top = row("wide", 3.0, 0.7, 9.0), row("top", 1.8, 1.4, 2.3)

    one = self_preference([wide, top, MEANS])
    two = self_preference([wide, top, row("next", 1.6, 1.2, 2.1), MEANS])

    assert one[0].endswith("(95% CI 1.40 to 2.30), the only ratio clearly above 1.")
    assert two[0].endswith("(95% CI 1.40 to 2.30), the highest of those clearly above 1.")


def test_judges_that_credit_their_relatives_are_named_highest_first():
    lines = family_preference(
        [row("a", family=(1.2, 1.1, 1.4)), row("b", family=(1.6, 1.2, 2.0)), row("c", family=(1.1, 0.9, 1.3))]
    )

    assert lines == ["For the rest of the family, above 1: b 1.60 [1.20, 2.00] and a 1.20 [1.10, 1.40]."]


def test_no_relatives_make_no_claim_about_families():
    assert family_preference([row("a")]) == ["No judge has a ratio for the rest of its family here."]


def test_at_instance_level_the_text_speaks_of_comparisons_and_not_of_matching():
    text = " ".join(self_preference([row("top", 1.8, 1.4, 2.3), MEANS], "instance"))

    assert "turns comparisons that its own answers lost into wins or ties 1.80 times as often" in text
    assert "rubrics" not in text
