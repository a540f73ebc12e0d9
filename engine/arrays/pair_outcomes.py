"""Outcomes of pairs over both orders in which the responses were shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from engine.arrays.index import (
    OK,
    Objects,
    Rows,
    Selection,
    StudyIndex,
    encode,
    first_of_each,
    group_rows,
    read_rows,
)
from engine.schema import DIMENSIONS, STATUSES
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.agreement import plurality
from engine.stats.pairs import PairOutcomes
from engine.stats.quality_baseline import ORDER, seeded_keys
from engine.stats.self_preference import TOLERANCE
from engine.store.arrow_types import text_array
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# Rows of pairwise judgments in one orientation.


LOW_FIRST, HIGH_FIRST, UNKNOWN, RESOLVED = range(4)


@dataclass(frozen=True, eq=False)
class PairColumns(ParallelArrays):
    """Pairs of responses, or rows of them, with who judged them."""

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints

    @property
    def who(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The columns that identify a pair."""
        return self.judge, self.instance, self.generator, self.opponent


@dataclass(frozen=True, eq=False)
class PairRows(PairColumns):
    """Pair rows with a verdict, in one orientation: `generator` is the model earlier in the study.

    `order` is LOW_FIRST or HIGH_FIRST (which of the two was shown first), UNKNOWN or RESOLVED. `choice` is
    +1, 0 or -1 seen from `generator`, `p` its probability, `p_tie` that of a tie, if one was offered; NaN for
    none. Repeats are merged already; `swapped` marks rows stored the other way round.
    """

    order: Ints
    choice: Floats
    p: Floats
    p_tie: Floats
    swapped: Bools


@dataclass(frozen=True, eq=False)
class PairFailures(PairColumns):
    """Unused pair rows, by code; `count` of each, `order` as in `PairRows`."""

    order: Ints
    code: Objects
    count: Ints


def forced_choices(rows: PairRows) -> Bools:
    """Return which rows are forced choices with a probability: no tie was offered."""
    return ~np.isnan(rows.p) & np.isnan(rows.p_tie)


def has_answer(rows: PairRows) -> Bools:
    """Return which rows have an answer: a choice, or a probability where no tie was offered."""
    return ~np.isnan(rows.choice) | forced_choices(rows)


def winners(rows: PairRows) -> Floats:
    """Return the winner in each row, seen from `generator`: the choice, else the likelier; NaN for none."""
    likelier = np.where(forced_choices(rows), np.sign(rows.p - 0.5), np.nan)
    return np.where(np.isnan(rows.choice), likelier, rows.choice)


# ------------------------------------------------------------------------------
# The two orders of a pair combined (MEASURES section 4).


# The fate of a row: it gives a pair's value; its other order is missing; a resolved row overrules it; it has
# no answer; its order is unknown.
USED, _ALONE, _OVERRULED, _UNANSWERED, _UNPLACED = range(5)

Decide = Callable[[PairRows, Ints, Ints], Floats]


@dataclass(frozen=True, eq=False)
class PairValues:
    """The pairs that have a value, seen from `generator`, and the fate of every row.

    `one` and `two` are the rows with the earlier model shown first and second, or a resolved pair's one row.
    """

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    value: Floats
    one: Ints
    two: Ints
    fate: Ints


def pair_up(rows: PairRows, answered: Bools, decide: Decide) -> PairValues:
    """Combine the rows of each pair if both orders are `answered`, or a row that is resolved already.

    `decide` gives the value of pairs from two rows each, the same one twice if it is resolved; NaN: none.
    """
    groups = group_rows(*rows.who)
    pair, size = groups.of, len(groups.first)
    at = np.full((4, size), -1)
    row = np.flatnonzero(answered)
    at[rows.order[row], pair[row]] = row
    resolved = at[RESOLVED] >= 0
    one, two = np.where(resolved, at[RESOLVED], at[[LOW_FIRST, HIGH_FIRST]])
    value, both = np.full(size, np.nan), (one >= 0) & (two >= 0)
    value[both] = decide(rows, one[both], two[both])
    defined = ~np.isnan(value)
    fate = np.where((defined & ~resolved)[pair], USED, _ALONE)
    fate[resolved[pair]] = _OVERRULED
    fate[(rows.order == RESOLVED) & resolved[pair]] = USED
    fate[~answered] = _UNANSWERED
    fate[rows.order == UNKNOWN] = _UNPLACED
    pairs = rows.select(groups.first[defined])
    return PairValues(*pairs.who, value[defined], one[defined], two[defined], fate)


