"""Models that all answer and judge: their families, leniency and preferences."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

AUTHOR = 0
"""The model that a kind of study is about; if self-preference is planted, the judge that has it."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Judges:
    """Models that judge each other; numbers are log-odds of a favourable verdict.

    `strictness` is the spread of the judges' leniency (the same in every study of a kind), `author_leniency`
    the author's own. `appeal` is what every judge adds for the author's responses, `tastes` the spread of
    what each judge adds for each generator outside its family. `planted` is what the author's judge adds for
    its own responses, `planted_family` for its relatives'. `style` is what the author's judge adds for each
    standard deviation of a style, such as length: its own responses have one more than the average, the other
    models' are drawn. If tastes are `shared`, they are those of families for families, their own too.
    `discernment` is the share of what distinguishes failures (appeal, subtlety) that the author's judge sees;
    all others see 1. `common` is what every judge adds for its own responses, and `likeness` what it adds for
    each product of its own model's style and that of the response, both standard normal. `others_appeal` is
    the spread of what all judges add for each other model's responses. Only the first `generators` models
    answer (None: all).
    """

    models: int = 12
    family_size: int = 1
    strictness: float = 0.5
    author_leniency: float | None = None
    appeal: float = 0.0
    tastes: float = 0.0
    planted: float = 0.0
    planted_family: float = 0.0
    style: float = 0.0
    shared: bool = False
    discernment: float = 1.0
    common: float = 0.0
    likeness: float = 0.0
    others_appeal: float = 0.0
    generators: int | None = None

    @property
    def names(self) -> list[str]:
        """The models' names, in order."""
        return [f"m{number:02d}" for number in range(self.models)]

    @property
    def families(self) -> list[str]:
        """The family of each model."""
        return [f"f{number // self.family_size:02d}" for number in range(self.models)]

    @cached_property
    def relatives(self) -> Bools:
        """Which pairs are of one family, including each model with itself: shape (judges, generators)."""
        family = np.array(self.families)
        return np.asarray(family[:, None] == family)

    @cached_property
    def leniency(self) -> Floats:
        """Each judge's leniency: normal quantiles in an order unrelated to the families."""
        quantiles = ndtri((np.arange(self.models) + 0.5) / self.models)
        leniency = self.strictness * quantiles[np.random.default_rng(7).permutation(self.models)]
        if self.author_leniency is not None:
            leniency[AUTHOR] = self.author_leniency
        return np.asarray(leniency)

    @property
    def without_tastes(self) -> "Judges":
        """The same judges without tastes, for expected values that depend on no draw of them."""
        return replace(self, tastes=0.0)

    @property
    def sight(self) -> Floats:
        """The share of what distinguishes failures that each judge sees."""
        sight = np.ones(self.models)
        sight[AUTHOR] = self.discernment
        return sight

    def liking(self, rng: np.random.Generator) -> Floats:
        """Draw what each judge adds for each generator: shape (judges, generators)."""
        liking = self._tastes(rng)
        if self.style:
            liking[AUTHOR] += self.style * np.array([1.0, *rng.standard_normal(self.models - 1)])
        if self.likeness:
            style = rng.standard_normal(self.models)
            liking += self.likeness * np.outer(style, style)
        if self.others_appeal:
            liking[:, AUTHOR + 1 :] += self.others_appeal * rng.standard_normal(self.models - 1)
        liking += self.common * np.eye(self.models)
        liking[:, AUTHOR] += self.appeal * self.sight
        liking[AUTHOR] += np.where(self.relatives[AUTHOR], self.planted_family, 0.0)
        liking[AUTHOR, AUTHOR] += self.planted - self.planted_family
        return np.asarray(liking)

    def overrating(self, added: Floats) -> Floats:
        """Return by how much each judge rates its relatives' responses and its own above other judges.

        `added` is what each judge adds for each generator. What it adds for every response, and what all add
        for a generator, are fitted to the responses of other families; the rest remains. What the author's
        judge does not see (`discernment`) is no reason of its own. Shape (judges, generators), NaN outside
        the family and where a model does not answer.
        """
        seen = added.copy()
        seen[:, AUTHOR] += self.appeal * (1 - self.sight)
        answering = np.arange(self.models) < (self.generators or self.models)
        judge, generator = np.nonzero(~self.relatives & answering)
        each = np.eye(self.models)
        fitted = np.hstack([each[judge], each[generator]])
        effects = np.linalg.lstsq(fitted, seen[judge, generator], rcond=None)[0]
        rest = seen - effects[: self.models, None] - effects[self.models :]
        rest[abs(rest) < ROUNDING] = 0.0
        return np.where(self.relatives & answering, rest, np.nan)

    def _tastes(self, rng: np.random.Generator) -> Floats:
        """Draw tastes for models of other families or, if shared, of families for families, their own too."""
        if not self.shared:
            return np.where(self.relatives, 0.0, self.tastes * rng.standard_normal(self.relatives.shape))
        family = np.arange(self.models) // self.family_size
        drawn = self.tastes * rng.standard_normal((family[-1] + 1,) * 2)
        return np.asarray(drawn[np.ix_(family, family)])


USUAL = Judges()
"""Twelve judges of twelve families, without preferences for any generator."""


def drawn(log_odds: Floats, rng: np.random.Generator) -> Bools:
    """Draw truth values with these log-odds."""
    return np.asarray(rng.random(log_odds.shape) < expit(log_odds))
