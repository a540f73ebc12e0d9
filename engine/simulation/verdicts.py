"""Verdicts drawn from a judge's chances: arrays only, one response (or one response's pairs) at a time."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from engine.simulation.columns import Codes
from engine.simulation.items import Mask

Floats = npt.NDArray[np.float64]

TIE_OF_EQUALS = 0.4  # how often responses that are equal in the reference are called equal
STEADY = 0.85  # how often both orders name the winner of a pair
BOTH_TIE = 0.5  # how often a tie is a tie in both orders, not a change of mind

CHOICE_NAMES = ("generator", "opponent", "tie")


class Choice(IntEnum):
    """Places in `CHOICE_NAMES`."""

    GENERATOR = 0
    OPPONENT = 1
    TIE = 2


def draw_favourable(truth: Mask, over: Floats, under: Floats, rng: np.random.Generator) -> Mask:
    """Draw one verdict for each rubric; `truth`, `over` and `under` have shape (K,)."""
    uniform = rng.random(truth.shape)
    return np.where(truth, uniform >= under, uniform < over)


@dataclass(frozen=True, slots=True, eq=False)
class PairVerdicts:
    """The choices (places in `CHOICE_NAMES`) of pairs shown in both orders, each of the pairs' shape."""

    generator_first: Codes
    opponent_first: Codes


def draw_outcomes(
    reference: npt.NDArray[np.int64], over: Floats, over_opponent: Floats, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Draw the outcome of pairs over both orders: 1 the generator is better, 0 equal, -1 the opponent is.

    `reference` is the true outcome; `over` and `over_opponent` are the chances that the generator, or the
    opponent, is spared a defeat. A spared defeat is a win as often as a tie. Of equals each wins in
    proportion to its chance. All arrays broadcast to one shape.
    """
    chance = np.where(reference < 0, over, over_opponent)
    uniform = rng.random(np.broadcast(reference, over, over_opponent).shape)
    decided = np.where(uniform < chance / 2, -reference, np.where(uniform < chance, 0, reference))
    total = over + over_opponent
    share = np.divide(over, total, out=np.full(total.shape, 0.5), where=total > 0)
    equal = np.where(
        uniform < TIE_OF_EQUALS, 0, np.where(uniform < TIE_OF_EQUALS + (1 - TIE_OF_EQUALS) * share, 1, -1)
    )
    return np.where(reference == 0, equal, decided).astype(np.int64)


def draw_orders(outcome: npt.NDArray[np.int64], first_bias: float, rng: np.random.Generator) -> PairVerdicts:
    """Draw what the judge said in the two orders, so that they resolve to `outcome` (MEASURES section 4).

    A winner is named in both orders, or in one of them beside a tie; a tie is two ties, or a change of mind
    with the order. `first_bias` is the share of those that differ which held to the response shown first.
    """
    agrees = rng.random(outcome.shape) < np.where(outcome == 0, BOTH_TIE, STEADY)
    held_first = rng.random(outcome.shape) < first_bias
    settled = np.where(outcome > 0, Choice.GENERATOR, np.where(outcome < 0, Choice.OPPONENT, Choice.TIE))
    by_order = []
    for shown_first, shown_second in (
        (Choice.GENERATOR, Choice.OPPONENT),
        (Choice.OPPONENT, Choice.GENERATOR),
    ):
        followed = np.where(held_first, shown_first, shown_second)
        wavered = np.where((outcome == 0) | (settled == followed), followed, Choice.TIE)
        by_order.append(np.where(agrees, settled, wavered).astype(np.int32))
    return PairVerdicts(*by_order)
