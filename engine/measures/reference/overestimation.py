"""`overestimation`: both kinds of error of each judge on each generator (MEASURES section 2)."""

import numpy as np

from engine.arrays.bits.confusion import combine
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.entry import OF_FEW_CASES, ONE_JUDGE, SMALL, Measure
from engine.measures.reference.ratio_intervals import Name, rates_of_few
from engine.measures.rows import FEW, Column, Options, Table, first_reason
from engine.stats.intervals.bootstrap_expanded import freedom_of_rates
from engine.stats.ratios import rate


def overestimation_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each judge and generator with a counted row."""
    counts, models = view.counts, view.study.index.models
    judges, generators = ([models[place] for place in side] for side in (view.judges, view.generators))
    relation = np.where(view.relations.self_mask, "self", np.where(view.relations.family, "family", "other"))
    columns = {
        "judge": Column([judge for judge in judges for _ in generators]),
        "generator": Column(generators * len(judges)),
        "relation": Column(relation.ravel()),
        "rate": _share(view, "over", "failed", "no_unfavourable_reference"),
        "over": Column(counts.over.total.ravel()),
        "n": Column(counts.failed.total.ravel()),
        "under_rate": _share(view, "under", "passed", "no_favourable_reference"),
        "under": Column(counts.under.total.ravel()),
        "under_n": Column(counts.passed.total.ravel()),
        "small": Column(counts.failed.total.ravel() < FEW),
    }
    keep, counted = counts.present.ravel(), counts.counted_instances
    return Table(columns, keep, counts.instances, view.left_out, counted=counted)


def _share(view: SliceView, credited: Name, cases: Name, reason: str) -> Column:
    hits, trials = (getattr(view.counts, name) for name in (credited, cases))
    value, draws = combine(rate, hits, trials)
    codes = first_reason((trials.total.ravel() == 0, reason))
    if draws is None:
        return Column(value.ravel(), None, codes)
    few, freedom = rates_of_few(view.counts, credited, cases), None
    if view.weights is not None:
        of_instances = [view.counts.instances_first(name) for name in (credited, cases)]
        each, of = (counts.reshape(len(counts), -1) for counts in of_instances)
        freedom = freedom_of_rates(each, of, clusters=view.weights.shape[1])
    return Column(value.ravel(), draws.reshape(len(draws), -1), codes, few=few, freedom=freedom)


OVERESTIMATION = Measure(
    name="overestimation",
    title="Overestimation",
    question="How often does a judge pass what a model failed, or fail what it passed?",
    formula="O(J, G) = passed by J, of G's that the reference fails / G's that the reference fails",
    paper="rubric-self-preference, equations 3 and 4",
    left_out="verdicts without a reference; cells without a failed criterion have no rate",
    function=overestimation_table,
    chart="matrix",
    keys=("judge", "generator"),
    headline="rate",
    intervals={OF_FEW_CASES: ("rate", "under_rate")},
    fields=(
        ONE_JUDGE,
        entry.key("generator", "the model that wrote the answers"),
        entry.key("relation", "self (the judge itself), family, or other"),
        entry.share("rate", "overestimations / criteria that the reference fails", title="Overestimated"),
        entry.count("over", "overestimations", title="n overestimated"),
        entry.count("n", "criteria that the reference fails; at level `instance`, comparisons lost"),
        entry.share(
            "under_rate", "underestimations / criteria that the reference passes", title="Underestimated"
        ),
        entry.count("under", "underestimations", title="n underestimated"),
        entry.count(
            "under_n",
            "criteria that the reference passes; at level `instance`, comparisons won",
            title="n met",
        ),
        SMALL,
    ),
)
