"""`scorecard`: the one place that says which judges favour themselves (MEASURES section 16)."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.one_thread import one_thread
from engine.conclusions import CONCLUSIONS, FAVOURS, OF_FAMILY, OF_JUDGE, family_code, group_code
from engine.errors import UsageError
from engine.measures import entry
from engine.measures.columns import judge_columns
from engine.measures.entry import CASE_COUNTS, DELETED, FAMILY, STUDENT, Field, Measure, Option
from engine.measures.outside.outside import ODDS_FAMILY
from engine.measures.rows import Column, Intervals, Options, Table
from engine.measures.scorecard.deciding_source import LOST_PAIRS, deciding_source, unused_reference
from engine.measures.scorecard.group_row import group_of
from engine.measures.scorecard.scorecard_agreement import other_numbers
from engine.measures.scorecard.scorecard_caveats import cautions, doubt_columns, missing_columns
from engine.measures.scorecard.scorecard_inputs import NumberSource
from engine.measures.scorecard.scorecard_sides import JudgedSide, family_columns
from engine.phrases import join_names
from engine.slices import Slice
from engine.stats import Bools

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


_INTERVALS = {
    unit: f"{deleted}; of the judges together: {STUDENT} over families"
    for unit, deleted in (("instance", DELETED), ("theme", "themes deleted one at a time"))
}
"""How its intervals are made, by what their errors delete: none is of resamples."""


@one_thread()
def scorecard_table(
    study: "StudyArrays", spec: Slice, options: Options, _weights: NDArray[np.float32] | None
) -> Table:
    """Return the row of the judges together, then one for each judge; NoDataError if there is none.

    A judge has a row if it has judged a response of its own, or one of its family with a number.
    """
    source = deciding_source(study, spec, options)
    if source.material is not None and source.material <= 1 and source.number != "bonus_outside":
        raise UsageError(
            f"material {source.material!r} is not above 1, but {source.number} is held against odds; give a "
            "ratio such as 1.25"
        )
    names = [study.index.models[j] for j in source.view.judges]
    is_shown = np.array([not spec.judges or name in spec.judges for name in names], dtype=bool)
    tested = source.judged | _has_family_number(source)
    keep = tested & is_shown
    own = JudgedSide.of_self(source, keep)
    columns = own.columns() | missing_columns(source, keep) | family_columns(source, keep)
    columns |= other_numbers(study, spec, source, names)
    columns |= doubt_columns(source, columns, keep)
    columns["cautions"] = Column(cautions(source, columns))
    columns |= judge_columns(source.view)
    pairs = columns["n_matched"].values
    group = group_of(source, options["seed"])
    group["n_matched"] = sum(number for number, counts in zip(pairs, tested, strict=True) if counts)
    columns = {name: _with_first(column, group.get(name), name) for name, column in columns.items()} | {
        name: Column([value] + [None] * len(names), reasons="of_the_group")
        for name, value in group.items()
        if name not in columns
    }
    applied = {
        "truth": source.truth,
        "pairs": source.pairs,
        "decided_by": source.number,
        "interval": _INTERVALS[options["clusters"]],
    }
    unused = unused_reference(study, spec, source, options["decide"])
    filters = source.view.request.filters() | applied | unused
    if spec.level not in (None, filters["level"]):
        filters["unused_level"] = spec.level
    del filters["judges"]  # the view's are all of them, whatever is shown
    shown, every = (np.concatenate([[keep.any()], part]) for part in (keep, tested))
    joint = source.joint
    instances = source.view.study.index.n_instances if joint is None else joint.instances
    return Table(columns, shown, instances, source.left_out, filters, tested=every)


def _with_first(column: Column, value: Any, name: str) -> Column:
    """Return a column with a row before its first: that of the judges together."""
    values: list[Any] | NDArray[Any]
    if isinstance(column.values, np.ndarray) and column.values.dtype.kind == "f":
        values = np.concatenate([[np.nan if value is None else value], column.values])
    else:
        values = [
            value,
            *(column.values.tolist() if isinstance(column.values, np.ndarray) else column.values),
        ]
    intervals = column.intervals
    if intervals is not None:
        low, high, p = (
            np.concatenate([[np.nan], part]) for part in (intervals.low, intervals.high, intervals.p)
        )
        intervals = Intervals(low, high, p, intervals.reason)
    of_group = "not_of_the_group" if name not in GROUP_FIELDS else "undefined"
    if name.endswith("shared_taste_left"):
        of_group = "not_standing"
    return Column(values, None, [of_group, *column.row_reasons()], intervals)


GROUP_FIELDS = frozenset(
    {
        *("conclusion", "reason", "decided_by", "estimate", "low", "high", "p"),
        *("own_given", "own_expected", "own_expected_low", "own_expected_high"),
        *("excess", "excess_low", "excess_high", "family_conclusion", "family_reason"),
        *("shared_taste_left", "family_shared_taste_left"),
    }
)
"""The fields of judges' rows that the row of the judges together has as well."""


