"""A simulated study of pairs: contestants, responses and pairs, and draws of votes and choices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.errors import UsageError
from engine.schema import DIMENSIONS
from engine.simulation.design import Draws, families_of
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.quality_baseline import lowest

# ------------------------------------------------------------------------------
# Planted in a simulated study of pairs: how each model answers, and how it chooses as a judge.


EPSILON = 0.25  # largest difference of quality between responses that judges treat as equal
GAP = 2.0  # least difference of quality between responses that are far apart


@dataclass(frozen=True, slots=True)
class Contestant:
    """A model that answers and judges.

    As a generator: of its responses that are not at the question's usual level, the share `skill` is better.
    As a judge in variant `forced`, in shares of pairs: `firm` is the chance that it chooses a given one of
    two equal responses of others in both orders (Null-PIR), `spb` is added to it for its own response,
    `family_spb` for that of its family against an outsider's. `sight` (D) is the chance that it names the
    better of two responses far apart in one order. `first` is, among the pairs on which its orders differ,
    the share in which it chose the response shown first.
    In variant `forced_tie`: `losing` is its mean vote for a response that the gold judges find worse, and
    `beyond` is added for its own (T of the quality baseline).
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
        name, firm, spb, losing = self.name, self.firm, self.spb, self.losing
        for share in ("skill", "firm", "sight", "first", "losing"):
            value = getattr(self, share)
            if not 0 <= value <= 1:
                raise UsageError(f"{share} {value!r} of {name!r} is not a share; give 0 to 1")
        if firm > 0.5:
            raise UsageError(f"firm {firm!r} of {name!r}: either of two equals may be chosen; give 0 to 0.5")
        if not -firm <= spb <= 1 - 2 * firm:
            remedy = f"with firm {firm!r} give {-firm:g} to {1 - 2 * firm:g}"
            raise UsageError(f"spb {spb!r} of {name!r} leaves no share; {remedy}")
        if abs(self.family_spb) > firm:
            raise UsageError(f"family_spb {self.family_spb!r} of {name!r} is beyond firm {firm!r}; lower it")
        if losing + min(0.0, self.beyond, -self.beyond / 2) - DIFFICULTY < LOWEST_VOTE:
            raise UsageError(f"losing {losing!r} of {name!r} is too low for its beyond; raise it")
        if losing + max(0.0, self.beyond, -self.beyond / 2) + DIFFICULTY > HIGHEST_VOTE:
            raise UsageError(f"losing {losing!r} of {name!r} is too high for its beyond; lower it")


LOWEST_VOTE, HIGHEST_VOTE = 0.02, 0.6
"""Bounds of the mean vote for a worse response; they leave room for votes for a tie."""

HIGHEST_TIE = 0.3  # the range of the share of votes for a tie above its minimum
DIFFICULTY = 0.08  # the largest effect of a question, up or down, on the vote for a worse response


@dataclass(frozen=True, slots=True)
class PairDesign(Draws):
    """The design of a simulated study of pairs, without its questions.

    `contestants` answer every question and judge. `benchmark` judges score the quality of all responses, and
    `gold` judges say which of two is better; neither answer. `spb_share` is the share of a judge's SPB that
    remains in each variant, `gain` the share of its missing sight (1 - D) that the variant restores.
    """

    contestants: tuple[Contestant, ...]
    benchmark: tuple[str, ...] = ("gauge-north", "gauge-south")
    gold: tuple[str, ...] = ("touchstone-a", "touchstone-b", "touchstone-c")
    spb_share: Mapping[str, float] = field(
        default_factory=lambda: {"forced": 1.0, "cot": 0.6, "structured": 0.25}
    )
    gain: Mapping[str, float] = field(default_factory=lambda: {"forced": 0.0, "cot": 0.3, "structured": 0.15})

    def __post_init__(self) -> None:
        names = [*self.names, *self.benchmark, *self.gold]
        for name in names:
            if not name or names.count(name) > 1:
                raise UsageError(f"the model {name!r} is empty or occurs twice; give each its own name")
        if len(self.contestants) < 3:
            count = len(self.contestants)
            raise UsageError(f"{count} models are too few for pairs without the judge; give at least 3")
        if not self.benchmark or not self.gold:
            raise UsageError("quality and preferences need a judge each; name at least one for both")
        self.check_draws()

    @property
    def names(self) -> list[str]:
        return [model.name for model in self.contestants]


# ------------------------------------------------------------------------------
# Default contestants for a simulation that gives only names: the four archetypes in turn.


