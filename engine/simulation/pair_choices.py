"""A judge's choices in each variant, drawn from the planted chances that it chooses either response."""

from dataclasses import dataclass, replace

import numpy as np

from engine.schema import DIMENSIONS
from engine.simulation.gold_votes import SimulatedGold
from engine.simulation.pair_design import DIFFICULTY, HIGHEST_TIE, LOWEST_VOTE, Contestant, PairDesign
from engine.simulation.pair_responses import DrawnPairs, Responses
from engine.simulation.study_tables import Codes, draw_status, first_of_call
from engine.stats import Bools, Floats, Ints, ParallelArrays

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
class JudgeInputs:
    """The inputs of one judge; `difficulty` (N,) in [-1, 1] shifts all votes on a question equally."""

    design: PairDesign
    responses: Responses
    gold: "SimulatedGold"
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


def firm_chances(case: JudgeInputs, variant: str) -> FirmChances:
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


VARIANTS = ("forced", "forced_tie", "cot", "structured")

_COT_TIES = 0.3  # share of ties in `cot` among the pairs on which the orders would differ
_SPREAD, _PULL = 0.6, 0.35  # effects of questions and orders on votes, as shares of the possible range


@dataclass(frozen=True, eq=False)
class VariantAnswers(ParallelArrays):
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


def draw_answers(case: JudgeInputs, variant: str, rng: np.random.Generator) -> VariantAnswers:
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


def _votes(case: JudgeInputs, rng: np.random.Generator) -> VariantAnswers:
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


def _answers(choice: Ints, p: Floats | None = None, p_tie: Floats | None = None) -> VariantAnswers:
    """Return choices of shape (N, P, 2) as flat answers."""
    question, pair, order = np.indices(choice.shape).reshape(3, -1)
    nothing = np.full(choice.size, np.nan)
    return VariantAnswers(
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


def _structured(answers: VariantAnswers, rng: np.random.Generator) -> VariantAnswers:
    """Spread each choice over the five dimensions, three to five of which name the response chosen."""
    size, width = len(answers), len(DIMENSIONS)
    rank = rng.permuted(np.tile(np.arange(width), (size, 1)), axis=1)
    agrees = rank < rng.integers(width // 2 + 1, width + 1, size=size)[:, None]
    choice = np.where(agrees, answers.choice[:, None], -answers.choice[:, None])
    rows = np.repeat(np.arange(size), width)
    dimension = np.tile(np.arange(width), size)
    return replace(answers.select(rows), choice=choice.ravel(), dimension=dimension, call=rows)


def answer_status(design: PairDesign, answers: VariantAnswers, rng: np.random.Generator) -> Codes:
    """Draw a status for each answer: a refusal affects the whole call, an unparsed answer one dimension."""
    status = draw_status(len(answers), design.unparsed, design.refused, rng)
    if (answers.dimension < 0).all():
        return status
    first = np.flatnonzero(first_of_call(answers.call))
    refused = draw_status(len(first), 0.0, design.refused, rng)
    call_status = np.repeat(refused, np.diff(np.append(first, len(status))))
    return np.where(call_status == 2, 2, np.where(status == 2, 0, status))
