"""Committees of judges: their majority compared with a reference, by size and by families."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bitsets import count
from engine.arrays.committee_view import CommitteeView, PairVotes
from engine.arrays.confusion import RubricCounts, combine
from engine.arrays.gold_preferences import Gold, stored_preferences
from engine.arrays.index import positions
from engine.arrays.joint_verdicts import JointVerdicts, with_all_judges
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.references import FEWEST_MEMBERS
from engine.arrays.resolve import NoDataError
from engine.arrays.scores import ScoreCube
from engine.arrays.slice_counts import InstanceCounts
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.measures.outside_judges import ratio_of
from engine.measures.rows import FEW, Column, Intervals, Options, Table, first_reason, stack_rows
from engine.measures.self_preference import pair_accuracy, preference_columns, rubric_accuracy
from engine.stats import Bools, Floats, Ints
from engine.stats.effective_number import SharedErrors, effective_number, error_correlations
from engine.stats.ratios import mean_of_defined, rate
from engine.stats.self_preference import Relations, SelfPreference, self_preference
from engine.stats.subsets import Spread, subsets
from engine.values import parse_int

# ------------------------------------------------------------------------------
# A committee's members, the judges that it replaces, and its levels, for all measures of committees.


@dataclass(frozen=True, eq=False)
class CommitteeCounts:
    """The counts of a committee in place of each judge, or of several; None at a level it does not have."""

    rubric: RubricCounts | None
    instance: InstanceCounts | None

    def at(self, level: str) -> RubricCounts | InstanceCounts:
        counts = self.rubric if level == "rubric" else self.instance
        assert counts is not None  # noqa: S101 - only levels of the judgments are requested
        return counts


@dataclass(frozen=True, eq=False)
class CommitteeMembers:
    """A committee: its members as named, those of them who judged, and the judges that it replaces.

    `present` holds the models of those who judged, in the cube's order; `excluded` marks which of them do not
    vote in place of a judge, shape (judges shown, members).
    """

    committee: CommitteeView
    members: tuple[str, ...]
    present: Ints
    excluded: Bools
    levels: tuple[str, ...]

    @property
    def view(self) -> SliceView:
        return self.committee.view

    def counts(self, votes: Bools) -> CommitteeCounts:
        by_majority = self.committee.combine == "majority" and self.view.request.of_rubrics
        return CommitteeCounts(
            self.committee.rubric(votes) if by_majority else None,
            None if self.view.of_single_verdicts else self.committee.instance(votes),
        )

    def table(self, columns: Mapping[str, Column], keep: Bools, **filters: Any) -> Table:
        """Return the measure's table, with these filters and what the members' own rows leave out."""
        filters = {"members": self.members, "combine": self.committee.combine, **filters}
        instances = int(self.view.counted_cells.any(axis=(0, 1)).sum())
        left_out = self.view.at(self.levels[-1]).left_out
        return Table(columns, keep, instances, left_out, filters)


def committee_members(view: SliceView, options: Options) -> CommitteeMembers:
    """Return the committee requested, or the study's first; UsageError if its members or way do not fit."""
    members = _members(view, options["members"])
    index = view.study.index
    combine, levels = _combine(view, options["combine"])
    rows = np.flatnonzero(np.isin(view.cube.judges, positions(members, index.models)))
    member_view = view.shown_judges(np.intersect1d(rows, view.rows))
    if not len(member_view.judges):  # also a study that names a committee none of whose members judged
        raise NoDataError(f"none of the committee's members {', '.join(members)} is among the judges shown")
    exclusion = view.request.exclusion
    relations = index.relations(member_view.judges, view.cube.judges[rows], exclusion.relatives)
    excluded = np.zeros((len(member_view.judges), len(rows)), dtype=bool)
    if exclusion:
        excluded = relations.family_with_self if exclusion.exclude_family else relations.self_mask
    committee = CommitteeView(member_view, rows, combine)
    return CommitteeMembers(committee, members, view.cube.judges[rows], excluded, levels)


def _members(view: SliceView, names: tuple[str, ...] | None) -> tuple[str, ...]:
    committees = view.study.info.committees
    if not names and not committees:
        raise NoDataError("the study has no committee; name its members with --members")
    members = tuple(names) if names else tuple(next(iter(committees.values())).members)
    for name in members:
        if name not in view.study.index.models:
            raise unknown("member", name, view.study.index.models)
    if len(set(members)) < FEWEST_MEMBERS:
        raise UsageError(
            f"a committee needs at least {FEWEST_MEMBERS} members, but {members!r} has "
            f"{len(set(members))}; name more"
        )
    return members


