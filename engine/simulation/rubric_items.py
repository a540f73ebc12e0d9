"""The items of simulated rubrics, their reference, and each judge's chances of error on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from engine.errors import UsageError
from engine.simulation.design import Codes, Design, Model, Slice, constant, numbered_ids, text_column
from engine.stats import Bools, Floats, Ints
from engine.stats.self_preference import mean_of_defined, rate, ratio

# ------------------------------------------------------------------------------
# Instances and their rubrics as arrays, drawn at random or taken from texts.


THEMES = ("advice", "analysis", "coding", "planning", "science", "summaries", "writing")
AXES = ("accuracy", "completeness", "communication_quality", "context_awareness", "instruction_following")
NEGATIVE_SHARE = 0.2
EXTREME_SHARE = 0.1


@dataclass(frozen=True, eq=False)
class Items:
    """The instances and rubrics of a study, rubrics sorted by instance.

    Shapes: one entry for each of N instances (`instance_ids`, `themes`) or each of K rubrics (the rest).
    `instance` is the index of a rubric's instance; every instance has a rubric. `length` is in characters.
    `criteria` (K), `prompts` and `languages` (N) are empty if the study has no texts.
    """

    instance_ids: Sequence[str]
    themes: Sequence[str]
    instance: Codes
    rubric_ids: Sequence[str]
    points: Floats
    length: Ints
    axis: Sequence[str]
    criteria: Sequence[str] = ()
    prompts: Sequence[str] = ()
    languages: Sequence[str] = ()

    def __post_init__(self) -> None:
        counts = np.bincount(self.instance, minlength=len(self.instance_ids))
        if len(self.instance_ids) == 0 or counts.min() == 0 or np.any(np.diff(self.instance) < 0):
            raise ValueError("rubrics must be sorted by instance, and every instance must have one")

    @cached_property
    def counts(self) -> Ints:
        return np.bincount(self.instance, minlength=len(self.instance_ids)).astype(np.int64)

    @cached_property
    def start(self) -> Ints:
        """The index of each instance's first rubric, shape (N,)."""
        return np.concatenate([[0], np.cumsum(self.counts)[:-1]])

    @cached_property
    def place(self) -> Ints:
        """The 1-based place of each rubric in its instance, shape (K,)."""
        return np.arange(len(self.instance), dtype=np.int64) - self.start[self.instance] + 1

    @cached_property
    def instance_names(self) -> pa.Array:
        return pa.array(self.instance_ids)

    @cached_property
    def rubric(self) -> pa.DictionaryArray:
        return pa.array(self.rubric_ids).dictionary_encode()

    @property
    def negative(self) -> Bools:
        """Whether meeting the rubric is undesirable, shape (K,)."""
        return self.points < 0

    def slice_mask(self, part: Slice) -> Bools:
        """Return which rubrics are in a slice, shape (K,)."""
        if part.column == "polarity":
            mask = self.negative if part.value == "negative" else ~self.negative
        elif part.column == "length" and part.value == "extreme":
            low, high = np.quantile(self.length, [EXTREME_SHARE, 1 - EXTREME_SHARE])
            mask = (self.length <= low) | (self.length >= high)
        elif part.column == "length":
            low, high = part.bounds()
            mask = (self.length >= low) & (self.length <= high)
        elif part.column == "theme":
            mask = (np.array(self.themes) == part.value)[self.instance]
        else:
            mask = np.array(self.axis) == part.value
        if not mask.any():
            raise UsageError(f"no rubric is in the slice {str(part)!r}; name one that the items have")
        return np.asarray(mask, dtype=bool)

    def mean_over_instance(self, values: Floats) -> Floats:
        """Average per-rubric values (..., K) within each instance, to shape (..., N)."""
        sums = np.add.reduceat(values, self.start, axis=-1)
        return np.asarray(sums / self.counts)

    def instances_table(self) -> pa.Table:
        columns = {"instance_id": self.instance_names, "theme": pa.array(self.themes)}
        if self.prompts:
            columns["prompt"] = pa.array(self.prompts)
        if self.languages:
            columns["language"] = pa.array(self.languages)
        return pa.table(columns)

    def rubrics_table(self) -> pa.Table:
        columns = {
            "instance_id": self.instance_names.take(pa.array(self.instance)),
            "rubric_id": pa.array(self.rubric_ids),
            "length": pa.array(self.length),
            "points": pa.array(self.points),
            "axis": pa.array(self.axis),
        }
        if self.criteria:
            columns["criterion"] = pa.array(self.criteria)
        return pa.table(columns)


def draw_items(instances: int, rubrics_per_instance: int, rng: np.random.Generator) -> Items:
    """Draw items without texts; UsageError without instances or rubrics.

    Theme, axis, points (1 to 10, a fifth negative) and length (lognormal, 5 to 600) are drawn independently.
    """
    names = numbered_ids("i", instances)
    if rubrics_per_instance < 1:
        raise UsageError(f"rubrics per instance {rubrics_per_instance!r}: give a whole number from 1")
    count = instances * rubrics_per_instance
    sign = np.where(rng.random(count) < NEGATIVE_SHARE, -1.0, 1.0)
    return Items(
        instance_ids=names,
        themes=[THEMES[index] for index in rng.integers(len(THEMES), size=instances)],
        instance=np.repeat(np.arange(instances, dtype=np.int32), rubrics_per_instance),
        rubric_ids=[f"r{number}" for number in range(1, rubrics_per_instance + 1)] * instances,
        points=sign * rng.integers(1, 11, size=count),
        length=np.clip(rng.lognormal(4.2, 0.8, size=count), 5, 600).astype(np.int64),
        axis=[AXES[index] for index in rng.integers(len(AXES), size=count)],
    )


