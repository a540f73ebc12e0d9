"""The answers of a simulated judge: the truth, with errors by the planted bias."""

import json
import math
import random
from dataclasses import dataclass

from engine.schema import DIMENSIONS
from engine.simulation.oracle import Oracle
from engine.simulation.planted import Planted
from engine.simulation.prompt_reading import ParsedPrompt

FIRMNESS = 1.5  # log odds of a score against one a step further from the judge's opinion, beside a bias
STEEPNESS = 6.0  # log odds of a pair per unit difference of the two strengths
TIE_WIDTH = 0.06  # probabilities this close to a half give a tie, if one is offered
ELSEWHERE = 0.02  # the probability of tokens other than labels
SPREAD = 0.08  # the standard deviation of a mark, of 1
USUAL_LOGPROB, LOGPROB_SPREAD = -2.0, 0.25  # of a response's mean log-probability per token

REASONS = {
    True: ("The answer does this.", "This is there, plainly enough.", "I found what the criterion asks for."),
    False: ("Nothing in the answer does this.", "It comes near, but does not do it.", "This is missing."),
}


@dataclass(frozen=True, slots=True)
class BiasedJudge:
    """What determines a judge's errors."""

    planted: Planted
    name: str
    family: str
    families: dict[str, str]
    oracle: Oracle

    def ratio(self, query: ParsedPrompt, place: int = 0) -> float:
        """Return the planted ratio for a response, by who wrote it."""
        planted, generator = self.planted, self.oracle.generator_of(query.responses[place])
        if generator is None:
            return 1.0
        if generator == self.name:
            is_named = query.authors[place] == self.name if query.authors else False
            return planted.self_ratio * (planted.named_ratio if is_named else 1.0)
        return planted.family_ratio if self.families.get(generator) == self.family else 1.0

    def sway(self, text: str) -> float:
        """Return the chance that words added to a response win the judge over."""
        if not self.oracle.added_to(text):
            return 0.0
        own = self.oracle.generator_of(text) == self.name
        return min(1.0, self.planted.sway * (self.planted.own_sway if own else 1.0))


def answer_as_judge(query: ParsedPrompt, bias: BiasedJudge, rng: random.Random) -> str:
    """Return an answer in the form that was requested (other than a bare letter)."""
    match query.form:
        case "verdict":
            met = _verdicts(query, bias, rng)[0]
            reason = {"explanation": rng.choice(REASONS[met])} if bias.planted.explanation else {}
            return json.dumps({**reason, "criteria_met": met})
        case "verdicts":
            return json.dumps({"results": [{"criteria_met": met} for met in _verdicts(query, bias, rng)]})
        case "share":
            good = sum(_favours(query, each, bias, rng) for each in query.criteria)
            return json.dumps({"score": f"{good}/{len(query.criteria)}"})
        case "outcome":
            first = first_chance(query, bias)
            if len(query.labels) > 2 and abs(first - 0.5) < TIE_WIDTH:
                return json.dumps({"outcome": "tie"})
            label = query.labels[0] if rng.random() < first else query.labels[1]
            choice = json.dumps({"outcome": f"{label} is better"})
            return f"I compared the two on what the user needs.\n\n{choice}"
        case "dimensions":
            wins = [rng.random() < first_chance(query, bias) for _ in DIMENSIONS]
            labels = [query.labels[0] if win else query.labels[1] for win in wins]
            return json.dumps(dict(zip(DIMENSIONS, labels, strict=True)))
        case "ranking":
            return json.dumps({"ranking": _ranking(query, bias, rng)})
        case "score":
            return f"Feedback: {rng.choice(REASONS[True])} [RESULT] {_score(query, bias, rng):g}"
        case _:  # marks from 0 to 10 in quarters; a ratio of 2 raises them by about a quarter
            raised = bias.planted.overestimation * math.log(bias.ratio(query)) / 5
            mean = bias.oracle.strength(query.responses[0])
            marks = (mean + rng.gauss(0.0, SPREAD) + raised for _ in DIMENSIONS)
            quarters = [round(max(0.0, min(1.0, mark)) * 40) / 4 for mark in marks]
            return json.dumps(dict(zip(DIMENSIONS, quarters, strict=True)))


