"""The archetypes of judges (EQP section 3.5), at their borders."""

import numpy as np
import pytest

from engine.stats.pairs.archetypes import BLINDLY_BIASED as BLIND
from engine.stats.pairs.archetypes import MACHIAVELLIAN as SLY
from engine.stats.pairs.archetypes import OBJECTIVE, RANDOMIZER, archetypes, crosses, open_archetypes

NAN = float("nan")


@pytest.mark.parametrize(
    ("d", "spb", "expected"),
    [
        (0.79, 0.5, RANDOMIZER),
        (0.79, NAN, RANDOMIZER),
        (0.80, 0.06, SLY),
        (0.80 - 1e-12, -0.06, BLIND),  # rounding
        (1.0, 0.05, OBJECTIVE),
        (1.0, -0.05 - 1e-12, OBJECTIVE),
        (1.0, 0.0500001, SLY),
        (1.0, -0.0500001, BLIND),
        (0.9, NAN, None),
        (NAN, 0.2, None),
    ],
)
def test_a_judge_has_the_archetype_of_its_side_of_the_borders(d, spb, expected):
    assert archetypes(np.array([d]), np.array([spb])) == [expected]


def test_each_judge_needs_both_numbers():
    with pytest.raises(ValueError, match="shorter"):
        archetypes(np.array([0.9, 0.9]), np.array([0.1]))


@pytest.mark.parametrize(
    ("low", "high", "inside"),
    [
        (0.7, 0.9, True),
        (0.8, 0.9, False),
        (0.7, 0.8, False),
        (0.8 - 1e-12, 0.9, False),
        (0.7, 0.8 + 1e-12, False),
        (0.1, 0.2, False),
        (0.85, 0.9, False),
        (NAN, NAN, False),
    ],
)
def test_a_border_is_crossed_where_it_lies_inside_the_interval(low, high, inside):
    assert crosses(low, high, 0.8) is inside


@pytest.mark.parametrize(
    ("d", "spb", "expected"),
    [
        ((0.7, 0.9), (-0.1, 0.1), [RANDOMIZER, BLIND, OBJECTIVE, SLY]),
        ((0.85, 0.9), (-0.1, 0.1), [BLIND, OBJECTIVE, SLY]),
        ((0.85, 0.9), (0.06, 1.5), [SLY]),
        ((0.85, 0.9), (-0.2, -0.06), [BLIND]),
        ((0.85, 0.9), (0.02, 0.2), [OBJECTIVE, SLY]),
        ((0.85, 0.9), (-0.1, 0.0), [BLIND, OBJECTIVE]),
        ((0.7, 0.75), (-0.1, 0.1), [RANDOMIZER]),
        ((0.7, 0.9), (NAN, NAN), [RANDOMIZER]),
        ((0.85, 0.9), (NAN, NAN), []),
        ((NAN, NAN), (-0.1, 0.1), []),
    ],
)
def test_open_are_the_archetypes_within_both_intervals(d, spb, expected):
    assert open_archetypes(d, spb) == expected
