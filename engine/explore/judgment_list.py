"""The cells behind a number, and those on which a judge and outside judges differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.bitsets import Words
from engine.arrays.confusion import RubricCounts
from engine.arrays.group_by import group_views, single_view
from engine.arrays.index import encode, stored_responses
from engine.arrays.joint_verdicts import JointVerdicts, with_all_judges
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.references import NONE
from engine.arrays.resolve import ResolvedSlice
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.schema import COMPARABLE, RUBRIC_PARADIGMS
from engine.slices import NULL, Slice
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.pairs import PairOutcomes

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


# ------------------------------------------------------------------------------
# The cells of a study's arrays behind a number.


KINDS = {
    "overestimation": "passed by the judge, failed by the reference",
    "underestimation": "passed by the reference, failed by the judge",
    "disagreement": "judge and reference differ",
    "failed": "failed by the reference, whatever the judge says",
    "all": "every verdict, with or without a reference",
}
"""The kinds of cells. At instance level, "passed" means: not lost."""


@dataclass(frozen=True, eq=False)
class Cells(ParallelArrays):
    """Judgments as cells of the arrays; each field has shape (cells,).

    `judge`, `generator` and `opponent` hold models' positions (opponent -1 for rubric verdicts),
    `rubric` is -1 for comparisons of whole responses. `verdict` and `truth` are 1 for favourable and 0
    for unfavourable verdicts, +1, 0 and -1 for comparisons; `truth` is NaN without a reference.
    """

    judge: Ints
    generator: Ints
    opponent: Ints
    instance: Ints
    rubric: Ints
    verdict: Floats
    truth: Floats

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.judge)


def view_of(study: "StudyArrays", spec: Slice, by: str | None, value: str | None) -> SliceView:
    """Return the view of a slice, or of its part with `value` in the column `by`.

    The value is compared as text; `null` means missing. Raises UsageError that lists the possible values,
    NoDataError if the study has no such judgments.
    """
    pieces = group_views(study, spec, by, None, COMPARABLE)
    if by is None:
        return pieces[0].view
    views = {NULL if piece.value is None else str(piece.value): piece.view for piece in pieces}
    if value not in views:
        raise unknown(by.replace("_", " "), value, views)
    return views[value]


def cells_of(view: SliceView, kind: str, judge: str | None, generator: str | None) -> Cells:
    """Return the cells of one kind, sorted by judge, generator and place.

    `judge` and `generator` select one model. Raises UsageError for an unknown kind or model.
    """
    if kind not in KINDS:
        raise unknown("kind of row", kind, KINDS)
    rows = _places_of(view, judge, view.judges, "judge")
    columns = _places_of(view, generator, view.generators, "generator")
    if view.at_rubrics:
        return _of_rubrics(view, view.rubric, kind, rows, columns)
    return _of_comparisons(view, kind, rows, columns)


def _places_of(view: SliceView, name: str | None, models: Ints, role: str) -> Ints:
    """Return the places of one model among those shown, or all places."""
    if name is None:
        return np.arange(len(models))
    names = view.study.index.models
    if name not in names:
        raise unknown(role, name, [names[place] for place in models])
    return np.flatnonzero(models == names.index(name))


def _of_rubrics(view: SliceView, counts: RubricCounts, kind: str, rows: Ints, columns: Ints) -> Cells:
    planes, layout = counts.planes, view.study.index.layout
    cells = np.ix_(view.rows[rows], view.columns[columns])
    marks: Words = {
        "overestimation": planes.over,
        "underestimation": planes.under,
        "disagreement": planes.over | planes.under,
        "failed": planes.failed,
        "all": planes.cube.ok,
    }[kind]
    mask = np.broadcast_to(counts.mask, marks.shape)
    row, column, rubric = np.nonzero(layout.unpack(marks[cells] & mask[cells]))

    def at_marks(plane: Words) -> Bools:
        return layout.unpack(plane[cells])[row, column, rubric]

    return Cells(
        judge=view.judges[rows][row],
        generator=view.generators[columns][column],
        opponent=np.full(len(row), -1),
        instance=layout.instance_of[rubric],
        rubric=rubric,
        verdict=at_marks(planes.favourable).astype(np.float64),
        truth=np.where(at_marks(planes.counted), at_marks(planes.passed), np.nan),
    )


def _of_comparisons(view: SliceView, kind: str, rows: Ints, columns: Ints) -> Cells:
    """Return comparisons of the generator with every opponent shown, from the generator's point of view."""
    pieces = [part.select(_of_kind(part, kind)) for part in _comparisons(view, rows, single=kind == "all")]
    empty = np.zeros(0, dtype=np.int64)
    pieces.append(Cells(empty, empty, empty, empty, empty, np.zeros(0), np.zeros(0)))
    cells = Cells.concatenate(pieces)
    return cells.select(np.isin(cells.generator, view.generators[columns]))


