"""The finder's sentences claim no more than its rows."""

import pytest

from engine.explore.find_slices import clearest, listed_rows, strongest_first, strongest_of_each
from engine.words.slice_words import only_these, slice_sentences


def row(judge, where, difference, p, matched=1.5, small=False):
    return {
        "judge": judge, "where": where, "difference": difference, "difference_low": difference * 0.8,
        "difference_high": difference * 1.25, "p_adjusted": p, "hspp_self": 2.0, "hspp_rest": 1.0,
        "hspp_matched": matched, "n_self": 40, "n_rest": 400, "n_matched": 60, "small": small,
    }  # fmt: skip


def test_without_a_sure_slice_no_slice_is_said_to_stand_apart():
    lines = slice_sentences([row("a", "axis=x", 2.0, 0.2), row("b", "axis=y", 0.5, 0.4)], n_tried=54)

    assert lines[0].startswith("No slice stands out: none of 54 slices tried differs")
    assert (
        "with axis x, the ratio of a is 2.00 times as high as elsewhere (95% CI 1.60 to 2.50; 2.00 against"
        in lines[1]
    )
    assert "(not significant)" in lines[1]


def test_of_a_judge_that_was_asked_for_the_slice_most_above_elsewhere_is_named():
    rows = [row("a", "axis=x", 0.5, 0.2), row("a", "axis=y", 1.1, 0.7), row("a", "axis=z", 1.4, 0.8)]

    lines = slice_sentences(rows, n_tried=3, judges=["a", "b"])

    assert "0.50 times" in lines[1]
    assert lines[2].startswith(
        "The most above elsewhere (not significant): with axis z, the ratio of a is 1.40"
    )
    assert len(slice_sentences(rows[:1], 3, ["a"])) == 2  # below elsewhere in every slice


def test_a_slice_with_more_favour_comes_before_a_surer_one_with_less():
    less, more = row("a", "polarity=positive", 0.4, 0.001), row("a", "polarity=negative", 2.5, 0.002)

    assert clearest([less, more]) is more
    assert clearest([less]) is less


def test_a_broader_slice_that_also_stands_apart_is_named_instead_of_the_surest():
    fine = row("a", "polarity=negative; axis=x", 2.6, 0.001)
    plain = row("a", "polarity=negative", 2.4, 0.01)
    of_another = row("b", "axis=x", 2.0, 0.01)

    assert clearest([fine, plain, of_another]) is plain
    assert clearest([fine, of_another]) is fine
    assert clearest([fine, row("a", "axis=x", 1.2, 0.3)]) is fine


def test_other_judges_whose_slices_stand_apart_are_named_once():
    rows = [row("a", "axis=x", 2.0, 0.001), row("b", "axis=x", 2.0, 0.01), row("b", "axis=y", 2.0, 0.02)]

    text = " ".join(slice_sentences(rows, n_tried=1200))

    assert text.startswith("3 of 1,200 slices tried stand out. The clearest: with axis x, the ratio of a")
    assert text.endswith(
        "The ratio is most above that elsewhere for a with axis x (2.00 times) "
        "and for b with axis x (2.00 times)."
    )
    assert "adjusted p 0.001" in text


def test_a_judge_whose_ratio_is_only_lower_somewhere_is_no_more_than_mentioned():
    rows = [row("a", "axis=x", 2.0, 0.001), row("b", "axis=y", 0.4, 0.01)]

    text = " ".join(slice_sentences(rows, n_tried=12))

    assert text.endswith("It is also the strongest finding. Slices of b stand out too.")


def test_the_strongest_finding_of_a_judge_is_named_where_another_is_clearer():
    rows = [row("a", "axis=x", 1.5, 0.001), row("a", "axis=y", 6.0, 0.04, small=True)]

    text = " ".join(slice_sentences([*rows, row("a", "axis=z", 9.0, 0.2)], n_tried=12))

    assert "The clearest: with axis x" in text
    assert text.endswith("The ratio is most above that elsewhere for a with axis y (6.00 times, few cases).")
    assert [each["where"] for each in strongest_of_each(rows)] == ["axis=y"]


def test_of_a_judge_that_was_asked_for_it_is_said_that_no_slice_stands_apart():
    text = " ".join(slice_sentences([row("a", "axis=x", 2.0, 0.001)], 9, ("a", "b", "c")))

    assert text.endswith("No slice of b or c stands out.")


