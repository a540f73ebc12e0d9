"""How far a judge's system scores are from the reference's (MEASURES section 8)."""

from itertools import combinations

from plain.asking import Query, mean, models, relation
from plain.ratios import Fields
from plain.scores import Scored, clipped, sign


def system_score(query: Query, values: list[float]) -> float:
    """Score(G): the mean over instances, clipped here where `weighted_mean_clipped` says so."""
    value = sum(values) / len(values)
    return clipped(value) if query.scores == "weighted_mean_clipped" else value


def delta_rows(query: Query, judge: str, mine: list[Scored]) -> list[Fields]:
    """The rows of one judge by generator; its own (or the one without generator) has more fields."""
    present = {one.generator for one in mine}
    generators = [model for model in models(query) if model in present]
    raw = {}
    for generator in generators:
        scores = [one for one in mine if one.generator == generator]
        judged = system_score(query, [one.score for one in scores])
        raw[generator] = judged - system_score(query, [one.true_score for one in scores])
    leniency = sum(raw.values()) / len(raw)
    deltas = {generator: 100 * (raw[generator] - leniency) for generator in generators}
    rows = []
    for generator in generators:
        n = sum(one.generator == generator for one in mine)
        row = {"judge": judge, "generator": generator, "delta": deltas[generator]}
        rows.append({**row, "raw_delta": raw[generator], "n": n})
    outside = mean([raw[each] for each in generators if relation(query, judge, each) == "other"])
    summary = {"leniency": leniency, "leniency_outside": outside}
    summary |= {**bonuses(query, judge, deltas), **ranks(query, judge, generators, mine)}
    if judge not in deltas:
        rows.append({"judge": judge, "generator": None, "delta": None, "raw_delta": None, "n": 0})
    for row in rows:
        if row["generator"] in (judge, None):
            row |= summary
    return rows


def bonuses(query: Query, judge: str, deltas: dict[str, float]) -> Fields:
    """How much more the judge gives itself, and its family, than it gives unrelated generators."""
    groups: dict[str, list[float]] = {"self": [], "family": [], "other": []}
    for generator, value in deltas.items():
        groups[relation(query, judge, generator)].append(value)
    own, family, others = mean(groups["self"]), mean(groups["family"]), mean(groups["other"])
    return {
        "bonus": None if own is None or others is None else own - others,
        "family_bonus": None if family is None or others is None else family - others,
    }


def ranks(query: Query, judge: str, generators: list[str], mine: list[Scored]) -> Fields:
    """rank_shift and pair_order, on the instances with a score for every generator compared."""
    by_instance: dict[str, dict[str, Scored]] = {}
    for one in mine:
        by_instance.setdefault(one.instance_id, {})[one.generator] = one
    complete = [scores for scores in by_instance.values() if len(scores) == len(generators)]
    if not complete or len(generators) < 2:
        return {"rank_shift": None, "pair_order": None}
    judged = {g: system_score(query, [scores[g].score for scores in complete]) for g in generators}
    true = {g: system_score(query, [scores[g].true_score for scores in complete]) for g in generators}
    same = pairs = 0
    for one, two in combinations(generators, 2):
        pairs += 1
        same += sign(judged[one] - judged[two]) == sign(true[one] - true[two])
    shift = average_rank(judged, judge) - average_rank(true, judge) if judge in judged else None
    return {"rank_shift": shift, "pair_order": same / pairs}


def average_rank(scores: dict[str, float], model: str) -> float:
    """1 for the highest score; equal scores share the mean of their ranks."""
    higher = sum(sign(other - scores[model]) == 1 for other in scores.values())
    equal = sum(sign(other - scores[model]) == 0 for other in scores.values())
    return higher + (equal + 1) / 2
