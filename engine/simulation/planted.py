"""What a simulated model knows: its planted settings, an oracle of the truth, and what a prompt asks for."""

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
from engine.schema import DIMENSIONS
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# What is planted in a simulated model: `[models.NAME.simulated]` of a run's configuration.


class Planted(pydantic.BaseModel):
    """A simulated model's skill, its bias as a judge, and its faults.

    As a generator: `skill` is the share of criteria that its responses meet, where no reference says which.
    As a judge: `overestimation` is how often it finds a failed criterion met (or favours the response that
    loses a comparison) for a generator of another family, `underestimation` how often it finds a met one
    failed. `self_ratio` and `family_ratio` multiply the overestimation for its own and its relatives'
    responses; `named_ratio` multiplies that for its own once more where it is told that it wrote a response.
    `recognition` is the probability with which it names its own response where it is asked which it wrote.
    `familiarity` is how much higher the mean log-probability of its own responses' tokens is to it.
    `sway` is the share of disfavoured responses that it favours when words are added that make them no
    better, `own_sway` how many times as many of its own. `first_bias` is the pull to the
    response shown first (0.5: none) and `verbosity` that to the longer one (0: none; 1: the odds grow as the
    lengths' ratio).

    The faults are shares of calls: `unparsed` (an answer without a verdict), `refused` (the provider's
    refusal field), `wrong_count` (a verdict too many, where a list was asked for); `rate_limit`,
    `server_error` and `hang` are drawn anew on each attempt. Each answer takes `slow_s` seconds.
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
        named = self.self_ratio * max(1.0, self.named_ratio)
        highest = self.overestimation * max(1.0, named, self.family_ratio)
        if highest > 1:
            raise ValueError(
                f"overestimation {self.overestimation!r} times its largest ratio is {highest:.2f}, no "
                "probability; lower the one or the other"
            )
        for names in (("unparsed", "refused", "wrong_count"), ("rate_limit", "server_error", "hang")):
            if sum(getattr(self, name) for name in names) > 1:
                raise ValueError(f"{', '.join(names)} are more than 1 together; lower them")
        return self


def planted(place: str, settings: Mapping[str, Any]) -> Planted:
    """Return the settings as checked fields; `place` is where they stand, such as `models.m1.simulated`.

    Raises UsageError that names the field, its value and what may stand there.
    """
    try:
        return Planted.model_validate(dict(settings))
    except pydantic.ValidationError as error:
        mistake = error.errors(include_url=False)[0]
        field = ".".join([place, *map(str, mistake["loc"])])
        if mistake["type"] == "extra_forbidden":
            choices = ", ".join(Planted.model_fields)
            raise UsageError(f"{field}: unknown field; choose from: {choices}") from None
        words = mistake["msg"].removeprefix("Value error, ")
        shown = "" if not mistake["loc"] else f" is {mistake['input']!r}"
        raise UsageError(f"{field}{shown}: {words[:1].lower()}{words[1:]}") from None


# ------------------------------------------------------------------------------
# Chance that repeats itself: numbers that depend on nothing but what they are drawn for.


def digest(text: str) -> str:
    """Return what the text is, as 32 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def uniform(*of: object) -> float:
    """Return a number from 0 to below 1 that depends on the arguments alone, and on all of them."""
    hashed = hashlib.blake2b("\0".join(map(str, of)).encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return int.from_bytes(hashed, "big") / 2**56


def chance(*of: object) -> random.Random:
    """Return a source of numbers that depends on the arguments alone."""
    return random.Random(digest("\0".join(map(str, of))))  # noqa: S311 - simulation, not secrecy


# ------------------------------------------------------------------------------
# Whose text is whose, and what is true of it: told by the run, for simulated judges to err about.


UNKNOWN_SKILL = 0.7
"""The share of criteria that a response of an unknown generator meets."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a response: who wrote it, and which criteria (by a digest of their words) it meets.

    `added_to` is the digest of the response that it is with words added that make it no better.
    """

    generator: str | None = None
    met: Mapping[str, bool] = field(default_factory=dict)
    added_to: str | None = None


class Oracle:
    """What simulated judges are judged against: whose a response is, and what is true of it.

    Judges see messages only, so the run tells both before its calls. What it did not tell is decided by a
    hash of the text, the same whenever it is asked: a response meets a criterion with the generator's skill.
    """

    def __init__(self, skills: Mapping[str, float] | None = None) -> None:
        self._skills = dict(skills or {})
        self._known: dict[str, Known] = {}
        self._undesirable: set[str] = set()

    def tell(
        self, text: str, generator: str, met: Mapping[str, bool] | None = None, *, added_to: str | None = None
    ) -> None:
        """Say who wrote a response and, where a reference knows, which criteria (their words) it meets.

        One that has words `added_to` it, which make it no better, is as good as it was before. The first to
        write a text keeps it; more of its criteria may be told later.
        """
        verdicts = {digest(criterion.strip()): value for criterion, value in (met or {}).items()}
        key = digest(text.strip())
        before = self._known.get(key)
        if before is None:
            of = None if added_to is None else digest(added_to.strip())
            self._known[key] = Known(generator, verdicts, of)
        elif verdicts:
            self._known[key] = replace(before, met={**before.met, **verdicts})

    def tell_undesirable(self, criterion: str) -> None:
        """Say that meeting the criterion is bad, so that a judge's favour is to find it not met."""
        self._undesirable.add(digest(criterion.strip()))

    def set_skills(self, skills: Mapping[str, float]) -> None:
        """Say how often the responses of each generator meet a criterion, where no reference says it."""
        self._skills.update(skills)

    def generator_of(self, text: str) -> str | None:
        """Return who wrote the text; None where nobody said."""
        return self._recall(text).generator

    def added_to(self, text: str) -> bool:
        """Whether words were added to the text that make it no better."""
        return self._recall(text).added_to is not None

    def undesirable(self, criterion: str) -> bool:
        """Whether meeting the criterion is bad."""
        return digest(criterion.strip()) in self._undesirable

    def favourable(self, text: str, criterion: str) -> bool:
        """Whether the response truly does well on the criterion."""
        known, of = self._recall(text), digest(criterion.strip())
        if of in known.met:
            return known.met[of] != (of in self._undesirable)
        return uniform("truth", known.added_to or digest(text.strip()), of) < self._skill(known)

    def strength(self, text: str) -> float:
        """Return how good the response truly is, from 0 to 1: its share of favourable references.

        Without references it is a hash of it, bent so that a generator's are as good as its skill on average.
        """
        known = self._recall(text)
        if known.met:
            return sum(met != (of in self._undesirable) for of, met in known.met.items()) / len(known.met)
        skill = self._skill(known)
        drawn: float = uniform("strength", known.added_to or digest(text.strip())) ** ((1 - skill) / skill)
        return drawn

    def _recall(self, text: str) -> Known:
        return self._known.get(digest(text.strip()), Known())

    def _skill(self, known: Known) -> float:
        return UNKNOWN_SKILL if known.generator is None else self._skills.get(known.generator, UNKNOWN_SKILL)


# ------------------------------------------------------------------------------
# What a prompt asks for, read from its messages as a model would read them.


Form = Literal[
    "text", "rewriting", "verdict", "verdicts", "share", "outcome", "letter", "dimensions", "score", "marks",
    "ranking", "author", "likelihood",
]  # fmt: skip
"""The forms of answers: free text, a response written anew, `criteria_met` once or in a list, `X/Y`,
`outcome`, a bare letter, a letter for each dimension, `[RESULT]` with a score, a mark for each dimension, the
numbers of several responses in order, the letter of the response that the judge wrote, how likely a response
is.
"""

SCORES = (1.0, 2.0, 3.0, 4.0, 5.0)  # where the options cannot be read

_BLOCK = re.compile(r"<([a-zA-Z][\w-]*?)-([0-9a-f]{6,64})>\n?(.*?)\n?</\1-\2>", re.S)
_NUMBERED = re.compile(r"^\d+[.)] +", re.M)
_OPTION = re.compile(r"^[ \-*]*(?:score|option)? *(-?\d+(?:\.\d+)?) *[:.)=–—-]", re.I | re.M)
_MARK = re.compile(r"^\(undesirable\)\s*", re.I)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the form of the answer, the responses and criteria shown, the scores to choose from.

    `labels` name the responses of a pair in the order shown, with a third for a tie where one is offered;
    `authors` say who wrote each response, as far as the judge is told.
    """

    form: Form
    prompt: str
    responses: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    scores: tuple[float, ...] = SCORES
    labels: tuple[str, ...] = ("A", "B")
    authors: tuple[str | None, ...] = ()


def question(messages: Sequence[Mapping[str, str]]) -> Question:
    """Read what the messages ask for."""
    whole = "\n\n".join(message["content"] for message in messages)
    blocks = [(match[1].lower(), match[3]) for match in _BLOCK.finditer(whole)]
    words = _BLOCK.sub(" ", whole)
    shown = list(_responses(blocks))
    responses = tuple(text for text, _ in shown)
    prompt = next((text for name, text in blocks if name == "prompt"), messages[-1]["content"])
    if not responses:
        return Question("text", prompt)
    criteria = _criteria(blocks, words)
    scores = _scores(blocks)
    form = _form(words, len(responses), has_options=any("option" in name for name, _ in blocks))
    authors = tuple(author for _, author in shown)
    return Question(form, prompt, responses, criteria, scores, _labels(form, words), authors)


def _responses(blocks: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str | None]]:
    author = None
    for name, text in blocks:
        if name == "author":
            author = text.strip()
        elif name.startswith(("response", "answer")):
            yield text, author
            author = None


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
    """Return the criteria shown; a numbered list holds one for each number."""
    pieces: list[str] = []
    for name, text in blocks:
        if name.startswith(("criteria", "rubrics")) or (name.startswith("list") and "criteria_met" in words):
            pieces += [_plain(piece) for piece in _NUMBERED.split(text) if piece.strip()]
        elif name.startswith(("criterion", "rubric")):
            pieces.append(text.strip())
    return tuple(pieces)


def _plain(piece: str) -> str:
    """Return a listed criterion as it was written: without its mark and the list's indentation."""
    lines = _MARK.sub("", piece.strip()).split("\n")
    width = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    return "\n".join([lines[0], *(line[width:] for line in lines[1:])]).strip()


def _scores(blocks: Sequence[tuple[str, str]]) -> tuple[float, ...]:
    listed = [float(score) for name, text in blocks if "option" in name for score in _OPTION.findall(text)]
    return tuple(sorted(set(listed))) or SCORES


def _labels(form: Form, words: str) -> tuple[str, ...]:
    first, second = ("A", "B") if re.search(r"\bA\b", words) or not re.search(r"\b1\b", words) else ("1", "2")
    if form == "letter":
        return (first, second, "T") if re.search(r"\bT\b", words) else (first, second)
    return (first, second, "tie") if form == "outcome" else (first, second)


# ------------------------------------------------------------------------------
# What a study holds, told to an oracle before simulated judges are asked about it.


SOURCES = ("program", "human")
"""The references that are the truth, the first before the second, and both before any other."""


def load_oracle(oracle: Oracle, study: StudyFiles) -> None:
    """Tell whose response is whose and what references say, again as a study grows; only digests stay."""
    criteria = _criterion_texts(study, oracle)
    verdicts = _verdicts(study, criteria)
    responses = study.table("responses", ["instance_id", "generator", "transform", "text", "beside"])
    as_written: dict[tuple[str, str], str] = {}
    if responses["beside"].null_count < len(responses):
        unchanged = (row for row in _rows(responses) if row["transform"] == "none")
        as_written = {(row["instance_id"], row["generator"]): row["text"] for row in unchanged}
    for row in _rows(responses):
        if row["text"] is None:
            continue
        key = (row["instance_id"], row["generator"])
        added_to = as_written.get(key) if row["beside"] == "plain" else None
        met = verdicts.get(key) if row["transform"] == "none" or added_to is not None else None
        oracle.tell(row["text"], row["generator"], met, added_to=added_to)


def _criterion_texts(study: StudyFiles, oracle: Oracle) -> dict[tuple[str, str], str]:
    """Return each rubric's words by instance and rubric; the oracle hears which are undesirable."""
    texts = {}
    for row in _rows(study.table("rubrics", ["instance_id", "rubric_id", "criterion", "points"])):
        if row["criterion"] is None:
            continue
        texts[row["instance_id"], row["rubric_id"]] = row["criterion"]
        if row["points"] < 0:
            oracle.tell_undesirable(row["criterion"])
    return texts


def _verdicts(
    study: StudyFiles, criteria: dict[tuple[str, str], str]
) -> dict[tuple[str, str], dict[str, bool]]:
    """Return by instance and generator which criteria, by their words, are met."""
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
