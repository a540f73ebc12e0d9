"""Votes on pairs: SPB, PIR, binomial and McNemar tests; effects of the order of responses and of options."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, chdtrc, expit, ndtr

from engine.stats import Bools, Counts, Floats, Ints, Numbers, ParallelArrays, Weights
from engine.stats.self_preference import TOLERANCE, rate, ratio

# ------------------------------------------------------------------------------
# Self-preference on pairs of equal quality: tests, archetypes, mitigation (MEASURES section 9; EQP).


ALPHA = 0.05
BORDER_D, BORDER_SPB = 0.80, 0.05
_Z = 1.959963985

RANDOMIZER, OBJECTIVE = "Incompetent Randomizer", "Objective"
MACHIAVELLIAN, BLINDLY_BIASED = "Machiavellian", "Blindly Biased"


def self_preference_bias(firm: Counts, n: Counts, null_firm: Counts, m: Counts) -> Floats:
    """Return SPB = PIR - Null-PIR (EQP equation 8) from firm choices of the target; NaN if one is missing."""
    return rate(firm, n) - rate(null_firm, m)


def two_proportion_z(firm: Counts, n: Counts, null_firm: Counts, m: Counts) -> Floats:
    """Return z of PIR against Null-PIR, their pooled share p; NaN where p is 0 or 1, or a side is empty."""
    pooled = rate(firm + null_firm, n + m)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return ratio(self_preference_bias(firm, n, null_firm, m), spread)


def one_sided_p(z: Floats) -> Floats:
    """Return the tail of the normal distribution beyond z, in the direction of z; one half at 0."""
    return np.asarray(ndtr(-np.abs(z)))


def binomial_p(firm: Counts, n: Counts, null_firm: Counts, m: Counts, exact: bool = False) -> Floats:
    """Return the binomial tail of the firm self-choices against Null-PIR, in the direction of SPB.

    The share tested is q where `exact`, else the near end of its interval: q + 1.96 sqrt(q (1 - q) / m), or
    minus for an SPB below 0, clipped to [0, 1]. NaN where q is 0 or 1, SPB is 0 or a side is empty.
    """
    q, direction = rate(null_firm, m), np.sign(firm * m - null_firm * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        near_end = q if exact else q + direction * _Z * np.sqrt(q * (1 - q) / m)
    p0 = np.clip(near_end, 0.0, 1.0)
    tail = np.where(direction > 0, at_least(firm, n, p0), at_most(firm, n, p0))
    return np.where((direction == 0) | (q == 0) | (q == 1) | np.isnan(q), np.nan, tail)


def at_least(k: Counts, n: Counts, p: Floats | float) -> Floats:
    """Return P(X >= k) of a binomial of n trials; 1 at k = 0, NaN without a trial."""
    inside = (k > 0) & (k <= n)
    with np.errstate(invalid="ignore"):
        tail = betainc(np.where(inside, k, 1), np.where(inside, n - k + 1, 1), p)
    return np.where(n > 0, np.where(inside, tail, np.where(k <= 0, 1.0, 0.0)), np.nan)


def at_most(k: Counts, n: Counts, p: Floats | float) -> Floats:
    """Return P(X <= k), as the chance of at least n - k misses."""
    return at_least(n - k, n, 1 - p)


def significant(z_p: Floats, binomial: Floats, low: Floats, high: Floats) -> Bools:
    """Return where two or all tests reject at 0.05, the third if the interval excludes 0; NaN never does."""
    with np.errstate(invalid="ignore"):
        votes = (z_p < ALPHA).astype(int) + (binomial < ALPHA) + ((low > 0) | (high < 0))
    return np.asarray(votes >= 2)


def two_stage(hits: Counts, trials: Counts, weights: Weights, rng: np.random.Generator) -> Floats:
    """Return resampled shares where the pairs within a resampled question are resampled too.

    `hits` and `trials` have shape (judges, instances), `weights` (resamples, instances); the result has shape
    (resamples, judges). A question drawn w times gives w n pairs, each a hit with the question's share.
    """
    shares = np.empty((len(weights), len(hits)))
    for judge, (hit, trial) in enumerate(zip(hits, trials, strict=True)):
        questions = np.flatnonzero(trial)
        drawn_trials = weights[:, questions].astype(np.int64) * trial[questions]
        drawn_hits = rng.binomial(drawn_trials, hit[questions] / trial[questions])
        shares[:, judge] = rate(drawn_hits.sum(axis=1), drawn_trials.sum(axis=1))
    return shares


def archetypes(d: Floats, spb: Floats) -> list[str | None]:
    """Return the archetype of each judge (EQP section 3.5); None where a number it needs is missing."""
    return [_archetype(one, two) for one, two in zip(d, spb, strict=True)]


def _archetype(d: float, spb: float) -> str | None:
    if np.isnan(d):
        return None
    if d < BORDER_D - TOLERANCE:
        return RANDOMIZER
    if np.isnan(spb):
        return None
    if abs(spb) <= BORDER_SPB + TOLERANCE:
        return OBJECTIVE
    return MACHIAVELLIAN if spb > 0 else BLINDLY_BIASED


def crosses(low: float, high: float, border: float) -> bool:
    """Return whether a border lies inside an interval; False if the interval is missing."""
    return bool(low < border - TOLERANCE and high > border + TOLERANCE)


def open_archetypes(d: tuple[float, float], spb: tuple[float, float]) -> list[str]:
    """Return the archetypes at the ends of the intervals and between, in the order of D, then of SPB."""
    between = [end for end in (spb[0], 0.0, spb[1]) if spb[0] <= end <= spb[1]]
    possible = {_archetype(one, two) for one in d for two in (between or [np.nan])}
    return [kind for kind in (RANDOMIZER, BLINDLY_BIASED, OBJECTIVE, MACHIAVELLIAN) if kind in possible]


def mcnemar_p(gains: Counts, losses: Counts) -> Floats:
    """Return the exact two-sided p of McNemar's test; NaN where nothing changed."""
    changed = gains + losses
    tail = at_most(np.minimum(gains, losses), changed, 0.5)
    return np.where(changed > 0, np.minimum(1.0, 2 * tail), np.nan)


