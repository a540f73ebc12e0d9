"""`committee`: each member compared with its committee in its place (MEASURES section 7)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.arrays.bits.bitsets import count
from engine.arrays.bits.confusion import RubricCounts
from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.slicing.slice_counts import InstanceCounts
from engine.arrays.truths.committee_view import PairVotes
from engine.arrays.truths.gold_preferences import GoldTruth, stored_preferences
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.committees.committee_members import (
    COMMITTEE_OPTIONS,
    CommitteeMembers,
    committee_members,
)
from engine.measures.entry import LOST_COMPARISONS, ONE_JUDGE, SMALL, Field, Measure
from engine.measures.outside.outside_ratios import ratio_of
from engine.measures.quality.accuracy import pair_accuracy, rubric_accuracy
from engine.measures.reference.hspp import preference_columns
from engine.measures.reference.ratio_intervals import preference_of_few
from engine.measures.rows import FEW, Column, Intervals, Options, Table, first_reason, stack_rows
from engine.stats import Bools
from engine.stats.judges.effective_number import SharedErrors, effective_number, error_correlations

NUMBERS = ("hspp_self", "hspp_family", "mra", "mipa")
SAME_SHARES = ("o_self_common", "o_self_common_committee")
OUTSIDE_RATIOS = (
    *("ratio_outside", "ratio_outside_committee"),
    *("ratio_outside_common", "ratio_outside_common_committee"),
)


def committee_table(view: SliceView, options: Options) -> Table:
    """Return a row for each member at rubric level, then one for each at instance level."""
    members = committee_members(view, options)
    names = [view.study.index.models[j] for j in members.view.judges]
    everyone = np.ones(len(members.present), dtype=bool)
    rows = []
    for level in members.levels:
        level_view, committee = members.view.at(level), committee_columns(members, everyone, level)
        own = _ratios(level_view, level_view.counts) | rubric_accuracy(level_view) | pair_accuracy(level_view)
        pairs = {"judge": Column(names), "level": Column([level] * len(names))}
        for name in (*NUMBERS, "o_self", "n_self"):
            pairs[name], pairs[f"{name}_committee"] = own[name], committee[name]
        pairs["divided"] = _divided(members, everyone, level)
        rows.append(pairs | _on_same_cells(members, everyone, level) | _independence(members, level))
    columns = stack_rows(rows)
    least = np.minimum(*(np.asarray(columns[name].values) for name in ("n_self", "n_self_committee")))
    columns["small"] = Column(list(least < FEW))
    columns["members"] = Column([list(members.members)] * (len(members.levels) * len(names)))
    keep = np.tile(members.view.counted_cells.any(axis=(1, 2)), len(members.levels))
    return members.table(columns, keep, members.splits(everyone))


def _independence(members: CommitteeMembers, level: str) -> dict[str, Column]:
    """Return how many independent votes the panel in each judge's place is worth, and what the judge adds."""
    view = members.view
    judges = len(view.judges)
    names = ("n_effective", "n_effective_without")
    gold = (
        isinstance(view.cube, PairCube)
        and stored_preferences(view.study, view.request.selection.transform).counting
    )
    if view.request.source is None and not gold:
        return dict.fromkeys(names, Column(np.full(judges, np.nan), reasons="no_reference"))
    if level == "rubric":
        errors = _errors_on_rubrics(members)
    elif view.of_single_verdicts:
        return dict.fromkeys(names, Column(np.full(judges, np.nan), reasons="not_of_these_judgments"))
    else:
        errors = _errors_on_comparisons(members)
    correlation = error_correlations(errors)
    votes = np.broadcast_to(~members.excluded, (judges, len(members.present)))
    own = view.judges[:, None] == members.present
    values = [
        np.array([effective_number(correlation, each) for each in who]) for who in (votes, votes & ~own)
    ]
    return {
        name: Column(value, reasons="errors_all_alike") for name, value in zip(names, values, strict=True)
    }


def _errors_on_rubrics(members: CommitteeMembers) -> SharedErrors:
    """Return the errors that each two members share in verdicts on rubrics."""
    view = members.view
    planes, mask = view.rubric.planes, view.rubric.mask
    rows = np.flatnonzero(np.isin(view.cube.judges, members.present))
    at = np.ix_(rows, view.columns)
    masks = np.broadcast_to(mask, (len(mask), planes.counted.shape[1], mask.shape[-1]))[:, view.columns]
    counted = planes.counted[at] & (masks if len(masks) == 1 else masks[rows])
    wrong = counted & ~planes.correct[at]
    counts = [np.zeros((len(rows), len(rows)), dtype=np.int64) for _ in range(3)]
    for j in range(len(rows)):
        for total, one, other in zip(counts, (counted, wrong, wrong), (counted, counted, wrong), strict=True):
            total[j] = count(one[j] & other).sum(axis=-1)
    return SharedErrors(*counts)


