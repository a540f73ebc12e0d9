"""Simulated models that answer prompts like a provider's, with a planted bias."""

import json
import math
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from engine.schema import DIMENSIONS
from engine.simulation.planted import (
    Oracle,
    Planted,
    Question,
    chance,
    digest,
    question,
    uniform,
)

# ------------------------------------------------------------------------------
# The answers of a simulated judge: the truth, with errors by the planted bias.


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
class Bias:
    """What determines a judge's errors."""

    planted: Planted
    name: str
    family: str
    families: dict[str, str]
    oracle: Oracle

    def ratio(self, query: Question, place: int = 0) -> float:
        """Return the planted ratio for a response, by who wrote it."""
        planted, generator = self.planted, self.oracle.generator_of(query.responses[place])
        if generator is None:
            return 1.0
        if generator == self.name:
            named = query.authors[place] == self.name if query.authors else False
            return planted.self_ratio * (planted.named_ratio if named else 1.0)
        return planted.family_ratio if self.families.get(generator) == self.family else 1.0

    def sway(self, text: str) -> float:
        """Return the chance that words added to a response win the judge over."""
        if not self.oracle.added_to(text):
            return 0.0
        own = self.oracle.generator_of(text) == self.name
        return min(1.0, self.planted.sway * (self.planted.own_sway if own else 1.0))


def judged(query: Question, bias: Bias, draw: random.Random) -> str:
    """Return an answer in the form that was requested (other than a bare letter)."""
    match query.form:
        case "verdict":
            met = _met(query, bias, draw)[0]
            reason = {"explanation": draw.choice(REASONS[met])} if bias.planted.explanation else {}
            return json.dumps({**reason, "criteria_met": met})
        case "verdicts":
            return json.dumps({"results": [{"criteria_met": met} for met in _met(query, bias, draw)]})
        case "share":
            good = sum(_favours(query, each, bias, draw) for each in query.criteria)
            return json.dumps({"score": f"{good}/{len(query.criteria)}"})
        case "outcome":
            return _outcome(query, bias, draw)
        case "dimensions":
            first = [draw.random() < first_chance(query, bias) for _ in DIMENSIONS]
            labels = [query.labels[0] if won else query.labels[1] for won in first]
            return json.dumps(dict(zip(DIMENSIONS, labels, strict=True)))
        case "ranking":
            return json.dumps({"ranking": _ranking(query, bias, draw)})
        case "score":
            return f"Feedback: {draw.choice(REASONS[True])} [RESULT] {_score(query, bias, draw):g}"
        case _:
            return json.dumps({name: _mark(query, bias, draw) for name in DIMENSIONS})


def first_chance(query: Question, bias: Bias) -> float:
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


def _ranking(query: Question, bias: Bias, draw: random.Random) -> list[int]:
    """Return the numbers of the responses, the best first.

    It is drawn by the log odds of `first_chance` for any two responses, with Gumbel noise (Plackett-Luce);
    the effect of place applies to the first of the list.
    """
    planted = bias.planted
    shown_first = math.log(planted.first_bias / (1 - planted.first_bias))

    def worth(place: int, response: str) -> float:
        strength = STEEPNESS * bias.oracle.strength(response) * (1 - 2 * min(0.5, planted.overestimation))
        length = planted.verbosity * math.log(len(response) + 1)
        noise = -math.log(-math.log(max(draw.random(), 1e-12)))
        return strength + math.log(bias.ratio(query, place - 1)) + length + noise + shown_first * (place == 1)

    worths = {place: worth(place, response) for place, response in enumerate(query.responses, 1)}
    return sorted(worths, key=lambda place: -worths[place])


def own_chance(query: Question, bias: Bias) -> float:
    """Return the probability that the judge claims the response shown first as its own."""
    own = [bias.oracle.generator_of(text) == bias.name for text in query.responses[:2]]
    if own[0] == own[1]:
        return 0.5
    return bias.planted.recognition if own[0] else 1 - bias.planted.recognition


def letter_chances(query: Question, bias: Bias) -> tuple[tuple[str, float], ...]:
    """Return the labels with their probabilities as the first token, the likeliest first."""
    first = own_chance(query, bias) if query.form == "author" else first_chance(query, bias)
    shares = [first, 1 - first]
    if len(query.labels) > 2:
        tie = max(0.0, 0.5 - 2 * abs(first - 0.5))
        shares = [first * (1 - tie), (1 - first) * (1 - tie), tie]
    scaled = [share * (1 - ELSEWHERE) for share in shares]
    pairs = zip((*query.labels, "The"), (*scaled, ELSEWHERE), strict=True)
    return tuple(sorted(pairs, key=lambda pair: -pair[1]))