def first_chance(query: ParsedPrompt, bias: BiasedJudge) -> float:
    """Return the probability that the response shown first is preferred.

    Its log odds are the sum of the difference of strengths, the log ratios, and the effects of added words,
    place and length.
    """
    first, second = query.responses[:2]
    strengths = bias.oracle.strength(first) - bias.oracle.strength(second)
    planted = bias.planted
    pulls = (
        math.log(bias.ratio(query, 0) / bias.ratio(query, 1)),
        STEEPNESS * (bias.sway(first) - bias.sway(second)),
        math.log(planted.first_bias / (1 - planted.first_bias)),
        planted.verbosity * math.log((len(first) + 1) / (len(second) + 1)),
    )
    odds = STEEPNESS * strengths * (1 - 2 * min(0.5, planted.overestimation)) + sum(pulls)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _ranking(query: ParsedPrompt, bias: BiasedJudge, rng: random.Random) -> list[int]:
    """Return the numbers of the responses, the best first.

    It is drawn by the log odds of `first_chance` for any two responses, with Gumbel noise (Plackett-Luce);
    the effect of place applies to the first of the list.
    """
    planted = bias.planted
    primacy = math.log(planted.first_bias / (1 - planted.first_bias))

    def worth(place: int, response: str) -> float:
        strength = STEEPNESS * bias.oracle.strength(response) * (1 - 2 * min(0.5, planted.overestimation))
        length = planted.verbosity * math.log(len(response) + 1)
        noise = -math.log(-math.log(max(rng.random(), 1e-12)))
        return strength + math.log(bias.ratio(query, place - 1)) + length + noise + primacy * (place == 1)

    worths = {place: worth(place, response) for place, response in enumerate(query.responses, 1)}
    return sorted(worths, key=lambda place: -worths[place])


def letter_chances(query: ParsedPrompt, bias: BiasedJudge) -> tuple[tuple[str, float], ...]:
    """Return the labels with their probabilities as the first token, the likeliest first."""
    if query.form == "author":  # which of the two the judge claims as its own
        own = [bias.oracle.generator_of(text) == bias.name for text in query.responses[:2]]
        first = bias.planted.recognition if own[0] else 1 - bias.planted.recognition
        first = 0.5 if own[0] == own[1] else first
    else:
        first = first_chance(query, bias)
    shares = [first, 1 - first]
    if len(query.labels) > 2:
        tie = max(0.0, 0.5 - 2 * abs(first - 0.5))
        shares = [first * (1 - tie), (1 - first) * (1 - tie), tie]
    shares = [share * (1 - ELSEWHERE) for share in shares]
    pairs = zip((*query.labels, "The"), (*shares, ELSEWHERE), strict=True)
    return tuple(sorted(pairs, key=lambda pair: -pair[1]))


def likelihood(query: ParsedPrompt, bias: BiasedJudge, rng: random.Random) -> str:
    """Return the judge's log-likelihood of the response, higher by `familiarity` for its own."""
    text = query.responses[0]
    own = bias.oracle.generator_of(text) == bias.name
    mean = rng.gauss(USUAL_LOGPROB + bias.planted.familiarity * own, LOGPROB_SPREAD)
    tokens = token_count(len(text)) or 1
    return json.dumps({"logprob": round(min(0.0, mean) * tokens, 6), "tokens": tokens})


def _verdicts(query: ParsedPrompt, bias: BiasedJudge, rng: random.Random) -> list[bool]:
    """Return a verdict for each criterion, or one if none could be read."""
    criteria = query.criteria or ("",)
    return [_favours(query, each, bias, rng) != bias.oracle.undesirable(each) for each in criteria]


def _favours(query: ParsedPrompt, criterion: str, bias: BiasedJudge, rng: random.Random) -> bool:
    """Return whether the judge finds that the response does well on the criterion."""
    response = query.responses[0]
    if bias.oracle.favourable(response, criterion):
        favoured = rng.random() >= bias.planted.underestimation
    else:
        favoured = rng.random() < bias.planted.overestimation * bias.ratio(query)
    sway = bias.sway(response)
    return favoured or (sway > 0 and rng.random() < sway)


def _score(query: ParsedPrompt, bias: BiasedJudge, rng: random.Random) -> float:
    """Return one of the scores: the true one, a step up by overestimation, or a step down."""
    last = len(query.scores) - 1
    level = round(bias.oracle.strength(query.responses[0]) * last)
    if rng.random() < min(1.0, bias.planted.overestimation * bias.ratio(query)):
        level += 1
    elif rng.random() < bias.planted.underestimation:
        level -= 1
    level = max(0, min(last, level))
    pull = bias.planted.option_bias
    if not pull or not query.option_order:
        return query.scores[level]
    places = {score: place for place, score in enumerate(query.option_order)}
    weights = [
        math.exp(-FIRMNESS * abs(step - level) - pull * places[score])
        for step, score in enumerate(query.scores)
    ]
    return rng.choices(query.scores, weights)[0]


CHARACTERS_PER_TOKEN = 4


def token_count(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
