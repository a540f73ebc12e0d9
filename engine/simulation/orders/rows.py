"""Drawn scores and verdicts as tables in the stored columns of `judgments`."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from engine.simulation.columns import STATUS_NAMES, coded, constant, draw_status, table_of
from engine.simulation.items import Items
from engine.simulation.orders.design import OrderDesign
from engine.simulation.orders.lists import ListVerdicts
from engine.simulation.orders.scores import Scores, orderings

TEXT = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [
        *((name, TEXT) for name in ("run_id", "judge", "paradigm", "instance_id", "generator", "rubric_id")),
        ("ordering", TEXT),
        *((name, pa.int64()) for name in ("position", "trial")),
        ("met", pa.bool_()),
        ("score", pa.float64()),
        *((name, TEXT) for name in ("status", "raw")),
    ]
)

RAW = ("Feedback: it has something of two of the descriptions.", "The request was declined by the provider.")
"""What was said where the status is unparsed, and where it is refused."""


def score_rows(
    design: OrderDesign, judge: int, scores: Scores, stories: Sequence[str], rng: np.random.Generator
) -> pa.Table:
    """Return all scores of one judge; each is a call of its own."""
    shape = (len(design.scorers), len(stories), len(design.criteria))
    writer, story, criterion = np.unravel_index(scores.item, shape)
    names = ["-".join(str(score + 1) for score in ordering) for ordering in orderings(design.options)]
    size = len(scores.item)
    status = draw_status(size, design.unparsed, design.refused, rng)
    lost = status != 0
    columns = {
        "run_id": constant(design.run_id, size),
        "judge": constant(design.names[judge], size),
        "paradigm": constant("score_rubric", size),
        "instance_id": coded(story, stories),
        "generator": coded(writer, design.names),
        "rubric_id": coded(criterion, design.criteria),
        "ordering": coded(scores.ordering, names),
        "position": pa.array(scores.position, mask=lost),
        "trial": pa.array(scores.trial),
        "score": pa.array(scores.score.astype(np.float64), mask=lost),
        "status": coded(status, STATUS_NAMES),
        "raw": coded(status - 1, RAW),
    }
    return table_of(columns, SCHEMA)


def list_rows(
    design: OrderDesign,
    models: tuple[int, int],
    ordering: str,
    told: ListVerdicts,
    items: Items,
    rng: np.random.Generator,
) -> pa.Table:
    """Return a judge's verdicts on a generator's responses; a call, and so its status, is a whole list."""
    judge, generator = (design.names[place] for place in models)
    size = len(told.met)
    status = draw_status(len(items.counts), design.unparsed, design.refused, rng)[items.instance]
    columns = {
        "run_id": constant(design.run_id, size),
        "judge": constant(judge, size),
        "paradigm": constant("all_rubrics", size),
        "instance_id": coded(items.instance, items.instance_ids),
        "generator": constant(generator, size),
        "rubric_id": pa.array(items.rubric_ids).dictionary_encode(),
        "ordering": constant(ordering, size),
        "position": pa.array(told.position),
        "trial": pa.array(np.zeros(size, dtype=np.int64)),
        "met": pa.array(told.met, mask=status != 0),
        "status": coded(status, STATUS_NAMES),
        "raw": coded(status - 1, RAW),
    }
    return table_of(columns, SCHEMA)
