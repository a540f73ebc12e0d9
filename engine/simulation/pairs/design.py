"""What a simulated study of pairs plants: how each model answers, and how it chooses as a judge."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from engine.errors import UsageError
from engine.simulation.design import check_failures

EPSILON = 0.25
"""Largest difference of quality between responses that judges treat as equal."""

GAP = 2.0
"""Least difference of quality between responses that are far apart."""

_LEFT = MappingProxyType({"forced": 1.0, "cot": 0.6, "structured": 0.25})
_GAIN = MappingProxyType({"forced": 0.0, "cot": 0.3, "structured": 0.15})


@dataclass(frozen=True, slots=True)
class Contestant:
    """A model that answers and judges.

    Of its responses: `skill` in [0, 1] is how far it leans to a response better than the question usually
    gets rather than worse.
    As a judge in variant `forced`, shares of pairs: `firm` is the chance that it chooses a given one of two
    equal responses of others in both orders (Null-PIR), `spb` what is added to it for its own response,
    `family_spb` for a relative's against an outsider's. `sight` (D) is the chance that it names the better of
    two responses far apart in one order, and `first` the share of the pairs on which its orders differ in
    which it held to the response shown first.
    In variant `forced_tie`: `losing` is its mean vote for a response that the gold judges find worse, and
    `beyond` what is added for its own (T of the quality baseline).
    `verbose` judges give long reasons.
    """

    name: str
    family: str
    skill: float = 0.5
    firm: float = 0.25
    spb: float = 0.0
    family_spb: float = 0.0
    sight: float = 0.93
    first: float = 0.5
    losing: float = 0.3
    beyond: float = 0.0
    verbose: bool = False
    provider: str | None = None
    size_b: float | None = None
    stage: str | None = "post-trained"

    def __post_init__(self) -> None:
        for name in ("skill", "firm", "sight", "first", "losing"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise UsageError(f"{name} {value!r} of {self.name!r} is not a share; give 0 to 1")
        if not 0 <= self.firm <= 0.5:
            raise UsageError(
                f"firm {self.firm!r} of {self.name!r}: either of two equals may be chosen; give 0 to 0.5"
            )
        if not -self.firm <= self.spb <= 1 - 2 * self.firm:
            raise UsageError(
                f"spb {self.spb!r} of {self.name!r} leaves no share; with firm {self.firm!r} give "
                f"{-self.firm:g} to {1 - 2 * self.firm:g}"
            )
        if abs(self.family_spb) > self.firm:
            raise UsageError(
                f"family_spb {self.family_spb!r} of {self.name!r} is beyond firm {self.firm!r}; lower it"
            )
        if self.losing + min(0.0, self.beyond, -self.beyond / 2) - DIFFICULTY < LOWEST_VOTE:
            raise UsageError(f"losing {self.losing!r} of {self.name!r} is too low for its beyond; raise it")
        if self.losing + max(0.0, self.beyond, -self.beyond / 2) + DIFFICULTY > HIGHEST_VOTE:
            raise UsageError(f"losing {self.losing!r} of {self.name!r} is too high for its beyond; lower it")


LOWEST_VOTE, HIGHEST_VOTE = 0.02, 0.6
"""Bounds of the mean vote for a worse response; votes for a tie have their place above them."""

HIGHEST_TIE = 0.3
"""How far the share of votes for a tie reaches above its least."""

DIFFICULTY = 0.08
"""By how much questions differ in the vote that a worse response gets, either way."""


@dataclass(frozen=True, slots=True)
class PairDesign:
    """A whole simulated study of pairs, short of its questions.

    `contestants` answer every question and judge. `benchmark` score the quality of all responses, and `gold`
    say which of two is better; neither answers. `left` is the share of a judge's SPB that each variant
    leaves, `gain` the share of its lack of sight that the variant makes good. `unparsed` and `refused` are
    the shares of answers without a verdict.
    """

    contestants: tuple[Contestant, ...]
    benchmark: tuple[str, ...] = ("gauge-north", "gauge-south")
    gold: tuple[str, ...] = ("touchstone-a", "touchstone-b", "touchstone-c")
    left: Mapping[str, float] = field(default_factory=lambda: _LEFT)
    gain: Mapping[str, float] = field(default_factory=lambda: _GAIN)
    unparsed: float = 0.0
    refused: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        names = [*self.names, *self.benchmark, *self.gold]
        for name in names:
            if not name or names.count(name) > 1:
                raise UsageError(f"the model {name!r} is empty or stands twice; give each its own name")
        if len(self.contestants) < 3:
            raise UsageError(
                f"{len(self.contestants)} models are too few for pairs without the judge; give at least 3"
            )
        if not self.benchmark or not self.gold:
            raise UsageError("quality and preferences need a judge each; name at least one for both")
        check_failures(self.unparsed, self.refused, self.seed)

    @property
    def names(self) -> list[str]:
        """The names of the models that answer and judge."""
        return [model.name for model in self.contestants]

    @property
    def run_id(self) -> str:
        """The name of the one run that the study consists of."""
        return f"simulated-{self.seed}"
