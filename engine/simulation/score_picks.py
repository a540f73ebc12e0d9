"""Scores picked from a list of options: their chances in each ordering, and draws."""

from dataclasses import dataclass

import numpy as np

from engine.simulation.order_design import LEAN, OrderDesign, Scorer
from engine.stats import Bools, Floats, Ints
from engine.stats.orders.option_orders import balanced_orderings

PIECES = 4  # pieces of a story, each written well or poorly

# Standard deviations.
_TASTE = 0.35  # of an item's worth around that of its pieces, the same for all who score it
_PERSON = 0.5  # of a person's score around the worth
_OPINION = 0.3  # of a judge's opinion of an item around its worth


@dataclass(frozen=True, slots=True, eq=False)
class Stories:
    """N stories by each of M models, judged by K criteria.

    `well` (M, N, 4) says which pieces are written well, `worth` (M, N, K) is the true score of an item, from
    1 to the number of options. `human` (people, M, N, K) are scores by people, NaN if missing.
    """

    well: Bools
    worth: Floats
    human: Floats


def draw_stories(design: OrderDesign, stories: int, rng: np.random.Generator) -> Stories:
    skill = np.array([scorer.model.skill for scorer in design.scorers])[:, None, None]
    well = rng.random((len(skill), stories, PIECES)) < skill
    shape = (len(skill), stories, len(design.criteria))
    share = well.mean(axis=2)[..., None] + rng.normal(0, _TASTE / PIECES, shape)
    worth = 1 + (design.options - 1) * np.clip(share, 0, 1)
    human = np.round(worth + rng.normal(0, _PERSON, (len(design.people), *shape)))
    unscored = rng.random(shape) >= design.scored
    human = np.where(unscored, np.nan, np.clip(human, 1, design.options))
    return Stories(well, worth, human)


def leanings(scorer: Scorer, options: int) -> Floats:
    """Return the weight of each score at each place of the list, shape (scores, positions)."""
    weights = np.ones((options, options))
    if scorer.positions:
        weights *= np.array(scorer.positions)
    if scorer.home:
        for place, score in enumerate(scorer.home):
            others = [p for p in range(options) if p != place]
            early = len(others) // 2
            weights[score - 1, others[:early]] += LEAN * options
            weights[score - 1, others[-early:]] -= LEAN * options
    return weights


@dataclass(frozen=True, slots=True, eq=False)
class Picks:
    """One judge's probabilities of each score: `chances` (items, orderings, scores), items as (M, N, K)."""

    chances: Floats
    orderings: Ints

    @property
    def selections(self) -> Floats:
        """Expected number of selections by score and position, shape (scores, positions)."""
        n = self.chances.shape[-1]
        counts = np.zeros((n, n))
        for ordering, expected in zip(self.orderings, self.chances.sum(axis=0), strict=True):
            counts[ordering, np.arange(n)] += expected[ordering]
        return counts


def draw_picks(design: OrderDesign, stories: Stories, judge: int, rng: np.random.Generator) -> Picks:
    """Draw a judge's opinion of each item in each ordering, and return its probabilities of each score."""
    scorer, orderings = design.scorers[judge], balanced_orderings(design.options)
    worth = stories.worth.reshape(-1, 1)
    opinion = worth + rng.normal(0, _OPINION, worth.shape)
    view = opinion + rng.normal(0, 1, (len(worth), len(orderings))) * scorer.wander
    scores = np.arange(1, design.options + 1)
    fit = np.exp(-((scores - view[..., None]) ** 2) / (2 * scorer.spread**2)) + 1e-9
    places = np.argsort(orderings, axis=1)
    weighted = fit * leanings(scorer, design.options)[np.arange(design.options), places]
    return Picks(weighted / weighted.sum(axis=-1, keepdims=True), orderings)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Drawn scores as parallel arrays; `score` and `position` start at 1."""

    item: Ints
    ordering: Ints
    trial: Ints
    score: Ints
    position: Ints


def draw_scores(picks: Picks, rng: np.random.Generator) -> Scores:
    """Draw one score of each item in each ordering (trial 0), and as many in total of the first ordering."""
    items, count, n = picks.chances.shape
    ordering = np.concatenate([np.arange(count), np.zeros(count - 1, dtype=np.int64)])
    trial = np.concatenate([np.zeros(count, dtype=np.int64), np.arange(1, count)])
    chances = picks.chances[:, ordering].cumsum(axis=-1)
    uniform = rng.random((items, len(ordering), 1))
    score = np.minimum((uniform > chances).sum(axis=-1), n - 1)
    places = np.argsort(picks.orderings, axis=1)
    return Scores(
        np.repeat(np.arange(items), len(ordering)),
        np.tile(ordering, items),
        np.tile(trial, items),
        score.ravel() + 1,
        places[ordering, score].ravel() + 1,
    )
