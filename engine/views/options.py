"""Score-rubric judgments in one slice, judge by judge (MEASURES section 12)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.cubes.options import (
    OptionCube,
    OptionFailures,
    OptionRows,
    Scale,
    read_human_scores,
    read_options,
)
from engine.errors import UsageError
from engine.masks import instance_mask, rubric_mask
from engine.references import NONE
from engine.request import LackingError, Request, settle
from engine.slices import Slice
from engine.views.counted import Counted, Weights

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PARADIGM = "score_rubric"
ROW_GROUPS = ("run", "variant", "transform", "ordering")
ITEM_GROUPS = ("rubric", "axis", "theme", "category", "language")
"""What score-rubric judgments can be grouped by besides; `rubric` is the rubric's id."""


@dataclass(frozen=True, eq=False)
class JudgeScores:
    """One judge's scores on one scale. `human` is the human score of each row's item, NaN where none."""

    name: str
    scale: Scale
    rows: OptionRows
    human: Floats
    n_instances: int
    weights: Weights | None

    def select(self, keep: Bools) -> "JudgeScores":
        """Return the same with some of the rows."""
        return replace(self, rows=self.rows.select(keep), human=self.human[keep])

    @property
    def chosen(self) -> "JudgeScores":
        """The rows in which an option was chosen: its runs are not divided."""
        return self.select(self.rows.choice >= 0)

    @property
    def positions(self) -> Ints:
        """Where the chosen option stood, from 0; only for rows in which one was chosen."""
        places = np.argsort(self.scale.orderings, axis=1)
        return np.asarray(places[self.rows.ordering, self.rows.choice])

    @property
    def selections(self) -> Counted:
        """How often each score was chosen at each position, shape (..., scores, positions)."""
        n, rows = len(self.scale.scores), self.chosen
        cell = rows.rows.choice * n + rows.positions
        counts = np.bincount(
            cell * self.n_instances + rows.rows.instance, minlength=n * n * self.n_instances
        ).reshape(n, n, self.n_instances)
        return Counted.over_instances(counts, self.weights)


@dataclass(frozen=True, eq=False)
class OptionSlice:
    """The rows that a slice keeps, those that fail, and what was settled; `value` is the group's."""

    study: "StudyArrays"
    request: Request
    scales: tuple[Scale, ...]
    rows: OptionRows
    failures: OptionFailures
    weights: Weights | None
    value: str | float | None = None

    def judges(self, rows: OptionRows) -> Iterator[JudgeScores]:
        """Yield what each judge scored on each scale, of the rows given."""
        human = self._human(rows.item)
        for judge in np.unique(rows.judge):
            for number, scale in enumerate(self.scales):
                here = (rows.judge == judge) & (rows.scale == number)
                if here.any():
                    yield JudgeScores(
                        self.study.index.models[judge],
                        scale,
                        rows.select(here),
                        human[here],
                        self.study.index.n_instances,
                        self.weights,
                    )

    def left_out(self, taken: Bools, selections: bool) -> dict[str, int]:
        """Return the counts of judgment rows: failures by code, rows not `taken` (other trials), and merged.

        `taken` has the shape of the slice's rows. Of `selections`, runs that are divided leave none.
        """
        counts = dict.fromkeys(("unparsed", "refused", "error", "other_ordering", "off_scale"), 0)
        codes, numbers = np.unique(self.failures.code.astype(str), return_counts=True)
        counts |= dict(zip(codes.tolist(), numbers.tolist(), strict=True))
        stands = self.rows.choice >= 0 if selections else np.ones(len(taken), dtype=bool)
        return counts | {
            "other_trial": int(self.rows.votes[~taken].sum()),
            "merged": int((self.rows.votes - stands)[taken].sum()),
        }

    def filters(self) -> dict[str, Any]:
        """Return all that applied; `reference` names whose scores stand for people's."""
        settled = self.request.filters()
        return {
            name: value for name, value in settled.items() if name not in ("level", "scores", "relatives")
        }

    def _human(self, item: Ints) -> Floats:
        source = self.request.source
        scores = self.study.remember(
            ("human scores", source), lambda: read_human_scores(self.study.files, self.study.index, source)
        )
        return scores.of(item)


