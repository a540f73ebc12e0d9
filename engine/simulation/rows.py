"""Drawn verdicts as record batches in the stored columns of `judgments`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine.simulation.columns import STATUS_NAMES, Codes, draw_status
from engine.simulation.design import Design
from engine.simulation.probabilities import Chances
from engine.simulation.truth import Truth
from engine.simulation.verdicts import (
    CHOICE_NAMES,
    draw_favourable,
    draw_orders,
    draw_outcomes,
)

TEXT = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [
        ("run_id", TEXT),
        ("judge", TEXT),
        ("paradigm", TEXT),
        ("instance_id", TEXT),
        ("generator", TEXT),
        ("opponent", TEXT),
        ("first", TEXT),
        ("rubric_id", TEXT),
        ("ordering", TEXT),
        ("position", pa.int64()),
        ("met", pa.bool_()),
        ("score", pa.float64()),
        ("choice", TEXT),
        ("status", TEXT),
    ]
)
ORDERS = pa.array(["generator", "opponent"])

Columns = dict[str, pa.Array]


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The dictionaries that all batches of a study share, and the places of its items in them."""

    run_id: pa.Array
    models: pa.Array
    instance_ids: pa.Array
    rubric_ids: pa.Array
    rubric: Codes
    positions: pa.Array
    place: Mapping[str, int]

    @classmethod
    def of(cls, design: Design, truth: Truth) -> "Vocabulary":
        """Collect the names of a study."""
        rubrics = pa.array(truth.items.rubric_ids).dictionary_encode()
        names = [model.name for model in design.models]
        return cls(
            run_id=pa.array([run_id(design)]),
            models=pa.array(names),
            instance_ids=pa.array(truth.items.instance_ids),
            rubric_ids=rubrics.dictionary,
            rubric=rubrics.indices.to_numpy(),
            positions=pa.array(truth.items.place),
            place={name: index for index, name in enumerate(names)},
        )


def run_id(design: Design) -> str:
    """Return the name of the one run that a simulated study consists of."""
    return f"simulated-{design.seed}"


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """What one batch is drawn for: a judge on one response to each instance.

    In pairs the response is compared with those of all generators listed after it.
    """

    paradigm: str
    judge: int
    generator: int

    def rng(self, design: Design, stream: int) -> np.random.Generator:
        """Return this unit's own random numbers, so that no other unit's draws depend on its own."""
        code = design_code(self.paradigm)
        return np.random.default_rng([design.seed, stream, code, self.judge, self.generator])


def design_code(paradigm: str) -> int:
    """Return the paradigm's fixed number; which paradigms a study has does not change it."""
    return list(DRAW).index(paradigm)


def _single_rubric(
    unit: Unit, design: Design, truth: Truth, chance: Chances, words: Vocabulary, rng: np.random.Generator
) -> Columns:
    """One call for each rubric."""
    row = unit.generator
    favourable = draw_favourable(truth.favourable[row], chance.over[row], chance.under, rng)
    status = draw_status(favourable.shape, design.unparsed, design.refused, rng)
    return {
        "instance_id": _coded(truth.items.instance, words.instance_ids),
        "generator": _constant(words.place[truth.generators[row].name], words.models, status.size),
        "rubric_id": _coded(words.rubric, words.rubric_ids),
        "met": pa.array(favourable ^ truth.items.negative, mask=status != 0),
        "status": _coded(status, pa.array(STATUS_NAMES)),
    }


def _all_rubrics(
    unit: Unit, design: Design, truth: Truth, chance: Chances, words: Vocabulary, rng: np.random.Generator
) -> Columns:
    """One call for each response: it has a status for all of its rubrics."""
    row = unit.generator
    favourable = draw_favourable(truth.favourable[row], chance.over[row], chance.under, rng)
    status = draw_status(truth.items.counts.shape, design.unparsed, design.refused, rng)[truth.items.instance]
    return {
        "instance_id": _coded(truth.items.instance, words.instance_ids),
        "generator": _constant(words.place[truth.generators[row].name], words.models, status.size),
        "rubric_id": _coded(words.rubric, words.rubric_ids),
        "ordering": _constant(0, pa.array(["original"]), status.size),
        "position": words.positions,
        "met": pa.array(favourable ^ truth.items.negative, mask=status != 0),
        "status": _coded(status, pa.array(STATUS_NAMES)),
    }


