"""Discriminability, archetypes and mitigation by plain loops (MEASURES section 9; readings go on).

7. mitigation takes the pairs that count under both variants; draws are among these.
8. The cost of a verdict: all that the judge's rows of the variant cost, by the number of answers that are ok
   (an order of a pair; pointwise: a response with all five scores).
"""

from typing import Any

from plain.asking import Query, ask, is_shown, models, named, rows_asked
from plain.equal_quality import (
    DEFAULTS,
    TOLERANCE,
    Quality,
    Rules,
    binomial_tail,
    chosen_pairs,
    minus,
    quality_of,
    quality_rows,
    rating,
    sets_of,
    share_firm,
    stored_pairs,
)
from plain.filters import instance_is_kept
from plain.judged import CONTRAST, Pair, all_pairs, key, outcome_of, preferred_variant, single_answer, speaks
from plain.pairs import RESOLVED, Order
from plain.scores import sign
from plain.study import PlainStudy


def discriminability(study: PlainStudy, rules: Rules = DEFAULTS, **options: Any) -> dict[str, dict[str, Any]]:
    """The rows of `discriminability` by judge."""
    options.setdefault("variant", preferred_variant(study, "forced", "default"))
    query = ask(study, **{**options, "paradigm": "pairwise"})
    quality = quality_of(query, rules)
    pairs = all_pairs(query)
    rows = {}
    for judge in models(query):
        answers = contrast_answers(query, rules, quality, judge, pairs)
        row = discriminability_row(answers)
        if row["n"]:
            rows[judge] = row
    return rows


def discriminability_row(answers: list[bool | None]) -> dict[str, Any]:
    """D of answers; None marks those that are not ok."""
    ok = [right for right in answers if right is not None]
    correct, n = sum(ok), len(ok)
    p = binomial_tail(correct, n, 0.5) if n else None
    return {"d": correct / n if n else None, "correct": correct, "n": n, "p": p}


def contrast_answers(
    query: Query, rules: Rules, quality: Quality, judge: str, pairs: list[Pair]
) -> list[bool | None]:
    """Whether the judge found the better response, in each contrast pair drawn."""
    stored = stored_pairs(query, "contrast", judge)
    candidates = []
    for pair in pairs:
        if pair.judge != judge or judge in (pair.one, pair.two):
            continue
        x = pair.instance_id
        if stored is not None and not {(x, pair.one, pair.two), (x, pair.two, pair.one)} & stored:
            continue
        one, two = (quality.get((judge, x, model)) for model in (pair.one, pair.two))
        if one is None or two is None or abs(one - two) < rules.gap - TOLERANCE:
            continue
        candidates.append((pair, 1 if one > two else -1))
    if stored is None:
        candidates.sort(
            key=lambda c: key(query, rules.seed, CONTRAST, judge, c[0].instance_id, c[0].one, c[0].two)
        )
        candidates = candidates[: rules.contrast_pairs]
    answers = [(single_answer(query, pair, rules.seed), better) for pair, better in candidates]
    return [None if answer is None else answer == better for answer, better in answers]


def archetype(d: float | None, spb: float | None) -> str | None:
    """The archetype of a judge."""
    if d is None:
        return None
    if d < 0.80 - TOLERANCE:
        return "Incompetent Randomizer"
    if spb is None:
        return None
    if abs(spb) <= 0.05 + TOLERANCE:
        return "Objective"
    return "Machiavellian" if spb > 0 else "Blindly Biased"


def mitigation(
    study: PlainStudy, variant: str, rules: Rules = DEFAULTS, **options: Any
) -> dict[str, dict[str, Any]]:
    """The rows of one variant by judge."""
    baseline = preferred_variant(study, "forced", "default")
    before = ask(study, **{**options, "paradigm": "pairwise", "variant": baseline})
    quality = quality_of(before, rules)
    first = all_pairs(before)
    second = (
        pointwise_pairs(before, first)
        if variant == "pointwise"
        else all_pairs(ask(study, **{**options, "paradigm": "pairwise", "variant": variant}))
    )
    costs = [costs_of_verdicts(before, name, pairs) for name, pairs in ((baseline, first), (variant, second))]
    rows = {}
    for judge in models(before):
        mine = [[pair for pair in pairs if pair.judge == judge] for pairs in (first, second)]
        rows[judge] = mitigation_row(before, rules, quality, judge, *mine)
        rows[judge]["cost_ratio"] = divided(costs[1].get(judge), costs[0].get(judge))
    return {judge: row for judge, row in rows.items() if row["n_pairs"] or row["n_null_pairs"] or row["n"]}


