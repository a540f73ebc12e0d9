"""Bias as written and rewritten: which rows of a measure are compared, and what is undefined."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine.arrays.slicing.resolve import NoDataError
from engine.measures.causes import transforms
from engine.measures.causes.transforms import _place, _row, _transforms
from engine.measures.rows import Column, Table
from engine.measures.scorecard.judge_numbers import JudgeMeasure
from engine.slices import Slice


def table_of(instances=7, keep=None, **columns):
    """Return a table with these columns; `value` has draws of the number in each row more and less 1."""
    size = len(next(iter(columns.values())))
    of_names = {name: Column(values) for name, values in columns.items()}
    if "value" in of_names:
        value = np.array(columns["value"], dtype=float)
        of_names["value"] = Column(value, np.stack([value - 1, value + 1]), "nothing_there")
    return Table(of_names, np.ones(size, dtype=bool) if keep is None else np.array(keep), instances)


def test_a_judges_own_row_is_the_first_over_all_opponents_on_itself_or_of_itself_alone():
    pooled = table_of(judge=["A", "J", "J"], opponent=[None, "A", None])
    on_models = table_of(judge=["J", "J", "A", "A"], generator=["A", "J", "A", None])

    assert _place(pooled, "J") == 2
    assert _place(pooled, "A") == 0
    assert _place(on_models, "J") == 1
    assert _place(on_models, "A") == 2
    assert _place(pooled, "B") is None


def test_a_row_that_is_not_kept_is_none():
    pooled = table_of(judge=["J", "J"], opponent=[None, None], keep=[False, True])
    bare = table_of(judge=["A", "A"], generator=["A", None], keep=[False, True])

    assert _place(pooled, "J") == 1
    assert _place(bare, "A") == 1
    assert _place(table_of(judge=["J"], keep=[False]), "J") is None


def number(null):
    measure = SimpleNamespace(name="bias", headline="value")
    return JudgeMeasure("bias", measure, "value", "n", "", null)


def row_of(before, after, *, null=1.0, n=30, instances=(7, 5)):
    sides = (
        table_of(instances[0], judge=["A", "J"], value=[9.0, before], n=[1, 99]),
        table_of(instances[1], judge=["J"], value=[after], n=[n]),
    )
    return _row(number(null), "J", "humorous", sides)


def test_a_rewritten_bias_less_that_as_written_and_over_it_is_drawn_together():
    row = row_of(4.0, 6.0)

    assert [row[name].values[0] for name in ("without", "under", "effect", "ratio")] == [4, 6, 2, 1.5]
    # Draws 3 and 5 before, 5 and 7 after.
    assert row["effect"].draws.tolist() == [[2], [2]]
    assert row["ratio"].draws[:, 0].tolist() == pytest.approx([5 / 3, 7 / 5])
    assert (row["n"].values, row["n_instances"].values) == ([30], [5])
    assert (row["judge"].values, row["transform"].values) == (["J"], ["humorous"])
    assert (row["measure"].values, row["field"].values) == (["bias"], ["bias.value"])
    assert row_of(4.0, 6.0, instances=(3, 5))["n_instances"].values == [3]


def test_thirty_cases_are_not_few():
    assert row_of(4.0, 6.0, n=30)["small"].values == [False]
    assert row_of(4.0, 6.0, n=29)["small"].values == [True]


@pytest.mark.parametrize("null", [0.0, None])
def test_only_a_number_held_against_1_has_a_ratio(null):
    row = row_of(4.0, 6.0, null=null)

    assert row["effect"].values == [2]
    assert (row["ratio"].values, row["ratio"].reason(0)) == ([None], "not_a_ratio")
    assert np.isnan(row["ratio"].draws).all()


@pytest.mark.parametrize(("before", "after"), [(np.nan, 6.0), (4.0, np.nan), (np.inf, 6.0)])
def test_without_a_number_on_one_side_there_is_no_effect_for_its_reason(before, after):
    row = row_of(before, after)

    for name in ("effect", "ratio"):
        assert (row[name].values, row[name].reason(0)) == ([None], "nothing_there")
        assert np.isnan(row[name].draws).all()
    defined = [value is not None for name in ("without", "under") for value in row[name].values]
    assert defined == [np.isfinite(before), np.isfinite(after)]


def test_over_a_bias_of_0_there_is_no_ratio():
    row = row_of(0.0, 6.0)

    assert row["effect"].values == [6]
    assert (row["ratio"].values, row["ratio"].reason(0)) == ([None], "denominator_is_zero")


def test_a_judge_with_a_row_on_one_side_alone_has_none():
    both = table_of(judge=["J"], value=[1.0], n=[3])

    assert _row(number(1.0), "A", "humorous", (both, both)) is None
    of_other = table_of(judge=["A"], value=[1.0], n=[3])
    assert _row(number(1.0), "J", "humorous", (both, of_other)) is None
    assert _row(number(1.0), "J", "humorous", (of_other, both)) is None


def test_without_draws_the_effect_has_none():
    sides = [Table({"judge": Column(["J"]), "value": Column([value]), "n": Column([3])}, np.ones(1, bool), 5)
             for value in (2.0, 3.0)]  # fmt: skip

    row = _row(number(1.0), "J", "humorous", tuple(sides))

    assert (row["effect"].values, row["effect"].draws) == ([1], None)
    assert (row["ratio"].values, row["ratio"].draws) == ([1.5], None)
    assert _row(number(0.0), "J", "humorous", tuple(sides))["ratio"].draws is None


@pytest.fixture
def stored(monkeypatch):
    """Return a study with three transforms, one of them of responses paired with others as written."""
    monkeypatch.setattr(transforms, "choose_paradigm", lambda *_: "pairwise")
    monkeypatch.setattr(transforms, "pairing_of", lambda _, name: "plain" if name == "paired" else None)
    return SimpleNamespace(inventory=SimpleNamespace(values=lambda *_, **__: ["none", "a", "paired", "b"]))


def names(study, *, measure_level=None, **filters):
    measure = SimpleNamespace(paradigms=("pairwise",), level=measure_level)
    return _transforms(study, Slice(**filters), measure)


def test_the_transforms_are_those_stored_but_for_none_and_those_paired_with_answers_as_written(stored):
    assert names(stored) == ["a", "b"]
    assert names(stored, transform="b") == ["b"]
    assert names(stored, transform="paired") == []


def test_a_measure_of_another_level_has_no_transforms(stored):
    assert names(stored, level="rubric", measure_level="instance") == []
    assert names(stored, level="rubric", measure_level="rubric") == ["a", "b"]
    assert names(stored, level="rubric") == ["a", "b"]
    assert names(stored, measure_level="instance") == ["a", "b"]


def test_a_measure_that_reads_no_judgments_of_the_study_has_no_transforms(stored, monkeypatch):
    def nothing(*_):
        raise NoDataError("the study has no such judgments")

    monkeypatch.setattr(transforms, "choose_paradigm", nothing)

    assert names(stored) == []