def _combine(view: SliceView, method: str | None) -> tuple[Any, tuple[str, ...]]:
    """Return how judgments are combined, by default scores by mean, others by majority; and the levels."""
    scores, level = isinstance(view.cube, ScoreCube), view.request.spec.level
    if method == "majority" and scores:
        raise UsageError(
            f"combine 'majority' applies to verdicts, but {view.request.paradigm} gives scores; "
            "choose mean or median"
        )
    if method not in (None, "majority") and isinstance(view.cube, PairCube):
        raise UsageError(
            f"combine {method!r} applies to scores, but pairwise judgments name a winner; choose majority"
        )
    method = method or ("mean" if scores else "majority")
    if method != "majority" and level == "rubric":
        raise UsageError(f"combine {method!r} applies to scores of responses; choose --level instance")
    if method != "majority" or not (level or view.request.of_rubrics):
        return method, ("instance",)
    if level is not None:
        return method, (level,)
    return method, ("rubric",) if view.of_single_verdicts else ("rubric", "instance")


# ------------------------------------------------------------------------------
# `committee`: each member compared with its committee in its place (MEASURES section 7).

NUMBERS = ("hspp_self", "hspp_family", "mra", "mipa")


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
        for name in (*NUMBERS, "n_self"):
            pairs[name], pairs[f"{name}_committee"] = own[name], committee[name]
        rows.append(pairs | _against_outside(members, everyone, level) | _independence(members, level))
    columns = stack_rows(rows)
    least = np.minimum(*(np.asarray(columns[name].values) for name in ("n_self", "n_self_committee")))
    columns["small"] = Column(list(least < FEW))
    columns["members"] = Column([list(members.members)] * (len(members.levels) * len(names)))
    keep = np.tile(members.view.counted_cells.any(axis=(1, 2)), len(members.levels))
    return members.table(columns, keep)


def _independence(members: CommitteeMembers, level: str) -> dict[str, Column]:
    """Return how many independent votes the panel in each judge's place is worth, and what the judge adds."""
    view = members.view
    judges = len(view.judges)
    names = ("n_effective", "n_effective_without")
    gold = isinstance(view.cube, PairCube) and stored_preferences(view.study).sources
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
        gold, who = Gold(everyone), [everyone.generators[one] for one in (pairs.generator, pairs.opponent)]
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


def _against_outside(members: CommitteeMembers, subset: Bools, level: str) -> dict[str, Column]:
    """Return `ratio_outside` of each member under its own verdicts and under the committee's in its place.

    Each is compared with the judges outside the member's family, one by one (MEASURES sections 15 and 17):
    how all members together treat all members' responses shows nothing about one member's.
    """
    judges = len(members.view.judges)
    counts = members.counts(subset & ~members.excluded).rubric if level == "rubric" else None
    if counts is None or not judges:
        nothing = np.full(judges, np.nan)
        interval = None if members.view.weights is None else Intervals(nothing, nothing, nothing, "undefined")
        undefined = Column(nothing, reasons="not_of_these_judgments", intervals=interval)
        return {"ratio_outside": undefined, "ratio_outside_committee": undefined}
    everyone = with_all_judges(members.view.at(level))
    own = JointVerdicts.of(everyone, "failed")
    failed = np.broadcast_to(counts.take(counts.planes.failed), (judges, *own.counted.shape[1:]))
    credited = failed & counts.take(counts.planes.favourable)
    errors = members.view.weights is not None
    rows = []
    for row, judge in enumerate(np.searchsorted(everyone.judges, members.view.judges).tolist()):
        committee = own.in_place_of(judge, failed[row], credited[row])
        kinds = {"ratio_outside": own, "ratio_outside_committee": committee}
        rows.append({name: ratio_of(joint, judge, errors=errors) for name, joint in kinds.items()})
    return stack_rows(rows)


