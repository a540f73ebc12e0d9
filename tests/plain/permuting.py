"""Many orderings once against one ordering many times, by plain loops (MEASURES section 12).

Readings beside those of `orders`:

 1. `permutation`: a judge has an arm where at least one item is complete in it; without either it has no row.
    `incomplete` counts the items with a row in an arm that the judge has (or in any, where it has none)
    that are not complete in all the arms it has.
 2. The corrected arm: the mean of an item's repeats of 1..n, each weighted by 1 / (n P(p | s)), p being where
    the score s that it gave stands in 1..n. P(p | s) is that of `position` with one selection more of each
    score, spread evenly over the positions, so that no weight is infinite. It needs both arms.
"""

import math
from itertools import pairwise
from typing import Any

from plain.asking import Query, mean
from plain.orders import (
    Answer,
    Fields,
    Item,
    Ordering,
    Result,
    answers,
    ask_options,
    balanced,
    by_judge_and_scale,
    human_scores,
    pearson,
    sliced,
    spearman,
    write_ordering,
)
from plain.study import PlainStudy


def permutation(study: PlainStudy, by: str | None = None, **options: Any) -> Result:
    """Section 12: 2n orderings once against one ordering 2n times."""
    query = ask_options(study, options)
    human = human_scores(query)
    rows: list[Fields] = []
    for value, part in sliced(query, by, answers(query, repeat_arm=True)):
        for judge, scale, mine in by_judge_and_scale(query, part):
            row = permutation_row(query, judge, scale, mine, human)
            if row is not None:
                rows.append({"slice": value, **row} if by else row)
    return rows, query.left_out


def permutation_row(
    query: Query, judge: str, scale: Ordering, mine: list[Answer], human: dict[Item, float]
) -> Fields | None:
    """One judge's row; None if it has neither arm."""
    number = len(balanced(scale))
    arms: dict[str, dict[Item, list[Answer]]] = {"permutation": {}, "repeat": {}}
    for one in mine:
        if one.trial == 0:
            arms["permutation"].setdefault(one.item, []).append(one)
        if one.ordering == scale:
            arms["repeat"].setdefault(one.item, []).append(one)
    complete = {name: {item for item, a in arm.items() if len(a) == number} for name, arm in arms.items()}
    has = [name for name in arms if complete[name]]
    items = set.intersection(*(complete[name] for name in has)) if has else set()
    any_arm = set().union(*(arms[name] for name in has or arms))
    query.left_out["incomplete"] += len(any_arm - items)
    if not has:
        return None
    scored = [item for item in human if item in items]
    row: Fields = {"judge": judge, "n_options": len(scale), "scale": write_ordering(scale)}
    row |= {"n_items": len(items), "n_scored": len(scored)}
    means: dict[str, dict[Item, float] | None] = {
        name: {item: sum(a.score for a in arms[name][item]) / number for item in items}
        if name in has
        else None
        for name in arms
    }
    means["corrected"] = corrected(scale, mine, arms["repeat"], items) if len(has) == 2 else None
    for name, by_item in means.items():
        pairs = [(by_item[item], human[item]) for item in scored] if by_item is not None else []
        row[f"pearson_{name}"], row[f"spearman_{name}"] = pearson(pairs), spearman(pairs)
    for name in arms:
        spreads = [spread([a.score for a in arms[name][item]]) for item in items] if name in has else []
        row[f"sd_{name}"] = mean([s for s in spreads if s is not None])
    for kind in ("pearson", "spearman"):
        for field, arm in (("delta", "permutation"), ("delta_corrected", "corrected")):
            a, b = row[f"{kind}_{arm}"], row[f"{kind}_repeat"]
            row[f"{kind}_{field}"] = None if a is None or b is None else a - b
    return row


def spread(scores: list[float]) -> float | None:
    """The standard deviation with n - 1; None of fewer than two."""
    if len(scores) < 2:
        return None
    middle = sum(scores) / len(scores)
    return math.sqrt(sum((score - middle) ** 2 for score in scores) / (len(scores) - 1))


def corrected(
    scale: Ordering, mine: list[Answer], repeats: dict[Item, list[Answer]], items: set[Item]
) -> dict[Item, float]:
    """The weighted mean of each item's repeats (reading 8)."""
    size = len(scale)
    selections = [one for one in mine if one.trial == 0 and one.chosen is not None]
    weight = {}
    for place, score in enumerate(scale, start=1):
        chosen = [one for one in selections if one.chosen == score]
        at_place = sum(one.position == place for one in chosen)
        weight[score] = 1 / (size * (at_place + 1 / size) / (len(chosen) + 1))
    means = {}
    for item in items:
        weighted = [(nearest(scale, a.score, weight), a.score) for a in repeats[item]]
        means[item] = sum(w * score for w, score in weighted) / sum(w for w, _ in weighted)
    return means


def nearest(scale: Ordering, score: float, weight: dict[float, float]) -> float:
    """The weight of a score; of a mean between two options (runs merged), the one interpolated."""
    for low, high in pairwise(scale):
        if low <= score <= high:
            part = (score - low) / (high - low)
            return weight[low] + part * (weight[high] - weight[low])
    return weight[score]
