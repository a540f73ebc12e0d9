"""How far a number depends on who the gold judges are: its values under panels of them."""

from collections.abc import Sequence

import numpy as np

from engine.stats import Floats
from engine.stats.pairs.dbg import MOST_SOURCES, panels
from engine.stats.ratios import mean_of_defined, rate

Panel = tuple[int, ...]
"""The gold judges of one panel, ascending."""


def panels_to_try(families: Sequence[str | None]) -> list[Panel]:
    """Return the panels of gold judges of these families to try, smallest first; the last one is all of them.

    Every non-empty subset; of more than `MOST_SOURCES` gold judges each alone, all but each, and all but each
    family.
    """
    everyone = tuple(range(len(families)))
    if len(everyone) <= MOST_SOURCES:
        return panels(len(everyone))
    without: list[Panel] = [(g,) for g in everyone]
    without += [relatives for relatives in (family_panel(families, name) for name in families) if relatives]
    rest = {tuple(g for g in everyone if g not in out) for out in without}
    subsets = {(g,) for g in everyone} | rest | {everyone}
    return sorted(subsets - {()}, key=lambda panel: (len(panel), panel))


def family_panel(families: Sequence[str | None], name: str | None) -> Panel:
    """Return the gold judges of a family; none of no family."""
    return () if name is None else tuple(g for g, family in enumerate(families) if family == name)


def mean_changes(values: Floats, subsets: Sequence[Panel], gold_judges: int) -> Floats:
    """Return how far a number moves when each gold judge leaves a panel: shape (gold judges, rows).

    `values` has shape (panels, rows), NaN where undefined. The mean of |value of a panel - value without the
    gold judge| over the panels that have it and others; NaN where none has a value with and without.
    """
    place = {panel: n for n, panel in enumerate(subsets)}
    changes = np.full((gold_judges, values.shape[1]), np.nan)
    for g in range(gold_judges):
        both = [
            (place[panel], place.get(tuple(m for m in panel if m != g))) for panel in subsets if g in panel
        ]
        pairs = [(with_, without) for with_, without in both if without is not None]
        if pairs:
            with_, without = np.array(pairs).T
            moved = np.abs(values[with_] - values[without])
            changes[g] = mean_of_defined(moved.T, ~np.isnan(moved.T))
    return changes


def same_side(values: Floats) -> Floats:
    """Return the share of panels whose value is on the same side of 0 as the last one's: shape (rows,).

    0 is a side of its own. NaN where the last panel has no value.
    """
    defined = ~np.isnan(values)
    same = (np.sign(values) == np.sign(values[-1])) & defined
    return np.where(defined[-1], rate(same.sum(axis=0), defined.sum(axis=0)), np.nan)
