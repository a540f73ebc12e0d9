"""Texts of a study: search, and one text by its key."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.encoding import encode
from engine.arrays.judgment_rows import stored_responses
from engine.arrays.slicing.resolve import ResolvedSlice
from engine.explore.judgment_list import JudgmentCells
from engine.stats import Bools, Ints

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


def mentions(study: "StudyArrays", request: ResolvedSlice, cells: JudgmentCells, search: str) -> Bools:
    """Return which cells have the text `search` in criterion, prompt, response or the judge's reason.

    Case is ignored; the text is searched for literally.
    """
    index, files = study.index, study.files
    marks = np.zeros(len(cells), dtype=bool)
    rubrics = files.table("rubrics", ["instance_id", "rubric_id", "criterion"])
    if len(rubrics):
        hits = np.zeros(index.n_rubrics + 1, dtype=bool)  # the last one is for cells without a rubric
        hits[index.rubrics_of(rubrics)[_contains(rubrics["criterion"], search)]] = True
        hits[-1] = False
        marks |= hits[cells.rubric]
    instances = files.table("instances", ["instance_id", "prompt"])
    marks |= _contains(instances["prompt"], search)[cells.instance]
    hits = np.zeros((len(index.models) + 1, index.n_instances), dtype=bool)
    (generator, instance), texts = stored_responses(files, index, request.selection.transform, "text")
    matches = _contains(texts, search)
    hits[generator[matches], instance[matches]] = True
    hits[-1] = False  # no opponent
    marks |= hits[cells.generator, cells.instance] | hits[cells.opponent, cells.instance]
    return marks | _reason_mentions(study, request, cells, search)


def _reason_mentions(
    study: "StudyArrays", request: ResolvedSlice, cells: JudgmentCells, search: str
) -> Bools:
    """Return which cells have a judgment whose explanation contains the text."""
    columns = ["judge", "generator", "opponent", "instance_id", "rubric_id", "explanation"]
    table = study.files.judgments(columns, request.selection.where())
    table = table.filter(pa.array(_contains(table["explanation"], search)))
    if len(table) == 0:
        return np.zeros(len(cells), dtype=bool)
    index = study.index
    generator, instance = index.responses_of(table)
    judge, opponent = (encode(table[name], index.model_names) for name in ("judge", "opponent"))
    if (cells.rubric >= 0).any():
        reason_keys = cell_key(study, (judge, generator), index.rubrics_of(table))
        return np.isin(cell_key(study, (cells.judge, cells.generator), cells.rubric), reason_keys)
    if request.traits.of_pairs:  # whichever response is the generator
        reason_keys = cell_key(study, (judge, *np.sort([generator, opponent], axis=0)), instance)
        pairs = np.sort([cells.generator, cells.opponent], axis=0)
        return np.isin(cell_key(study, (cells.judge, *pairs), cells.instance), reason_keys)
    reason_keys = cell_key(study, (judge, generator), instance)
    sides = (
        cell_key(study, (cells.judge, side), cells.instance) for side in (cells.generator, cells.opponent)
    )
    return np.logical_or(*(np.isin(side, reason_keys) for side in sides))


def cell_key(study: "StudyArrays", models: Sequence[Ints], place: Ints) -> Ints:
    """Return a number for each cell, equal for equal models (-1 for none) and places."""
    index = study.index
    key = np.zeros(len(place), dtype=np.int64)
    for model in models:
        key = key * (len(index.models) + 1) + model + 1
    return key * (max(index.n_rubrics, index.n_instances) + 1) + place + 1


def _contains(column: pa.ChunkedArray, search: str) -> Bools:
    """Return which texts contain the search text; null contains nothing."""
    if pa.types.is_dictionary(column.type):
        merged = column.unify_dictionaries().combine_chunks()
        merged = merged if isinstance(merged, pa.DictionaryArray) else pa.concat_arrays(merged.chunks)
        hits = np.append(_contains(pa.chunked_array([merged.dictionary]), search), False)
        return np.take(hits, np.asarray(pc.fill_null(merged.indices.cast(pa.int64()), -1)))
    matches = pc.match_substring(column.cast(pa.string()), search, ignore_case=True)
    return np.asarray(pc.fill_null(matches, False).cast(pa.int8()), dtype=bool)


def text_of(study: "StudyArrays", table: str, column: str, **key: str) -> str | None:
    """Return one text of a table by its key; None if it is missing."""
    table_rows = study.files.table(table, (column,), {name: (value,) for name, value in key.items()})
    texts: list[str | None] = table_rows.slice(0, 1)[column].to_pylist()
    return texts[0] if texts else None
