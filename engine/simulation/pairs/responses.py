"""How good each response is, what the judges of quality score, and which pairs are equal or far apart."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.simulation.pairs.design import EPSILON, GAP, PairDesign

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DIMENSIONS = ("relevance", "accuracy", "depth", "logic", "clarity")
LEVELS = 5
"""Levels of a response, 0 the lowest: how many of four points it makes well."""

NOISE = 0.3
"""Standard deviation of a score on one dimension, of judges who see quality well."""

_USUAL = 0.6  # share of responses at the level usual for their question
_LOWEST_QUALITY, _STEP = 2.5, 1.5
_LEANING = np.array([0.5, 0.0, -0.6, 0.1, 0.0])  # of the dimensions, mean 0
_GRAIN = 0.25
_NULL_PAIRS, _CONTRAST_PAIRS = 10, 100


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """All responses: N questions, M models, B judges of quality.

    `level` (M, N) counts the points made well. `scores` (B, M, N, 5) are the scores on the dimensions,
    `quality` (M, N) their mean over judges and dimensions. `pairs` (2, P) holds all pairs of models.
    """

    level: Ints
    scores: Floats
    quality: Floats
    pairs: Ints

    @property
    def gap(self) -> Floats:
        """Quality of the first model of each pair less that of the second, shape (N, P)."""
        one, two = self.quality[self.pairs]
        return np.asarray((one - two).T)

    @property
    def equal(self) -> Bools:
        """Which pairs are of equal quality, shape (N, P)."""
        return near(self.gap, EPSILON)

    @property
    def apart(self) -> Bools:
        """Which pairs are far apart in quality, shape (N, P)."""
        return np.asarray(np.abs(self.gap) >= GAP - 1e-9)


def near(difference: Floats, epsilon: float) -> Bools:
    """Return where a difference is at most epsilon."""
    return np.asarray(np.abs(difference) <= epsilon + 1e-9)


def draw_responses(design: PairDesign, questions: int, rng: np.random.Generator) -> Responses:
    """Draw the levels of all responses and what the judges of quality say of them.

    Each question has a usual level from 1 to 3, at which most responses are; the others are one above or
    below, as their model's skill leans.
    """
    usual = rng.integers(1, LEVELS - 1, size=questions)
    skill = np.array([model.skill for model in design.contestants])[:, None]
    uniform = rng.random((len(skill), questions))
    above, below = uniform < (1 - _USUAL) * skill, uniform > 1 - (1 - _USUAL) * (1 - skill)
    level = usual + above.astype(np.int64) - below
    scores = draw_scores(level, len(design.benchmark), rng)
    pairs = np.array(np.triu_indices(len(skill), k=1), dtype=np.int64)
    return Responses(level, scores, scores.mean(axis=(0, 3)), pairs)


def draw_scores(
    level: Ints, judges: int, rng: np.random.Generator, *, lift: Floats | float = 0.0, noise: float = NOISE
) -> Floats:
    """Draw scores from 0 to 10 in steps of 0.25, shape (judges, M, N, 5); `lift` (M, N) is added to some.

    `noise` is the standard deviation of one score about the response's quality.
    """
    true = (_LOWEST_QUALITY + _STEP * level + lift)[..., None] + _LEANING
    noisy = true + noise * rng.standard_normal((judges, *true.shape))
    return np.asarray(np.clip(np.round(noisy / _GRAIN) * _GRAIN, 0, 10))


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPairs:
    """The pairs drawn for one judge, as places in question and pair; `turned` where the target is the second.

    `own` and `contrast` are masks of shape (N, P), `null` a list of ordered pairs.
    """

    own: Bools
    contrast: Bools
    null_question: Ints
    null_pair: Ints
    null_turned: Bools

    @property
    def asked_both(self) -> Bools:
        """The pairs that are asked in both orders in every variant, shape (N, P)."""
        asked = self.own.copy()
        asked[self.null_question, self.null_pair] = True
        return asked


def draw_pairs(responses: Responses, judge: int, rng: np.random.Generator) -> DrawnPairs:
    """Draw the equal, null and contrast pairs of one judge, by the rules of MEASURES section 9."""
    one, two = responses.pairs
    mine = (one == judge) | (two == judge)
    like_me = near(responses.quality - responses.quality[judge], EPSILON)
    null = responses.equal & ~mine & like_me[one].T & like_me[two].T
    places = np.argwhere(np.stack([null, null], axis=-1))
    chosen = _first_of_each(places[:, 0], rng.permutation(len(places)), _NULL_PAIRS)
    question, pair, turned = places[chosen].T
    far = np.argwhere(responses.apart & ~mine)
    contrast = np.zeros_like(null)
    contrast[tuple(far[np.sort(rng.permutation(len(far))[:_CONTRAST_PAIRS])].T)] = True
    return DrawnPairs(responses.equal & mine, contrast, question, pair, turned.astype(bool))


def _first_of_each(group: Ints, order: Ints, most: int) -> Ints:
    """Return at most so many places of each group, the first ones in a random order, sorted."""
    by_group = np.lexsort((order, group))
    starts = np.flatnonzero(np.diff(group[by_group], prepend=-1))
    rank = np.arange(len(group)) - np.repeat(starts, np.diff(np.append(starts, len(group))))
    return np.sort(by_group[rank < most])