def outcome(rows: PairRows, one: Ints, two: Ints) -> Floats:
    """Return the outcomes of pairs from two rows each (the same one twice if it is resolved already).

    If both are forced choices with probabilities, the mean probability decides. Otherwise a winner beats a
    tie, and two different winners make a tie. NaN where one of them has no choice.
    """
    mean_p = (rows.p[one] + rows.p[two]) / 2 - 0.5
    by_p = np.where(np.abs(mean_p) < TOLERANCE, 0.0, np.sign(mean_p))
    is_forced = forced_choices(rows)
    return np.where(is_forced[one] & is_forced[two], by_p, np.sign(rows.choice[one] + rows.choice[two]))


def failures_of(rows: PairRows, counts: Mapping[str, Ints]) -> list[PairFailures]:
    """Return as failures, by code, the rows that leave out some judgment rows: `counts`, (rows,)."""
    failures = []
    for code, count in counts.items():
        lost = rows.select(count > 0)
        codes = np.full(len(lost.judge), code, dtype=object)
        failures.append(PairFailures(*lost.who, lost.order, codes, count[count > 0]))
    return failures


# ------------------------------------------------------------------------------
# The table `pairs`: pairs that were drawn to be judged.


@dataclass(frozen=True, eq=False)
class StoredPairs:
    """The pairs stored for one purpose: the judges they were drawn for, and their keys."""

    judges: Ints
    _keys: Ints
    _shape: tuple[int, int, int, int]

    @classmethod
    def read(cls, files: StudyFiles, index: StudyIndex, purpose: str) -> "StoredPairs":
        table = files.table("pairs", where={"purpose": (purpose,)})
        columns = (table.column(name) for name in ("judge", "generator", "opponent"))
        judge, one, two = (encode(column, index.model_names) for column in columns)
        instance = encode(table.column("instance_id"), index.instances)
        models = max(len(index.models), 1)
        shape = (models, max(index.n_instances, 1), models, models)
        return cls(np.unique(judge), np.unique(_key(shape, judge, instance, one, two)), shape)

    def holds(self, judge: Ints, instance: Ints, target: Ints, other: Ints) -> Bools:
        """Return which pairs are stored with this target."""
        return np.isin(_key(self._shape, judge, instance, target, other), self._keys)


def _key(shape: tuple[int, int, int, int], *places: Ints) -> Ints:
    return np.asarray(np.ravel_multi_index(places, shape), dtype=np.int64)


# ------------------------------------------------------------------------------
# Pairs judged on each of five dimensions: one answer for each order (MEASURES section 9, mitigation).


STRUCTURED = "structured"


def dimension_of(column: pa.ChunkedArray) -> Ints:
    return encode(column, text_array(DIMENSIONS))


def by_majority(rows: PairRows, dimension: Ints, votes: Ints) -> tuple[PairRows, Ints, list[PairFailures]]:
    """Return one row for each order with all dimensions answered, its votes, and rows left out.

    The response that at least three dimensions choose is the choice; no such majority is a tie. `votes`
    counts the judgment rows behind each row, before and after.
    """
    groups = group_rows(*rows.who, rows.order)
    first, order = groups.first, groups.of
    answered = ~np.isnan(rows.choice) & (dimension >= 0)
    number, ayes, noes = (
        np.bincount(order[answered & marks], minlength=len(first))
        for marks in (answered, rows.choice == 1, rows.choice == -1)
    )
    complete, half, nothing = number == len(DIMENSIONS), len(DIMENSIONS) / 2, np.full(len(first), np.nan)
    choice = (ayes > half).astype(np.float64) - (noes > half)
    answers = replace(rows.select(first), choice=choice, p=nothing, p_tie=nothing)
    totals = np.bincount(order, weights=votes, minlength=len(first)).astype(np.int64)
    incomplete = ~complete[order]
    counts = {"order_missing": (incomplete & answered).astype(np.int64)}
    counts["merged"] = np.where(incomplete, votes - answered, 0)
    return answers.select(complete), totals[complete], failures_of(rows, counts)


# ------------------------------------------------------------------------------
# Pairwise judgments resolved over both orders (MEASURES section 4).


