"""The archetype of a judge, from its discriminability and its self-preference (MEASURES section 9; EQP)."""

import numpy as np

from engine.stats import Floats
from engine.stats.scores.ranks import TOLERANCE

BORDER_D, BORDER_SPB = 0.80, 0.05

RANDOMIZER, OBJECTIVE = "Incompetent Randomizer", "Objective"
MACHIAVELLIAN, BLINDLY_BIASED = "Machiavellian", "Blindly Biased"


def archetypes(d: Floats, spb: Floats) -> list[str | None]:
    """Return the archetype of each judge (EQP section 3.5); None where a number it needs is missing."""
    return [_archetype(one, two) for one, two in zip(d, spb, strict=True)]


def _archetype(d: float, spb: float) -> str | None:
    if np.isnan(d):
        return None
    if d < BORDER_D - TOLERANCE:
        return RANDOMIZER
    if np.isnan(spb):
        return None
    if abs(spb) <= BORDER_SPB + TOLERANCE:
        return OBJECTIVE
    return MACHIAVELLIAN if spb > 0 else BLINDLY_BIASED


def crosses(low: float, high: float, border: float) -> bool:
    """Return whether a border lies inside an interval; False if the interval is missing."""
    return bool(low < border - TOLERANCE and high > border + TOLERANCE)


def open_archetypes(d: tuple[float, float], spb: tuple[float, float]) -> list[str]:
    """Return the archetypes at the ends of the intervals and between, in the order of D, then of SPB."""
    between = [end for end in (spb[0], 0.0, spb[1]) if spb[0] <= end <= spb[1]]
    possible = {_archetype(one, two) for one in d for two in (between or [np.nan])}
    return [kind for kind in (RANDOMIZER, BLINDLY_BIASED, OBJECTIVE, MACHIAVELLIAN) if kind in possible]
