"""What a slice leaves out, counted beside every table (MEASURES section 1)."""

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.cubes.pairs import PairCube, PairFailures, PairRows, take
from engine.cubes.scores import ScoreCube
from engine.cubes.verdicts import VerdictCube
from engine.schema import STATUSES

if TYPE_CHECKING:
    from engine.views.view import View

CODES = {
    "unparsed": "judgments in which no verdict could be read",
    "refused": "judgments that the judge's provider refused",
    "error": "judgments whose call failed",
    "no_reference": "judgments for which the reference has no verdict",
    "reference_tie": "judgments on which the reference's members are divided",
    "order_missing": "pair judgments without their other order",
    "merged": "judgments merged with their repeats, all of them where those are divided",
    "no_quality": "judgments of a pair in which a response has no quality score",
    "incomplete": "responses (of a judge, instance and generator) that lack a verdict by judge or reference",
    "other_ordering": "scores given in an ordering that is absent or not among the balanced ones",
    "off_scale": "scores that are none of the options shown",
    "other_trial": "repeats that the measure does not take",
    "skipped": "items that a person passed over",
    "cannot_tell": "items of which a person could not tell",
    "no_majority": "items on which people are evenly divided",
    "not_common": "responses (instance and generator) not counted in all the sets compared",
    "too_small": "slices with too few own failures to be tested, there or in the rest",
}
"""What each code of `left_out` counts."""


def left_out(view: "View") -> dict[str, int]:
    """Return the counts by code, zeros too for the codes that the judgments' kind can have."""
    counts = dict.fromkeys(("unparsed", "refused", "error", "no_reference", "reference_tie", "merged"), 0)
    if isinstance(view.cube, VerdictCube):
        counts |= _of_verdicts(view)
        return counts if view.at_rubrics else counts | {"incomplete": _incomplete(view, view.cube)}
    if isinstance(view.cube, PairCube):
        return counts | {"order_missing": 0} | _of_pairs(view, view.cube)
    return counts | _of_scores(view, view.cube)


def _of_verdicts(view: "View") -> dict[str, int]:
    rubric = view.rubric
    return {
        code: sum(int(rubric.count(plane).sum()) for plane in planes)
        for code, planes in rubric.planes.left_out.items()
    }


def _tally(codes: NDArray[np.object_], counts: NDArray[np.int64]) -> Counter[str]:
    names, which = np.unique(codes.astype(str), return_inverse=True)
    totals = np.bincount(which, weights=counts, minlength=len(names)).astype(int)
    return Counter(dict(zip(names.tolist(), totals.tolist(), strict=True)))


def _incomplete(view: "View", cube: VerdictCube) -> int:
    """Count the responses judged in the slice that lack a kept verdict by the judge or the reference."""
    layout, here = view.study.index.layout, np.ix_(view.rows, view.columns)
    mask, planes = view.rubric.shown_mask, view.rubric.planes
    asked = layout.count_by_instance(mask)
    judged = layout.count_by_instance(cube.ok[here] & mask) == asked
    known = layout.count_by_instance(view.reference_rows(planes.reference.has) & mask) == asked
    begun = layout.count_by_instance(view.rubric.take(planes.asked)) > 0
    return int((begun & ~(judged & known)).sum())


def _of_scores(view: "View", cube: ScoreCube) -> Counter[str]:
    failures, kept = cube.failures, np.broadcast_to(view.kept_cells, cube.scores.shape[1:])
    shown = np.isin(failures.judge, view.rows) & np.isin(failures.generator, view.columns)
    shown &= kept[failures.generator, failures.place]
    why = _unscored(view)
    row = np.searchsorted(view.rows, failures.judge)
    column = np.searchsorted(view.columns, failures.generator)
    code = failures.code[shown].copy()
    merged = code == "merged"
    there = why[np.minimum(row[shown], len(why) - 1), column[shown], failures.place[shown]]
    code[merged & (there != "")] = there[merged & (there != "")]
    totals = _tally(code, failures.count[shown])
    judged = ~np.isnan(view.scored.judge.values)
    for reason in ("no_reference", "reference_tie"):
        totals[reason] += int((judged & (why == reason)).sum())
    return totals


def _unscored(view: "View") -> NDArray[np.str_]:
    """Return why the reference has no score for a response, an empty text where it has one.

    Shape (judges or 1, generators, instances).
    """
    layout, truth = view.study.index.layout, view.study.reference_planes(view.cube, view.request)
    has, tie = (view.reference_rows(plane) for plane in (truth.has, truth.tie))
    rubrics = layout.rubric_counts
    verdicts, ties = layout.count_by_instance(has), layout.count_by_instance(tie & ~has)
    only_ties = (ties > 0) & (verdicts + ties == rubrics)
    missing = np.isnan(view.reference_scores.values)
    return np.where(missing, np.where(only_ties, "reference_tie", "no_reference"), "")


def _of_pairs(view: "View", cube: PairCube) -> Counter[str]:
    """Count the rows of pairs shown; those that the reference does not order count as such, and not twice."""
    rows, failures = cube.rows, cube.failures
    why = _unscored(view)
    kept = np.broadcast_to(view.kept_cells, (len(cube.generators), view.study.index.n_instances))

    def told(pairs: "PairRows | PairFailures", code: NDArray[np.object_]) -> NDArray[np.object_]:
        """Return the code of each row shown, the reference's where it is at fault."""
        judge, one, two = (
            np.searchsorted(models, of)
            for models, of in (
                (view.judges, pairs.judge),
                (view.generators, pairs.generator),
                (view.generators, pairs.opponent),
            )
        )
        judge = np.minimum(judge, len(why) - 1)
        first, second = why[judge, one, pairs.instance], why[judge, two, pairs.instance]
        unknown = (first == "no_reference") | (second == "no_reference")
        divided = (first == "reference_tie") | (second == "reference_tie")
        blamed = np.where(unknown, "no_reference", np.where(divided, "reference_tie", code))
        return np.where(np.isin(code, STATUSES), code, blamed)

    def shown(pairs: "PairRows | PairFailures") -> NDArray[np.bool_]:
        one, two = (np.searchsorted(cube.generators, of) for of in (pairs.generator, pairs.opponent))
        known = np.isin(pairs.judge, view.judges)
        known &= np.isin(pairs.generator, view.generators) & np.isin(pairs.opponent, view.generators)
        return known & kept[one, pairs.instance] & kept[two, pairs.instance]

    lost, used = take(failures, shown(failures)), take(rows, shown(rows) & cube.used)
    totals = _tally(told(lost, lost.code), lost.count)
    codes = told(used, np.full(len(used.judge), "", dtype=object))
    return totals + _tally(codes[codes != ""], np.ones(int((codes != "").sum()), dtype=np.int64))
