"""Repeated looks at growing data: how much of alpha each look may spend.

Lan and DeMets (1983), with the spending function of O'Brien and Fleming. Each look is tested at the alpha
that it adds, which bounds the total under any dependence (the union bound).
"""

from math import sqrt

from scipy.special import ndtr, ndtri


def alpha_spent(share: float, alpha: float = 0.05) -> float:
    """Return the alpha that may be spent by the time a `share` of all looks is over: 2 - 2 Phi(z / sqrt(t)).

    z is the normal quantile of 1 - alpha / 2. Raises ValueError for a `share` outside (0, 1].
    """
    if not 0 < share <= 1 or not 0 < alpha < 1:
        raise ValueError(f"share {share!r} must lie in (0, 1] and alpha {alpha!r} in (0, 1)")
    return float(2 * ndtr(ndtri(alpha / 2) / sqrt(share)))


def alpha_of_look(look: int, looks: int, alpha: float = 0.05) -> float:
    """Return the alpha at which look number `look`, from 1, of `looks` is tested, else ValueError."""
    if not 1 <= look <= looks:
        raise ValueError(f"look {look!r} is not among 1 to {looks!r}; give the number of this look")
    before = alpha_spent((look - 1) / looks, alpha) if look > 1 else 0.0
    return alpha_spent(look / looks, alpha) - before
