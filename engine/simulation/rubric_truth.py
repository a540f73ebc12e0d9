"""The reference of a simulated study, and each judge's chances of error against it, which are planted."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from engine.simulation.design import Design, ModelTraits
from engine.simulation.rubric_items import Items
from engine.simulation.study_tables import constant, text_column
from engine.stats import Bools, Floats, Ints
from engine.stats.ratios import mean_of_defined, rate, ratio

DIFFICULTY_SD = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The reference, `favourable` (G generators, K rubrics): met, or not met if points are below 0."""

    items: Items
    generators: tuple[ModelTraits, ...]
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


def chances(judge: ModelTraits, truth: Truth, instance_factor: Floats) -> Chances:
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


def _ratio(judge: ModelTraits, generator: ModelTraits, truth: Truth) -> Floats:
    """Return the planted ratio on each rubric (K,) for responses of one generator."""
    bias = judge.bias
    ratio = bias.family_ratio if generator.family == judge.family else 1.0
    if generator.name == judge.name:
        ratio = bias.self_ratio
    if bias.on is None or ratio == 1.0:
        return np.full(truth.favourable.shape[1], ratio)
    return np.where(truth.items.slice_mask(bias.on), ratio, 1 + bias.elsewhere * (ratio - 1))


def expected(judge: ModelTraits, truth: Truth, chances: Chances) -> dict[str, float | None]:
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
