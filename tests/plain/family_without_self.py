"""Families of judges that do not score themselves, by plain loops (MEASURES section 20).

Readings:
 1. Scores: ordinary least squares with one dummy for each response, each judge and each family; a judge's own
    scores take no part. The variance by clusters of judges, plus by instances, less by both, each with m / (m
    - 1).
 2. `bonus_outside_family`: `bonus_outside` with the mean over F_J of the mean over instances in the place of
    the judge's own. `vote_outside_family`: as `vote_outside`, over the pairs of F_J with models outside
    fam(J), pooled. Errors by deleting one instance.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from plain.asking import mean
from plain.conditional import Estimate, Relations
from plain.opinions import Scores, Vote
from plain.tastes import delete_one


class Effect(NamedTuple):
    """The effect of a family, its error, and how many scores, judges and instances it rests on."""

    value: float
    se: float
    cells: int
    judges: int
    instances: int


def effects_of_families(scores: Scores, family: Mapping[str, str]) -> dict[str, Effect]:
    """Family -> its effect, in the unit of the scores."""
    cells = [(j, x, g, value) for (j, x, g), value in scores.items() if j != g]
    names = sorted({family[j] for j, _x, g, _value in cells if family[j] == family[g]})
    columns = [
        *(("response", key) for key in sorted({(x, g) for _j, x, g, _value in cells})),
        *(("judge", key) for key in sorted({j for j, _x, _g, _value in cells})),
        *(("family", key) for key in names),
    ]
    place = {column: n for n, column in enumerate(columns)}
    design = np.zeros((len(cells), len(columns)))
    for row, (j, x, g, _value) in enumerate(cells):
        design[row, place["response", (x, g)]] = 1
        design[row, place["judge", j]] = 1
        if family[j] == family[g]:
            design[row, place["family", family[j]]] = 1
    outcome = np.array([value for *_key, value in cells])
    inverse = np.linalg.pinv(design.T @ design)
    values = inverse @ design.T @ outcome
    scored = design * (outcome - design @ values)[:, None]

    def meat(key_of: object) -> np.ndarray:
        sums: dict[object, np.ndarray] = {}
        for row, cell in enumerate(cells):
            key = key_of(cell)  # type: ignore[operator]
            sums[key] = sums.get(key, 0) + scored[row]
        m = len(sums)
        return sum(np.outer(one, one) for one in sums.values()) * m / (m - 1)

    total = meat(lambda c: c[0]) + meat(lambda c: c[1]) - meat(lambda c: c[:2])
    variance = inverse @ total @ inverse
    effects = {}
    for name in names:
        mine = [c for c in cells if family[c[0]] == family[c[2]] == name]
        n = place["family", name]
        square = float(variance[n, n])
        effects[name] = Effect(
            float(values[n]),
            float(np.sqrt(square)) if square > 0 else float("nan"),
            len(mine),
            len({c[0] for c in mine}),
            len({c[1] for c in mine}),
        )
    return effects


def bonus_outside_family(scores: Scores, relations: Relations, judge: str) -> Estimate:
    """Points of 100."""
    judges = {j for j, _x, _g in scores}

    def gaps(generator: str) -> dict[str, float]:
        values = {}
        for (j, x, g), score in scores.items():
            if (j, g) == (judge, generator):
                others = [
                    scores[b, x, g]
                    for b in judges
                    if (b, x, g) in scores and relations[judge, b] == "other" and relations[b, g] == "other"
                ]
                if others:
                    values[x] = score - sum(others) / len(others)
        return values

    generators = sorted({g for _j, _x, g in scores})
    near = [gaps(g) for g in generators if relations[judge, g] == "family"]
    far = [gaps(g) for g in generators if relations[judge, g] == "other"]

    def statistic(without: str | None) -> float | None:
        parts = []
        for group in (near, far):
            means = [mean([gap for x, gap in one.items() if x != without]) for one in group]
            parts.append(mean([value for value in means if value is not None]))
        return None if None in parts else 100 * (parts[0] - parts[1])  # type: ignore[operator]

    return delete_one(statistic, {x for one in near + far for x in one}, {x for one in near for x in one})


def vote_outside_family(votes: list[Vote], relations: Relations, judge: str) -> Estimate:
    """The mean of v_J - the outside judges' mean vote, over its relatives' pairs."""
    gaps: dict[str, list[float]] = {}
    of_pair: dict[tuple[str, str, str], list[Vote]] = {}
    for vote in votes:
        of_pair.setdefault((vote.instance_id, vote.target, vote.other), []).append(vote)
    for vote in votes:
        j, x, target, other, value = vote
        if j != judge or relations[judge, target] != "family" or relations[judge, other] != "other":
            continue
        others = [
            one.value
            for one in of_pair[x, target, other]
            if relations[judge, one.judge] == relations[one.judge, other] == "other"
        ]
        if others:
            gaps.setdefault(x, []).append(value - sum(others) / len(others))

    def statistic(without: str | None) -> float | None:
        return mean([gap for x, values in gaps.items() if x != without for gap in values])

    return delete_one(statistic, gaps, gaps)
