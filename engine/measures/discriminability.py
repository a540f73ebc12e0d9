"""`discriminability`: does a judge find the better of two responses far apart (MEASURES section 9)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.cubes.answers import Answers, single_answers
from engine.cubes.pair_rows import Bools, Floats, Ints
from engine.cubes.pairs import PairCube
from engine.measures.equal_pairs import adjusted, contrasts, left_out, settle_slice, tally_contrasts
from engine.measures.kin import relatives_of
from engine.measures.people import quality_of_pairs
from engine.measures.table import FEW, Column, Table, first_reason
from engine.metrics.added_cases import OF_A_SHARE, drawn_share
from engine.metrics.equal_quality import at_least
from engine.metrics.overestimation import rate
from engine.views import View
from engine.views.counted import Counted
from engine.views.paired import in_slice

prepare = settle_slice


def compute(view: View, options: Mapping[str, Any]) -> Table:
    """Return a row for each judge with an answer to a contrast pair."""
    cube = view.cube
    assert isinstance(cube, PairCube)  # noqa: S101 - the catalogue allows pairwise judgments only
    quality = quality_of_pairs(view, options)
    found = tally_contrasts(view, contrasts(view, quality, answers_of(view, cube, options), options))
    columns = {name: Column(values) for name, values in relatives_of(view).items()}
    columns |= answer_columns(view, *found, options["seed"])

    def apart(row: Ints, one: Ints, two: Ints, instance: Ints) -> Bools:
        return np.asarray(quality.better(row, one, two, instance, options["gap"]) != 0)

    lost = left_out(view, cube, quality, apart)
    lost = {code: number for code, number in lost.items() if code != "order_missing"}  # one order is enough
    return Table(columns, np.asarray(found[1].any(axis=1)), int(found[1].any(axis=0).sum()), lost)


def answers_of(view: View, cube: PairCube, options: Mapping[str, Any]) -> Answers:
    """Return the single answers to the pairs that are shown and kept."""
    found = single_answers(cube, options["seed"])
    return found.select(in_slice(view, found))


def answer_columns(view: View, correct: Ints, ok: Ints, seed: int) -> dict[str, Column]:
    """Return D with its draws, the counts behind it, and the chance of as many by guessing.

    `seed` is for the cases added to the draws (`engine.metrics.added_cases`).
    """
    right, total = (Counted.over_instances(part, view.weights) for part in (correct, ok))
    none: Bools = total.total == 0
    few = np.full(len(none), ok.any(axis=0).sum() < view.request.spec.min_instances)
    nothing = (none, "no_contrast_pair")
    p = Column(
        np.where(few, np.nan, at_least(right.total, total.total, 0.5)),
        reasons=first_reason(nothing, (few, "too_few_instances")),
    )
    return {
        "d": Column(rate(right.total, total.total), _drawn(right, total, seed), first_reason(nothing)),
        "correct": Column(right.total),
        "n": Column(total.total),
        "p": p,
        "p_adjusted": adjusted(p),
        "small": Column(list(total.total < FEW)),
    }


def _drawn(right: Counted, total: Counted, seed: int) -> Floats | None:
    if right.draws is None or total.draws is None:
        return None
    return drawn_share(right.draws, total.draws, OF_A_SHARE, np.random.default_rng(seed))
