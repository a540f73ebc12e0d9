"""`ranking`: the generators in the order of their scores, by each judge and by all (MEASURES section 3)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.cubes.responses import score_responses
from engine.errors import UsageError
from engine.measures.table import Column, Table, stack
from engine.metrics.overestimation import mean_of_defined
from engine.metrics.ranking import complete_scores, ranks
from engine.metrics.scores import ScoreKind, system_score
from engine.references import COMMITTEE, NONE
from engine.slices import Slice
from engine.views import View
from engine.views.counted import Counted, combine

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NO_SCORE = "no_complete_instance"

ALL = "all"
"""All judges together."""


@dataclass(frozen=True, eq=False)
class SystemScores:
    """Scores of sources, shape (..., sources, generators), and the complete instances of each."""

    scores: Counted
    complete: NDArray[np.int64]
    dropped: int


@dataclass(frozen=True, eq=False)
class Source:
    """Who ranks: the scores, shape (..., generators), their complete instances, and what was `dropped`."""

    name: str
    scores: Counted
    complete: int
    dropped: int = 0


def prepare(study: "StudyArrays", spec: Slice, options: Mapping[str, Any], by: str | None) -> Slice:  # noqa: ARG001
    """Return the slice without a reference where the choice of one is open: no judge's score needs it."""
    if spec.reference is not None:
        return spec
    try:
        study.references.choose(None)
    except UsageError:
        return replace(spec, reference=NONE)
    return spec


def compute(view: View, options: Mapping[str, Any]) -> Table:  # noqa: ARG001 - every measure takes options
    """Return a row for each source and model that it scored in a complete instance."""
    found = list(sources(view))
    rows = [_rows(view, source) for source in found]
    columns = {name: stack([row[name] for row in rows]) for name in rows[0]}
    keep = ~np.isnan(np.array(columns["score"].values, dtype=np.float64))
    left_out = {code: n for code, n in view.left_out.items() if code not in ("no_reference", "reference_tie")}
    told = next(source for source in found if source.name == ALL)
    return Table(columns, keep, told.complete, left_out | {"incomplete": told.dropped})


def sources(view: View) -> Iterator[Source]:
    """Yield every judge, all of them together in three ways, the committees, and the reference last."""
    judged = _system_scores(view, view.scored.judge.values)
    for place, judge in enumerate(view.judges):
        scores = judged.scores.apply(_of_source(place))
        yield Source(view.study.index.models[judge], scores, int(judged.complete[place]))
    instances = int(judged.complete.max(initial=0))
    for name, among in _judges_of_each(view).items():
        yield Source(name, judged.scores.apply(_mean_over(among)), instances, judged.dropped)
    for name, values in _truths(view):
        told = _system_scores(view, values)
        yield Source(name, told.scores.apply(_of_source(0)), int(told.complete[0]))


def _system_scores(view: View, values: Floats) -> SystemScores:
    """Return the mean scores over each source's complete instances."""
    whole = complete_scores(values)
    kind = cast("ScoreKind", view.request.spec.scores)
    totals = Counted.over_instances(whole.values, view.weights)
    numbers = Counted.over_instances(whole.complete.astype(np.int64), view.weights)

    def mean(total: Floats, number: Floats) -> Floats:
        scores = system_score(total, np.asarray(number)[..., None], kind)
        return np.where(whole.scored, scores, np.nan)

    scores, draws = combine(mean, totals, numbers)
    dropped = (~np.isnan(values) & ~whole.complete[:, None, :]).sum()
    return SystemScores(Counted(scores, draws), whole.complete.sum(axis=-1), int(dropped))


def _judges_of_each(view: View) -> dict[str, Bools]:
    """Return by name which judges' scores are averaged for each model, shape (judges, generators)."""
    kin = view.kin
    return {
        ALL: np.ones_like(kin.own),
        "all-without-self": ~kin.own,
        "all-without-family": kin.other,
    }


def _of_source(place: int) -> Any:
    """Return the function that picks one source's scores."""
    return lambda scores: scores[..., place, :]


def _mean_over(among: Bools) -> Any:
    """Return the function that averages scores over the judges that each model is left with."""
    return lambda scores: mean_of_defined(np.swapaxes(np.where(among, scores, np.nan), -1, -2))


def _truths(view: View) -> Iterator[tuple[str, Floats]]:
    """Yield the committees' and the reference's scores, shape (1, generators, instances)."""
    committees = [COMMITTEE + name for name in view.study.info.committees]
    for name, source in [*((name, name) for name in committees), ("reference", view.request.source)]:
        values = _scores_by(view, source)
        if len(values) == 1:  # else the rubrics kept differ from judge to judge
            yield name, values


def _scores_by(view: View, source: str | None) -> Floats:
    """Return a source's scores of the responses shown, NaN where it has none."""
    spec = replace(view.request.spec, exclude_family=False, leave_self_out=False)
    request = replace(view.request, spec=spec, source=source)
    index, truth = view.study.index, view.study.reference_planes(view.cube, request)
    mask = index.layout.pack(np.ones((1, 1, index.n_rubrics), dtype=bool))
    if request.of_rubrics:
        mask = view.rubric.shown_mask
    met, has = (plane[:, view.columns] for plane in (truth.met, truth.has))
    values = score_responses(index, met, has, mask, cast("ScoreKind", spec.scores)).values
    if request.of_rubrics:
        return values
    kept = view.kept_cells
    return np.where(kept if len(kept) == 1 else kept[view.columns], values, np.nan)


def _rows(view: View, source: Source) -> dict[str, Column]:
    """Return the rows of one source."""
    names = [view.study.index.models[g] for g in view.generators]
    rank, rank_draws = combine(ranks, source.scores)
    return {
        "by": Column([source.name] * len(names)),
        "model": Column(names),
        "rank": Column(rank, rank_draws, NO_SCORE),
        "score": Column(source.scores.total, source.scores.draws, NO_SCORE),
        "n": Column([source.complete] * len(names)),
    }
