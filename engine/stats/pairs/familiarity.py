"""The effect of authorship on a preference, alone and with familiarity held equal (Wataoka et al. 2024)."""

from dataclasses import dataclass

import numpy as np

from engine.stats import Floats

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Effects:
    """Slopes for authorship alone (`own`), with familiarity `held` equal, and for familiarity itself."""

    own: Floats
    held: Floats
    familiarity: Floats

    @property
    def explained(self) -> Floats:
        """The part of the effect of authorship that vanishes when familiarity is held equal."""
        return self.own - self.held


def moments(o: Floats, f: Floats, v: Floats, instance: np.ndarray, n_instances: int) -> Floats:
    """Return the five sums of products of cases that determine both regressions, shape (5, instances)."""
    products = (o * o, o * f, f * f, o * v, f * v)
    return np.stack([np.bincount(instance, weights=each, minlength=n_instances) for each in products])


def effects(sums: Floats) -> Effects:
    """Return the least-squares slopes from sums of products, shape (..., 5).

    All are NaN without an own response, `held` and `familiarity` also where the two always go together.
    """
    oo, of, ff, ov, fv = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    determinant = oo * ff - of * of
    separable = determinant > _ROUNDING * np.maximum(oo * ff, np.finfo(np.float64).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(oo > 0, ov / oo, np.nan)
        held = np.where(separable, (ov * ff - fv * of) / determinant, np.nan)
        familiarity = np.where(separable, (oo * fv - of * ov) / determinant, np.nan)
    return Effects(own, held, familiarity)