def _of_kind(cells: Cells, kind: str) -> Bools:
    verdict, truth = cells.verdict, cells.truth
    has_truth = ~np.isnan(truth)
    marks: dict[str, Bools] = {
        "overestimation": (truth == -1) & (verdict > -1),
        "underestimation": (truth == 1) & (verdict < 1),
        "disagreement": has_truth & (verdict != truth),
        "failed": truth == -1,
        "all": np.ones(len(cells), dtype=bool),
    }
    return marks[kind]


def _comparisons(view: SliceView, rows: Ints, *, single: bool) -> Iterator[Cells]:
    """Yield the comparisons of each judge; with `single`, also pairs judged in one order only."""
    if isinstance(view.cube, PairCube):
        yield from (_pairs_of_judge(view, view.cube, row, single=single) for row in rows)
        return
    scores = view.scored
    if scores.reference.levels.shape[-1] == 0:
        raise UsageError("the study has no instances to compare responses on")
    for row in rows:
        levels, truth = (of.levels[min(row, len(of.levels) - 1)] for of in (scores.judge, scores.reference))
        shape = (len(levels), len(levels), levels.shape[-1])
        first, second = np.broadcast_to(levels[:, None], shape), np.broadcast_to(levels[None], shape)
        compared = (first >= 0) & (second >= 0) & ~np.eye(len(levels), dtype=bool)[:, :, None]
        generator, opponent, instance = np.nonzero(compared)
        verdict = np.sign(levels[generator, instance] - levels[opponent, instance])
        yield _comparison_cells(view, row, generator, opponent, instance, verdict, truth)


def _pairs_of_judge(view: SliceView, cube: PairCube, row: int, *, single: bool) -> Cells:
    """Return one judge's pairs, each from the point of view of both responses."""
    pairs = PairOutcomes.concatenate([cube.outcomes, cube.single_orders]) if single else cube.outcomes
    models = view.generators
    in_view = (
        (pairs.judge == view.judges[row]) & np.isin(pairs.generator, models) & np.isin(pairs.opponent, models)
    )
    pairs = pairs.select(in_view)
    first, second = np.searchsorted(models, pairs.generator), np.searchsorted(models, pairs.opponent)
    generator, opponent = np.concatenate([first, second]), np.concatenate([second, first])
    instance = np.concatenate([pairs.instance, pairs.instance])
    verdict = np.concatenate([pairs.outcome, -pairs.outcome])
    cells = view.cells_of_all[view.columns]
    keep = np.flatnonzero(cells[generator, instance] & cells[opponent, instance])
    keep = keep[np.lexsort((instance[keep], opponent[keep], generator[keep]))]
    levels = view.reference_scores.levels
    truth = levels[min(row, len(levels) - 1)]
    return _comparison_cells(view, row, generator[keep], opponent[keep], instance[keep], verdict[keep], truth)


