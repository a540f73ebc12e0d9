"""The places in a study's arrays that stand behind a number."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import Ints
from engine.cubes.pairs import PairCube
from engine.errors import UsageError, unknown
from engine.grouping import parts
from engine.packing import Words
from engine.schema import COMPARABLE
from engine.slices import NULL, Slice
from engine.views import View
from engine.views.rubric import RubricCounts

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Bools = NDArray[np.bool_]

KINDS = {
    "overestimation": "credited by the judge, not by the reference",
    "underestimation": "credited by the reference, not by the judge",
    "disagreement": "judge and reference differ",
    "failed": "not credited by the reference, whatever the judge says",
    "all": "every verdict, those without a reference too",
}
"""What can be asked for. At instance level "credited" means: not lost."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Places of judgments, each array of shape (cells,).

    `judge`, `generator` and `opponent` hold models' positions (opponent -1 for rubric verdicts),
    `rubric` is -1 for comparisons of whole responses. `verdict` and `truth` are 1 for favourable and 0
    for unfavourable verdicts, +1, 0 and -1 for comparisons; `truth` is NaN without a reference.
    """

    judge: Ints
    generator: Ints
    opponent: Ints
    instance: Ints
    rubric: Ints
    verdict: NDArray[np.float64]
    truth: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.judge)

    def take(self, places: Ints | Bools | slice) -> "Cells":
        """Return some of them."""
        return Cells(**{name: values[places] for name, values in vars(self).items()})

    @classmethod
    def joined(cls, pieces: list["Cells"]) -> "Cells":
        """Return the pieces one after another."""
        names = cls.__dataclass_fields__
        return cls(**{name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in names})


def view_of(study: "StudyArrays", spec: Slice, by: str | None, value: str | None) -> View:
    """Return the view of a slice, or of the slice's part that has `value` in column `by`.

    The value is compared as text; `null` stands for none. Raises UsageError that lists the values there
    are, LackingError where the study has no such judgments.
    """
    pieces = parts(study, spec, by, None, COMPARABLE)
    if by is None:
        return pieces[0].view
    named = {NULL if piece.value is None else str(piece.value): piece.view for piece in pieces}
    if value not in named:
        raise unknown(by.replace("_", " "), value, named)
    return named[value]


def cells_of(view: View, kind: str, judge: str | None, generator: str | None) -> Cells:
    """Return the cells of one kind, by judge, then generator, then place.

    `judge` and `generator` keep those of one model. Raises UsageError for an unknown kind.
    """
    if kind not in KINDS:
        raise unknown("kind of row", kind, KINDS)
    rows = _asked(view, judge, view.judges, "judge")
    columns = _asked(view, generator, view.generators, "generator")
    if view.at_rubrics:
        return _of_rubrics(view, view.rubric, kind, rows, columns)
    return _of_comparisons(view, kind, rows, columns)


def _asked(view: View, name: str | None, shown: Ints, role: str) -> Ints:
    """Return the places among those shown of one model, or all of them."""
    if name is None:
        return np.arange(len(shown))
    models = view.study.index.models
    if name not in models:
        raise unknown(role, name, [models[place] for place in shown])
    return np.flatnonzero(shown == models.index(name))


def _of_rubrics(view: View, counts: RubricCounts, kind: str, rows: Ints, columns: Ints) -> Cells:
    planes, layout = counts.planes, view.study.index.layout
    here = np.ix_(view.rows[rows], view.columns[columns])
    wanted: Words = {
        "overestimation": planes.over,
        "underestimation": planes.under,
        "disagreement": planes.over | planes.under,
        "failed": planes.failed,
        "all": planes.cube.ok,
    }[kind]
    mask = np.broadcast_to(counts.mask, wanted.shape)
    row, column, rubric = np.nonzero(layout.unpack(wanted[here] & mask[here]))

    def looked_up(plane: Words) -> Bools:
        return layout.unpack(plane[here])[row, column, rubric]

    return Cells(
        judge=view.judges[rows][row],
        generator=view.generators[columns][column],
        opponent=np.full(len(row), -1),
        instance=layout.instance_of[rubric],
        rubric=rubric,
        verdict=looked_up(planes.favourable).astype(np.float64),
        truth=np.where(looked_up(planes.counted), looked_up(planes.passed), np.nan),
    )


def _of_comparisons(view: View, kind: str, rows: Ints, columns: Ints) -> Cells:
    """Return comparisons of the generator with every opponent shown, seen from the generator."""
    pieces = [cells.take(_of_kind(cells, kind)) for cells in _comparisons(view, rows)]
    nothing = np.zeros(0, dtype=np.int64)
    pieces.append(Cells(nothing, nothing, nothing, nothing, nothing, np.zeros(0), np.zeros(0)))
    found = Cells.joined(pieces)
    return found.take(np.isin(found.generator, view.generators[columns]))


def _of_kind(cells: Cells, kind: str) -> Bools:
    verdict, truth = cells.verdict, cells.truth
    known = ~np.isnan(truth)
    wanted: dict[str, Bools] = {
        "overestimation": (truth == -1) & (verdict > -1),
        "underestimation": (truth == 1) & (verdict < 1),
        "disagreement": known & (verdict != truth),
        "failed": truth == -1,
        "all": np.ones(len(cells), dtype=bool),
    }
    return wanted[kind]


def _comparisons(view: View, rows: Ints) -> Iterator[Cells]:
    """Yield the comparisons of each judge."""
    if isinstance(view.cube, PairCube):
        yield from (_paired(view, view.cube, row) for row in rows)
        return
    scored = view.scored
    judged, known = scored.judge.levels, scored.reference.levels
    if known.shape[-1] == 0:
        raise UsageError("the study has no instances to compare responses on")
    for row in rows:
        mine, truth = judged[min(row, len(judged) - 1)], known[min(row, len(known) - 1)]
        shape = (len(mine), len(mine), mine.shape[-1])
        one, two = np.broadcast_to(mine[:, None], shape), np.broadcast_to(mine[None], shape)
        there = (one >= 0) & (two >= 0) & ~np.eye(len(mine), dtype=bool)[:, :, None]
        generator, opponent, instance = np.nonzero(there)
        verdict = np.sign(mine[generator, instance] - mine[opponent, instance])
        yield _placed(view, row, generator, opponent, instance, verdict, truth)


def _paired(view: View, cube: PairCube, row: int) -> Cells:
    """Return one judge's pairs, each seen from both of its responses."""
    pairs = cube.outcomes
    shown = view.generators
    mine = (
        (pairs.judge == view.judges[row]) & np.isin(pairs.generator, shown) & np.isin(pairs.opponent, shown)
    )
    pairs = pairs.select(mine)
    one, two = np.searchsorted(shown, pairs.generator), np.searchsorted(shown, pairs.opponent)
    generator, opponent = np.concatenate([one, two]), np.concatenate([two, one])
    instance = np.concatenate([pairs.instance, pairs.instance])
    verdict = np.concatenate([pairs.outcome, -pairs.outcome])
    kept = np.broadcast_to(view.kept_cells, (len(cube.generators), view.study.index.n_instances))[
        view.columns
    ]
    keep = np.flatnonzero(kept[generator, instance] & kept[opponent, instance])
    keep = keep[np.lexsort((instance[keep], opponent[keep], generator[keep]))]
    levels = view.reference_scores.levels
    truth = levels[min(row, len(levels) - 1)]
    return _placed(view, row, generator[keep], opponent[keep], instance[keep], verdict[keep], truth)


def _placed(
    view: View, row: int, generator: Ints, opponent: Ints, instance: Ints, verdict: Ints, truth: Ints
) -> Cells:
    """Return comparisons with the reference's outcome, which `truth` (generators, instances) ranks."""
    one, two = truth[generator, instance], truth[opponent, instance]
    return Cells(
        judge=np.full(len(generator), view.judges[row]),
        generator=view.generators[generator],
        opponent=view.generators[opponent],
        instance=instance,
        rubric=np.full(len(generator), -1),
        verdict=verdict.astype(np.float64),
        truth=np.where((one >= 0) & (two >= 0), np.sign(one - two), np.nan),
    )