KINDS = (
    Contestant("Objective", "", firm=0.30, sight=0.94, first=0.52, losing=0.30),
    Contestant("Machiavellian", "", firm=0.25, spb=0.30, sight=0.92, first=0.55, losing=0.28, beyond=0.15),
    Contestant("Blindly Biased", "", firm=0.35, spb=-0.22, sight=0.91, first=0.48, losing=0.33, beyond=-0.10),
    Contestant("Incompetent Randomizer", "", firm=0.20, sight=0.56, first=0.60, losing=0.42, verbose=True),
)
"""The four archetypes, in the order in which they are assigned."""


def default_contestants(
    names: Sequence[str],
    families: Sequence[str] = (),
    *,
    biased: Sequence[str] | None = None,
    spb: float | None = None,
    beyond: float | None = None,
    first: float | None = None,
) -> tuple[Contestant, ...]:
    """Return contestants of these names, with the four archetypes in turn.

    `families` are as in `families_of`. `spb`, `beyond` and `first`, if given, replace the archetype's values
    in the judges `biased` (None: in all); the others then have no bias.
    """
    biases = {"spb": spb, "beyond": beyond, "first": first}
    planted: dict[str, Any] = {bias: value for bias, value in biases.items() if value is not None}
    contestants = []
    for place, (name, family) in enumerate(zip(names, families_of(names, families, biased), strict=True)):
        bias = planted if biased is None or name in biased else {"spb": 0.0, "beyond": 0.0}
        kind, skill = KINDS[place % len(KINDS)], (place + 0.5) / len(names)
        contestants.append(replace(kind, name=name, family=family, skill=skill, **bias))
    return tuple(contestants)


# ------------------------------------------------------------------------------
# The quality of responses, the scores of the judges of quality, and pairs that are equal or far apart.


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


# ------------------------------------------------------------------------------
# The planted chances that a judge chooses either response of each pair.


_WAVERING = 0.7  # share of a judge's uncertainty that makes its answer follow the order
_NEAR_SIGHT = 0.7  # share of a judge's sight that remains if responses are neither equal nor far apart


