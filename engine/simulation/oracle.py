"""The authors of responses and the truth about them, which simulated judges err about."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.messages import conversation
from engine.simulation.randomness import digest, uniform
from engine.store.study_files import StudyFiles

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
        self._answers: dict[str, str] = {}

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

    def record_answer(self, prompt: str, answer: str) -> None:
        """Record the reference answer to a prompt, which its generators give as often as they have skill."""
        self._answers[prompt.strip()] = answer

    def answer_to(self, text: str) -> str | None:
        """Return the answer to the prompt that a text is, or contains: the longest one, if several."""
        prompts = [text.strip()] if text.strip() in self._answers else sorted(self._answers, key=len)
        return next((self._answers[prompt] for prompt in reversed(prompts) if prompt in text), None)

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


SOURCES = ("program", "human")
"""The sources of references that count as the truth, by precedence, before any other source."""


def load_oracle(oracle: Oracle, study: StudyFiles) -> None:
    """Tell the oracle the responses' authors and references, and the reference answers of instances.

    Only digests are stored, but of prompts with a reference answer.

    Can be repeated as the study grows.
    """
    instances = study.table("instances", ["prompt", "reference_answer"])
    for row in _rows(instances.filter(pc.is_valid(instances["reference_answer"]))):
        messages = conversation(row["prompt"] or "")
        if row["prompt"]:
            oracle.record_answer(messages[-1].text if messages else row["prompt"], row["reference_answer"])
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
