"""Patterns of cells, against counting the cells one by one."""

from collections import Counter

import numpy as np
import pytest

from engine.arrays.bits.bitsets import Layout
from engine.arrays.bits.cell_patterns import patterns_of
from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.stats.outside.outside import FamilyMasks

FAMILIES = np.array(list("FFGHI"))
JUDGES = len(FAMILIES)


def drawn_verdicts(rubrics=40):
    """Return verdicts of five judges on five generators, some missing and some generators hardly judged."""
    rng = np.random.default_rng(4)
    related, itself = FAMILIES[:, None] == FAMILIES, np.eye(JUDGES, dtype=bool)
    masks = FamilyMasks(itself, related & ~itself, ~related, ~related, ~related)
    counted = rng.random((JUDGES, JUDGES, rubrics)) < 0.85
    counted[4] = False
    counted[:, 3, 2:] = False
    favourable = counted & (rng.random(counted.shape) < 0.5)
    layout = Layout(np.arange(rubrics) // 3, -(-rubrics // 3))
    return (
        counted,
        favourable,
        JointVerdicts(layout, layout.pack(counted), layout.pack(favourable), masks, counted.any(axis=(1, 2))),
    )


def as_counter(cells):
    """Return how many cells there are by generator, judges present and passes."""
    rows = zip(cells.generator, cells.present, cells.credited, cells.count, strict=True)
    return Counter({(g, tuple(present), n): count for g, present, n, count in rows})


@pytest.mark.parametrize("block", [1, 1 << 22])
def test_patterns_count_each_cell_once_however_many_generators_are_counted_together(monkeypatch, block):
    counted, favourable, joint = drawn_verdicts()
    monkeypatch.setattr("engine.stats.outside.outside._BLOCK", block)

    patterns = patterns_of(joint)

    expected = Counter(
        (g, tuple(counted[:, g, r]), favourable[:, g, r].sum())
        for g, r in np.ndindex(counted.shape[1:])
        if counted[:, g, r].any()
    )
    assert as_counter(patterns.cells) == expected
    assert patterns.cells.favourable.tolist() == favourable.sum(axis=2).T.tolist()
    assert (np.diff(patterns.cells.generator) >= 0).all()


@pytest.mark.parametrize("block", [1, 1 << 22])
def test_patterns_of_near_cells_are_those_of_outside_judges_alone(monkeypatch, block):
    counted, favourable, joint = drawn_verdicts()
    monkeypatch.setattr("engine.stats.outside.outside._BLOCK", block)

    patterns = patterns_of(joint)

    for near, of in ((patterns.own, joint.masks.own), (patterns.family, joint.masks.family)):
        for j in range(JUDGES):
            outside = FAMILIES[j] != FAMILIES
            cells = [
                (g, r)
                for g, r in np.ndindex(counted.shape[1:])
                if of[j, g] and counted[j, g, r] and counted[outside, g, r].any()
            ]
            expected = Counter(
                (g, tuple(counted[:, g, r] & outside), (favourable[:, g, r] & outside).sum())
                for g, r in cells
            )
            given = [favourable[j, g, r] for g, r in cells]
            assert as_counter(near[j]) == expected
            assert near[j].given == pytest.approx(np.mean(given) if given else np.nan, nan_ok=True)