WHERE_MATCHED = "where decided_by is hspp_matched"
"""Where a study has no outside judge, so that given and expected are of other cases."""

_ALONE = {
    "n_own": f"; {WHERE_MATCHED}, by it alone",
    "n_other": f"; {WHERE_MATCHED}, by it alone",
    "n_outside": "",
}
"""What the counts of cases are there."""

OR_SPLIT = ", or repeats that split"
"""What is as missing as a verdict that was never given."""


def _has_family_number(source: NumberSource) -> Bools:
    relatives = source.case.evidence.relatives
    return np.zeros(len(source.judged), dtype=bool) if relatives is None else relatives.own.defined


_OF_GROUP = [
    each.group.code
    for each in sorted(CONCLUSIONS, key=lambda each: not each.is_claim)  # stable
    if each.group is not None
]

SCORECARD = Measure(
    name="scorecard",
    title="Conclusion on each judge",
    question="Do the judges favour themselves, which of them stand out, and how certain is that?",
    formula=(
        "a judge's grades of its own answers against those of judges of other families: larger than chance, "
        "counting all judges tested, is overrating; also larger than differences in liking between any two "
        "models, and there on the same criteria, is favouring. By the first of these that the study allows: "
        "odds on failed criteria, the matched ratio, votes above other judges', points above other judges', "
        "odds on all criteria; first row: the judges together, by family"
    ),
    paper="none; defined by this project",
    left_out="judges that judged none of their own answers and none of their family's",
    function=scorecard_table,
    headline="estimate",
    row_of_all="together",
    chart="board",
    sliced=False,
    by_slice="expected",
    resampled=False,
    empty="no judge has judged its own answers in this slice",
    options=(
        Option(
            "decide",
            "name",
            "the deciding number (default: the first that the study allows); vote_outside_lost "
            "counts lost pairs only",
            choices=("odds_self", "hspp_matched", "vote_outside", LOST_PAIRS, "bonus_outside"),
        ),
        entry.choice(
            "clusters",
            "what standard errors delete one at a time; theme needs verdicts on criteria in 10 or more "
            "themes and allows for self-preference that differs between themes",
            "instance",
            "theme",
        ),
        Option(
            "material",
            "number",
            "bound of no material preference: odds or ratios from 1/B to B (default 1.25), for "
            "scores points from -B to B (default 2)",
            None,
        ),
    ),
    intervals={DELETED: ("ratio_outside",)},
    fields=(
        entry.key("judge", "the judge; empty on the first row, of the judges together"),
        FAMILY,
        entry.key(
            "conclusion",
            f"{join_names(tuple(OF_JUDGE), last='or')}; of the judges together "
            f"{join_names(_OF_GROUP, last='or')}",
        ),
        entry.key("reason", "what is open, or why nothing is shown; empty where the conclusion is complete"),
        entry.key("decided_by", "name of the deciding number, the same for all judges"),
        entry.key("truth", "for verdicts on criteria, which criteria decide: failed or any"),
        entry.number("estimate", "value of the deciding number", title="Deciding number"),
        entry.number("low", "lower end of the interval by sampling alone, which agrees with p_adjusted"),
        entry.number("high", "upper end of the interval by sampling alone, which agrees with p_adjusted"),
        entry.number("low_plain", "lower end of the 95% interval by sampling alone, not adjusted"),
        entry.number("high_plain", "upper end of the 95% interval by sampling alone, not adjusted"),
        entry.number("low_tastes", "lower end of the interval with tastes, agreeing with p_tastes_adjusted"),
        entry.number(
            "high_tastes",
            "upper end of the interval with tastes, agreeing with p_tastes_adjusted",
        ),
        entry.number("p", "p-value of no difference from other judges, by sampling alone", title="p"),
        entry.number(
            "p_tastes",
            "p-value of question 2, allowing for judges' tastes",
            title="p with tastes, not adjusted",
        ),
        entry.number("p_adjusted", "p, adjusted over all judges and families", title="p, adjusted"),
        entry.number(
            "p_tastes_adjusted", "p_tastes, adjusted over all judges and families", title="p with tastes"
        ),
        entry.number(
            "p_families",
            "of the judges together: share of assignments of families to other families' answers that "
            "reach the estimate; 0 where none does: less than 1 in `assignments`",
            title="p by families",
        ),
        entry.number("assignments", "of the judges together: assignments of families that were compared"),
        entry.number("families", "of the judges together: families with a number"),
        entry.portion(
            "own_given",
            "share of its own cases that the judge passed, its mean vote (a flip is one half), or its mean "
            f"score; {WHERE_MATCHED}, the share passed of its own failures, each as often as another "
            "family's answer failed the same criterion",
        ),
        entry.portion(
            "other_given",
            "where odds decide: share of other families' cases that the judge passed, each of their models "
            "counting once",
        ),
        entry.portion(
            "own_expected",
            f"share expected of other judges as strict as it; {WHERE_MATCHED}, no other judge has a part in "
            "it: the share that the judge itself passed of those failures of other families",
        ),
        entry.portion("own_expected_low", "lower end of own_expected, adjusted for the number of judges"),
        entry.portion("own_expected_high", "upper end of own_expected, adjusted for the number of judges"),
        Field("excess", "difference", "own_given minus own_expected"),
        Field(
            "excess_low",
            "difference",
            "lower end of excess, as of the estimate's interval: adjusted for the number of judges",
        ),
        Field(
            "excess_high",
            "difference",
            "upper end of excess, as of the estimate's interval: adjusted for the number of judges",
        ),
        Field("excess_low_plain", "difference", "lower end of excess at 95%, not adjusted"),
        Field("excess_high_plain", "difference", "upper end of excess at 95%, not adjusted"),
        Field("excess_low_tastes", "difference", "lower end of excess with judges' tastes"),
        Field("excess_high_tastes", "difference", "upper end of excess with judges' tastes"),
        entry.number(
            "discerned",
            "the estimate without what the judge's discernment explains; it must differ from none too",
        ),
        entry.number(
            "shared_taste_left",
            "share of the claimed estimate (odds: of their logarithm) that is left without a taste that "
            "judges of other families share; of the judges together two thirds must be",
            title="Left without a shared taste",
        ),
        entry.number(
            "shared_taste_p",
            "p_tastes_adjusted of what is left without a shared taste; it must be below .05, with the "
            "estimate's sign",
            title="p without a shared taste",
        ),
        entry.ratio(
            "ratio_outside",
            "pass ratio to other judges, own answers over others'; it decides nothing",
        ),
        Field("hspp_self", "ratio", "HSPP ratio as published"),
        Field("hspp_matched", "ratio", "HSPP ratio on criteria that both answers failed"),
        entry.key(
            "family_conclusion",
            f"the conclusion on its family's other models: {join_names(tuple(OF_FAMILY), last='or')}; "
            f"of the judges together {family_code(group_code(FAVOURS))} and so on",
            title="On its family",
        ),
        entry.key(
            "family_reason", "what is open about its family, or why nothing is shown", title="Reason, family"
        ),
        replace(ODDS_FAMILY, null=None),
        entry.number("odds_family_p", "p-value of odds_family, by sampling alone"),
        entry.number("odds_family_p_adjusted", "odds_family_p, adjusted together with the judges' own"),
        entry.number("odds_family_p_tastes_adjusted", "the same, allowing for judges' tastes"),
        entry.number(
            "family_shared_taste_left",
            "as shared_taste_left, of the number on its family",
            title="Left without a shared taste, family",
        ),
        entry.number(
            "family_shared_taste_p",
            "as shared_taste_p, of the number on its family",
            title="p without a shared taste, family",
        ),
        entry.portion(
            "family_given",
            "share of its family's other models' cases that it passed",
            title="Given to its family",
        ),
        entry.portion(
            "family_expected",
            "share of these expected of other judges as strict as it",
            title="Expected for its family",
        ),
        entry.portion("family_expected_low", "lower end of family_expected"),
        entry.portion("family_expected_high", "upper end of family_expected"),
        Field(
            "excess_family",
            "difference",
            "family_given minus family_expected",
            title="The same of its family",
        ),
        Field(
            "excess_family_low",
            "difference",
            "lower end of excess_family, without discernment if that is family_reason",
        ),
        Field(
            "excess_family_high",
            "difference",
            "upper end of excess_family, without discernment if that is family_reason",
        ),
        entry.number(
            "family_estimate",
            "of the judges together: the mean of odds_family over families",
            title="Deciding number, families",
        ),
        entry.number("family_low", "lower end of the 95% interval of family_estimate"),
        entry.number("family_high", "upper end of the 95% interval of family_estimate"),
        entry.number(
            "family_p", "p-value of family_estimate by Student's t over families", title="p, families"
        ),
        entry.number("family_p_families", "as p_families, for families"),
        entry.number(
            "families_with_relatives", "of the judges together: families with a number on their other models"
        ),
        entry.count("agreeing", "other numbers of the study that point the same way"),
        entry.count("disagreeing", "other numbers of the study that point the other way"),
        *(replace(each, meaning=f"{each.meaning}{_ALONE[each.name]}") for each in CASE_COUNTS),
        entry.count(
            "n_matched",
            "pairs of its own and another family's failure of the same criterion, of which hspp_matched and, "
            f"{WHERE_MATCHED}, own_given and own_expected are",
        ),
        entry.count(
            "n_family",
            "criteria (or pairs) of its family's other models judged by it and by a judge of another family",
        ),
        entry.portion(
            "family_in_reference",
            "share of the reference's members that are the judge itself or of its family",
        ),
        entry.portion(
            "missing_own", f"share of its own answers' criteria that were asked and have no verdict{OR_SPLIT}"
        ),
        entry.portion(
            "missing_other",
            f"share of other families' criteria that were asked and have no verdict{OR_SPLIT}",
        ),
        entry.portion(
            "absent_own", "share of its own answers' criteria that only other judges have a row for"
        ),
        entry.portion(
            "absent_other", "share of other families' criteria that only other judges have a row for"
        ),
        entry.number("bound_low", "the estimate if all its missing own verdicts were against it"),
        entry.number("bound_high", "the estimate if all its missing own verdicts were for it"),
        entry.portion("tie_share", "share of its own pairs that the gold judges call ties"),
        entry.number(
            "tipping",
            "how many own failures that it passed the reference must have wrong to overturn the conclusion",
        ),
        entry.portion("tipping_share", "tipping as a share of the own failures that it passed"),
        entry.number(
            "placebo_rank", "rank of itself among the models that it favours; 1 is the most favoured"
        ),
        entry.number("placebo_of", "models ranked in placebo_rank"),
        entry.number(
            "detectable", "smallest effect that would be detected with power 0.8, by sampling alone"
        ),
        entry.number(
            "needed",
            "own cases needed in all to show a difference, or near none to rule one out, and to be no longer "
            "too few, if the estimate is right",
        ),
        entry.number(
            "themes_for",
            "themes in which it passes its own answers more often than judges of other families do",
        ),
        entry.number(
            "themes_against",
            "themes in which it passes its own answers less often than judges of other families do",
        ),
        Field("cautions", "list", "codes of the caveats to give with the conclusion"),
    ),
)
