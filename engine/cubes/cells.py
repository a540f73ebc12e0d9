"""Attributes that depend on the response or the verdict, not on the rubric alone."""

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.cubes.arrow import encode, integers, numbers, text_array
from engine.cubes.index import StudyIndex
from engine.cubes.rows import Selection, read_rows
from engine.cubes.verdicts import VerdictCube
from engine.store import StudyFiles


def read_positions(
    files: StudyFiles, index: StudyIndex, cube: VerdictCube, selection: Selection
) -> NDArray[np.int16]:
    """Return where each rubric stood in the order shown, 0 where that is not known.

    Shape (judges, generators, rubrics).
    """
    rows = read_rows(files, index, selection, ("rubric_id", "position"))
    rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
    places = np.zeros((len(cube.judges), len(cube.generators), index.n_rubrics), dtype=np.int16)
    where = (
        np.searchsorted(cube.judges, rows.judge),
        np.searchsorted(cube.generators, rows.generator),
        rubric,
    )
    places[where] = integers(rows.table.column("position"), 0)
    return places


def read_response_lengths(files: StudyFiles, index: StudyIndex, transform: str) -> NDArray[np.float64]:
    """Return the characters of each response, NaN where there is no text: shape (models, instances)."""
    table = files.table("responses", ("instance_id", "generator", "transform", "text"))
    chosen = pc.is_in(table.column("transform").cast("string"), value_set=text_array([transform]))
    table = table.filter(chosen)
    generator = encode(table.column("generator"), index.model_names)
    instance = encode(table.column("instance_id"), index.instances)
    lengths = np.full((len(index.models), index.n_instances), np.nan)
    lengths[generator, instance] = numbers(pc.utf8_length(table.column("text")))
    return lengths
