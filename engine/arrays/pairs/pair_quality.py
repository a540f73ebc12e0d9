"""The quality of responses, by judges of quality or by the reference (MEASURES section 9)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.arrays.index import Relatives, positions
from engine.arrays.judgment_rows import Repeats, Selection
from engine.arrays.scores.scores import QualityCube, read_quality
from engine.arrays.scores.true_scores import true_scores
from engine.arrays.scores.unscored_answers import why_no_true_score
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.truths.references import Exclusion
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.phrases import join_names
from engine.schema import DIMENSIONS
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints
from engine.stats.scores.ranks import TOLERANCE
from engine.stats.scores.system_scores import ScoreKind
from engine.wording import Sentence, option

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


EDGES = (0.25, 0.5, 1, 1.5, 2)  # the differences of quality by which pairs are grouped


@dataclass(frozen=True, eq=False)
class Quality:
    """Q of responses by judges of quality, or by the reference."""

    values: Floats  # (judges shown or 1, models, instances), NaN for none
    judges: tuple[str, ...] = ()
    relatives: tuple[str, ...] = ()  # those of the judges that are related to a model they rate

    def of(self, row: Ints, model: Ints, instance: Ints) -> Floats:
        """Return Q of responses; `row` is the place of the judge among those shown."""
        return np.asarray(self.values[np.minimum(row, len(self.values) - 1), model, instance])

    def equal(self, row: Ints, one: Ints, two: Ints, instance: Ints, epsilon: float) -> Bools:
        """Return which pairs of responses are of equal quality."""
        return near(self.of(row, one, instance), self.of(row, two, instance), epsilon)

    def better(self, row: Ints, one: Ints, two: Ints, instance: Ints, gap: float) -> Ints:
        """Return 1 where the first response is better by the gap or more, -1 where the second is, else 0."""
        first, second = self.of(row, one, instance), self.of(row, two, instance)
        return np.where(far(first, second, gap), np.sign(first - second), 0).astype(np.int64)

    def unknown(self, row: Ints, one: Ints, two: Ints, instance: Ints) -> Bools:
        return np.isnan(self.of(row, one, instance)) | np.isnan(self.of(row, two, instance))


HIGHEST = 10
"""The best quality; the worst is 0."""


def check_difference(name: str, value: float) -> None:
    """Raise UsageError for an epsilon or a gap that no two qualities can have between them."""
    if not 0 <= value <= HIGHEST:
        where = f"above {HIGHEST}, the largest difference of two qualities" if value > 0 else "below 0"
        raise UsageError(f"{name} {value!r} is {where}; give a quality difference such as 0.25, of {HIGHEST}")


def near(one: Floats, two: Floats, epsilon: float) -> Bools:
    """Return where two qualities differ by at most epsilon; False for NaN."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(one - two) <= epsilon + TOLERANCE)


