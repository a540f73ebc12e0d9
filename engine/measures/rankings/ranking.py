"""`ranking`: the generators in the order of their scores, by each judge and by all (MEASURES section 3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np

from engine.arrays.bits.confusion import Resampled, combine
from engine.arrays.scores.scores import score_responses
from engine.arrays.scores.true_scores import true_scores
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.reference_planes import ReferencePlanes
from engine.arrays.truths.references import COMMITTEE, NONE
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures import entry
from engine.measures.entry import Measure
from engine.measures.rows import Column, Options, Table, stack_rows
from engine.paradigms import RESPONSE_SCORES
from engine.slices import Option, Slice
from engine.stats import Bools, Floats, Ints, ratios
from engine.stats.judges.strictness import scores_of_equal_strictness
from engine.stats.scores import ranks, system_scores

NO_SCORE = "no_complete_instance"

ALL = "all"
"""All judges together."""

EQUAL = "equal"
STRICTNESS = Option(
    "strictness",
    "name",
    "how judges are combined: as they are (own), or as judges of equal strictness would score, so that a "
    "model does not gain by a strict judge that is left out",
    "own",
    ("own", EQUAL),
)


@dataclass(frozen=True, eq=False)
class RankingSource:
    """A ranking source: its scores, shape (..., generators), complete instances, and what was `dropped`."""

    name: str
    scores: Resampled
    complete: int
    dropped: int = 0


def prepare_ranking(study: StudyArrays, spec: Slice, _options: Options, _by: str | None) -> Slice:
    """Return the slice without a reference if the choice of one is ambiguous: no judge's score needs it."""
    if spec.reference is not None:
        return spec
    try:
        study.references.choose(None)
    except UsageError:
        return replace(spec, reference=NONE)
    return spec


def ranking_table(view: SliceView, options: Options) -> Table:
    """Return a row for each source and model that it scored in a complete instance."""
    names = [view.study.index.models[g] for g in view.generators]
    all_sources = list(sources(view, equal_strictness=options["strictness"] == EQUAL))
    rows = []
    for source in all_sources:
        row = {"by": Column([source.name] * len(names)), "model": Column(names)}
        row["rank"] = Column(*combine(ranks.ranks, source.scores), NO_SCORE)
        row["score"] = Column(source.scores.total, source.scores.draws, NO_SCORE)
        rows.append(row | {"n": Column([source.complete] * len(names))})
    columns = stack_rows(rows)
    keep = ~np.isnan(np.array(columns["score"].values, dtype=np.float64))
    everyone = _of_all_judges(all_sources)
    return Table(columns, keep, everyone.complete, left_out_of_rankings(view, everyone))


def left_out_of_rankings(view: SliceView, everyone: RankingSource) -> dict[str, int]:
    # A verdict without a reference counts too: the reference's ranking is one beside the judges'.
    counts = {code: n for code, n in view.left_out.items() if code not in ("no_reference", "reference_tie")}
    return counts | {"incomplete": everyone.dropped}


def sources(view: SliceView, *, equal_strictness: bool = False) -> Iterator[RankingSource]:
    """Yield every judge, all of them together in three ways, the committees, and the reference last."""
    joint = scores_of_equal_strictness if equal_strictness else _mean_over
    judged, complete, dropped = _system_scores(view, view.scored.judge.values)
    for place, judge in enumerate(view.judges):
        yield _source(view.study.index.models[judge], judged, complete, place)
    relations = view.relations
    for name, among in (  # the judges whose scores are averaged for each model
        (ALL, np.ones_like(relations.self_mask)),
        ("all-without-self", ~relations.self_mask),
        ("all-without-family", relations.unrelated_mask),
    ):
        scores = judged.apply(partial(joint, among=among))
        yield RankingSource(name, scores, int(complete.max(initial=0)), dropped)
    committees = [COMMITTEE + name for name in view.study.info.committees]
    for name, source in [*((name, name) for name in committees), ("reference", view.request.source)]:
        values = _scores_by(view, source)
        if len(values) == 1:  # else the rubrics kept differ from judge to judge
            scores, complete_there, _ = _system_scores(view, values)
            yield _source(name, scores, complete_there, 0)