def _errors_on_comparisons(members: CommitteeMembers) -> SharedErrors:
    """Return the errors that each two members share in comparing two responses, as MIPA takes them.

    A judge errs where the sign of its comparison, a pair's outcome or the difference of two scores, is not
    that of the reference's scores or, of pairs without a reference, of the gold votes (MEASURES sections 2,
    5 and 11).
    """
    everyone = members.view.at("instance").shown_judges(
        np.flatnonzero(np.isin(members.view.cube.judges, members.present))
    )
    if isinstance(everyone.cube, PairCube):
        pairs = PairVotes.of(everyone, everyone.cube, members.present)
        gold, who = (
            GoldTruth(everyone),
            [everyone.generators[one] for one in (pairs.generator, pairs.opponent)],
        )
        rows = np.arange(len(everyone.judges) if gold.differs_by_judge else 1)
        wins = np.stack([gold.votes(np.full_like(who[0], row), pairs.instance, *who).win for row in rows])
        counted = ~np.isnan(wins) & ~np.isnan(pairs.votes)
        return SharedErrors.of(counted, counted & (pairs.votes != 2 * wins - 1))
    scored = everyone.scored
    judged, true = scored.judge.levels, scored.reference.levels
    nothing = np.zeros((len(judged), 0), dtype=bool)
    errors = SharedErrors.of(nothing, nothing)
    for g in range(judged.shape[1] - 1):
        answered = [(part[:, g, None] >= 0) & (part[:, g + 1 :] >= 0) for part in (judged, true)]
        differ = [np.sign(part[:, g, None] - part[:, g + 1 :]) for part in (judged, true)]
        counted = answered[0] & answered[1]
        wrong = counted & (differ[0] != differ[1])
        errors += SharedErrors.of(*(part.reshape(len(judged), -1) for part in (counted, wrong)))
    return errors


def _on_same_cells(members: CommitteeMembers, subset: Bools, level: str) -> dict[str, Column]:
    """Return each member's numbers and the committee's in its place, on the cells that both decide.

    These are the share of own failures passed, and `ratio_outside`: each compared with the judges outside
    the member's family, one by one (MEASURES sections 7, 15 and 17). How all members together treat all
    members' responses shows nothing about one member's. The ratio of all that each decides stands beside it.
    """
    judges, view = len(members.view.judges), members.view.at(level)
    if level != "rubric" or members.committee.combine != "majority" or not judges:
        return _without_cells(members)
    votes, _ = members.votes(subset)
    common = dict(zip(("", "_committee"), members.committee.on_same_cells(votes), strict=True))
    columns: dict[str, Column] = {}
    for who, counts in common.items():
        ratios = _ratios(view, counts)
        columns |= {f"o_self_common{who}": ratios["o_self"], "n_common": ratios["n_self"]}
    everyone = view.with_all_judges()
    own = JointVerdicts.of(everyone, "failed")
    places = np.searchsorted(everyone.judges, members.view.judges).tolist()
    alone = {
        "ratio_outside": [own] * judges,
        "ratio_outside_committee": _in_place(own, places, members.committee.rubric(votes)),
        **{f"ratio_outside_common{who}": _in_place(own, places, counts) for who, counts in common.items()},
    }
    errors = members.view.weights is not None
    rows = [
        {name: ratio_of(joint[row], judge, errors=errors) for name, joint in alone.items()}
        for row, judge in enumerate(places)
    ]
    return columns | stack_rows(rows)


def _in_place(own: JointVerdicts, places: Sequence[int], counts: RubricCounts) -> list[JointVerdicts]:
    """Return all judges' verdicts on failures with each of some judges' replaced by those counted."""
    shape = (len(places), *own.counted.shape[1:])
    failed = np.broadcast_to(counts.take(counts.planes.failed), shape)
    credited = failed & counts.take(counts.planes.favourable)
    return [own.in_place_of(judge, failed[row], credited[row]) for row, judge in enumerate(places)]


def _without_cells(members: CommitteeMembers) -> dict[str, Column]:
    """Return the same columns, undefined: no verdicts on criteria are combined."""
    judges, weights = len(members.view.judges), members.view.weights
    nothing, why = np.full(judges, np.nan), "not_of_these_judgments"
    interval = None if weights is None else Intervals(nothing, nothing, nothing, "undefined")
    draws = None if weights is None else np.full((len(weights), judges), np.nan)
    shares = dict.fromkeys(SAME_SHARES, Column(nothing, draws, why))
    ratios = dict.fromkeys(OUTSIDE_RATIOS, Column(nothing, reasons=why, intervals=interval))
    return shares | ratios | {"n_common": Column(np.zeros(judges, dtype=np.int64))}


def committee_columns(members: CommitteeMembers, subset: Bools, level: str) -> dict[str, Column]:
    """Return ratios and accuracies of some members in place of each judge, if at least three may vote."""
    votes, few = members.votes(subset)
    counts = members.counts(votes)
    columns = _ratios(members.view, counts.at(level)) | pair_accuracy(members.view, counts.instance)
    if counts.rubric is None and members.view.request.of_rubrics:  # scores were combined, not verdicts
        columns["mra"] = Column([None] * len(votes), reasons="not_of_these_judgments")
    else:
        columns |= rubric_accuracy(members.view, counts.rubric)
    why = first_reason((few, "too_few_members"))
    return {
        name: replace(column, reasons=[code or column.reason(row) for row, code in enumerate(why)])
        for name, column in columns.items()
    }


