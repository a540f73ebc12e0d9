"""Verdicts drawn from a judge's chances, as record batches in the stored columns of `judgments`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pyarrow as pa

from engine.simulation.design import Design, ModelTraits
from engine.simulation.rubric_truth import Chances, Truth
from engine.simulation.study_tables import (
    CHOICE_NAMES,
    ORDER_NAMES,
    STATUS_NAMES,
    Codes,
    draw_status,
    text_column,
)
from engine.stats import Bools, Floats, Ints

TIE_OF_EQUALS = 0.4  # share of ties among pairs that are equal in the reference
STEADY = 0.85  # share of won pairs whose winner is named in both orders
BOTH_TIE = 0.5  # share of tied pairs that are ties in both orders, rather than flips


class VerdictChoice(IntEnum):
    """Indices into `CHOICE_NAMES`."""

    GENERATOR = 0
    OPPONENT = 1
    TIE = 2


def draw_favourable(truth: Bools, over: Floats, under: Floats, rng: np.random.Generator) -> Bools:
    """Draw one verdict for each rubric; `truth`, `over` and `under` have shape (K,)."""
    uniform = rng.random(truth.shape)
    return np.where(truth, uniform >= under, uniform < over)


def draw_outcomes(reference: Ints, over: Floats, over_opponent: Floats, rng: np.random.Generator) -> Ints:
    """Draw the outcome of pairs over both orders: 1 the generator is better, 0 equal, -1 the opponent is.

    `reference` is the true outcome; `over` and `over_opponent` are the chances that the true loser does not
    lose (half won, half tied). Of equals each wins in proportion to its chance. All arrays broadcast.
    """
    chance = np.where(reference < 0, over, over_opponent)
    uniform = rng.random(np.broadcast(reference, over, over_opponent).shape)
    decided = np.where(uniform < chance / 2, -reference, np.where(uniform < chance, 0, reference))
    total = over + over_opponent
    share = np.divide(over, total, out=np.full(total.shape, 0.5), where=total > 0)
    equal = np.where(
        uniform < TIE_OF_EQUALS, 0, np.where(uniform < TIE_OF_EQUALS + (1 - TIE_OF_EQUALS) * share, 1, -1)
    )
    return np.where(reference == 0, equal, decided).astype(np.int64)


def draw_orders(outcome: Ints, first_bias: float, rng: np.random.Generator) -> Codes:
    """Draw choices, shape (..., 2): in the two orders, resolving to `outcome` (MEASURES section 4).

    A winner is named in both orders, or in one and a tie in the other; a tie is two ties, or two different
    winners. `first_bias` is, of the pairs whose orders differ, the share that follows the first response.
    """
    agrees = rng.random(outcome.shape) < np.where(outcome == 0, BOTH_TIE, STEADY)
    prefers_first = rng.random(outcome.shape) < first_bias
    winner = np.where(
        outcome > 0, VerdictChoice.GENERATOR, np.where(outcome < 0, VerdictChoice.OPPONENT, VerdictChoice.TIE)
    )
    first_shown = (VerdictChoice.GENERATOR, VerdictChoice.OPPONENT)  # first in either order
    preferred = np.where(prefers_first[..., None], first_shown, first_shown[::-1])
    differing = np.where(
        (outcome == 0)[..., None] | (winner[..., None] == preferred), preferred, VerdictChoice.TIE
    )
    return np.where(agrees[..., None], winner[..., None], differing).astype(np.int32)


Columns = dict[str, pa.Array | str]


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """The inputs of one table of judgments: a judge on one generator's responses.

    `generator` is its row in the reference; in pairs it is compared with all later rows.
    """

    design: Design
    truth: Truth
    chance: Chances
    paradigm: str
    judge: ModelTraits
    generator: int

    def favourable(self, rng: np.random.Generator) -> Bools:
        truth, over = self.truth.favourable[self.generator], self.chance.over[self.generator]
        return draw_favourable(truth, over, self.chance.under, rng)

    def status(self, shape: tuple[int, ...], rng: np.random.Generator) -> Codes:
        return draw_status(shape, self.design.unparsed, self.design.refused, rng)


def _rubric_verdicts(unit: Unit, rng: np.random.Generator) -> Columns:
    """Draw one call for each rubric; for lists one for each response, with one status for all its rubrics."""
    items, favourable, list_columns = unit.truth.items, unit.favourable(rng), {}
    if unit.paradigm == "all_rubrics":
        status = unit.status(items.counts.shape, rng)[items.instance]
        list_columns = {"ordering": "original", "position": pa.array(items.place)}
    else:
        status = unit.status(favourable.shape, rng)
    return list_columns | {
        "instance_id": text_column(items.instance, items.instance_names),
        "rubric_id": items.rubric,
        "met": pa.array(favourable ^ items.negative, mask=status != 0),
        "status": text_column(status, STATUS_NAMES),
    }


def _direct_assessment(unit: Unit, rng: np.random.Generator) -> Columns:
    """Draw one call for each response: the share of its rubrics on which an unseen verdict is favourable."""
    items = unit.truth.items
    score = items.mean_over_instance(unit.favourable(rng).astype(np.float64))
    status = unit.status(score.shape, rng)
    return {
        "instance_id": text_column(np.arange(score.size), items.instance_names),
        "score": pa.array(score, mask=status != 0),
        "status": text_column(status, STATUS_NAMES),
    }


def _pairwise(unit: Unit, rng: np.random.Generator) -> Columns:
    """Draw a call for each order and later opponent; rows are sorted by opponent, instance and order."""
    row, truth, over = unit.generator, unit.truth, unit.chance.over_pair
    counts = truth.favourable_counts()
    reference = np.sign(counts[row] - counts[row + 1 :])
    outcome = draw_outcomes(reference, over[row][None, :], over[row + 1 :], rng)
    choice = draw_orders(outcome, unit.judge.first_bias, rng)
    status = unit.status(choice.shape, rng).ravel()
    opponents, instances, orders = np.indices(choice.shape).reshape(3, -1)
    return {
        "instance_id": text_column(instances, truth.items.instance_names),
        "opponent": text_column(opponents + row + 1, [model.name for model in truth.generators]),
        "first": text_column(orders, ORDER_NAMES),
        "choice": text_column(np.where(status == 0, choice.ravel(), -1), CHOICE_NAMES),
        "status": text_column(status, STATUS_NAMES),
    }


# The order is part of the seeds: add new paradigms at the end.
DRAW: dict[str, Callable[[Unit, np.random.Generator], Columns]] = {
    "single_rubric": _rubric_verdicts,
    "all_rubrics": _rubric_verdicts,
    "direct_assessment": _direct_assessment,
    "pairwise": _pairwise,
}


def regroup(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Re-cut a stream of batches into batches of `rows` rows (the last may be shorter)."""
    pending: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        pending.append(batch)
        count += batch.num_rows
        if count >= rows:
            full = count - count % rows
            table = pa.Table.from_batches(pending).combine_chunks()
            yield from table.slice(0, full).to_batches(max_chunksize=rows)
            pending = table.slice(full).to_batches()
            count -= full
    if count:
        yield from pa.Table.from_batches(pending).combine_chunks().to_batches(max_chunksize=rows)
