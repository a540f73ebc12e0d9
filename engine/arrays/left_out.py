"""What a slice leaves out, reported with every table (MEASURES section 1)."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.judgment_rows import Failures, tally
from engine.arrays.list_ranks import ListCube
from engine.arrays.pairs.pair_orders import PairColumns, PairFailures, PairRows
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.scores.scores import ScoreCube
from engine.schema import STATUSES
from engine.stats import Bools

if TYPE_CHECKING:
    from engine.arrays.view import SliceView


PairRowsOf = TypeVar("PairRowsOf", PairRows, PairFailures)

CODES = {
    "unparsed": "judgments without a readable verdict",
    "refused": "judgments that the provider refused",
    "error": "judgments whose call failed",
    "no_reference": "judgments without a reference verdict",
    "reference_tie": "judgments that the reference leaves undecided",
    "order_missing": "pair judgments without a verdict in the other order",
    "merged": "repeats of a judgment that do not count by themselves",
    "other_variant": "judgments of other variants, which count only if named",
    "no_quality": "pair judgments in which an answer has no quality score",
    "incomplete": "answers (per judge, question and model) that lack a verdict from judge or reference, "
    "or are compared with one that does",
    "other_ordering": "scores given in an ordering that is unknown or not one of the balanced ones",
    "no_outside_verdict": "own cases on which no judge of another family has a verdict that counts",
    "off_scale": "scores outside the options shown",
    "no_scale": "scores by criterion beyond 0 to 1 without a known scale",
    "other_trial": "repeats that the measure does not use",
    "skipped": "items that a person skipped",
    "cannot_tell": "items on which a person could not decide",
    "committee_split": "criteria or pairs on which a committee is split, for each committee",
    "no_majority": "items on which people are evenly split",
    "not_common": "answers (per question and model) not counted in all the sets compared",
    "too_small": "slices with too few own failures to test, inside or outside the slice",
}
"""What each code of `left_out` counts."""


def left_out(view: "SliceView") -> dict[str, int]:
    """Return the counts by code, with zeros for all codes that this kind of judgment can have."""
    counts = dict.fromkeys(("unparsed", "refused", "error", "no_reference", "reference_tie", "merged"), 0)
    if isinstance(view.cube, VerdictCube):
        counts |= view.rubric.left_out
        return counts if view.at_rubrics else counts | {"incomplete": _incomplete(view, view.cube)}
    if isinstance(view.cube, PairCube):
        return counts | {"order_missing": 0} | _of_pairs(view, view.cube)
    if isinstance(view.cube, ListCube):
        failures = _shown_failures(view, view.cube.failures)
        return counts | tally(failures.code, failures.count)
    return counts | _of_scores(view, view.cube)


def _incomplete(view: "SliceView", cube: VerdictCube) -> int:
    """Count the responses judged in the slice that lack a kept verdict by the judge or by its reference."""
    layout, at = view.study.index.layout, np.ix_(view.rows, view.columns)
    mask, planes = view.rubric.shown_mask, view.rubric.planes
    n_rubrics = layout.count_by_instance(mask)
    judged = layout.count_by_instance(cube.ok[at] & mask) == n_rubrics
    if view.request.source is not None:
        has_truth = layout.count_by_instance(view.reference_rows(planes.reference.has) & mask) == n_rubrics
        judged &= has_truth
    started = layout.count_by_instance(view.rubric.take(planes.judged_words)) > 0
    return int((started & ~judged).sum())


def _of_scores(view: "SliceView", cube: ScoreCube) -> Counter[str]:
    failures, why = _shown_failures(view, cube.failures), _unscored(view)
    row = np.minimum(np.searchsorted(view.rows, failures.judge), len(why) - 1)
    cause = why[row, np.searchsorted(view.columns, failures.generator), failures.place]
    is_blamed = (failures.code == "merged") & (cause != "") & (view.request.source is not None)
    code = np.where(is_blamed, cause, failures.code)
    totals = tally(code, failures.count)
    judged = ~np.isnan(view.scored.judge.values)
    for reason in ("no_reference", "reference_tie"):
        totals[reason] += int((judged & (why == reason)).sum())
    return totals


def _shown_failures(view: "SliceView", failures: Failures) -> Failures:
    """Return the failures on responses that are shown and kept."""
    visible = np.isin(failures.judge, view.rows) & np.isin(failures.generator, view.columns)
    return failures.select(visible & view.cells_of_all[failures.generator, failures.place])


def _unscored(view: "SliceView") -> NDArray[np.str_]:
    """Return why the reference has no score, "" if it has one: (judges or 1, generators, instances)."""
    layout, truth = view.study.index.layout, view.study.reference_planes(view.cube, view.request)
    has, tie = (view.reference_rows(plane) for plane in (truth.has, truth.tie))
    criteria = view.study.verdict_criteria
    verdicts, ties, number = map(layout.count_by_instance, (has, tie & ~has & criteria, criteria))
    only_ties = (ties > 0) & (verdicts + ties == number)
    missing = np.isnan(view.reference_scores.values)
    return np.where(missing, np.where(only_ties, "reference_tie", "no_reference"), "")


def _of_pairs(view: "SliceView", cube: PairCube) -> Counter[str]:
    """Count the rows of pairs shown; those that the reference does not order count as such, and only once."""
    why = _unscored(view)

    def blame(pairs: PairColumns) -> list[tuple[str, Bools]]:
        judge = np.minimum(np.searchsorted(view.judges, pairs.judge), len(why) - 1)
        places = (np.searchsorted(view.generators, side) for side in (pairs.generator, pairs.opponent))
        one, two = (why[judge, place, pairs.instance] for place in places)
        return [(code, (one == code) | (two == code)) for code in ("no_reference", "reference_tie")]

    return pairs_left_out(view, cube, blame=blame)


def in_slice(view: "SliceView", pairs: Any) -> Bools:
    """Return which pairs (or rows of them) are shown and kept."""
    generators, cells, keep = view.cube.generators, view.cells_of_all, np.isin(pairs.judge, view.judges)
    for side in (pairs.generator, pairs.opponent):
        place = np.minimum(np.searchsorted(generators, side), len(generators) - 1)
        keep &= np.isin(side, view.generators) & cells[place, pairs.instance]
    return keep


def of_own_answers(pairs: Any) -> Bools:
    """Return which pairs have an answer of the judge's own, by `judge`, `generator` and `opponent`."""
    return np.asarray((pairs.judge == pairs.generator) | (pairs.judge == pairs.opponent))