# ------------------------------------------------------------------------------
# The reference of a simulated study: which responses do well on which rubrics.


DIFFICULTY_SD = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The reference, `favourable` (G generators, K rubrics): met, or not met if points are below 0."""

    items: Items
    generators: tuple[Model, ...]
    favourable: Bools

    @property
    def met(self) -> Bools:
        """Whether each response meets each criterion as it is written, shape (G, K)."""
        return self.favourable ^ self.items.negative

    def favourable_counts(self) -> Ints:
        """Return the number of rubrics of each instance on which each response does well, shape (G, N)."""
        return np.add.reduceat(self.favourable, self.items.start, axis=1, dtype=np.int64)

    def references_table(self) -> pa.Table:
        """Return the table `references`, source `program`, with a row for each response and rubric."""
        items, (generators, rubrics) = self.items, self.favourable.shape
        names = [model.name for model in self.generators]
        return pa.table(
            {
                "instance_id": text_column(np.tile(items.instance, generators), items.instance_names),
                "generator": text_column(np.repeat(np.arange(generators), rubrics), names),
                "rubric_id": pa.concat_arrays([items.rubric] * generators),
                "source": constant("program", generators * rubrics),
                "met": pa.array(self.met.ravel()),
            }
        )


def draw_truth(design: Design, items: Items, rng: np.random.Generator) -> Truth:
    """Draw the reference.

    A response does well on a rubric with chance logistic(logit(skill) - difficulty); all generators share
    the rubrics' difficulty, which is normal with standard deviation `DIFFICULTY_SD`. Judges' error rates do
    not depend on it (except for hard items), so that the measured ratio is the planted one.
    """
    difficulty = rng.normal(0.0, DIFFICULTY_SD, size=len(items.instance))
    favourable = np.empty((len(design.generators), difficulty.size), dtype=bool)
    for row, model in enumerate(design.generators):
        chance = 1 / (1 + np.exp(difficulty - np.log(model.skill / (1 - model.skill))))
        favourable[row] = rng.random(difficulty.size) < chance
    return Truth(items, design.generators, favourable)


# ------------------------------------------------------------------------------
# The chances of error of a simulated judge, which are what is planted.


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """One judge's chances of error, for G generators, K rubrics and N instances.

    `over` (G, K): the chance of a favourable verdict if the reference is unfavourable.
    `under` (K,): that of an unfavourable one if it is favourable, the same for all generators.
    `over_pair` (G, N): the chance that a response which loses a comparison by the reference does not lose it
    by the judge (half won, half tied); it is the mean of `over` on the instance's rubrics.
    """

    over: Floats
    under: Floats
    over_pair: Floats


def chances(judge: Model, truth: Truth, instance_factor: Floats) -> Chances:
    """Return the chances of one judge; `instance_factor` (N,) multiplies both kinds of error.

    If the bias has no slice and there are no hard items, over[G] is ratio(G) times the same base on every
    rubric, so that the expected ratio is the planted one for any set of rubrics.
    """
    factor = instance_factor[truth.items.instance]
    base = judge.overestimation * factor
    for row, generator in enumerate(truth.generators):
        if generator.name == judge.name:
            base = base * np.where(truth.favourable[row], 1.0, judge.bias.hard_items)
    over = np.stack([base * _ratio(judge, generator, truth) for generator in truth.generators])
    return Chances(over, judge.underestimation * factor, truth.items.mean_over_instance(over))


def _ratio(judge: Model, generator: Model, truth: Truth) -> Floats:
    """Return the planted ratio on each rubric (K,) for responses of one generator."""
    bias = judge.bias
    ratio = bias.family_ratio if generator.family == judge.family else 1.0
    if generator.name == judge.name:
        ratio = bias.self_ratio
    if bias.on is None or ratio == 1.0:
        return np.full(truth.favourable.shape[1], ratio)
    return np.where(truth.items.slice_mask(bias.on), ratio, 1 + bias.elsewhere * (ratio - 1))


def expected(judge: Model, truth: Truth, chances: Chances) -> dict[str, float | None]:
    """Return the expected values of one judge's measures, given the reference; None if undefined.

    The ratios are those of the expected rates, over all rubrics: `hspp_self` and `hspp_family` divided by the
    mean over generators of other families, `hspp_matched` over the rubrics that both the judge's own response
    and the other fail, and `hspp_self_pairwise` over lost comparisons.
    """
    models = list(enumerate(truth.generators))
    own = [row for row, model in models if model.name == judge.name]
    relatives = [row for row, model in models if model.family == judge.family and row not in own]
    strangers = [row for row, _ in models if row not in (*own, *relatives)]
    failed = ~truth.favourable
    rates = rate((chances.over * failed).sum(axis=-1), failed.sum(axis=-1))
    counts = truth.favourable_counts()
    losses = np.stack([(counts > count).sum(axis=0) for count in counts])  # number of better opponents
    pair_rates = rate((chances.over_pair * losses).sum(axis=-1), losses.sum(axis=-1))
    matched: Floats = np.array(np.nan)
    if own:
        shared = failed[strangers] & failed[own[0]]
        matched = ratio((chances.over[own[0]] * shared).sum(), (chances.over[strangers] * shared).sum())
    other = mean_of_defined(rates[strangers])
    numbers = {
        "o_self": mean_of_defined(rates[own]),
        "o_other": other,
        "hspp_self": ratio(mean_of_defined(rates[own]), other),
        "hspp_family": ratio(mean_of_defined(rates[relatives]), other),
        "hspp_matched": matched,
        "hspp_self_pairwise": ratio(mean_of_defined(pair_rates[own]), mean_of_defined(pair_rates[strangers])),
    }
    return {name: None if np.isnan(value) else float(value) for name, value in numbers.items()}
