"""One simulated model answering one call, as a judge or with a short text of its own."""

import json
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from engine.simulation.judge_answers import (
    BiasedJudge,
    answer_as_judge,
    letter_chances,
    likelihood,
    token_count,
)
from engine.simulation.oracle import Oracle
from engine.simulation.planted import Planted
from engine.simulation.prompt_reading import ParsedPrompt, parse_question
from engine.simulation.randomness import digest, seeded_rng, uniform

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
REWRITE_OPENINGS = ("In other words:", "Put differently:", "Said another way:")
LONGEST_SOURCE = 2_000  # characters of the prompt from which words are taken

Name = TypeVar("Name", bound=str)
Trouble = Literal["rate_limit", "server_error", "hang"]
TROUBLES: tuple[Trouble, ...] = get_args(Trouble)

EVASION = "Mostly yes, though it depends on how one reads it."
REFUSAL = "I would rather not answer this."


@dataclass(frozen=True, slots=True)
class SimulatedAnswer:
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
        family_of = dict(families or {})
        self.name, self.planted = name, planted
        self._bias = BiasedJudge(planted, name, family_of.get(name, name), family_of, oracle or Oracle())
        self._attempts: Counter[str] = Counter()

    def answer(self, messages: Sequence[Mapping[str, str]]) -> SimulatedAnswer | Trouble:
        """Return the answer to the messages, always the same for the same messages, or a failure.

        Failures are drawn again each time the same messages come, so that a retry can succeed.
        """
        key = digest(json.dumps([dict(message) for message in messages], sort_keys=True))
        number = uniform(self.planted.seed, self.name, key, "trouble", self._attempts[key])
        trouble = _fault_at(TROUBLES, self.planted, number)
        if trouble is not None:
            self._attempts[key] += 1
            return trouble
        self._attempts.pop(key, None)
        query = self._question(messages)
        text, refusal, first_token = self._answer(query, key)
        characters = sum(len(message["content"]) for message in messages)
        return SimulatedAnswer(text, token_count(characters), token_count(len(text)), refusal, first_token)

    def knowledge(self, messages: Sequence[Mapping[str, str]]) -> list[object]:
        """Return everything besides the messages that determines its answer: its settings and the truth."""
        query, oracle = self._question(messages), self._bias.oracle
        answer = oracle.answer_to(query.prompt) if query.form == "text" else None

        def truth(place: int, text: str) -> list[object]:
            criteria = query.criteria or ("",)
            verdicts = [[oracle.favourable(text, each), oracle.undesirable(each)] for each in criteria]
            own = oracle.generator_of(text) == self.name
            sway = self._bias.sway(text)
            return [self._bias.ratio(query, place), sway, own, oracle.strength(text), verdicts]

        truths = [truth(place, text) for place, text in enumerate(query.responses)]
        return [self.name, self.planted.model_dump(), truths, *([] if answer is None else [answer])]

    def _question(self, messages: Sequence[Mapping[str, str]]) -> ParsedPrompt:
        """Parse the messages; if the last one is a known response, its likelihood is requested."""
        last = messages[-1]
        if last["role"] == "assistant" and self._bias.oracle.generator_of(last["content"]) is not None:
            return ParsedPrompt("likelihood", messages[0]["content"], (last["content"],))
        return parse_question(messages)

    def _answer(
        self, query: ParsedPrompt, key: str
    ) -> tuple[str, str | None, tuple[tuple[str, float], ...] | None]:
        planted = self.planted
        rng = seeded_rng(planted.seed, self.name, key)
        if query.form == "text":  # three to seven sentences
            words = list(dict.fromkeys(_WORD.findall(query.prompt[:LONGEST_SOURCE]))) or ["this", "that"]
            forms = [rng.choice(OPENINGS), *rng.sample(SENTENCES, rng.randint(1, 5)), rng.choice(CLOSINGS)]
            sentences = (form.format(a=rng.choice(words), b=rng.choice(words)) for form in forms)
            text, answer = " ".join(sentences), self._bias.oracle.answer_to(query.prompt)
            if answer is not None:
                text = _final_answer(text, answer, is_right=rng.random() < planted.skill, rng=rng)
            return text, None, None
        if query.form == "rewriting":  # with the later sentences shuffled
            first, *rest = _SENTENCE.split(query.responses[0].strip())
            rng.shuffle(rest)
            return " ".join([rng.choice(REWRITE_OPENINGS), first, *rest]).strip(), None, None
        fault = _fault_at(("unparsed", "refused", "wrong_count"), planted, rng.random())
        if query.form == "likelihood":
            return likelihood(query, self._bias, rng), None, None
        if fault == "refused":
            return "", REFUSAL, None
        if fault == "unparsed":
            return EVASION, None, None
        if query.form in ("letter", "author"):
            chances = letter_chances(query, self._bias)
            labels = [pair for pair in chances if pair[0] in query.labels]
            letter = rng.choices([label for label, _ in labels], [share for _, share in labels])[0]
            return letter, None, chances
        if fault == "wrong_count" and query.criteria:
            query = replace(query, criteria=(*query.criteria, ""))
        return answer_as_judge(query, self._bias, rng), None, None


_OPTIONS = "ABCD"
_LONGEST_ANSWER = 200  # longer reference answers are examples, not answers to be met word for word


def _final_answer(text: str, answer: str, *, is_right: bool, rng: random.Random) -> str:
    """Return a response that ends in the reference answer, or in another one."""
    if len(answer) > _LONGEST_ANSWER:
        return text
    if not is_right:
        others = [letter for letter in _OPTIONS if letter != answer]
        answer = rng.choice(others) if answer in _OPTIONS else f"{answer} + {rng.randint(1, 9)}"
    return f"{text}\n\nThe final answer is \\boxed{{{answer}}}."


def _fault_at(names: Sequence[Name], planted: Planted, number: float) -> Name | None:
    """Return the fault into whose planted share a number from 0 to 1 falls; None beyond the last."""
    for name in names:
        share: float = getattr(planted, name)
        if number < share:
            return name
        number -= share
    return None
