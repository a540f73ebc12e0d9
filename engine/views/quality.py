"""The quality of responses, by judges of quality or by the reference (MEASURES section 9)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.cubes.index import Relatives, positions
from engine.cubes.pair_rows import Bools, Floats, Ints
from engine.cubes.quality import QualityCube, read_quality
from engine.cubes.responses import score_responses
from engine.cubes.rows import Repeats, Selection
from engine.errors import UsageError, unknown
from engine.metrics.scores import ScoreKind
from engine.references import Exclusion
from engine.request import LackingError
from engine.slices import Slice
from engine.views.view import View

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

TOLERANCE = 1e-9
EDGES = (0.25, 0.5, 1, 1.5, 2)
"""The differences of quality that pairs are grouped by."""


@dataclass(frozen=True, eq=False)
class Quality:
    """Q of shape (judges shown or 1, models, instances), NaN where a response has none.

    `judges` are the judges of quality, `kin` those of them that are kin to a model they rate.
    """

    values: Floats
    judges: tuple[str, ...] = ()
    kin: tuple[str, ...] = ()

    def of(self, row: Ints, model: Ints, instance: Ints) -> Floats:
        """Return Q of responses; `row` is the place of the judge among those shown."""
        found: Floats = self.values[np.minimum(row, len(self.values) - 1), model, instance]
        return found

    def equal(self, row: Ints, one: Ints, two: Ints, instance: Ints, epsilon: float) -> Bools:
        """Return which pairs of responses are of equal quality."""
        return near(self.of(row, one, instance), self.of(row, two, instance), epsilon)

    def better(self, row: Ints, one: Ints, two: Ints, instance: Ints, gap: float) -> Ints:
        """Return 1 where the first response is better by the gap or more, -1 where the second is, else 0."""
        first, second = self.of(row, one, instance), self.of(row, two, instance)
        return np.where(far(first, second, gap), np.sign(first - second), 0).astype(np.int64)

    def unknown(self, row: Ints, one: Ints, two: Ints, instance: Ints) -> Bools:
        """Return of which pairs nothing says whether they are of equal quality."""
        return np.isnan(self.of(row, one, instance)) | np.isnan(self.of(row, two, instance))


def near(one: Floats, two: Floats, epsilon: float) -> Bools:
    """Return where two qualities differ by at most epsilon; NaN is near nothing."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(one - two) <= epsilon + TOLERANCE)


def far(one: Floats, two: Floats, gap: float) -> Bools:
    """Return where two qualities differ by at least a gap."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(one - two) >= gap - TOLERANCE)


def distance_groups(apart: Floats) -> Iterator[tuple[str, Bools]]:
    """Yield the groups of pairs by how far apart they are in quality; NaN is in none."""
    place = np.searchsorted(np.array(EDGES) + TOLERANCE, apart, side="left")
    names = [f"{low:g}-{high:g}" for low, high in pairwise((0, *EDGES))] + [f"{EDGES[-1]:g}-"]
    for number, name in enumerate(names):
        yield name, (place == number) & ~np.isnan(apart)


def quality_of(view: View, options: Mapping[str, Any]) -> Quality:
    """Return Q as the options have it, over all models whatever is shown.

    Raises LackingError where nothing says what quality is, UsageError where the judges of quality are open.
    """
    if options["quality"] == "reference":
        return Quality(10 * reference_scores(view))
    return judged_quality(view.study, view.request.spec, options)


def judged_quality(study: "StudyArrays", spec: Slice, options: Mapping[str, Any]) -> Quality:
    """Return Q by judges of quality, the same for all judges of pairs; raises as `quality_of` does."""
    cube, index = stored_quality(study, cast("Repeats", spec.repeats)), study.index
    chosen = _quality_judges(cube, index.models, tuple(options["quality_judges"]))
    kinship = index.kinship(chosen, cube.rated, cast("Relatives", spec.relatives))
    kin = chosen[kinship.family_with_self.any(axis=1)]
    scores = cube.scores[np.searchsorted(cube.judges, chosen)].mean(axis=0, keepdims=True)
    return Quality(scores, tuple(index.models[j] for j in chosen), tuple(index.models[j] for j in kin))


def quality_cube(view: View) -> QualityCube:
    """Return the quality rows of the study; LackingError where it has none."""
    return stored_quality(view.study, cast("Repeats", view.request.spec.repeats))


def stored_quality(study: "StudyArrays", repeats: Repeats) -> QualityCube:
    """Return the quality rows of a study; LackingError where it has none."""
    if study.inventory.total(paradigm="quality", variant="default", transform="none") == 0:
        raise LackingError(
            "the study has no quality judgments; --quality reference takes the reference's scores instead"
        )
    selection = Selection(paradigm="quality", repeats=repeats)
    return study.remember(("quality", selection), lambda: read_quality(study.files, study.index, selection))


def _quality_judges(cube: QualityCube, models: tuple[str, ...], named: tuple[str, ...]) -> Ints:
    present = [models[j] for j in cube.judges]
    for name in named:
        if name not in present:
            raise unknown("judge of quality", name, present)
    if named:
        return positions(named, models)
    chosen = np.setdiff1d(cube.judges, cube.rated)
    if len(chosen) == 0:
        raise UsageError(
            f"every judge of quality is itself rated; name whose scores count with --quality-judges: "
            f"{', '.join(present)}"
        )
    return chosen


def reference_scores(view: View) -> Floats:
    """Return the reference's scores of all models: (judges shown or 1, models, instances)."""
    request = view.request
    kind = cast("ScoreKind", request.spec.scores)
    return true_scores(view.study, request.source, view.judges, request.exclusion, kind)


def true_scores(
    study: "StudyArrays", source: str | None, judges: Ints, exclusion: Exclusion, kind: ScoreKind
) -> Floats:
    """Return a reference's scores of all models, for each judge or for all: (judges or 1, models, instances).

    LackingError without a reference.
    """
    if source is None:
        raise LackingError("the study has no reference that says how good responses are")
    index = study.index
    truth = study.references.planes(source, judges, np.arange(len(index.models)), exclusion)
    every_rubric = index.layout.pack(np.ones((1, 1, index.n_rubrics), dtype=bool))
    return score_responses(index, truth.met, truth.has, every_rubric, kind).values
