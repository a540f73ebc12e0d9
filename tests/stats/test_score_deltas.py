"""Score deltas (RSP Figure 5) of one judge, by hand."""

import numpy as np

from engine.stats.scores.score_deltas import deltas
from engine.stats.self_preference import Relations


def test_bonuses_are_centred_deltas_less_those_of_other_families():
    # The judge, a relative, a generator without a score and two others.
    judge, reference = np.array([[0.9, 0.6, np.nan, 0.5, 0.2]]), np.array([[0.5, 0.4, 0.3, 0.4, 0.3]])
    relations = Relations(
        self_mask=np.array([[True, False, False, False, False]]),
        family=np.array([[False, True, False, False, False]]),
        unrelated_mask=np.array([[False, False, True, True, True]]),
    )

    result = deltas(judge, reference, relations)

    # .4, .2, none, .1, -.1: mean .15; of others (.1 - .1) / 2 - .15 = -.15.
    np.testing.assert_allclose(result.raw, [[0.4, 0.2, np.nan, 0.1, -0.1]])
    np.testing.assert_allclose(result.leniency, [0.15])
    np.testing.assert_allclose(result.leniency_outside, [0.0], atol=1e-12)  # (.1 - .1) / 2
    np.testing.assert_allclose(result.centered, [[0.25, 0.05, np.nan, -0.05, -0.25]])
    np.testing.assert_allclose(result.bonus, [0.25 + 0.15])
    np.testing.assert_allclose(result.family_bonus, [0.05 + 0.15])
