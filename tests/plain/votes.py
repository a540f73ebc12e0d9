"""Whom each judge votes for, and Bradley and Terry's strengths, by plain loops and a general optimiser.

Readings:
 1. Votes are resolved pairs (section 4) of a judge, of all generators shown, the judge's own among them; a
    tie is half a vote for either.
 2. P(i over j) = 1 / (1 + exp(t_j - t_i)); the likelihood also has half a vote each way against a model of
    strength 0, so that who won or lost all its votes has a strength. A model without a vote has none.
 3. Rank 1 is the greatest strength, equal ones (within 1e-9) share the mean place.
"""

import math
from typing import Any

from scipy.optimize import minimize

from plain.asking import models, named
from plain.corrected import ranks
from plain.opinions import votes as resolved
from plain.outside import question
from plain.study import PlainStudy

Fields = dict[str, Any]


def votes(study: PlainStudy, **options: Any) -> list[Fields]:
    """A row for each shown judge and each generator that it voted on."""
    query = question(study, **{**options, "paradigm": "pairwise"})
    outcomes, _lost = resolved(query)
    rows = []
    for judge in models(query):
        if not named(options.get("judges"), judge):
            continue
        mine: dict[tuple[str, str], float] = {}
        for vote in outcomes:
            if vote.judge == judge:
                pair = vote.target, vote.other
                mine[pair] = mine.get(pair, 0.0) + vote.value
        generators = [model for model in models(query) if any(target == model for target, _other in mine)]
        if not generators:
            continue
        strength = strengths(generators, mine)
        places = ranks(strength)
        for generator in generators:
            seen = [vote.value for vote in outcomes if vote.judge == judge and vote.target == generator]
            rows.append(
                {
                    "judge": judge,
                    "generator": generator,
                    "win_rate": sum(seen) / len(seen),
                    "strength": strength[generator],
                    "rank": places[generator],
                    "n": len(seen),
                }
            )
    return rows


def strengths(generators: list[str], won: dict[tuple[str, str], float]) -> dict[str, float]:
    """The strengths that make the votes likeliest."""
    place = {generator: n for n, generator in enumerate(generators)}

    def surprise(theta: Any) -> float:
        total = 0.0
        for (one, other), times in won.items():
            total += times * math.log1p(math.exp(theta[place[other]] - theta[place[one]]))
        return total + sum(0.5 * (math.log1p(math.exp(-t)) + math.log1p(math.exp(t))) for t in theta)

    def slope(theta: Any) -> list[float]:
        gradient = [1 / (1 + math.exp(-t)) - 0.5 for t in theta]
        for (one, other), times in won.items():
            lost = 1 / (1 + math.exp(theta[place[one]] - theta[place[other]]))
            gradient[place[one]] -= times * lost
            gradient[place[other]] += times * lost
        return gradient

    best = minimize(surprise, [0.0] * len(generators), jac=slope, method="BFGS", options={"gtol": 1e-10}).x
    return {generator: float(best[n]) for generator, n in place.items()}