def reduction(baseline: Floats, variant: Floats) -> Floats:
    """Return by how much |SPB| falls."""
    return np.asarray(np.abs(baseline) - np.abs(variant))


def improvement(baseline: Floats, variant: Floats) -> Floats:
    """Return eta (EQP equation 9): the fall of |SPB| as a share of the baseline's; NaN where that is 0."""
    return ratio(reduction(baseline, variant), np.abs(baseline))


# ------------------------------------------------------------------------------
# Comparisons of two responses to one instance: judge against reference (RSP equations 3 and 5).

Levels = NDArray[np.int32]


@dataclass(frozen=True)
class Comparisons:
    """Comparisons with an outcome by judge and reference: (judges, generators, instances)."""

    lost: Counts  # by the generator, according to the reference
    to_win: Counts  # of these, won according to the judge
    to_tie: Counts  # and tied
    won: Counts  # by the generator, according to the reference
    won_missed: Counts  # of these, tied or lost according to the judge
    correct: Counts  # unordered pairs, shape (judges, instances), as `total`
    total: Counts

    @property
    def over(self) -> Counts:
        """The overestimations: losses that the judge calls wins or ties."""
        return self.to_win + self.to_tie


def compare_levels(judge: Levels, reference: Levels) -> Comparisons:
    """Compare every generator with every other on every instance.

    Shapes (judges, generators, instances), `reference` of 1 or all judges; -1, a missing score, is left out.
    """
    n_judges, n_generators, n_instances = judge.shape
    n_pairs = n_generators * (n_generators - 1) // 2
    highest = max(judge.max(initial=0), reference.max(initial=0))
    # the smallest types that hold -1 and the largest number: they compare and add fastest
    others, pairs, level = (np.min_scalar_type(-1 - int(most)) for most in (n_generators, n_pairs, highest))
    lost, to_win, to_tie, won, missed = (np.zeros(judge.shape, dtype=others) for _ in range(5))
    correct, total = (np.zeros((n_judges, n_instances), dtype=pairs) for _ in range(2))
    judge, reference = judge.astype(level), reference.astype(level)

    def number(marks: Bools) -> Counts:
        return np.asarray(marks.view(np.int8).sum(axis=0, dtype=others))  # of one type: fastest

    for j in range(n_judges):
        levels, truth = judge[j], reference[j if len(reference) > 1 else 0]
        scored = (levels >= 0) & (truth >= 0)
        for g in range(n_generators):
            both_scored = scored & scored[g]
            loses, wins = (truth > truth[g]) & both_scored, (truth < truth[g]) & both_scored
            says_win, says_tie = levels < levels[g], levels == levels[g]
            lost[j, g], won[j, g] = number(loses), number(wins)
            to_win[j, g], to_tie[j, g] = number(loses & says_win), number(loses & says_tie)
            hits = number(wins & says_win)
            missed[j, g] = won[j, g] - hits
            later = slice(g + 1, None)
            tied = both_scored[later] & (truth[later] == truth[g]) & says_tie[later]
            correct[j] += hits + number(tied)
            total[j] += number(both_scored[later])
    return Comparisons(lost, to_win, to_tie, won, missed, correct, total)