@dataclass(frozen=True, slots=True, eq=False)
class FirmChances:
    """The chances (N, P) that both orders name the first, or the second, response; otherwise they differ."""

    first: Floats
    second: Floats

    @property
    def wins(self) -> Floats:
        """The share won by the first response over both orders; half if they differ."""
        return np.asarray(self.first + (1 - self.first - self.second) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """The inputs of one judge; `difficulty` (N,) in [-1, 1] shifts all votes on a question equally."""

    design: PairDesign
    responses: Responses
    gold: "Gold"
    drawn_pairs: DrawnPairs
    difficulty: Floats
    judge: int

    @property
    def model(self) -> Contestant:
        return self.design.contestants[self.judge]

    @property
    def own(self) -> Ints:
        """For each pair, +1 if its first response is the judge's own, -1 if the second is, else 0."""
        first, second = self.responses.pairs
        return np.asarray((first == self.judge).astype(np.int64) - (second == self.judge))

    @property
    def relatives(self) -> Ints:
        """For each pair, +1 (-1) if only the first (second) is by a model of the judge's family, else 0."""
        family = np.array([model.family for model in self.design.contestants])
        outsiders = family != family[self.judge]
        relatives = ~outsiders
        relatives[self.judge] = False
        first, second = self.responses.pairs
        in_family = (relatives[first] & outsiders[second]).astype(np.int64)
        return np.asarray(in_family - (relatives[second] & outsiders[first]))

    def sight(self, variant: str) -> float:
        """Return the chance that the judge names the better of two responses far apart, in one order."""
        return self.model.sight + (1 - self.model.sight) * self.design.gain[variant]


def firm_chances(case: Case, variant: str) -> FirmChances:
    """Return the chances that a judge makes the same choice in both orders, in a variant with planted SPB.

    Of equal responses: `firm` for either, plus `spb` for its own, plus `family_spb` for its family's and
    minus as much for the outsider's. Of others, the better is named with the chance `sight` in one order,
    less if they are not far apart; there, half of `spb` moves from the other response to the judge's own.
    """
    model, responses, own = case.model, case.responses, case.own
    share = case.design.spb_share[variant]
    spb, family = model.spb * share, model.family_spb * share
    equal = [model.firm + spb * (own == side) + family * side * case.relatives for side in (1, -1)]
    for place, side in enumerate((1, -1)):
        equal[place] = np.where(own == -side, max(0.0, model.firm - spb), equal[place])
    sight = case.sight(variant)
    correct = np.where(responses.apart, sight, 0.5 + (sight - 0.5) * _NEAR_SIGHT)
    wavering = 2 * np.minimum(correct, 1 - correct) * _WAVERING
    better, worse = correct - wavering / 2, 1 - correct - wavering / 2  # named in both orders
    first_better = responses.gap > 0
    first, second = np.where(first_better, better, worse), np.where(first_better, worse, better)
    move = np.clip(spb / 2 * own, -first, second)
    return FirmChances(
        np.where(responses.equal, equal[0], first + move), np.where(responses.equal, equal[1], second - move)
    )


# ------------------------------------------------------------------------------
# The votes of the gold judges.


_RIGHT, _UNDECIDED = 0.88, 0.06  # shares of a gold judge's votes on a pair with a better response
_EQUAL_TIES = 0.6  # share of ties on a pair without one
_TRULY_EQUAL = 0.2  # share of pairs of equal quality without a better response
_MISSING = 0.04


@dataclass(frozen=True, slots=True, eq=False)
class Gold:
    """The votes of S gold judges on each of N questions and P pairs, shape (S, N, P).

    +1 for the pair's first response, -1 for the second, 0 for a tie, NaN for no vote.
    """

    votes: Floats

    @property
    def majority(self) -> Floats:
        """+1 or -1 if more than half of the votes agree, else 0; shape (N, P)."""
        present = (~np.isnan(self.votes)).sum(axis=0)
        wins, losses = ((self.votes == side).sum(axis=0) for side in (1, -1))
        return np.where(2 * wins > present, 1.0, np.where(2 * losses > present, -1.0, 0.0))

    @property
    def win(self) -> Floats:
        """1, 0.5 or 0 if the mean vote is above, at or below 0, NaN without a vote; shape (N, P)."""
        present = (~np.isnan(self.votes)).sum(axis=0)
        total = np.nansum(self.votes, axis=0)
        return np.where(present > 0, (1 + np.sign(total)) / 2, np.nan)


def draw_gold(design: PairDesign, responses: Responses, rng: np.random.Generator) -> Gold:
    """Draw the gold judges' votes, mostly for the better response; in most equal pairs one counts as such."""
    shape = responses.gap.shape
    coin = np.where(rng.random(shape) < 0.5, 1.0, -1.0)
    coin[rng.random(shape) < _TRULY_EQUAL] = 0.0
    truth = np.where(responses.equal, coin, np.sign(responses.gap))
    votes = np.empty((len(design.gold), *shape))
    for judge in range(len(design.gold)):
        uniform, side = rng.random(shape), np.where(rng.random(shape) < 0.5, 1.0, -1.0)
        decided = np.where(uniform < _RIGHT, truth, np.where(uniform < _RIGHT + _UNDECIDED, 0.0, -truth))
        votes[judge] = np.where(truth == 0, np.where(uniform < _EQUAL_TIES, 0.0, side), decided)
        votes[judge][rng.random(shape) < _MISSING] = np.nan
    return Gold(votes)


# ------------------------------------------------------------------------------
# A judge's choices, drawn from its chances in each variant.


VARIANTS = ("forced", "forced_tie", "cot", "structured")

_COT_TIES = 0.3  # share of ties in `cot` among the pairs on which the orders would differ
_SPREAD, _PULL = 0.6, 0.35  # effects of questions and orders on votes, as shares of the possible range


@dataclass(frozen=True, eq=False)
class Answers(ParallelArrays):
    """A judge's answers in one variant, as parallel arrays from the point of view of the first response.

    `second_first` says whether the second response was shown first. `choice` is +1, 0 or -1, `p` the
    probability of the first response among the two, `p_tie` that of a tie among all three (NaN: none).
    `dimension` is the index into `DIMENSIONS`, -1 without one; the answers of one `call` are adjacent.
    """

    question: Ints
    pair: Ints
    second_first: Bools
    choice: Ints
    p: Floats
    p_tie: Floats
    dimension: Ints
    call: Ints

    def __len__(self) -> int:
        return len(self.question)


def draw_answers(case: Case, variant: str, rng: np.random.Generator) -> Answers:
    """Draw a judge's answers in one variant: in `forced` and `forced_tie` on every pair in both orders."""
    if variant == "forced_tie":
        return _votes(case, rng)
    choice = _choices(firm_chances(case, variant), case.model.first, rng)
    if variant == "forced":  # with probabilities, higher ones if both orders agree
        agree, uniform = choice[..., :1] == choice[..., 1:], rng.random(choice.shape)
        sure = np.round(np.where(agree, 0.55 + 0.43 * uniform, 0.51 + 0.29 * uniform), 3)
        return _answers(choice, p=np.where(choice > 0, sure, np.round(1 - sure, 3)))
    if variant == "cot":
        flips = choice[..., 0] != choice[..., 1]
        choice[flips & (rng.random(flips.shape) < _COT_TIES)] = 0
    answers = _answers(choice).select(_orders(case.drawn_pairs, rng).ravel())
    return answers if variant == "cot" else _structured(answers, rng)


def _choices(chances: FirmChances, first_share: float, rng: np.random.Generator) -> Ints:
    """Draw the choices in both orders, shape (N, P, 2): the same in both, or following the order."""
    uniform = rng.random(chances.first.shape)
    prefers_first = np.where(rng.random(chances.first.shape) < first_share, 1, -1)
    firm = np.where(uniform < chances.first, 1, np.where(uniform < chances.first + chances.second, -1, 0))
    orders = [np.where(firm != 0, firm, side * prefers_first) for side in (1, -1)]
    return np.stack(orders, axis=-1)


def _votes(case: Case, rng: np.random.Generator) -> Answers:
    """Draw the votes with a tie offered; their mean over both orders is as planted.

    `beyond` is added to the share of the response that the gold judges find worse if it is the judge's own;
    half of it is subtracted if the better one is. Without a majority both have equal shares.
    """
    model, majority = case.model, case.gold.majority
    lost, won = case.own * majority == -1, case.own * majority == 1
    losing = (
        model.losing + DIFFICULTY * case.difficulty[:, None] + model.beyond * lost - model.beyond / 2 * won
    )
    tie = np.where(majority == 0, 0.2, 0.03) + HIGHEST_TIE * rng.random(majority.shape) ** 2
    losing_share = np.where(majority == 0, (1 - tie) / 2, np.maximum(losing, LOWEST_VOTE))
    first = np.where(majority > 0, 1 - tie - losing_share, losing_share)
    first += _SPREAD * np.minimum(first, 1 - tie - first) * rng.uniform(-1, 1, first.shape)
    pull = _PULL * (2 * model.first - 1) * np.minimum(first, 1 - tie - first)
    vote = np.stack([first + pull, first - pull], axis=-1)
    p_tie = np.repeat(np.round(tie, 3)[..., None], 2, axis=-1)
    p = np.round(vote / (1 - p_tie), 4)
    share = p * (1 - p_tie), (1 - p) * (1 - p_tie)
    largest = np.where(share[0] > share[1], 1, -1)
    return _answers(np.where(p_tie > np.maximum(*share), 0, largest), p, p_tie)


def _answers(choice: Ints, p: Floats | None = None, p_tie: Floats | None = None) -> Answers:
    """Return choices of shape (N, P, 2) as flat answers."""
    question, pair, order = np.indices(choice.shape).reshape(3, -1)
    nothing = np.full(choice.size, np.nan)
    return Answers(
        question,
        pair,
        order == 1,
        choice.ravel(),
        nothing if p is None else p.ravel(),
        nothing if p_tie is None else p_tie.ravel(),
        dimension=np.full(choice.size, -1),
        call=np.arange(choice.size),
    )


def _orders(drawn_pairs: DrawnPairs, rng: np.random.Generator) -> Bools:
    """Return which orders are judged, shape (N, P, 2): one of contrast pairs, both of the others."""
    both = drawn_pairs.own.copy()
    both[drawn_pairs.null_question, drawn_pairs.null_pair] = True
    order = rng.integers(2, size=(*drawn_pairs.contrast.shape, 1))
    return np.asarray(both[..., None] | (drawn_pairs.contrast[..., None] & (order == np.arange(2))))


def _structured(answers: Answers, rng: np.random.Generator) -> Answers:
    """Spread each choice over the five dimensions, three to five of which name the response chosen."""
    size, width = len(answers), len(DIMENSIONS)
    rank = rng.permuted(np.tile(np.arange(width), (size, 1)), axis=1)
    agrees = rank < rng.integers(width // 2 + 1, width + 1, size=size)[:, None]
    choice = np.where(agrees, answers.choice[:, None], -answers.choice[:, None])
    rows = np.repeat(np.arange(size), width)
    dimension = np.tile(np.arange(width), size)
    return replace(answers.select(rows), choice=choice.ravel(), dimension=dimension, call=rows)
