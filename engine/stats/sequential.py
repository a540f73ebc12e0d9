"""Looking again and again at what grows: how much of alpha each look may spend.

Lan and DeMets (1983), with the spending function of O'Brien and Fleming. The looks are tested at the alpha
that each adds, which keeps the sum by the union bound whatever hangs together.
"""

import math

from scipy.special import ndtr, ndtri


def alpha_spent(share: float, alpha: float = 0.05) -> float:
    """Return the alpha that may be spent by the time a `share` of all looks is over: 2 - 2 Phi(z / sqrt(t)).

    `share` lies in (0, 1]; z is the normal quantile of 1 - alpha / 2. All of alpha is spent at 1.
    Raises ValueError outside.
    """
    if not 0 < share <= 1 or not 0 < alpha < 1:
        raise ValueError(f"share {share!r} must lie in (0, 1] and alpha {alpha!r} in (0, 1)")
    return float(2 * ndtr(ndtri(alpha / 2) / math.sqrt(share)))


def alpha_of_look(look: int, looks: int, alpha: float = 0.05) -> float:
    """Return the alpha at which look number `look` of `looks` is tested, counted from 1.

    Raises ValueError where `look` is not among them.
    """
    if not 1 <= look <= looks:
        raise ValueError(f"look {look!r} is not among 1 to {looks!r}; give the number of this look")
    before = alpha_spent((look - 1) / looks, alpha) if look > 1 else 0.0
    return alpha_spent(look / looks, alpha) - before
