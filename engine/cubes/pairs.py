"""Pairwise judgments resolved over both orders (MEASURES section 4)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubes.arrow import encode, text_array
from engine.cubes.index import StudyIndex
from engine.cubes.rows import OK, Rows, Selection, first_of_each, read_rows
from engine.metrics.comparisons import PairOutcomes
from engine.metrics.majority import plurality
from engine.schema import STATUSES
from engine.store import StudyFiles

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_CHOICES = ("opponent", "tie", "generator")  # -1, 0, +1 after subtracting 1
_SHOWN = ("generator", "opponent", "unknown")
LOW_FIRST, HIGH_FIRST, UNKNOWN, RESOLVED = range(4)


@dataclass(frozen=True, eq=False)
class PairRows:
    """Pair rows with a verdict, in one orientation: `generator` is the model earlier in the study.

    `order` is LOW_FIRST or HIGH_FIRST (which of the two was shown first), UNKNOWN or RESOLVED. `choice`
    is +1, 0 or -1 seen from `generator` (NaN: none), `p` the probability of `generator` (NaN: none),
    `p_tie` that of a tie (NaN: none was offered). Repeats are merged already.
    """

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    order: Ints
    choice: Floats
    p: Floats
    p_tie: Floats


@dataclass(frozen=True, eq=False)
class PairFailures:
    """Pair rows without a use, by code; `count` of each."""

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    code: NDArray[np.object_]
    count: Ints


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
    pairs, trial = _orient(rows, opponent)
    good = rows.status == OK
    merged, folded = _merge_repeats(_take(pairs, good), trial[good], selection)
    outcomes, unused = _resolve(merged)
    return PairCube(
        judges=np.unique(rows.judge),
        generators=np.unique(np.concatenate([rows.generator, opponent])),
        rows=merged,
        used=unused == None,  # noqa: E711 - elementwise
        outcomes=outcomes,
        failures=_failures(_take(pairs, ~good), rows.status[~good], merged, folded, unused),
    )


def _take(pairs: PairRows, keep: NDArray[np.bool_] | Ints) -> PairRows:
    return PairRows(**{name: values[keep] for name, values in vars(pairs).items()})


def _orient(rows: Rows, opponent: Ints) -> tuple[PairRows, Ints]:
    """Turn every row so that its generator is the earlier model; what was chosen turns along."""
    shown = encode(rows.table.column("first"), text_array(_SHOWN))
    choice = encode(rows.table.column("choice"), text_array(_CHOICES)).astype(np.float64) - 1
    choice[choice < -1] = np.nan
    p = rows.number("p_generator")
    swap = rows.generator > opponent
    target_first = np.where(swap, HIGH_FIRST, LOW_FIRST)
    other_first = np.where(swap, LOW_FIRST, HIGH_FIRST)
    order = np.select([shown == 0, shown == 1, shown == 2], [target_first, other_first, UNKNOWN], RESOLVED)
    pairs = PairRows(
        judge=rows.judge,
        instance=rows.instance,
        generator=np.where(swap, opponent, rows.generator),
        opponent=np.where(swap, rows.generator, opponent),
        order=order,
        choice=np.where(swap, -choice, choice),
        p=np.where(swap, 1 - p, p),
        p_tie=rows.number("p_tie"),
    )
    return pairs, rows.trial


def _merge_repeats(pairs: PairRows, trial: Ints, selection: Selection) -> tuple[PairRows, Ints]:
    """Merge rows of the same pair and order; return them with the number merged into each."""
    keys = np.stack([pairs.judge, pairs.instance, pairs.generator, pairs.opponent, pairs.order])
    _, first, group, votes = np.unique(
        keys, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) == len(pairs.judge):
        return pairs, np.zeros(len(first), dtype=np.int64)
    group = group.reshape(-1)
    if selection.repeats == "first":
        chosen = first_of_each(group, trial)
        return _take(pairs, chosen), votes[group[chosen]] - 1
    merged = vars(_take(pairs, first)) | {
        "choice": plurality(group, pairs.choice, len(first)),
        "p": _mean(group, pairs.p, len(first)),
        "p_tie": _mean(group, pairs.p_tie, len(first)),
    }
    return PairRows(**merged), votes - 1


def _mean(group: Ints, values: Floats, size: int) -> Floats:
    known = ~np.isnan(values)
    total = np.bincount(group[known], weights=values[known], minlength=size)
    number = np.bincount(group[known], minlength=size)
    return np.divide(total, number, out=np.full(size, np.nan), where=number > 0)


def _resolve(rows: PairRows) -> tuple[PairOutcomes, NDArray[np.object_]]:
    """Return the outcome of every pair that has one, and for each row the code if it was left out."""
    unused = np.full(len(rows.judge), None, dtype=object)
    keys = np.stack([rows.judge, rows.instance, rows.generator, rows.opponent])
    unique, pair = np.unique(keys, axis=1, return_inverse=True)
    pair, size = pair.reshape(-1), unique.shape[1]
    at = {order: np.full(size, -1) for order in range(4)}
    for order, slots in at.items():
        here = np.flatnonzero(rows.order == order)
        slots[pair[here]] = here
    resolved, low, high = at[RESOLVED], at[LOW_FIRST], at[HIGH_FIRST]
    outcome = np.full(size, np.nan)
    done = resolved >= 0
    outcome[done] = _single_outcome(rows, resolved[done])
    both = (low >= 0) & (high >= 0) & ~done
    outcome[both] = _joint_outcome(rows, low[both], high[both])
    unused[~(done | both)[pair]] = "order_missing"
    unused[(np.isnan(outcome) & (done | both))[pair]] = "no_choice"
    known = ~np.isnan(outcome)
    judge, instance, generator, opponent = unique[:, known]
    return PairOutcomes(judge, instance, generator, opponent, outcome[known].astype(np.int8)), unused


def _single_outcome(rows: PairRows, at: Ints) -> Floats:
    """Return the outcome of rows resolved outside: the choice, else the more probable side."""
    by_p = np.sign(rows.p[at] - 0.5)
    return np.where(np.isnan(rows.choice[at]) & np.isnan(rows.p_tie[at]), by_p, rows.choice[at])


def _joint_outcome(rows: PairRows, low: Ints, high: Ints) -> Floats:
    """Return the outcome of pairs judged in both orders.

    Forced choices with probabilities (no tie offered in either order) go by the mean probability; of
    choices a winner stands against a tie, and two winners make a tie.
    """
    offered_tie = ~(np.isnan(rows.p_tie[low]) & np.isnan(rows.p_tie[high]))
    mean_p = (rows.p[low] + rows.p[high]) / 2
    forced = ~np.isnan(mean_p) & ~offered_tie
    by_choice = np.sign(rows.choice[low] + rows.choice[high])
    return np.where(forced, np.sign(mean_p - 0.5), by_choice)


def _failures(
    failed: PairRows, status: Ints, merged: PairRows, folded: Ints, unused: NDArray[np.object_]
) -> PairFailures:
    parts = (
        (failed, np.array(STATUSES, dtype=object)[status], np.ones(len(status), dtype=np.int64)),
        (_take(merged, folded > 0), np.full(int((folded > 0).sum()), "merged", object), folded[folded > 0]),
        (
            _take(merged, unused != None),  # noqa: E711 - elementwise
            unused[unused != None],  # noqa: E711
            np.ones(int((unused != None).sum()), dtype=np.int64),  # noqa: E711
        ),
    )

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
