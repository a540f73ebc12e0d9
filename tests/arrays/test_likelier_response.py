"""The winner of a forced choice where only probabilities are stored."""

import numpy as np

from engine.arrays.pairs.pair_orders import RESOLVED, PairRows, winners


def test_a_mean_probability_of_a_half_but_for_rounding_has_no_winner():
    means = np.array([(0.4 + 0.8 + 0.3) / 3, 0.5, 0.6, 0.4])
    one, unknown = np.ones(4, dtype=np.int64), np.full(4, np.nan)
    rows = PairRows(
        judge=one,
        instance=one,
        generator=one,
        opponent=one + 1,
        order=one * RESOLVED,
        choice=unknown,
        p=means,
        p_tie=unknown,
        swapped=one == 0,
    )

    assert means[0] != 0.5
    assert winners(rows).tolist() == [0, 0, 1, -1]
