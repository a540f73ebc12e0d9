"""Estimates shrunk towards their mean."""

import numpy as np

from engine.stats import Floats


def shrink(estimate: Floats, se: Floats) -> Floats:
    """Return estimates shrunk towards their mean by their spread beyond chance (DerSimonian and Laird 1986).

    The spread is max(0, (Q - (k - 1)) / (sum w - sum w^2 / sum w)) of the k defined, w = 1 / se^2; NaN stay.
    """
    shrunken = np.full(len(estimate), np.nan)
    defined = np.isfinite(estimate) & np.isfinite(se) & (se > 0)
    if not defined.any():
        return shrunken
    value, weight = estimate[defined], se[defined] ** -2
    mean = (weight * value).sum() / weight.sum()
    scale = weight.sum() - (weight**2).sum() / weight.sum()
    excess = (weight * (value - mean) ** 2).sum() - (len(value) - 1)
    spread = max(0.0, excess / scale) if scale > 0 else 0.0
    total = 1 / (1 / weight + spread)
    centre = (total * value).sum() / total.sum()
    trust = spread / (spread + 1 / weight)
    shrunken[defined] = centre + trust * (value - centre)
    return shrunken
