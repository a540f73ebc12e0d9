"""The knowledge of a simulated model: its settings, an oracle of the truth, and the parsing of prompts."""

import hashlib
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pyarrow as pa
import pydantic
from pydantic import Field

from engine.errors import UsageError
from engine.plain_words import mistake_words
from engine.schema import DIMENSIONS
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# The settings of a simulated model: `[models.NAME.simulated]` of a run's configuration.


class Planted(pydantic.BaseModel):
    """A simulated model's skill, its bias as a judge, and its faults.

    As a generator: `skill` is the share of criteria that its responses meet, unless references say which.
    As a judge: `overestimation` is how often it finds a failed criterion met (or favours the response that
    loses a comparison) for a generator of another family, `underestimation` how often it finds a met one
    failed. `self_ratio` and `family_ratio` multiply the overestimation for responses of its own and of its
    family; `named_ratio` multiplies that for its own again if the prompt says that it wrote the response.
    `recognition` is the probability that it names its own response when asked which one it wrote.
    `familiarity` is how much higher it finds the mean log-probability per token of its own responses. `sway`
    is the share of disfavoured responses that it favours after words are added that make them no better;
    `own_sway` multiplies it for its own. `first_bias` is the preference for the response shown first (0.5:
    none) and `verbosity` that for the longer one (0: none; 1: odds in proportion to the lengths' ratio).

    The faults are shares of calls: `unparsed` (an answer without a verdict), `refused` (the provider's
    refusal field), `wrong_count` (one verdict too many in a list); `rate_limit`, `server_error` and `hang`
    are drawn again on each attempt. Each answer takes `slow_s` seconds.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    skill: float = Field(0.7, gt=0, lt=1)
    overestimation: float = Field(0.2, ge=0, le=1)
    underestimation: float = Field(0.06, ge=0, le=1)
    self_ratio: float = Field(1.0, gt=0)
    family_ratio: float = Field(1.0, gt=0)
    named_ratio: float = Field(1.0, gt=0)
    recognition: float = Field(0.5, ge=0, le=1)
    familiarity: float = Field(0.0, ge=-1, le=1)
    sway: float = Field(0.0, ge=0, lt=1)
    own_sway: float = Field(1.0, ge=0)
    first_bias: float = Field(0.5, gt=0, lt=1)
    verbosity: float = 0.0
    explanation: bool = True
    unparsed: float = Field(0.0, ge=0, le=1)
    refused: float = Field(0.0, ge=0, le=1)
    wrong_count: float = Field(0.0, ge=0, le=1)
    rate_limit: float = Field(0.0, ge=0, le=1)
    server_error: float = Field(0.0, ge=0, le=1)
    hang: float = Field(0.0, ge=0, le=1)
    slow_s: float = Field(0.0, ge=0)
    seed: int = 0

    @pydantic.model_validator(mode="after")
    def _are_probabilities(self) -> "Planted":
        largest_self = self.self_ratio * max(1.0, self.named_ratio)
        highest = self.overestimation * max(1.0, largest_self, self.family_ratio)
        if highest > 1:
            product = f"overestimation {self.overestimation!r} times its largest ratio"
            raise ValueError(f"{product} is {highest:.2f}, not a probability; lower one of them")
        for names in (("unparsed", "refused", "wrong_count"), ("rate_limit", "server_error", "hang")):
            if sum(getattr(self, name) for name in names) > 1:
                raise ValueError(f"{', '.join(names)} are more than 1 together; lower them")
        return self


def parse_planted(place: str, settings: Mapping[str, Any]) -> Planted:
    """Return the settings, validated; `place` is where they are, such as `models.m1.simulated`."""
    try:
        return Planted.model_validate(dict(settings))
    except pydantic.ValidationError as error:
        mistake = error.errors(include_url=False)[0]
        field = ".".join([place, *map(str, mistake["loc"])])
        if mistake["type"] == "extra_forbidden":
            choices = ", ".join(Planted.model_fields)
            raise UsageError(f"{field}: unknown field; choose from: {choices}") from None
        value = "" if not mistake["loc"] else f" is {mistake['input']!r}"
        raise UsageError(f"{field}{value}: {mistake_words(mistake)}") from None


# ------------------------------------------------------------------------------
# Reproducible randomness: numbers that depend only on what they are drawn for.


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def uniform(*keys: object) -> float:
    """Return a number in [0, 1) that depends on all the arguments and nothing else."""
    raw = hashlib.blake2b("\0".join(map(str, keys)).encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return int.from_bytes(raw, "big") / 2**56


def seeded_rng(*keys: object) -> random.Random:
    return random.Random(digest("\0".join(map(str, keys))))  # noqa: S311 - simulation, not secrecy


# ------------------------------------------------------------------------------
# The authors of responses and the truth about them, which the run tells for simulated judges to err about.


UNKNOWN_SKILL = 0.7  # the share of criteria that a response of an unknown generator meets


@dataclass(frozen=True, slots=True)
class ResponseFacts:
    """Facts about a response: who wrote it, and which criteria (by digest) it meets.

    `added_to` is the digest of the response to which words were added that make it no better.
    """

    generator: str | None = None
    met: Mapping[str, bool] = field(default_factory=dict)
    added_to: str | None = None


class Oracle:
    """The truth for simulated judges: who wrote a response, and which criteria it meets.

    Judges see only messages, so the run tells the oracle both before its calls. Anything else is decided by a
    hash of the text, always the same: a response meets a criterion with the probability of its generator's
    skill.
    """

    def __init__(self, skills: Mapping[str, float] | None = None) -> None:
        self._skills = dict(skills or {})
        self._facts: dict[str, ResponseFacts] = {}
        self._undesirable: set[str] = set()

    def record(
        self, text: str, generator: str, met: Mapping[str, bool] | None = None, *, added_to: str | None = None
    ) -> None:
        """Record who wrote a response and, if references say so, which criteria (as text) it meets.

        A response made from `added_to` by adding words is as good as that. A text belongs to the first
        generator recorded for it; more criteria may be recorded later.
        """
        verdicts = {digest(criterion.strip()): value for criterion, value in (met or {}).items()}
        key = digest(text.strip())
        earlier = self._facts.get(key)
        if earlier is None:
            source = None if added_to is None else digest(added_to.strip())
            self._facts[key] = ResponseFacts(generator, verdicts, source)
        elif verdicts:
            self._facts[key] = replace(earlier, met={**earlier.met, **verdicts})

    def record_undesirable(self, criterion: str) -> None:
        """Record that meeting the criterion is bad, so that a favourable verdict finds it not met."""
        self._undesirable.add(digest(criterion.strip()))

    def set_skills(self, skills: Mapping[str, float]) -> None:
        """Set the share of criteria that each generator's responses meet, if there are no references."""
        self._skills.update(skills)

    def generator_of(self, text: str) -> str | None:
        return self._recall(text).generator

    def added_to(self, text: str) -> bool:
        """Return whether words were added to the text that make it no better."""
        return self._recall(text).added_to is not None

    def undesirable(self, criterion: str) -> bool:
        return digest(criterion.strip()) in self._undesirable

    def favourable(self, text: str, criterion: str) -> bool:
        """Return whether the response truly does well on the criterion."""
        facts, key = self._recall(text), digest(criterion.strip())
        if key in facts.met:
            return facts.met[key] != (key in self._undesirable)
        return uniform("truth", facts.added_to or digest(text.strip()), key) < self._skill(facts)

    def strength(self, text: str) -> float:
        """Return the true quality of the response, from 0 to 1: its share of favourable references.

        Without references it is a hash of the text, transformed to average to the generator's skill.
        """
        facts = self._recall(text)
        if facts.met:
            return sum(met != (key in self._undesirable) for key, met in facts.met.items()) / len(facts.met)
        skill = self._skill(facts)
        strength: float = uniform("strength", facts.added_to or digest(text.strip())) ** ((1 - skill) / skill)
        return strength

    def _recall(self, text: str) -> ResponseFacts:
        return self._facts.get(digest(text.strip()), ResponseFacts())

    def _skill(self, facts: ResponseFacts) -> float:
        return UNKNOWN_SKILL if facts.generator is None else self._skills.get(facts.generator, UNKNOWN_SKILL)


