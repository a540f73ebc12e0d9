"""What the conditional model cannot estimate: terms whose verdicts are all alike, or on which all agree."""

import numpy as np

from engine.stats import Bools, Floats
from engine.stats.conditional.strata import Verdicts, sum_by
from engine.stats.conditional.term_columns import marks


def without_separated(verdicts: Verdicts, masks: Bools) -> tuple[Verdicts, Bools, list[str | None]]:
    """Drop what a term would fit exactly; return the cells left, judges with a term, and reasons for none."""
    why: list[str | None] = [None] * len(masks)
    shape = masks.shape[1:]
    kind, *marked = marks(masks)
    excluded = np.zeros(shape, dtype=bool)
    while True:
        judged = judged_by(verdicts, shape)
        credited = sum_by(verdicts.generator, verdicts.favourable, shape[1]).T
        dropped = np.zeros(shape, dtype=bool)
        number, favourable = (np.bincount(kind, of[*marked], len(masks)) for of in (judged, credited))
        for n in np.flatnonzero((favourable == 0) | (favourable == number)):
            if why[n] is None:
                why[n] = _of_alike(favourable[n]) if number[n] else "verdicts_agree"
                dropped |= masks[n]
        alike = (credited.sum(axis=1) == 0) | (credited.sum(axis=1) == judged.sum(axis=1))
        dropped |= alike[:, None]
        if not (dropped & ~excluded).any():
            return verdicts, ~alike, why
        excluded |= dropped
        verdicts = verdicts.without(excluded)


def _of_alike(favourable: float) -> str:
    return "verdicts_all_favourable" if favourable else "verdicts_all_unfavourable"


def judged_by(verdicts: Verdicts, shape: tuple[int, int]) -> Floats:
    """Return how many verdicts each judge gave on each generator, shape (judges, generators)."""
    return sum_by(verdicts.generator, verdicts.present, shape[1]).T
