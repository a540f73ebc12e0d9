"""The shares that a judge and outside judges passed, their ratio and difference (MEASURES section 15)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.view import SliceView
from engine.measures.columns import HANGS, student_t_column
from engine.measures.outside.outside_odds import NO_OWN_CASE, odds_interval
from engine.measures.rows import Column, Intervals, first_reason
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.intervals import delete_one
from engine.stats.intervals.jackknife import Estimates
from engine.stats.outside import outside

SHARES = ("own_judge", "own_outside", "other_judge", "other_outside")


def ratio_columns(view: SliceView, joint: JointVerdicts) -> dict[str, Column]:
    """Return the four shares, and their ratio and difference with the errors of deleting instances."""
    masks, doubts = joint.masks, None
    if view.weights is None:
        shares, relatives = outside.compare_with_outside(joint.common, masks, masks.own, masks.family)
    else:
        doubts = deletions(joint, view.weights, masks.own, masks.family)
        shares, relatives = (each.full for each in doubts)
    why = ratio_reasons(joint, shares)
    family_why = first_reason(
        (~masks.has_family, "no_relatives"),
        (~masks.has_outside, "no_outside_judge"),
        (relatives.judges == 0, "no_common_cell"),
        (np.isnan(relatives.ratio), "outside_judges_credit_none"),
    )
    columns = {name: Column(getattr(shares, name), reasons=why) for name in SHARES} | {
        "n_own": Column(joint.own.cells),
        "n_other": Column(joint.other_cells),
        "n_outside": Column(shares.judges),
        "n_family": Column(joint.family.cells),
    }
    if doubts is None:
        return columns | {
            "ratio_outside": Column(shares.ratio, reasons=why),
            "difference_outside": Column(shares.difference, reasons=why),
            "ratio_outside_family": Column(relatives.ratio, reasons=family_why),
        }
    own, freedom = doubts[0], joint.own.clusters - 1
    se = delete_one.error_of_deleting(shares.difference, own.difference, own.n_clusters)
    difference = student_t_column(shares.difference, se, freedom, own.difference_draws, why, HANGS)
    return columns | {
        "ratio_outside": doubts[0].ratio_column(joint.own.clusters, why),
        "difference_outside": difference,
        "ratio_outside_family": doubts[1].ratio_column(joint.family.instances, family_why),
    }


def ratio_reasons(joint: JointVerdicts, shares: outside.OutsideComparison) -> list[str | None]:
    masks = joint.masks
    return first_reason(
        (~masks.has_own, "no_own_responses"),
        (~masks.has_outside, "no_outside_judge"),
        (joint.no_own, NO_OWN_CASE[joint.truth]),
        (joint.own.cells == 0, "no_common_own_cell"),
        (shares.judges == 0, "no_common_cell"),
        (np.isnan(shares.ratio), "outside_judges_credit_none"),
    )


def ratio_of(joint: JointVerdicts, judge: int, *, errors: bool) -> Column:
    """Return `ratio_outside` of one judge alone, with its interval if `errors` are requested."""
    masks = joint.masks
    own = np.zeros_like(masks.own)
    own[judge] = masks.own[judge]
    intervals = None
    if errors:
        [doubts] = deletions(joint, None, own)
        shares = doubts.full
        intervals = doubts.ratio_interval(joint.own.clusters).select(np.array([judge]))
    else:
        [shares] = outside.compare_with_outside(joint.common, masks, own)
    why = ratio_reasons(joint, shares)
    return Column(shares.ratio[[judge]], None, [why[judge]], intervals)


@dataclass(frozen=True, eq=False)
class Deletions:
    """The ratio and the difference with each cluster deleted, (clusters, judges), and in each resample.

    `full` are those with nothing deleted. `n_clusters` (judges,) are the clusters with a case of either.
    """

    full: outside.OutsideComparison
    n_clusters: Ints
    ratio: Floats
    difference: Floats
    ratio_draws: Floats
    difference_draws: Floats

    def ratio_column(self, clusters: Ints, why: list[str | None]) -> Column:
        return Column(self.full.ratio, self.ratio_draws, why, self.ratio_interval(clusters))

    def ratio_interval(self, clusters: Ints) -> Intervals:
        with np.errstate(divide="ignore", invalid="ignore"):
            logs, without = np.log(self.full.ratio), np.log(self.ratio)
            se = delete_one.error_of_deleting(logs, without, self.n_clusters)
        return odds_interval(Estimates(logs, se, clusters - 1))


def deletions(joint: JointVerdicts, weights: Weights | None, *owns: Bools) -> list[Deletions]:
    """Delete each cluster in turn, and draw resamples by `weights`, for the generators in each of `owns`."""
    judges, clusters = len(joint.masks.own), joint.n_clusters

    def without(part: slice) -> list[outside.OutsideComparison]:
        def remaining(counts: NDArray[np.integer]) -> Floats:
            total = np.einsum("...c->...", counts)[..., None]
            left = total - counts[..., part]
            return np.concatenate([left, total], axis=-1, dtype=np.float64)  # the last is of all clusters

        return outside.compare_with_outside(joint.common_in(remaining), joint.masks, *owns)

    def draws(part: Weights) -> list[outside.OutsideComparison]:
        # Sums of so few are exact in single precision.
        resampled = joint.common_in(lambda counts: counts.astype(np.float32) @ part.T)
        return outside.compare_with_outside(resampled, joint.masks, *owns)

    deleted = [without(part) for part in outside.blocks(clusters, judges**2)]
    resampled = []
    if weights is not None:
        resampled = [draws(weights[part]) for part in outside.blocks(len(weights), judges**2)]
    return [
        Deletions(
            outside.OutsideComparison(*(part[:, -1] for part in vars(deleted[0][place]).values())),
            joint.compared_clusters(own),
            *(
                np.concatenate(
                    [np.empty((0, judges)), *(getattr(each[place], name).T[:last] for each in parts)]
                )
                for parts, last in ((deleted, -1), (resampled, None))
                for name in ("ratio", "difference")
            ),
        )
        for place, own in enumerate(owns)
    ]
