"""How many points a judge gives its own responses beyond outside judges (MEASURES section 15)."""

from collections.abc import Mapping

import numpy as np

from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.view import SliceView
from engine.measures.outside.outside_pairs import FamilyGaps, OutsideGaps, reasons_of_family
from engine.measures.rows import first_reason
from engine.stats import Bools, Floats, Ints
from engine.stats.conditional import discernment
from engine.stats.conditional.tastes import Families
from engine.stats.intervals import delete_one
from engine.stats.intervals.bootstrap import resample
from engine.stats.outside import outside, outside_scores
from engine.stats.ratios import rate


def points_gaps(
    view: SliceView, scores: Floats | None = None, *, errors: bool = True, placebos: bool = True
) -> OutsideGaps:
    """Return `bonus_outside` of each judge with its error, draws and placebos; `view` shows all judges.

    `scores` (judges, generators, instances) are those of the view unless given. Without `errors` or
    `placebos` all of these are NaN.
    """
    scores, masks = view.scored.judge.values if scores is None else scores, family_masks(view)
    points = outside_scores.points_against(scores, masks)
    total, number = points.total.sum(axis=-1), points.number.sum(axis=-1)
    value = outside_scores.bonus_outside(total, number, masks.own, masks.other)
    n_own = (number * masks.own).sum(axis=1)
    draws = None
    if view.weights is not None:
        sums = [resample(part, view.weights) for part in (points.total, points.number)]
        draws = outside_scores.bonus_outside(sums[0], sums[1], masks.own, masks.other)
    scored = ~np.isnan(scores)
    judged = np.asarray((scored.any(axis=-1) & masks.own).any(axis=1))
    return OutsideGaps(
        value=value,
        se=_bonus_error(value, points, masks, masks.own) if errors else np.full(len(value), np.nan),
        draws=draws,
        placebos=outside_scores.placebo_bonuses(scores, masks).without(_near_copies(scores, masks))
        if placebos
        else outside_scores.Placebos.none(scores.shape[:2]),
        appeal=discernment.mean_appeal(
            100 * np.nansum(scores, axis=-1), scored.sum(axis=-1), masks.outside, masks.other
        ),
        own=masks.own,
        why=first_reason(
            (~masks.has_own, "no_own_responses"),
            (~judged, "no_own_cells"),
            (~masks.has_outside, "no_outside_judge"),
            (n_own == 0, "no_common_own_cell"),
            (np.isnan(value), "no_common_cell"),
        ),
        instances=points.instances(masks.own),
        n_own=n_own,
        n_other=(number * masks.other).sum(axis=1),
        n_outside=_outside_counts(scored, masks.own, masks.outside),
        judged=judged,
        n_instances=int(scored.any(axis=(0, 1)).sum()),
        left_out=relevant_left_out(view),
        families=Families.of(masks),
        present=np.asarray(scored.any(axis=(1, 2))),
        given=_own_scores(scores, points, masks.own),
        relatives=_points_of_relatives(view, scores, points, masks, errors=errors),
    )


def own_bonuses(scores: Floats, masks: outside.FamilyMasks) -> Floats:
    """Return the values of `points_gaps` alone."""
    points = outside_scores.points_against(scores, masks)
    total, number = points.total.sum(axis=-1), points.number.sum(axis=-1)
    return outside_scores.bonus_outside(total, number, masks.own, masks.other)


def _near_copies(scores: Floats, masks: outside.FamilyMasks) -> Bools:
    """Return which generators' responses have the same scores as a judge's own, if these differ."""
    scored = ~np.isnan(scores)
    highest = np.where(scored, scores, -np.inf).max(axis=(0, 2), initial=-np.inf)
    lowest = np.where(scored, scores, np.inf).min(axis=(0, 2), initial=np.inf)
    informative = (scored.sum(axis=(0, 2)) >= discernment.FEWEST_COPIED) & (highest > lowest)
    return outside_scores.near_copies(np.where(scored, scores, np.nan), informative, masks)


def _points_of_relatives(
    view: SliceView,
    scores: Floats,
    points: outside_scores.Points,
    masks: outside.FamilyMasks,
    *,
    errors: bool,
) -> FamilyGaps:
    """Return 100 (mean over relatives - mean over S_J) of s_J - mean score of outside judges."""
    total, number = points.total.sum(axis=-1), points.number.sum(axis=-1)
    value = outside_scores.bonus_outside(total, number, masks.family, masks.other)
    draws = None
    if view.weights is not None:
        sums = [resample(part, view.weights) for part in (points.total, points.number)]
        draws = outside_scores.bonus_outside(sums[0], sums[1], masks.family, masks.other)
    n_family = (number * masks.family).sum(axis=1)
    judged = np.asarray(((~np.isnan(scores)).any(axis=-1) & masks.family).any(axis=1))
    return FamilyGaps(
        value=value,
        se=_bonus_error(value, points, masks, masks.family) if errors else np.full(len(value), np.nan),
        draws=draws,
        instances=points.instances(masks.family),
        n_family=n_family,
        judged=judged,
        family=masks.family,
        given=_own_scores(scores, points, masks.family),
        why=reasons_of_family(masks, judged, n_family, value, "no_common_cell"),
    )


def _bonus_error(
    bonus: Floats, points: outside_scores.Points, masks: outside.FamilyMasks, near: Bools
) -> Floats:
    total, number = (
        np.moveaxis(part.sum(axis=-1, keepdims=True) - part, -1, 0) for part in (points.total, points.number)
    )
    deleted = outside_scores.bonus_outside(total, number, near, masks.other)
    return delete_one.error_of_deleting(bonus, deleted, points.instances(near | masks.other))


def _own_scores(scores: Floats, points: outside_scores.Points, own: Bools) -> Floats:
    """Return each judge's mean score, of 1, for its own responses that an outside judge scored too."""
    counted = own[..., None] & (points.number > 0)
    return rate(np.where(counted, scores, 0.0).sum(axis=(1, 2)), counted.sum(axis=(1, 2)))


def _outside_counts(judged: Bools, own: Bools, outside: Bools) -> Ints:
    """Return how many outside judges judged a response of the judge's own that it judged itself."""
    number = np.zeros(len(own), dtype=np.int64)
    for j, g in zip(*np.nonzero(own), strict=True):
        number[j] = (outside[j] & (judged[:, g] & judged[j, g]).any(axis=-1)).sum()
    return number


def left_out_of_verdicts(view: SliceView, joint: JointVerdicts) -> Mapping[str, int]:
    """Return what a comparison with outside judges leaves out: own cells that none of them judged too."""
    alone = {"no_outside_verdict": joint.own_alone} if joint.own_alone else {}
    return {**relevant_left_out(view), **alone}


def relevant_left_out(view: SliceView) -> Mapping[str, int]:
    left_out = dict(view.left_out)
    if view.request.source is None:  # what is not used cannot be lacking
        left_out |= dict.fromkeys(("no_reference", "reference_tie"), 0)
    return left_out
