"""Pairwise judgments resolved over both orders (MEASURES section 4)."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.cubes.arrow import encode, text_array
from engine.cubes.index import StudyIndex
from engine.cubes.rows import OK, Rows, Selection, first_of_each, read_rows
from engine.metrics.comparisons import PairOutcomes
from engine.metrics.majority import plurality
from engine.metrics.scores import TOLERANCE
from engine.schema import STATUSES
from engine.store import StudyFiles

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_CHOICES = ("opponent", "tie", "generator")  # -1, 0, +1 after subtracting 1
_SHOWN = ("generator", "opponent", "unknown")
LOW_FIRST, HIGH_FIRST, UNKNOWN, RESOLVED = range(4)

# What becomes of a row: it stands behind an outcome; its other order is missing; a resolved row overrules
# it; its repeats are divided; where it stood in the order is not known.
_USED, _ALONE, _OVERRULED, _SILENT, _UNPLACED = range(5)


@dataclass(frozen=True, eq=False)
class PairRows:
    """Pair rows with a verdict, in one orientation: `generator` is the model earlier in the study.

    `order` is LOW_FIRST or HIGH_FIRST (which of the two was shown first), UNKNOWN or RESOLVED. `choice`
    is +1, 0 or -1 seen from `generator` (NaN: none), `p` the probability of `generator` (NaN: none),
    `p_tie` that of a tie (NaN: none was offered). Repeats are merged already;
    `turned` marks rows stored the other way round.
    """

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    order: Ints
    choice: Floats
    p: Floats
    p_tie: Floats
    turned: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PairFailures:
    """Pair rows without a use, by code; `count` of each."""

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    code: NDArray[np.object_]
    count: Ints


Some = TypeVar("Some", PairRows, PairFailures)


@dataclass(frozen=True, eq=False)
class PairCube:
    """The pairs of one selection: rows with one order each, their outcomes, and what was left out.

    `judges` and `generators` hold the models' positions, ascending; every other array holds models'
    positions in the study. `used` marks the rows that stand behind an outcome.
    """

    judges: Ints
    generators: Ints
    rows: PairRows
    used: NDArray[np.bool_]
    outcomes: PairOutcomes
    failures: PairFailures


def read_pairs(files: StudyFiles, index: StudyIndex, selection: Selection) -> PairCube:
    """Read and resolve the pairs of one selection."""
    rows = read_rows(files, index, selection, ("opponent", "first", "choice", "p_generator", "p_tie"))
    opponent = encode(rows.table.column("opponent"), index.model_names)
    pairs = _orient(rows, opponent)
    good = rows.status == OK
    merged, votes = _merge_repeats(take(pairs, good), rows.trial[good], selection)
    outcomes, fate = _resolve(merged)
    failed, status = take(pairs, ~good), np.array(STATUSES, dtype=object)[rows.status[~good]]
    left = [(failed, status, np.ones(len(status), dtype=np.int64))]
    left += [_counted(merged, code, number) for code, number in _unused(fate, votes).items()]
    return PairCube(
        judges=np.unique(rows.judge),
        generators=np.unique(np.concatenate([rows.generator, opponent])),
        rows=merged,
        used=fate == _USED,
        outcomes=outcomes,
        failures=_joined(left),
    )


def _speaks(rows: PairRows) -> NDArray[np.bool_]:
    """Return which rows say something: a choice, or a probability where no tie was offered."""
    return ~np.isnan(rows.choice) | _forced(rows)


def _forced(rows: PairRows) -> NDArray[np.bool_]:
    return ~np.isnan(rows.p) & np.isnan(rows.p_tie)


def take(pairs: Some, keep: NDArray[np.bool_] | Ints) -> Some:
    """Return some of the rows."""
    return type(pairs)(**{name: values[keep] for name, values in vars(pairs).items()})


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


def _merge_repeats(pairs: PairRows, trial: Ints, selection: Selection) -> tuple[PairRows, Ints]:
    """Merge rows of the same pair and order; return them with the number of rows behind each."""
    keys = np.stack([pairs.judge, pairs.instance, pairs.generator, pairs.opponent, pairs.order])
    _, first, group, votes = np.unique(
        keys, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) == len(pairs.judge):
        return pairs, np.ones(len(first), dtype=np.int64)
    group = group.reshape(-1)
    if selection.repeats == "first":
        chosen = first_of_each(group, trial)
        return take(pairs, chosen), votes[group[chosen]]
    merged = vars(take(pairs, first)) | {
        "choice": plurality(group, pairs.choice, len(first)),
        "p": _mean(group, pairs.p, len(first)),
        "p_tie": _mean(group, pairs.p_tie, len(first)),
    }
    return PairRows(**merged), votes


def _mean(group: Ints, values: Floats, size: int) -> Floats:
    known = ~np.isnan(values)
    total = np.bincount(group[known], weights=values[known], minlength=size)
    number = np.bincount(group[known], minlength=size)
    mean: Floats = np.divide(total, number, out=np.full(size, np.nan), where=number > 0)
    return mean


def _resolve(rows: PairRows) -> tuple[PairOutcomes, Ints]:
    """Return the outcome of every pair that has one, and the fate of each row."""
    keys = np.stack([rows.judge, rows.instance, rows.generator, rows.opponent])
    unique, pair = np.unique(keys, axis=1, return_inverse=True)
    pair, size = pair.reshape(-1), unique.shape[1]
    speaks, at = _speaks(rows), {}
    for order in (LOW_FIRST, HIGH_FIRST, RESOLVED):
        at[order] = np.full(size, -1)
        here = np.flatnonzero((rows.order == order) & speaks)
        at[order][pair[here]] = here
    resolved, low, high = at[RESOLVED], at[LOW_FIRST], at[HIGH_FIRST]
    outcome = np.full(size, np.nan)
    done = resolved >= 0
    outcome[done] = _outcome(rows, resolved[done], resolved[done])
    both = (low >= 0) & (high >= 0) & ~done
    outcome[both] = _outcome(rows, low[both], high[both])
    known = ~np.isnan(outcome)
    fate = np.where((known & ~done)[pair], _USED, _ALONE)
    fate[done[pair]] = _OVERRULED
    fate[(rows.order == RESOLVED) & done[pair]] = _USED
    fate[~speaks] = _SILENT
    fate[rows.order == UNKNOWN] = _UNPLACED
    judge, instance, generator, opponent = unique[:, known]
    return PairOutcomes(judge, instance, generator, opponent, outcome[known].astype(np.int8)), fate


def _outcome(rows: PairRows, one: Ints, two: Ints) -> Floats:
    """Return the outcomes of pairs from two rows each (the same one twice where it is resolved already).

    Forced choices with probabilities in both go by the mean probability; of choices a winner stands
    against a tie, and two different winners make a tie. NaN where one of them has no choice.
    """
    mean_p = (rows.p[one] + rows.p[two]) / 2 - 0.5
    by_p = np.where(np.abs(mean_p) < TOLERANCE, 0.0, np.sign(mean_p))
    forced = _forced(rows)
    return np.where(forced[one] & forced[two], by_p, np.sign(rows.choice[one] + rows.choice[two]))


def _unused(fate: Ints, votes: Ints) -> dict[str, Ints]:
    """Return how many judgment rows each merged row leaves out, by code."""
    stands = np.isin(fate, (_USED, _ALONE))
    return {
        "merged": np.where(fate == _UNPLACED, 0, votes - stands),
        "order_missing": np.where(fate == _UNPLACED, votes, (fate == _ALONE).astype(np.int64)),
    }


def _counted(rows: PairRows, code: str, number: Ints) -> tuple[PairRows, NDArray[np.object_], Ints]:
    kept = number > 0
    return take(rows, kept), np.full(int(kept.sum()), code, dtype=object), number[kept]


def _joined(parts: list[tuple[PairRows, NDArray[np.object_], Ints]]) -> PairFailures:
    def joined(name: str) -> Ints:
        return np.concatenate([getattr(rows, name) for rows, _, _ in parts])

    return PairFailures(
        judge=joined("judge"),
        instance=joined("instance"),
        generator=joined("generator"),
        opponent=joined("opponent"),
        code=np.concatenate([code for _, code, _ in parts]),
        count=np.concatenate([count for _, _, count in parts]),
    )
