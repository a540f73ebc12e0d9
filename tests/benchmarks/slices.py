"""Timings of an open study: slices, resamples, the instance level."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import engine
from engine.arrays.bits.bitsets import count
from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.slicing.group_by import single_view
from engine.simulation.study_tables import write_simulated
from engine.slices import Slice
from engine.stats.outside.outside import compare_with_outside
from engine.store import Store
from engine.study import Study

from .rivals import group_bys, ours, verdict_table
from .studies import board
from .timing import Row, median_ms, median_ms_of

REPEATS = 15


def slice_rows(study: Study) -> Iterator[Row]:
    """Time a slice of all judges and generators through `measure`, with other filters each time."""
    for measure in ("overestimation", "hspp"):
        yield Row(f"slice: `{measure}`, polarity=negative, length from n", _slice(study, measure, 0), "ms", 5)
    yield Row("slice: the counting alone (two planes)", median_ms(_counting(study), REPEATS), "ms", 0.5)
    outside = median_ms_of(partial(_held_outside, study), REPEATS)
    yield Row("slice: `ratio_outside`, against all outside judges", outside, "ms", 20)
    fitted = median_ms_of(lambda n: study.measure("outside", length=f"{n}:", resamples=0), 3)
    yield Row("slice: `outside` with the odds of the conditional model", fitted, "ms")
    yield Row(
        "`scorecard`, the conclusion on each judge", median_ms(lambda: study.measure("scorecard"), 1), "ms"
    )


def board_rows(work: Path) -> Iterator[Row]:
    """Time the first board of 200 judges, once, with the study's arrays already in memory."""
    if not (work / "store" / "board").exists():
        write_simulated(Store(work / "store"), "board", board())
    study = engine.open_study(work / "store" / "board")
    study.measure("overestimation", resamples=0)
    start, clock = time.process_time(), time.perf_counter()
    study.measure("scorecard")
    yield Row(
        "`scorecard` of 200 judges on 200 generators, 1.44 million verdicts", time.perf_counter() - clock, "s"
    )
    yield Row("processor time of it", time.process_time() - start, "s", 1)


def rival_rows(study: Study) -> Iterator[Row]:
    """Time the same counts by other tools; ValueError if one of them differs from ours."""
    taken = {}
    for name, group_by in group_bys(verdict_table(study)).items():
        if group_by(50) != ours(study, 50):
            raise ValueError(f"the counts by {name} differ from ours")
        taken[name] = median_ms_of(group_by, 7)
        yield Row(f"the same counts by {name}, in memory", taken[name], "ms")
    best = min(taken.values())
    yield Row(
        "fastest of these / `overestimation` through `measure`",
        best / _slice(study, "overestimation", 0),
        "times",
        5,
        more_is_better=True,
    )
    yield Row("fastest of these / the counting alone", best / median_ms(_counting(study), REPEATS), "times")


def resample_rows(study: Study) -> Iterator[Row]:
    """Time what 1,000 resamples add to a slice."""
    for measure, numbers in (
        ("hspp", "2 numbers in each cell"),
        ("overestimation", "4 numbers in each cell"),
    ):
        added = _slice(study, measure, 1000) - _slice(study, measure, 0)
        yield Row(f"1,000 resamples beyond the slice: `{measure}`, {numbers}", added, "ms", 40)


def instance_rows(study: Study) -> Iterator[Row]:
    """Time comparisons of whole responses."""
    for resamples in (0, 1000):
        taken = median_ms(lambda n=resamples: study.measure("hspp", level="instance", resamples=n), 7)
        yield Row(f"instance level: `hspp`, resamples={resamples}", taken, "ms", 100)


def _slice(study: Study, measure: str, resamples: int) -> float:
    def measured(number: int) -> object:
        return study.measure(measure, polarity="negative", length=f"{number}:", resamples=resamples)

    return median_ms_of(measured, REPEATS)


def _held_outside(study: Study, number: int) -> object:
    view = single_view(study, Slice.of(length=f"{number}:"), None, ("single_rubric",))
    joint = JointVerdicts.of(view, "failed")
    return compare_with_outside(joint.common, joint.masks, joint.masks.own)


def _counting(study: Study) -> Callable[[], object]:
    rubric = single_view(study, Slice(polarity="negative"), None, ("single_rubric",)).rubric
    return lambda: (count(rubric.take(rubric.planes.over)), count(rubric.take(rubric.planes.failed)))
