"""Verdicts on lists of criteria shown in several orders: what comes late is credited more, or less."""

from dataclasses import dataclass

import numpy as np

from engine.errors import UsageError
from engine.finite import whole
from engine.simulation.orders.scores import Bools, Floats, Ints
from engine.simulation.probabilities import Chances
from engine.simulation.study import SimulatedStudy
from engine.simulation.verdicts import draw_favourable


def places_in(ordering: str, place: Ints, count: Ints) -> Ints:
    """Return where each criterion stands (from 1) in a list shown as `ordering`.

    `place` is where it stands in the original list of `count` criteria. `rotated-3` begins with the third.
    Raises UsageError for a name that is neither `original`, `reversed` nor `rotated-K`.
    """
    if ordering == "original":
        return place
    if ordering == "reversed":
        return count + 1 - place
    begin = whole(ordering.removeprefix("rotated-")) if ordering.startswith("rotated-") else None
    if not begin:
        raise UsageError(
            f"the ordering {ordering!r} is unknown; choose from: original, reversed, rotated-2, ..."
        )
    return np.asarray((place - begin) % count + 1)


def factors(slope: float, position: Ints, count: Ints) -> Floats:
    """Return by how much likelier a failed criterion is credited at its place: 1 - slope to 1 + slope."""
    middle = (count + 1) / 2
    return np.asarray(1 + slope * (position - middle) / np.maximum(middle - 1, 0.5))


@dataclass(frozen=True, slots=True, eq=False)
class ListVerdicts:
    """Verdicts of one judge on the responses of one generator, one entry for each criterion."""

    met: Bools
    position: Ints


def draw_list(
    study: SimulatedStudy,
    chance: Chances,
    generator: int,
    ordering: str,
    slope: float,
    rng: np.random.Generator,
) -> ListVerdicts:
    """Draw the verdicts on all responses of a generator, their criteria shown in one order."""
    items = study.items
    count = items.counts[items.instance]
    position = places_in(ordering, items.place, count)
    over = chance.over[generator] * factors(slope, position, count)
    favourable = draw_favourable(study.truth.favourable[generator], over, chance.under, rng)
    return ListVerdicts(np.asarray(favourable ^ items.negative), position)


def expected_by_position(
    study: SimulatedStudy, chance: Chances, ordering: str, slope: float
) -> dict[str, float]:
    """Return the share of failed criteria that a judge is expected to credit, by position in the list."""
    items = study.items
    count = items.counts[items.instance]
    position = places_in(ordering, items.place, count)
    over, failed = chance.over * factors(slope, position, count), ~study.truth.favourable
    shares = {}
    for place in range(1, int(count.max()) + 1):
        here = failed & (position == place)
        if here.any():
            shares[str(place)] = float(over[here].mean())
    return shares
