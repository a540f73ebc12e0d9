"""Outcomes of pairs over both orders in which the responses were shown, or over one."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.arrays.encoding import encode
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_rows import OK, SelectedRows, Selection, first_of_each, group_rows, read_rows
from engine.arrays.pairs.pair_orders import (
    ALONE,
    HIGH_FIRST,
    LOW_FIRST,
    OVERRULED,
    RESOLVED,
    STRUCTURED,
    UNKNOWN,
    UNPLACED,
    USED,
    PairColumns,
    PairFailures,
    PairRows,
    PairValues,
    by_majority,
    dimension_of,
    failures_of,
    has_answer,
    outcome,
    pair_up,
    winners,
)
from engine.schema import DIMENSIONS, STATUSES
from engine.stats import Bools, Floats, Ints
from engine.stats.intervals.seeded_draws import ORDER, seeded_keys
from engine.stats.judges.combined_verdicts import plurality
from engine.stats.pairs.compared_responses import PairOutcomes
from engine.store.arrow_types import text_array
from engine.store.study_files import StudyFiles

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
        answers = self.width * np.isin(fate, (USED, ALONE))
        counts = {
            "merged": np.where(fate == UNPLACED, 0, votes - answers),
            "order_missing": np.where(fate == UNPLACED, votes, self.width * (fate == ALONE)),
        }
        return PairFailures.concatenate([self.unanswered, *failures_of(self.rows, counts)])

    @property
    def single_orders(self) -> PairOutcomes:
        """The choices in pairs whose other order is missing; no measure counts them."""
        single = np.flatnonzero(np.isin(self.pairs.fate, (ALONE, UNPLACED)) & ~np.isnan(self.rows.choice))
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


def _orient(rows: SelectedRows, opponent: Ints) -> PairRows:
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
    fate[answered & unplaced & (orders == 1)] = OVERRULED
    fate[counts] = USED
    at = np.flatnonzero(counts)
    single = rows.select(at)
    parts = {"value": outcome(rows, at, at), "one": at, "two": at}
    parts |= dict(zip(("judge", "instance", "generator", "opponent"), single.who, strict=True))
    both = {name: np.concatenate([getattr(cube.pairs, name), part]) for name, part in parts.items()}
    pairs = PairValues(**both, fate=fate)
    return replace(cube, pairs=pairs), np.unique(single.judge)


@dataclass(frozen=True, eq=False)
class OutcomesOfPairs(PairColumns):
    """Every pair with a stored row; `answer` is +1, 0 or -1 seen from `generator`, NaN where not ok."""

    answer: Floats


def single_answers(cube: PairCube, seed: int) -> OutcomesOfPairs:
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
    return OutcomesOfPairs(judge, instance, generator, opponent, answer)