def pointwise_pairs(query: Query, like: list[Pair]) -> list[Pair]:
    """The same pairs, decided by the judge's own scores of the two responses."""
    pairs = []
    for pair in like:
        one, two = (rating(query, pair.judge, pair.instance_id, model) for model in (pair.one, pair.two))
        if one is not None and two is not None:
            orders = {(RESOLVED,): Order(sign(one - two), None, None)}
            pairs.append(pair._replace(orders=orders))
    return pairs


def mitigation_row(
    query: Query, rules: Rules, quality: Quality, judge: str, first: list[Pair], second: list[Pair]
) -> dict[str, Any]:
    """The change in one judge's SPB and D."""
    shared = {p[:4] for p in first if outcome_of(p) is not None}
    shared &= {p[:4] for p in second if outcome_of(p) is not None}
    sets = [
        sets_of(query, rules, quality, judge, chosen_pairs([p for p in pairs if p[:4] in shared]))
        for pairs in (first, second)
    ]
    spbs = [minus(share_firm(s.own), share_firm(s.null)) for s in sets]
    reduction = None if None in spbs else abs(spbs[0]) - abs(spbs[1])  # type: ignore[arg-type]
    answered = [
        {p[:4] for p in pairs if single_answer(query, p, rules.seed) is not None} for pairs in (first, second)
    ]
    both = answered[0] & answered[1]
    ds = []
    for pairs in (first, second):
        answered_in_both = [p for p in pairs if p[:4] in both]
        ds.append(discriminability_row(contrast_answers(query, rules, quality, judge, answered_in_both)))
    firm = [{c.pair[:4]: c.firm == 1 for c in s.own} for s in sets]
    gained = sum(firm[1][place] and not firm[0][place] for place in firm[0])
    lost = sum(firm[0][place] and not firm[1][place] for place in firm[0])
    return {
        "spb_baseline": spbs[0],
        "spb": spbs[1],
        "reduction": reduction,
        "eta": None if reduction is None or spbs[0] == 0 else reduction / abs(spbs[0]),  # type: ignore[arg-type]
        "d": ds[1]["d"],
        "d_change": minus(ds[1]["d"], ds[0]["d"]),
        "n_pairs": len(sets[0].own),
        "n_null_pairs": len(sets[0].null),
        "n": ds[1]["n"],
        "firm_gained": gained,
        "firm_lost": lost,
    }


def costs_of_verdicts(query: Query, variant: str, pairs: list[Pair]) -> dict[str, float]:
    """The mean cost of an ok answer for each judge with stored costs; `pairs` are the variant's."""
    if variant == "pointwise":
        rows = [
            row
            for row in quality_rows(query)
            if named(query.generators, row["generator"]) and instance_is_kept(query, row["instance_id"])
        ]
        places = {(row["judge"], row["instance_id"], row["generator"]) for row in rows}
        answered = [place[0] for place in places if rating(query, *place) is not None]
    else:
        rows = [
            row
            for row in rows_asked(query.with_options(variant=variant))
            if is_shown(query, row) and instance_is_kept(query, row["instance_id"])
        ]
        answered = [pair.judge for pair in pairs for order in pair.orders.values() if speaks(order)]
    mean_costs = {}
    for judge in models(query):
        costs = [row["cost_usd"] for row in rows if row["judge"] == judge and row["cost_usd"] is not None]
        if costs and judge in answered:
            mean_costs[judge] = sum(costs) / answered.count(judge)
    return mean_costs


def divided(one: float | None, two: float | None) -> float | None:
    """The ratio; None if a side is missing or the second is 0."""
    return None if one is None or not two else one / two
