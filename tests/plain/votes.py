"""Whom each judge votes for, and Bradley-Terry strengths, by plain loops and a general optimiser.

Readings:
 1. Votes are resolved pairs (section 4) of a judge, of all generators shown, the judge's own among them; a
    tie is half a vote for either.
 2. P(i over j) = 1 / (1 + exp(t_j - t_i)); the likelihood also has half a vote each way against a model of
    strength 0, so that who won or lost all its votes has a strength. A model without a vote has none.
 3. Rank 1 is the greatest strength, equal ones (within 1e-9) share the mean place.
 4. A judge none of whose pairs, over the whole study in this variant, has an outcome by both orders votes by
    single ones: by the one order that says something, or where none does by the one whose order is not known.
"""

import math
from typing import Any

from scipy.optimize import minimize

from plain.asking import DEFAULTS, Query, models, named
from plain.corrected import ranks
from plain.judged import Pair, all_pairs, outcome_of, speaks
from plain.opinions import Vote
from plain.outside import question
from plain.pairs import UNKNOWN, outcome
from plain.study import PlainStudy

Fields = dict[str, Any]


def votes(study: PlainStudy, **options: Any) -> list[Fields]:
    """A row for each shown judge and each generator that it voted on."""
    query = question(study, **{**options, "paradigm": "pairwise"})
    outcomes = cast_votes(query)
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


def cast_votes(query: Query) -> list[Vote]:
    """The outcome of every counted pair, seen from either response."""
    single = of_one_order(query)
    outcomes = []
    for pair in all_pairs(query):
        value = single_outcome(pair) if pair.judge in single else outcome_of(pair)
        if value is not None:
            for target, other in ((pair.one, pair.two), (pair.two, pair.one)):
                share = (1 + pair.turned_to(target) * value) / 2
                outcomes.append(Vote(pair.judge, pair.instance_id, target, other, share))
    return outcomes


def of_one_order(query: Query) -> set[str]:
    """The judges with pairs but no outcome over both orders, whatever the filters."""
    of_everything = ("paradigm", "variant", "transform", "run", "ordering", "repeats", "level")
    whole = Query(query.study, {**DEFAULTS, **{name: query.options[name] for name in of_everything}})
    pairs = all_pairs(whole)
    return {pair.judge for pair in pairs} - {pair.judge for pair in pairs if outcome_of(pair) is not None}


def single_outcome(pair: Pair) -> int | None:
    """The outcome of the only order with an answer; without one, that of an unknown order."""
    known = [pair.orders[shown] for shown in (pair.one, pair.two) if shown in pair.orders]
    heard = [order for order in known if speaks(order)]
    unknown = pair.orders.get((UNKNOWN,))
    if not heard and speaks(unknown):
        heard = [unknown]
    return outcome([heard[0]]) if len(heard) == 1 and heard[0] is not None else None


def strengths(generators: list[str], won: dict[tuple[str, str], float]) -> dict[str, float]:
    """The maximum-likelihood strengths of the votes."""
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
