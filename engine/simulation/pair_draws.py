"""Choices drawn from a judge's chances, in each variant: arrays only, one judge at a time."""

from dataclasses import dataclass, fields

import numpy as np

from engine.simulation.pairs.chances import Firm, firm_chances, losing_votes
from engine.simulation.pairs.design import HIGHEST_TIE, PairDesign
from engine.simulation.pairs.gold import Gold
from engine.simulation.pairs.responses import DIMENSIONS, Bools, DrawnPairs, Floats, Ints, Responses

VARIANTS = ("forced", "forced_tie", "cot", "structured")

_COT_TIES = 0.3  # share of the pairs on which an answer would follow the order that `cot` calls equal
_SPREAD, _PULL = (
    0.6,
    0.35,
)  # of votes: how far questions and orders move them, as a share of the room there is


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """A judge's answers in one variant, one entry each; everything is seen from the pair's first response.

    `two_first` says whether the second response was shown first. `choice` is +1, 0 or -1, `p` the probability
    of the first response over both, `p_tie` that of a tie over all three (NaN: none). `dimension` is the
    place in `DIMENSIONS`, -1 where the answer has none; the answers of one `call` stand together.
    """

    question: Ints
    pair: Ints
    two_first: Bools
    choice: Ints
    p: Floats
    p_tie: Floats
    dimension: Ints
    call: Ints

    def __len__(self) -> int:
        """Return the number of answers."""
        return len(self.question)

    def select(self, keep: Bools) -> "Answers":
        """Return some of them."""
        return Answers(**{field.name: getattr(self, field.name)[keep] for field in fields(self)})


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """What one judge is asked about: the responses, what gold judges say, and the pairs drawn for it.

    `difficulty` (N,) in [-1, 1] moves all votes on a question alike.
    """

    design: PairDesign
    responses: Responses
    gold: Gold
    drawn: DrawnPairs
    difficulty: Floats
    judge: int


def draw_answers(case: Case, variant: str, rng: np.random.Generator) -> Answers:
    """Draw all answers of one judge in one variant.

    `forced` and `forced_tie` are asked of every pair in both orders, `cot` and `structured` of the equal and
    null pairs in both and of the contrast pairs in one.
    """
    if variant == "forced_tie":
        return _votes(case, rng)
    chances = firm_chances(case.design, case.responses, case.judge, variant)
    choice = _choices(chances, case.design.contestants[case.judge].first, rng)
    if variant == "forced":
        return _forced(choice, rng)
    if variant == "cot":
        flips = choice[..., 0] != choice[..., 1]
        choice[flips & (rng.random(flips.shape) < _COT_TIES)] = 0
    answers = _answers(choice).select(_asked(case.drawn, rng).ravel())
    return answers if variant == "cot" else _structured(answers, rng)


def _choices(chances: Firm, first: float, rng: np.random.Generator) -> Ints:
    """Draw the choices in both orders, shape (N, P, 2): firm ones, or as the order has it."""
    uniform = rng.random(chances.one.shape)
    held_first = np.where(rng.random(chances.one.shape) < first, 1, -1)
    firm = np.where(uniform < chances.one, 1, np.where(uniform < chances.one + chances.two, -1, 0))
    orders = [np.where(firm != 0, firm, side * held_first) for side in (1, -1)]
    return np.stack(orders, axis=-1)


def _forced(choice: Ints, rng: np.random.Generator) -> Answers:
    """Add probabilities: surer where both orders agree."""
    agree = (choice[..., :1] == choice[..., 1:]) | np.zeros_like(choice, dtype=bool)
    uniform = rng.random(choice.shape)
    sure = np.round(np.where(agree, 0.55 + 0.43 * uniform, 0.51 + 0.29 * uniform), 3)
    return _answers(choice, p=np.where(choice > 0, sure, np.round(1 - sure, 3)))


def _votes(case: Case, rng: np.random.Generator) -> Answers:
    """Draw the votes with a tie offered: their mean over both orders is what was planted."""
    majority = case.gold.majority
    losing = losing_votes(case.design, case.responses, case.judge, majority, case.difficulty)
    tie = np.where(majority == 0, 0.2, 0.03) + HIGHEST_TIE * rng.random(majority.shape) ** 2
    lost = np.where(np.isnan(losing), (1 - tie) / 2, losing)
    one = np.where(majority > 0, 1 - tie - lost, lost)
    one += _SPREAD * np.minimum(one, 1 - tie - one) * rng.uniform(-1, 1, one.shape)
    pull = _PULL * (2 * case.design.contestants[case.judge].first - 1) * np.minimum(one, 1 - tie - one)
    vote = np.stack([one + pull, one - pull], axis=-1)
    p_tie = np.repeat(np.round(tie, 3)[..., None], 2, axis=-1)
    p = np.round(vote / (1 - p_tie), 4)
    share = p * (1 - p_tie), (1 - p) * (1 - p_tie)
    largest = np.where(share[0] > share[1], 1, -1)
    return _answers(np.where(p_tie > np.maximum(*share), 0, largest), p, p_tie)


def _answers(choice: Ints, p: Floats | None = None, p_tie: Floats | None = None) -> Answers:
    """Return answers of shape (N, P, 2) as one entry each."""
    question, pair, order = np.indices(choice.shape).reshape(3, -1)
    nothing = np.full(choice.size, np.nan)
    return Answers(
        question,
        pair,
        order == 1,
        choice.ravel(),
        nothing if p is None else p.ravel(),
        nothing if p_tie is None else p_tie.ravel(),
        np.full(choice.size, -1),
        np.arange(choice.size),
    )


def _asked(drawn: DrawnPairs, rng: np.random.Generator) -> Bools:
    """Return which orders are asked, shape (N, P, 2)."""
    both = np.repeat(drawn.asked_both[..., None], 2, axis=-1)
    order = rng.integers(2, size=drawn.contrast.shape)
    both[..., 0] |= drawn.contrast & (order == 0)
    both[..., 1] |= drawn.contrast & (order == 1)
    return both


def _structured(answers: Answers, rng: np.random.Generator) -> Answers:
    """Spread each choice over the five dimensions: three to five of them name the response chosen."""
    size, width = len(answers), len(DIMENSIONS)
    rank = rng.permuted(np.tile(np.arange(width), (size, 1)), axis=1)
    for_it = rank < rng.integers(width // 2 + 1, width + 1, size=size)[:, None]
    choice = np.where(for_it, answers.choice[:, None], -answers.choice[:, None])
    rows = np.repeat(np.arange(size), width)
    spread = {field.name: getattr(answers, field.name)[rows] for field in fields(answers)}
    spread |= {"choice": choice.ravel(), "dimension": np.tile(np.arange(width), size), "call": rows}
    return Answers(**spread)
