"""`committee-size`: what committees of each size prefer, over all possible ones (MEASURES section 7)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.confusion import combine
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures import entry
from engine.measures.committees.committee import NUMBERS
from engine.measures.committees.committee_members import (
    COMMITTEE_OPTIONS,
    CommitteeMembers,
    MemberCounts,
    committee_members,
)
from engine.measures.entry import SMALL, Field, FieldKind, Measure, Option
from engine.measures.rows import FEW, Column, Options, Table
from engine.stats import Bools, Floats
from engine.stats.judges.subsets import Spread, subsets
from engine.stats.ratios import mean_of_defined, rate
from engine.stats.self_preference import Relations, SelfPreference, self_preference
from engine.values import parse_int

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
    splits = sum(tallies[size][members.levels[0]].splits for size in sizes)
    return members.table(columns, keep, splits, sampled_sizes=sampled)


@dataclass
class _Tally:
    """The numbers of the committees of one size at one level."""

    numbers: dict[str, Spread] = field(default_factory=lambda: {name: Spread() for name in NUMBERS})
    divided_shares: list[float] = field(default_factory=list)
    committees: int = 0
    splits: int = 0
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
        divided = members.committee.count_divided(batch) if members.committee.combine == "majority" else None
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
                    split, decided = (part[rows] for part in divided)
                    tally.divided_shares.append(float(mean_of_defined(rate(split, split + decided))))
                    tally.splits += int(split.max())
                relations = Relations(*(mask[replaced] for mask in vars(members.view.relations).values()))
                _add_committee(tally, counts, level, rows, relations)
    return tallies


def _add_committee(
    tally: _Tally, counts: MemberCounts, level: str, rows: slice | Bools, relations: Relations
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


def _over_committees(name: str, kind: FieldKind, meaning: str, *, axis: str = "") -> tuple[Field, ...]:
    """Return the fields of a number over committees: its mean and its extremes."""
    return (
        Field(name, kind, f"mean {meaning} over committees", interval=True, axis=axis),
        Field(f"{name}_least", kind, "smallest value of any committee"),
        Field(f"{name}_most", kind, "largest value of any committee"),
    )


COMMITTEE_SIZE = Measure(
    name="committee-size",
    title="Committees by size",
    question="How many judges does a committee need before it stops favouring its members' answers?",
    formula="mean over all committees of k judges of their HSPP ratio and accuracy for their members",
    paper="rubric-self-preference, Figure 3, by size",
    left_out="criteria (or pairs) that split a committee, or that fewer than three members judged (two, "
    "where both must)",
    function=committee_size_table,
    chart="sizes",
    keys=("size", "level"),
    headline="hspp_self",
    compared_as="ratio",
    options=(
        *COMMITTEE_OPTIONS,
        Option("sizes", "names", "committee sizes (default: from one judge to all of them)", ()),
        Option(
            "most_committees",
            "integer",
            "most committees per size; where there are more, this many are drawn at random",
            5000,
        ),
    ),
    fields=(
        entry.count("size", "judges in a committee; 1 means each judge alone"),
        entry.key("level", "`rubric` or `instance`"),
        Field("members", "list", "the judges that committees are drawn from"),
        entry.count("committees", "committees counted; all of them, up to most_committees"),
        *_over_committees("hspp_self", "ratio", "HSPP ratio for its members", axis="mean ratio of members"),
        *_over_committees("hspp_family", "ratio", "HSPP ratio for its members' families"),
        *_over_committees("mra", "share", "accuracy on criteria"),
        *_over_committees("mipa", "share", "pair accuracy"),
        entry.portion("divided", "mean share of judged criteria (or pairs) on which a committee is split"),
        entry.count("n_self", "fewest own failures behind any member's ratio"),
        SMALL,
    ),
)