def rankings_of(view: SliceView) -> tuple[list[RankingSource], RankingSource, RankingSource | None, int]:
    """Return all rankings but the reference's, that of all judges together, the reference's, the instances.

    A judge may have the name of either, so they are found by their places.
    """
    rankings = list(sources(view))
    instances = max(source.complete for source in rankings)
    everyone = _of_all_judges(rankings)
    truth = rankings.pop() if rankings[-1].name == "reference" else None
    return rankings, everyone, truth, instances


def _of_all_judges(rankings: Sequence[RankingSource]) -> RankingSource:
    """Return the ranking of all judges together; one by a judge of this name comes before it."""
    return next(source for source in reversed(rankings) if source.name == ALL)


def _source(name: str, scores: Resampled, complete: Ints, place: int) -> RankingSource:
    return RankingSource(name, scores.apply(lambda of_all: of_all[..., place, :]), int(complete[place]))


def _mean_over(scores: Floats, among: Bools) -> Floats:
    return ratios.mean_of_defined(np.swapaxes(np.where(among, scores, np.nan), -1, -2))


def _system_scores(view: SliceView, values: Floats) -> tuple[Resampled, Ints, int]:
    """Return mean scores (..., sources, generators), complete instances of each, and scores dropped."""
    complete = system_scores.complete_scores(values)
    kind = cast("system_scores.ScoreKind", view.request.spec.scores)
    totals = Resampled.over_instances(complete.values, view.weights)
    numbers = Resampled.over_instances(complete.complete.astype(np.int64), view.weights)

    def mean(total: Floats, number: Floats) -> Floats:
        scores = system_scores.system_score(total, np.asarray(number)[..., None], kind)
        return np.where(complete.scored, scores, np.nan)

    scores, draws = combine(mean, totals, numbers)
    dropped = (~np.isnan(values) & ~complete.complete[:, None, :]).sum()
    return Resampled(scores, draws), complete.complete.sum(axis=-1), int(dropped)


def _scores_by(view: SliceView, source: str | None) -> Floats:
    """Return a source's scores of the responses shown, NaN where it has none."""
    of_criteria = view.criterion_reference(source)
    if of_criteria is not None:
        return of_criteria
    spec = replace(view.request.spec, exclude_family=False, leave_self_out=False)
    request = replace(view.request, spec=spec, source=source)
    truth = view.study.reference_planes(view.cube, request)
    truth = ReferencePlanes(*(plane[:, view.columns] for plane in vars(truth).values()))
    kind = cast("system_scores.ScoreKind", spec.scores)
    if request.of_rubrics:
        return score_responses(view.study.index, truth.met, truth.has, view.rubric.shown_mask, kind).values
    values = true_scores(view.study, source, truth, view.generators, kind)
    cells = view.kept_cells
    return np.where(cells if len(cells) == 1 else cells[view.columns], values, np.nan)


RANKING = Measure(
    name="ranking",
    title="Ranking of the models",
    question="How do the judges, all judges together and the reference rank the models?",
    formula="rank by mean score over the questions on which a source scores every model",
    paper="rubric-self-preference, section 2.4",
    left_out="questions on which a source does not score every answer (incomplete)",
    function=ranking_table,
    chart="ranks",
    prepare=prepare_ranking,
    options=(
        STRICTNESS,
        entry.rows_option("models", flips="pairs of models in the opposite order to the reference"),
    ),
    keys=("by", "model"),
    headline="score",
    level="instance",
    paradigms=RESPONSE_SCORES,
    fields=(
        entry.key(
            "by",
            "whose ranking: a judge, all (the mean over judges), all-without-self, "
            "all-without-family (of the model), committee:<name> or reference",
        ),
        entry.key("model", "the model"),
        entry.estimate("rank", "1 is the highest; equal scores share their mean rank"),
        entry.share("score", "mean score of the model's answers"),
        entry.count("n", "complete questions; for all judges together, the most of any judge"),
    ),
)

BY = entry.key("by", "whose ranking: a judge, all, all-without-self, all-without-family or committee:<name>")
