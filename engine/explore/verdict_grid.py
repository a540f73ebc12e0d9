"""All judges' verdicts on the answers to one question: a row for each answer and criterion."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from engine.arrays.slicing.resolve import NoDataError, ResolvedSlice, resolve
from engine.arrays.slicing.slice_masks import instance_mask, rubric_mask
from engine.errors import UsageError, unknown
from engine.explore.judgment_detail import passed_or_failed
from engine.explore.judgment_page import relation
from engine.paradigms import PARADIGMS, ParadigmTraits
from engine.slices import Slice
from engine.stats import Bools

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

Row = Mapping[str, Any]
Place = tuple[str, str | None, str | None]
"""What a row of the grid is about: who answered, the other answer of a pair, and the rubric."""

UNREADABLE = "unparsed"
"""The status of a stored judgment that holds nothing to read."""

IDLE = (
    *("level", "scores", "position", "response_length", "min_agreement", "agreement_of"),
    *("agreement_without_family", "exclude_family", "leave_self_out", "repeats"),
)
"""Filters without effect on a grid, which shows every stored verdict."""


@dataclass(frozen=True)
class GridCell:
    """One judge's verdicts on one row: how often it gave each, and how often it gave none, by status."""

    verdicts: Mapping[str, int]
    without: Mapping[str, int]
    relation: str


@dataclass(frozen=True)
class GridRow:
    """An answer and what it is judged by; `cells` are of the judges that judged it.

    `reference` is the verdict taken as true, None without one.
    """

    generator: str
    opponent: str | None
    rubric_id: str | None
    criterion: str | None
    reference: str | None
    cells: Mapping[str, GridCell]

    @property
    def differs(self) -> bool:
        """Whether two judges gave different verdicts."""
        return len({frozenset(cell.verdicts) for cell in self.cells.values() if cell.verdicts}) > 1


@dataclass(frozen=True)
class VerdictGrid:
    """The grid of a question; without rows, `reason` says why."""

    request: ResolvedSlice | None
    judges: tuple[str, ...] = ()
    rows: tuple[GridRow, ...] = ()
    reason: str | None = None


def verdict_grid(
    study: "StudyArrays", spec: Slice, instance_id: str, generator: str | None = None
) -> VerdictGrid:
    """Return every judge's verdicts on the answers to a question, or on one of them.

    Filters of rubrics select criteria. Verdicts on pairs are from the point of view of the row's answer, of
    either answer where one is chosen. Raises UsageError for an unknown name.
    """
    _check(study, instance_id, generator)
    try:
        request = resolve(study, spec, PARADIGMS)
    except NoDataError as error:
        return VerdictGrid(None, reason=str(error))
    keep = rubric_mask(study.index, request.spec)
    rubrics = _rubrics(study, instance_id, keep)
    seen: dict[Place, dict[str, list[Row]]] = {}
    for row in _stored(study, request, instance_id, keep):
        place = _place(row, request.traits, generator)
        if place is None or (request.of_rubrics and place[2] not in rubrics):
            continue
        seen.setdefault(place, {}).setdefault(row["judge"], []).append(row)
    if not seen:
        what = f"{request.paradigm} judgment with variant {request.selection.variant!r}"
        return VerdictGrid(request, reason=f"no {what} of this question is in this slice")
    references = _references(study, request, instance_id, rubrics)
    models = {name: place for place, name in enumerate(study.index.models)}
    order = {name: place for place, name in enumerate(rubrics)}

    def in_order(place: Place) -> tuple[int, int, int, str]:
        generator, opponent, rubric = place
        return models[generator], models.get(opponent or "", -1), order.get(rubric, -1), rubric or ""

    rows = []
    for place in sorted(seen, key=in_order):
        of_judges = seen[place].items()
        cells = {judge: _cell(study, request, judge, place, rubrics, given) for judge, given in of_judges}
        criterion = rubrics[place[2]]["criterion"] if place[2] in rubrics else None
        rows.append(GridRow(*place, criterion, references.get((place[0], place[2])), cells))
    judges = sorted({judge for row in rows for judge in row.cells}, key=models.__getitem__)
    return VerdictGrid(request, tuple(judges), tuple(rows))


def _check(study: "StudyArrays", instance_id: str, generator: str | None) -> None:
    """Raise UsageError for a question or a model that the study does not have."""
    index = study.index
    if instance_id not in index.instances.to_pylist():
        example = index.instances[0].as_py() if len(index.instances) else "none"
        remedy = f"use an instance_id of its table `instances`, such as {example!r}"
        raise UsageError(f"the study has no question {instance_id!r}; {remedy}")
    if generator is not None and generator not in index.models:
        raise unknown("model", generator, index.models)


