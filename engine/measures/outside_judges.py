"""`outside`: a judge compared with judges outside its family (MEASURES section 15).

Rubric verdicts give shares, their ratio and the odds of a conditional model; scores give a bonus in points,
pairs a difference of votes. Each judge shown is compared with all judges of the study.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.arrays.gold_preferences import resolve_truth
from engine.arrays.joint_verdicts import JointVerdicts, family_masks, with_all_judges
from engine.arrays.judged_pairs import prefer_variant
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.references import NONE
from engine.arrays.resolve import NoDataError, choose_paradigm
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures.columns import HANGS, judge_columns, student_t_column
from engine.measures.family_gaps import OF_FAMILIES, with_families
from engine.measures.outside_pairs import FamilyGaps, OutsideGaps, reasons_of_family, vote_outside
from engine.measures.rows import Column, Intervals, Options, Reasons, Table, first_reason
from engine.schema import COMPARABLE, OPTION_PARADIGMS, TRAITS
from engine.slices import Slice
from engine.stats import (
    Bools,
    Floats,
    Ints,
    Weights,
    delete_one,
    discernment,
    outside,
    outside_scores,
    taste_spread,
)
from engine.stats.adjusted_p import benjamini_hochberg
from engine.stats.bootstrap import resample
from engine.stats.conditional_logit import LogOdds, shrink
from engine.stats.jackknife import Estimates
from engine.stats.ratios import rate
from engine.stats.tastes import Families, family_tastes

_ELSEWHERE = "not_of_these_judgments"
_SHARES = ("own_judge", "own_outside", "other_judge", "other_outside")
_NUMBERS = ("odds_self", "odds_family", "bonus_outside", "vote_outside")
_OF_RELATIVES = ("bonus_outside_family", "vote_outside_family")
_NOT_OF_ALL = (
    *("ratio_outside", "difference_outside", "ratio_outside_family", "odds_common", "odds_shrunken"),
    *_SHARES,
    *_NUMBERS,
    *_OF_RELATIVES,
    *(f"{name}_p_tastes" for name in _NUMBERS),
)
"""The columns that not every kind of judgment has."""
_OF_MODEL = {
    "absent": ("no_own_cells", "no_cells_of_relatives"),
    "verdicts_agree": ("no_own_cell_disputed", "no_disputed_cell_of_relatives"),
    "verdicts_all_alike": ("all_own_verdicts_alike", "all_verdicts_on_relatives_alike"),
    "separated": ("separated", "separated"),
    "not_identified": ("not_identified", "not_identified"),
    "single_instance": ("one_instance_disputed", "one_instance_disputed"),
    "hangs_on_one_instance": (HANGS, HANGS),
}


def prepare_outside(study: StudyArrays, spec: Slice, options: Options, by: str | None) -> Slice:
    """Return the slice without a reference if none is needed; for pairs, with the variant `default`."""
    if by == "paradigm":
        return spec
    try:
        paradigm = choose_paradigm(study, spec, (*COMPARABLE, *OPTION_PARADIGMS))
    except NoDataError:
        return spec
    if TRAITS[paradigm].of_pairs:
        if options["epsilon"] < 0:
            raise UsageError(
                f"epsilon {options['epsilon']!r} is below 0; give a quality difference such as 0.25"
            )
        spec = prefer_variant(study, spec, by, "default", "forced", "forced_tie")
        if options["pairs"] in ("lost", "tied", "won"):
            return resolve_truth(study, spec)
        free = options["quality"] != "reference"
    else:
        free = options["truth"] == "any" or not TRAITS[paradigm].of_rubrics or spec.level == "instance"
    return replace(spec, reference=NONE) if free and spec.reference is None else spec


def outside_table(
    view: SliceView, options: Options, *, odds: bool = True, placebos: bool = True, families: bool = True
) -> Table:
    """Return a row for each judge that has judged its own or its family's responses, then for each family.

    Families have rows if the judgments give scores. Without `odds` none are fitted; without `placebos` no
    scores are compared for other generators; without `families` these have no rows.
    """
    everyone, errors = with_all_judges(view), view.weights is not None
    if isinstance(view.cube, PairCube):
        table = _gap_table("vote_outside", vote_outside(everyone, options), errors, options)
    elif view.request.of_rubrics and view.at_rubrics:
        table = _verdict_table(everyone, options, odds=odds)
    else:
        gaps = points_gaps(everyone, errors=errors, placebos=placebos)
        table = _gap_table("bonus_outside", gaps, errors, options)
    columns = dict(table.columns) | judge_columns(everyone)
    columns |= dict.fromkeys(OF_FAMILIES, Column(np.full(len(table.keep), np.nan), reasons="row_of_judge"))
    keep = table.keep & np.isin(np.arange(len(table.keep)), view.rows)
    for name in _NUMBERS:
        p = np.where(keep, np.asarray(columns[f"{name}_p_tastes"].values, dtype=np.float64), np.nan)
        reasons = columns[f"{name}_p_tastes"].reasons
        columns[f"{name}_p_tastes_adjusted"] = Column(benjamini_hochberg(p), reasons=reasons)
    table = replace(table, columns=columns, keep=keep)
    of_verdicts = view.request.of_rubrics and view.at_rubrics
    without = not families or of_verdicts or isinstance(view.cube, PairCube)
    return table if without else with_families(everyone, table)


def _verdict_table(view: SliceView, options: Options, *, odds: bool) -> Table:
    truth = options["truth"] or ("any" if view.request.source is None else "failed")
    if truth != "any" and view.request.source is None:
        raise NoDataError("the study has no reference; --truth any works without one")
    joint = JointVerdicts.of(view, truth)
    elsewhere = Column(np.full(len(view.judges), np.nan), reasons=_ELSEWHERE)
    columns = dict.fromkeys(_NOT_OF_ALL, elsewhere) | _comparisons(view, joint)
    columns |= _odds(view, joint, options) if odds else _placebos_missing(len(view.judges), "not_asked_for")
    unused = {} if view.request.source is not None else {"no_reference": 0, "reference_tie": 0}
    left_out = {**view.left_out, **unused}
    keep = joint.judged | (joint.family.cells > 0)
    return Table(columns, keep, joint.instances, left_out, {"truth": truth})


def _comparisons(view: SliceView, joint: JointVerdicts) -> dict[str, Column]:
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
    columns = {name: Column(getattr(shares, name), reasons=why) for name in _SHARES} | {
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
        return _odds_interval(Estimates(logs, se, clusters - 1))


def deletions(joint: JointVerdicts, weights: Weights | None, *owns: Bools) -> list[Deletions]:
    """Delete each cluster in turn, and draw resamples by `weights`, for the generators in each of `owns`."""
    judges, clusters = len(joint.masks.own), joint.n_clusters

    def without(part: slice) -> list[outside.OutsideComparison]:
        def remaining(counts: NDArray[np.integer]) -> NDArray[np.integer]:
            total = counts.sum(axis=-1, keepdims=True, dtype=counts.dtype)
            return np.concatenate([total - counts[..., part], total], axis=-1)  # the last is of all clusters

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


def _odds(view: SliceView, joint: JointVerdicts, options: Options) -> dict[str, Column]:
    masks = joint.masks
    present = np.asarray(joint.counted.any(axis=(1, 2)))
    if present.sum() < 3 or not masks.outside[np.ix_(present, present)].any():
        return _placebos_missing(len(present), "fewer_than_three_judges_or_one_family")
    errors = view.weights is not None
    odds = joint.odds(errors=errors)
    spread = taste_spread.taste_spread(
        odds.placebo, odds.placebo_se, int(present.sum()), taste_spread.ASSUMED
    )
    tastes = family_tastes(odds.placebo, odds.placebo_se, Families.of(masks), present, in_log_odds=True)
    variance = tastes.variance_of_judges(odds.placebo, odds.placebo_se)
    why = [model_reasons(odds.own, 0, joint, masks.own), model_reasons(odds.family, 1, joint, masks.family)]
    columns = {}
    for name, number, reasons in (("odds_self", odds.own, why[0]), ("odds_family", odds.family, why[1])):
        columns[name] = _odds_column(number, reasons, errors=errors)
        columns[f"{name}_p_tastes"] = _if_errors(
            errors,
            number.with_variance(variance, tastes.freedom).p(),
            [code or "tastes_unknown" for code in reasons],
        )
    columns["odds_shrunken"] = _if_errors(errors, np.exp(shrink(odds.own.value, odds.own.se)), why[0])
    common = odds.common  # the odds of all judges, the same on every row
    code = "verdicts_agree" if common.reason[0] == "absent" else common.reason[0]
    first = np.zeros(len(present), dtype=np.int64)
    codes = common.reason[:1] * len(present)
    common = LogOdds(common.value[first], common.se[first], common.freedom[first], codes)
    columns["odds_common"] = _odds_column(common, code and _OF_MODEL[code][0], errors=errors)
    return columns | _placebos(odds.own.value, odds.placebo, spread, why[0], options)


def _if_errors(errors: bool, values: Floats, reasons: list[str | None]) -> Column:
    """Return what takes standard errors; undefined where these were not requested."""
    return Column(values, reasons=reasons) if errors else Column([None] * len(values), reasons="no_resamples")


def model_reasons(odds: LogOdds, which: int, joint: JointVerdicts, of: Bools) -> list[str | None]:
    """Return why log-odds are undefined, as codes for own responses (0) or relatives' (1).

    The model sees only cells on which verdicts differ, so it calls all others absent.
    """
    judged = np.asarray((joint.counted.any(axis=-1) & of).any(axis=1))
    nobody = "no_relatives" if which else "no_own_responses"
    why = []
    for j, code in enumerate(odds.reason):
        kind = "verdicts_agree" if code == "absent" and judged[j] else code
        reason = None if kind is None else _OF_MODEL[kind][which]
        why.append(reason if of[j].any() else nobody)
    return why


def _odds_column(odds: LogOdds, why: Reasons, *, errors: bool) -> Column:
    """Return odds, with their intervals if these are requested."""
    return Column(np.exp(odds.value), reasons=why, intervals=_odds_interval(odds) if errors else None)


def _odds_interval(logs: Estimates) -> Intervals:
    """Return the intervals and p-values of the odds or ratios whose logarithms these are."""
    low, high = logs.interval()
    return Intervals(np.exp(low), np.exp(high), logs.p(), HANGS)


def _placebos(
    true: Floats, placebos: Floats, tastes: taste_spread.Tastes, why: list[str | None], options: Options
) -> dict[str, Column]:
    rank, number = taste_spread.placebo_ranks(true, placebos)
    judges, rng = len(true), np.random.default_rng(options["seed"])
    spread = np.full(judges, tastes.spread)
    return {
        "placebo_rank": Column([int(n) or None for n in rank], reasons=why),
        "placebo_of": Column(number),
        "taste_spread": Column(spread, reasons="too_few_judges_for_tastes"),
        "tastes_assumed": Column([tastes.assumed] * judges),
        "p_placebo": Column(
            np.full(judges, taste_spread.placebo_p(true, placebos, rng)), reasons="no_placebo"
        ),
    }


def _placebos_missing(judges: int, code: str) -> dict[str, Column]:
    names = (
        *("odds_self", "odds_family", "odds_common", "odds_shrunken", "taste_spread", "p_placebo"),
        *("odds_self_p_tastes", "odds_family_p_tastes"),
    )
    return dict.fromkeys(names, Column(np.full(judges, np.nan), reasons=code)) | {
        "placebo_rank": Column([None] * judges, reasons=code),
        "placebo_of": Column(np.zeros(judges, dtype=np.int64)),
        "tastes_assumed": Column([False] * judges),
    }


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


def relevant_left_out(view: SliceView) -> Mapping[str, int]:
    left_out = dict(view.left_out)
    if view.request.source is None:  # what is not used cannot be lacking
        left_out |= dict.fromkeys(("no_reference", "reference_tie", "incomplete"), 0)
    return left_out


def _gap_table(name: str, gaps: OutsideGaps, errors: bool, options: Options) -> Table:
    """Return the columns of votes or points, with intervals if they are requested."""
    column = Column(gaps.value, reasons=gaps.why)
    if errors:
        column = student_t_column(gaps.value, gaps.se, gaps.instances - 1, gaps.draws, gaps.why, HANGS)
    columns = dict.fromkeys(_NOT_OF_ALL, Column(np.full(len(gaps.value), np.nan), reasons=_ELSEWHERE))
    placebos = gaps.placebos
    spread = taste_spread.taste_spread(placebos.value, placebos.se, gaps.n_judges)
    tastes = family_tastes(placebos.value, placebos.se, gaps.families, gaps.present, in_log_odds=False)
    why = [column.reason(row) if np.isnan(value) else None for row, value in enumerate(gaps.value)]
    number = Estimates(gaps.value, gaps.se, gaps.instances - 1)
    p = number.with_variance(tastes.variance_of_judges(placebos.value, placebos.se), tastes.freedom).p()
    no_tastes: list[str | None] = [code or "tastes_unknown" for code in why]
    columns |= {name: column, f"{name}_p_tastes": _if_errors(errors, p, no_tastes)}
    columns |= _placebos(gaps.value, placebos.value, spread, why, options)
    columns |= {of: Column(getattr(gaps, of)) for of in ("n_own", "n_other", "n_outside")}
    near = gaps.relatives
    columns |= {f"{name}_family": near.column(errors=errors), "n_family": Column(near.n_family)}
    return Table(columns, gaps.judged | near.judged, gaps.n_instances, gaps.left_out)
