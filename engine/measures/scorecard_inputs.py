"""The numbers that can decide the conclusion on a judge, with their evidence (MEASURES section 16)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from engine.arrays.bitsets import Words, count
from engine.arrays.group_by import single_view
from engine.arrays.index import Failures
from engine.arrays.joint_verdicts import JointVerdicts, family_masks, missing_verdicts, with_all_judges
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.pair_quality import prefer_variant, resolve_truth, stored_preferences
from engine.arrays.references import NONE
from engine.arrays.resolve import NoDataError
from engine.arrays.scores import score_responses
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures.outside_judges import (
    deletions,
    model_reasons,
    points_gaps,
    ratio_reasons,
    relevant_left_out,
)
from engine.measures.outside_pairs import OutsideGaps, OwnPairs, own_pairs, vote_outside
from engine.measures.rows import Options, first_reason
from engine.schema import RESPONSE_SCORES, RUBRIC_PARADIGMS
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints
from engine.stats.conclusion_rules import (
    FEWEST_INSTANCES,
    SURE,
    Evidence,
    Scale,
    lack_of_cells,
    lack_of_pairs,
)
from engine.stats.few_events import Estimates
from engine.stats.outside import (
    ASSUMED,
    Placebos,
    Tastes,
    allow_for_discernment,
    appeal_in_log_odds,
    error_of_deleting,
    taste_spread,
)
from engine.stats.self_preference import ScoreKind

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


NUMBERS = ("odds_self", "hspp_matched", "vote_outside", "bonus_outside")
"""The numbers that can decide."""
FEWEST_LEFT, FEWEST_LEFT_BALANCED = 2 / 3, 1 / 3
"""Of the log-odds, the share that must be left on the same rubrics (docs/claims.md says why)."""
FEWEST_JUDGES = 3
"""With fewer judges there is no model of their odds."""
NO_MODEL = "fewer_than_three_judges_or_one_family"
FEWEST_THEMES = 10
"""With fewer themes, errors cannot be clustered by theme."""
LOST_PAIRS = "vote_outside_lost"
"""Decides by only the pairs that the judge's own response lost by the gold votes."""
_GAP, _ROUNDING = 0.02, 1e-9
_SCORED = RESPONSE_SCORES
Whose = Literal["own", "other"]
"""Whose responses: the judge's own, or those of other families."""


@dataclass(frozen=True, eq=False)
class Case:
    """The evidence on all judges with the numbers reported beside it, each of shape (judges,)."""

    evidence: Evidence
    tastes: Tastes
    placebos: Floats
    ratio_low: Floats
    ratio_high: Floats
    ratio_reasons: list[str | None]
    relatives_reasons: list[str | None]
    n_own: Ints
    n_other: Ints
    n_outside: Ints
    n_family: Ints


