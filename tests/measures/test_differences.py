"""Two tables side by side: which rows are compared, how, and why a difference is not tested."""

from dataclasses import replace

import numpy as np
import pytest

from engine.measures import entry
from engine.measures.catalogue import MEASURES
from engine.measures.comparison import compared_as_ratio, comparison_measure, differences, matching_rows
from engine.measures.rows import Column, FewCases, Table

FIELDS = (
    entry.key("judge", "who"), entry.key("level", "of what"), entry.ratio("r", "a ratio"),
    entry.share("s", "a share"), entry.difference("d", "a difference"),
    entry.ratio("u", "of no null", tested=False),
)  # fmt: skip
NAN = float("nan")
MEASURE = replace(
    MEASURES["hspp"], fields=FIELDS, keys=("judge", "level"), headline="r", compared_as="ratio", intervals={}
)


def table_of(judges, number, *, keep=None, levels=None, name="r"):
    columns = {"judge": Column(judges), "level": Column(levels or ["rubric"] * len(judges)), name: number}
    keep = np.ones(len(judges), dtype=bool) if keep is None else np.array(keep)
    return Table(columns, keep, 10)


def compared(a, b, *, few=False, judges=("J",), name="r", measure=MEASURE):
    tables = [table_of(list(judges), column, name=name) for column in (a, b)]
    return differences(measure, tables, name, matching_rows(measure, *tables), few=few)


def number(*values, spread=None, reasons="nothing_there", few=None):
    """Return numbers, with 101 draws evenly up to `spread` below and above each."""
    draws = None
    if spread is not None:
        draws = np.array(values) + np.linspace(-spread, spread, 101)[:, None]
    return Column(np.array(values, dtype=float), draws, reasons, few=few)


def test_the_headline_is_compared_as_declared_and_other_numbers_as_ratios_if_tested_at_1():
    by_difference = replace(MEASURE, compared_as="difference")

    assert [name for name in "rsdu" if compared_as_ratio(MEASURE, name)] == ["r"]
    assert [name for name in "rsdu" if compared_as_ratio(by_difference, name)] == []
    assert [name for name in "rsdu" if compared_as_ratio(replace(by_difference, headline="s"), name)] == ["r"]


def test_the_fields_of_a_comparison_are_the_keys_and_the_kinds_of_its_headline():
    ratios = {field.name: field for field in comparison_measure(MEASURE).fields}
    of_shares = replace(MEASURE, headline="s", compared_as="difference")
    shares = {field.name: field.kind for field in comparison_measure(of_shares).fields}

    assert list(ratios) == ["judge", "level", "a", "b", "difference", "low", "high", "p", "p_adjusted"]
    assert {ratios[name].kind for name in ("a", "b", "difference", "low", "high")} == {"ratio"}
    assert ratios["difference"].axis == "ratio now / before"
    assert (shares["a"], shares["b"]) == ("share", "share")
    assert {shares[name] for name in ("difference", "low", "high")} == {"difference"}


def test_rows_that_both_keep_are_matched_by_their_keys_in_the_order_of_the_first():
    first = table_of(["K", "J", "J", "L"], number(1, 2, 3, 4), levels=list("rrir"))
    second = table_of(["J", "L", "K", "J"], number(1, 2, 3, 4), levels=list("irrr"), keep=[1, 0, 1, 1])

    assert matching_rows(MEASURE, first, second) == [(0, 2), (1, 3), (2, 0)]
    nothing = table_of(["J"], number(1), keep=[False])
    assert matching_rows(MEASURE, first, nothing) == matching_rows(MEASURE, nothing, first) == []
    assert differences(MEASURE, [first, nothing], "r", [], few=False) == []


def test_ratios_are_divided_and_other_numbers_subtracted():
    [ratio] = compared(number(3, spread=0.5), number(2, spread=0))
    [share] = compared(number(0.75, spread=0.2), number(0.5, spread=0), name="s")

    assert [ratio[name] for name in ("a", "b", "difference")] == [3, 2, 1.5]
    assert [share[name] for name in ("a", "b", "difference")] == [0.75, 0.5, 0.25]
    # Of draws evenly up to .5 and .2 away, 95 % lie within .475 and .19.
    assert [ratio["low"], ratio["high"]] == pytest.approx([2.525 / 2, 3.475 / 2])
    assert [share["low"], share["high"]] == pytest.approx([0.06, 0.44])
    # All 101 draws lie above no difference: 2 (0 + 1) / 102.
    assert (ratio["p"], share["p"]) == (pytest.approx(2 / 102), pytest.approx(2 / 102))
    assert ratio["reasons"] == {}


def test_draws_of_both_are_paired():
    # The draws of a less those of b are .25 and up to .1 away, not up to .3; alike ones are no interval.
    [share] = compared(number(0.75, spread=0.2), number(0.5, spread=0.1), name="s")
    [constant] = compared(number(0.75, spread=0.1), number(0.5, spread=0.1), name="s")
    [same] = compared(number(2, spread=0.5), number(2, spread=0.5))

    assert (share["low"], share["high"]) == (pytest.approx(0.155), pytest.approx(0.345))
    assert (constant["low"], constant["high"], constant["p"]) == (None, None, pytest.approx(2 / 102))
    assert (same["low"], same["high"], same["p"]) == (None, None, 1)
    assert same["reasons"] == dict.fromkeys(("low", "high"), "resamples_alike")


