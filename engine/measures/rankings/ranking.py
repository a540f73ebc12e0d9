"""`ranking`: the generators in the order of their scores, by each judge and by all (MEASURES section 3)."""

from collections.abc import Callable, Mapping, Sequence
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


Compared = tuple[RankingSource, RankingSource]
"""A ranking, and the reference's of the same models over the same instances."""


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
    joint = scores_of_equal_strictness if options["strictness"] == EQUAL else _mean_over
    rankings = _rankings(view, _Scored.of(view, view.scored.judge.values), joint)
    everyone = _of_all_judges(rankings)
    of_references = _values_of_references(view).items()
    all_sources = rankings + [_Scored.of(view, values).source(name, 0) for name, values in of_references]
    rows = []
    for source in all_sources:
        row = {"by": Column([source.name] * len(names)), "model": Column(names)}
        row["rank"] = Column(*combine(ranks.ranks, source.scores), NO_SCORE)
        row["score"] = Column(source.scores.total, source.scores.draws, NO_SCORE)
        rows.append(row | {"n": Column([source.complete] * len(names))})
    columns = stack_rows(rows)
    keep = ~np.isnan(np.array(columns["score"].values, dtype=np.float64))
    return Table(columns, keep, everyone.complete, left_out_of_rankings(view, everyone))


def left_out_of_rankings(view: SliceView, everyone: RankingSource) -> dict[str, int]:
    # A verdict without a reference counts too: the reference's ranking is one beside the judges'.
    counts = {code: n for code, n in view.left_out.items() if code not in ("no_reference", "reference_tie")}
    return counts | {"incomplete": everyone.dropped}


def rankings_of(view: SliceView) -> tuple[list[Compared], Compared, Mapping[str, int], int]:
    """Return all rankings but the reference's, that of all judges together, what is left out, and instances.

    Beside each ranking stands the reference's over the same instances, those complete for both; there are
    none if the reference has no scores.
    """
    others = _values_of_references(view)
    truth = others.pop("reference", np.full((1, len(view.generators), view.study.index.n_instances), np.nan))
    judged, true = _compared(view, view.scored.judge.values, truth)
    rankings = list(zip(*(_rankings(view, each, _mean_over) for each in (judged, true)), strict=True))
    everyone = next(pair for pair in reversed(rankings) if pair[0].name == ALL)
    for name, values in others.items():
        scored, true = _compared(view, values, truth)
        rankings.append((scored.source(name, 0), true.source(name, 0)))
    instances = max(source.complete for source, _ in rankings)
    left_out = left_out_of_rankings(view, everyone[0])
    return [] if np.isnan(truth).all() else rankings, everyone, left_out, instances


def _rankings(view: SliceView, judged: "_Scored", joint: Callable[..., Floats]) -> list[RankingSource]:
    """Return the rankings by every judge, and by all of them together in three ways."""
    relations = view.relations
    among_all = {  # the judges whose scores are averaged for each model
        ALL: np.ones_like(relations.self_mask),
        "all-without-self": ~relations.self_mask,
        "all-without-family": relations.unrelated_mask,
    }
    rankings = [judged.source(view.study.index.models[j], place) for place, j in enumerate(view.judges)]
    return rankings + [judged.together(name, partial(joint, among=among_all[name])) for name in among_all]


def _of_all_judges(rankings: Sequence[RankingSource]) -> RankingSource:
    """Return the ranking of all judges together; one by a judge of this name comes before it."""
    return next(source for source in reversed(rankings) if source.name == ALL)


def _mean_over(scores: Floats, among: Bools) -> Floats:
    return ratios.mean_of_defined(np.swapaxes(np.where(among, scores, np.nan), -1, -2))


@dataclass(frozen=True, eq=False)
class _Scored:
    """Mean scores of several sources, shape (..., sources, generators), over complete instances of each."""

    scores: Resampled
    complete: Ints
    dropped: int

    @classmethod
    def of(cls, view: SliceView, values: Floats) -> "_Scored":
        scored = system_scores.complete_scores(values)
        kind = cast("system_scores.ScoreKind", view.request.spec.scores)
        totals = Resampled.over_instances(scored.values, view.weights)
        numbers = Resampled.over_instances(scored.complete.astype(np.int64), view.weights)

        def mean(total: Floats, number: Floats) -> Floats:
            scores = system_scores.system_score(total, np.asarray(number)[..., None], kind)
            return np.where(scored.scored, scores, np.nan)

        dropped = (~np.isnan(values) & ~scored.complete[:, None, :]).sum()
        scores = Resampled(*combine(mean, totals, numbers))
        return cls(scores, scored.complete.sum(axis=-1), int(dropped))

    def source(self, name: str, place: int) -> RankingSource:
        """Return one of the sources."""
        scores = self.scores.apply(lambda of_all: of_all[..., place, :])
        return RankingSource(name, scores, int(self.complete[place]))

    def together(self, name: str, joint: Callable[[Floats], Floats]) -> RankingSource:
        """Return all sources combined."""
        return RankingSource(name, self.scores.apply(joint), int(self.complete.max(initial=0)), self.dropped)


def _compared(view: SliceView, values: Floats, truth: Floats) -> tuple[_Scored, _Scored]:
    """Return sources' scores, and the reference's beside each, both over the instances complete for both."""
    complete = (system_scores.complete_scores(each).complete for each in (values, truth))
    both = np.logical_and(*complete)
    scored = _Scored.of(view, np.where(both[:, None, :], values, np.nan))
    dropped = (~np.isnan(values) & ~both[:, None, :]).sum()
    patterns, at = np.unique(both, axis=0, return_inverse=True)  # most sources have the same instances
    true = _Scored.of(view, np.where(patterns[:, None, :], truth, np.nan))
    scores = combine(
        lambda own, of: np.where(np.isnan(own), np.nan, of[..., at.ravel(), :]), scored.scores, true.scores
    )
    return replace(scored, dropped=int(dropped)), replace(scored, scores=Resampled(*scores))


def _values_of_references(view: SliceView) -> dict[str, Floats]:
    """Return the scores by each committee and by the reference, on the instances that a judge scored in full.

    None of a source for which the rubrics kept differ from judge to judge.
    """
    names = [COMMITTEE + name for name in view.study.info.committees]
    judged = system_scores.complete_scores(view.scored.judge.values).complete.any(axis=0)
    scores = {name: _scores_by(view, name) for name in names} | {
        "reference": _scores_by(view, view.request.source)
    }
    return {name: np.where(judged, each, np.nan) for name, each in scores.items() if len(each) == 1}


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
    formula=(
        "rank by mean score over the questions on which a source scores every model; of the reference and of "
        "committees only those on which a judge shown does, too"
    ),
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
        entry.of_ranks("rank", "1 is the highest; equal scores share their mean rank"),
        entry.share("score", "mean score of the model's answers"),
        entry.count("n", "complete questions; for all judges together, the most of any judge"),
    ),
)

BY = entry.key("by", "whose ranking: a judge, all, all-without-self, all-without-family or committee:<name>")
