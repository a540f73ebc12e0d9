"""Models that all answer and judge: who is kin to whom, how strict each is, and what each likes."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

AUTHOR = 0
"""The model about whom a kind says something; where self-preference is planted, its judge."""


@dataclass(frozen=True)
class Judges:
    """Models that judge each other; numbers are log-odds of a favourable verdict.

    `strictness` spreads the judges' leniency (the same in every study of a kind), `author_leniency` is the
    author's own. `appeal` is what every judge adds for the author's responses, `tastes` the spread of what
    each judge adds for each generator outside its family, `planted` what the author's judge adds for its own
    responses, `planted_family` what it adds for its relatives'. `discernment` is how much of what
    distinguishes failures (appeal, subtlety) the author's judge sees; all others see 1.
    """

    models: int = 12
    family_size: int = 1
    strictness: float = 0.5
    author_leniency: float | None = None
    appeal: float = 0.0
    tastes: float = 0.0
    planted: float = 0.0
    planted_family: float = 0.0
    discernment: float = 1.0

    @property
    def names(self) -> list[str]:
        """The models' names, in their order."""
        return [f"m{number:02d}" for number in range(self.models)]

    @property
    def families(self) -> list[str]:
        """The family of each model."""
        return [f"f{number // self.family_size:02d}" for number in range(self.models)]

    @cached_property
    def relatives(self) -> Bools:
        """Who is of whose family, oneself included: shape (judges, generators)."""
        family = np.array(self.families)
        return np.asarray(family[:, None] == family)

    @cached_property
    def leniency(self) -> Floats:
        """Each judge's leniency: normal quantiles in an order that has nothing to do with the families."""
        quantiles = ndtri((np.arange(self.models) + 0.5) / self.models)
        leniency = self.strictness * quantiles[np.random.default_rng(7).permutation(self.models)]
        if self.author_leniency is not None:
            leniency[AUTHOR] = self.author_leniency
        return np.asarray(leniency)

    @property
    def without_tastes(self) -> "Judges":
        """The same judges, of whom no draw of tastes is to be held for what is expected."""
        return replace(self, tastes=0.0)

    @property
    def sight(self) -> Floats:
        """How much each judge sees of what distinguishes failures."""
        sight = np.ones(self.models)
        sight[AUTHOR] = self.discernment
        return sight

    def liking(self, rng: np.random.Generator) -> Floats:
        """Draw what each judge adds for each generator: shape (judges, generators)."""
        liking = np.where(self.relatives, 0.0, self.tastes * rng.standard_normal(self.relatives.shape))
        liking[:, AUTHOR] += self.appeal * self.sight
        liking[AUTHOR] += np.where(self.relatives[AUTHOR], self.planted_family, 0.0)
        liking[AUTHOR, AUTHOR] += self.planted - self.planted_family
        return np.asarray(liking)


USUAL = Judges()
"""Twelve judges of twelve families, none of whom likes anything for whose it is."""


def drawn(log_odds: Floats, rng: np.random.Generator) -> Bools:
    """Draw what has these log-odds."""
    return np.asarray(rng.random(log_odds.shape) < expit(log_odds))
