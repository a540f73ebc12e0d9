"""A simulated study of rubric verdicts: its draws, its tables, and what was planted in it."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import pyarrow as pa

from engine.simulation.design import (
    CHOICE_NAMES,
    ORDER_NAMES,
    STATUS_NAMES,
    Codes,
    Design,
    Model,
    Simulation,
    draw_status,
    judgment_schema,
    models_table,
    runs_table,
    table_of,
    text_column,
)
from engine.simulation.rubric_items import Chances, Items, Truth, chances, draw_items, draw_truth, expected
from engine.stats import Bools, Floats, Ints

# ------------------------------------------------------------------------------
# Verdicts drawn from a judge's chances, one response (or one response's pairs) at a time.


TIE_OF_EQUALS = 0.4  # share of ties among pairs that are equal in the reference
STEADY = 0.85  # share of won pairs whose winner is named in both orders
BOTH_TIE = 0.5  # share of tied pairs that are ties in both orders, rather than flips


class Choice(IntEnum):
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
    winner = np.where(outcome > 0, Choice.GENERATOR, np.where(outcome < 0, Choice.OPPONENT, Choice.TIE))
    first_shown = (Choice.GENERATOR, Choice.OPPONENT)  # first in either order
    preferred = np.where(prefers_first[..., None], first_shown, first_shown[::-1])
    differing = np.where((outcome == 0)[..., None] | (winner[..., None] == preferred), preferred, Choice.TIE)
    return np.where(agrees[..., None], winner[..., None], differing).astype(np.int32)


# ------------------------------------------------------------------------------
# Drawn verdicts as record batches in the stored columns of `judgments`.


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
    judge: Model
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


# ------------------------------------------------------------------------------
# A simulated study: its tables, its stream of judgments, and what was planted in it.


BATCH_ROWS = 1 << 20

# Each kind of draw has its own random numbers, so that adding a judge changes no response.
_ITEMS, _TRUTH, _INSTANCES, _VERDICTS = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedStudy(Simulation):
    """A drawn study, without its verdicts, which `judgments` draws lazily.

    `instance_factor` (N instances) multiplies all judges' error rates on each instance.
    """

    schema = judgment_schema(
        "run_id judge paradigm instance_id generator opponent first rubric_id ordering position met score "
        "choice status"
    )
    design: Design
    truth: Truth
    instance_factor: Floats

    @property
    def items(self) -> Items:
        return self.truth.items

    def tables(self) -> dict[str, pa.Table]:
        paradigms, judges = self.design.paradigms, self.design.judges
        calls = [(judge.name, paradigm, "default") for paradigm in paradigms for judge in judges]
        return {
            "models": models_table(self.design.models),
            "instances": self.items.instances_table(),
            "rubrics": self.items.rubrics_table(),
            "references": self.truth.references_table(),
            "runs": runs_table(self.design, calls),
        }

    def judgments(self, batch_rows: int = BATCH_ROWS) -> pa.RecordBatchReader:
        """Return the verdicts as a stream of record batches; every call returns the same rows.

        They are sorted by paradigm, judge and generator. One batch and one judge's chances are in memory.
        """
        batches = (batch for table in self._tables() for batch in table.to_batches())
        return pa.RecordBatchReader.from_batches(self.schema, regroup(batches, batch_rows))

    def planted(self) -> dict[str, Any]:
        judges = {
            judge.name: asdict(judge.bias)
            | {
                "on": None if judge.bias.on is None else str(judge.bias.on),
                "overestimation": judge.overestimation,
                "underestimation": judge.underestimation,
                "first_bias": judge.first_bias,
                "expected": expected(judge, self.truth, self._chances(judge)),
            }
            for judge in self.design.judges
        }
        return {
            "kind": "simulation",
            "seed": self.design.seed,
            "paradigms": list(self.design.paradigms),
            "instance_spread": self.design.instance_spread,
            "unparsed": self.design.unparsed,
            "refused": self.design.refused,
            "judges": judges,
            "generators": {model.name: {"skill": model.skill} for model in self.design.generators},
        }

    def _chances(self, judge: Model) -> Chances:
        return chances(judge, self.truth, self.instance_factor)

    def _tables(self) -> Iterator[pa.Table]:
        design = self.design
        for paradigm in design.paradigms:
            code = list(DRAW).index(paradigm)  # fixed, whichever paradigms the study has
            for number, judge in enumerate(design.judges):
                chance = self._chances(judge)
                for row, generator in enumerate(design.generators):
                    unit = Unit(design, self.truth, chance, paradigm, judge, row)
                    columns = DRAW[paradigm](unit, design.rng(_VERDICTS, code, number, row))
                    names = {"judge": judge.name, "generator": generator.name, "paradigm": paradigm}
                    yield table_of(columns | names | {"run_id": design.run_id}, self.schema)


def simulate(design: Design, *, instances: int = 200, rubrics_per_instance: int = 6) -> SimulatedStudy:
    return simulate_items(design, draw_items(instances, rubrics_per_instance, design.rng(_ITEMS)))


def simulate_items(design: Design, items: Items) -> SimulatedStudy:
    for judge in design.judges:
        if judge.bias.on is not None:
            items.slice_mask(judge.bias.on)
    truth = draw_truth(design, items, design.rng(_TRUTH))
    spread = design.instance_spread
    uniform = design.rng(_INSTANCES).random(len(items.instance_ids))
    return SimulatedStudy(design, truth, 1 - spread + 2 * spread * uniform)