_CHOICES = ("opponent", "tie", "generator")  # -1, 0, +1 after subtracting 1
_FIRST = ("generator", "opponent", "unknown")


@dataclass(frozen=True, eq=False)
class PairCube:
    """The pairs of one selection: rows with one order each, the pairs that they make, and what was left out.

    `judges` and `generators` hold the models' positions, ascending; every other array holds models'
    positions in the study. `unanswered` are rows without any answer. `votes` counts the judgment rows behind
    each row, of which `width` make one answer.
    """

    judges: Ints
    generators: Ints
    rows: PairRows
    unanswered: PairFailures
    votes: Ints
    width: int
    pairs: PairValues

    @cached_property
    def outcomes(self) -> PairOutcomes:
        pairs, value = self.pairs, self.pairs.value.astype(np.int8)
        return PairOutcomes(pairs.judge, pairs.instance, pairs.generator, pairs.opponent, value)

    @property
    def deciding(self) -> Bools:
        """Which rows give a pair its value."""
        return np.asarray(self.pairs.fate == USED)

    @cached_property
    def failures(self) -> PairFailures:
        """The rows left out: those that are `unanswered`, and those that give no pair its value."""
        fate, votes = self.pairs.fate, self.votes
        answers = self.width * np.isin(fate, (USED, _ALONE))
        counts = {
            "merged": np.where(fate == _UNPLACED, 0, votes - answers),
            "order_missing": np.where(fate == _UNPLACED, votes, self.width * (fate == _ALONE)),
        }
        return PairFailures.concatenate([self.unanswered, *failures_of(self.rows, counts)])

    @property
    def single_orders(self) -> PairOutcomes:
        """The choices in pairs whose other order is missing; no measure counts them."""
        single = np.flatnonzero(np.isin(self.pairs.fate, (_ALONE, _UNPLACED)) & ~np.isnan(self.rows.choice))
        rows = self.rows.select(single)
        return PairOutcomes(*rows.who, np.sign(rows.choice).astype(np.int8))


def read_pairs(files: StudyFiles, index: StudyIndex, selection: Selection) -> PairCube:
    """Read and resolve the pairs of one selection; for `structured` ones the dimensions are combined."""
    columns = ("opponent", "first", "choice", "p_generator", "p_tie")
    structured = selection.variant == STRUCTURED
    rows = read_rows(files, index, selection, (*columns, "rubric_id") if structured else columns)
    opponent = encode(rows.table.column("opponent"), index.model_names)
    pairs = _orient(rows, opponent)
    good = rows.status == OK
    part = dimension_of(rows.table.column("rubric_id")) if structured else np.zeros_like(rows.judge)
    merged, part, votes = _merge_repeats(pairs.select(good), part[good], rows.trial[good], selection)
    status, bad = np.array(STATUSES, dtype=object)[rows.status[~good]], pairs.select(~good)
    unanswered = [PairFailures(*bad.who, bad.order, status, np.ones(len(status), dtype=np.int64))]
    if structured:
        merged, votes, incomplete = by_majority(merged, part, votes)
        unanswered += incomplete
    return PairCube(
        judges=np.unique(rows.judge),
        generators=np.unique(np.concatenate([rows.generator, opponent])),
        rows=merged,
        unanswered=PairFailures.concatenate(unanswered),
        votes=votes,
        width=len(DIMENSIONS) if structured else 1,
        pairs=pair_up(merged, has_answer(merged), outcome),
    )


def _orient(rows: Rows, opponent: Ints) -> PairRows:
    """Turn every row so that its generator is the earlier model; its choice turns too."""
    first = encode(rows.table.column("first"), text_array(_FIRST))
    choice = encode(rows.table.column("choice"), text_array(_CHOICES)).astype(np.float64) - 1
    choice[choice < -1] = np.nan
    p = rows.number("p_generator")
    swap = rows.generator > opponent
    in_order = np.where(swap == (first == 1), LOW_FIRST, HIGH_FIRST)
    order = np.select([first < 0, first == 2], [RESOLVED, UNKNOWN], in_order)
    return PairRows(
        judge=rows.judge,
        instance=rows.instance,
        generator=np.where(swap, opponent, rows.generator),
        opponent=np.where(swap, rows.generator, opponent),
        order=order,
        choice=np.where(swap, -choice, choice),
        p=np.where(swap, 1 - p, p),
        p_tie=rows.number("p_tie"),
        swapped=swap,
    )