def test_the_strongest_come_first_among_those_that_are_sure_then_among_the_others():
    rows = [
        row("a", "w", 1.5, 0.001),
        row("a", "x", 3.0, 0.04),
        row("a", "y", 2.0, 0.2),
        row("b", "z", 9.0, 0.3),
    ]

    assert [each["where"] for each in strongest_first(rows)] == ["x", "w", "z", "y"]


def test_a_slice_its_rest_and_what_lies_within_them_are_one_finding_listed_first():
    rest = {"n_self": 60, "n_rest": 40}
    whole = [
        row("a", "polarity=negative; language=en", 2.1, 0.001) | {"n_self": 39, "n_rest": 61, "p": 0.0001},
        row("a", "polarity=positive", 0.5, 0.002) | rest | {"p": 0.0002},
        row("a", "polarity=negative", 2.0, 0.002) | {"n_self": 40, "n_rest": 60, "p": 0.0002},
        row("a", "polarity=positive; language=en", 0.5, 0.002) | rest | {"n_self": 59, "p": 0.0002},
        row("b", "polarity=negative", 2.0, 0.003) | {"n_self": 40, "n_rest": 60, "p": 0.0003},
    ]

    text = " ".join(slice_sentences(whole, n_tried=30))

    assert text.startswith(
        "5 of 30 slices tried stand out, as 2 findings: the others lie within these or their rests. "
        "The clearest: with polarity negative, the ratio of a is 2.00 times as high"
    )
    assert [(each["judge"], each["where"]) for each in listed_rows(whole)] == [
        ("a", "polarity=negative"),
        ("b", "polarity=negative"),
        ("a", "polarity=negative; language=en"),
        ("a", "polarity=positive; language=en"),
    ]


def test_few_cases_a_tiny_p_and_missing_matched_rubrics_are_mentioned():
    text = " ".join(slice_sentences([row("a", "axis=x", 2.0, 1e-7, matched=None, small=True)], n_tried=9))

    assert "few cases" in text
    assert "adjusted p below 0.001" in text
    assert "No criterion there was failed by both answers" in text
    assert "1 of 9 slices tried stands out" in text


def test_of_many_numbers_the_ends_and_how_many_they_are_are_named():
    prices = tuple(f"{100.5 + euros:g}" for euros in reversed(range(34)))

    assert only_these({"segment": prices}) == "Only segment 100.5 to 133.5 (34 values) is counted."
    assert only_these({"segment": prices[:2]}) == "Only segment 133.5 or 132.5 is counted."
    assert "or 23 more" in only_these({"segment": (*prices, "none")})


def test_a_slice_is_named_by_what_is_judged_and_not_by_what_counts_it():
    everything = {"paradigm": "pairwise", "judges": ("a",), "theme": (), "polarity": None, "length": None}

    assert only_these(everything) == ""
    assert only_these({**everything, "theme": ("code",)}) == "Only theme code is counted."
    assert only_these({"theme": ("code", "maths"), "polarity": "negative", "length": (5.0, None)}) == (
        "Only polarity negative, length of the criterion from 5 and theme code or maths are counted."
    )
    assert only_these({"min_agreement": 0.8}) == (
        "Only criteria on which at least 80% of the pairs of judges agree count."
    )
    assert only_these({"theme": ("code",), "min_agreement": 1.0, "agreement_without_family": True}) == (
        "Only theme code is counted. "
        "Only criteria on which all pairs of judges of other families agree count."
    )


@pytest.mark.parametrize(
    ("least", "judges", "words"),
    [
        # 6 of 7 alike: (6 * 5 + 1 * 0) / 2 = 15 of 21 pairs; 5 of 7: (20 + 2) / 2 = 11 of 21; 4 of 7: 9 of 21
        (0.8, 7, "; of 7 judges, 6 alike are 71% of the pairs"),
        (15 / 21, 7, "; of 7 judges, 6 alike are 71%, 5 alike are 52% of the pairs"),
        (0.7, 7, "; of 7 judges, 6 alike are 71%, 5 alike are 52% of the pairs"),
        (0.1, 7, "; of 7 judges, 4 alike are 43% of the pairs"),
        (0.5, 3, "; of 3 judges, 2 alike are 33% of the pairs"),
        (0.8, 2, ""),
    ],
)
def test_a_share_of_pairs_of_judges_is_also_given_in_judges(least, judges, words):
    sentence = only_these({"min_agreement": least, "agreement_judges": judges})

    assert sentence.removesuffix(".").endswith(f"pairs of judges agree count{words}")
