"""Tastes shared in a family, and the judges taken together, by plain loops (MEASURES section 18).

Everything is in the unit of the deciding number: log-odds, votes or points.

Readings:
 1. A placebo's blocks are by family of its judge and of its generator; F counts the families of all judges in
    the model, n the judges. A placebo without an error takes no part.
 2. The rule on fewer than five judges comes first: log-odds have tau_B = .34 whatever the families.
 3. `p_families`: a permutation of the judges' families that leaves none in its place; a family without
    placebos on the answers assigned to it has no value there, and the mean is that of the others; without any
    value it is left out. Exactly the true mean counts as reaching it (within 1e-9).
 4. V of one judge: T, or its own tastes where these are larger; the degrees of freedom follow with V in T's
    place.
 5. Two families or fewer have no t; four are needed for a p.
 6. Conditions are asked in the order of section 18; one that has no answer (None) is met.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from plain.conditional import Estimate, Placebo

ASSUMED = 0.34
FEWEST_JUDGES = 5
FEWEST_FAMILIES = 4
TOLERANCE = 1e-9
FamilyOf = Mapping[str, str]


class Spread(NamedTuple):
    """The variances of tastes between families and within, and what they add to a squared error (T)."""

    between: float | None = None
    within: float | None = None
    added: float | None = None
    df: float = math.inf


class Group(NamedTuple):
    """The judges together: the mean over families with its interval and its two p-values."""

    families: int
    estimate: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_families: float | None = None


def moment(values: Sequence[tuple[float, float]]) -> float:
    """[sum theta^2 / v - m] / sum 1 / v over (theta, v)."""
    return sum(theta**2 / v - 1 for theta, v in values) / sum(1 / v for _theta, v in values)


def blocks(placebos: Sequence[Placebo], family: FamilyOf) -> dict[tuple[str, str], tuple[float, float]]:
    """(family of the judge, of the generator) -> the weighted mean of the placebos, and its variance."""
    means = {}
    for key in {(family[p.judge], family[p.generator]) for p in placebos}:
        here = [p for p in placebos if (family[p.judge], family[p.generator]) == key]
        total = sum(1 / p.se**2 for p in here)
        means[key] = (sum(p.theta / p.se**2 for p in here) / total, 1 / total)
    return means


def spread_of_families(
    placebos: Sequence[Placebo], judges: Sequence[str], family: FamilyOf, odds: bool
) -> Spread:
    """tau_B^2, tau_W^2 and T with its degrees of freedom."""
    n, f = len(judges), len({family[judge] for judge in judges})
    if n < FEWEST_JUDGES:
        if not odds or f < 2:
            return Spread()
        return Spread(ASSUMED**2, 0.0, ASSUMED**2 * (1 + 1 / (f - 1)) ** 2, math.inf)
    known = [p for p in placebos if p.se > TOLERANCE]
    if not known or f < 3:
        return Spread()
    by_block = blocks(known, family)
    m1, m2 = moment([(p.theta, p.se**2) for p in known]), moment(list(by_block.values()))
    k = len(known) / len(by_block)
    most = max(0.0, m1) / (1 - 1 / f) ** 2
    within, between = 0.0, most
    if k > 1.01:
        within = max(0.0, (m1 - m2) / (1 - 1 / k) / (1 - 1 / n) ** 2)
        between = max(0.0, (m2 - max(m1 - m2, 0.0) / (k - 1)) / (1 - 1 / f) ** 2)
        between = min(between, most)
    added = between * (1 + 1 / (f - 1)) ** 2 + within * (1 + 1 / (n - 1)) ** 2
    if f < 6:
        added *= f / (f - 2)
    return Spread(between, within, added, max((f - 1) ** 2 - f, 1))


def variance_of_judge(own: Sequence[Placebo], spread: Spread, n: int) -> float | None:
    """V of section 16: T, or the judge's own tastes pooled with all judges' where larger."""
    if spread.added is None or spread.between is None or spread.within is None:
        return None
    common = spread.between + spread.within
    own = [p for p in own if p.se > TOLERANCE]
    alone = 0.0
    if own:
        alone = max(0.0, moment([(p.theta, p.se**2) for p in own])) / (1 - 1 / n) ** 2
    pooled = (len(own) * alone + 5 * common) / (len(own) + 5)
    return max(spread.added, pooled * (1 + 1 / (n - 1)) ** 2)


def df_with(se: float, df: float, variance: float, df_variance: float) -> float:
    """Satterthwaite's degrees of freedom of se^2 + V."""
    if variance == 0:
        return df
    return (se**2 + variance) ** 2 / (se**4 / df + variance**2 / df_variance)


def p_with_tastes(estimate: Estimate, variance: float | None, df_variance: float) -> float | None:
    """Two-sided p of a number whose squared error is se^2 + V."""
    if estimate.value is None or estimate.se is None or variance is None:
        return None
    df = df_with(estimate.se, estimate.df, variance, df_variance)
    return float(2 * stats.t.sf(abs(estimate.value) / math.sqrt(estimate.se**2 + variance), df))