def test_two_sides_of_one_question_have_no_interval():
    tables = [replace(table_of(["J"], number(2, spread=spread)), instances=1) for spread in (0.5, 0.1)]

    [row] = differences(MEASURE, tables, "r", [(0, 0)], few=True)

    assert row["difference"] == 1
    assert (row["low"], row["reasons"]["low"]) == (None, "one_instance")


@pytest.mark.parametrize(
    ("a", "b", "side"),
    [
        (number(NAN, reasons="of_a"), number(1), "of_a"),
        (number(1), number(NAN, reasons="of_b"), "of_b"),
    ],
)
def test_without_a_number_on_one_side_the_difference_is_undefined_for_its_reason(a, b, side):
    [row] = compared(a, b)

    missing = {"difference", "low", "high", "p", "p_adjusted"} | ({"a"} if side == "of_a" else {"b"})
    assert row["reasons"] == dict.fromkeys(missing, side)
    assert {name for name, value in row.items() if value is None} == missing


def test_where_both_are_undefined_each_has_its_own_reason_and_the_difference_that_of_the_first():
    [row] = compared(number(NAN, reasons="of_a"), number(NAN, reasons="of_b"))

    assert (row["reasons"]["a"], row["reasons"]["b"], row["reasons"]["p"]) == ("of_a", "of_b", "of_a")


def test_a_ratio_over_0_and_a_comparison_without_draws_say_so():
    [over_zero] = compared(number(1), number(0))
    [without] = compared(number(1), number(2))
    [one_sided] = compared(number(1, spread=0), number(2))

    assert (over_zero["difference"], over_zero["reasons"]["difference"]) == (None, "denominator_is_zero")
    assert without["difference"] == one_sided["difference"] == 0.5
    for row in (without, one_sided):
        assert row["reasons"] == dict.fromkeys(("low", "high", "p", "p_adjusted"), "no_resamples")


@pytest.mark.parametrize(
    ("spread", "p", "is_smallest"),
    [
        (1, 2 / 102, True),  # 0 of 101 draws at or beyond 0: p is 2 (0 + 1) / (101 + 1), and could be less
        (2, 4 / 102, False),  # the lowest draw alone is 0
    ],
)
def test_a_p_that_no_draw_supports_is_marked_as_the_smallest_possible(spread, p, is_smallest):
    (row,) = compared(number(2, spread=spread), number(0, spread=0), name="d")

    assert (row["p"], row["p_is_smallest"]) == (pytest.approx(p), is_smallest)


def test_what_is_not_tested_has_no_smallest_p():
    (row,) = compared(number(2, spread=1), number(0, spread=0), name="d", few=True)

    assert (row["p"], row["p_is_smallest"]) == (None, False)


def test_too_few_instances_leave_an_interval_and_no_p():
    [row] = compared(number(3, spread=0.5), number(2, spread=0), few=True)

    assert (row["low"], row["high"]) == (pytest.approx(2.525 / 2), pytest.approx(3.475 / 2))
    assert row["p"] is row["p_adjusted"] is None
    assert row["reasons"] == dict.fromkeys(("p", "p_adjusted"), "too_few_instances")
    [without] = compared(number(3), number(2), few=True)
    assert without["reasons"]["low"] == "no_resamples"
    assert without["reasons"]["p"] == "too_few_instances"


def test_p_values_are_adjusted_over_judges_without_the_row_of_means():
    low, none = number(3, 3, 3, spread=0.5), number(2, 2, 3, spread=0.5)

    rows = compared(low, none, judges=(None, "J", "K"))

    # Both orders of K are alike: p = 1. Of 2/102 and 1 the first is doubled.
    assert [row["p"] for row in rows] == [pytest.approx(2 / 102), pytest.approx(2 / 102), 1]
    assert [row["p_adjusted"] for row in rows] == [None, pytest.approx(4 / 102), 1]
    assert rows[0]["reasons"] == {"p_adjusted": "row_of_means"}
    alone = replace(MEASURE, keys=("level",))
    [row] = compared(number(3, spread=0.5), number(2, spread=0), judges=(None,), measure=alone)
    assert row["p_adjusted"] == pytest.approx(2 / 102)


def few_cases(small, reason=""):
    nothing = np.array([NAN])
    marks = np.array([small])
    return FewCases(marks, marks, nothing, nothing, nothing, np.array([reason]))


@pytest.mark.parametrize(
    ("of_a", "of_b", "code"),
    [
        (few_cases(True), None, "few_cases"),
        (None, few_cases(True), "few_cases"),
        (few_cases(True), few_cases(True, "no_cases"), "no_cases"),
        (few_cases(True, "all_alike"), few_cases(True, "no_cases"), "all_alike"),
        (few_cases(False, "all_alike"), few_cases(False), None),
    ],
)
def test_numbers_of_few_cases_are_not_told_apart(of_a, of_b, code):
    [row] = compared(number(3, spread=0.5, few=of_a), number(2, spread=0, few=of_b))

    assert row["difference"] == 1.5
    codes = {} if code is None else dict.fromkeys(("low", "high", "p", "p_adjusted"), code)
    assert row["reasons"] == codes
    assert (row["low"] is None) == (code is not None)