# ------------------------------------------------------------------------------
# Parsing prompts: what the messages ask for.


Form = Literal[
    "text", "rewriting", "verdict", "verdicts", "share", "outcome", "letter", "dimensions", "score", "marks",
    "ranking", "author", "likelihood",
]  # fmt: skip
"""The forms of answers: free text, a rewritten response, `criteria_met` once or in a list, `X/Y`, `outcome`,
a bare letter, a letter for each dimension, `[RESULT]` with a score, a mark for each dimension, the numbers of
several responses in order, the letter of the response that the judge wrote, the likelihood of a response.
"""

SCORES = (1.0, 2.0, 3.0, 4.0, 5.0)  # if the options cannot be read

_BLOCK = re.compile(r"<([a-zA-Z][\w-]*?)-([0-9a-f]{6,64})>\n?(.*?)\n?</\1-\2>", re.S)
_NUMBERED = re.compile(r"^\d+[.)] +", re.M)
_OPTION = re.compile(r"^[ \-*]*(?:score|option)? *(-?\d+(?:\.\d+)?) *[:.)=–—-]", re.I | re.M)
_MARK = re.compile(r"^\(undesirable\)\s*", re.I)


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed prompt: the form of the answer, the responses and criteria shown, the scores to choose from.

    `labels` name the responses of a pair in the order shown, with a third for a tie if one is offered;
    `authors` are the responses' authors, None unless the prompt names them.
    """

    form: Form
    prompt: str
    responses: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    scores: tuple[float, ...] = SCORES
    labels: tuple[str, ...] = ("A", "B")
    authors: tuple[str | None, ...] = ()


def parse_question(messages: Sequence[Mapping[str, str]]) -> Question:
    content = "\n\n".join(message["content"] for message in messages)
    blocks = [(match[1].lower(), match[3]) for match in _BLOCK.finditer(content)]
    words = _BLOCK.sub(" ", content)
    texts: list[str] = []
    authors: list[str | None] = []
    author = None
    for name, text in blocks:
        if name == "author":
            author = text.strip()
        elif name.startswith(("response", "answer")):
            texts.append(text)
            authors.append(author)
            author = None
    prompt = next((text for name, text in blocks if name == "prompt"), messages[-1]["content"])
    if not texts:
        return Question("text", prompt)
    options = [text for name, text in blocks if "option" in name]
    scores = {float(score) for text in options for score in _OPTION.findall(text)}
    form = _form(words, len(texts), has_options=bool(options))
    return Question(
        form,
        prompt,
        tuple(texts),
        _criteria(blocks, words),
        tuple(sorted(scores)) or SCORES,
        _labels(form, words),
        tuple(authors),
    )


def _form(words: str, responses: int, *, has_options: bool) -> Form:
    if '"ranking"' in words:
        return "ranking"
    if responses > 1 and "did you write" in words.lower():
        return "author"
    if responses > 1:
        if '"outcome"' in words or "$$" in words:
            return "outcome"
        return "dimensions" if all(f'"{name}"' in words for name in DIMENSIONS) else "letter"
    if "criteria_met" in words:
        return "verdicts" if '"results"' in words else "verdict"
    if "[RESULT]" in words or has_options:
        return "score"
    if all(f'"{name}"' in words for name in DIMENSIONS):
        return "marks"
    return "share" if '"score"' in words else "rewriting"


def _criteria(blocks: Sequence[tuple[str, str]], words: str) -> tuple[str, ...]:
    """Return the criteria shown, including each of a numbered list."""
    pieces: list[str] = []
    for name, text in blocks:
        if name.startswith(("criteria", "rubrics")) or (name.startswith("list") and "criteria_met" in words):
            pieces += [_plain(piece) for piece in _NUMBERED.split(text) if piece.strip()]
        elif name.startswith(("criterion", "rubric")):
            pieces.append(text.strip())
    return tuple(pieces)


def _plain(piece: str) -> str:
    """Return a listed criterion in its original form, without its mark and the list's indentation."""
    lines = _MARK.sub("", piece.strip()).split("\n")
    width = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    return "\n".join([lines[0], *(line[width:] for line in lines[1:])]).strip()


