"""The quality of responses, the scores of its judges, and pairs that are equal or far apart."""

from dataclasses import dataclass

import numpy as np

from engine.simulation.pair_design import EPSILON, GAP, PairDesign
from engine.stats import Bools, Floats, Ints
from engine.stats.intervals.seeded_draws import lowest

LEVELS = 5  # the number of levels of a response; its level, from 0, is how many of four points it makes well
NOISE = 0.3  # standard deviation of a score on one dimension, for judges who see quality well

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
        first, second = self.quality[self.pairs]
        return np.asarray((first - second).T)

    @property
    def equal(self) -> Bools:
        """Which pairs are of equal quality, shape (N, P)."""
        return near(self.gap)

    @property
    def apart(self) -> Bools:
        """Which pairs are far apart in quality, shape (N, P)."""
        return np.asarray(np.abs(self.gap) >= GAP - 1e-9)


def near(difference: Floats) -> Bools:
    """Return which differences of quality are so small that judges treat the responses as equal."""
    return np.asarray(np.abs(difference) <= EPSILON + 1e-9)


def draw_responses(design: PairDesign, questions: int, rng: np.random.Generator) -> Responses:
    """Draw the levels of all responses and the scores of the judges of quality.

    Most are at their question's usual level, 1 to 3; the others one above or below, depending on skill.
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
    """Draw scores from 0 to 10 in steps of 0.25, shape (judges, M, N, 5); `lift` (M, N) is added to them.

    `noise` is the standard deviation of one score around the response's quality.
    """
    true = (_LOWEST_QUALITY + _STEP * level + lift)[..., None] + _LEANING
    noisy = true + noise * rng.standard_normal((judges, *true.shape))
    return np.asarray(np.clip(np.round(noisy / _GRAIN) * _GRAIN, 0, 10))


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPairs:
    """The pairs drawn for one judge: `own` and `contrast` are masks of shape (N, P).

    Null pairs are listed by question and pair; `null_swapped` if the target is the pair's second response.
    """

    own: Bools
    contrast: Bools
    null_question: Ints
    null_pair: Ints
    null_swapped: Bools


def draw_pairs(responses: Responses, judge: int, rng: np.random.Generator) -> DrawnPairs:
    """Draw the equal, null and contrast pairs of one judge, by the rules of MEASURES section 9."""
    first, second = responses.pairs
    is_own = (first == judge) | (second == judge)
    near_own = near(responses.quality - responses.quality[judge])
    null = responses.equal & ~is_own & near_own[first].T & near_own[second].T
    places = np.argwhere(np.stack([null, null], axis=-1))
    picks = lowest(places[:, 0], rng.permutation(len(places)), _NULL_PAIRS)
    question, pair, swapped = places[picks].T
    far = np.argwhere(responses.apart & ~is_own)
    contrast = np.zeros_like(null)
    contrast[tuple(far[np.sort(rng.permutation(len(far))[:_CONTRAST_PAIRS])].T)] = True
    return DrawnPairs(responses.equal & is_own, contrast, question, pair, swapped.astype(bool))
