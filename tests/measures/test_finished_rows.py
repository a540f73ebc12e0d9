"""A table made into rows: its values, intervals and p-values, and the reasons where there are none."""

from dataclasses import replace

import numpy as np
import pytest

from engine.measures import entry
from engine.measures.catalogue import MEASURES
from engine.measures.finished_rows import finish, plain
from engine.measures.rows import Column, FewCases, Intervals, Table

FIELDS = (entry.key("judge", "who"), entry.key("level", "of what"), entry.ratio("r", "a ratio"))
NAN = float("nan")


def rows_of(*, fields=FIELDS, instances=10, keep=None, min_instances=10, weights=None, **columns):
    """Return the finished rows of a measure with these columns."""
    measure = replace(MEASURES["hspp"], fields=fields, intervals={})
    size = len(next(iter(columns.values())).values)
    keep = np.ones(size, dtype=bool) if keep is None else np.array(keep)
    values = finish(measure, Table(columns, keep, instances), min_instances, weights)
    plain_columns = {name: [plain(value) for value in column] for name, column in values.items()}
    return [dict(zip(plain_columns, row, strict=True)) for row in zip(*plain_columns.values(), strict=True)]


def judged(names, levels=None):
    return {"judge": Column(names), "level": Column(levels or ["rubric"] * len(names))}


def interval(low, high, p, reason="hangs_on_one_instance"):
    return Intervals(*(np.array(part, dtype=float) for part in (low, high, p)), reason)


def test_a_python_value_is_one_that_json_can_hold():
    values = np.float64(0.5), np.int64(3), np.bool_(True), ("a", 1), "a", None

    assert [plain(value) for value in values] == [0.5, 3, True, ["a", 1], "a", None]
    assert [plain(value) for value in (NAN, float("inf"), -np.float64("inf"))] == [None] * 3
    assert type(plain(np.int64(3))) is int


def test_rows_that_are_not_kept_are_left_out_with_their_intervals_and_reasons():
    number = Column(
        np.array([1.0, 2.0, NAN, 4.0]),
        None,
        ["a", "b", "c", "d"],
        interval([0, 1, 2, 3], [2, 3, 4, 5], [1, 1, 1, 1]),
    )

    rows = rows_of(**judged(list("WXYZ")), r=number, keep=[False, True, True, True])

    assert [row["judge"] for row in rows] == ["X", "Y", "Z"]
    assert [(row["r"], row["r_low"], row["r_high"]) for row in rows] == [
        (2, 1, 3),
        (None, None, None),
        (4, 3, 5),
    ]
    assert rows[1]["reasons"] == dict.fromkeys(("r", "r_low", "r_high", "r_p", "r_p_adjusted"), "c")
    assert rows[0]["reasons"] == {}


def test_values_of_lists_and_arrays_become_plain_and_without_a_reason_are_undefined():
    fields = (entry.key("judge", "who"), entry.count("n", "cases"), entry.Field("flag", "flag", "so"),
              entry.Field("some", "list", "some"), entry.number("x", "a number"))  # fmt: skip
    columns = {
        "judge": Column(["J", "K"]), "n": Column(np.array([1, 2], dtype=np.int32)),
        "flag": Column(np.array([True, False])), "some": Column([("a",), ()]), "x": Column([np.inf, 1]),
    }  # fmt: skip

    first, second = rows_of(fields=fields, **columns)

    assert first == {
        "judge": "J", "n": 1, "flag": True, "some": ["a"], "x": None, "reasons": {"x": "undefined"},
    }  # fmt: skip
    assert second == {"judge": "K", "n": 2, "flag": False, "some": [], "x": 1, "reasons": {}}


def test_a_number_without_an_interval_has_the_reason_of_its_interval():
    number = Column(np.array([1.0, 2.0]), None, "undefined", interval([NAN, 1], [NAN, 3], [NAN, 0.5]))

    first, second = rows_of(**judged(["J", "K"]), r=number)

    assert (first["r"], first["r_low"], first["r_p"]) == (1, None, None)
    assert first["reasons"] == dict.fromkeys(
        ("r_low", "r_high", "r_p", "r_p_adjusted"), "hangs_on_one_instance"
    )
    assert (second["r_p"], second["r_p_adjusted"], second["reasons"]) == (0.5, 0.5, {})


def test_without_resamples_there_is_no_interval_and_a_row_of_means_has_no_adjusted_p():
    rows = rows_of(**judged(["J", None, "K"]), r=Column(np.array([1.0, 2.0, NAN]), None, "nothing"))

    ends = ("r_low", "r_high", "r_p")
    assert rows[0]["reasons"] == dict.fromkeys((*ends, "r_p_adjusted"), "no_resamples")
    assert rows[1]["reasons"] == dict.fromkeys(ends, "no_resamples") | {
        "r_p_adjusted": "row_of_means", "judge": "undefined",
    }  # fmt: skip
    assert rows[2]["reasons"] == dict.fromkeys(("r", *ends, "r_p_adjusted"), "nothing")