@dataclass(frozen=True, eq=False)
class Source:
    """The source of one number: a view that shows all judges, and which judges have own cases there."""

    number: str
    view: SliceView
    truth: str | None
    pairs: str | None = None
    clusters: Ints | None = None

    @cached_property
    def joint(self) -> JointVerdicts | None:
        """The verdicts, if they are of rubrics."""
        if self.truth is None:
            return None
        return replace(JointVerdicts.of(self.view, self.truth), clusters=self.clusters)

    @cached_property
    def _missing(self) -> Words:
        return missing_verdicts(self.view, self.truth or "any")

    @cached_property
    def _gaps(self) -> OutsideGaps:
        if self.pairs is not None:
            return vote_outside(self.view, self._pair_options)
        return points_gaps(self.view)

    @property
    def _pair_options(self) -> dict[str, Any]:
        return {"pairs": self.pairs, **_PAIR_OPTIONS}

    @cached_property
    def own_pairs(self) -> OwnPairs | None:
        """The shares of pairs that are missing and tied; None for other judgments."""
        return None if self.pairs is None else own_pairs(self.view, self._pair_options)

    @property
    def orders_missing(self) -> int:
        """How many judgments of pairs lack the other order; 0 if none of them is of a judge's own pair."""
        cube = self.view.cube
        if not isinstance(cube, PairCube):
            return 0
        alone = cube.failures.select(cube.failures.code == "order_missing")
        own = (alone.judge == alone.generator) | (alone.judge == alone.opponent)
        return int(self._gaps.left_out.get("order_missing", 0)) if own.any() else 0

    @property
    def left_out(self) -> Mapping[str, int]:
        return self._gaps.left_out if self.joint is None else relevant_left_out(self.view)

    @property
    def judged(self) -> Bools:
        return self._gaps.judged if self.joint is None else self.joint.judged

    @cached_property
    def case(self) -> Case:
        return case_of_gaps(self.number, self._gaps) if self.joint is None else self.case_of(self.joint)

    def case_of(self, joint: JointVerdicts) -> Case:
        """Return the evidence from other verdicts than the study's: some filled in, or removed."""
        if self.number == "bonus_outside":
            return case_of_verdict_points(self.view, joint)
        return case_of_odds(joint) if self.number == "odds_self" else case_of_matched(joint)

    def case_filled(self, judge: int, *, favourable: bool, whose: Whose = "own") -> Case:
        """Return the evidence with a judge's missing verdicts or scores filled in; of pairs only its own."""
        if self.joint is not None:
            return self.case_of(self._filled_verdicts(self.joint, judge, whose, favourable=favourable))
        if self.pairs is not None:
            return case_of_gaps(self.number, vote_outside(self.view, self._pair_options, (judge, favourable)))
        scores = self.view.scored.judge.values.copy()
        of = getattr(family_masks(self.view), whose)[judge]
        scores[judge, of] = np.where(self._missing_scores[judge, of], float(favourable), scores[judge, of])
        return case_of_gaps(self.number, points_gaps(self.view, scores))

    def bounds(self, judge: int) -> tuple[float, float]:
        """Return a judge's number with its missing own verdicts unfavourable, and favourable."""
        ends = []
        for credit in (False, True):
            if self.joint is None:
                values = self.case_filled(judge, favourable=credit).evidence.own.value
            else:
                values = self.values_of(self._filled_verdicts(self.joint, judge, "own", favourable=credit))
            ends.append(float(values[judge]))
        return ends[0], ends[1]

    def _filled_verdicts(
        self, joint: JointVerdicts, judge: int, whose: Whose, *, favourable: bool
    ) -> JointVerdicts:
        generators = getattr(joint.masks, whose)[judge]
        return joint.impute(judge, generators, self._missing[judge], favourable=favourable)

    @cached_property
    def _missing_scores(self) -> Bools:
        """Responses with a judgment and no score, shape (judges, generators, instances)."""
        cube, scores = self.view.cube, self.view.scored.judge.values
        requested = np.zeros((len(cube.judges), len(cube.generators), scores.shape[2]), dtype=bool)
        failures = cube.failures
        if isinstance(failures, Failures):
            requested[failures.judge, failures.generator, failures.place] = True
        cells = np.asarray(self.view.kept_cells)
        shown = cells if len(cells) == 1 else cells[self.view.columns]
        return requested[np.ix_(self.view.rows, self.view.columns)] & shown & np.isnan(scores)

    def values_of(self, joint: JointVerdicts) -> Floats:
        """Return the deciding numbers from other verdicts than the study's, without their errors."""
        if self.number == "bonus_outside":
            return _verdict_gaps(self.view, joint).value
        present = joint.counted.any(axis=(1, 2))
        if self.number != "odds_self" or present.sum() < FEWEST_JUDGES:
            return self.case_of(joint).evidence.own.value
        return joint.odds(errors=False, pooled=False, placebos=False).own.value

    def unequal(self, own: Floats, other: Floats) -> Bools:
        """Return where shares of missing verdicts differ by 2 points or more.

        Of pairs only where more own ones are missing: those without its own response do not count.
        """
        return more_missing(own, other) | (more_missing(other, own) & (self.pairs is None))

    def upheld_on_same_items(self, judge: int, *, family: bool = False) -> bool:
        """Return whether a judge's odds differ from 1 among answers to the same rubrics, too.

        A judge may be lenient, whoever answers, on what its own model finds hard. On the rubrics that its own
        responses failed, where others' failures are equally hard, at least two thirds of the log-odds must be
        left, with p < .05, and a third if both weigh the same on each rubric. For its `family`, which has
        several responses to a rubric, the former is asked of equal weights. True if the number is not
        `odds_self` on failed rubrics, or undefined there.
        """
        evidence = self.case.evidence.relatives if family else self.case.evidence
        if self.joint is None or evidence is None or (self.number, self.truth) != ("odds_self", "failed"):
            return True
        log_odds = evidence.own.value[judge]
        value, p = self.joint.odds_on_same_items(judge, family=family, balanced=family)
        if not np.isnan(value) and not (p < SURE and value / log_odds >= FEWEST_LEFT):
            return False
        if not family:
            value, _ = self.joint.odds_on_same_items(judge, balanced=True, errors=False)
        return bool(np.isnan(value) or value / log_odds >= FEWEST_LEFT_BALANCED)

    @cached_property
    def missing_shares(self) -> tuple[Floats, Floats, Floats]:
        """The shares of own, others' and relatives' cells without a verdict; NaN: nothing asked."""
        if self.own_pairs is not None:
            own = self.own_pairs.missing_own
            return own, self.own_pairs.missing_other, np.full(len(own), np.nan)
        masks = family_masks(self.view)
        if self.joint is not None:
            missing, judged = count(self._missing), count(self.joint.counted)
        else:
            missing = self._missing_scores.sum(axis=-1)
            judged = (~np.isnan(self.view.scored.judge.values)).sum(axis=-1)
        shares = []
        for who in (masks.own, masks.other, masks.family):
            n_missing, n_judged = ((part * who).sum(axis=1) for part in (missing, judged))
            total = n_missing + n_judged
            shares.append(np.divide(n_missing, total, out=np.full(len(total), np.nan), where=total > 0))
        return shares[0], shares[1], shares[2]


