"""The headline numbers of a study from its counts by instance, with the product's own functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.stats.intervals.added_cases import padded_ratio
from engine.stats.intervals.bootstrap import resample
from engine.stats.pairs.compared_responses import compare_levels
from engine.stats.ratios import mean_of_defined, rate, ratio
from engine.stats.scores.ranks import RankedScores, average_ranks, pair_order
from engine.stats.scores.score_deltas import deltas
from engine.stats.scores.system_scores import system_score
from engine.stats.self_preference import Relations, self_preference

from .population import Population, Verdicts
from .sums import GIVEN, Sums, given_too

Floats = NDArray[np.float64]
Numbers = dict[str, Floats]

MATCHED = slice(2, 4)  # the parts of the matched ratio
OF_RUBRICS = 9  # the parts of `Counts` before those of comparisons


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts and sums by instance, the last axis; `numbers` needs them in this order."""

    parts: tuple[NDArray[np.number], ...]
    relations: Relations

    @property
    def instances(self) -> int:
        """The number of instances."""
        return int(self.parts[0].shape[-1])

    def value(self) -> Numbers:
        """Return the numbers of the study."""
        return given_too(numbers([part.sum(axis=-1) for part in self.parts], self.relations))

    def draws(self, weights: NDArray[np.float32]) -> Numbers:
        """Return the numbers of each bootstrap resample, on the first axis."""
        drawn = _resampled(self.parts, weights)
        matched = padded_ratio(*drawn[MATCHED], np.random.default_rng(0))  # as in the product with seed 0
        return given_too(numbers(drawn, self.relations)) | {"hspp_matched" + GIVEN: matched}

    def left_out_one_by_one(self) -> Numbers:
        """Return the numbers without each of the instances, on the first axis."""
        left = [np.moveaxis(part.sum(axis=-1, keepdims=True) - part, -1, 0) for part in self.parts]
        return given_too(numbers(left, self.relations))


def count(verdicts: Verdicts, *, comparisons: bool) -> Counts:
    """Count a study's verdicts by instance; `comparisons` (of whole scores) double the time."""
    exists, failed, favourable = verdicts.exists, verdicts.failed, verdicts.favourable
    over = favourable & failed
    shared = failed & failed[:, None]  # (judges, generators, ...): failed by both responses
    strangers = verdicts.relations.unrelated_mask[..., None, None]
    own = np.arange(len(failed))
    matched_own = (shared & favourable[own, own][:, None] & strangers).sum(axis=(1, 3))
    matched_other = (shared & favourable & strangers).sum(axis=(1, 3))
    correct = ((favourable ^ failed) & exists).sum(axis=(1, 3))
    rubrics = exists.sum(axis=-1)
    hits, met = favourable.sum(axis=-1), (exists & ~failed).sum(axis=-1)
    parts: list[NDArray[np.number]] = [
        over.sum(axis=-1),
        failed.sum(axis=-1),
        matched_own,
        matched_other,
        correct,
        rubrics * len(failed),
        hits / rubrics,
        met / rubrics,
        np.ones(len(rubrics), dtype=np.int64),
    ]
    if comparisons:
        compared = compare_levels(hits.astype(np.int32), met[None].astype(np.int32))
        parts += [compared.over, compared.lost, compared.correct, compared.total]
    return Counts(tuple(parts), verdicts.relations)


def _resampled(parts: Sequence[NDArray[np.number]], weights: NDArray[np.float32]) -> list[Floats]:
    """Resample all parts in two matrix products: one for whole numbers, one for others."""
    by_part: dict[int, Floats] = {}
    for whole in (True, False):
        places = [i for i, part in enumerate(parts) if np.issubdtype(part.dtype, np.integer) == whole]
        flat = [parts[i].reshape(-1, parts[i].shape[-1]) for i in places]
        ends = np.cumsum([len(part) for part in flat])[:-1]
        drawn = np.split(resample(np.concatenate(flat), weights), ends, axis=1)
        for i, part in zip(places, drawn, strict=True):
            by_part[i] = part.reshape(len(weights), *parts[i].shape[:-1])
    return [by_part[i] for i in range(len(parts))]