@dataclass(frozen=True, eq=False)
class PairOutcomes(ParallelArrays):
    """Resolved pairs, shape (pairs,): who judged what, and the outcome (+1, 0, -1) for `generator`."""

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    outcome: NDArray[np.int8]


def compare_pairs(pairs: PairOutcomes, truth: NDArray[np.int8], shape: tuple[int, int, int]) -> Comparisons:
    """Count judged pairs against the reference's outcomes `truth` (+1, 0, -1), seen from `generator`.

    `shape` is (judges, generators, instances). Every pair counts for both of its responses.
    """
    n_judges, _, n_instances = shape

    def both_sides(true_outcome: int, judged_outcome: int | None) -> Counts:
        total = np.zeros(np.prod(shape), dtype=np.int64)
        for side, sign in ((pairs.generator, 1), (pairs.opponent, -1)):
            keep = truth * sign == true_outcome
            if judged_outcome is not None:
                keep &= pairs.outcome * sign == judged_outcome
            cell = np.ravel_multi_index((pairs.judge[keep], side[keep], pairs.instance[keep]), shape)
            total += np.bincount(cell, minlength=len(total))
        return total.astype(np.int32).reshape(shape)

    def by_judge(marks: Bools | slice) -> Counts:
        cell = (pairs.judge * n_instances + pairs.instance)[marks]
        number = np.bincount(cell, minlength=n_judges * n_instances)
        return number.astype(np.int32).reshape(n_judges, n_instances)

    lost, won = both_sides(-1, None), both_sides(1, None)
    to_win, to_tie, won_missed = both_sides(-1, 1), both_sides(-1, 0), won - both_sides(1, 1)
    correct, total = by_judge(pairs.outcome == truth), by_judge(slice(None))
    return Comparisons(lost, to_win, to_tie, won, won_missed, correct, total)


# ------------------------------------------------------------------------------
# The effect of the order of two responses on a judge's answers (MEASURES section 14).


def order_effects(one: Floats, two: Floats, p_one: Floats, p_two: Floats) -> dict[str, Floats]:
    """Return marks of each pair by name, shape (pairs,), from the winner in each order: +1, 0 or -1.

    The winner is +1 for one response, shown first in `one`, last in `two`; `p_one` and `p_two` are its
    probabilities, NaN for none. Of the two answers: `firsts` chose the response shown first, `ties` neither.
    `decided` pairs name a winner in both orders; of these `firm` name the same and `flips` two different
    ones, `to_first` each time the first. `shift` is the change of the probability, 0 where not `shifted`.
    """
    decided = (one != 0) & (two != 0)
    shift = np.abs(p_one - p_two)
    marks = {
        "pairs": np.ones(len(one)),
        "answers": np.full(len(one), 2.0),
        "firsts": (one == 1).astype(np.float64) + (two == -1),
        "ties": (one == 0).astype(np.float64) + (two == 0),
        "decided": decided,
        "firm": decided & (one == two),
        "flips": decided & (one != two),
        "to_first": (one == 1) & (two == -1),
        "shift": np.nan_to_num(shift, nan=0.0),
        "shifted": ~np.isnan(shift),
    }
    return {name: np.asarray(part, dtype=np.float64) for name, part in marks.items()}