def committee_columns(members: CommitteeMembers, subset: Bools, level: str) -> dict[str, Column]:
    """Return ratios and accuracies of some members in place of each judge, if at least three may vote."""
    votes = subset & ~members.excluded
    few = votes.sum(axis=1) < FEWEST_MEMBERS
    votes[few] = False
    counts = members.counts(votes)
    columns = _ratios(members.view, counts.at(level)) | pair_accuracy(members.view, counts.instance)
    if counts.rubric is None and members.view.request.of_rubrics:  # scores were combined, not verdicts
        columns["mra"] = Column([None] * len(votes), reasons="not_of_these_judgments")
    else:
        columns |= rubric_accuracy(members.view, counts.rubric)
    why = first_reason((few, "too_few_members"))
    return {
        name: Column(
            column.values, column.draws, [code or column.reason(row) for row, code in enumerate(why)]
        )
        for name, column in columns.items()
    }


def _ratios(view: SliceView, counts: RubricCounts | InstanceCounts) -> dict[str, Column]:
    own_failures = Column((counts.failed.total * view.relations.self_mask).sum(axis=1))
    return preference_columns(view, counts) | {"n_self": own_failures}


# ------------------------------------------------------------------------------
# `committee-families`: the committee without each family of its members in turn (MEASURES section 7).


def committee_families_table(view: SliceView, options: Options) -> Table:
    """Return a row for each family left out, at rubric level and then at instance level."""
    members = committee_members(view, options)
    of_models = view.study.index.model_fields[view.request.exclusion.relatives]
    family_of = np.array([of_models[j] for j in members.present], dtype=object)
    families = [family for family in dict.fromkeys(family_of) if family is not None]
    everyone = np.ones(len(members.present), dtype=bool)
    rows = []
    for level in members.levels:
        full = committee_columns(members, everyone, level)
        for family in families:
            reduced = committee_columns(members, family_of != family, level)
            left_out = np.array([of_models[j] == family for j in members.view.judges], dtype=bool)
            remaining = [view.study.index.models[j] for j in members.present[family_of != family]]
            row = {"without": Column([family]), "level": Column([level]), "members": Column([remaining])}
            means = [(name, name, ~left_out) for name in NUMBERS]
            for name, number, who in (*means, ("hspp_self_outside", "hspp_self", left_out)):
                row[name], row[f"{name}_whole"] = _mean(reduced[number], who), _mean(full[number], who)
            for name, who in (("n_self", ~left_out), ("n_self_outside", left_out)):
                row[name] = Column([min(np.asarray(reduced["n_self"].values)[who].tolist(), default=0)])
            row["small"] = Column([bool(row["n_self"].values[0] < FEW)])
            rows.append(row)
    keep = np.full(len(rows), members.view.counted_cells.any())
    return members.table(stack_rows(rows), keep)


def _mean(column: Column, who: Bools) -> Column:
    """Return the mean over some judges of what is defined; without any, the reason of the first."""
    values = np.array([np.nan if value is None else value for value in column.values], dtype=np.float64)
    draws = None if column.draws is None else mean_of_defined(column.draws[:, who])[:, None]
    places = np.flatnonzero(who)
    reason = column.reason(int(places[0])) if len(places) else "nobody_to_judge"
    return Column(np.array([mean_of_defined(values[who])]), draws, reason)


# ------------------------------------------------------------------------------
# `committee-size`: what committees of each size prefer, over all possible ones (MEASURES section 7).


AT_ONCE = 32
"""Committees counted together: the bootstrap weights are read once for all of them."""

_WHY = {"mra": "no_verdict_with_a_reference", "mipa": "no_comparison_with_a_reference"}


def committee_size_table(view: SliceView, options: Options) -> Table:
    """Return a row for each size at rubric level, then one for each at instance level."""
    members = committee_members(view, options)
    sizes = _sizes(options["sizes"], len(members.present))
    most = options["most_committees"]
    if most < 1:
        raise UsageError(f"most_committees {most!r} is below 1; give a number such as 5000")
    tallies = {size: _tally(members, size, most, options["seed"]) for size in sizes}
    rows: list[dict[str, Any]] = []
    for level, size in product(members.levels, sizes):
        tally = tallies[size][level]
        row: dict[str, Any] = {"size": size, "level": level, "members": list(members.members)}
        row |= {"committees": tally.committees, "n_self": min(tally.failures, default=0)}
        row |= {"divided": float(mean_of_defined(np.array(tally.divided_shares)))}
        for name, spread in tally.numbers.items():
            row[name], (row[f"{name}_least"], row[f"{name}_most"]) = spread, spread.ends
        rows.append(row | {"small": row["n_self"] < FEW})
    columns = {name: _column(view, name, [row[name] for row in rows]) for name in rows[0]}
    keep = np.full(len(rows), members.view.counted_cells.any())
    sampled = tuple(size for size in sizes if comb(len(members.present), size) > most)
    return members.table(columns, keep, sampled_sizes=sampled)