_PAIR_OPTIONS = {"opponents": "outside", "quality": "judges", "quality_judges": (), "epsilon": 0.25}


def more_missing(share: Floats, other: Floats) -> Bools:
    """Return where a share of missing verdicts exceeds another by 2 points or more."""
    return np.asarray(np.nan_to_num(share - other) >= _GAP - _ROUNDING)


def deciding_source(study: "StudyArrays", spec: Slice, options: Options) -> Source:
    """Return the first number in section 16's order that the study has; NoDataError if it has none.

    If all are undefined, the first of them, which says why; `decide` names the number to use.
    """
    first: Source | None = None
    unpaired = 0
    clusters = _themes(study) if options["clusters"] == "theme" else None
    for source in _sources(study, spec, options["decide"]):
        if clusters is not None:
            if source.number not in ("odds_self", "hspp_matched"):
                raise UsageError(
                    f"clusters 'theme' applies to rubric verdicts, but {source.number} decides here; leave "
                    "out --clusters"
                )
            source = replace(source, clusters=clusters)
        if np.isfinite(source.case.evidence.own.value).any():
            return source
        if first is None and source.judged.any():
            first = source
        unpaired = max(unpaired, source.orders_missing)
    if first is not None:
        return first
    if unpaired:
        raise NoDataError(
            f"{unpaired:,} judgments of pairs lack the other order, and no pair with a judge's own "
            "response has both; judge the pairs in the other order too"
        )
    raise NoDataError("no judge has judged its own responses in this slice")


def _themes(study: "StudyArrays") -> Ints:
    """Return the theme of each instance as a code; an instance without one stands alone."""
    themes = study.index.instance_fields["theme"].tolist()
    n_themes = len({theme for theme in themes if theme is not None})
    if n_themes < FEWEST_THEMES:
        raise UsageError(
            f"clusters 'theme' needs at least {FEWEST_THEMES} themes, but the study has {n_themes}; "
            "leave out --clusters"
        )
    labels = [place if theme is None else str(theme) for place, theme in enumerate(themes)]
    codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    return np.array([codes[label] for label in labels])