# ------------------------------------------------------------------------------
# Strengths of models from the votes between them.

_MOST_ROUNDS, _STILL, _STRIDE = 100, 1e-9, 1.0


def bradley_terry(wins: Floats) -> Floats:
    """Return the models' log-strengths by Bradley and Terry (1952), shape (..., models); NaN without a vote.

    `wins`, shape (..., models, models), are votes for one model over another, a tie half a vote for each:
    P(i over j) = p_i / (p_i + p_j), by Newton's steps, none longer than 1. Each model also wins and loses
    half a vote against one of strength 1, so that one that never lost has a strength too.
    """
    games = wins + np.swapaxes(wins, -1, -2)
    won = wins.sum(axis=-1)
    strength = np.zeros(won.shape)
    diagonal = np.eye(won.shape[-1], dtype=bool)
    for _ in range(_MOST_ROUNDS):
        share, against_one = expit(strength[..., :, None] - strength[..., None, :]), expit(strength)
        score = won - (games * share).sum(axis=-1) + 0.5 - against_one
        weight = games * share * (1 - share)
        own = weight.sum(axis=-1) + against_one * (1 - against_one)
        step = np.linalg.solve(np.where(diagonal, own[..., None], 0.0) - weight, score[..., None])[..., 0]
        length = np.abs(step).max(axis=-1, keepdims=True, initial=0.0)
        strength = strength + step * np.minimum(1.0, _STRIDE / np.maximum(length, _STILL))
        if length.max(initial=0.0) < _STILL:
            break
    return np.where(games.sum(axis=-1) > 0, strength, np.nan)


# ------------------------------------------------------------------------------
# The order in which score options are shown: its cost and whether it matters (MEASURES section 12).
#
# Scores are identified by their place in the ascending scale of n options, positions from 0. Counts of
# selections have shape (..., scores, positions); leading axes are resamples.

MOST_OPTIONS = 16  # options up to which all n! orderings are searched


def balanced_orderings(n: int) -> Ints:
    """Return the balanced orderings of n options, shape (2n, n): which score is at each position.

    First the n rotations of the ascending scores, then those of the descending ones: every score is at each
    position twice. With fewer than three options rotations coincide, and each is listed once.
    """
    ascending = np.arange(n)
    rotations = [np.roll(scores, -turn) for scores in (ascending, ascending[::-1]) for turn in range(n)]
    _, first = np.unique(rotations, axis=0, return_index=True)
    return np.array([rotations[i] for i in np.sort(first)], dtype=np.int64)


@dataclass(frozen=True)
class ChiSquare:
    """Goodness of fit to equal shares, NaN without a count; p naively takes selections as independent."""

    statistic: Floats
    p: Floats


def chi_square(counts: Numbers) -> ChiSquare:
    """Return the chi-square of counts, (..., positions), against equal shares.

    n - 1 degrees of freedom; NaN where there is no count, or one position only.
    """
    n = counts.shape[-1]
    if n < 2:
        nothing = np.full(counts.shape[:-1], np.nan)
        return ChiSquare(nothing, nothing)
    expected = counts.sum(axis=-1, keepdims=True) / n
    statistic = rate(((counts - expected) ** 2).sum(axis=-1), expected[..., 0])
    return ChiSquare(statistic, np.asarray(chdtrc(n - 1, statistic), dtype=np.float64))


def position_shares(selections: Numbers) -> Floats:
    """Return P(position | score), shape (..., scores, positions); NaN for a score never selected."""
    return rate(selections, selections.sum(axis=-1, keepdims=True))


def bias_costs(selections: Numbers, orderings: Ints) -> Floats:
    """Return the bias cost of each ordering in percent points, shape (..., orderings) (RPB section 5.3).

    Cost(pi) = sum over positions p of |P(p | pi_p) - 1/n|, without the terms of scores never selected.
    """
    positions = np.arange(selections.shape[-1])
    return np.asarray(100 * _terms(selections)[..., orderings, positions].sum(axis=-1))


