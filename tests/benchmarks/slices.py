"""What an open study takes: slices, resamples, the instance level."""

from collections.abc import Callable, Iterator

from engine.grouping import whole
from engine.packing import count
from engine.slices import Slice
from engine.study import Study

from .rivals import group_bys, ours, verdict_table
from .timing import Row, median_ms

REPEATS = 15


def slice_rows(study: Study) -> Iterator[Row]:
    """Measure a slice of all judges and generators through `measure`, and its counting alone."""
    for measure in ("overestimation", "hspp"):
        yield Row(f"slice: `{measure}`, polarity=negative", _slice(study, measure, 0), "ms", 5)
    yield Row("slice: the counting alone (two planes)", median_ms(_counting(study), REPEATS), "ms", 0.5)


def rival_rows(study: Study) -> Iterator[Row]:
    """Measure the same counts by other tools; ValueError where one of them differs from ours."""
    expected, taken = ours(study), {}
    for name, group_by in group_bys(verdict_table(study)).items():
        if group_by() != expected:
            raise ValueError(f"{name} counts otherwise than we do")
        taken[name] = median_ms(group_by, 7)
        yield Row(f"the same counts by {name}, in memory", taken[name], "ms")
    best = min(taken.values())
    yield Row(
        "best of them / `overestimation` through `measure`",
        best / _slice(study, "overestimation", 0),
        "times",
        5,
        more_is_better=True,
    )
    yield Row("best of them / the counting alone", best / median_ms(_counting(study), REPEATS), "times")


def resample_rows(study: Study) -> Iterator[Row]:
    """Measure what 1,000 resamples add to a slice."""
    for measure, numbers in (
        ("hspp", "2 numbers in each cell"),
        ("overestimation", "4 numbers in each cell"),
    ):
        added = _slice(study, measure, 1000) - _slice(study, measure, 0)
        yield Row(f"1,000 resamples beyond the slice: `{measure}`, {numbers}", added, "ms", 40)


def instance_rows(study: Study) -> Iterator[Row]:
    """Measure comparisons of whole responses."""
    for resamples in (0, 1000):
        taken = median_ms(lambda n=resamples: study.measure("hspp", level="instance", resamples=n), 7)
        yield Row(f"instance level: `hspp`, resamples={resamples}", taken, "ms", 100)


def _slice(study: Study, measure: str, resamples: int) -> float:
    return median_ms(lambda: study.measure(measure, polarity="negative", resamples=resamples), REPEATS)


def _counting(study: Study) -> Callable[[], object]:
    rubric = whole(study, Slice(polarity="negative"), None, ("single_rubric",)).rubric
    return lambda: (count(rubric.take(rubric.planes.over)), count(rubric.take(rubric.planes.failed)))
