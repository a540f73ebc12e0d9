"""How strict a judge is: the mean of the scores that it gives, to be compared between two runs."""

from dataclasses import replace

import numpy as np

from engine.arrays.bits.confusion import Resampled, combine
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.references import NONE
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import judge_columns
from engine.measures.entry import FAMILY, JUDGE, Measure
from engine.measures.rows import Column, Options, Table, first_reason
from engine.paradigms import RESPONSE_SCORES
from engine.slices import Slice
from engine.stats.ratios import rate


def prepare_strictness(_study: StudyArrays, spec: Slice, _options: Options, _by: str | None) -> Slice:
    """Return the slice without a reference, which the scores of a judge do not need."""
    return replace(spec, reference=NONE)


def strictness_table(view: SliceView, _options: Options) -> Table:
    """Return the mean of a judge's scores (MEASURES section 3) over the answers that it scored.

    An answer with a missing verdict has no score. A judge without a score has no mean.
    """
    scores = view.scored.judge.values  # judges, generators, instances
    scored = ~np.isnan(scores)
    parts = (np.where(scored, scores, 0.0).sum(axis=1), scored.sum(axis=1))
    total, answers = (Resampled.over_instances(part, view.weights) for part in parts)
    mean, draws = combine(rate, total, answers)
    columns = judge_columns(view) | {
        "mean_score": Column(mean, draws, first_reason((answers.total == 0, "no_score"))),
        "n": Column(answers.total),
    }
    return Table(columns, answers.total > 0, int(scored.any(axis=(0, 1)).sum()), view.left_out)


STRICTNESS = Measure(
    name="strictness",
    title="Strictness",
    question="What share of criteria does a judge pass, or which mean score does it give?",
    formula="mean over answers of the judge's score: the share of criteria passed, or its score; "
    "a negative criterion is passed where the judge finds no fault",
    paper="none; the scores of rubric-self-preference, section 2",
    left_out="answers with a missing verdict or score",
    function=strictness_table,
    prepare=prepare_strictness,
    paradigms=RESPONSE_SCORES,
    headline="mean_score",
    compared_in_common=True,
    changes=("stricter", "more lenient"),
    fields=(
        JUDGE,
        FAMILY,
        entry.share(
            "mean_score",
            "share of criteria passed (a negative one where no fault is found), or mean score, 0 to 1",
        ),
        entry.count("n", "answers scored"),
    ),
)
