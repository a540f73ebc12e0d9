"""One simulated model answering one call."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from engine.simulation.provider.asked import Question, question
from engine.simulation.provider.draws import chance, digest_of, uniform
from engine.simulation.provider.judging import Bias, judged, letter_chances
from engine.simulation.provider.oracle import Oracle
from engine.simulation.provider.settings import Planted
from engine.simulation.provider.writing import rewritten, written

Name = TypeVar("Name", bound=str)

Trouble = Literal["rate_limit", "server_error", "hang"]
CHARACTERS_PER_TOKEN = 4
EVASION = "Mostly yes, though it depends on how one reads it."
REFUSAL = "I would rather not answer this."


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model says; the fields are those of a chat completion.

    `first_token` has the labels with their probabilities where a bare letter was asked for.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    refusal: str | None = None
    first_token: tuple[tuple[str, float], ...] | None = None


class SimulatedModel:
    """A model of a run that is simulated.

    `families` are those of all models of the run, by name; `oracle` knows whose response is whose.
    """

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
        """Answer the messages, or say what goes wrong; the same messages always have the same answer.

        Trouble is drawn anew each time that the same messages come, so that a retry can work.
        """
        of = digest_of(messages)
        trouble = self._trouble(of)
        if trouble is not None:
            self._attempts[of] += 1
            return trouble
        self._attempts.pop(of, None)
        asked = question(messages)
        text, refusal, first_token = self._said(asked, of)
        read = sum(len(message["content"]) for message in messages)
        return Answer(text, _tokens(read), _tokens(len(text)), refusal, first_token)

    def _trouble(self, of: str) -> Trouble | None:
        planted = self.planted
        left = uniform(planted.seed, self.name, of, "trouble", self._attempts[of])
        shares: tuple[tuple[Trouble, float], ...] = (
            ("rate_limit", planted.rate_limit),
            ("server_error", planted.server_error),
            ("hang", planted.hang),
        )
        return _drawn(shares, left)

    def _said(self, asked: Question, of: str) -> tuple[str, str | None, tuple[tuple[str, float], ...] | None]:
        """Return the text, the refusal and the first token's alternatives."""
        planted = self.planted
        draw = chance(planted.seed, self.name, of)
        if asked.form == "text":
            return written(asked, draw), None, None
        if asked.form == "rewriting":
            return rewritten(asked, draw), None, None
        fault = _drawn(
            (
                ("unparsed", planted.unparsed),
                ("refused", planted.refused),
                ("wrong_count", planted.wrong_count),
            ),
            draw.random(),
        )
        if fault == "refused":
            return "", REFUSAL, None
        if fault == "unparsed":
            return EVASION, None, None
        if asked.form == "letter":
            chances = letter_chances(asked, self._bias)
            labels = [pair for pair in chances if pair[0] in asked.labels]
            letter = draw.choices([label for label, _ in labels], [share for _, share in labels])[0]
            return letter, None, chances
        if fault == "wrong_count" and asked.criteria:
            asked = _with_one_more(asked)
        return judged(asked, self._bias, draw), None, None


def _with_one_more(asked: Question) -> Question:
    return Question(
        asked.form, asked.prompt, asked.responses, (*asked.criteria, ""), asked.scores, asked.labels
    )


def _drawn(shares: Sequence[tuple[Name, float]], left: float) -> Name | None:
    """Return the name on whose share a number from 0 to 1 falls; None beyond the last."""
    for name, share in shares:
        if left < share:
            return name
        left -= share
    return None


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
