"""`accuracy`: agreement with the reference on rubrics and on comparisons (MEASURES section 5)."""

import numpy as np

from engine.arrays.bits.confusion import Resampled, RubricCounts
from engine.arrays.slicing.slice_counts import InstanceCounts
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import judge_columns, share_column
from engine.measures.entry import OF_JUDGE, Measure
from engine.measures.rows import Column, Options, Table, first_reason


def accuracy_table(view: SliceView, _options: Options) -> Table:
    columns = judge_columns(view) | rubric_accuracy(view) | pair_accuracy(view)
    totals = np.asarray(columns["mra_total"].values) + np.asarray(columns["mipa_total"].values)
    counts = view.counts
    left_out = view.left_out if view.of_single_verdicts else view.at("instance").left_out
    return Table(columns, counts.present.any(axis=1) | (totals > 0), counts.instances, left_out)


def rubric_accuracy(view: SliceView, counts: RubricCounts | None = None) -> dict[str, Column]:
    """Return MRA (RSP equation 6), of `counts` if given; null for judgments of whole responses."""
    if not view.request.of_rubrics:
        return _empty_accuracy("mra", view)
    counts = view.rubric if counts is None else counts
    parts = (counts.correct, counts.counted)
    correct, total = (cells.apply(lambda count: count.sum(axis=-1)) for cells in parts)
    return _accuracy("mra", view, correct, total, "no_verdict_with_a_reference")


def pair_accuracy(view: SliceView, counts: InstanceCounts | None = None) -> dict[str, Column]:
    """Return MIPA (RSP equation 5), of `counts` if given; null if single verdicts are chosen."""
    if view.of_single_verdicts:
        return _empty_accuracy("mipa", view)
    instance = view.instance if counts is None else counts
    return _accuracy("mipa", view, instance.correct, instance.counted, "no_comparison_with_a_reference")


def _empty_accuracy(name: str, view: SliceView) -> dict[str, Column]:
    nothing = np.zeros(len(view.judges), dtype=np.int64)
    undefined = Column([None] * len(nothing), reasons="not_of_these_judgments")
    return {name: undefined, f"{name}_correct": Column(nothing), f"{name}_total": Column(nothing)}


def _accuracy(
    name: str, view: SliceView, correct: Resampled, total: Resampled, reason: str
) -> dict[str, Column]:
    return {
        name: share_column(correct, total, view.weights, first_reason((total.total == 0, reason))),
        f"{name}_correct": Column(correct.total),
        f"{name}_total": Column(total.total),
    }


ACCURACY = Measure(
    name="accuracy",
    title="Accuracy",
    question="How often does a judge agree with the reference, on criteria and on comparisons?",
    formula="MRA: verdicts equal to the reference / verdicts; MIPA: the same for outcomes of comparisons",
    paper="rubric-self-preference, equations 5 and 6",
    left_out="verdicts without a reference; comparisons where an answer has no score",
    function=accuracy_table,
    chart="accuracy",
    headline="mra",
    instead=("people", "how judges agree with people's choices and scores"),
    fields=(
        *OF_JUDGE,
        entry.share(
            "mra", "share of verdicts on criteria that equal the reference", title="Accuracy on criteria"
        ),
        entry.count(
            "mra_correct", "verdicts on criteria that equal the reference", title="n verdicts correct"
        ),
        entry.count("mra_total", "verdicts on criteria with a reference", title="n verdicts"),
        entry.share(
            "mipa",
            "share of pairs of answers that the judge orders as the reference does, ties included",
            title="Pair accuracy",
        ),
        entry.count(
            "mipa_correct", "pairs that the judge orders as the reference does", title="n pairs correct"
        ),
        entry.count("mipa_total", "pairs with an outcome from both judge and reference", title="n pairs"),
    ),
)