def _sources(study: "StudyArrays", spec: Slice, decide: str | None) -> Iterator[Source]:
    """Yield the sources that the study may have, in the order in which they decide."""
    present = [p for p in study.inventory.values("paradigm") if spec.paradigm in (None, p)]
    rubrics = [p for p in RUBRIC_PARADIGMS if p in present][:1]
    for paradigm in rubrics:
        view = _view(study, replace(spec, paradigm=paradigm, level="rubric"))
        if view is not None and view.request.source is not None:
            alone = not family_masks(view).outside.any()
            if decide == "odds_self" or (decide is None and not alone):
                yield Source("odds_self", view, "failed")
            if decide == "hspp_matched" or (decide is None and alone):
                yield Source("hspp_matched", view, "failed")
    if "pairwise" in present and decide in (None, "vote_outside", LOST_PAIRS):
        pairs = "lost" if decide == LOST_PAIRS else "all"
        yield from _sources_of_pairs(study, replace(spec, paradigm="pairwise"), pairs)
    for paradigm in [p for p in _SCORED if p in present][:1] if decide in (None, "bonus_outside") else []:
        view = _view(study, replace(spec, paradigm=paradigm, level="instance", reference=NONE))
        if view is not None:
            yield Source("bonus_outside", view, "any" if paradigm in RUBRIC_PARADIGMS else None)
    for paradigm in rubrics if decide in (None, "odds_self") else []:
        view = _view(study, replace(spec, paradigm=paradigm, level="rubric", reference=NONE))
        if view is not None:
            yield Source("odds_self", view, "any")


def _sources_of_pairs(study: "StudyArrays", spec: Slice, pairs: str) -> Iterator[Source]:
    """Yield the pairs, with the gold that says which are ties and lost, if the study has it.

    All decide by default, rather than those lost by the gold votes: these are half of them, and detect a
    planted judge in 75 % of studies where all detect it in 95 % (docs/claims.md).
    """
    spec = prefer_variant(study, spec, None, "default", "forced", "forced_tie")
    has_gold = stored_preferences(study).sources or study.references.sources
    view = _view(study, resolve_truth(study, spec)) if has_gold else None
    view = view or _view(study, replace(spec, reference=NONE))
    if view is not None:
        yield Source("vote_outside", view, None, pairs)


def _view(study: "StudyArrays", spec: Slice) -> SliceView | None:
    """Return the slice with all judges; None if the study or the filters do not allow it."""
    try:
        return with_all_judges(single_view(study, replace(spec, judges=()), None, (spec.paradigm or "",)))
    except (NoDataError, UsageError):
        return None


def case_of_odds(joint: JointVerdicts) -> Case:
    """Return `odds_self` and `odds_family` of each judge, with their ratios against outside judges."""
    masks, judges = joint.masks, len(joint.masks.own)
    doubts = deletions(joint, None, masks.own, masks.family)
    present = np.asarray(joint.counted.any(axis=(1, 2)))
    placebos, tastes = Placebos.none(masks.own.shape), Tastes(np.nan, int(present.sum()))
    numbers = discerned = [Estimates.none(judges)] * 2
    reasons: list[list[str | None]] = [[NO_MODEL] * judges] * 2
    if present.sum() >= FEWEST_JUDGES and masks.outside[np.ix_(present, present)].any():
        odds = joint.odds(pooled=False)
        placebos, numbers = Placebos(odds.placebo, odds.placebo_se), [odds.own, odds.family]
        tastes = taste_spread(odds.placebo, odds.placebo_se, int(present.sum()), ASSUMED)
        appeal = appeal_in_log_odds(count(joint.favourable), count(joint.counted), masks.outside, masks.other)
        of_whom = ((odds.own, masks.own), (odds.family, masks.family))
        discerned = [_net_values(number, placebos, appeal, of, tastes) for number, of in of_whom]
        reasons = [model_reasons(number, i, joint, of) for i, (number, of) in enumerate(of_whom)]
    evidence, of_relatives = (
        Evidence(
            "odds",
            number,
            _where_undefined(number, why),
            lack_of_cells(beside.cells, beside.instances, doubt.full.other_judge),
            taste=tastes.variance,
            judge_taste=tastes.variance_of_judges(placebos.value, placebos.se),
            ratio=doubt.full.ratio,
            ratio_p=doubt.ratio_interval(beside.clusters).p,
            discerned=discernment,
        )
        for number, why, beside, doubt, discernment in zip(
            numbers, reasons, (joint.own, joint.family), doubts, discerned, strict=True
        )
    )
    ratio, why = doubts[0].ratio_interval(joint.own.clusters), ratio_reasons(joint, doubts[0].full)
    evidence = replace(evidence, relatives=of_relatives if masks.family.any() else None)
    return Case(
        evidence,
        tastes,
        placebos.value,
        ratio_low=ratio.low,
        ratio_high=ratio.high,
        ratio_reasons=why,
        relatives_reasons=reasons[1],
        n_own=joint.own.cells,
        n_other=joint.other_cells,
        n_outside=doubts[0].full.judges,
        n_family=joint.family.cells,
    )