def _direct_assessment(
    unit: Unit, design: Design, truth: Truth, chance: Chances, words: Vocabulary, rng: np.random.Generator
) -> Columns:
    """One call for each response: the share of its rubrics on which an unseen verdict is favourable."""
    row = unit.generator
    favourable = draw_favourable(truth.favourable[row], chance.over[row], chance.under, rng)
    score = truth.items.mean_over_instance(favourable.astype(np.float64))
    status = draw_status(score.shape, design.unparsed, design.refused, rng)
    return {
        "instance_id": _coded(np.arange(score.size, dtype=np.int32), words.instance_ids),
        "generator": _constant(words.place[truth.generators[row].name], words.models, score.size),
        "score": pa.array(score, mask=status != 0),
        "status": _coded(status, pa.array(STATUS_NAMES)),
    }


def _pairwise(
    unit: Unit, design: Design, truth: Truth, chance: Chances, words: Vocabulary, rng: np.random.Generator
) -> Columns:
    """Two calls, one for each order, for each opponent listed later; rows run opponent, instance, order."""
    row = unit.generator
    counts = truth.favourable_counts()
    reference = np.sign(counts[row] - counts[row + 1 :])
    outcome = draw_outcomes(reference, chance.over_pair[row][None, :], chance.over_pair[row + 1 :], rng)
    drawn = draw_orders(outcome, design.judges[unit.judge].first_bias, rng)
    choice = np.stack([drawn.generator_first, drawn.opponent_first], axis=-1)
    status = draw_status(choice.shape, design.unparsed, design.refused, rng).ravel()
    opponents, instances, orders = np.indices(choice.shape, dtype=np.int32).reshape(3, -1)
    models = np.array([words.place[model.name] for model in truth.generators], dtype=np.int32)
    return {
        "instance_id": _coded(instances, words.instance_ids),
        "generator": _constant(int(models[row]), words.models, status.size),
        "opponent": _coded(models[row + 1 :][opponents] if opponents.size else opponents, words.models),
        "first": _coded(orders, ORDERS),
        "choice": pa.DictionaryArray.from_arrays(
            pa.array(choice.ravel(), mask=status != 0), pa.array(CHOICE_NAMES)
        ),
        "status": _coded(status, pa.array(STATUS_NAMES)),
    }


Draw = Callable[[Unit, Design, Truth, Chances, Vocabulary, np.random.Generator], Columns]

# The order is part of the seeds: a new paradigm goes to the end.
DRAW: dict[str, Draw] = {
    "single_rubric": _single_rubric,
    "all_rubrics": _all_rubrics,
    "direct_assessment": _direct_assessment,
    "pairwise": _pairwise,
}


def draw_unit(
    unit: Unit, design: Design, truth: Truth, chance: Chances, words: Vocabulary, stream: int
) -> pa.RecordBatch:
    """Draw all verdicts of one unit, as a batch of `SCHEMA`."""
    columns = DRAW[unit.paradigm](unit, design, truth, chance, words, unit.rng(design, stream))
    rows = len(columns["status"])
    columns["run_id"] = _constant(0, words.run_id, rows)
    columns["judge"] = _constant(words.place[design.judges[unit.judge].name], words.models, rows)
    columns["paradigm"] = _constant(0, pa.array([unit.paradigm]), rows)
    arrays = [columns.get(field.name, pa.nulls(rows, field.type)) for field in SCHEMA]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def regroup(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Cut a stream of batches anew into batches of `rows` rows (the last may be shorter)."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= rows:
            whole = count - count % rows
            table = pa.Table.from_batches(waiting).combine_chunks()
            yield from table.slice(0, whole).to_batches(max_chunksize=rows)
            waiting = table.slice(whole).to_batches()
            count -= whole
    if count:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches(max_chunksize=rows)


def _coded(codes: npt.NDArray[np.int32], values: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes, values)


def _constant(code: int, values: pa.Array, rows: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(np.full(rows, code, dtype=np.int32), values)