def _comparison_cells(
    view: SliceView, row: int, generator: Ints, opponent: Ints, instance: Ints, verdict: Ints, truth: Ints
) -> Cells:
    """Return comparisons with the reference's outcome, by its levels `truth` (generators, instances)."""
    first, second = truth[generator, instance], truth[opponent, instance]
    return Cells(
        judge=np.full(len(generator), view.judges[row]),
        generator=view.generators[generator],
        opponent=view.generators[opponent],
        instance=instance,
        rubric=np.full(len(generator), -1),
        verdict=verdict.astype(np.float64),
        truth=np.where((first >= 0) & (second >= 0), np.sign(first - second), np.nan),
    )


# ------------------------------------------------------------------------------
# Texts of a study: search, and one text by its key.


def mentions(study: "StudyArrays", request: ResolvedSlice, cells: Cells, search: str) -> Bools:
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


def _reason_mentions(study: "StudyArrays", request: ResolvedSlice, cells: Cells, search: str) -> Bools:
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
        reason_keys = _key(study, (judge, generator), index.rubrics_of(table))
        return np.isin(_key(study, (cells.judge, cells.generator), cells.rubric), reason_keys)
    if request.traits.of_pairs:  # whichever response is the generator
        reason_keys = _key(study, (judge, *np.sort([generator, opponent], axis=0)), instance)
        pairs = np.sort([cells.generator, cells.opponent], axis=0)
        return np.isin(_key(study, (cells.judge, *pairs), cells.instance), reason_keys)
    reason_keys = _key(study, (judge, generator), instance)
    sides = (_key(study, (cells.judge, side), cells.instance) for side in (cells.generator, cells.opponent))
    return np.logical_or(*(np.isin(side, reason_keys) for side in sides))


def _key(study: "StudyArrays", models: Sequence[Ints], place: Ints) -> Ints:
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


# ------------------------------------------------------------------------------
# Two verdicts side by side: with one of a second judge on the same response, or on a second response.


ROLES = ("judge", "generator")


@dataclass(frozen=True)
class Beside:
    """The verdict to compare with each judgment: that of the judge `name`, or on the generator `name`.

    `differ` selects the judgments whose verdicts differ.
    """

    role: Literal["judge", "generator"]
    name: str
    differ: bool = False

    @classmethod
    def of(cls, text: str, *, differ: bool = False) -> "Beside":
        """Parse `judge:NAME` or `generator:NAME`; UsageError for anything else."""
        role, colon, name = text.partition(":")
        if role not in ROLES:
            raise unknown("role", role, ROLES)
        if not colon or not name:
            raise UsageError(f"{text!r} names no model; write {role}:NAME")
        return cls(role, name, differ)  # type: ignore[arg-type]

    def __str__(self) -> str:
        """Return the form that `of` parses."""
        return f"{self.role}:{self.name}"


@dataclass(frozen=True, eq=False)
class Pairs(Cells):
    """Cells with the verdict and the reference of the other judgment of each."""

    verdict_beside: Floats
    truth_beside: Floats


def pairs_of(view: SliceView, cells: Cells, beside: Beside) -> Pairs:
    """Return the cells that have another verdict to compare with; with `differ`, if the verdicts differ.

    Comparisons are matched by opponent. Raises UsageError for a model that is not among those shown.
    """
    of_judge = beside.role == "judge"
    others = cells_of(view, "all", *((beside.name, None) if of_judge else (None, beside.name)))
    keys, cell_keys = _pairing_key(view, others, of_judge), _pairing_key(view, cells, of_judge)
    itself = cells.judge if of_judge else cells.generator
    is_paired = np.isin(cell_keys, keys) & (itself != view.study.index.models.index(beside.name))
    order = np.argsort(keys)
    place = order[np.searchsorted(keys, cell_keys[is_paired], sorter=order)]
    pairs = Pairs(
        **vars(cells.select(is_paired)),
        verdict_beside=others.verdict[place],
        truth_beside=others.truth[place],
    )
    return pairs.select(pairs.verdict != pairs.verdict_beside) if beside.differ else pairs


