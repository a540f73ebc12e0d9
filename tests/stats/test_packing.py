"""Packed planes hold and count their bits."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.arrays.bits.bitsets import Layout, any_in_both, count

SIZES = st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any)
UNITS = st.sampled_from([2, 4, 8])


def layout_of(sizes, unit):
    return Layout(np.repeat(np.arange(len(sizes)), sizes), len(sizes), unit)


@given(SIZES, UNITS, st.integers(0, 2**32 - 1))
def test_packing_round_trips_and_counts_every_instance(sizes, unit, seed):
    layout = layout_of(sizes, unit)
    values = np.random.default_rng(seed).random((2, 3, sum(sizes))) < 0.4

    packed = layout.pack(values)

    np.testing.assert_array_equal(layout.unpack(packed), values)
    np.testing.assert_array_equal(count(packed), values.sum(axis=-1))
    by_loops = np.zeros((2, 3, len(sizes)), dtype=int)
    for rubric, instance in enumerate(layout.instance_of):
        by_loops[..., instance] += values[..., rubric]
    np.testing.assert_array_equal(layout.count_by_instance(packed), by_loops)


@given(SIZES, UNITS, st.integers(0, 2**32 - 1))
def test_single_bits_are_read_where_they_were_set(sizes, unit, seed):
    layout = layout_of(sizes, unit)
    values = np.random.default_rng(seed).random((2, 1, sum(sizes))) < 0.5
    rubric = np.arange(sum(sizes))

    for judge in range(2):
        judges, generators = np.full_like(rubric, judge), np.full_like(rubric, 5)
        bits = layout.bit(layout.pack(values), judges, generators, rubric)
        np.testing.assert_array_equal(bits, values[judge, 0])


@given(SIZES, UNITS, st.integers(0, 2**32 - 1))
def test_a_plane_of_positions_has_only_their_bits(sizes, unit, seed):
    layout = layout_of(sizes, unit)
    values = np.random.default_rng(seed).random((2, 3, sum(sizes))) < 0.3
    places = np.nonzero(values)

    plane = layout.plane((2, 3), *(np.concatenate([place, place]) for place in places))  # each of them twice

    np.testing.assert_array_equal(plane, layout.pack(values))


@given(
    SIZES, st.sampled_from([(2, 3), (1, 3), (2, 1), (1, 1), (0, 3), (2, 0)]), UNITS, st.integers(0, 2**32 - 1)
)
def test_bits_set_in_two_planes_are_counted_without_building_their_intersection(sizes, shape, unit, seed):
    layout = layout_of(sizes, unit)
    rng = np.random.default_rng(seed)
    judges = 2 if shape[0] == 1 else shape[0]
    one, other = rng.random((judges, shape[1], sum(sizes))) < 0.6, rng.random((*shape, sum(sizes))) < 0.6

    for first, second in ((one, other), (other, one)):
        packed = layout.pack(first), layout.pack(second)
        np.testing.assert_array_equal(count(packed[0] & packed[1]), (first & second).sum(axis=-1))
        marked = (first & second).any(axis=(0, 1))
        np.testing.assert_array_equal(any_in_both(*packed), layout.pack(marked))


@given(SIZES, UNITS, st.data())
def test_parts_packed_by_themselves_make_the_whole(sizes, unit, data):
    whole = layout_of(sizes, unit)
    values = np.random.default_rng(data.draw(st.integers(0, 99))).random((2, 3, sum(sizes))) < 0.5
    edges = [0, *sorted(data.draw(st.sets(st.integers(1, len(sizes)), max_size=3))), len(sizes)]
    joined = np.zeros((2, 3, whole.n_words), dtype=np.uint64)
    for first, last in pairwise(edges):
        start, end = sum(sizes[:first]), sum(sizes[:last])
        if start < end:
            packed = layout_of(sizes[first:last], unit).pack(values[..., start:end])
            place, content = whole.part(packed, start, end)
            joined.view(np.uint8)[..., place] |= content

    np.testing.assert_array_equal(joined, whole.pack(values))


@pytest.mark.parametrize(
    ("sizes", "unit"),
    [([8, 16, 7], 8), ([6, 5], 8), ([9, 12], 4), ([4, 3, 4], 4), ([2, 1, 2], 2), ([1, 1], 2)],
)
def test_units_are_the_widest_that_leave_few_bits_unused(sizes, unit):
    assert Layout.of(np.repeat(np.arange(len(sizes)), sizes), len(sizes)).unit == unit


@given(SIZES, UNITS, st.integers(0, 2**32 - 1))
def test_each_place_is_in_the_instance_of_its_rubric(sizes, unit, seed):
    layout = layout_of(sizes, unit)
    rubrics = np.flatnonzero(np.random.default_rng(seed).random(sum(sizes)) < 0.4)

    np.testing.assert_array_equal(
        layout.instance_at(layout.bits[rubrics]), np.repeat(np.arange(len(sizes)), sizes)[rubrics]
    )


def test_an_instance_of_many_rubrics_is_counted_in_full():
    layout = layout_of([700, 3], 8)

    assert layout.count_by_instance(layout.pack(np.ones(703, dtype=bool))).tolist() == [700, 3]


@pytest.mark.parametrize("unit", [2, 4, 8])
def test_counting_leaves_a_single_row_as_it_is(unit):
    layout = layout_of([3, 2], unit)
    packed = layout.pack(np.ones(5, dtype=bool))

    assert [layout.count_by_instance(packed).tolist() for _ in range(2)] == [[3, 2], [3, 2]]
