"""What is said of judges whose two sides can be compared, and of those whose cannot."""

import pytest

from engine.explore.compare import Common, Comparison
from engine.measures.catalogue import MEASURES
from engine.words.comparison_words import finding
from engine.words.no_numbers import count_of_tested

FEW = "on one side fewer than 5 cases passed, or fewer than 5 failed"


def compared(judge, a, b, p):
    row = {"judge": judge, "judge_b": judge, "field": "hspp_self", "p_adjusted": p, "p": p}
    row |= {"a": a[0], "a_low": a[1], "a_high": a[2], "b": b[0], "b_low": b[1], "b_high": b[2]}
    reasons = {"p": "few_cases", "p_adjusted": "few_cases"} if p is None else {}
    return row | {"difference": a[0] / b[0], "low": None, "high": None, "reasons": reasons}


def sentences(*rows):
    comparison = Comparison(
        MEASURES["hspp"], ("hspp_self",), (), list(rows), [], Common(0, 9, 9, applied=False), True, None
    )
    return finding(comparison, "hspp_self")


def test_judges_without_a_test_are_not_counted_among_those_that_do_not_differ():
    alike, unsure = (1.0, 0.8, 1.3), (1.2, 0.6, 2.2)
    rows = [compared("a", alike, alike, 0.9), compared("b", unsure, alike, None)]
    rows += [compared("c", (6.0, 3.8, 9.9), (0.6, 0.2, 2.1), None), compared("d", alike, alike, 0.8)]

    b = "b (1.20 in A, 1.00 in B)"
    assert sentences(*rows) == [
        "Of 4 judges only 2 can be tested: neither differs significantly (adjusted p below 0.05).",
        f"Not tested: c (6.00 in A, 0.60 in B; their intervals do not overlap) and {b}: {FEW}.",
    ]


def test_where_no_judge_can_be_tested_the_reason_is_given():
    row = compared("a", (6.0, 3.8, 9.9), (1.0, 0.6, 4.0), None)

    assert sentences(row) == ["No judge can be tested.", f"Not tested: a (6.00 in A, 1.00 in B): {FEW}."]


@pytest.mark.parametrize(
    ("n_tested", "total", "n_sure", "words"),
    [
        (2, 2, 0, "neither judge differs"),
        (6, 6, 6, "all 6 judges differ"),
        (1, 6, 1, "of 6 judges only 1 can be tested: it differs"),
        (1, 6, 0, "of 6 judges only 1 can be tested: it is not shown that it differs"),
        (3, 6, 0, "of 6 judges only 3 can be tested: none differs"),
        (3, 6, 1, "of 6 judges only 3 can be tested: 1 differs"),
        (2, 6, 2, "of 6 judges only 2 can be tested: both differ"),
    ],
)
def test_counts_are_of_the_judges_that_can_be_tested(n_tested, total, n_sure, words):
    assert count_of_tested(n_tested, total, n_sure, "differs", "differ") == words
