"""One page of the judgments behind a selection."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.cubes.arrow import encode
from engine.cubes.index import StudyIndex
from engine.drill.beside import Beside, Pairs, paired
from engine.drill.cells import Cells, cells_of, view_of
from engine.drill.texts import mentions
from engine.errors import UsageError
from engine.request import LackingError, Request
from engine.slices import Slice
from engine.views import View

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Row = dict[str, Any]
OUTCOMES = {1.0: "win", 0.0: "tie", -1.0: "loss"}


@dataclass(frozen=True)
class Listing:
    """Rows `offset` to `offset + len(rows)` of `total`; `reason` says why there are none.

    `request` is the selection with its defaults settled, None where there was nothing to select from.
    """

    rows: list[Row]
    total: int
    offset: int
    request: Request | None
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

    `kind` is one of `KINDS`; `judge` and `generator` keep those of one model; `search` those that hold
    the words in a text; `by` and `value` those of one slice of a grouping; `beside` those that another
    verdict stands beside, which each row then names. Of rubric verdicts there is a row for each (judge,
    generator, rubric), at instance level for each (judge, generator, opponent, instance), seen from the
    generator: as many as `overestimation` counts. Raises UsageError for an unknown name or value.
    """
    if limit < 1 or offset < 0:
        raise UsageError(f"rows {offset!r} to {offset + limit!r} cannot be shown; begin at 0 and show some")
    try:
        view = view_of(study, spec, by, value)
    except LackingError as lacking:
        return Listing([], 0, 0, None, str(lacking))
    cells = cells_of(view, kind, judge, generator)
    if search:
        cells = cells.take(mentions(study, view.request, cells, search))
    reason = None if len(cells) else "no judgment of this selection is of this kind"
    here = slice(offset, offset + limit)
    if beside is None or not len(cells):
        return Listing(_described(view, cells.take(here)), len(cells), offset, view.request, reason)
    pairs = paired(view, cells, beside)
    if not len(pairs.cells):
        reason = f"no judgment of this selection has a verdict of {beside} beside it"
        reason += " that differs" if beside.differ else ""
    return Listing(_set_beside(view, pairs.take(here)), len(pairs.cells), offset, view.request, reason)


def _set_beside(view: View, pairs: Pairs) -> list[Row]:
    """Return rows with the verdict beside each, and its reference."""
    found = _described(view, pairs.cells)
    for row, verdict, truth in zip(found, pairs.verdict, pairs.truth, strict=True):
        of_rubric = row["rubric_id"] is not None
        row |= {"verdict_beside": _said(verdict, of_rubric), "reference_beside": _said(truth, of_rubric)}
    return found


def _described(view: View, cells: Cells) -> list[Row]:
    """Return the cells as rows of plain values."""
    index = view.study.index
    criteria = _criteria(view.study, index, cells)
    return [_row(view, index, cells, place, criteria) for place in range(len(cells))]


def _row(view: View, index: StudyIndex, cells: Cells, place: int, criteria: dict[int, str | None]) -> Row:
    judge, generator, opponent = (int(side[place]) for side in (cells.judge, cells.generator, cells.opponent))
    rubric, instance = int(cells.rubric[place]), int(cells.instance[place])
    row: Row = {
        "judge": index.models[judge],
        "generator": index.models[generator],
        "relation": relation(index, view.request, judge, generator),
        "opponent": index.models[opponent] if opponent >= 0 else None,
        "instance_id": index.instances[instance].as_py(),
        "rubric_id": index.rubric_ids[rubric].as_py() if rubric >= 0 else None,
        "verdict": _said(cells.verdict[place], rubric >= 0),
        "reference": _said(cells.truth[place], rubric >= 0),
    }
    if rubric >= 0:
        row["criterion"] = criteria[rubric]
        for name in ("points", "axis", "theme", "length"):
            row[name] = index.rubric_fields[name][rubric]
    else:
        row["theme"] = index.instance_fields["theme"][instance]
    return row


def relation(index: StudyIndex, request: Request, judge: int, generator: int) -> str:
    """Return whether the generator is the judge itself (`self`), of its `family`, or `other`."""
    kin = index.kinship(np.array([judge]), np.array([generator]), request.exclusion.relatives)
    return "self" if kin.own[0, 0] else "family" if kin.family[0, 0] else "other"


def _said(value: float, of_rubric: bool) -> str | None:
    """Return a verdict in a word; None for no reference."""
    if np.isnan(value):
        return None
    if of_rubric:
        return "favourable" if value else "unfavourable"
    return OUTCOMES[float(value)]


def _criteria(study: "StudyArrays", index: StudyIndex, cells: Cells) -> dict[int, str | None]:
    """Return the criterion of each rubric among the cells."""
    wanted = sorted({int(rubric) for rubric in cells.rubric if rubric >= 0})
    if not wanted:
        return {}
    table = study.files.table("rubrics", ["instance_id", "rubric_id", "criterion"])
    place = index.rubric_positions(encode(table["instance_id"], index.instances), table["rubric_id"])
    at = np.argsort(place)[np.searchsorted(np.sort(place), wanted)]
    return dict(zip(wanted, table["criterion"].take(at).to_pylist(), strict=True))
