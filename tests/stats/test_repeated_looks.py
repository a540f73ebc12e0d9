"""The alpha that each of several looks may spend."""

import pytest

from engine.stats.intervals.repeated_looks import alpha_of_look, alpha_spent


def test_alpha_spent_over_the_looks_sums_to_alpha() -> None:
    # O'Brien and Fleming at half of the looks: 2 - 2 Phi(1.959964 / sqrt(.5)) = 2 - 2 Phi(2.771808) = .005575
    assert alpha_spent(0.5) == pytest.approx(0.005575, abs=1e-6)
    assert alpha_spent(1.0) == pytest.approx(0.05)
    assert sum(alpha_of_look(look, 7) for look in range(1, 8)) == pytest.approx(0.05)


def test_looks_spend_what_the_formula_says() -> None:
    # 2 - 2 Phi(z / sqrt(t)) at t = 1/3 and 2/3: z = 1.959964, Phi(3.394757) and Phi(2.400456).
    assert alpha_of_look(1, 3) == pytest.approx(0.000687, abs=1e-6)
    assert alpha_of_look(2, 3) == pytest.approx(0.016375 - 0.000687, abs=2e-6)
    assert alpha_of_look(1, 1) == pytest.approx(0.05)
    assert alpha_of_look(2, 2, alpha=0.1) == pytest.approx(0.1 - alpha_spent(0.5, 0.1))


@pytest.mark.parametrize(("share", "alpha"), [(0, 0.05), (1.01, 0.05), (-0.5, 0.05), (0.5, 0), (0.5, 1)])
def test_a_share_or_alpha_out_of_range_is_refused(share: float, alpha: float) -> None:
    with pytest.raises(ValueError, match="must lie in"):
        alpha_spent(share, alpha)


@pytest.mark.parametrize("look", [0, 4])
def test_a_look_that_is_not_among_them_is_refused(look: int) -> None:
    with pytest.raises(ValueError, match=rf"look {look} is not among 1 to 3"):
        alpha_of_look(look, 3)
