"""Which criteria have scores instead of verdicts (MEASURES sections 3 and 20)."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.encoding import integer_array
from engine.arrays.index import StudyIndex
from engine.arrays.inventory import Inventory
from engine.paradigms import RUBRIC_PARADIGMS, SCORED_CRITERIA
from engine.stats import Bools
from engine.store.study_files import StudyFiles

_NAMES = ("instance_id", "rubric_id")


def criteria_of_scores(files: StudyFiles, index: StudyIndex, inventory: Inventory) -> Bools:
    """Return which criteria have scores, by a judge or a reference, and no verdict by either: (rubrics,).

    A score of an answer by verdicts takes those on all criteria of its question: these are not among them.
    """
    is_scored = pc.is_valid(files.table("references", ("score",)).column("score"))
    if not pc.any(is_scored).as_py() and not inventory.total(paradigm=SCORED_CRITERIA):
        return np.zeros(index.n_rubrics, dtype=bool)
    truths = files.table("references", (*_NAMES, "met", "score"))
    tables = [truths.filter(pc.is_valid(truths.column("score")))]
    if inventory.total(paradigm=SCORED_CRITERIA):
        tables += files.judgment_batches(columns=_NAMES, where={"paradigm": SCORED_CRITERIA})
    scored = _marks(index, tables)
    if not scored.any():
        return scored
    ids = pc.unique(index.rubric_ids.take(integer_array(np.flatnonzero(scored)))).to_pylist()
    judged = files.judgment_batches(columns=_NAMES, where={"paradigm": RUBRIC_PARADIGMS, "rubric_id": ids})
    return scored & ~_marks(index, (*judged, truths.filter(pc.is_valid(truths.column("met")))))


def _marks(index: StudyIndex, tables: Iterable[pa.Table]) -> Bools:
    """Mark the criteria that the rows of some tables name."""
    marks = np.zeros(index.n_rubrics + 1, dtype=bool)  # the last is of rows without a known criterion
    for table in tables:
        if table.num_rows:
            marks[index.rubrics_of(table)] = True
    return marks[:-1]
