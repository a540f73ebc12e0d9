"""The part of a judge's number explained by its discernment, by plain loops (docs/claims.md, "discerned").

A judge that sees less of what distinguishes responses than others do is less favourable than they are to what
convinces them, and more favourable to what they see through. Its placebos show how much: they fall with
how appealing a generator is to other judges.

Readings:
 1. Appeal of G to J: how favourable the judges of neither J's nor G's family are to G's counted cells,
    pooled; of verdicts the log-odds with half a verdict added on either side, of scores their mean in points,
    of votes the mean vote on the pairs that count, the opponent outside the voting judge's family.
 2. Slope: weighted least squares of J's placebos (those with an se) on appeal, with an intercept; weights 1 /
    (se^2 + tau^2), tau 0 where there is none; a normal slope of mean 0 and spread .5 is taken beforehand.
    The intercept is free, so the slope is taken about the weighted mean of appeal.
 3. Discerned = number - slope (own appeal - that mean), se^2 plus (own appeal - that mean)^2 times the
    slope's variance; degrees of freedom are the number's own. Of relatives: the mean of their appeals.
 4. Without a placebo the slope is that taken beforehand, 0 with spread .5, and the mean appeal is the plain
    one of other families' generators. None without an own appeal, or without any of others.
"""

import math
from collections.abc import Mapping, Sequence

from plain.conditional import Estimate, Placebo

SLOPES = 0.5
Appeal = Mapping[tuple[str, str], float]
"""By judge and generator."""


def discerned(
    number: Estimate,
    placebos: Sequence[Placebo],
    appeal: Appeal,
    own: Sequence[str],
    others: Sequence[str],
    judge: str,
    tau: float,
) -> Estimate:
    """A judge's number less the part explained by its discernment."""
    known = [p for p in placebos if p.judge == judge and p.se > 0 and (judge, p.generator) in appeal]
    mine = [appeal[judge, generator] for generator in own if (judge, generator) in appeal]
    theirs = [appeal[judge, generator] for generator in others if (judge, generator) in appeal]
    if number.value is None or number.se is None or not mine or not theirs:
        return Estimate(None)
    weights = [1 / (p.se**2 + tau**2) for p in known]
    at = [appeal[judge, p.generator] for p in known]
    centre = sum(theirs) / len(theirs)
    if known:
        centre = sum(w * a for w, a in zip(weights, at, strict=True)) / sum(weights)
    precision = 1 / SLOPES**2 + sum(w * (a - centre) ** 2 for w, a in zip(weights, at, strict=True))
    slope = 0.0
    for weight, a, placebo in zip(weights, at, known, strict=True):
        slope += weight * (a - centre) * placebo.theta / precision
    gap = sum(mine) / len(mine) - centre
    return Estimate(
        number.value - slope * gap, math.sqrt(number.se**2 + gap**2 / precision), number.df, number.reason
    )


def pooled(
    given: Mapping[tuple[str, str], Sequence[float]], relations: Mapping[tuple[str, str], str]
) -> dict[tuple[str, str], list[float]]:
    """(judge, generator) -> all values that judges of neither family gave the generator."""
    judges = {judge for judge, _generator in given}
    generators = {generator for _judge, generator in given}
    pool: dict[tuple[str, str], list[float]] = {}
    for judge in judges:
        for generator in generators:
            for other in judges:
                if relations[judge, other] == relations[other, generator] == "other":
                    pool.setdefault((judge, generator), []).extend(given.get((other, generator), ()))
    return {key: values for key, values in pool.items() if values}


def in_log_odds(values: Sequence[float]) -> float:
    """The log-odds of marks, half a one added on either side."""
    credited = sum(values)
    return math.log((credited + 0.5) / (len(values) - credited + 0.5))
