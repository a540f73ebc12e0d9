"""A population of questions whose responses are judged in pairs, with a planted self-preference."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from engine.stats.self_preference import Relations

from .population import Population

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

MODELS = len(Population.families)
ONE, TWO = (np.array(side) for side in zip(*combinations(range(MODELS), 2), strict=True))


@dataclass(frozen=True, eq=False)
class PairPopulation:
    """Models that answer and judge each other's responses in pairs; arrays have one entry for each model.

    A response's quality is its model's `skill` plus a normal part; `present` is the share of questions that a
    model answers, so that the number of pairs varies between questions. Gold judges see the difference with
    an error, as does the rating that defines equal quality. Judge J prefers A to B with log-odds
    sharpness(J) x (difference of quality) + own(J) if A is its own, plus two errors that correlate answers on
    one question: a `taste` for each response, and one for each pair (`whim`). The response shown first gains
    order(J). `left` is the share of own(J) that remains in another prompt variant.
    """

    families: tuple[str, ...] = Population.families
    skill: tuple[float, ...] = (0.0, 0.5, 0.2, -0.3, 0.7, -0.5)
    own: tuple[float, ...] = (0.0, 0.6, 0.0, 1.0, -0.5, 0.3)
    sharpness: tuple[float, ...] = (0.3, 0.6, 0.9, 0.15, 0.45, 1.2)
    order: tuple[float, ...] = (0.3, 0.6, 0.2, 0.8, 0.4, 0.1)
    present: float = 0.85
    taste: float = 0.6
    whim: float = 0.7
    left: float = 0.4

    @property
    def relations(self) -> Relations:
        """The relations of judges to generators: three masks of shape (judges, generators)."""
        return Population(families=self.families).relations

    def draw(self, questions: int, rng: np.random.Generator) -> "Pairs":
        """Draw the answers on this many questions."""
        good = np.array(self.skill)[:, None] + rng.standard_normal((MODELS, questions))
        there = rng.random((MODELS, questions)) < self.present
        rated = 6 + 0.8 * good + 0.3 * rng.standard_normal(good.shape)
        gap = good[ONE] - good[TWO]
        like = self.taste * rng.standard_normal((MODELS, MODELS, questions))
        odds = np.array(self.sharpness)[:, None, None] * gap + like[:, ONE] - like[:, TWO]
        odds += self.whim * rng.standard_normal(odds.shape)
        judges = np.arange(MODELS)[:, None]
        side = ((judges == ONE).astype(float) - (judges == TWO))[..., None]
        own = np.array(self.own)[:, None, None] * side
        again = odds + self.left * own + 0.4 * rng.standard_normal(odds.shape)
        push = np.array(self.order)[:, None, None]
        return Pairs(
            exists=there[ONE] & there[TWO],
            answered=there,
            quality=np.clip(np.round(4 * rated) / 4, 0, 10),
            gold=gap + 0.5 * rng.standard_normal(gap.shape) > 0,
            p=np.stack([expit(odds + own + push), expit(odds + own - push)]),
            p_again=np.stack([expit(again + push), expit(again - push)]),
            key=rng.random((MODELS, 2, *gap.shape)),
            shown=rng.random((MODELS, *gap.shape)) < 0.5,
            relations=self.relations,
        )


@dataclass(frozen=True, eq=False)
class Pairs:
    """The answers of one study; a pair is of models ONE[i] and TWO[i].

    `exists` (pairs, questions) marks existing pairs, `answered` and `quality` are for responses (models,
    questions), `gold` says that the first is better. `p` (2, judges, pairs, questions) is the judge's
    probability of the first model's response, shown first and shown second; it is chosen if above one half.
    `p_again` is the same in another prompt variant. `key` and `shown` are for the draws of null pairs (for
    either response as target) and of the order of contrast pairs.
    """

    exists: Bools
    answered: Bools
    quality: Floats
    gold: Bools
    p: Floats
    p_again: Floats
    key: Floats
    shown: Bools
    relations: Relations
