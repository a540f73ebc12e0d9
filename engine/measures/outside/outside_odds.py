"""The odds that a judge passes its own responses, beside outside judges (MEASURES section 15)."""

import numpy as np

from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.view import SliceView
from engine.measures.columns import HANGS
from engine.measures.rows import Column, Intervals, Options, Reasons
from engine.stats import Bools, Floats
from engine.stats.conditional import taste_spread
from engine.stats.conditional.conditional_model import LogOdds
from engine.stats.conditional.tastes import Families, family_tastes
from engine.stats.intervals.jackknife import Estimates
from engine.stats.intervals.shrinkage import shrink

_OF_MODEL = {
    "absent": ("no_own_cells", "no_cells_of_relatives"),
    "verdicts_agree": ("no_own_cell_disputed", "no_disputed_cell_of_relatives"),
    "verdicts_all_favourable": ("all_own_disputed_passed", "all_disputed_of_relatives_passed"),
    "verdicts_all_unfavourable": ("no_own_disputed_passed", "no_disputed_of_relatives_passed"),
    "separated": ("separated", "separated"),
    "not_identified": ("not_identified", "not_identified"),
    "single_instance": ("one_instance_disputed", "one_instance_disputed"),
    "hangs_on_one_instance": (HANGS, HANGS),
}

_UNREFERENCED = ("no_reference_of_own", "no_reference_of_relatives")
"""Why a judge has no case, although it judged its own (or relatives') responses."""

NO_OWN_CASE = {"failed": "no_own_failures", "met": "no_own_passes", "any": "no_own_cells"}
"""Why a judge that judged responses of its own has no case among them, by the truth that cases have."""

FEWEST_JUDGES = 3
"""With fewer judges there is no model of their odds."""


def has_model(joint: JointVerdicts) -> bool:
    """Return whether so many judges have verdicts, not all of one family."""
    present = np.asarray(joint.counted.any(axis=(1, 2)))
    return bool(present.sum() >= FEWEST_JUDGES and joint.masks.outside[np.ix_(present, present)].any())


def odds_columns(view: SliceView, joint: JointVerdicts, options: Options) -> dict[str, Column]:
    masks = joint.masks
    present = np.asarray(joint.counted.any(axis=(1, 2)))
    if not has_model(joint):
        return _no_placebos(len(present))
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
        columns[f"{name}_p_tastes"] = if_errors(
            errors,
            number.with_variance(variance, tastes.freedom).p(),
            [code or "tastes_unknown" for code in reasons],
        )
    columns["odds_shrunken"] = if_errors(errors, np.exp(shrink(odds.own.value, odds.own.se)), why[0])
    common = odds.common  # the odds of all judges, the same on every row
    code = "verdicts_agree" if common.reason[0] == "absent" else common.reason[0]
    first = np.zeros(len(present), dtype=np.int64)
    codes = common.reason[:1] * len(present)
    common = LogOdds(common.value[first], common.se[first], common.freedom[first], codes)
    columns["odds_common"] = _odds_column(common, code and _OF_MODEL[code][0], errors=errors)
    return columns | placebo_columns(odds.own.value, odds.placebo, spread, why[0], options)


def if_errors(errors: bool, values: Floats, reasons: list[str | None]) -> Column:
    """Return what takes standard errors; undefined where these were not requested."""
    return Column(values, reasons=reasons) if errors else Column([None] * len(values), reasons="no_resamples")


def model_reasons(odds: LogOdds, which: int, joint: JointVerdicts, of: Bools) -> list[str | None]:
    """Return why log-odds are undefined, as codes for own responses (0) or relatives' (1).

    The model sees only cells on which verdicts differ, so it calls all others absent, also those that no
    judge of another family judged.
    """
    common = (joint.family if which else joint.own).cells
    judged = np.asarray((joint.counted.any(axis=-1) & of).any(axis=1))
    nobody = "no_relatives" if which else "no_own_responses"
    why = []
    for j, code in enumerate(odds.reason):
        kind = "verdicts_agree" if code == "absent" and judged[j] else code
        reason = None if kind is None else _OF_MODEL[kind][which]
        if kind not in (None, "absent") and not common[j]:
            reason = "no_common_cell_of_relatives" if which else "no_common_own_cell"
        if not which and joint.no_own[j]:
            reason = NO_OWN_CASE[joint.truth]
        if reason is not None and joint.unreferenced is not None and joint.unreferenced[which, j]:
            reason = _UNREFERENCED[which]
        why.append(reason if of[j].any() else nobody)
    return why


def _odds_column(odds: LogOdds, why: Reasons, *, errors: bool) -> Column:
    """Return odds, with their intervals if these are requested."""
    return Column(np.exp(odds.value), reasons=why, intervals=odds_interval(odds) if errors else None)


def odds_interval(logs: Estimates) -> Intervals:
    """Return the intervals and p-values of the odds or ratios whose logarithms these are."""
    low, high = logs.interval()
    return Intervals(np.exp(low), np.exp(high), logs.p(), HANGS)


def placebo_columns(
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


def _no_placebos(judges: int) -> dict[str, Column]:
    code = "fewer_than_three_judges_or_one_family"
    names = (
        *("odds_self", "odds_family", "odds_common", "odds_shrunken", "taste_spread", "p_placebo"),
        *("odds_self_p_tastes", "odds_family_p_tastes"),
    )
    return dict.fromkeys(names, Column(np.full(judges, np.nan), reasons=code)) | {
        "placebo_rank": Column([None] * judges, reasons=code),
        "placebo_of": Column(np.zeros(judges, dtype=np.int64)),
        "tastes_assumed": Column([False] * judges),
    }