def _merge_repeats(
    pairs: PairRows, part: Ints, trial: Ints, selection: Selection
) -> tuple[PairRows, Ints, Ints]:
    """Merge rows of the same pair, order and part; return them, their parts and the rows behind each."""
    groups = group_rows(*pairs.who, pairs.order, part + 1)
    first, group, votes = groups.first, groups.of, groups.sizes
    if len(first) == len(pairs.judge):
        return pairs, part, np.ones(len(first), dtype=np.int64)
    if selection.repeats == "first":
        row = first_of_each(group, trial)
        return pairs.select(row), part[row], votes[group[row]]
    merged = replace(
        pairs.select(first),
        choice=plurality(group, pairs.choice, len(first)),
        p=groups.means(pairs.p, ~np.isnan(pairs.p)),
        p_tie=groups.means(pairs.p_tie, ~np.isnan(pairs.p_tie)),
    )
    return merged, part[first], votes


# ------------------------------------------------------------------------------
# Pairs that were shown in one order only, for the measure that may count them (`votes`).


def with_single_orders(cube: PairCube) -> tuple[PairCube, Ints]:
    """Return a cube in which the pairs of some judges count by one order, and these judges, ascending.

    They are the judges without any outcome over both orders. Their rows count as they are, one for a pair:
    that of the only order with an answer, or one of unknown order. A pair with two orders but no outcome
    stays left out.
    """
    rows = cube.rows
    answered = has_answer(rows) & ~np.isin(rows.judge, cube.pairs.judge)
    if not answered.any():
        return cube, np.array([], dtype=np.int64)
    groups = group_rows(*rows.who)
    unplaced = rows.order == UNKNOWN
    orders = np.bincount(groups.of, weights=answered & ~unplaced, minlength=len(groups.first))[groups.of]
    counts = answered & np.where(unplaced, orders == 0, orders == 1)
    fate = cube.pairs.fate.copy()
    fate[answered & unplaced & (orders == 1)] = _OVERRULED
    fate[counts] = USED
    at = np.flatnonzero(counts)
    single = rows.select(at)
    parts = {"value": outcome(rows, at, at), "one": at, "two": at}
    parts |= dict(zip(("judge", "instance", "generator", "opponent"), single.who, strict=True))
    both = {name: np.concatenate([getattr(cube.pairs, name), part]) for name, part in parts.items()}
    pairs = PairValues(**both, fate=fate)
    return replace(cube, pairs=pairs), np.unique(single.judge)


# ------------------------------------------------------------------------------
# One answer to each pair, if only one order is needed (MEASURES section 9, discriminability).


@dataclass(frozen=True, eq=False)
class Answers(PairColumns):
    """Every pair with a stored row; `answer` is +1, 0 or -1 seen from `generator`, NaN where not ok."""

    answer: Floats


def single_answers(cube: PairCube, seed: int) -> Answers:
    """Return one answer to each pair: resolved, else of one order at random, else of an unknown order."""
    rows, failures = cube.rows, cube.failures
    keys = [np.concatenate(parts) for parts in zip(rows.who, failures.who, strict=True)]
    order = np.concatenate([rows.order, failures.order])
    groups = group_rows(*keys)
    at, size = groups.of, len(groups.first)
    pairs = [column[groups.first] for column in keys]
    exists = np.zeros((4, size), dtype=bool)
    exists[order, at] = True
    row = np.full((4, size), -1)
    answered = np.flatnonzero(has_answer(rows))
    row[rows.order[answered], at[answered]] = answered
    random_order = np.where(seeded_keys(seed, ORDER, *pairs) & np.uint64(1), HIGH_FIRST, LOW_FIRST)
    low, high = exists[LOW_FIRST], exists[HIGH_FIRST]
    ordering = np.select([low & high, low, high], [random_order, LOW_FIRST, HIGH_FIRST], UNKNOWN)
    answer_row = row[ordering, np.arange(size)]
    answer = np.full(size, np.nan)
    answer[answer_row >= 0] = winners(rows)[answer_row[answer_row >= 0]]
    resolved = row[RESOLVED] >= 0
    answer[resolved] = outcome(rows, row[RESOLVED][resolved], row[RESOLVED][resolved])
    judge, instance, generator, opponent = pairs
    return Answers(judge, instance, generator, opponent, answer)
