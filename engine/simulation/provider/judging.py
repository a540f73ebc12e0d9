"""What a simulated judge says: the truth, and its errors with the planted bias."""

import json
import math
import random
from dataclasses import dataclass

from engine.simulation.provider.asked import DIMENSIONS, Question
from engine.simulation.provider.oracle import Oracle
from engine.simulation.provider.settings import Planted

STEEPNESS = 6.0  # of the odds of a pair in the difference of the two strengths
TIE_WIDTH = 0.06  # probabilities this near to a half are called a tie, where one is offered
ELSEWHERE = 0.02  # the probability of tokens that are no label
SPREAD = 0.08  # the standard deviation of a mark, of 1

REASONS = {
    True: ("The answer does this.", "This is there, plainly enough.", "I found what the criterion asks for."),
    False: ("Nothing in the answer does this.", "It comes near, but does not do it.", "This is missing."),
}


@dataclass(frozen=True, slots=True)
class Bias:
    """A judge, as far as its errors go."""

    planted: Planted
    name: str
    family: str
    families: dict[str, str]
    oracle: Oracle

    def ratio(self, text: str) -> float:
        """Return the planted ratio for a response, by who wrote it."""
        generator = self.oracle.generator_of(text)
        if generator is None:
            return 1.0
        if generator == self.name:
            return self.planted.self_ratio
        return self.planted.family_ratio if self.families.get(generator) == self.family else 1.0


def judged(asked: Question, bias: Bias, draw: random.Random) -> str:
    """Return the words of an answer in the form that was asked for (not a bare letter)."""
    match asked.form:
        case "verdict":
            return _verdict(asked, bias, draw)
        case "verdicts":
            return json.dumps({"results": [{"criteria_met": met} for met in _met(asked, bias, draw)]})
        case "share":
            good = sum(_favours(asked.responses[0], each, bias, draw) for each in asked.criteria)
            return json.dumps({"score": f"{good}/{len(asked.criteria)}"})
        case "outcome":
            return _outcome(asked, bias, draw)
        case "dimensions":
            first = [draw.random() < first_chance(asked, bias) for _ in DIMENSIONS]
            labels = [asked.labels[0] if won else asked.labels[1] for won in first]
            return json.dumps(dict(zip(DIMENSIONS, labels, strict=True)))
        case "score":
            return f"Feedback: {_reason(True, draw)} [RESULT] {_score(asked, bias, draw):g}"
        case _:
            return json.dumps({name: _mark(asked.responses[0], bias, draw) for name in DIMENSIONS})


def first_chance(asked: Question, bias: Bias) -> float:
    """Return the probability with which the response shown first is preferred.

    Its log odds are the sum of the difference of the two strengths, the logarithms of the planted ratios, the
    pull to the first and that to the longer one.
    """
    first, second = asked.responses[:2]
    strengths = bias.oracle.strength(first) - bias.oracle.strength(second)
    planted = bias.planted
    pulls = (
        math.log(bias.ratio(first) / bias.ratio(second)),
        math.log(planted.first_bias / (1 - planted.first_bias)),
        planted.verbosity * math.log((len(first) + 1) / (len(second) + 1)),
    )
    odds = STEEPNESS * strengths * (1 - 2 * min(0.5, planted.overestimation)) + sum(pulls)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def letter_chances(asked: Question, bias: Bias) -> tuple[tuple[str, float], ...]:
    """Return the labels with their probabilities as an answer's first token, the likeliest first."""
    first = first_chance(asked, bias)
    shares = [first, 1 - first]
    if len(asked.labels) > 2:
        tie = max(0.0, 0.5 - 2 * abs(first - 0.5))
        shares = [first * (1 - tie), (1 - first) * (1 - tie), tie]
    weighed = [share * (1 - ELSEWHERE) for share in shares]
    pairs = zip((*asked.labels, "The"), (*weighed, ELSEWHERE), strict=True)
    return tuple(sorted(pairs, key=lambda pair: -pair[1]))


def _verdict(asked: Question, bias: Bias, draw: random.Random) -> str:
    met = _met(asked, bias, draw)[0]
    reason = {"explanation": _reason(met, draw)} if bias.planted.explanation else {}
    return json.dumps({**reason, "criteria_met": met})


def _met(asked: Question, bias: Bias, draw: random.Random) -> list[bool]:
    """Return a verdict for each criterion, or one where none could be read."""
    criteria = asked.criteria or ("",)
    return [
        _favours(asked.responses[0], each, bias, draw) != bias.oracle.undesirable(each) for each in criteria
    ]


def _favours(response: str, criterion: str, bias: Bias, draw: random.Random) -> bool:
    """Whether the judge finds that the response does well on the criterion."""
    if bias.oracle.favourable(response, criterion):
        return draw.random() >= bias.planted.underestimation
    return draw.random() < bias.planted.overestimation * bias.ratio(response)


def _outcome(asked: Question, bias: Bias, draw: random.Random) -> str:
    first = first_chance(asked, bias)
    if len(asked.labels) > 2 and abs(first - 0.5) < TIE_WIDTH:
        return json.dumps({"outcome": "tie"})
    label = asked.labels[0] if draw.random() < first else asked.labels[1]
    return f"I compared the two on what the user needs.\n\n{json.dumps({'outcome': f'{label} is better'})}"


def _score(asked: Question, bias: Bias, draw: random.Random) -> float:
    """Return one of the scores: the true one, a step up by overestimation, or a step down."""
    last = len(asked.scores) - 1
    level = round(bias.oracle.strength(asked.responses[0]) * last)
    if draw.random() < min(1.0, bias.planted.overestimation * bias.ratio(asked.responses[0])):
        level += 1
    elif draw.random() < bias.planted.underestimation:
        level -= 1
    return asked.scores[max(0, min(last, level))]


def _mark(response: str, bias: Bias, draw: random.Random) -> float:
    """Return a mark from 0 to 10 in quarters; a ratio of 2 lifts it by about a quarter."""
    mark = bias.oracle.strength(response) + draw.gauss(0.0, SPREAD)
    mark += bias.planted.overestimation * math.log(bias.ratio(response)) / 5
    return round(max(0.0, min(1.0, mark)) * 40) / 4


def _reason(met: bool, draw: random.Random) -> str:
    return draw.choice(REASONS[met])
