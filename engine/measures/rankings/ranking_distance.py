"""`ranking-distance`: how far each ranking is from the reference's (MEASURES section 3)."""

import numpy as np

from engine.arrays.bits.confusion import combine
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.entry import Field, Measure
from engine.measures.rankings.ranking import (
    BY,
    Compared,
    prepare_ranking,
    rankings_of,
)
from engine.measures.rows import Column, Options, Table
from engine.paradigms import RESPONSE_SCORES
from engine.stats.scores import ranks

TOO_FEW = "fewer_than_two_models_with_both_scores"

Distances = tuple[ranks.RankDistance, ranks.RankDistance | None]
"""The distance of two rankings, and those in the resamples if there are any."""


def ranking_distance_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each source but the reference; none if the reference has no ranking."""
    rankings, everyone, left_out, instances = rankings_of(view)
    of_all = _distances(everyone)
    rows = [_distance_row(pair, of_all) for pair in rankings]
    best = max((row["tau"].values[0] for row in rows if not np.isnan(row["tau"].values[0])), default=np.inf)
    for row in rows:
        row["nearest"] = Column([bool(row["tau"].values[0] >= best - 1e-9)])
    return Table.of(rows, instances, left_out)


def _distances(pair: Compared) -> Distances:
    source, truth = pair
    return combine(ranks.rank_distance, source.scores, truth.scores)


def _distance_row(pair: Compared, of_all: Distances) -> dict[str, Column]:
    """Return the distance of a ranking from the reference's, `gain` over the one of all judges together."""
    source, truth = pair
    value, draws = _distances(pair)
    columns = {}
    for name in ("tau", "shift", "flips"):
        number_draws = None if draws is None else getattr(draws, name)[..., None]
        columns[name] = Column(getattr(value, name)[..., None], number_draws, TOO_FEW)
    value_of_all, draws_of_all = of_all
    gain_draws = None if draws is None or draws_of_all is None else (draws.tau - draws_of_all.tau)[..., None]
    columns["gain"] = Column((value.tau - value_of_all.tau)[..., None], gain_draws, TOO_FEW)
    n = int((~np.isnan(source.scores.total) & ~np.isnan(truth.scores.total)).sum())
    return columns | {"by": Column([source.name]), "n_models": Column([n]), "n": Column([source.complete])}


RANKING_DISTANCE = Measure(
    name="ranking-distance",
    title="Distance from the reference's ranking",
    question="Whose ranking is closest to the reference's, and how many pairs of models does it reverse?",
    formula=(
        "Kendall's tau-b, mean |rank - reference's rank|, number of reversed pairs; over the questions on "
        "which both score every model"
    ),
    paper="rubric-self-preference, section 2.4",
    left_out=(
        "models that either ranking has no score for; questions on which either does not score every answer "
        "(incomplete)"
    ),
    function=ranking_distance_table,
    chart="distances",
    prepare=prepare_ranking,
    keys=("by",),
    headline="tau",
    level="instance",
    paradigms=RESPONSE_SCORES,
    fields=(
        BY,
        entry.of_ranks("tau", "Kendall's tau-b with the reference's ranking"),
        entry.of_ranks("shift", "mean distance between a model's two ranks, in places"),
        entry.of_ranks("flips", "pairs of models that are ranked in the opposite order"),
        entry.count("n_models", "models in both rankings"),
        entry.count(
            "n", "questions on which both score every model; for all judges together, the most of any judge"
        ),
        entry.of_ranks(
            "gain", "tau minus the tau of all judges together, from the same resamples", axis="gain in tau-b"
        ),
        Field("nearest", "flag", "no other ranking has a higher tau"),
    ),
    empty="the reference ranks no models in this slice",
)
