"""The slice finder on simulated studies: it finds what is planted, and its numbers equal the measures'."""

import math

import pytest
from explore.studies import simulated

from engine.errors import UsageError
from engine.explore.slice_search import FEWEST_FAILURES, find_slices
from engine.simulation.design import Bias
from engine.slices import Slice

COLUMNS = {"polarity", "length", "axis", "theme", "agreement"}


def test_the_planted_slice_comes_first_and_is_claimed(planted):
    first = planted.find_result().rows[0]

    assert first["judge"] == "a"
    assert "polarity" in first["where"]
    assert first["p_adjusted"] < 0.01


def test_unbiased_judges_are_not_accused(planted):
    rows = planted.find_result().rows

    assert {row["judge"] for row in rows if row["p_adjusted"] < 0.05} == {"a"}


def test_nothing_is_claimed_if_nothing_is_planted(tmp_path):
    studies = [simulated(tmp_path, f"null-{seed}", Bias(), seed) for seed in range(4)]

    searches = [find_slices(study, Slice()) for study in studies]

    assert all(each.n_tried > 100 for each in searches)
    assert [each.p_adjusted < 0.05 for search in searches for each in search.slices].count(True) == 0


def test_a_row_has_the_same_ratio_as_the_measure_with_its_filters(planted):
    rows = [row for row in planted.find_result().rows if row["by"] is None]
    some = rows[:: len(rows) // 25]

    for row in some:
        options = {"judges": [row["judge"]], "resamples": 0, **row["filters"]}
        measured = planted.result("hspp", **options).rows[0]

        assert measured["hspp_self"] == pytest.approx(row["hspp_self"]), row["where"]
        assert (measured["n_self"], measured["n_matched"]) == (row["n_self"], row["n_matched"])
        assert measured["hspp_matched"] == pytest.approx(row["hspp_matched"])


def test_a_row_without_a_filter_is_a_group_of_the_column_it_names(planted):
    others = {"agreement_without_family": True}
    row = next(
        row for row in planted.find_result().rows if row["by"] == "agreement" and row["filters"] == others
    )

    groups = planted.result("hspp", judges=[row["judge"]], resamples=0, by="agreement", **others).rows

    group = next(each for each in groups if each["slice"] == row["where"].removeprefix("agreement="))
    assert group["hspp_self"] == pytest.approx(row["hspp_self"])


def test_slices_by_agreement_ignore_the_judges_own_votes(planted):
    result = planted.find_result()

    rows = [row for row in result.rows if "agreement" in row["where"]]
    assert rows
    assert all(row["filters"]["agreement_without_family"] for row in rows)
    assert result.filters["agreement_without_family"]


def test_the_rest_is_the_complement(planted):
    rows = planted.find_result(judges=["a"]).rows
    by_where = {row["where"]: row for row in rows}

    negative, positive = by_where["polarity=negative"], by_where["polarity=positive"]

    assert negative["hspp_rest"] == pytest.approx(positive["hspp_self"])
    assert negative["n_rest"] == positive["n_self"]
    assert negative["difference"] == pytest.approx(1 / positive["difference"])


def test_p_is_adjusted_over_all_tried_slices_of_all_judges(planted):
    result = planted.find_result()

    assert len(result.rows) == result.filters["slices_tried"]
    tests = len(result.rows)
    least = 1.0
    for rank in range(tests, 0, -1):  # Benjamini and Hochberg: the least of p n / rank from here on
        row = result.rows[rank - 1]
        least = min(least, row["p"] * tests / rank)
        assert row["p_adjusted"] == pytest.approx(least)
    assert {row["judge"] for row in result.rows} == {"a", "b", "c", "d"}


def test_small_slices_are_marked_and_those_below_the_threshold_are_only_counted(planted):
    result = planted.find_result()

    counts = [min(row["n_self"], row["n_rest"]) for row in result.rows]
    assert min(counts) >= FEWEST_FAILURES
    assert [row["small"] for row in result.rows] == [fewest < 30 for fewest in counts]
    assert {True, False} == {row["small"] for row in result.rows}
    assert result.left_out["too_small"] > 0


def test_slices_of_one_and_two_columns_are_each_tried_once(planted):
    rows = planted.find_result().rows

    cut = [frozenset(part.split("=")[0] for part in row["where"].split("; ")) for row in rows]
    assert {len(columns) for columns in cut} == {1, 2}
    assert frozenset.union(*cut) == COLUMNS
    slices = [(row["judge"], row["where"]) for row in rows]
    assert len(set(slices)) == len(slices)


def test_top_keeps_the_surest_rows_and_the_adjustment(planted):
    full, top = planted.find_result(), planted.find_result(top=3)

    assert top.rows == full.rows[:3]
    assert top.filters["slices_tried"] == full.filters["slices_tried"]


def test_results_of_a_search_within_a_slice_stay_within_it(planted):
    low, high = 30.0, 90.0

    rows = planted.find_result(length=(low, high), judges=["a"]).rows

    lengths = [row["filters"]["length"] for row in rows if "length" in row["filters"]]
    ends = [tuple(map(float, text.split(":"))) for text in lengths]
    assert all(low <= first <= last <= high for first, last in ends)
    for row in (row for row in rows[:40] if "length" in row["filters"] and row["by"] is None):
        options = {"length": (low, high), **row["filters"], "judges": ["a"], "resamples": 0}
        measured = planted.result("hspp", **options).rows[0]
        assert math.isclose(measured["hspp_self"], row["hspp_self"]), row["where"]


def test_a_column_fixed_by_the_filters_gives_no_slices(planted):
    result = planted.find_result(polarity="positive", judges=["a"])

    assert "polarity" not in result.filters["columns"]
    assert not any("polarity" in row["where"] for row in result.rows)


def test_stored_orders_of_rubrics_add_position_and_ordering_as_columns(tmp_path):
    study = simulated(tmp_path, "lists", Bias(), 3, paradigms=("all_rubrics",))

    columns = study.find_result().filters["columns"]

    assert "position" in columns


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 0}, "top 0 is not a whole number from 1"),
        ({"top": "ten"}, "top 'ten' is not a number; write one such as 10, or leave it out"),
        ({"tops": 3}, "unknown filter or option 'tops'; did you mean 'top'. choose from: .*, top"),
        ({"level": "instance"}, "level 'rubric' only"),
        ({"paradigm": "pairwise"}, "pairwise"),
        ({"colour": "red"}, "unknown filter or option 'colour'"),
    ],
)
def test_an_impossible_search_is_refused_with_the_reason(planted, options, message):
    with pytest.raises(UsageError, match=message):
        planted.find_result(**options)
