"""Means over studies: of each model and each family, within one design."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from engine.atlas.declared import Declared
from engine.atlas.rows import AtlasRow, Design, StudyNumbers
from engine.stats.intervals.random_effects import RandomEffects, random_effects

Z = NormalDist().inv_cdf(0.975)


class JudgeExcess(NamedTuple):
    """One judge's excess in one study, with its standard error; `family` is None where it is not declared."""

    study: str
    judge: str
    model: str | None
    family: str | None
    design: Design
    value: float
    error: float


@dataclass(frozen=True)
class Mean:
    """The mean of a model, or of a family, over studies of one design."""

    name: str
    design: Design
    studies: tuple[str, ...]
    result: RandomEffects


def estimates(studies: Iterable[StudyNumbers], names: Declared) -> Iterator[JudgeExcess]:
    """Yield the excess of each judge that has one with an interval of some width.

    The standard error is half the width of the plain 95 % interval over 1.96.
    """
    by_name = names.by_name()
    for study in studies:
        for row in study.rows:
            number = _number(row)
            if row.judge is None or row.design is None or number is None:
                continue
            model = by_name.get(row.judge)
            family = None if model is None else names.models[model].family
            yield JudgeExcess(study.study, row.judge, model, family, row.design, *number)


def _number(row: AtlasRow) -> tuple[float, float] | None:
    low, high = row.excess_low_plain, row.excess_high_plain
    if row.excess is None or low is None or high is None or high <= low:
        return None
    return row.excess, (high - low) / 2 / Z


def means_of_models(numbers: Iterable[JudgeExcess]) -> list[Mean]:
    """Return the mean of each declared model over the studies of one design."""
    groups: dict[tuple[str, Design], list[JudgeExcess]] = defaultdict(list)
    for each in numbers:
        if each.model is not None:
            groups[each.model, each.design].append(each)
    return _means({key: _one_a_study(rows) for key, rows in groups.items()})


def means_of_families(numbers: Iterable[JudgeExcess]) -> list[Mean]:
    """Return the mean of each family over the studies of one design.

    In each study that is the plain mean over the family's judges, their errors taken as independent.
    """
    groups: dict[tuple[str, Design], list[JudgeExcess]] = defaultdict(list)
    for each in numbers:
        if each.family is not None:
            groups[each.family, each.design].append(each)
    return _means({key: _one_a_study(rows) for key, rows in groups.items()})


Number = tuple[float, float]


def _one_a_study(rows: Iterable[JudgeExcess]) -> dict[str, Number]:
    """Return one number for each study, with its standard error: the mean of its rows."""
    studies: dict[str, list[JudgeExcess]] = defaultdict(list)
    for row in rows:
        studies[row.study].append(row)
    return {
        study: (
            float(np.mean([row.value for row in each])),
            float(np.sqrt(sum(row.error**2 for row in each)) / len(each)),
        )
        for study, each in studies.items()
    }


def _means(groups: Mapping[tuple[str, Design], Mapping[str, Number]]) -> list[Mean]:
    means = []
    for (name, design), of_study in groups.items():
        values, errors = (np.array(part, dtype=float) for part in zip(*of_study.values(), strict=True))
        means.append(Mean(name, design, tuple(of_study), random_effects(values, errors)))
    return sorted(means, key=lambda mean: (mean.design, mean.name))
