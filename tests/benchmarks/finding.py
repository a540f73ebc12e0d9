"""The slice finder: false claims if nothing is planted, detection of planted slices, and time."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.explore.slice_search import SliceSearch, find_slices
from engine.simulation.default_models import default_models
from engine.simulation.design import Bias, BiasedRubrics, Design
from engine.simulation.rubric_items import draw_items
from engine.simulation.rubrics import SimulatedStudy, simulate, simulate_items
from engine.simulation.study_tables import write_simulated
from engine.slices import Slice as Filters
from engine.store import Store
from engine.study import Study

from .timing import Row, median_ms

STUDIES, PLANTED_STUDIES = 60, 20
SURE = 0.05
JUDGES = ("a", "b", "c", "d", "e", "f")
PLANTED = "polarity=negative"
AXES, THEMES = 24, 40
"""Of the timed study: its 12 judges have some 21,000 slices, a good third of them large enough to test."""


def finding_rows(work: Path) -> Iterator[Row]:
    """Search studies without and with a planted slice, then time a study with many slices."""
    plain = [_searched(_study(Bias(), seed)) for seed in range(STUDIES)]
    claims = sum(_claims(search) for search in plain)
    tried = np.mean([search.n_tried for search in plain])
    low = np.mean([each.p < SURE for search in plain for each in search.slices])
    yield Row(f"studies of {STUDIES} in which a slice is claimed, none planted", claims, "", SURE * STUDIES)
    yield Row(f"share of their slices ({tried:.0f} a study) with p < .05, unadjusted", float(low), "")
    bias = Bias(self_ratio=2.5, on=BiasedRubrics.parse(PLANTED))
    planted = [_searched(_study(bias, 1000 + seed, biased="a")) for seed in range(PLANTED_STUDIES)]
    hit = sum(_planted_first(each) for each in planted)
    what = f"studies of {PLANTED_STUDIES} in which the planted slice, ratio 2.5, is the first claimed"
    yield Row(what, hit, "", 0.9 * PLANTED_STUDIES, more_is_better=True)
    yield from _timed(work)


def _study(bias: Bias, seed: int, biased: str | None = None) -> SimulatedStudy:
    named = None if biased is None else [biased]
    models = default_models(list(JUDGES), [], bias, named, overestimation=0.2, underestimation=0.06)
    return simulate(
        Design(models, models, paradigms=("single_rubric",), unparsed=0.0, seed=seed), instances=200
    )


def _searched(study: SimulatedStudy) -> SliceSearch:
    with tempfile.TemporaryDirectory() as folder:
        write_simulated(Store(folder), "drawn", study)
        return find_slices(Study.open(Path(folder) / "drawn"), Filters())


def _claims(search: SliceSearch) -> bool:
    return any(each.p_adjusted < SURE for each in search.slices)


def _planted_first(search: SliceSearch) -> bool:
    """Return whether the first slice is claimed, for the biased judge, and defined by polarity."""
    first = search.slices[0]
    by_polarity = any(column == "polarity" for column, _ in first.where)
    return first.p_adjusted < SURE and first.judge == "a" and by_polarity


def _timed(work: Path) -> Iterator[Row]:
    folder = work / "find"
    if not folder.exists():
        rng = np.random.default_rng(0)
        items = draw_items(2_000, 10, rng)
        many = replace(
            items,
            axis=[f"axis {number}" for number in rng.integers(AXES, size=len(items.axis))],
            themes=[f"theme {number}" for number in rng.integers(THEMES, size=len(items.themes))],
        )
        models = default_models(
            [f"m{k}" for k in range(12)], [], Bias(), None, overestimation=0.2, underestimation=0.06
        )
        design = Design(models, models, paradigms=("single_rubric",))
        write_simulated(Store(folder), "many", simulate_items(design, many))
    study = Study.open(folder / "many")
    tried = find_slices(study, Filters()).n_tried
    taken = median_ms(lambda: find_slices(study, Filters()), 3) / 1e3
    yield Row(f"`find`: {tried:,} slices of 2.9 million verdicts tested", taken, "s", 10)
    yield Row("`find`: slices tested in a second", tried / taken, "")
