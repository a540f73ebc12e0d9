"""Pairwise judgments resolved over both orders (MEASURES section 4)."""

from dataclasses import dataclass

import numpy as np

from engine.cubes.arrow import encode, text_array
from engine.cubes.dimensions import DIMENSIONS, STRUCTURED, by_majority, dimension_of
from engine.cubes.index import StudyIndex
from engine.cubes.orders import USED, Paired, counted, joined, outcome, pair_up, unused
from engine.cubes.pair_rows import (
    HIGH_FIRST,
    LOW_FIRST,
    RESOLVED,
    UNKNOWN,
    Bools,
    Floats,
    Ints,
    PairFailures,
    PairRows,
    group_rows,
    speaks,
    take,
)
from engine.cubes.rows import OK, Rows, Selection, first_of_each, read_rows
from engine.metrics.comparisons import PairOutcomes
from engine.metrics.majority import plurality
from engine.schema import STATUSES
from engine.store import StudyFiles

__all__ = ["PairCube", "PairFailures", "PairRows", "read_pairs", "take"]

_CHOICES = ("opponent", "tie", "generator")  # -1, 0, +1 after subtracting 1
_SHOWN = ("generator", "opponent", "unknown")


@dataclass(frozen=True, eq=False)
class PairCube:
    """The pairs of one selection: rows with one order each, their outcomes, and what was left out.

    `judges` and `generators` hold the models' positions, ascending; every other array holds models'
    positions in the study. `paired` are the pairs with an outcome and their rows, which `used` marks; `votes`
    counts the judgment rows behind each row, of which `width` make one answer.
    """

    judges: Ints
    generators: Ints
    rows: PairRows
    used: Bools
    outcomes: PairOutcomes
    failures: PairFailures
    votes: Ints
    width: int
    paired: Paired


def read_pairs(files: StudyFiles, index: StudyIndex, selection: Selection) -> PairCube:
    """Read and resolve the pairs of one selection; of `structured` ones the dimensions are put together."""
    columns = ("opponent", "first", "choice", "p_generator", "p_tie")
    structured = selection.variant == STRUCTURED
    rows = read_rows(files, index, selection, (*columns, "rubric_id") if structured else columns)
    opponent = encode(rows.table.column("opponent"), index.model_names)
    pairs = _orient(rows, opponent)
    good = rows.status == OK
    part = dimension_of(rows.table.column("rubric_id")) if structured else np.zeros_like(rows.judge)
    merged, part, votes = _merge_repeats(take(pairs, good), part[good], rows.trial[good], selection)
    status = np.array(STATUSES, dtype=object)[rows.status[~good]]
    left = [counted(take(pairs, ~good), status, np.ones(len(status), dtype=np.int64))]
    if structured:
        merged, votes, incomplete = by_majority(merged, part, votes)
        left += incomplete
    width = len(DIMENSIONS) if structured else 1
    paired = pair_up(merged, speaks(merged), outcome)
    left += unused(merged, paired.fate, votes, width)
    return PairCube(
        judges=np.unique(rows.judge),
        generators=np.unique(np.concatenate([rows.generator, opponent])),
        rows=merged,
        used=paired.fate == USED,
        outcomes=PairOutcomes(
            paired.judge, paired.instance, paired.generator, paired.opponent, paired.value.astype(np.int8)
        ),
        failures=joined(left),
        votes=votes,
        width=width,
        paired=paired,
    )


def _orient(rows: Rows, opponent: Ints) -> PairRows:
    """Turn every row so that its generator is the earlier model; what was chosen turns along."""
    shown = encode(rows.table.column("first"), text_array(_SHOWN))
    choice = encode(rows.table.column("choice"), text_array(_CHOICES)).astype(np.float64) - 1
    choice[choice < -1] = np.nan
    p = rows.number("p_generator")
    swap = rows.generator > opponent
    target_first = np.where(swap, HIGH_FIRST, LOW_FIRST)
    other_first = np.where(swap, LOW_FIRST, HIGH_FIRST)
    order = np.select([shown == 0, shown == 1, shown == 2], [target_first, other_first, UNKNOWN], RESOLVED)
    return PairRows(
        judge=rows.judge,
        instance=rows.instance,
        generator=np.where(swap, opponent, rows.generator),
        opponent=np.where(swap, rows.generator, opponent),
        order=order,
        choice=np.where(swap, -choice, choice),
        p=np.where(swap, 1 - p, p),
        p_tie=rows.number("p_tie"),
        turned=swap,
    )


def _merge_repeats(
    pairs: PairRows, part: Ints, trial: Ints, selection: Selection
) -> tuple[PairRows, Ints, Ints]:
    """Merge rows of the same pair, order and part; return them, their parts and the rows behind each."""
    names = (pairs.judge, pairs.instance, pairs.generator, pairs.opponent, pairs.order, part + 1)
    groups = group_rows(*names)
    first, group, votes = groups.first, groups.of, groups.sizes
    if len(first) == len(pairs.judge):
        return pairs, part, np.ones(len(first), dtype=np.int64)
    if selection.repeats == "first":
        chosen = first_of_each(group, trial)
        return take(pairs, chosen), part[chosen], votes[group[chosen]]
    merged = vars(take(pairs, first)) | {
        "choice": plurality(group, pairs.choice, len(first)),
        "p": _mean(group, pairs.p, len(first)),
        "p_tie": _mean(group, pairs.p_tie, len(first)),
    }
    return PairRows(**merged), part[first], votes


def _mean(group: Ints, values: Floats, size: int) -> Floats:
    known = ~np.isnan(values)
    total = np.bincount(group[known], weights=values[known], minlength=size)
    number = np.bincount(group[known], minlength=size)
    mean: Floats = np.divide(total, number, out=np.full(size, np.nan), where=number > 0)
    return mean
