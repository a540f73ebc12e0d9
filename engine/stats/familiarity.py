"""What authorship does to a preference, alone and with familiarity held equal (Wataoka et al. 2024).

Two regressions without intercept on the same cases, v on o, and v on o and f: v is how far a judge goes
beyond outside judges, o is 1 for its own response and 0 for another's (their difference in pairs), f the
familiarity of the response to the judge. Cases of one instance come as deviations from its means, or as
differences within pairs, so that what an instance is like is in neither.
"""

from dataclasses import dataclass

import numpy as np

from engine.stats.types import Floats

MOMENTS = 5
"""The sums that both regressions follow from: oo, of, ff, ov, fv."""

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Effects:
    """Slopes of shape (...,), NaN where the cases leave them open.

    `own` is that of authorship alone, `held` that with familiarity held equal, `familiarity` that of
    familiarity with authorship held equal.
    """

    own: Floats
    held: Floats
    familiarity: Floats

    @property
    def explained(self) -> Floats:
        """What of the effect of authorship goes away where familiarity is held equal."""
        return self.own - self.held


def moments(o: Floats, f: Floats, v: Floats, instance: np.ndarray, n_instances: int) -> Floats:
    """Return the sums of products of cases, shape (MOMENTS, instances)."""
    products = (o * o, o * f, f * f, o * v, f * v)
    return np.stack([np.bincount(instance, weights=each, minlength=n_instances) for each in products])


def effects(sums: Floats) -> Effects:
    """Return the least-squares slopes from sums of products, shape (..., MOMENTS).

    Those with both are NaN where authorship and familiarity go together without exception, all are where
    there is no own response.
    """
    oo, of, ff, ov, fv = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    determinant = oo * ff - of * of
    apart = determinant > _ROUNDING * np.maximum(oo * ff, np.finfo(np.float64).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(oo > 0, ov / oo, np.nan)
        held = np.where(apart, (ov * ff - fv * of) / determinant, np.nan)
        familiarity = np.where(apart, (oo * fv - of * ov) / determinant, np.nan)
    return Effects(own, held, familiarity)