def likelihood(query: Question, bias: Bias, draw: random.Random) -> str:
    """Return the judge's log-likelihood of the response, higher by `familiarity` for its own."""
    text = query.responses[0]
    own = bias.oracle.generator_of(text) == bias.name
    mean = draw.gauss(USUAL_LOGPROB + bias.planted.familiarity * own, LOGPROB_SPREAD)
    tokens = _tokens(len(text)) or 1
    return json.dumps({"logprob": round(min(0.0, mean) * tokens, 6), "tokens": tokens})


def _met(query: Question, bias: Bias, draw: random.Random) -> list[bool]:
    """Return a verdict for each criterion, or one if none could be read."""
    criteria = query.criteria or ("",)
    return [_favours(query, each, bias, draw) != bias.oracle.undesirable(each) for each in criteria]


def _favours(query: Question, criterion: str, bias: Bias, draw: random.Random) -> bool:
    """Return whether the judge finds that the response does well on the criterion."""
    response = query.responses[0]
    if bias.oracle.favourable(response, criterion):
        favoured = draw.random() >= bias.planted.underestimation
    else:
        favoured = draw.random() < bias.planted.overestimation * bias.ratio(query)
    sway = bias.sway(response)
    return favoured or (sway > 0 and draw.random() < sway)


def _outcome(query: Question, bias: Bias, draw: random.Random) -> str:
    first = first_chance(query, bias)
    if len(query.labels) > 2 and abs(first - 0.5) < TIE_WIDTH:
        return json.dumps({"outcome": "tie"})
    label = query.labels[0] if draw.random() < first else query.labels[1]
    return f"I compared the two on what the user needs.\n\n{json.dumps({'outcome': f'{label} is better'})}"


def _score(query: Question, bias: Bias, draw: random.Random) -> float:
    """Return one of the scores: the true one, a step up by overestimation, or a step down."""
    last = len(query.scores) - 1
    level = round(bias.oracle.strength(query.responses[0]) * last)
    if draw.random() < min(1.0, bias.planted.overestimation * bias.ratio(query)):
        level += 1
    elif draw.random() < bias.planted.underestimation:
        level -= 1
    return query.scores[max(0, min(last, level))]


def _mark(query: Question, bias: Bias, draw: random.Random) -> float:
    """Return a mark from 0 to 10 in quarters; a ratio of 2 raises it by about a quarter."""
    mark = bias.oracle.strength(query.responses[0]) + draw.gauss(0.0, SPREAD)
    mark += bias.planted.overestimation * math.log(bias.ratio(query)) / 5
    return round(max(0.0, min(1.0, mark)) * 40) / 4


# ------------------------------------------------------------------------------
# The texts of a simulated generator: short and readable, from the prompt's own words.


