"""`agreement-curve`: mean self-preference on rubrics that judges agree on (MEASURES section 6)."""

from dataclasses import replace

import numpy as np

from engine.arrays.bits.bitsets import count
from engine.arrays.slicing.group_by import filter_mask
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.entry import Measure
from engine.measures.reference.hspp import preference_columns
from engine.measures.rows import Column, Options, Table
from engine.paradigms import RUBRIC_PARADIGMS
from engine.stats import Ints
from engine.stats.ratios import mean_of_defined, rate

THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))


def agreement_curve_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each threshold, at rubric level and then at instance level.

    For agreement on single verdicts there is only the rubric level.
    """
    spec = view.request.spec
    levels = ("rubric", "instance") if spec.level is None else (spec.level,)
    if spec.agreement_of == "verdict" and spec.level is None:
        levels = ("rubric",)
    points = [(level, threshold) for level in levels for threshold in THRESHOLDS]
    views = [_view_above(view, threshold, level) for level, threshold in points]
    everything = _rubric_counts(_view_above(view, None, "rubric"), views[0])
    columns = [preference_columns(sub, sub.counts)["hspp_self"] for sub in views]
    ratios = [np.asarray(column.values, dtype=np.float64) for column in columns]
    draws = [mean_of_defined(column.draws) for column in columns if column.draws is not None]
    shares = [mean_of_defined(rate(_rubric_counts(sub, sub), everything)) for sub in views]
    table = {
        "threshold": Column([threshold for _, threshold in points]),
        "level": Column([level for level, _ in points]),
        "hspp_self_mean": Column(
            np.array([mean_of_defined(values) for values in ratios]),
            np.column_stack(draws) if draws else None,
            "no_judge_with_a_ratio",
        ),
        "judges": Column([int((~np.isnan(values)).sum()) for values in ratios]),
        "rubrics_kept": Column(np.array(shares), reasons="no_rubrics"),
    }
    counts = view.at("rubric").rubric
    keep = np.full(len(points), counts.present.any())
    return Table(table, keep, counts.instances, view.left_out)


def _view_above(view: SliceView, threshold: float | None, level: str) -> SliceView:
    """Return the view with the rubrics of at least this agreement, or with all of its own."""
    spec = replace(view.request.spec, min_agreement=threshold)
    request = replace(view.request, spec=spec, level=level)
    return view.narrowed(filter_mask(view.study, request), request)


def _rubric_counts(view: SliceView, like: SliceView) -> Ints:
    """Count the rubrics with a counted verdict in a view, as the mask of `like` distinguishes them.

    One number if they are kept for all judges alike, else one for each judge; if they are kept for single
    responses, a rubric counts once for each.
    """
    rubric = view.rubric
    planes = rubric.take(rubric.planes.counted)
    axes = like.rubric.shown_mask.shape
    for axis in (0, 1):
        if axes[axis] == 1:
            planes = np.bitwise_or.reduce(planes, axis=axis, keepdims=True)
    return np.asarray(count(planes).sum(axis=1))


AGREEMENT_CURVE = Measure(
    name="agreement-curve",
    title="Agreement curve",
    question="Does self-preference vanish on criteria that judges agree on?",
    formula="mean HSPP ratio over judges, on criteria on which at least a share t of pairs of judges agree",
    paper="rubric-self-preference, Figure 4",
    left_out="criteria judged by fewer than two judges, which have no agreement",
    function=agreement_curve_table,
    chart="agreement-curve",
    keys=("threshold", "level"),
    headline="hspp_self_mean",
    compared_as="ratio",
    paradigms=RUBRIC_PARADIGMS,
    fields=(
        entry.portion("threshold", "lowest share of the pairs of judges that agree"),
        entry.key("level", "`rubric` or `instance`"),
        entry.ratio("hspp_self_mean", "mean HSPP ratio over judges", tested=False, title="Mean HSPP ratio"),
        entry.count("judges", "judges whose ratio is defined"),
        entry.portion("rubrics_kept", "share of criteria included"),
    ),
)