def means_of_families(
    numbers: Mapping[str, Estimate], family: FamilyOf, added: float | None
) -> dict[str, float]:
    """theta_F: the mean over a family's judges, weighted by 1 / (se^2 + T)."""
    sums: dict[str, tuple[float, float]] = {}
    for judge, number in numbers.items():
        if number.value is not None and number.se:
            weight = 1 / (number.se**2 + (added or 0.0))
            total, top = sums.get(family[judge], (0.0, 0.0))
            sums[family[judge]] = total + weight, top + weight * number.value
    return {name: top / total for name, (total, top) in sums.items()}


def together(
    numbers: Mapping[str, Estimate], family: FamilyOf, placebos: Sequence[Placebo], spread: Spread
) -> Group:
    """The group's row."""
    means = means_of_families(numbers, family, spread.added)
    f = len(means)
    if not means:
        return Group(0, None)
    estimate = sum(means.values()) / f
    if f < FEWEST_FAMILIES:
        return Group(f, estimate)
    se = math.sqrt(sum((value - estimate) ** 2 for value in means.values()) / (f - 1) / f)
    reach = float(stats.t.ppf(0.975, f - 1)) * se
    p = float(2 * stats.t.sf(abs(estimate) / se, f - 1)) if se > 0 else None
    share = p_families(means, blocks([p for p in placebos if p.se > TOLERANCE], family))
    return Group(f, estimate, estimate - reach, estimate + reach, p, share)


def p_families(
    means: Mapping[str, float], by_block: Mapping[tuple[str, str], tuple[float, float]]
) -> float | None:
    """The share of derangements of the families whose mean lies as far as the true one, on its side.

    All of them are looked at, so this is for few families; None where no derangement has a block.
    """
    names, true = sorted(means), sum(means.values()) / len(means)
    side, hits, count = (1 if true >= 0 else -1), 0, 0
    for order in permutations(names):
        if any(one == two for one, two in zip(names, order, strict=True)):
            continue
        pairs = [pair for pair in zip(names, order, strict=True) if pair in by_block]
        if not pairs:
            continue
        mean = sum(by_block[pair][0] for pair in pairs) / len(pairs)
        count += 1
        hits += side * mean >= side * true - TOLERANCE
    return hits / count if count else None


def p_families_drawn(
    means: Mapping[str, float],
    by_block: Mapping[tuple[str, str], tuple[float, float]],
    draws: int = 10_000,
    seed: int = 0,
) -> float | None:
    """The same by drawing permutations and keeping those that leave nobody in place."""
    names, true = sorted(means), sum(means.values()) / len(means)
    side = 1 if true >= 0 else -1
    table = np.array([[by_block.get((one, two), (math.nan,))[0] for two in names] for one in names])
    generator, places, values = np.random.default_rng(seed), np.arange(len(names)), []
    for _try in range(100 * draws):
        order = generator.permutation(len(names))
        if (order != places).all():
            of_pairs = table[places, order]
            values += [side * float(np.nanmean(of_pairs))] if (~np.isnan(of_pairs)).any() else []
        if len(values) == draws:
            break
    return sum(value >= side * true - TOLERANCE for value in values) / len(values) if values else None


def conclusion_on_group(
    group: Group, checks: Mapping[str, Any], family: bool = False
) -> tuple[str, str | None]:
    """The code and the reason.

    `checks`: what is left of the estimate after `discernment`, the t test's p with `missing_verdicts` turned,
    the shares left on the `same_items` (a list: unweighted and with equal weights), and after `shared_taste`.
    """
    whom = "their_families" if family else "themselves"
    if group.families < FEWEST_FAMILIES:
        return "too_few_families", None
    if group.p_families is None:
        return "not_shown", "no_placebos"
    if group.p is None or group.p >= 0.05:
        return "not_shown", "t_test"
    if group.p_families >= 0.05:
        return "not_shown", "permutation"
    if left(checks, "discernment") < 2 / 3:
        return "not_shown", "discernment"
    filled = checks.get("missing_verdicts")
    if filled is not None and filled >= 0.05:
        return "not_shown", "missing_verdicts"
    up = (group.estimate or 0.0) > 0
    same = [share for share in checks.get("same_items") or () if share is not None]
    if any(share < 1 / 3 for share in same):
        return f"judges_{'overrate' if up else 'underrate'}_{whom}", "same_items"
    if left(checks, "shared_taste") < 2 / 3:
        return f"judges_{'overrate' if up else 'underrate'}_{whom}", "shared_taste"
    return f"judges_{'favour' if up else 'disfavour'}_{whom}", None


def left(checks: Mapping[str, Any], name: str) -> float:
    """The share of the estimate that is left; all of it where it was not asked."""
    share = checks.get(name)
    return 1.0 if share is None else float(share)