_WORD = re.compile(r"[^\W\d_]{4,}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
OPENINGS = (
    "In short: it depends on {a}.",
    "The answer begins with {a}.",
    "Let us look at {a} first.",
    "A good place to start is {a}.",
)
SENTENCES = (
    "Most people notice {a} before they think of {b}.",
    "There is a link between {a} and {b}, and it is easy to test.",
    "Keep {a} apart from {b}, and the rest follows.",
    "What holds for {a} need not hold for {b}.",
    "Write down what you know of {a}, then compare it with {b}.",
    "If {a} is not clear yet, {b} is the safer choice.",
    "Check {a} twice; {b} can wait.",
)
CLOSINGS = ("That is the whole of it.", "The rest is practice.", "This should be enough to go on.")
REWRITTEN = ("In other words:", "Put differently:", "Said another way:")
LONGEST_SOURCE = 2_000  # characters of the prompt from which words are taken


def written(query: Question, draw: random.Random) -> str:
    """Return a response to the prompt, of three to seven sentences."""
    words = list(dict.fromkeys(_WORD.findall(query.prompt[:LONGEST_SOURCE]))) or ["this", "that"]
    sentences = [draw.choice(OPENINGS), *draw.sample(SENTENCES, draw.randint(1, 5)), draw.choice(CLOSINGS)]
    return " ".join(each.format(a=draw.choice(words), b=draw.choice(words)) for each in sentences)


def rewritten(query: Question, draw: random.Random) -> str:
    """Return the response with its later sentences shuffled, after an opening that announces it."""
    first, *rest = _SENTENCE.split(query.responses[0].strip())
    draw.shuffle(rest)
    return " ".join([draw.choice(REWRITTEN), first, *rest]).strip()


# ------------------------------------------------------------------------------
# One simulated model answering one call.


Name = TypeVar("Name", bound=str)

Trouble = Literal["rate_limit", "server_error", "hang"]
TROUBLES: tuple[Trouble, ...] = get_args(Trouble)
CHARACTERS_PER_TOKEN = 4
EVASION = "Mostly yes, though it depends on how one reads it."
REFUSAL = "I would rather not answer this."


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, as in a chat completion; `first_token` has the labels of a letter with probabilities."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    refusal: str | None = None
    first_token: tuple[tuple[str, float], ...] | None = None


class SimulatedModel:
    """A simulated model; `families` are those of the run's models, `oracle` knows who wrote each response."""

    def __init__(
        self,
        name: str,
        planted: Planted,
        *,
        families: Mapping[str, str] | None = None,
        oracle: Oracle | None = None,
    ) -> None:
        known = dict(families or {})
        self.name = name
        self.planted = planted
        self._bias = Bias(planted, name, known.get(name, name), known, oracle or Oracle())
        self._attempts: Counter[str] = Counter()

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Answer | Trouble:
        """Return the answer to the messages, always the same for the same messages, or a failure.

        Failures are drawn again each time the same messages come, so that a retry can succeed.
        """
        of = digest(json.dumps([dict(message) for message in messages], sort_keys=True))
        drawn = uniform(self.planted.seed, self.name, of, "trouble", self._attempts[of])
        trouble = _drawn(TROUBLES, self.planted, drawn)
        if trouble is not None:
            self._attempts[of] += 1
            return trouble
        self._attempts.pop(of, None)
        query = self._question(messages)
        text, refusal, first_token = self._answer(query, of)
        read = sum(len(message["content"]) for message in messages)
        return Answer(text, _tokens(read), _tokens(len(text)), refusal, first_token)

    def knowledge(self, messages: Sequence[Mapping[str, str]]) -> list[object]:
        """Return everything besides the messages that determines its answer: its settings and the truth."""
        query, oracle = self._question(messages), self._bias.oracle

        def truth(place: int, text: str) -> list[object]:
            criteria = query.criteria or ("",)
            verdicts = [[oracle.favourable(text, each), oracle.undesirable(each)] for each in criteria]
            own = oracle.generator_of(text) == self.name
            swayed = self._bias.sway(text)
            return [self._bias.ratio(query, place), swayed, own, oracle.strength(text), verdicts]

        of_responses = [truth(place, text) for place, text in enumerate(query.responses)]
        return [self.name, self.planted.model_dump(), of_responses]

    def _question(self, messages: Sequence[Mapping[str, str]]) -> Question:
        """Parse the messages; if the last one is a known response, its likelihood is requested."""
        last = messages[-1]
        if last["role"] == "assistant" and self._bias.oracle.generator_of(last["content"]) is not None:
            return Question("likelihood", messages[0]["content"], (last["content"],))
        return question(messages)

    def _answer(
        self, query: Question, of: str
    ) -> tuple[str, str | None, tuple[tuple[str, float], ...] | None]:
        planted = self.planted
        draw = chance(planted.seed, self.name, of)
        if query.form == "text":
            return written(query, draw), None, None
        if query.form == "rewriting":
            return rewritten(query, draw), None, None
        fault = _drawn(("unparsed", "refused", "wrong_count"), planted, draw.random())
        if query.form == "likelihood":
            return likelihood(query, self._bias, draw), None, None
        if fault == "refused":
            return "", REFUSAL, None
        if fault == "unparsed":
            return EVASION, None, None
        if query.form in ("letter", "author"):
            chances = letter_chances(query, self._bias)
            labels = [pair for pair in chances if pair[0] in query.labels]
            letter = draw.choices([label for label, _ in labels], [share for _, share in labels])[0]
            return letter, None, chances
        if fault == "wrong_count" and query.criteria:
            query = replace(query, criteria=(*query.criteria, ""))
        return judged(query, self._bias, draw), None, None


def _drawn(names: Sequence[Name], planted: Planted, left: float) -> Name | None:
    """Return the fault into whose planted share a number from 0 to 1 falls; None beyond the last."""
    for name in names:
        share: float = getattr(planted, name)
        if left < share:
            return name
        left -= share
    return None


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
