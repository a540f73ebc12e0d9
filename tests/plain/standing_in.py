"""The alternative annotator test by plain loops, one item an instance or several (MEASURES section 20).

Readings:
 1. An item counts for a person that labelled it beside at least one other person, and the judge.
 2. Items of one instance hang together: se^2 = n / (n - 1) times the sum over the n instances of (sum of d -
    mean d times their number)^2, over the number of items squared: of one item an instance this is s^2 / n.
"""

import math
from collections.abc import Mapping

from scipy import stats

Labels = Mapping[str, Mapping[str, float]]
"""Person -> item -> label."""


def wins(judge: Mapping[str, float], people: Labels, person: str, scores: bool) -> dict[str, tuple[int, int]]:
    """Item -> whether the judge wins, and whether the person does."""
    by_item = {}
    for item, own in people[person].items():
        others = [labels[item] for name, labels in people.items() if name != person and item in labels]
        if item not in judge or not others:
            continue
        pair = [
            -math.sqrt(sum((x - other) ** 2 for other in others) / len(others))
            if scores
            else sum(x == other for other in others) / len(others)
            for x in (judge[item], own)
        ]
        by_item[item] = (int(pair[0] >= pair[1] - 1e-12), int(pair[1] >= pair[0] - 1e-12))
    return by_item


def standing_in(
    judge: Mapping[str, float],
    people: Labels,
    epsilon: float,
    instance: Mapping[str, str],
    scores: bool = False,
    fewest: int = 30,
) -> tuple[float, float, list[float]] | None:
    """The winning rate, the mean advantage probability, and the p of every person."""
    ps, advantages = [], []
    for person in people:
        outcomes = wins(judge, people, person, scores)
        groups: dict[str, list[int]] = {}
        for item, (of_judge, of_person) in outcomes.items():
            groups.setdefault(instance[item], []).append(of_person - of_judge)
        if len(groups) < fewest:
            continue
        items, n = len(outcomes), len(groups)
        mean = sum(sum(ds) for ds in groups.values()) / items
        squares = sum((sum(ds) - mean * len(ds)) ** 2 for ds in groups.values())
        se = math.sqrt(n / (n - 1) * squares) / items
        p = float(stats.t.cdf((mean - epsilon) / se, n - 1)) if se > 0 else float(mean >= epsilon)
        ps.append(p)
        advantages.append(sum(of_judge for of_judge, _ in outcomes.values()) / items)
    if len(ps) < 3:
        return None
    m = len(ps)
    harmonic = sum(1 / k for k in range(1, m + 1))
    passed = 0
    for rank, p in enumerate(sorted(ps), start=1):
        if p <= 0.05 * rank / (m * harmonic):
            passed = rank
    return passed / m, sum(advantages) / m, ps
