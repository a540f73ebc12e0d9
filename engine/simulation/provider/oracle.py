"""Whose text is whose, and what is true of it: told by the run, for simulated judges to err about."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.simulation.provider.draws import digest, uniform

UNKNOWN_SKILL = 0.7
"""The share of criteria that a response of an unknown generator meets."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a response: who wrote it, and which criteria (by a digest of their words) it meets."""

    generator: str
    met: Mapping[str, bool] = field(default_factory=dict)


class Oracle:
    """What simulated judges are judged against.

    A simulated judge sees messages only. To be biased it must know whose response it reads, and to be right
    or wrong it needs a truth: the run tells both before its calls. What it was not told is decided by a hash
    of the text, the same whenever it is asked: a response then meets a criterion with the generator's skill.
    """

    def __init__(self, skills: Mapping[str, float] | None = None) -> None:
        self._skills = dict(skills or {})
        self._known: dict[str, Known] = {}
        self._undesirable: set[str] = set()

    def tell(self, text: str, generator: str, met: Mapping[str, bool] | None = None) -> None:
        """Say who wrote a response and, where a reference knows, which criteria (their words) it meets.

        The first to write a text keeps it; more of its criteria may be told later.
        """
        verdicts = {digest(criterion.strip()): value for criterion, value in (met or {}).items()}
        key = digest(text.strip())
        before = self._known.get(key)
        if before is None:
            self._known[key] = Known(generator, verdicts)
        elif verdicts:
            self._known[key] = Known(before.generator, {**before.met, **verdicts})

    def tell_undesirable(self, criterion: str) -> None:
        """Say that meeting the criterion is bad, so that a judge's favour is to find it not met."""
        self._undesirable.add(digest(criterion.strip()))

    def set_skills(self, skills: Mapping[str, float]) -> None:
        """Say how often the responses of each generator meet a criterion, where no reference says it."""
        self._skills.update(skills)

    def generator_of(self, text: str) -> str | None:
        """Return who wrote the text; None where nobody said."""
        known = self._known.get(digest(text.strip()))
        return None if known is None else known.generator

    def undesirable(self, criterion: str) -> bool:
        """Whether meeting the criterion is bad."""
        return digest(criterion.strip()) in self._undesirable

    def favourable(self, text: str, criterion: str) -> bool:
        """Whether the response truly does well on the criterion."""
        known = self._known.get(digest(text.strip()))
        of = digest(criterion.strip())
        if known is not None and of in known.met:
            return known.met[of] != (of in self._undesirable)
        return uniform("truth", digest(text.strip()), of) < self._skill(known)

    def strength(self, text: str) -> float:
        """Return how good the response truly is, from 0 to 1.

        That is its share of favourable references or, without references, a hash of it.

        The hash is bent so that a generator's responses are as good as its skill on average.
        """
        known = self._known.get(digest(text.strip()))
        if known is not None and known.met:
            return sum(met != (of in self._undesirable) for of, met in known.met.items()) / len(known.met)
        skill = self._skill(known)
        drawn: float = uniform("strength", digest(text.strip())) ** ((1 - skill) / skill)
        return drawn

    def _skill(self, known: Known | None) -> float:
        return UNKNOWN_SKILL if known is None else self._skills.get(known.generator, UNKNOWN_SKILL)