def _ratios(view: SliceView, counts: RubricCounts | InstanceCounts) -> dict[str, Column]:
    """Return `hspp`'s shares and ratios, those of few cases with their intervals, and the own failures."""
    columns = preference_columns(view, counts)
    if view.weights is not None:
        few = preference_of_few(view, counts)
        columns = {name: replace(column, few=few.get(name)) for name, column in columns.items()}
    own_failures = Column((counts.failed.total * view.relations.self_mask).sum(axis=1))
    return columns | {"n_self": own_failures}


def _divided(members: CommitteeMembers, everyone: Bools, level: str) -> Column:
    """Return on what share of the criteria (or pairs) that it judged the committee of each judge is split."""
    judges = len(members.view.judges)
    if members.committee.combine != "majority" or (level == "instance" and members.view.request.of_rubrics):
        return Column(np.full(judges, np.nan), reasons="not_of_these_judgments")
    shares = members.committee.share_divided(everyone & ~members.excluded)
    return Column(np.broadcast_to(shares, judges).astype(np.float64), reasons="no_verdicts")


COMMITTEE = Measure(
    name="committee",
    title="Committee",
    question="Does a committee's majority favour a member's answers less than the member does?",
    formula="HSPP ratio and accuracy of each member, and of the committee's majority in its place",
    paper="rubric-self-preference, Figure 3",
    left_out="criteria (or pairs) on which the committee is split or fewer than three members gave a verdict",
    function=committee_table,
    chart="members",
    keys=("judge", "level"),
    headline="hspp_self_committee",
    compared_as="ratio",
    options=COMMITTEE_OPTIONS,
    fields=(
        ONE_JUDGE,
        entry.key("level", "`rubric` or `instance`"),
        Field("members", "list", "the committee's members"),
        entry.ratio("hspp_self", "the member's ratio for its own answers"),
        entry.ratio(
            "hspp_self_committee",
            "the committee's ratio for that member's answers",
            title="Committee's ratio",
        ),
        entry.ratio("hspp_family", "the member's ratio for its family's answers"),
        entry.ratio(
            "hspp_family_committee",
            "the committee's ratio for the member's family",
            title="Committee's family ratio",
        ),
        entry.share("o_self", "share of its own failures that the member passed"),
        entry.share(
            "o_self_committee",
            "share of the member's own failures that the committee passed, of those that it decides",
            title="Own failures passed by the committee",
        ),
        entry.share(
            "o_self_common",
            "share of its own failures that the member passed, of those that it judged and the committee "
            "decides",
            title="Own failures passed, of those the committee decides",
        ),
        entry.share(
            "o_self_common_committee",
            "share of the same own failures that the committee passed",
            title="Of these, passed by the committee",
        ),
        entry.share("mra", "the member's accuracy on criteria"),
        entry.share(
            "mra_committee", "the committee's accuracy on criteria", title="Committee's accuracy on criteria"
        ),
        entry.share("mipa", "the member's pair accuracy"),
        entry.share("mipa_committee", "the committee's pair accuracy", title="Committee's pair accuracy"),
        entry.ratio("ratio_outside", "the member's ratio against judges of other families, one by one"),
        entry.ratio(
            "ratio_outside_committee",
            "the same ratio with the committee's verdicts in place of the member's",
            title="Committee's ratio to other judges",
        ),
        entry.ratio(
            "ratio_outside_common",
            "the member's ratio to judges of other families, on the criteria that it judged and the "
            "committee decides",
            tested=False,
            title="Ratio to other judges, same criteria",
        ),
        entry.ratio(
            "ratio_outside_common_committee",
            "the same ratio on these criteria with the committee's verdicts in place of the member's",
            tested=False,
            title="Committee's ratio to other judges, same criteria",
        ),
        entry.number(
            "n_effective",
            "how many independent judges the committee is worth: n / (1 + (n - 1) r), r the mean correlation "
            "of two members' errors; an error at level `instance`, of pairs and scores too, is a "
            "comparison of "
            "two answers that is not the reference's (of pairs without one: the gold votes')",
            title="Independent votes",
        ),
        entry.number(
            "n_effective_without", "the same without this member", title="Independent votes without it"
        ),
        entry.count("n_self", f"criteria failed by the member's own answers; {LOST_COMPARISONS}"),
        entry.count(
            "n_self_committee",
            "criteria failed by the member's own answers on which the committee is not split, also where the "
            "member's own verdict is missing or its repeats split",
            title="n own, committee",
        ),
        entry.count(
            "n_common", "own failures that the member judged and the committee decides", title="n common"
        ),
        entry.portion(
            "divided",
            "share of judged criteria (or pairs) that split the committee; its numbers leave these out",
        ),
        SMALL,
    ),
)
