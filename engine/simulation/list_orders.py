"""Verdicts on lists of criteria shown in several orders: later ones are credited more, or less."""

import numpy as np

from engine.errors import UsageError
from engine.simulation.rubric_items import Items
from engine.simulation.rubric_truth import Chances
from engine.simulation.rubrics import SimulatedStudy
from engine.stats import Floats, Ints
from engine.values import parse_int


def places_in(ordering: str, place: Ints, count: Ints) -> Ints:
    """Return the positions (from 1) of criteria at `place` of `count`; `rotated-3` begins with the third."""
    if ordering == "original":
        return place
    if ordering == "reversed":
        return count + 1 - place
    start = parse_int(ordering.removeprefix("rotated-")) if ordering.startswith("rotated-") else None
    if not start:
        remedy = "choose from: original, reversed, rotated-2, ..."
        raise UsageError(f"the ordering {ordering!r} is unknown; {remedy}")
    return np.asarray((place - start) % count + 1)


def list_positions(items: Items, ordering: str) -> Ints:
    return places_in(ordering, items.place, items.counts[items.instance])


def expected_by_position(
    study: SimulatedStudy, chance: Chances, ordering: str, slope: float
) -> dict[str, float]:
    """Return the expected share of failed criteria that a judge credits, by position in the list."""
    position, failed = list_positions(study.items, ordering), ~study.truth.favourable
    over = chance.over * place_factors(slope, study.items, ordering)
    shares = {}
    for place in range(1, int(position.max()) + 1):
        cases = failed & (position == place)
        if cases.any():
            shares[str(place)] = float(over[cases].mean())
    return shares


def place_factors(slope: float, items: Items, ordering: str) -> Floats:
    """Return the factor on the chance of crediting a failed criterion: 1 - slope to 1 + slope, by place."""
    middle = (items.counts[items.instance] + 1) / 2
    return np.asarray(1 + slope * (list_positions(items, ordering) - middle) / np.maximum(middle - 1, 0.5))
