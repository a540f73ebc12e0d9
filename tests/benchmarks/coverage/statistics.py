"""The headline numbers of a study from its counts by instance, by the functions that the product uses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.metrics.comparisons import compare_levels
from engine.metrics.delta import deltas
from engine.metrics.overestimation import Kinship, mean_of_defined, rate, ratio, self_preference
from engine.metrics.resampling import resample
from engine.metrics.scores import system_score

from .population import Verdicts

Floats = NDArray[np.float64]
Numbers = dict[str, Floats]

OF_RUBRICS = 9  # the parts of `Counts` before those of comparisons


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts and sums by instance, the last axis; `numbers` needs them in this order."""

    parts: tuple[NDArray[np.number], ...]
    kin: Kinship

    @property
    def instances(self) -> int:
        """The number of instances."""
        return int(self.parts[0].shape[-1])

    def value(self) -> Numbers:
        """Return the numbers of the study."""
        return numbers([part.sum(axis=-1) for part in self.parts], self.kin)

    def draws(self, weights: NDArray[np.float32]) -> Numbers:
        """Return the numbers of each bootstrap resample, on the first axis."""
        return numbers(_resampled(self.parts, weights), self.kin)

    def left_out_one_by_one(self) -> Numbers:
        """Return the numbers without each of the instances, on the first axis."""
        return numbers(
            [np.moveaxis(part.sum(axis=-1, keepdims=True) - part, -1, 0) for part in self.parts], self.kin
        )


def count(verdicts: Verdicts, *, comparisons: bool) -> Counts:
    """Count a study's verdicts by instance; `comparisons` (of whole scores) take as long as all the rest."""
    exists, failed, favourable = verdicts.exists, verdicts.failed, verdicts.favourable
    over = favourable & failed
    shared = failed & failed[:, None]  # (judges, generators, ...): failed by both responses
    strangers = verdicts.kin.other[..., None, None]
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
    return Counts(tuple(parts), verdicts.kin)


def _resampled(parts: Sequence[NDArray[np.number]], weights: NDArray[np.float32]) -> list[Floats]:
    """Resample all parts of a kind in one product: whole numbers, and the others."""
    found: dict[int, Floats] = {}
    for whole in (True, False):
        places = [i for i, part in enumerate(parts) if np.issubdtype(part.dtype, np.integer) == whole]
        flat = [parts[i].reshape(-1, parts[i].shape[-1]) for i in places]
        ends = np.cumsum([len(part) for part in flat])[:-1]
        drawn = np.split(resample(np.concatenate(flat), weights), ends, axis=1)
        for i, part in zip(places, drawn, strict=True):
            found[i] = part.reshape(len(weights), *parts[i].shape[:-1])
    return [found[i] for i in range(len(parts))]


def numbers(sums: Sequence[NDArray[np.number]], kin: Kinship) -> Numbers:
    """Return each headline number by judge, shape (..., judges); `mean_hspp_self` over judges, (..., 1).

    `sums` are the parts of `Counts` added up over instances, with any leading axes alike.
    """
    over, failed, matched_own, matched_other, correct, rubrics, judge, reference, number = sums[:OF_RUBRICS]
    rubric = self_preference(over, failed[..., None, :], kin)
    scores = deltas(
        system_score(judge, number[..., None, None], "fraction"),
        system_score(reference, number[..., None], "fraction")[..., None, :],
        kin,
    )
    found = {
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
        found |= {
            "mipa": rate(alike, pairs),
            "hspp_self_instance": self_preference(spared, lost, kin).hspp_self,
        }
    return found