def far(one: Floats, two: Floats, gap: float) -> Bools:
    """Return where two qualities differ by at least a gap."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(one - two) >= gap - TOLERANCE)


def distance_groups(distance: Floats) -> Iterator[tuple[str, Bools]]:
    """Yield the groups of pairs by their difference in quality; NaN is in none."""
    place = np.searchsorted(np.array(EDGES) + TOLERANCE, distance, side="left")
    names = [f"{low:g}-{high:g}" for low, high in pairwise((0, *EDGES))] + [f"{EDGES[-1]:g}-"]
    for number, name in enumerate(names):
        yield name, (place == number) & ~np.isnan(distance)


def quality_of(view: SliceView, options: Mapping[str, Any]) -> Quality:
    """Return Q by the options, over all models; NoDataError without it, UsageError for ambiguous judges."""
    if options["quality"] == "reference":
        scores = reference_scores(view)
        if np.isnan(scores).all() and (why := why_no_true_score(view)):
            raise NoDataError(why)
        return Quality(10 * scores)
    return judged_quality(view.study, view.request.spec, options)


def judged_quality(study: "StudyArrays", spec: Slice, options: Mapping[str, Any]) -> Quality:
    """Return Q by judges of quality, the same for all judges of pairs; raises the errors of `quality_of`."""
    cube, index = stored_quality(study, spec), study.index
    judges = quality_judges(cube, index.models, tuple(options["quality_judges"]))
    relations = index.relations(judges, cube.rated, cast("Relatives", spec.relatives))
    relatives = judges[relations.family_with_self.any(axis=1)]
    scores = cube.scores[np.searchsorted(cube.judges, judges)].mean(axis=0, keepdims=True)
    if np.isnan(scores).all():
        raise NoDataError(_why_no_quality(study))
    return Quality(scores, tuple(index.models[j] for j in judges), tuple(index.models[j] for j in relatives))


def has_quality(study: "StudyArrays") -> bool:
    """Return whether there are judgments of quality, which count whatever runs are chosen."""
    whole = study.inventory_of_all_runs
    return whole.total(paradigm="quality", variant="default", transform="none") > 0


def stored_quality(study: "StudyArrays", spec: Slice) -> QualityCube:
    """Return the quality rows of a study; NoDataError if it has none."""
    if not has_quality(study):
        reference = option("quality", "reference")
        if study.references.sources:
            remedy = Sentence("choose ", reference, " to use the reference's scores")
        else:
            remedy = Sentence(f"other scores by judges are none; {_IMPORT_TRUE_SCORES}, and give ", reference)
        of = f"scores by judges on {join_names(DIMENSIONS)}"
        raise NoDataError(f"the study has no quality judgments, which are {of}; ", remedy)
    selection = Selection(paradigm="quality", repeats=cast("Repeats", spec.repeats))
    return study.remember(("quality", selection), lambda: read_quality(study.files, study.index, selection))


def _why_no_quality(study: "StudyArrays") -> Sentence:
    """Return what the quality judgments lack where they give no answer a quality."""
    rated = study.files.table("judgments", ("rubric_id",), {"paradigm": ("quality",)})["rubric_id"]
    names = sorted({str(name) for name in rated.unique().to_pylist()} - set(DIMENSIONS))
    beside = f"; the judgments of quality are on {join_names(names, 4)}" if names else ""
    return Sentence(
        f"no answer has a score by every judge of quality on each of {join_names(DIMENSIONS)}{beside}; one "
        "score of the whole answer can be imported as a true score instead, for ",
        option("quality", "reference"),
    )


_IMPORT_TRUE_SCORES = (
    "import true scores of the answers, as `reference_score` beside a criterion (`rubric_id`)"
)


def quality_judges(cube: QualityCube, models: tuple[str, ...], names: tuple[str, ...]) -> Ints:
    present = [models[j] for j in cube.judges]
    for name in names:
        if name not in present:
            raise unknown("judge of quality", name, present)
    if names:
        return positions(names, models)
    unrated = np.setdiff1d(cube.judges, cube.rated)
    if len(unrated) == 0:
        raise UsageError(
            "every quality judge is itself rated; choose whose scores count with ",
            option("quality_judges"),
            f": {', '.join(present)}",
        )
    return unrated


def reference_scores(view: SliceView) -> Floats:
    """Return `scores_by_reference` by the view's reference, for the judges shown."""
    request, kind = view.request, cast("ScoreKind", view.request.spec.scores)
    return scores_by_reference(view.study, request.source, view.judges, request.exclusion, kind)


def scores_by_reference(
    study: "StudyArrays", source: str | None, judges: Ints, exclusion: Exclusion, kind: ScoreKind
) -> Floats:
    """Return a reference's scores, (judges or 1, models, instances); NoDataError without a reference."""
    if source is None:
        has_preferences = study.files.table("preferences", ["source"]).num_rows > 0
        but = "; preferences on pairs do not make one" if has_preferences else ""
        raise NoDataError(f"the study has no reference that scores answers{but}; {_IMPORT_TRUE_SCORES}")
    models = np.arange(len(study.index.models))
    truth = study.references.planes(source, judges, models, exclusion)
    return true_scores(study, source, truth, models, kind)
