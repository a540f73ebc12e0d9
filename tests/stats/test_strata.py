"""Verdicts on cells and the rows in which they are counted, against loops."""

from collections import Counter

import numpy as np
import pytest

from engine.stats.conditional.strata import Strata, Verdicts, members, same_sets, sum_by, usual_values


def drawn(seed=1, cells=60, judges=5, generators=4, weighted=True):
    rng = np.random.default_rng(seed)
    present = rng.random((cells, judges)) < 0.7
    favourable = present & (rng.random((cells, judges)) < 0.5)
    generator, instance = rng.integers(0, generators, cells), rng.integers(0, 6, cells)
    weight = rng.integers(1, 4, cells).astype(float) if weighted else None
    return Verdicts(favourable, present, generator, instance, weight, np.arange(cells))


@pytest.mark.parametrize("rows", [40, 2000])
def test_sums_by_place_equal_loops(rows):
    rng = np.random.default_rng(2)
    place, values = rng.integers(0, 7, rows), rng.integers(0, 9, (rows, 3))
    place[place == 5] = 4

    sums = sum_by(place, values, 8)

    expected = np.zeros((8, 3))
    for n, row in zip(place, values, strict=True):
        expected[n] += row
    np.testing.assert_array_equal(sums, expected)


def test_members_of_groups_follow_each_other():
    ends = np.array([0, 3, 3, 7, 9])

    which, starts = members(ends, np.array([2, 0, 1, 3, 2]))

    assert which.tolist() == [3, 4, 5, 6, 0, 1, 2, 7, 8, 3, 4, 5, 6]
    assert starts.tolist() == [0, 4, 7, 7, 9, 13]


@pytest.mark.parametrize("judges", [3, 8, 9, 64, 65, 70])
def test_rows_with_the_same_judges_have_the_same_number(judges):
    rng = np.random.default_rng(judges)
    kinds = rng.random((4, judges)) < 0.5
    kinds[3] = kinds[2]
    kinds[3, -1] = ~kinds[2, -1]
    present = kinds[rng.integers(0, 4, 30)]

    sets = same_sets(present)

    same = (present[:, None] == present).all(axis=2)
    np.testing.assert_array_equal(sets[:, None] == sets, same)
    assert set(sets) == set(range(len(np.unique(present, axis=0))))


def test_rows_in_which_every_judge_is_present_are_one_set():
    assert same_sets(np.ones((3, 2), dtype=bool)).tolist() == [0, 0, 0]


def test_only_cells_on_which_the_rest_differ_are_left():
    present = np.array([[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 0]], dtype=bool)
    favourable = np.array([[1, 0, 1], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=bool)
    verdicts = Verdicts(favourable, present, np.array([0, 0, 1, 1]), np.arange(4))
    dropped = np.array(
        [[True, False], [False, False], [False, False]]
    )  # the first judge, on the first generator

    rest = verdicts.without(dropped)

    # Cell 0 is left 0 and 1, cell 1 only 0; 2 and 3 are as before.
    assert rest.instance.tolist() == [0, 2, 3]
    assert rest.present[0].tolist() == [False, True, True]
    assert rest.favourable[0].tolist() == [False, False, True]


@pytest.mark.parametrize("weighted", [True, False])
def test_rows_count_cells_of_one_generator_the_same_judges_and_passes(weighted):
    verdicts = drawn(weighted=weighted)

    strata = Strata.of(verdicts, 5)

    weight = verdicts.weight if weighted else np.ones(60)
    expected, favourable = Counter(), np.zeros((5, 5))
    for n in range(60):
        key = verdicts.generator[n], tuple(verdicts.present[n]), verdicts.favourable[n].sum()
        expected[key] += weight[n]
        favourable[verdicts.generator[n]] += weight[n] * verdicts.favourable[n]
    rows = zip(strata.generator, strata.present, strata.credited, strata.count, strict=True)
    assert {(g, tuple(present), credited): count for g, present, credited, count in rows} == expected
    np.testing.assert_array_equal(strata.favourable, favourable)
    for n, row in enumerate(strata.row):
        cell = strata.cells.generator[n], strata.cells.present[n].tolist(), strata.cells.favourable[n].sum()
        assert cell == (strata.generator[row], strata.present[row].tolist(), strata.credited[row])
    order = list(zip(strata.cells.generator, strata.cells.instance, strict=True))
    assert order == sorted(order)
    assert (np.diff(strata.generator) >= 0).all()
    assert strata.n_generators == 5
    for ends, of in ((strata.cell_ends, strata.cells.generator), (strata.row_ends, strata.generator)):
        assert ends.tolist() == [int((of < g).sum()) for g in range(6)]


def test_other_weights_of_cells_are_those_of_rows_made_anew():
    verdicts = drawn(weighted=False)
    strata = Strata.of(verdicts, 5)
    weight = np.random.default_rng(3).integers(0, 3, 60).astype(float)
    weight[strata.row == 0] = 0

    rows = strata.weighted(weight)

    rest = strata.cells.select(weight > 0)
    anew = Strata.of(
        Verdicts(rest.favourable, rest.present, rest.generator, rest.instance, weight[weight > 0]), 5
    )
    for name in ("generator", "present", "credited", "count", "favourable"):
        np.testing.assert_array_equal(getattr(rows, name), getattr(anew, name), err_msg=name)
    assert len(rows.count) < len(strata.count)


def test_rows_without_cells_leave_out_those_on_which_all_agree():
    generator, credited = np.array([0, 0, 1, 1]), np.array([2, 1, 0, 3])
    present = np.array([[1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=bool)
    favourable = np.array([[7.0, 5, 4], [9, 9, 9]])

    rows = Strata.of_rows(generator, present, credited, np.array([2.0, 6, 3, 8]), favourable)

    assert rows.generator.tolist() == [0]
    assert (rows.credited.tolist(), rows.count.tolist()) == ([1], [6])
    np.testing.assert_array_equal(rows.favourable, [[5, 3, 4], [1, 1, 1]])  # less 2 and 8 on which all agree
    assert len(rows.cells.generator) == 0


def test_the_usual_value_is_that_of_most_rows():
    values = np.array([[1.0, 5], [1, 7], [1, 5], [2, 5], [0, 5]])

    assert usual_values(values).tolist() == [1, 5]
    assert usual_values(np.zeros((0, 2))).tolist() == [0, 0]
    assert usual_values(np.repeat([[3.0], [4.0]], [60, 100], axis=0)).tolist() == [4]
