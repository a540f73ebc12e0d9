"""How likely a judge is to choose either response of each pair: what is planted, before anything is drawn."""

from dataclasses import dataclass

import numpy as np

from engine.simulation.pairs.design import DIFFICULTY, LOWEST_VOTE, PairDesign
from engine.simulation.pairs.responses import Floats, Ints, Responses

_WAVERING = 0.7  # share of what a judge does not see that makes its answer follow the order
_NEAR_SIGHT = 0.7  # what is left of a judge's sight where two responses are neither equal nor far apart


@dataclass(frozen=True, slots=True, eq=False)
class Firm:
    """The chances that both orders name the first, or the second, response of each pair, shape (N, P).

    What is left to 1 is the chance that the choice follows the order shown.
    """

    one: Floats
    two: Floats

    @property
    def wins(self) -> Floats:
        """The chance that the first response wins over both orders; one half of what follows the order."""
        return np.asarray(self.one + (1 - self.one - self.two) / 2)


def sides_of(responses: Responses, judge: int) -> Ints:
    """Return for each pair +1 where its first response is the judge's own, -1 where the second is, else 0."""
    one, two = responses.pairs
    return np.asarray((one == judge).astype(np.int64) - (two == judge))


def relatives_of(design: PairDesign, responses: Responses, judge: int) -> Ints:
    """Return for each pair +1 or -1 where that response is a relative's and the other is an outsider's."""
    family = np.array([model.family for model in design.contestants])
    kin = family == family[judge]
    kin[judge] = False
    outsiders = family != family[judge]
    one, two = responses.pairs
    return np.asarray((kin[one] & outsiders[two]).astype(np.int64) - (kin[two] & outsiders[one]))


def firm_chances(design: PairDesign, responses: Responses, judge: int, variant: str) -> Firm:
    """Return how likely a judge is to choose firmly, in one of the variants that plant it.

    Of equals: `firm` for either, and `spb` more for its own, `family_spb` more for a relative's and less for
    the outsider's. Of others the better is named with the chance `sight` in one order, less so where the two
    are not far apart; half of `spb` moves from the other response to its own there.
    """
    model = design.contestants[judge]
    left = design.left[variant]
    spb, family = model.spb * left, model.family_spb * left
    own, kin = sides_of(responses, judge), relatives_of(design, responses, judge)
    equal = [model.firm + spb * (own == side) + family * side * kin for side in (1, -1)]
    for place, side in enumerate((1, -1)):
        equal[place] = np.where(own == -side, max(0.0, model.firm - spb), equal[place])
    better, worse = _unequal(design, responses, judge, variant)
    ahead = responses.gap > 0
    one, two = np.where(ahead, better, worse), np.where(ahead, worse, better)
    moved = np.clip(spb / 2 * own, -one, two)
    return Firm(
        np.where(responses.equal, equal[0], one + moved), np.where(responses.equal, equal[1], two - moved)
    )


def _unequal(design: PairDesign, responses: Responses, judge: int, variant: str) -> tuple[Floats, Floats]:
    """Return the chances that both orders name the better, and the worse, response of unequal ones."""
    sight = sight_in(design, judge, variant)
    right = np.where(responses.apart, sight, 0.5 + (sight - 0.5) * _NEAR_SIGHT)
    wavering = 2 * np.minimum(right, 1 - right) * _WAVERING
    return right - wavering / 2, 1 - right - wavering / 2


def sight_in(design: PairDesign, judge: int, variant: str) -> float:
    """Return the chance that a judge names the better of two responses far apart, in one order."""
    sight = design.contestants[judge].sight
    return sight + (1 - sight) * design.gain[variant]


def losing_votes(
    design: PairDesign, responses: Responses, judge: int, majority: Floats, difficulty: Floats
) -> Floats:
    """Return the mean vote for the response that the gold judges find worse, shape (N, P).

    `difficulty` (N,) in [-1, 1] moves all votes of a question alike. For its own response `beyond` is added;
    half of it is taken from the worse response where its own is the better. NaN where there is no majority.
    """
    model = design.contestants[judge]
    own = sides_of(responses, judge)
    lost = own * majority == -1
    won = own * majority == 1
    votes = model.losing + DIFFICULTY * difficulty[:, None] + model.beyond * lost - model.beyond / 2 * won
    return np.where(majority == 0, np.nan, np.maximum(votes, LOWEST_VOTE))