def pairs_left_out(
    view: "SliceView",
    cube: PairCube,
    *,
    concerned: Callable[[Any], Bools] | None = None,
    blame: Callable[[Any], Sequence[tuple[str, Bools]]] | None = None,
) -> Counter[str]:
    """Count the judgment rows left out of the pairs that a measure is `concerned` with (None: all), by code.

    `blame` gives for rows the codes that take precedence over `merged` and `order_missing`, with the rows
    that each applies to; rows behind an outcome are left out if one applies.
    """
    totals = Counter(dict.fromkeys(("unparsed", "refused", "error", "merged", "order_missing"), 0))

    def restrict(rows: PairRowsOf) -> PairRowsOf:
        part = rows.select(in_slice(view, rows))
        return part if concerned is None else part.select(concerned(part))

    failures, deciding = restrict(cube.failures), restrict(cube.rows.select(cube.deciding))
    code = failures.code.copy()
    verdicts = ~np.isin(code, STATUSES)
    for name, marks in reversed(blame(failures) if blame else ()):
        code[verdicts & marks] = name
    totals.update(tally(code, failures.count))
    blamed = np.zeros(len(deciding.judge), dtype=bool)
    for name, marks in blame(deciding) if blame else ():
        totals[name] += cube.width * int((marks & ~blamed).sum())
        blamed |= marks
    return totals