def _net_values(own: Estimates, placebos: Placebos, appeal: Floats, mask: Bools, tastes: Tastes) -> Estimates:
    """Return the numbers less what judges' discernment explains."""
    net = allow_for_discernment(own.value, own.se, placebos.value, placebos.se, appeal, mask, tastes.spread)
    return Estimates(net.value, net.se, own.freedom)


def _where_undefined(own: Estimates, reasons: list[str | None]) -> list[str | None]:
    unknown = np.isnan(own.value)
    return [
        (reason or "undefined") if missing else None for reason, missing in zip(reasons, unknown, strict=True)
    ]


def case_of_matched(joint: JointVerdicts) -> Case:
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
    nothing, none = np.full(judges, np.nan), np.zeros(judges, dtype=np.int64)
    why = first_reason(
        (~masks.has_own, "no_own_responses"),
        (number == 0, "no_matched_rubrics"),
        (np.isnan(value), "outside_judges_credit_none"),
    )
    evidence = Evidence(
        "ratio",
        own,
        _where_undefined(own, why),
        lack_of_cells(n_own, own_instances, rate),
        taste=np.nan,
        judge_taste=nothing,
        ratio=nothing,
        ratio_p=nothing,
        discerned=Estimates.none(judges),
    )
    return Case(
        evidence,
        Tastes(np.nan, judges),
        placebos=np.full(masks.own.shape, np.nan),
        ratio_low=nothing,
        ratio_high=nothing,
        ratio_reasons=["no_outside_judge"] * judges,
        relatives_reasons=[NO_MODEL] * judges,
        n_own=n_own,
        n_other=np.asarray((counted * masks.other).sum(axis=1)),
        n_outside=none,
        n_family=none,
    )


def case_of_verdict_points(view: SliceView, joint: JointVerdicts) -> Case:
    """Return `bonus_outside` of the scores from verdicts, with the ratio against outside judges."""
    case = case_of_gaps("bonus_outside", _verdict_gaps(view, joint))
    [doubts] = deletions(joint, None, joint.masks.own)
    ratio, why = doubts.ratio_interval(joint.own.clusters), ratio_reasons(joint, doubts.full)
    evidence = replace(case.evidence, ratio=doubts.full.ratio, ratio_p=ratio.p)
    return replace(case, evidence=evidence, ratio_low=ratio.low, ratio_high=ratio.high, ratio_reasons=why)


def _verdict_gaps(view: SliceView, joint: JointVerdicts) -> OutsideGaps:
    """Return `bonus_outside` of the scores from verdicts."""
    index, rubric = view.study.index, view.rubric
    kind = cast("ScoreKind", view.request.spec.scores)
    met = (joint.favourable ^ rubric.planes.negative) & joint.counted
    return points_gaps(view, score_responses(index, met, joint.counted, rubric.shown_mask, kind).values)


def case_of_gaps(number: str, gaps: OutsideGaps) -> Case:
    judges, placebos = len(gaps.value), gaps.placebos
    tastes = taste_spread(placebos.value, placebos.se, gaps.n_judges)
    own = Estimates(gaps.value, gaps.se, gaps.instances - 1)
    scale: Scale = "points"
    lacking: list[str | None] = ["few_instances" if n < FEWEST_INSTANCES else None for n in gaps.instances]
    if number == "vote_outside":
        scale, lacking = "votes", lack_of_pairs(gaps.n_own, gaps.instances)
    nothing = np.full(judges, np.nan)
    evidence = Evidence(
        scale,
        own,
        _where_undefined(own, gaps.why),
        lacking,
        taste=tastes.variance,
        judge_taste=tastes.variance_of_judges(placebos.value, placebos.se),
        ratio=nothing,
        ratio_p=nothing,
        discerned=_net_values(own, placebos, gaps.appeal, gaps.own, tastes),
    )
    return Case(
        evidence,
        tastes,
        placebos.value,
        ratio_low=nothing,
        ratio_high=nothing,
        ratio_reasons=["not_of_these_judgments"] * judges,
        relatives_reasons=["not_of_these_judgments"] * judges,
        n_own=gaps.n_own,
        n_other=gaps.n_other,
        n_outside=gaps.n_outside,
        n_family=np.zeros(judges, dtype=np.int64),
    )
