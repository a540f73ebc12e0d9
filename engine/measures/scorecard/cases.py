"""The evidence on each judge that a deciding number gives, with what tastes and discernment leave of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from engine.arrays.bits.bitsets import count
from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.scores.scores import score_responses
from engine.arrays.view import SliceView
from engine.measures.outside.outside_odds import has_model, model_reasons
from engine.measures.outside.outside_pairs import OutsideGaps
from engine.measures.outside.outside_points import points_gaps
from engine.measures.rows import first_reason
from engine.stats import Bools, Floats, Ints
from engine.stats.conclusions.conclusion_rules import (
    Evidence,
    Lack,
    Scale,
    lack_of_cells,
    lack_of_instances,
    lack_of_pairs,
)
from engine.stats.conditional.discernment import allow_for_discernment, appeal_in_log_odds
from engine.stats.conditional.taste_spread import ASSUMED, Tastes, taste_spread
from engine.stats.conditional.tastes import (
    Families,
    FamilyTastes,
    allow_for_shared_taste,
    family_tastes,
    styles_outside,
)
from engine.stats.intervals.delete_one import error_of_deleting
from engine.stats.intervals.jackknife import Estimates
from engine.stats.outside.outside_scores import Placebos
from engine.stats.scores.system_scores import ScoreKind

NO_MODEL = "fewer_than_three_judges_or_one_family"


@dataclass(frozen=True, eq=False)
class EvidenceOfCases:
    """The evidence on all judges, the placebos and tastes behind it, and how many cases there are.

    `n_own`, `n_family` and `n_other` have shape (judges,). `relatives_why` says why there is no number for a
    judge's relatives.
    """

    evidence: Evidence
    families: Families
    tastes: FamilyTastes
    placebos: Placebos
    relatives_why: list[str | None]
    n_own: Ints
    n_family: Ints
    n_other: Ints


def evidence_of(
    scale: Scale,
    own: Estimates,
    mask: Bools,
    *,
    placebos: Placebos,
    appeal: Floats,
    families: Families,
    styles: Floats,
    tastes: FamilyTastes,
    spread: float,
    undefined: list[str | None],
    lack: Lack,
    given: Floats,
) -> Evidence:
    """Return the evidence of one number, `mask` (judges, generators) marking what it is about.

    `spread` is that of tastes in section 15, which the slopes of discernment and of a shared taste use;
    `styles` are those of `styles_outside`.
    """
    variance = tastes.variance_of_judges(placebos.value, placebos.se)
    others = families.judge[:, None] != families.generator
    net = allow_for_discernment(own.value, own.se, placebos.value, placebos.se, appeal, mask, others, spread)
    discerned = Estimates(net.value, net.se, own.freedom)
    shared = allow_for_shared_taste(own, placebos.value, placebos.se, mask, styles, spread)
    return Evidence(
        scale,
        own,
        own.with_variance(variance, tastes.freedom),
        discerned,
        discerned.with_variance(tastes.variance, tastes.freedom),
        shared.with_variance(variance, tastes.freedom),
        where_undefined(own, undefined),
        lack.codes,
        lack.enough,
        given,
    )


def where_undefined(own: Estimates, reasons: Sequence[str | None]) -> list[str | None]:
    """Return the reasons of the numbers that are undefined, None for the others."""
    unknown = np.isnan(own.value)
    return [
        (reason or "undefined") if missing else None for reason, missing in zip(reasons, unknown, strict=True)
    ]


def case_of_odds(joint: JointVerdicts, rates: Floats, material: float | None = None) -> EvidenceOfCases:
    """Return `odds_self` and `odds_family` of each judge.

    `rates`, (2, judges), are the shares of others' cells that each judge passes, which say how many own
    (relatives') cells are expected to be passed.
    """
    masks, judges = joint.masks, len(joint.masks.own)
    present = np.asarray(joint.counted.any(axis=(1, 2)))
    families, placebos = Families.of(masks), Placebos.none(masks.own.shape)
    own, relatives = [Estimates.none(judges)] * 2
    why: list[list[str | None]] = [[NO_MODEL] * judges] * 2
    spread, appeal = np.nan, np.full(masks.own.shape, np.nan)
    tastes = FamilyTastes(np.nan, np.nan, len(np.unique(families.judge[present])), int(present.sum()))
    if has_model(joint):
        odds = joint.odds(pooled=False)
        own, relatives = odds.own, odds.family
        placebos = Placebos(odds.placebo, odds.placebo_se)
        tastes = family_tastes(placebos.value, placebos.se, families, present, in_log_odds=True)
        spread = taste_spread(placebos.value, placebos.se, int(present.sum()), ASSUMED).spread
        appeal = appeal_in_log_odds(count(joint.favourable), count(joint.counted), masks.outside, masks.other)
        why = [
            model_reasons(odds.own, 0, joint, masks.own),
            model_reasons(odds.family, 1, joint, masks.family),
        ]
    kinds = zip(
        (own, relatives), (masks.own, masks.family), why, (joint.own, joint.family), rates, strict=True
    )
    styles = styles_outside(placebos.value, placebos.se, families, spread)
    of_self, of_relatives = (
        evidence_of(
            "odds",
            number,
            mask,
            placebos=placebos,
            appeal=appeal,
            families=families,
            styles=styles,
            tastes=tastes,
            spread=spread,
            undefined=reasons,
            lack=lack_of_cells(beside.cells, beside.instances, rate),
            given=np.full(judges, np.nan),
        )
        for number, mask, reasons, beside, rate in kinds
    )
    of_relatives = replace(of_relatives, material=material)
    relatives_evidence = of_relatives if masks.family.any() else None
    evidence = replace(of_self, material=material, relatives=relatives_evidence)
    number_of = joint.own.cells, joint.family.cells, joint.other_cells
    return EvidenceOfCases(evidence, families, tastes, placebos, why[1], *number_of)


def case_of_matched(joint: JointVerdicts, material: float | None = None) -> EvidenceOfCases:
    """Return the logarithm of `hspp_matched`, with the error from deleting one instance at a time."""
    masks, layout, judges = joint.masks, joint.layout, len(joint.masks.own)
    sums = [np.zeros((judges, layout.n_instances), dtype=np.int64) for _ in range(3)]
    for j, g in zip(*np.nonzero(masks.own), strict=True):
        for other in np.flatnonzero(masks.other[j]):
            common = joint.counted[j, g] & joint.counted[j, other]
            planes = common & joint.favourable[j, g], common & joint.favourable[j, other], common
            for total, plane in zip(sums, planes, strict=True):
                total[j] += layout.count_by_instance(plane)
    own_n, other_n, cells = (joint.in_clusters(total) for total in sums)
    number = np.count_nonzero(cells, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(own_n.sum(axis=1) / other_n.sum(axis=1))
        without = np.log((own_n.sum(axis=1)[:, None] - own_n) / (other_n.sum(axis=1)[:, None] - other_n)).T
        value, without = (np.where(np.isfinite(part), part, np.nan) for part in (value, without))
        se = error_of_deleting(value, without, number)
    own = Estimates(value, se, number.astype(np.int64) - 1)
    counted, credited = count(joint.counted), count(joint.favourable)
    rates = np.divide(credited, counted, out=np.full(counted.shape, np.nan), where=counted > 0)
    has_rate = masks.other & ~np.isnan(rates)
    others = has_rate.sum(axis=1)
    rate = np.divide(np.where(has_rate, rates, 0).sum(axis=1), others, out=np.zeros(judges), where=others > 0)
    n_own = np.asarray((counted * masks.own).sum(axis=1))
    own_planes = [joint.counted[j][masks.own[j]] for j in range(judges)]
    by_instance = [layout.count_by_instance(planes).sum(axis=0) for planes in own_planes]
    own_instances = np.array([np.count_nonzero(counts) for counts in by_instance])
    nothing = Estimates.none(judges)
    given = np.divide(own_n.sum(axis=1), cells.sum(axis=1), out=np.full(judges, np.nan), where=number > 0)
    why = first_reason(
        (~masks.has_own, "no_own_responses"),
        (np.asarray(~masks.other.any(axis=1)), "no_others"),
        (number == 0, "no_matched_rubrics"),
        (np.isnan(value), "outside_judges_credit_none"),
    )
    undefined, lack = where_undefined(own, why), lack_of_cells(n_own, own_instances, rate)
    return EvidenceOfCases(
        Evidence(
            *("ratio", own, nothing, nothing, nothing, nothing),
            *(undefined, lack.codes, lack.enough, given, material),
        ),
        Families.of(masks),
        FamilyTastes(np.nan, np.nan, 1, judges),
        Placebos.none(masks.own.shape),
        [NO_MODEL] * judges,
        n_own,
        np.zeros(judges, dtype=np.int64),
        np.asarray((counted * masks.other).sum(axis=1)),
    )


def verdict_gaps(view: SliceView, joint: JointVerdicts) -> OutsideGaps:
    """Return `bonus_outside` of the scores from verdicts."""
    index, rubric = view.study.index, view.rubric
    kind = cast("ScoreKind", view.request.spec.scores)
    met = (joint.favourable ^ rubric.planes.negative) & joint.counted
    return points_gaps(view, score_responses(index, met, joint.counted, rubric.shown_mask, kind).values)


def case_of_gaps(number: str, gaps: OutsideGaps, material: float | None = None) -> EvidenceOfCases:
    """Return `vote_outside` or `bonus_outside` of each judge."""
    placebos = gaps.placebos
    tastes = family_tastes(placebos.value, placebos.se, gaps.families, gaps.present, in_log_odds=False)
    scale: Scale = "votes" if number == "vote_outside" else "points"
    lack_of = lack_of_pairs if number == "vote_outside" else lack_of_instances
    spread: Tastes = taste_spread(placebos.value, placebos.se, int(gaps.present.sum()))
    styles = styles_outside(placebos.value, placebos.se, gaps.families, spread.spread)
    near = gaps.relatives
    of_self, of_relatives = (
        evidence_of(
            scale,
            Estimates(one.value, one.se, one.instances - 1),
            mask,
            placebos=placebos,
            appeal=gaps.appeal,
            families=gaps.families,
            styles=styles,
            tastes=tastes,
            spread=spread.spread,
            undefined=one.why,
            lack=lack_of(n_own, one.instances),
            given=one.given,
        )
        for one, mask, n_own in ((gaps, gaps.own, gaps.n_own), (near, near.family, near.n_family))
    )
    of_relatives = replace(of_relatives, material=material)
    evidence = replace(of_self, material=material, relatives=of_relatives if near.judged.any() else None)
    return EvidenceOfCases(
        evidence, gaps.families, tastes, placebos, near.why, gaps.n_own, near.n_family, gaps.n_other
    )