def test_draws_give_percentiles_and_a_p_by_the_side_of_the_null_value():
    ranks = np.arange(100)
    draws = np.stack([1 + (ranks - 24) / 32, 3 + ranks], axis=1)  # 25 of 100 are at or below 1, and none

    first, second = rows_of(**judged(["J", "K"]), r=Column(np.array([1.5, 3.0]), draws))

    assert (first["r_low"], first["r_high"]) == pytest.approx(tuple(np.percentile(draws[:, 0], [2.5, 97.5])))
    assert first["r_p"] == pytest.approx(2 * (25 + 1) / 101)
    assert second["r_p"] == pytest.approx(2 / 101)


def test_resamples_that_are_all_alike_make_no_interval_and_no_p():
    draws = np.full((100, 1), 3.0)

    [row] = rows_of(**judged(["J"]), r=Column(np.array([3.0]), draws))

    assert row["r"] == 3
    assert row["reasons"] == dict.fromkeys(("r_low", "r_high", "r_p", "r_p_adjusted"), "resamples_alike")


def test_what_is_made_of_ranks_may_have_an_interval_without_width():
    fields = (entry.key("judge", "who"), entry.of_ranks("r", "a rank"))

    [row] = rows_of(fields=fields, judge=Column(["J"]), r=Column(np.array([3.0]), np.full((100, 1), 3.0)))

    assert (row["r_low"], row["r_high"]) == (3, 3)


def test_of_one_question_there_is_no_interval_by_resampling():
    draws = np.arange(100.0)[:, None]  # such as with added cases
    ranks = (entry.key("judge", "who"), entry.of_ranks("r", "a rank"))

    for fields in (FIELDS, ranks):
        [row] = rows_of(fields=fields, instances=1, **judged(["J"]), r=Column(np.array([3.0]), draws))

        assert row["r_low"] is row["r_high"] is None
        assert row["reasons"]["r_low"] == "one_instance"


def test_p_values_are_adjusted_over_the_judges_of_a_level_without_the_row_of_means():
    p = interval([0] * 5, [1] * 5, [0.01, 0.04, 0.03, 0.001, 0.2])
    names, levels = ["J", "K", "J", None, "L"], ["rubric", "rubric", "instance", "rubric", "rubric"]

    rows = rows_of(**judged(names, levels), r=Column(np.ones(5), None, None, p))

    # Benjamini and Hochberg of .01, .04 and .2: .03, .06, .2; at the other level .03 alone.
    assert [row["r_p"] for row in rows] == [0.01, 0.04, 0.03, 0.001, 0.2]
    assert [row["r_p_adjusted"] for row in rows] == [
        *map(pytest.approx, (0.03, 0.06, 0.03)),
        None,
        pytest.approx(0.2),
    ]
    assert rows[3]["reasons"]["r_p_adjusted"] == "row_of_means"


@pytest.mark.parametrize(("instances", "has_p"), [(9, False), (10, True)])
def test_with_fewer_instances_than_the_least_there_is_an_interval_and_no_p(instances, has_p):
    number = Column(np.ones(2), None, None, interval([0, 0], [2, 2], [0.5, 0.5]))

    for row in rows_of(**judged(["J", "K"]), r=number, instances=instances):
        assert (row["r_low"], row["r_high"]) == (0, 2)
        assert (row["r_p"] is not None) == (row["r_p_adjusted"] is not None) == has_p
        codes = {} if has_p else dict.fromkeys(("r_p", "r_p_adjusted"), "too_few_instances")
        assert row["reasons"] == codes


def few_cases(*, always):
    """Return the intervals of few cases for two of three rows, one of which has none, by its reason."""
    replaced = np.array([True, True, False])
    low, high, p = (np.array(part) for part in ([0.25, NAN, 9.0], [4.0, NAN, 9.0], [0.75, NAN, 9.0]))
    return FewCases(replaced, replaced, low, high, p, np.array(["", "all_alike", "unused"]), always)


def test_intervals_of_few_cases_stand_in_where_they_always_do():
    ends = interval([0, 0, 0.5], [2, 2, 1.5], [0.5, 0.5, 0.25])
    always, expanded = (
        rows_of(**judged(list("JKL")), r=Column(np.ones(3), None, None, ends, few_cases(always=way)))
        for way in (True, False)
    )

    assert [(row["r_low"], row["r_high"], row["r_p"]) for row in always] == [
        (0.25, 4, 0.75), (None, None, None), (0.5, 1.5, 0.25),
    ]  # fmt: skip
    assert always[1]["reasons"] == dict.fromkeys(("r_low", "r_high", "r_p", "r_p_adjusted"), "all_alike")
    # Benjamini and Hochberg of .75 and .25.
    assert [row["r_p_adjusted"] for row in always] == [0.75, None, 0.5]
    # Others stand in for expanded intervals alone, which take the weights of resamples.
    assert [row["r_low"] for row in expanded] == [0, 0, 0.5]


def test_intervals_of_few_cases_need_no_others():
    rows = rows_of(**judged(list("JKL")), r=Column(np.ones(3), None, None, None, few_cases(always=True)))

    assert [row["r_low"] for row in rows] == [0.25, None, None]
    assert rows[2]["reasons"]["r_low"] == rows[2]["reasons"]["r_p"] == "no_resamples"
    assert rows[1]["reasons"]["r_high"] == "all_alike"