def option_slices(
    study: "StudyArrays", spec: Slice, by: str | None, weights: Weights | None
) -> list[OptionSlice]:
    """Return the score-rubric judgments that a slice keeps, by group.

    Raises UsageError for a filter that such judgments cannot have, LackingError where there are none.
    """
    if spec.position:
        raise UsageError("the position of the chosen option is what is measured here; leave out --position")
    if by not in ROW_GROUPS:
        whole = _slice(study, spec, weights)
        return [whole] if by not in ITEM_GROUPS else list(_grouped(whole, by))
    stored = "run_id" if by == "run" else by
    made = []
    for value in study.inventory.values(stored, paradigm=PARADIGM):
        asked = getattr(spec, by)
        if value is None or (asked and value != asked and value not in asked):
            continue
        try:
            narrowed: Any = {by: (value,) if by == "run" else value}
            one = _slice(study, replace(spec, **narrowed), weights)
        except LackingError:
            continue
        made.append(replace(one, value=value))
    if not made:
        raise LackingError(f"the study has no {PARADIGM} judgments with a {by}")
    return made


def _slice(study: "StudyArrays", spec: Slice, weights: Weights | None) -> OptionSlice:
    request = settle(study, replace(spec, reference=_source(study, spec)), (PARADIGM,))
    cube: OptionCube = study.remember(
        ("options", request.selection), lambda: read_options(study.files, study.index, request.selection)
    )
    rubrics = rubric_mask(study.index, spec)

    def kept(rows: OptionRows | OptionFailures) -> Bools:
        keep = rubrics[rows.rubric] if len(rubrics) else np.zeros(len(rows.rubric), dtype=bool)
        bare = rows.rubric < 0
        if bare.any():
            keep = np.where(bare, instance_mask(study.index, spec, rubrics)[rows.instance], keep)
        for models, names in ((rows.judge, spec.judges), (rows.generator, spec.generators)):
            if names:
                keep = keep & np.isin(models, [study.index.models.index(name) for name in names])
        return keep

    rows, failures = cube.rows.select(kept(cube.rows)), cube.failures.select(kept(cube.failures))
    return OptionSlice(study, request, cube.scales, rows, failures, weights)


def _source(study: "StudyArrays", spec: Slice) -> str:
    """Return whose scores stand for people's: theirs, unless another source is asked for."""
    if spec.reference is not None:
        return spec.reference
    return "human" if "human" in study.references.sources else NONE


def _grouped(whole: OptionSlice, by: str) -> Iterator[OptionSlice]:
    """Yield the slice's groups by a column of rubrics or instances; what has no value comes last."""
    index = whole.study.index

    def values(rows: OptionRows | OptionFailures) -> NDArray[np.object_]:
        if by in ("category", "language"):
            return index.instance_fields[by][rows.instance]
        of_rubric = np.empty(index.n_rubrics + 1, dtype=object)  # the last one for rows without a rubric
        of_rubric[:-1] = index.rubric_ids.to_pylist() if by == "rubric" else index.rubric_fields[by]
        found: NDArray[np.object_] = of_rubric[rows.rubric]
        if by == "theme":
            found = np.where(rows.rubric < 0, index.instance_fields[by][rows.instance], found)
        return found

    given, failed = values(whole.rows), values(whole.failures)
    named: set[Any] = {*given.tolist(), *failed.tolist()}
    for value in [*sorted(value for value in named if value is not None), *([None] if None in named else [])]:
        here, lost = (np.array([one == value for one in side], dtype=bool) for side in (given, failed))
        yield replace(whole, rows=whole.rows.select(here), failures=whole.failures.select(lost), value=value)
