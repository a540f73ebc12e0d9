"""A result: its parts, what two have in common, its columns, and its files."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from engine.measures.catalogue import MEASURES
from engine.measures.result import Result, columns_of, plain_values
from engine.measures.row_kinds import opponent_rows, pooled_rows, scale_rows, scales

VALUES = {"judge": ["a", "b"], "n": np.array([3, 4]), "share": np.array([0.5, np.nan])}


def result_of(values=None, reason=None, by=None, measure="overestimation"):
    return Result(MEASURES[measure], "small", {"seed": 0}, VALUES if values is None else values, {"lost": 2},
                  reason, by)  # fmt: skip


def test_numbers_of_an_array_are_plain_and_nan_is_none():
    assert plain_values(np.array([0.5, np.nan])) == [0.5, None]
    assert [type(value) for value in plain_values(np.array([1, 2]))] == [int, int]
    assert plain_values(np.array([True, False])) == [True, False]
    nan = float("nan")
    assert plain_values([nan]) == [nan]  # a list is taken as it is


def test_a_result_says_what_was_measured_and_how_many_rows_there_are_or_why_none():
    assert repr(result_of()) == "<Result: overestimation of small, 2 rows>"
    assert repr(result_of({"judge": ["a"]})) == "<Result: overestimation of small, 1 row>"
    assert repr(result_of({}, "no judge")) == "<Result: overestimation of small, no rows: no judge>"


def test_results_are_equal_if_all_that_they_say_is():
    one = result_of()

    assert one == result_of(VALUES | {"share": [0.5, None]})
    assert one != "overestimation"
    assert one != replace(one, values={"judge": ["a", "b"]})
    for part, other in (("study", "large"), ("filters", {}), ("left_out", {}), ("reason", "x"), ("by", "y")):
        assert one != replace(one, **{part: other}), part
    assert one != replace(one, measure=MEASURES["hspp"])


def test_a_result_of_another_kind_is_another():
    class Named(Result):
        pass

    one = result_of()
    parts = ("measure", "study", "filters", "values", "left_out", "reason", "by")
    other = Named(*(getattr(one, part) for part in parts))

    assert other.rows == one.rows
    assert one != other
    assert other != one


def test_without_rows_the_columns_are_those_of_the_groups_and_the_measure():
    assert result_of().columns == ["judge", "n", "share"]
    declared = [name for field in MEASURES["overestimation"].fields for name in field.columns()]
    assert result_of({}).columns == [*declared, "reasons"]
    assert result_of({}, by="theme").columns == ["slice", *declared, "reasons"]
    assert result_of({}, by=("theme", "axis")).columns == ["theme", "axis", *declared, "reasons"]


def test_the_columns_of_groups_are_slice_for_one_and_their_own_for_two():
    one, two, none = result_of(by="theme"), result_of(by=("theme", "axis")), result_of()

    assert (one.by_one, two.by_one, none.by_one) == ("theme", None, None)
    assert one.group_columns == {"slice": "theme"}
    assert two.group_columns == {"theme": "theme", "axis": "axis"}
    assert none.group_columns == {}


def test_a_field_has_values_if_some_row_has_one():
    result = result_of(VALUES | {"nothing": [None, None]})

    assert result.has_values("share")
    assert result.has_values("judge")
    assert not result.has_values("nothing")


def test_other_rows_take_the_place_of_a_results_own():
    other = result_of().with_rows([{"judge": "c", "n": 1}])

    assert other.rows == [{"judge": "c", "n": 1}]
    assert other.study == "small"
    assert result_of().with_rows([]).values == columns_of([]) == {}


def test_json_is_one_object_in_which_undefined_is_null():
    text = result_of(VALUES | {"judge": ["ä", "b"]}).json()

    assert json.loads(text) == {
        "measure": "overestimation",
        "study": "small",
        "filters": {"seed": 0},
        "rows": [{"judge": "ä", "n": 3, "share": 0.5}, {"judge": "b", "n": 4, "share": None}],
        "left_out": {"lost": 2},
        "reason": None,
    }
    assert '"ä"' in text


def test_json_has_no_infinity():
    with pytest.raises(ValueError, match="not JSON compliant"):
        result_of({"share": np.array([np.inf])}).json()


def test_csv_joins_lists_and_reasons_and_leaves_null_empty():
    result = result_of(
        {"judge": ["a"], "members": [["x", 2]], "n": [None], "reasons": [{"n": "e", "m": "f"}]}
    )

    assert list(csv.reader(io.StringIO(result.csv()))) == [
        ["judge", "members", "n", "reasons"],
        ["a", "x; 2", "", "n=e; m=f"],
    ]


def test_a_frame_has_the_types_of_the_values_and_floats_for_undefined_numbers():
    values = {
        "whole": [1, 2],
        "yes": [True, False],
        "mixed": [1, None],
        "number": [1, 2.5],
        "reasons": [{}, {"n": "e"}],
        "name": ["a", None],
        "either": [1, "a"],
        "nothing": [None, None],
        "undefined": np.array([np.nan, np.nan]),
        "partly": np.array([np.nan, 1.5]),
        "count": np.array([3, 4]),
    }
    frame = result_of(values).frame()

    kinds = {name: frame[name].dtype.kind for name in values}
    assert kinds["whole"] == kinds["count"] == "i"
    assert kinds["yes"] == "b"
    assert kinds["mixed"] == kinds["number"] == kinds["partly"] == kinds["undefined"] == "f"
    assert kinds["reasons"] == kinds["either"] == kinds["nothing"] == "O"
    assert frame["undefined"].isna().all()
    assert frame["nothing"].tolist() == [None, None]  # which declares no number
    assert frame["either"].tolist() == [1, "a"]
    assert frame["reasons"].tolist() == values["reasons"]
    assert frame.attrs == {
        "measure": "overestimation", "study": "small", "filters": {"seed": 0}, "left_out": {"lost": 2},
        "reason": None,
    }  # fmt: skip


def test_a_declared_number_without_any_value_is_a_column_of_floats():
    measure = MEASURES["hspp"]
    names = ("judge", "hspp_self", "hspp_self_low", "n_self", "small", "hspp_family_p_adjusted")
    result = replace(result_of({name: [None, None] for name in names}), measure=measure)

    frame = result.frame()

    kinds = {name: frame[name].dtype.kind for name in names}
    assert [name for name in names if kinds[name] == "f"] == [
        "hspp_self",
        "hspp_self_low",
        "hspp_family_p_adjusted",
    ]
    assert json.loads(result.json())["rows"][0] == dict.fromkeys(names)
    assert result.csv().splitlines()[1:] == [",,,,,", ",,,,,"]


def test_a_frame_without_rows_has_the_columns():
    frame = result_of({}, "no judge").frame()

    assert len(frame) == 0
    assert list(frame.columns) == result_of({}).columns


def test_a_frame_is_a_copy_of_the_numbers():
    result = result_of()
    frame = result.frame()
    frame.loc[0, "share"] = 0.75

    assert result.rows[0]["share"] == 0.5


def test_pooled_rows_have_no_opponent_and_those_of_a_judge_have_one():
    rows = [{"judge": judge, "opponent": opponent} for judge in ("a", "b") for opponent in (None, "x", "y")]
    result = result_of().with_rows(rows)

    assert pooled_rows(result) == [rows[0], rows[3]]
    assert opponent_rows(result, "b") == [rows[4], rows[5]]


def test_scales_come_from_the_longest_to_the_shortest():
    sizes = (("yes-no", 2), ("1-10", 10), ("1-5", 5), ("yes-no", 2))
    rows = [{"judge": n, "scale": scale, "n_options": size} for n, (scale, size) in enumerate(sizes)]
    result = result_of().with_rows(rows)

    assert scales(result) == ("1-10", "1-5", "yes-no")
    assert scale_rows(result, "yes-no") == [rows[0], rows[3]]
