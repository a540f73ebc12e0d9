"""What the gold judges of a simulated study of pairs say."""

from dataclasses import dataclass

import numpy as np

from engine.simulation.pairs.design import PairDesign
from engine.simulation.pairs.responses import Floats, Ints, Responses

_RIGHT, _UNDECIDED = 0.88, 0.06  # of a gold judge on a pair with a better response; else it errs
_EQUAL_TIES = 0.6  # on a pair without one
_TRULY_EQUAL = 0.2  # share of pairs of equal quality without a better response
_MISSING = 0.04


@dataclass(frozen=True, slots=True, eq=False)
class Gold:
    """The votes of S gold judges on each of N questions and P pairs, shape (S, N, P).

    +1 says that the pair's first response is better, -1 the second, 0 neither, NaN nothing.
    """

    votes: Floats

    @property
    def majority(self) -> Floats:
        """+1 or -1 where more than half of the votes say so, else 0; shape (N, P)."""
        present = (~np.isnan(self.votes)).sum(axis=0)
        wins, losses = ((self.votes == side).sum(axis=0) for side in (1, -1))
        return np.where(2 * wins > present, 1.0, np.where(2 * losses > present, -1.0, 0.0))

    @property
    def win(self) -> Floats:
        """1, 0.5 or 0 as the mean vote is for the first response, NaN without a vote; shape (N, P)."""
        present = (~np.isnan(self.votes)).sum(axis=0)
        total = np.nansum(self.votes, axis=0)
        return np.where(present > 0, (1 + np.sign(total)) / 2, np.nan)


def draw_gold(design: PairDesign, responses: Responses, rng: np.random.Generator) -> Gold:
    """Draw the gold judges' votes: mostly for the better response; of equals one is taken as better."""
    shape = responses.gap.shape
    coin = np.where(rng.random(shape) < 0.5, 1.0, -1.0)
    coin[rng.random(shape) < _TRULY_EQUAL] = 0.0
    truth = np.where(responses.equal, coin, np.sign(responses.gap))
    votes = np.empty((len(design.gold), *shape))
    for judge in votes:
        judge[:] = _votes(truth, rng)
    return Gold(votes)


def _votes(truth: Floats, rng: np.random.Generator) -> Floats:
    uniform, side = rng.random(truth.shape), np.where(rng.random(truth.shape) < 0.5, 1.0, -1.0)
    decided = np.where(uniform < _RIGHT, truth, np.where(uniform < _RIGHT + _UNDECIDED, 0.0, -truth))
    votes = np.where(truth == 0, np.where(uniform < _EQUAL_TIES, 0.0, side), decided)
    votes[rng.random(truth.shape) < _MISSING] = np.nan
    return votes


def said(gold: Gold) -> tuple[Ints, Ints, Ints]:
    """Return the places (judge, question, pair) of the votes that were cast."""
    judge, question, pair = np.nonzero(~np.isnan(gold.votes))
    return judge, question, pair