def _pairing_key(view: SliceView, cells: Cells, of_judge: bool) -> Ints:
    """Return a number for each cell, equal for cells to compare with each other."""
    same = cells.generator if of_judge else cells.judge
    return _key(view.study, (same, cells.opponent), np.where(cells.rubric >= 0, cells.rubric, cells.instance))


# ------------------------------------------------------------------------------
# The cells on which a judge and the judges outside its family differ, with the judges on each side.
#
# `outside` and the conclusion on a judge are based on them (MEASURES section 15): the judge's verdict on its
# own response, compared with those of judges that have no stake in it.


@dataclass(frozen=True)
class DisputedCell:
    """A judge's verdict on a rubric of a response, and the judges outside both families on either side.

    `favourable` is the judge's verdict; `crediting` and `not_crediting` are the outside judges.
    """

    judge: str
    generator: str
    instance_id: str
    rubric_id: str
    favourable: bool
    crediting: tuple[str, ...]
    not_crediting: tuple[str, ...]

    @property
    def against(self) -> float:
        """The share of outside judges that disagree."""
        otherwise = self.not_crediting if self.favourable else self.crediting
        return len(otherwise) / (len(self.crediting) + len(self.not_crediting))


def disputed_cells(
    study: "StudyArrays",
    spec: Slice,
    judge: str,
    *,
    generator: str | None = None,
    truth: str | None = None,
    favourable: bool | None = None,
    limit: int | None = 50,
) -> list[DisputedCell]:
    """Return the cells on which a judge and at least one outside judge differ, the most contradicted first.

    `generator` defaults to the judge itself, `truth` (see `outside`) to `failed` with a reference and to
    `any` without; `favourable` selects the cells that the judge credits, or does not. Ties are in the order
    of the study. Raises UsageError for an unknown model, and for judgments other than rubric verdicts;
    NoDataError if the study has no such judgments.
    """
    models = study.index.models
    for name, role in ((judge, "judge"), (generator or judge, "generator")):
        if name not in models:
            raise unknown(role, name, models)
    spec = replace(spec, judges=(), level="rubric", reference=NONE if truth == "any" else spec.reference)
    view = with_all_judges(single_view(study, spec, None, RUBRIC_PARADIGMS))
    truth = truth or ("any" if view.request.source is None else "failed")
    if truth != "any" and view.request.source is None:
        raise UsageError(f"truth {truth!r} needs a reference, and the study has none; choose 'any'")
    joint = JointVerdicts.of(view, truth)
    author = models.index(generator or judge)
    if models.index(judge) not in view.judges or author not in view.generators:
        return []
    row = int(np.searchsorted(view.judges, models.index(judge)))
    column = int(np.searchsorted(view.generators, author))
    counted, credited = (joint.layout.unpack(plane[:, column]) for plane in (joint.counted, joint.favourable))
    unrelated = ~(joint.masks.own | joint.masks.family)[:, column]
    outside = joint.masks.outside[row] & (unrelated | (author == models.index(judge)))
    differ = (counted & (credited != credited[row]) & outside[:, None]).any(axis=0) & counted[row]
    if favourable is not None:
        differ &= credited[row] == favourable
    names = [models[j] for j in view.judges]
    cells = [
        DisputedCell(
            judge,
            generator or judge,
            study.index.instances[int(joint.layout.instance_of[place])].as_py(),
            study.index.rubric_ids[place].as_py(),
            bool(credited[row, place]),
            tuple(names[j] for j in np.flatnonzero(outside & counted[:, place] & credited[:, place])),
            tuple(names[j] for j in np.flatnonzero(outside & counted[:, place] & ~credited[:, place])),
        )
        for place in np.flatnonzero(differ).tolist()
    ]
    return sorted(cells, key=lambda cell: -cell.against)[:limit]