@dataclass
class _Tally:
    """The numbers of the committees of one size at one level."""

    numbers: dict[str, Spread] = field(default_factory=lambda: {name: Spread() for name in NUMBERS})
    divided_shares: list[float] = field(default_factory=list)
    committees: int = 0
    failures: list[int] = field(default_factory=list)


def _sizes(texts: Sequence[Any], most: int) -> list[int]:
    """Return the sizes requested, or all; UsageError for one that no committee of these members can have."""
    sizes = []
    for text in texts:
        size = parse_int(str(text))
        if size is None or not 1 <= size <= most:
            raise UsageError(
                f"size {text!r} is not a possible number of members; give numbers from 1 to {most}"
            )
        sizes.append(size)
    return sorted(set(sizes)) or list(range(1, most + 1))


def _tally(members: CommitteeMembers, size: int, most: int, seed: int) -> dict[str, _Tally]:
    """Count every committee of one size in turn, in place of each judge that it replaces."""
    tallies = {level: _Tally() for level in members.levels}
    committees = subsets(len(members.present), size, most, np.random.default_rng([seed, size]))
    at_once = AT_ONCE if members.committee.alike else 1
    for start in range(0, len(committees), at_once):
        batch = committees[start : start + at_once]
        counts = members.counts(batch)
        divided = members.committee.share_divided(batch) if members.committee.combine == "majority" else None
        for number, subset in enumerate(batch):
            # It replaces its own members; if a judge or its family may not vote, judges without one in it.
            replaced = np.isin(members.view.judges, members.present[subset])
            if members.view.request.exclusion:
                replaced = ~(members.excluded & subset).any(axis=1)
            if not replaced.any():
                continue
            rows = slice(number, number + 1) if members.committee.alike else replaced
            for level, tally in tallies.items():
                tally.committees += 1
                if divided is not None:
                    tally.divided_shares.append(float(mean_of_defined(divided[rows])))
                relations = Relations(*(mask[replaced] for mask in vars(members.view.relations).values()))
                _add_committee(tally, counts, level, rows, relations)
    return tallies


def _add_committee(
    tally: _Tally, counts: CommitteeCounts, level: str, rows: slice | Bools, relations: Relations
) -> None:
    """Add a committee's mean ratios and accuracies for those it replaces: `rows` of the counts."""

    def ratios(over: NDArray[Any], failed: NDArray[Any]) -> SelfPreference:
        return self_preference(over[..., rows, :], failed[..., rows, :], relations)

    def of_rubrics(correct: NDArray[Any], total: NDArray[Any]) -> Floats:
        correct, total = (part[..., rows, :].sum(axis=-1) for part in (correct, total))
        return mean_of_defined(rate(correct, total))

    def of_pairs(correct: NDArray[Any], total: NDArray[Any]) -> Floats:
        return mean_of_defined(rate(correct[..., rows], total[..., rows]))

    at_level = counts.at(level)
    value, draws = combine(ratios, at_level.over, at_level.failed)
    for name in ("hspp_self", "hspp_family"):
        mean_draws = None if draws is None else mean_of_defined(getattr(draws, name))
        tally.numbers[name].add(mean_of_defined(getattr(value, name)), mean_draws)
    own_failures = (at_level.failed.total[rows] * relations.self_mask).sum(axis=1)
    tally.failures += own_failures[~np.isnan(value.hspp_self)].tolist()
    if counts.rubric is not None:
        tally.numbers["mra"].add(*combine(of_rubrics, counts.rubric.correct, counts.rubric.counted))
    if counts.instance is not None:
        tally.numbers["mipa"].add(*combine(of_pairs, counts.instance.correct, counts.instance.counted))


def _column(view: SliceView, name: str, values: list[Any]) -> Column:
    why = _WHY.get(name.removesuffix("_least").removesuffix("_most"), "no_committee_with_a_ratio")
    if not isinstance(values[0], Spread):
        return Column(values, reasons="no_verdicts" if name == "divided" else why)
    draws = None
    if view.weights is not None:
        draws = np.column_stack([spread.draws(len(view.weights)) for spread in values])
    return Column(np.array([spread.mean for spread in values]), draws, why)