def _terms(selections: Numbers) -> Floats:
    """Return |P(p | s) - 1/n|, 0 for a score never selected: shape (..., scores, positions)."""
    terms = np.abs(position_shares(selections) - 1 / selections.shape[-1])
    return np.asarray(np.nan_to_num(terms, nan=0.0))


def first_cheapest(costs: Floats) -> int:
    """Return the place of the lowest cost, the first of equal ones (within 1e-9, in fractions of 1)."""
    return int(np.flatnonzero(costs <= costs.min() + 100 * TOLERANCE)[0])


def cheapest_of_all(selections: Numbers) -> Ints:
    """Return the cheapest of all n! orderings, the first in ascending order if several are equal.

    By dynamic programming over sets of scores at the last positions, in 2**n steps; n <= MOST_OPTIONS.
    """
    terms = _terms(selections)
    n = len(terms)
    rest = np.zeros(1 << n)  # the least cost of placing the scores of a set at the last positions
    for subset in range(1, 1 << n):
        members = [s for s in range(n) if subset >> s & 1]
        place = n - len(members)
        rest[subset] = min(terms[s, place] + rest[subset & ~(1 << s)] for s in members)
    remaining, spent, ordering = (1 << n) - 1, 0.0, []
    for place in range(n):
        members = [s for s in range(n) if remaining >> s & 1]
        totals = [spent + terms[s, place] + rest[remaining & ~(1 << s)] for s in members]
        score = members[int(np.flatnonzero(np.array(totals) <= rest[-1] + TOLERANCE)[0])]
        ordering.append(score)
        spent, remaining = spent + terms[score, place], remaining & ~(1 << score)
    return np.array(ordering, dtype=np.int64)


def shuffled_selections(
    item: Ints, ordering: Ints, score: Ints, orderings: Ints, shuffles: int, rng: np.random.Generator
) -> Ints:
    """Return selections as they might be if the order made no difference: (shuffles, scores, positions).

    Within each item, scores, shape (selections,), are permuted over the orderings they were given in.
    """
    n, places = orderings.shape[1], np.argsort(orderings, axis=-1)  # the position of each score
    counts = np.zeros((shuffles, n * n), dtype=np.int64)
    by_item = np.argsort(item, kind="stable")
    starts = np.flatnonzero(np.diff(item[by_item], prepend=-1))
    sizes = np.diff(np.append(starts, len(item)))
    for size in np.unique(sizes):
        rows = by_item[starts[sizes == size][:, None] + np.arange(size)]
        scores, orders = score[rows], ordering[rows]
        varied = (scores != scores[:, :1]).any(axis=1)  # the others look the same however permuted
        counts += np.bincount(_cell(scores[~varied], orders[~varied], places), minlength=n * n)
        scores, orders = scores[varied], orders[varied]
        if not len(scores):
            continue
        for row in counts:
            row += np.bincount(_cell(rng.permuted(scores, axis=1), orders, places), minlength=n * n)
    return counts.reshape(shuffles, n, n)


def _cell(score: Ints, ordering: Ints, places: Ints) -> Ints:
    return np.ravel(score * places.shape[1] + places[ordering, score])


def shuffle_p(observed: Floats, shuffled: Floats) -> Floats:
    """Return the share of shuffles, the first axis, at least as large, the observed included; NaN stays."""
    as_large = (shuffled >= observed - TOLERANCE).sum(axis=0)
    return np.where(np.isnan(observed), np.nan, (as_large + 1) / (len(shuffled) + 1))


def correction_weights(selections: Numbers, ordering: Ints) -> Floats:
    """Return the weight of each score given in `ordering`: 1 / (n P(p | s)), shape (scores,).

    p is the position of s. One more selection of each score, spread evenly, keeps the weights finite.
    """
    n = len(ordering)
    padded = selections + 1 / n
    at_place = padded[ordering, np.arange(n)] / padded[ordering].sum(axis=-1)
    weights = np.empty(n)
    weights[ordering] = 1 / (n * at_place)
    return weights


def spread_within(scores: Floats) -> Floats:
    """Return the standard deviation (n - 1) of each item's scores, (items, answers); NaN for one answer."""
    if scores.shape[1] < 2:
        return np.full(len(scores), np.nan)
    return np.asarray(scores.std(axis=1, ddof=1))
