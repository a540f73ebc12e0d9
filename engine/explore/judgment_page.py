"""One page of the judgments behind a selection."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays.index import StudyIndex
from engine.arrays.slicing.resolve import NoDataError, ResolvedSlice
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.explore.cells_beside import Beside, CellPairs, pairs_of
from engine.explore.judgment_list import JudgmentCells, cells_of, view_of
from engine.explore.text_search import mentions
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


Row = dict[str, Any]
OUTCOMES = {1.0: "win", 0.0: "tie", -1.0: "loss"}


@dataclass(frozen=True)
class Listing:
    """Rows `offset` to `offset + len(rows)` of `total`; `reason` says why there are none.

    `request` is the selection with its defaults resolved, None if there was nothing to select from.
    """

    rows: list[Row]
    total: int
    offset: int
    request: ResolvedSlice | None
    reason: str | None = None


def rows(
    study: "StudyArrays",
    spec: Slice,
    kind: str = "overestimation",
    *,
    judge: str | None = None,
    generator: str | None = None,
    search: str | None = None,
    by: str | None = None,
    value: str | None = None,
    beside: Beside | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Listing:
    """Return the judgments of one kind in a slice, in a fixed order, `limit` of them from `offset` on.

    `kind` is one of `KINDS`; `judge` and `generator` select one model; `search` selects judgments with these
    words in a text; `by` and `value` one group of a grouping; `beside` judgments with another verdict to
    compare, which is added to each row. Rubric verdicts have a row for each (judge, generator, rubric),
    instance level for each (judge, generator, opponent, instance) from the generator's point of view: as many
    as `overestimation` counts. Raises UsageError for an unknown name or value.
    """
    if limit < 1 or offset < 0:
        raise UsageError(
            f"rows {offset!r} to {offset + limit!r} cannot be shown; start at 0 or later, and show at "
            "least one"
        )
    try:
        view = view_of(study, spec, by, value)
    except NoDataError as error:
        return Listing([], 0, 0, None, str(error))
    cells = cells_of(view, kind, judge, generator)
    if search:
        cells = cells.select(mentions(study, view.request, cells, search))
    reason = None if len(cells) else "no judgment of this kind in this slice"
    page = slice(offset, offset + limit)
    if beside is None or not len(cells):
        return Listing(rows_of(view, cells.select(page)), len(cells), offset, view.request, reason)
    pairs = pairs_of(view, cells, beside)
    if not len(pairs):
        reason = f"no judgment of this slice has a verdict of {beside} on the same item"
        reason += " that differs" if beside.differ else ""
    return Listing(_add_beside(view, pairs.select(page)), len(pairs), offset, view.request, reason)


def _add_beside(view: SliceView, pairs: CellPairs) -> list[Row]:
    """Return rows with the other verdict and its reference added."""
    rows = rows_of(view, pairs)
    for row, verdict, truth in zip(rows, pairs.verdict_beside, pairs.truth_beside, strict=True):
        of_rubric = row["rubric_id"] is not None
        row |= {
            "verdict_beside": _verdict_word(verdict, of_rubric),
            "reference_beside": _verdict_word(truth, of_rubric),
        }
    return rows


def rows_of(view: SliceView, cells: JudgmentCells) -> list[Row]:
    """Return the cells as rows of plain values."""
    criteria = _criteria(view.study, cells)
    return [_row(view, cells, place, criteria) for place in range(len(cells))]


def _row(view: SliceView, cells: JudgmentCells, place: int, criteria: dict[int, str | None]) -> Row:
    index = view.study.index
    judge, generator, opponent = (int(side[place]) for side in (cells.judge, cells.generator, cells.opponent))
    rubric, instance = int(cells.rubric[place]), int(cells.instance[place])
    row: Row = {
        "judge": index.models[judge],
        "generator": index.models[generator],
        "relation": relation(index, view.request, judge, generator),
        "opponent": index.models[opponent] if opponent >= 0 else None,
        "instance_id": index.instances[instance].as_py(),
        "rubric_id": index.rubric_ids[rubric].as_py() if rubric >= 0 else None,
        "verdict": _verdict_word(cells.verdict[place], rubric >= 0),
        "reference": _verdict_word(cells.truth[place], rubric >= 0),
    }
    if rubric >= 0:
        row["criterion"] = criteria[rubric]
        for name in ("points", "axis", "theme", "length"):
            row[name] = index.rubric_fields[name][rubric]
    else:
        row["theme"] = index.instance_fields["theme"][instance]
    return row


def relation(index: StudyIndex, request: ResolvedSlice, judge: int, generator: int) -> str:
    """Return whether the generator is the judge itself (`self`), of its `family`, or `other`."""
    relations = index.relations(np.array([judge]), np.array([generator]), request.exclusion.relatives)
    return "self" if relations.self_mask[0, 0] else "family" if relations.family[0, 0] else "other"


def _verdict_word(value: float, of_rubric: bool) -> str | None:
    """Return a verdict in a word; None for NaN."""
    if np.isnan(value):
        return None
    if of_rubric:
        return "passed" if value else "failed"
    return OUTCOMES[float(value)]


def _criteria(study: "StudyArrays", cells: JudgmentCells) -> dict[int, str | None]:
    """Return the criterion of each rubric among the cells."""
    rubrics = sorted({int(rubric) for rubric in cells.rubric if rubric >= 0})
    if not rubrics:
        return {}
    table = study.files.table("rubrics", ["instance_id", "rubric_id", "criterion"])
    place = study.index.rubrics_of(table)
    at = np.argsort(place)[np.searchsorted(np.sort(place), rubrics)]
    return dict(zip(rubrics, table["criterion"].take(at).to_pylist(), strict=True))
