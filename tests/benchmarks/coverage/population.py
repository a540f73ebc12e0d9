"""A population of instances with a planted self-preference, and studies drawn from it as counts.

The truth is that of the population, not of one draw of references. An interval from resampled instances is
about all instances that might have been drawn; a study's own references are part of its randomness.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from engine.stats.self_preference import Relations

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Population:
    """Models that answer and judge each other; all arrays have one entry for each model.

    A response fails a rubric if a normal variable is below a threshold. The variable is the sum of a part of
    the instance (`same_instance` of its variance: failures cluster), a part of the rubric (`same_rubric`:
    models tend to fail the same ones) and a part of the response; the share of failures is exactly `failure`.
    Judge J credits a failed rubric of G with chance base(J) x ratio(J, G) x factor(instance), the factor
    drawn uniformly from 1 - `spread` to 1 + `spread`, and verdicts on one response have the intraclass
    correlation `same_response`. Factor and failures are independent, so that every ratio is planted exactly:
    hspp_self = hspp_matched = `self_ratio`, for any generators.
    """

    families: tuple[str, ...] = ("a", "a", "a", "b", "b", "c")
    failure: tuple[float, ...] = (0.15, 0.2, 0.25, 0.18, 0.22, 0.2)
    base: tuple[float, ...] = (0.2, 0.25, 0.3, 0.35, 0.2, 0.3)
    self_ratio: tuple[float, ...] = (1.0, 1.3, 1.0, 1.5, 1.0, 0.8)
    family_ratio: tuple[float, ...] = (1.0, 1.2, 1.0, 1.0, 1.3, 1.0)
    underestimation: float = 0.06
    rubrics: int = 6
    same_instance: float = 0.2
    same_rubric: float = 0.3
    same_response: float = 0.1
    spread: float = 0.3

    @cached_property
    def relations(self) -> Relations:
        """The relations of judges to generators: three masks of shape (judges, generators)."""
        family = np.array(self.families)
        own = np.eye(len(family), dtype=bool)
        same = family[:, None] == family
        return Relations(self_mask=own, family=same & ~own, unrelated_mask=~same)

    @cached_property
    def rates(self) -> Floats:
        """The planted O(J, G), shape (judges, generators)."""
        ratio = np.ones(self.relations.self_mask.shape)
        ratio = np.where(self.relations.family, np.array(self.family_ratio)[:, None], ratio)
        ratio = np.where(self.relations.self_mask, np.array(self.self_ratio)[:, None], ratio)
        return np.array(self.base)[:, None] * ratio

    def truth(self) -> dict[str, Floats]:
        """Return each number's value in the population, by judge; NaN if undefined.

        `mean_hspp_self` has one entry. Numbers that depend on the order of whole scores (`mipa` and the ratio
        of comparisons) have no closed form and are left out.
        """
        rates, failure = self.rates, np.array(self.failure)
        relatives = self.relations.family.sum(axis=1)
        other = _mean(rates, self.relations.unrelated_mask)
        own = np.diag(rates)
        family = np.where(relatives > 0, _mean(rates, self.relations.family), np.nan)
        raw = failure * rates - (1 - failure) * self.underestimation
        return {
            "rate": own,
            "difference_self": own - other,
            "hspp_self": own / other,
            "hspp_family": family / other,
            "hspp_matched": np.array(self.self_ratio),
            "mean_hspp_self": np.array([(own / other).mean()]),
            "mra": 1 - (failure * rates + (1 - failure) * self.underestimation).mean(axis=1),
            "delta": 100 * (np.diag(raw) - raw.mean(axis=1)),
            "bonus": 100 * (np.diag(raw) - _mean(raw, self.relations.unrelated_mask)),
        }

    def draw(self, instances: int, rng: np.random.Generator) -> "Verdicts":
        """Draw a study with 1 to 2 x `rubrics` - 1 rubrics for each instance, uniformly."""
        most = 2 * self.rubrics - 1
        number = rng.integers(1, most + 1, size=instances)
        exists = np.arange(most) < number[:, None]
        failed = self._failures(exists.shape, rng) & exists
        factor = rng.uniform(1 - self.spread, 1 + self.spread, size=instances)
        credit = self._chances(factor, rng)[..., None]
        missed = (self.underestimation * factor)[:, None]
        uniform = rng.random((*self.rates.shape, *exists.shape), dtype=np.float32)
        favourable = np.where(failed, uniform < credit, uniform >= missed) & exists
        return Verdicts(exists, failed, favourable, self.relations)

    def _failures(self, shape: tuple[int, int], rng: np.random.Generator) -> Bools:
        parts = (self.same_instance, self.same_rubric, 1 - self.same_instance - self.same_rubric)
        shapes = ((shape[0], 1), shape, (len(self.failure), *shape))
        latent = sum(
            np.sqrt(part) * rng.standard_normal(size) for part, size in zip(parts, shapes, strict=True)
        )
        return np.asarray(latent < ndtri(np.array(self.failure))[:, None, None])

    def _chances(self, factor: Floats, rng: np.random.Generator) -> Floats:
        """Return the chance of crediting a failure of each response: (judges, generators, instances)."""
        mean = self.rates[..., None] * factor
        if not self.same_response:
            return mean
        size = 1 / self.same_response - 1
        return rng.beta(mean * size, (1 - mean) * size)


def _mean(values: Floats, who: Bools) -> Floats:
    with np.errstate(invalid="ignore"):
        mean: Floats = np.where(who, values, 0).sum(axis=1) / who.sum(axis=1)
    return mean


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdicts of one study.

    `exists` (instances, rubrics) marks existing rubrics, `failed` (generators, instances, rubrics) the
    unfavourable references, `favourable` (judges, generators, instances, rubrics) the judges' verdicts.
    """

    exists: Bools
    failed: Bools
    favourable: Bools
    relations: Relations = field(repr=False)
