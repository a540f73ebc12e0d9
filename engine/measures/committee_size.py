"""`committee-size`: what committees of each size prefer, over all that the judges could make (MEASURES 7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import UsageError
from engine.finite import whole
from engine.measures.seats import Seats, seated
from engine.measures.table import FEW, Column, Table
from engine.metrics.overestimation import Kinship, SelfPreference, mean_of_defined, rate, self_preference
from engine.metrics.subsets import Spread, subsets
from engine.views import View
from engine.views.counted import combine
from engine.views.instance import InstanceCounts
from engine.views.rubric import RubricCounts

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Rows = slice | Bools

AT_ONCE = 32
"""Committees counted together: the bootstrap weights are read once for all of them."""

NUMBERS = ("hspp_self", "hspp_family", "mra", "mipa")
_WHY = {"mra": "no_verdict_with_a_reference", "mipa": "no_comparison_with_a_reference"}


def compute(view: View, options: Mapping[str, Any]) -> Table:
    """Return a row for each size at rubric level, then one for each at instance level."""
    seats = seated(view, options)
    sizes = _sizes(options["sizes"], len(seats.seat))
    most = options["most_committees"]
    if most < 1:
        raise UsageError(f"most committees {most!r} is below 1; give such as 5000")
    tallies = {size: _tally(seats, size, most, options["seed"]) for size in sizes}
    points = [(level, size) for level in seats.levels for size in sizes]
    rows = [_row(seats, size, level, tallies[size][level]) for level, size in points]
    columns = {name: _column(view, name, [row[name] for row in rows]) for name in rows[0]}
    keep = np.full(len(points), seats.view.counted_cells.any())
    sampled = tuple(size for size in sizes if comb(len(seats.seat), size) > most)
    return seats.table(columns, keep, sampled_sizes=sampled)


@dataclass(frozen=True, eq=False)
class _Held:
    """The counts of several committees, or of one in the place of each judge."""

    rubric: RubricCounts | None
    instance: InstanceCounts | None

    def at(self, level: str) -> RubricCounts | InstanceCounts:
        counts = self.rubric if level == "rubric" else self.instance
        assert counts is not None  # noqa: S101 - no level is asked that the judgments have not
        return counts


@dataclass
class _Tally:
    """What the committees of one size gave at one level."""

    numbers: dict[str, Spread] = field(default_factory=lambda: {name: Spread() for name in NUMBERS})
    divided: list[float] = field(default_factory=list)
    committees: int = 0
    failures: list[int] = field(default_factory=list)


def _sizes(asked: Sequence[Any], seats: int) -> list[int]:
    """Return the sizes asked for, or all; UsageError for one that no committee of these members has."""
    if not asked:
        return list(range(1, seats + 1))
    found = []
    for text in asked:
        size = whole(str(text))
        if size is None or not 1 <= size <= seats:
            raise UsageError(f"size {text!r} is no number of members; give some of 1 to {seats}")
        found.append(size)
    return sorted(set(found))


def _tally(seats: Seats, size: int, most: int, seed: int) -> dict[str, _Tally]:
    """Take every committee of one size in turn, in the place of each judge that it speaks for."""
    tallies = {level: _Tally() for level in seats.levels}
    every = subsets(len(seats.seat), size, most, np.random.default_rng([seed, size]))
    at_once = AT_ONCE if seats.bench.alike else 1
    for start in range(0, len(every), at_once):
        batch = every[start : start + at_once]
        held = _Held(*seats.counts(batch))
        divided = seats.bench.divided(batch) if seats.bench.combine == "majority" else None
        for number, sitting in enumerate(batch):
            spoken = _spoken_for(seats, sitting)
            if not spoken.any():
                continue
            rows = slice(number, number + 1) if seats.bench.alike else spoken
            for level, tally in tallies.items():
                tally.committees += 1
                if divided is not None:
                    tally.divided.append(float(mean_of_defined(divided[rows])))
                _add_ratios(tally, held.at(level), rows, _of(seats.view.kin, spoken))
                _add_accuracies(tally, held, rows)
    return tallies


def _spoken_for(seats: Seats, sitting: Bools) -> Bools:
    """Return the judges in whose place a committee judges.

    They are its own members; where a judge's family or itself may not vote, those of whom none sits in it.
    """
    if seats.view.request.exclusion:
        return np.asarray(~(seats.out & sitting).any(axis=1))
    return np.asarray(np.isin(seats.view.judges, seats.seat[sitting]))


def _of(kin: Kinship, judges: Bools) -> Kinship:
    return Kinship(kin.own[judges], kin.family[judges], kin.other[judges])


def _add_ratios(tally: _Tally, counts: RubricCounts | InstanceCounts, rows: Rows, kin: Kinship) -> None:
    """Add the mean of a committee's ratios for those it speaks for; `rows` are its own among the counts."""

    def ratios(over: NDArray[Any], failed: NDArray[Any]) -> SelfPreference:
        return self_preference(over[..., rows, :], failed[..., rows, :], kin)

    value, draws = combine(ratios, counts.over, counts.failed)
    for name in ("hspp_self", "hspp_family"):
        drawn = None if draws is None else mean_of_defined(getattr(draws, name))
        tally.numbers[name].add(mean_of_defined(getattr(value, name)), drawn)
    own = (counts.failed.total[rows] * kin.own).sum(axis=1)
    tally.failures += own[~np.isnan(value.hspp_self)].tolist()


def _add_accuracies(tally: _Tally, held: _Held, rows: Rows) -> None:
    def of_rubrics(correct: NDArray[Any], counted: NDArray[Any]) -> Floats:
        correct, counted = (part[..., rows, :].sum(axis=-1) for part in (correct, counted))
        return mean_of_defined(rate(correct, counted))

    def of_pairs(correct: NDArray[Any], counted: NDArray[Any]) -> Floats:
        return mean_of_defined(rate(correct[..., rows], counted[..., rows]))

    if held.rubric is not None:
        tally.numbers["mra"].add(*combine(of_rubrics, held.rubric.correct, held.rubric.counted))
    if held.instance is not None:
        tally.numbers["mipa"].add(*combine(of_pairs, held.instance.correct, held.instance.counted))


def _row(seats: Seats, size: int, level: str, tally: _Tally) -> dict[str, Any]:
    least = min(tally.failures, default=0)
    row: dict[str, Any] = {
        "size": size,
        "level": level,
        "members": list(seats.members),
        "committees": tally.committees,
        "divided": float(mean_of_defined(np.array(tally.divided))),
        "n_self": least,
        "small": least < FEW,
    }
    for name, spread in tally.numbers.items():
        row[name] = spread
        row[f"{name}_least"], row[f"{name}_most"] = spread.ends
    return row


def _column(view: View, name: str, values: list[Any]) -> Column:
    why = _WHY.get(name.removesuffix("_least").removesuffix("_most"), "no_committee_with_a_ratio")
    if not isinstance(values[0], Spread):
        return Column(values, reasons="no_verdicts" if name == "divided" else why)
    draws = None
    if view.weights is not None:
        draws = np.column_stack([spread.draws(len(view.weights)) for spread in values])
    return Column(np.array([spread.mean for spread in values]), draws, why)
