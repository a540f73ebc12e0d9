"""Contestants for a simulation that names only who takes part: the four archetypes in turn."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.simulation.cast import families_of
from engine.simulation.pairs.design import Contestant


@dataclass(frozen=True, slots=True)
class Kind:
    """What an archetype is made of (see `Contestant`)."""

    name: str
    firm: float
    spb: float
    sight: float
    first: float
    losing: float
    beyond: float


KINDS = (
    Kind("Objective", firm=0.30, spb=0.0, sight=0.94, first=0.52, losing=0.30, beyond=0.0),
    Kind("Machiavellian", firm=0.25, spb=0.30, sight=0.92, first=0.55, losing=0.28, beyond=0.15),
    Kind("Blindly Biased", firm=0.35, spb=-0.22, sight=0.91, first=0.48, losing=0.33, beyond=-0.10),
    Kind("Incompetent Randomizer", firm=0.20, spb=0.0, sight=0.56, first=0.60, losing=0.42, beyond=0.0),
)
"""The four archetypes, in the order in which contestants take them."""


def contestants(
    names: Sequence[str],
    families: Sequence[str] = (),
    *,
    biased: Sequence[str] | None = None,
    spb: float | None = None,
    beyond: float | None = None,
    first: float | None = None,
) -> tuple[Contestant, ...]:
    """Return contestants of these names that take the four archetypes in turn.

    `families` has one name for each; where it is empty, a family is the name up to its first hyphen. What is
    given of `spb`, `beyond` and `first` takes the archetype's place in the judges named by `biased` (None: in
    all), and the others then have no bias. Raises UsageError where families are not as many as names, or a
    biased judge is none of them.
    """
    of_family = families_of(names, families, biased)
    made = []
    for place, name in enumerate(names):
        kind = KINDS[place % len(KINDS)]
        chosen = biased is None or name in biased
        made.append(
            Contestant(
                name=name,
                family=of_family[place],
                skill=(place + 0.5) / len(names),
                firm=kind.firm,
                spb=_planted(spb, kind.spb, biased, chosen=chosen),
                sight=kind.sight,
                first=_planted(first, kind.first, None, chosen=chosen),
                losing=kind.losing,
                beyond=_planted(beyond, kind.beyond, biased, chosen=chosen),
                verbose=kind.sight < 0.8,
            )
        )
    return tuple(made)


def _planted(given: float | None, usual: float, biased: Sequence[str] | None, *, chosen: bool) -> float:
    if biased is not None and not chosen:
        return 0.0
    return usual if given is None or not chosen else given
