"""Planted in a simulated study of orders: the scorers, and how the order shown affects each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import UsageError
from engine.simulation.default_models import default_models
from engine.simulation.design import Bias, Design, Draws, ModelTraits

LEAN = 0.08  # how far the share of a score is from 1/n at places other than its home

MOST_OPTIONS = 9

LISTS = ("original", "reversed", "rotated-3")  # the default orderings of lists


@dataclass(frozen=True, slots=True)
class Scorer:
    """A model that writes and judges: `model` has its skill and error rates, and its bias on criteria.

    For scores: `positions` are weights of the places in the list of options (none: equal), which change the
    chance of any score there. `home` is an ordering, such as (3, 4, 5, 1, 2), in which the place affects no
    score; in others, scores at early places are likelier. `spread` is the standard deviation of its scores
    around its opinion of an item, `wander` that of a shift that depends on the item and the ordering and is
    the same in repeats.
    For lists: `slope` in (-1, 1) is the share by which a failed criterion is likelier to be credited in the
    last place, and less likely in the first.
    """

    model: ModelTraits
    positions: tuple[float, ...] = ()
    home: tuple[int, ...] = ()
    spread: float = 0.5
    wander: float = 0.0
    slope: float = 0.0

    def __post_init__(self) -> None:
        name, home, spread, wander = self.model.name, self.home, self.spread, self.wander
        if any(not 0 < weight < float("inf") for weight in self.positions):
            raise UsageError(f"positions {self.positions!r} of {name!r}: give weights above 0")
        if sorted(home) != list(range(1, len(home) + 1)):
            raise UsageError(f"home {home!r} of {name!r} is not an ordering; give each score from 1 once")
        if spread <= 0 or wander < 0:
            raise UsageError(f"spread {spread!r}, wander {wander!r} of {name!r}: give deviations above 0")
        if not -1 < self.slope < 1:
            raise UsageError(f"slope {self.slope!r} of {name!r}: give a number between -1 and 1")


@dataclass(frozen=True, slots=True)
class OrderDesign(Draws):
    """The design of a simulated study of orders, without its texts.

    `options` is the number n of score options, `criteria` the score rubrics of each item. `lists` are the
    orderings in which lists of yes-or-no criteria are shown. `people` score the share `scored` of the items.
    """

    scorers: tuple[Scorer, ...]
    options: int = 5
    criteria: tuple[str, ...] = ("liveliness", "coherence")
    lists: tuple[str, ...] = LISTS
    people: tuple[str, ...] = ("human:one", "human:two")
    scored: float = 0.7

    def __post_init__(self) -> None:
        if not 2 <= self.options <= MOST_OPTIONS:
            raise UsageError(f"options {self.options!r}: give a whole number from 2 to {MOST_OPTIONS}")
        for scorer in self.scorers:
            for name in ("positions", "home"):
                count = len(getattr(scorer, name))
                if count not in (0, self.options):
                    problem = f"{name} of {scorer.model.name!r} has {count} places for {self.options} options"
                    raise UsageError(f"{problem}; give {self.options}")
            highest = scorer.model.overestimation * scorer.model.bias.strongest * (1 + abs(scorer.slope))
            if highest * (1 + self.base.instance_spread) > 1:
                problem = "overestimation with ratio, slope and the questions' spread is above 1"
                remedy = "not a probability; lower one of them"
                raise UsageError(f"judge {scorer.model.name!r}: {problem}, {remedy}")
        if not 0 <= self.scored <= 1:
            raise UsageError(f"scored {self.scored!r} is not a share; give 0 to 1")
        self.check_draws()

    @property
    def names(self) -> list[str]:
        return [scorer.model.name for scorer in self.scorers]

    @property
    def base(self) -> Design:
        """The design of the lists without effects of the order."""
        models = tuple(scorer.model for scorer in self.scorers)
        return Design(models, models, paradigms=("all_rubrics",), seed=self.seed)


_PULLS = (1.0, 2.5, 1.0, 0.4)
_SLOPES = (0.0, 0.5, -0.5, 0.0)
_WANDERS = (0.0, 0.0, 1.0, 0.5)


def scorers(
    names: Sequence[str],
    families: Sequence[str] = (),
    *,
    options: int = 5,
    biased: Sequence[str] | None = None,
    pull: float | None = None,
    slope: float | None = None,
    self_ratio: float = 1.0,
) -> tuple[Scorer, ...]:
    """Return scorers of these names, in turn steady, preferring the first places, wandering, and the last.

    `pull` is how many times likelier the first place is than the last, `slope` that of lists (see `Scorer`).
    Given values replace the defaults in the judges `biased` (None: in all), which also have `self_ratio`; the
    others are then steady.
    """
    all_scorers = []
    for place, model in enumerate(default_models(names, families, Bias(self_ratio), biased)):
        turn = place % len(_PULLS)
        steady = biased is not None and model.name not in biased
        ratio = 1.0 if steady else _PULLS[turn] if pull is None else pull
        tilt = 0.0 if steady else _SLOPES[turn] if slope is None else slope
        if not 0 < ratio < float("inf"):
            raise UsageError(f"pull {ratio!r} is not a ratio; give a number above 0")
        # Evenly spaced on the log scale, the first `ratio` times the last.
        weights = () if ratio == 1 else np.geomspace(ratio**0.5, ratio**-0.5, options).round(6).tolist()
        all_scorers.append(Scorer(model, tuple(weights), wander=_WANDERS[turn], slope=tilt))
    return tuple(all_scorers)
