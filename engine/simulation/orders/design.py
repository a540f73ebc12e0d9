"""What a simulated study of orders plants: who scores, and what the order shown does to each."""

from dataclasses import dataclass

from engine.errors import UsageError
from engine.simulation.design import Design, Model, check_failures

LEAN = 0.08
"""How far the shares of a score lie from 1/n where it stands off its home."""

MOST_OPTIONS = 9

LISTS = ("original", "reversed", "rotated-3")
"""How lists are shown unless asked otherwise."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A model that writes and judges: `model` says how well, and with which bias it credits criteria.

    Of its scores: `positions` are weights of the places in the list of options (none: all alike), by which
    every score is likelier or less likely to be picked. `home` is an ordering, such as (3, 4, 5, 1, 2), in
    which no score is picked oftener or more seldom for where it stands; elsewhere it leans to what comes
    early. `spread` is the standard deviation of its scores about what it thinks of an item, `wander` that of
    a shift which an ordering gives an item and which its repeats share.
    Of its lists: `slope` in (-1, 1) is by how much likelier than usual it credits a failed criterion in the
    last place, and less likely in the first.
    """

    model: Model
    positions: tuple[float, ...] = ()
    home: tuple[int, ...] = ()
    spread: float = 0.5
    wander: float = 0.0
    slope: float = 0.0

    def __post_init__(self) -> None:
        name = self.model.name
        if any(not 0 < weight < float("inf") for weight in self.positions):
            raise UsageError(f"positions {self.positions!r} of {name!r}: give weights above 0")
        if sorted(self.home) != list(range(1, len(self.home) + 1)):
            raise UsageError(f"home {self.home!r} of {name!r} is no ordering; give each score from 1 once")
        if self.spread <= 0 or self.wander < 0:
            raise UsageError(
                f"spread {self.spread!r}, wander {self.wander!r} of {name!r}: give deviations above 0"
            )
        if not -1 < self.slope < 1:
            raise UsageError(f"slope {self.slope!r} of {name!r}: give a number between -1 and 1")


@dataclass(frozen=True, slots=True)
class OrderDesign:
    """A whole simulated study of orders, short of its texts.

    `options` is the number n of score options, `criteria` the score rubrics of each item. `lists` names the
    orderings in which lists of yes-or-no criteria are shown. `people` score the share `scored` of the items.
    `unparsed` and `refused` are the shares of answers without a verdict.
    """

    scorers: tuple[Scorer, ...]
    options: int = 5
    criteria: tuple[str, ...] = ("liveliness", "coherence")
    lists: tuple[str, ...] = LISTS
    people: tuple[str, ...] = ("human:one", "human:two")
    scored: float = 0.7
    unparsed: float = 0.0
    refused: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 2 <= self.options <= MOST_OPTIONS:
            raise UsageError(f"options {self.options!r}: give a whole number from 2 to {MOST_OPTIONS}")
        for scorer in self.scorers:
            for name in ("positions", "home"):
                given = len(getattr(scorer, name))
                if given not in (0, self.options):
                    raise UsageError(
                        f"{name} of {scorer.model.name!r} has {given} places for {self.options} options; "
                        f"give {self.options}"
                    )
            highest = scorer.model.overestimation * scorer.model.bias.strongest * (1 + abs(scorer.slope))
            if highest * (1 + self.base.instance_spread) > 1:
                raise UsageError(
                    f"judge {scorer.model.name!r}: overestimation with ratio, slope and the instances' "
                    "spread is above 1, no probability; lower one of them"
                )
        if not 0 <= self.scored <= 1:
            raise UsageError(f"scored {self.scored!r} is not a share; give 0 to 1")
        check_failures(self.unparsed, self.refused, self.seed)

    @property
    def names(self) -> list[str]:
        """The names of the models, which write and judge."""
        return [scorer.model.name for scorer in self.scorers]

    @property
    def base(self) -> Design:
        """The design of the lists before any order has an effect."""
        models = tuple(scorer.model for scorer in self.scorers)
        return Design(models, models, paradigms=("all_rubrics",), seed=self.seed)

    @property
    def run_id(self) -> str:
        """The name of the one run that the study consists of."""
        return f"simulated-{self.seed}"
