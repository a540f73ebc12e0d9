"""Texts of a study: searched, and read for one item."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.cubes.arrow import encode
from engine.cubes.index import Ints
from engine.drill.cells import Cells
from engine.request import Request

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Bools = NDArray[np.bool_]


def mentions(study: "StudyArrays", request: Request, cells: Cells, search: str) -> Bools:
    """Return which cells hold the words in criterion, prompt, response or the judge's reason.

    Capital and small letters are alike; the words are looked for as they stand.
    """
    index, files = study.index, study.files
    found = np.zeros(len(cells), dtype=bool)
    rubrics = files.table("rubrics", ["instance_id", "rubric_id", "criterion"])
    if len(rubrics):
        instance = encode(rubrics["instance_id"], index.instances)
        place = index.rubric_positions(instance, rubrics["rubric_id"])
        hits = np.zeros(index.n_rubrics + 1, dtype=bool)  # the last one stands for no rubric
        hits[place[_holds(rubrics["criterion"], search)]] = True
        hits[-1] = False
        found |= hits[cells.rubric]
    instances = files.table("instances", ["instance_id", "prompt"])
    found |= _holds(instances["prompt"], search)[cells.instance]
    responses = files.table("responses", ["instance_id", "generator", "transform", "text"])
    responses = responses.filter(
        pc.equal(responses["transform"].cast(pa.string()), request.selection.transform)
    )
    hits = np.zeros((len(index.models) + 1, index.n_instances), dtype=bool)
    mentioned = responses.filter(pa.array(_holds(responses["text"], search)))
    hits[
        encode(mentioned["generator"], index.model_names), encode(mentioned["instance_id"], index.instances)
    ] = True
    hits[-1] = False  # no opponent
    found |= hits[cells.generator, cells.instance] | hits[cells.opponent, cells.instance]
    return found | _explained(study, request, cells, search)


def _explained(study: "StudyArrays", request: Request, cells: Cells, search: str) -> Bools:
    """Return which cells have a judgment whose explanation holds the words."""
    columns = ["judge", "generator", "opponent", "instance_id", "rubric_id", "explanation"]
    table = study.files.judgments(columns, request.selection.where())
    table = table.filter(pa.array(_holds(table["explanation"], search)))
    if len(table) == 0:
        return np.zeros(len(cells), dtype=bool)
    index = study.index
    instance = encode(table["instance_id"], index.instances)
    rubric = index.rubric_positions(instance, table["rubric_id"])
    judge, generator, opponent = (
        encode(table[name], index.model_names) for name in ("judge", "generator", "opponent")
    )
    if (cells.rubric >= 0).any():
        said = _key(study, judge, generator, rubric)
        return np.isin(_key(study, cells.judge, cells.generator, cells.rubric), said)
    if request.paradigm == "pairwise":
        pairs = _pair_key(study, judge, generator, opponent, instance)
        return np.isin(_pair_key(study, cells.judge, cells.generator, cells.opponent, cells.instance), pairs)
    said = _key(study, judge, generator, instance)
    sides = (_key(study, cells.judge, side, cells.instance) for side in (cells.generator, cells.opponent))
    return np.logical_or(*(np.isin(side, said) for side in sides))


def _key(study: "StudyArrays", judge: Ints, generator: Ints, place: Ints) -> Ints:
    """Return a number for each (judge, generator, place), equal where these are equal."""
    width = max(study.index.n_rubrics, study.index.n_instances, 1)
    return (judge * len(study.index.models) + generator) * width + place


def _pair_key(study: "StudyArrays", judge: Ints, one: Ints, two: Ints, instance: Ints) -> Ints:
    """Return a number for each (judge, pair, instance), whichever way round the pair is."""
    models = len(study.index.models)
    pair = np.minimum(one, two) * models + np.maximum(one, two)
    key: Ints = (judge * models**2 + pair) * study.index.n_instances + instance
    return key


def _holds(column: pa.ChunkedArray, search: str) -> Bools:
    """Return where a text holds the words; null holds nothing."""
    if pa.types.is_dictionary(column.type):
        merged = column.unify_dictionaries().combine_chunks()
        merged = merged if isinstance(merged, pa.DictionaryArray) else pa.concat_arrays(merged.chunks)
        hits = np.append(_holds(pa.chunked_array([merged.dictionary]), search), False)
        return np.take(hits, np.asarray(pc.fill_null(merged.indices.cast(pa.int64()), -1)))
    found = pc.match_substring(column.cast(pa.string()), search, ignore_case=True)
    return np.asarray(pc.fill_null(found, False).cast(pa.int8()), dtype=bool)


def text_of(study: "StudyArrays", table: str, column: str, **key: str) -> str | None:
    """Return one text of a table by its key, None where it is not there."""
    value: str | None = row_of(study, table, (column,), **key)[column]
    return value


def row_of(study: "StudyArrays", table: str, columns: tuple[str, ...], **key: str) -> dict[str, Any]:
    """Return the named columns of one row by its key, None for each where it is not there."""
    found = study.files.table(table, columns, {name: (value,) for name, value in key.items()})
    rows: list[dict[str, Any]] = found.slice(0, 1).to_pylist()
    return rows[0] if rows else dict.fromkeys(columns)
