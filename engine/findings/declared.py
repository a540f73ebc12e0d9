"""A rule: one small function that makes claims, with the words in which a reader sees how."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.findings.claims import Claim, Method, Outcome, Question, Verdict
from engine.findings.material import Material

Make = Callable[[Material, Sequence[Outcome]], "Made"]
"""Makes claims from the measures, and from what the rules before it came to."""


@dataclass(frozen=True)
class Made:
    """What a rule's function returns: its claims in their order, and in a sentence what it tried.

    `reason` says why it could not be tried. `verdicts` says of judges what the rule's number says of each.
    """

    claims: tuple[Claim, ...] = ()
    told: str = ""
    reason: str | None = None
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True)
class Rule:
    """One rule; the docstring of `make` says when it claims, by which number, and in what order.

    `slow` ones take more than a second on a study of some size.
    """

    name: str
    question: Question
    title: str
    measure: str
    make: Make
    slow: bool = False

    @property
    def method(self) -> Method:
        """How its claims are made, in words."""
        words = inspect.getdoc(self.make) or ""
        return Method(self.name, self.question, self.title, self.measure, " ".join(words.split()))

    def outcome(self, material: Material, before: Iterable[Outcome] = ()) -> Outcome:
        """Try the rule."""
        made = self.make(material, tuple(before))
        return Outcome(self.name, self.question, made.claims, made.told, made.reason, made.verdicts)