def _labels(form: Form, words: str) -> tuple[str, ...]:
    first, second = ("A", "B") if re.search(r"\bA\b", words) or not re.search(r"\b1\b", words) else ("1", "2")
    if form == "letter":
        return (first, second, "T") if re.search(r"\bT\b", words) else (first, second)
    return (first, second, "tie") if form == "outcome" else (first, second)


# ------------------------------------------------------------------------------
# Loading a study's truth into an oracle, before simulated judges are called.


SOURCES = ("program", "human")
"""The sources of references that count as the truth, by precedence, before any other source."""


def load_oracle(oracle: Oracle, study: StudyFiles) -> None:
    """Tell the oracle the responses' authors and references; only digests are stored.

    Can be repeated as the study grows.
    """
    criteria = {}
    for row in _rows(study.table("rubrics", ["instance_id", "rubric_id", "criterion", "points"])):
        if row["criterion"] is not None:
            criteria[row["instance_id"], row["rubric_id"]] = row["criterion"]
            if row["points"] < 0:
                oracle.record_undesirable(row["criterion"])
    verdicts = _verdicts(study, criteria)
    responses = study.table("responses", ["instance_id", "generator", "transform", "text", "beside"])
    originals: dict[tuple[str, str], str] = {}
    if responses["beside"].null_count < len(responses):
        plain = (row for row in _rows(responses) if row["transform"] == "none")
        originals = {(row["instance_id"], row["generator"]): row["text"] for row in plain}
    for row in _rows(responses):
        if row["text"] is None:
            continue
        key = (row["instance_id"], row["generator"])
        added_to = originals.get(key) if row["beside"] == "plain" else None
        met = verdicts.get(key) if row["transform"] == "none" or added_to is not None else None
        oracle.record(row["text"], row["generator"], met, added_to=added_to)


def _verdicts(
    study: StudyFiles, criteria: dict[tuple[str, str], str]
) -> dict[tuple[str, str], dict[str, bool]]:
    """Return which criteria (as text) are met, by instance and generator."""
    verdicts: dict[tuple[str, str], dict[str, bool]] = {}
    columns = ["instance_id", "generator", "rubric_id", "source", "met"]
    rows = [row for row in _rows(study.table("references", columns)) if row["met"] is not None]
    ranks = {source: rank for rank, source in enumerate(SOURCES)}
    best_last = sorted(rows, key=lambda row: ranks.get(row["source"], len(SOURCES)), reverse=True)
    for row in best_last:
        criterion = criteria.get((row["instance_id"], row["rubric_id"]))
        if criterion is not None:
            verdicts.setdefault((row["instance_id"], row["generator"]), {})[criterion] = row["met"]
    return verdicts


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()
