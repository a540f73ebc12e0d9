"""Scores picked from a list of options: how likely each is in each ordering, and what is drawn."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.simulation.orders.design import LEAN, OrderDesign, Scorer

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

PIECES = 4
"""Pieces of a story, each written well or flatly."""

_TASTE = 0.35  # how far an item's worth lies from what its pieces say, the same for all who score it
_PERSON = 0.5  # how far a person's score lies from the worth
_OPINION = 0.3  # how far a judge's view of an item lies from its worth


@dataclass(frozen=True, slots=True, eq=False)
class Stories:
    """N stories by each of M models, judged by K criteria.

    `well` (M, N, 4) says which pieces are written well, `worth` (M, N, K) what an item is truly worth, from 1
    to the number of options. `human` (people, M, N, K) are scores by people, NaN where there is none.
    """

    well: Bools
    worth: Floats
    human: Floats


def orderings(options: int) -> Ints:
    """Return the balanced orderings, which score (from 0) stands where: rotations up, then rotations down."""
    up = [np.roll(np.arange(options), -turn) for turn in range(options)]
    down = [np.roll(np.arange(options)[::-1], -turn) for turn in range(options)]
    distinct = {tuple(int(score) for score in ordering): None for ordering in (*up, *down)}
    return np.array(list(distinct), dtype=np.int64)


def draw_stories(design: OrderDesign, stories: int, rng: np.random.Generator) -> Stories:
    """Draw which pieces are written well, what the items are worth, and the scores that people give."""
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
    """How likely one judge picks each score: `chances` (items, orderings, scores), items as (M, N, K)."""

    chances: Floats
    orderings: Ints

    @property
    def selections(self) -> Floats:
        """Expected number of selections by score and position, shape (scores, positions)."""
        n = self.chances.shape[-1]
        by_ordering = self.chances.sum(axis=0)
        counts = np.zeros((n, n))
        for ordering, expected in zip(self.orderings, by_ordering, strict=True):
            counts[ordering, np.arange(n)] += expected[ordering]
        return counts


def draw_picks(design: OrderDesign, stories: Stories, judge: int, rng: np.random.Generator) -> Picks:
    """Draw what a judge thinks of each item in each ordering, and return how likely it picks each score."""
    scorer, shown = design.scorers[judge], orderings(design.options)
    worth = stories.worth.reshape(-1, 1)
    opinion = worth + rng.normal(0, _OPINION, worth.shape)
    view = opinion + rng.normal(0, 1, (len(worth), len(shown))) * scorer.wander
    scores = np.arange(1, design.options + 1)
    fit = np.exp(-((scores - view[..., None]) ** 2) / (2 * scorer.spread**2)) + 1e-9
    places = np.argsort(shown, axis=1)
    weighed = fit * leanings(scorer, design.options)[np.arange(design.options), places]
    return Picks(weighed / weighed.sum(axis=-1, keepdims=True), shown)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores that were drawn, one entry each; `score` and `position` are from 1."""

    item: Ints
    ordering: Ints
    trial: Ints
    score: Ints
    position: Ints


def draw_scores(picks: Picks, rng: np.random.Generator) -> Scores:
    """Draw one score of each item in each ordering (trial 0), and repeats of the first to as many."""
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
