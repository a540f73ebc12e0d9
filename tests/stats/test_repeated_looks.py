"""The alpha that each of several looks may spend."""

import pytest

from engine.stats.repeated_looks import alpha_of_look, alpha_spent


def test_alpha_spent_over_the_looks_sums_to_alpha() -> None:
    # O'Brien and Fleming at half of the looks: 2 - 2 Phi(1.959964 / sqrt(.5)) = 2 - 2 Phi(2.771808) = .005575
    assert alpha_spent(0.5) == pytest.approx(0.005575, abs=1e-6)
    assert alpha_spent(1.0) == pytest.approx(0.05)
    assert sum(alpha_of_look(look, 7) for look in range(1, 8)) == pytest.approx(0.05)
