"""The votes of the gold judges."""

from dataclasses import dataclass

import numpy as np

from engine.simulation.pair_design import PairDesign
from engine.simulation.pair_responses import Responses
from engine.stats import Floats

_RIGHT, _UNDECIDED = 0.88, 0.06  # shares of a gold judge's votes on a pair with a better response
_EQUAL_TIES = 0.6  # share of ties on a pair without one
_TRULY_EQUAL = 0.2  # share of pairs of equal quality without a better response
_MISSING = 0.04


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedGold:
    """The votes of S gold judges on each of N questions and P pairs, shape (S, N, P).

    +1 for the pair's first response, -1 for the second, 0 for a tie, NaN for no vote.
    """

    votes: Floats

    @property
    def majority(self) -> Floats:
        """+1 or -1 if more than half of the votes agree, else 0; shape (N, P)."""
        present = (~np.isnan(self.votes)).sum(axis=0)
        wins, losses = ((self.votes == side).sum(axis=0) for side in (1, -1))
        return np.where(2 * wins > present, 1.0, np.where(2 * losses > present, -1.0, 0.0))

    @property
    def win(self) -> Floats:
        """1, 0.5 or 0 if the mean vote is above, at or below 0, NaN without a vote; shape (N, P)."""
        present = (~np.isnan(self.votes)).sum(axis=0)
        total = np.nansum(self.votes, axis=0)
        return np.where(present > 0, (1 + np.sign(total)) / 2, np.nan)


def draw_gold(design: PairDesign, responses: Responses, rng: np.random.Generator) -> SimulatedGold:
    """Draw the gold judges' votes, mostly for the better response; in most equal pairs one counts as such."""
    shape = responses.gap.shape
    coin = np.where(rng.random(shape) < 0.5, 1.0, -1.0)
    coin[rng.random(shape) < _TRULY_EQUAL] = 0.0
    truth = np.where(responses.equal, coin, np.sign(responses.gap))
    votes = np.empty((len(design.gold), *shape))
    for judge in range(len(design.gold)):
        uniform, side = rng.random(shape), np.where(rng.random(shape) < 0.5, 1.0, -1.0)
        decided = np.where(uniform < _RIGHT, truth, np.where(uniform < _RIGHT + _UNDECIDED, 0.0, -truth))
        votes[judge] = np.where(truth == 0, np.where(uniform < _EQUAL_TIES, 0.0, side), decided)
        votes[judge][rng.random(shape) < _MISSING] = np.nan
    return SimulatedGold(votes)