def numbers(sums: Sequence[NDArray[np.number]], relations: Relations) -> Numbers:
    """Return each headline number by judge, shape (..., judges); `mean_hspp_self` over judges, (..., 1).

    `sums` are the parts of `Counts` summed over instances, with any common leading axes.
    """
    over, failed, matched_own, matched_other, correct, rubrics, judge, reference, number = sums[:OF_RUBRICS]
    rubric = self_preference(over, failed[..., None, :], relations)
    scores = deltas(
        system_score(judge, number[..., None, None], "fraction"),
        system_score(reference, number[..., None], "fraction")[..., None, :],
        relations,
    )
    by_name = {
        "hspp_self": rubric.hspp_self,
        "hspp_family": rubric.hspp_family,
        "hspp_matched": ratio(matched_own.astype(float), matched_other.astype(float)),
        "difference_self": rubric.difference_self,
        "rate": rubric.o_self,
        "mean_hspp_self": mean_of_defined(rubric.hspp_self)[..., None],
        "mra": rate(correct, np.broadcast_to(rubrics[..., None], correct.shape)),
        "delta": 100 * np.diagonal(scores.centered, axis1=-2, axis2=-1),
        "bonus": 100 * scores.bonus,
    }
    if len(sums) > OF_RUBRICS:
        spared, lost, alike, pairs = sums[OF_RUBRICS:]
        by_name |= {
            "mipa": rate(alike, pairs),
            "hspp_self_instance": self_preference(spared, lost, relations).hspp_self,
        }
    return by_name


def ranked(verdicts: Verdicts) -> Sums:
    """Return the parts that `ranked_numbers` needs, by instance."""
    exists, failed, favourable = verdicts.exists, verdicts.failed, verdicts.favourable
    rubrics = exists.sum(axis=-1)
    parts = {
        "over": (favourable & failed).sum(axis=-1),
        "failed": failed.sum(axis=-1),
        "judge": favourable.sum(axis=-1) / rubrics,
        "reference": (exists & ~failed).sum(axis=-1) / rubrics,
        "number": np.ones(len(rubrics), dtype=np.int64),
    }
    return Sums(parts, partial(ranked_numbers, relations=verdicts.relations))


def ranked_numbers(sums: Mapping[str, Floats], relations: Relations) -> Numbers:
    """Return the effects of judges' scores on ranks, and the log of each ratio less the previous judge's."""
    number = sums["number"][..., None]
    reference = system_score(sums["reference"], number, "fraction")
    judge = system_score(sums["judge"], number[..., None], "fraction")
    ratios = self_preference(sums["over"], sums["failed"][..., None, :], relations).hspp_self
    return _of_scores(judge, reference, relations) | {"log_difference": _beside(ratios)}


def ranked_truth(population: Population) -> Numbers:
    """Return the truth about `ranked_numbers`."""
    failure, rates = np.array(population.failure), population.rates
    judge = 1 - failure + failure * rates - (1 - failure) * population.underestimation
    ratios = population.truth()["hspp_self"]
    return _of_scores(judge, 1 - failure, population.relations) | {"log_difference": _beside(ratios)}


def _of_scores(judge: Floats, reference: Floats, relations: Relations) -> Numbers:
    scores = deltas(judge, reference[..., None, :], relations)
    places = average_ranks(judge) - average_ranks(reference)[..., None, :]
    return {
        "leniency": scores.leniency,
        "family_bonus": 100 * scores.family_bonus,
        "rank_shift": np.diagonal(places, axis1=-2, axis2=-1),
        "pair_order": pair_order(
            RankedScores.of(judge), RankedScores.of(np.broadcast_to(reference[..., None, :], judge.shape))
        ),
    }


def _beside(ratios: Floats) -> Floats:
    """Return the log of each ratio less that of the previous judge; NaN if a ratio is 0."""
    logs = np.log(np.where(ratios > 0, ratios, np.nan))
    return np.asarray(logs - np.roll(logs, 1, axis=-1))
