"""Draws by key: SplitMix64 in plain whole numbers, and the lowest keys of each group."""

import numpy as np

from engine.stats.intervals.seeded_draws import lowest, ranked, seeded_keys


def plain_key(seed, purpose, *names):
    """Steele, Lea and Flood's SplitMix64 finaliser, once for each number."""
    state = seed
    for number in (purpose, *names):
        state = (state + 0x9E3779B97F4A7C15 * (number + 1)) % 2**64
        state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        state = (state ^ (state >> 27)) * 0x94D049BB133111EB % 2**64
        state ^= state >> 31
    return state


def test_keys_are_those_of_splitmix():
    one, two = np.array([0, 5, 2**40]), np.array([7, 0, 3])

    keys = seeded_keys(12, 3, one, two)

    assert keys.tolist() == [plain_key(12, 3, a, b) for a, b in zip(one.tolist(), two.tolist(), strict=True)]
    assert keys.dtype == np.uint64


def test_the_first_output_of_splitmix_is_the_published_one():
    # Seed 0 of the reference implementation gives 0xE220A8397B1DCDAF: one step from 0, for purpose 0.
    assert plain_key(0, 0) == 0xE220A8397B1DCDAF


def test_items_are_ranked_by_key_within_their_group():
    order, rank = ranked(np.array([1, 0, 1, 1, 0]), np.array([30, 9, 10, 20, 8]))

    assert order.tolist() == [4, 1, 2, 3, 0]
    assert rank.tolist() == [0, 1, 0, 1, 2]


def test_the_lowest_keys_of_each_group_are_drawn():
    group, keys = np.array([1, 0, 1, 1, 0, 2]), np.array([30, 9, 10, 20, 8, 1])

    assert lowest(group, keys, 2).tolist() == [False, True, True, True, True, True]
    assert lowest(group, keys, 1).tolist() == [False, False, True, False, True, True]
    assert not lowest(group, keys, 0).any()
