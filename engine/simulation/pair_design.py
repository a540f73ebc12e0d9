"""Planted in a simulated study of pairs: how each model answers, and how it chooses as a judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.errors import UsageError
from engine.simulation.default_models import families_of
from engine.simulation.design import Draws

EPSILON = 0.25  # largest difference of quality between responses that judges treat as equal
GAP = 2.0  # least difference of quality between responses that are far apart


@dataclass(frozen=True, slots=True)
class Contestant:
    """A model that answers and judges.

    As a generator: of its responses that are not at the question's usual level, the share `skill` is better.
    As a judge in variant `forced`, in shares of pairs: `firm` is the chance that it chooses a given one of
    two equal responses of others in both orders (Null-PIR), `spb` is added to it for its own response,
    `family_spb` for that of its family against an outsider's. `sight` (D) is the chance that it names the
    better of two responses far apart in one order. `first` is, among the pairs on which its orders differ,
    the share in which it chose the response shown first.
    In variant `forced_tie`: `losing` is its mean vote for a response that the gold judges find worse, and
    `beyond` is added for its own (T of the quality baseline).
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
        name, firm, spb, losing = self.name, self.firm, self.spb, self.losing
        for share in ("skill", "firm", "sight", "first", "losing"):
            value = getattr(self, share)
            if not 0 <= value <= 1:
                raise UsageError(f"{share} {value!r} of {name!r} is not a share; give 0 to 1")
        if firm > 0.5:
            raise UsageError(f"firm {firm!r} of {name!r}: either of two equals may be chosen; give 0 to 0.5")
        if not -firm <= spb <= 1 - 2 * firm:
            remedy = f"with firm {firm!r} give {-firm:g} to {1 - 2 * firm:g}"
            raise UsageError(f"spb {spb!r} of {name!r} leaves no share; {remedy}")
        if abs(self.family_spb) > firm:
            raise UsageError(f"family_spb {self.family_spb!r} of {name!r} is beyond firm {firm!r}; lower it")
        below, above = losing - DIFFICULTY - LOWEST_VOTE, HIGHEST_VOTE - DIFFICULTY - losing
        if below < 0 or above < 0:
            least, most = LOWEST_VOTE + DIFFICULTY, HIGHEST_VOTE - DIFFICULTY
            raise UsageError(f"losing {losing!r} of {name!r} is out of range; give {least:g} to {most:g}")
        # A vote for its own worse response rises by `beyond`, one for a worse one of others falls by half.
        least, most = max(-below, -2 * above), min(above, 2 * below)
        if not least <= self.beyond <= most:
            raise UsageError(
                f"beyond {self.beyond!r} of {name!r} leaves no share, as it votes for {losing:g} of worse "
                f"answers; give {round(least, 3) + 0:g} to {round(most, 3) + 0:g}"
            )


LOWEST_VOTE, HIGHEST_VOTE = 0.02, 0.6
"""Bounds of the mean vote for a worse response; they leave room for votes for a tie."""

HIGHEST_TIE = 0.3  # the range of the share of votes for a tie above its minimum
DIFFICULTY = 0.08  # the largest effect of a question, up or down, on the vote for a worse response


@dataclass(frozen=True, slots=True)
class PairDesign(Draws):
    """The design of a simulated study of pairs, without its questions.

    `contestants` answer every question and judge. `benchmark` judges score the quality of all responses, and
    `gold` judges say which of two is better; neither answer. `spb_share` is the share of a judge's SPB that
    remains in each variant, `gain` the share of its missing sight (1 - D) that the variant restores.
    """

    contestants: tuple[Contestant, ...]
    benchmark: tuple[str, ...] = ("gauge-north", "gauge-south")
    gold: tuple[str, ...] = ("touchstone-a", "touchstone-b", "touchstone-c")
    spb_share: Mapping[str, float] = field(
        default_factory=lambda: {"forced": 1.0, "cot": 0.6, "structured": 0.25}
    )
    gain: Mapping[str, float] = field(default_factory=lambda: {"forced": 0.0, "cot": 0.3, "structured": 0.15})

    def __post_init__(self) -> None:
        names = [*self.names, *self.benchmark, *self.gold]
        for name in names:
            if not name or names.count(name) > 1:
                raise UsageError(f"the model {name!r} is empty or occurs twice; give each its own name")
        if len(self.contestants) < 3:
            count = len(self.contestants)
            raise UsageError(f"{count} models are too few for pairs without the judge; give at least 3")
        if not self.benchmark or not self.gold:
            raise UsageError("quality and preferences need a judge each; name at least one for both")
        self.check_draws()

    @property
    def names(self) -> list[str]:
        return [model.name for model in self.contestants]


KINDS = (
    Contestant("Objective", "", firm=0.30, sight=0.94, first=0.52, losing=0.30),
    Contestant("Machiavellian", "", firm=0.25, spb=0.30, sight=0.92, first=0.55, losing=0.28, beyond=0.15),
    Contestant("Blindly Biased", "", firm=0.35, spb=-0.22, sight=0.91, first=0.48, losing=0.33, beyond=-0.10),
    Contestant("Incompetent Randomizer", "", firm=0.20, sight=0.56, first=0.60, losing=0.42, verbose=True),
)
"""The four archetypes, in the order in which they are assigned."""


def default_contestants(
    names: Sequence[str],
    families: Sequence[str] = (),
    *,
    biased: Sequence[str] | None = None,
    spb: float | None = None,
    beyond: float | None = None,
    first: float | None = None,
) -> tuple[Contestant, ...]:
    """Return contestants of these names, with the four archetypes in turn.

    `families` are as in `families_of`. `spb`, `beyond` and `first`, if given, replace the archetype's values
    in the judges `biased` (None: in all); the others then have no bias.
    """
    biases = {"spb": spb, "beyond": beyond, "first": first}
    planted: dict[str, Any] = {bias: value for bias, value in biases.items() if value is not None}
    contestants = []
    for place, (name, family) in enumerate(zip(names, families_of(names, families, biased), strict=True)):
        bias = planted if biased is None or name in biased else {"spb": 0.0, "beyond": 0.0}
        kind, skill = KINDS[place % len(KINDS)], (place + 0.5) / len(names)
        contestants.append(replace(kind, name=name, family=family, skill=skill, **bias))
    return tuple(contestants)