def _stored(study: "StudyArrays", request: ResolvedSlice, instance_id: str, keep: Bools) -> list[Row]:
    """Return the stored judgments of the question; none if the filters drop the question."""
    if not request.of_rubrics:
        questions = instance_mask(study.index, request.spec, keep)
        if not questions[study.index.instances.index(instance_id).as_py()]:
            return []
    columns = ["judge", "generator", "opponent", "rubric_id", "met", "score", "choice", "status"]
    where = {**request.selection.where(), "instance_id": (instance_id,)}
    if request.spec.judges:
        where["judge"] = request.spec.judges
    if request.spec.generators:
        where["generator"] = request.spec.generators
    if request.spec.generators and request.traits.of_pairs:
        where["opponent"] = request.spec.generators
    rows: list[Row] = study.files.judgments(columns, where).to_pylist()
    return rows


def _place(row: Row, traits: ParadigmTraits, generator: str | None) -> Place | None:
    """Return the row of the grid that a judgment belongs to; None if it is not on the chosen answer."""
    sides = [row["generator"], *([row["opponent"]] if traits.of_pairs else [])]
    if generator is not None and generator not in sides:
        return None
    if generator is not None:
        sides.sort(key=lambda name: name != generator)
    return sides[0], sides[1] if traits.of_pairs else None, row["rubric_id"]


def _rubrics(study: "StudyArrays", instance_id: str, keep: Bools) -> dict[str | None, Row]:
    """Return the question's rubrics that the filters `keep`, by id, in the study's order."""
    columns = ("instance_id", "rubric_id", "criterion", "points")
    table = study.files.table("rubrics", columns, {"instance_id": (instance_id,)})
    if not len(table):
        return {}
    rows = table.filter(pa.array(keep[study.index.rubrics_of(table)])).to_pylist()
    return {row["rubric_id"]: row for row in rows}


def _references(
    study: "StudyArrays", request: ResolvedSlice, instance_id: str, rubrics: Mapping[str | None, Row]
) -> dict[tuple[str, str | None], str]:
    """Return the stored reference verdicts of the slice's source, by answer and rubric."""
    if not request.of_rubrics or request.source is None:
        return {}
    where = {"instance_id": (instance_id,), "source": study.references.stored_as(request.source)}
    rows = study.files.table("references", ("generator", "rubric_id", "met"), where).to_pylist()
    votes: dict[tuple[str, str | None], list[bool]] = {}
    for row in rows:
        if row["met"] is not None and row["rubric_id"] in rubrics:
            votes.setdefault((row["generator"], row["rubric_id"]), []).append(row["met"])
    return {
        place: passed_or_failed(2 * sum(given) > len(given), rubrics[place[1]])
        for place, given in votes.items()
        if 2 * sum(given) != len(given)
    }


def _cell(
    study: "StudyArrays",
    request: ResolvedSlice,
    judge: str,
    place: Place,
    rubrics: Mapping[str | None, Row],
    given: list[Row],
) -> GridCell:
    index = study.index
    sides = [name for name in place[:2] if name is not None]
    relations = {
        relation(index, request, index.models.index(judge), index.models.index(name)) for name in sides
    }
    nearest = next(kind for kind in ("self", "family", "other") if kind in relations)
    verdicts: Counter[str] = Counter()
    without: Counter[str] = Counter()
    for row in given:
        verdict = _verdict(row, request.traits, place[0], rubrics) if row["status"] == "ok" else None
        if verdict is not None:
            verdicts[verdict] += 1
        else:
            without[row["status"] if row["status"] != "ok" else UNREADABLE] += 1
    return GridCell(dict(sorted(verdicts.items())), dict(sorted(without.items())), nearest)


def _verdict(
    row: Row, traits: ParadigmTraits, generator: str, rubrics: Mapping[str | None, Row]
) -> str | None:
    """Return a verdict in words, from the point of view of one answer; None if the row holds none."""
    if traits.gives == "verdict":
        return None if row["met"] is None else passed_or_failed(row["met"], rubrics[row["rubric_id"]])
    if traits.gives in ("outcome", "author"):
        if row["choice"] is None:
            return None
        if row["choice"] == "tie":
            return "tie"
        is_this = row[row["choice"]] == generator
        if traits.gives == "author":
            return "taken for its own" if is_this else "the other taken for its own"
        return "won" if is_this else "lost"
    if row["score"] is None:
        return None
    if traits.gives == "ranks":
        return f"rank {row['score']:g}"
    return f"{'log-probability' if traits.gives == 'likelihood' else 'score'} {row['score']:.3g}"
