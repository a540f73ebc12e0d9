"""Planted in a simulated study: models with their skill, and the bias of each as a judge."""

from dataclasses import dataclass, field

import numpy as np

from engine.errors import UsageError, unknown

SIMULATED_PARADIGMS = ("single_rubric", "all_rubrics", "direct_assessment", "pairwise")
SLICE_COLUMNS = ("polarity", "length", "theme", "axis")


@dataclass(frozen=True, slots=True)
class BiasedRubrics:
    """The rubrics on which a bias is at full strength.

    `column` is one of `SLICE_COLUMNS`. `value` is `negative` or `positive` for polarity; `extreme`
    (the shortest and the longest tenth of the study's rubrics) or `LO:HI` (characters, ends included,
    either open) for length; a name for theme and axis.
    """

    column: str
    value: str

    def __post_init__(self) -> None:
        if self.column not in SLICE_COLUMNS:
            raise unknown("column of a biased slice", self.column, SLICE_COLUMNS)
        if self.column == "polarity" and self.value not in ("negative", "positive"):
            raise unknown("polarity", self.value, ("negative", "positive"))
        if self.column == "length" and self.value != "extreme":
            self.bounds()

    @classmethod
    def parse(cls, text: str) -> "BiasedRubrics":
        column, equals, value = text.partition("=")
        if not equals or not value.strip():
            raise UsageError(f"{text!r} names no slice; write column=value, as in polarity=negative")
        return cls(column.strip(), value.strip())

    def bounds(self) -> tuple[float, float]:
        """Return the lowest and highest length of a `LO:HI` slice; an open end is infinite."""
        low, colon, high = self.value.partition(":")
        try:
            ends = float(low or "-inf"), float(high or "inf")
        except ValueError:
            colon = ""
        if not colon:
            raise UsageError(f"length {self.value!r} is neither 'extreme' nor LO:HI, as in 10:80")
        return ends

    def __str__(self) -> str:
        return f"{self.column}={self.value}"


@dataclass(frozen=True, slots=True)
class Bias:
    """By which factors a judge is likelier to credit a failed rubric than for an unrelated model's response.

    `self_ratio` applies to its own responses, `family_ratio` to those of its family. With `on` they apply on
    that slice, and elsewhere only the share `elsewhere` of their excess over 1. `hard_items` is not a bias:
    rubrics that the judge's own response fails are that many times likelier to be credited, whoever wrote the
    response, which raises the plain ratio above 1 but not the matched one.
    """

    self_ratio: float = 1.0
    family_ratio: float = 1.0
    on: BiasedRubrics | None = None
    elsewhere: float = 0.0
    hard_items: float = 1.0

    def __post_init__(self) -> None:
        for name in ("self_ratio", "family_ratio", "hard_items"):
            value = getattr(self, name)
            if not 0 < value < float("inf"):
                raise UsageError(f"{name} {value!r} is not a ratio; give a number above 0")
        if not 0 <= self.elsewhere <= 1:
            raise UsageError(f"elsewhere {self.elsewhere!r} is not a share; give a number from 0 to 1")

    @property
    def strongest(self) -> float:
        return max(1.0, self.self_ratio, self.family_ratio) * max(1.0, self.hard_items)


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """One model: how well it answers, and how it errs as a judge, as shares.

    `skill` is the share of (average) rubrics that its responses meet, `overestimation` the share of failed
    rubrics that it credits for responses of other families, and `underestimation` the share of fulfilled ones
    that it does not credit. `first_bias` is, among the pairs on which its two orders differ, the share in
    which it preferred the response shown first (0.5: no position bias).
    """

    name: str
    family: str
    skill: float = 0.75
    overestimation: float = 0.2
    underestimation: float = 0.06
    first_bias: float = 0.5
    bias: Bias = field(default_factory=Bias)
    provider: str | None = None
    size_b: float | None = None

    def __post_init__(self) -> None:
        for name in ("skill", "overestimation", "underestimation", "first_bias"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise UsageError(f"{name} {value!r} of {self.name!r} is not a share; give 0 to 1")
        if self.skill in (0, 1):
            raise UsageError(f"skill {self.skill!r} of {self.name!r}: give a share above 0 and below 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Base of the designs: the shares of answers that are, independently of all else, unparsed or refused."""

    unparsed: float = 0.0
    refused: float = 0.0
    seed: int = 0

    def check_draws(self) -> None:
        if min(self.unparsed, self.refused) < 0 or self.unparsed + self.refused >= 1:
            problem = f"unparsed {self.unparsed!r} and refused {self.refused!r}"
            raise UsageError(f"{problem}: give shares whose sum is below 1")
        if self.seed < 0:
            raise UsageError(f"seed {self.seed!r}: give a whole number from 0")

    @property
    def run_id(self) -> str:
        return f"simulated-{self.seed}"

    def rng(self, *stream: int) -> np.random.Generator:
        """Return the generator of one kind of draw, independent of all others."""
        return np.random.default_rng([self.seed, *stream])


@dataclass(frozen=True, slots=True)
class Design(Draws):
    """The design of a simulated study, without its items.

    `judges` and `generators` are models; one that is in both is the same model. `instance_spread` in [0, 1)
    is how much the judges' error rates vary between instances: each multiplies them by a factor drawn
    uniformly from 1 - spread to 1 + spread, which leaves every ratio as planted.
    """

    judges: tuple[ModelTraits, ...]
    generators: tuple[ModelTraits, ...]
    paradigms: tuple[str, ...] = SIMULATED_PARADIGMS
    instance_spread: float = 0.3

    def __post_init__(self) -> None:
        for role, models in (("judge", self.judges), ("generator", self.generators)):
            names = [model.name for model in models]
            if not names:
                raise UsageError(f"there is no {role}; name at least one")
            for name in names:
                if not name or names.count(name) > 1:
                    raise UsageError(f"{role} {name!r} is empty or occurs twice; give each its own name")
        by_name = {model.name: model for model in self.judges}
        for model in self.generators:
            if by_name.get(model.name, model) != model:
                raise UsageError(f"{model.name!r} is described twice, differently; describe each model once")
        if not 0 <= self.instance_spread < 1:
            raise UsageError(f"question spread {self.instance_spread!r}: give a share from 0 to below 1")
        self.check_draws()
        for paradigm in self.paradigms:
            if paradigm not in SIMULATED_PARADIGMS:
                raise unknown("paradigm", paradigm, SIMULATED_PARADIGMS)
        for judge in self.judges:
            highest = judge.overestimation * judge.bias.strongest * (1 + self.instance_spread)
            if highest > 1:
                raise UsageError(
                    f"judge {judge.name!r}: overestimation {judge.overestimation!r} times its ratios and the "
                    f"questions' spread is {highest:.2f}, above 1; lower overestimation or the ratios"
                )

    @property
    def models(self) -> tuple[ModelTraits, ...]:
        """Every model once: the generators, then the other judges."""
        names = {model.name for model in self.generators}
        return self.generators + tuple(model for model in self.judges if model.name not in names)
