"""What a simulated study of pairs plants: contestants, their responses, and the pairs drawn of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.errors import UsageError
from engine.simulation.design import Draws, families_of
from engine.stats.types import Bools, Floats, Ints

# ------------------------------------------------------------------------------
# What a simulated study of pairs plants: how each model answers, and how it chooses as a judge.


EPSILON = 0.25
"""Largest difference of quality between responses that judges treat as equal."""

GAP = 2.0
"""Least difference of quality between responses that are far apart."""

_LEFT = MappingProxyType({"forced": 1.0, "cot": 0.6, "structured": 0.25})
_GAIN = MappingProxyType({"forced": 0.0, "cot": 0.3, "structured": 0.15})


@dataclass(frozen=True, slots=True)
class Contestant:
    """A model that answers and judges.

    Of its responses: `skill` in [0, 1] is how far it leans to a response better than the question usually
    gets rather than worse.
    As a judge in variant `forced`, shares of pairs: `firm` is the chance that it chooses a given one of two
    equal responses of others in both orders (Null-PIR), `spb` what is added to it for its own response,
    `family_spb` for a relative's against an outsider's. `sight` (D) is the chance that it names the better of
    two responses far apart in one order, and `first` the share of the pairs on which its orders differ in
    which it held to the response shown first.
    In variant `forced_tie`: `losing` is its mean vote for a response that the gold judges find worse, and
    `beyond` what is added for its own (T of the quality baseline).
    `verbose` judges give long reasons.
    """

    name: str
    family: str
    skill: float = 0.5
    firm: float = 0.25
    spb: float = 0.0
    family_spb: float = 0.0
    sight: float = 0.93
    first: float = 0.5
    losing: float = 0.3
    beyond: float = 0.0
    verbose: bool = False
    provider: str | None = None
    size_b: float | None = None
    stage: str | None = "post-trained"

    def __post_init__(self) -> None:
        for name in ("skill", "firm", "sight", "first", "losing"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise UsageError(f"{name} {value!r} of {self.name!r} is not a share; give 0 to 1")
        if not 0 <= self.firm <= 0.5:
            raise UsageError(
                f"firm {self.firm!r} of {self.name!r}: either of two equals may be chosen; give 0 to 0.5"
            )
        if not -self.firm <= self.spb <= 1 - 2 * self.firm:
            raise UsageError(
                f"spb {self.spb!r} of {self.name!r} leaves no share; with firm {self.firm!r} give "
                f"{-self.firm:g} to {1 - 2 * self.firm:g}"
            )
        if abs(self.family_spb) > self.firm:
            raise UsageError(
                f"family_spb {self.family_spb!r} of {self.name!r} is beyond firm {self.firm!r}; lower it"
            )
        if self.losing + min(0.0, self.beyond, -self.beyond / 2) - DIFFICULTY < LOWEST_VOTE:
            raise UsageError(f"losing {self.losing!r} of {self.name!r} is too low for its beyond; raise it")
        if self.losing + max(0.0, self.beyond, -self.beyond / 2) + DIFFICULTY > HIGHEST_VOTE:
            raise UsageError(f"losing {self.losing!r} of {self.name!r} is too high for its beyond; lower it")


LOWEST_VOTE, HIGHEST_VOTE = 0.02, 0.6
"""Bounds of the mean vote for a worse response; votes for a tie have their place above them."""

HIGHEST_TIE = 0.3
"""How far the share of votes for a tie reaches above its least."""

DIFFICULTY = 0.08
"""By how much questions differ in the vote that a worse response gets, either way."""


@dataclass(frozen=True, slots=True)
class PairDesign(Draws):
    """A whole simulated study of pairs, short of its questions.

    `contestants` answer every question and judge. `benchmark` score the quality of all responses, and `gold`
    say which of two is better; neither answers. `left` is the share of a judge's SPB that each variant
    leaves, `gain` the share of its lack of sight that the variant makes good.
    """

    contestants: tuple[Contestant, ...]
    benchmark: tuple[str, ...] = ("gauge-north", "gauge-south")
    gold: tuple[str, ...] = ("touchstone-a", "touchstone-b", "touchstone-c")
    left: Mapping[str, float] = field(default_factory=lambda: _LEFT)
    gain: Mapping[str, float] = field(default_factory=lambda: _GAIN)

    def __post_init__(self) -> None:
        names = [*self.names, *self.benchmark, *self.gold]
        for name in names:
            if not name or names.count(name) > 1:
                raise UsageError(f"the model {name!r} is empty or stands twice; give each its own name")
        if len(self.contestants) < 3:
            raise UsageError(
                f"{len(self.contestants)} models are too few for pairs without the judge; give at least 3"
            )
        if not self.benchmark or not self.gold:
            raise UsageError("quality and preferences need a judge each; name at least one for both")
        self.check_draws()

    @property
    def names(self) -> list[str]:
        """The names of the models that answer and judge."""
        return [model.name for model in self.contestants]


# ------------------------------------------------------------------------------
# Contestants for a simulation that names only who takes part: the four archetypes in turn.


KINDS = (
    Contestant("Objective", "", firm=0.30, sight=0.94, first=0.52, losing=0.30),
    Contestant("Machiavellian", "", firm=0.25, spb=0.30, sight=0.92, first=0.55, losing=0.28, beyond=0.15),
    Contestant("Blindly Biased", "", firm=0.35, spb=-0.22, sight=0.91, first=0.48, losing=0.33, beyond=-0.10),
    Contestant("Incompetent Randomizer", "", firm=0.20, sight=0.56, first=0.60, losing=0.42, verbose=True),
)
"""The four archetypes, in the order in which contestants take them."""


def default_contestants(
    names: Sequence[str],
    families: Sequence[str] = (),
    *,
    biased: Sequence[str] | None = None,
    spb: float | None = None,
    beyond: float | None = None,
    first: float | None = None,
) -> tuple[Contestant, ...]:
    """Return contestants of these names that take the four archetypes in turn.

    `families` has one name for each; where it is empty, a family is the name up to its first hyphen. What is
    given of `spb`, `beyond` and `first` takes the archetype's place in the judges named by `biased` (None: in
    all), and the others then have no bias. Raises UsageError where families are not as many as names, or a
    biased judge is none of them.
    """
    of_family = families_of(names, families, biased)
    given = {"spb": spb, "beyond": beyond, "first": first}
    contestants = []
    for place, name in enumerate(names):
        planted: dict[str, Any] = {bias: value for bias, value in given.items() if value is not None}
        if biased is not None and name not in biased:
            planted = {"spb": 0.0, "beyond": 0.0}
        kind, skill = KINDS[place % len(KINDS)], (place + 0.5) / len(names)
        contestants.append(replace(kind, name=name, family=of_family[place], skill=skill, **planted))
    return tuple(contestants)


# ------------------------------------------------------------------------------
# How good each response is, what the judges of quality score, and which pairs are equal or far apart.


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
        both = self.own.copy()
        both[self.null_question, self.null_pair] = True
        return both


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
