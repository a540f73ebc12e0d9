"""What a coordinator asks a task's items to be."""

from dataclasses import dataclass, fields
from typing import Any

from engine.errors import UsageError, unknown
from engine.slices import Slice

SELECTIONS: dict[str, tuple[str, ...]] = {
    "equal": ("equal_pair", "preference"),
    "hard": ("clusters",),
    "disagreement": ("rubric_verdict",),
    "overestimation": ("rubric_verdict",),
    "scores": ("score",),
}
"""The selections, each with the kinds of task that it can make, the usual one first."""

NUMBER, EPSILON, GAP, CLUSTER = 100, 0.25, 2.0, 5


@dataclass(frozen=True)
class Wanted:
    """At most `number` items of one selection, the same for the same seed.

    - `equal`: half of them pairs within `epsilon` in quality, as many at least `gap` apart.
    - `hard`: for each question the `cluster` responses with most pairs within two epsilons, those with most
      such pairs first.
    - `disagreement`: rubric verdicts on which judges disagree most.
    - `overestimation`: those that a judge credits to a generator and the reference does not; `judge` and
      `generator` name a cell.
    - `scores`: responses to be scored by rubrics that have options.

    `spec` keeps some of the study's questions, rubrics and generators. An empty `kind` is the selection's
    usual one. Raises UsageError for what is unknown, out of range, or does not go together.
    """

    selection: str = "equal"
    kind: str = ""
    number: int = NUMBER
    seed: int = 0
    epsilon: float = EPSILON
    gap: float = GAP
    cluster: int = CLUSTER
    quality_judges: tuple[str, ...] = ()
    judge: str | None = None
    generator: str | None = None
    spec: Slice = Slice()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        """Check what was asked."""
        if self.selection not in SELECTIONS:
            raise unknown("selection", self.selection, SELECTIONS)
        kinds = SELECTIONS[self.selection]
        if not self.kind:
            object.__setattr__(self, "kind", kinds[0])
        if self.kind not in kinds:
            raise unknown(f"kind of task for the selection {self.selection}", self.kind, kinds)
        for name in ("epsilon", "gap"):
            if not getattr(self, name) >= 0:
                raise UsageError(
                    f"{name} {getattr(self, name)!r} is no difference of quality; give such as 0.25"
                )
        if self.number < 1:
            raise UsageError(f"{self.number!r} items cannot be labelled; ask for 1 or more")
        if self.cluster < 2:
            raise UsageError(f"cluster {self.cluster!r} is below 2; give a number of responses such as 5")
        if self.seed < 0:
            raise UsageError(f"seed {self.seed!r} is below 0; give 0 or more")

    def told(self) -> dict[str, Any]:
        """Return it as a task keeps it: what makes the same items again."""
        plain = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "spec"}
        return plain | {"quality_judges": list(self.quality_judges), "filters": self.spec.given()}
