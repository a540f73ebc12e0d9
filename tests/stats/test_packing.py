"""Packed planes hold and count their bits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.arrays.bitsets import Layout, any_in_both, count

SIZES = st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any)


@given(SIZES, st.integers(0, 2**32 - 1))
def test_packing_round_trips_and_counts_every_instance(sizes, seed):
    layout = Layout(np.repeat(np.arange(len(sizes)), sizes), len(sizes))
    values = np.random.default_rng(seed).random((2, 3, sum(sizes))) < 0.4

    packed = layout.pack(values)

    np.testing.assert_array_equal(layout.unpack(packed), values)
    np.testing.assert_array_equal(count(packed), values.sum(axis=-1))
    by_loops = np.zeros((2, 3, len(sizes)), dtype=int)
    for rubric, instance in enumerate(layout.instance_of):
        by_loops[..., instance] += values[..., rubric]
    np.testing.assert_array_equal(layout.count_by_instance(packed), by_loops)


@given(SIZES, st.integers(0, 2**32 - 1))
def test_single_bits_are_read_where_they_were_set(sizes, seed):
    layout = Layout(np.repeat(np.arange(len(sizes)), sizes), len(sizes))
    values = np.random.default_rng(seed).random((2, 1, sum(sizes))) < 0.5
    rubric = np.arange(sum(sizes))

    for judge in range(2):
        judges, generators = np.full_like(rubric, judge), np.full_like(rubric, 5)
        bits = layout.bit(layout.pack(values), judges, generators, rubric)
        np.testing.assert_array_equal(bits, values[judge, 0])


@given(SIZES, st.integers(0, 2**32 - 1))
def test_a_plane_of_positions_has_only_their_bits(sizes, seed):
    layout = Layout(np.repeat(np.arange(len(sizes)), sizes), len(sizes))
    values = np.random.default_rng(seed).random((2, 3, sum(sizes))) < 0.3
    places = np.nonzero(values)

    plane = layout.plane((2, 3), *(np.concatenate([place, place]) for place in places))  # each of them twice

    np.testing.assert_array_equal(plane, layout.pack(values))


@given(SIZES, st.sampled_from([(2, 3), (1, 3), (2, 1), (1, 1), (0, 3), (2, 0)]), st.integers(0, 2**32 - 1))
def test_bits_set_in_two_planes_are_counted_without_building_their_intersection(sizes, shape, seed):
    layout = Layout(np.repeat(np.arange(len(sizes)), sizes), len(sizes))
    rng = np.random.default_rng(seed)
    judges = 2 if shape[0] == 1 else shape[0]
    one, other = rng.random((judges, shape[1], sum(sizes))) < 0.6, rng.random((*shape, sum(sizes))) < 0.6

    for first, second in ((one, other), (other, one)):
        packed = layout.pack(first), layout.pack(second)
        np.testing.assert_array_equal(count(packed[0] & packed[1]), (first & second).sum(axis=-1))
        marked = (first & second).any(axis=(0, 1))
        np.testing.assert_array_equal(any_in_both(*packed), layout.pack(marked))
