"""The evaluator quality baseline by plain loops (MEASURES section 10).

Readings:
 1. An order counts with a probability or a choice; the outcome serves where one of the orders lacks a
    probability.
 2. Repeats: the mean of p_generator times one minus the mean of p_tie.
 3. Acc(K, R) is over all instances of the slice on which G(x, K, R) is known, whether judged or not; both
    sides of `like_accuracy` are such.
 4. N_J of equation 12 is the sum of N_JK: the weights add up to 1. Matched are the examples of the subset.
 5. Proxies are chosen by kind first, then at most n by their keys.
 6. all_minus_out_of_family: over examples of the subset with a proxy outside the family, whatever is asked.
"""

import math
from typing import Any, NamedTuple

from plain.asking import Query, ask, mean, models, named, relation
from plain.filters import instance_is_kept
from plain.gold import oracle, votes_for
from plain.judged import PROXY, Pair, all_pairs, key, orders_of, preferred_variant
from plain.pairs import Order, outcome
from plain.study import PlainStudy


class Rules(NamedTuple):
    """The options of section 10."""

    ties: str = "keep"
    subset: str = "ilsp"
    proxies: str = "all"
    proxy_models: tuple[str, ...] = ()
    like_accuracy: float | None = None
    max_proxies: int | None = None
    pool: str = "examples"
    fairness: str = "pairs"
    seed: int = 0


DEFAULTS = Rules()


class Example(NamedTuple):
    """An example of (J, R): J's probability of voting for itself, the truth, and its proxies'."""

    judge: str
    instance_id: str
    opponent: str
    s: float
    g: int
    proxies: dict[str, float]
    outsiders: dict[str, float]


def is_heard(order: Order | None) -> bool:
    """Whether an order holds a choice or a probability."""
    return order is not None and (order.choice is not None or order.p is not None)


def vote(pair: Pair, target: str, rules: Rules) -> float | None:
    """s: the probability that the judge votes for the target; None if the pair does not count."""
    orders = orders_of(pair, is_heard)
    if orders is None:
        return None
    side = pair.turned_to(target)
    if all(order.p is not None for order in orders):
        return mean([vote_in_order(order, side, rules) for order in orders])
    decided = outcome(orders)
    return None if decided is None else (1 + side * decided) / 2


def vote_in_order(order: Order, side: int, rules: Rules) -> float:
    """Equation 1 in one order."""
    assert order.p is not None
    p = order.p if side == 1 else 1 - order.p
    return p if order.p_tie is None or rules.ties == "drop" else p * (1 - order.p_tie)


def quality_baseline(
    study: PlainStudy, rules: Rules = DEFAULTS, **options: Any
) -> dict[tuple[str, str | None], dict[str, Any]]:
    """The rows of `quality-baseline` by judge and opponent (None: pooled)."""
    options.setdefault("variant", preferred_variant(study, "forced_tie", "forced", "default"))
    query = ask(study, **{**options, "paradigm": "pairwise"})
    examples = all_examples(query, rules)
    rows = {}
    for judge in models(query):
        mine = [example for example in examples if example.judge == judge]
        for opponent in (None, *models(query)):
            against = [example for example in mine if opponent in (None, example.opponent)]
            if against:
                rows[judge, opponent] = row_of(query, rules, against)
    return rows


def truth(query: Query, judge: str, instance_id: str, one: str, two: str) -> int | None:
    """G(x, A, B)."""
    return oracle(votes_for(query, judge, instance_id, one, two))


def all_examples(query: Query, rules: Rules) -> list[Example]:
    """Every example, with the proxies that the rules allow."""
    preferences: dict[tuple[str, str, str, str], float] = {}
    for pair in all_pairs(query):
        for target, other in ((pair.one, pair.two), (pair.two, pair.one)):
            s = vote(pair, target, rules)
            if s is not None:
                preferences[pair.judge, pair.instance_id, target, other] = s
    examples = []
    for (judge, x, target, opponent), s in preferences.items():
        g = truth(query, judge, x, judge, opponent)
        if target != judge or g is None:
            continue
        matched = {
            model: preferences[judge, x, model, opponent]
            for model in models(query)
            if model not in (judge, opponent)
            and (judge, x, model, opponent) in preferences
            and truth(query, judge, x, model, opponent) == g
        }
        outsiders = {m: p for m, p in matched.items() if relation(query, judge, m) == "other"}
        chosen = [m for m in matched if is_proxy(query, rules, judge, m, opponent)]
        if rules.max_proxies is not None:
            chosen.sort(key=lambda m: key(query, rules.seed, PROXY, judge, x, opponent, m))
            chosen = chosen[: rules.max_proxies]
        examples.append(Example(judge, x, opponent, s, g, {m: matched[m] for m in chosen}, outsiders))
    return examples


def is_proxy(query: Query, rules: Rules, judge: str, model: str, opponent: str) -> bool:
    """Whether the rules let a model stand in for the judge."""
    if rules.proxies == "out_of_family" and relation(query, judge, model) != "other":
        return False
    by_provider = query.with_options(relatives="provider")
    if rules.proxies == "out_of_provider" and relation(by_provider, judge, model) != "other":
        return False
    if rules.proxy_models and model not in rules.proxy_models:
        return False
    if rules.like_accuracy is None:
        return True
    one, two = (accuracy(query, judge, candidate, opponent) for candidate in (model, judge))
    return one is not None and two is not None and abs(one - two) <= rules.like_accuracy + 1e-9


def accuracy(query: Query, judge: str, model: str, opponent: str) -> float | None:
    """Acc(K, R) by the truth that holds for the judge."""

    def of_all() -> float | None:
        known = [
            truth(query, judge, row["instance_id"], model, opponent)
            for row in query.study.instances
            if instance_is_kept(query, row["instance_id"])
            and named(query.generators, model)
            and named(query.generators, opponent)
        ]
        return mean([float(g) for g in known if g is not None])

    result: float | None = query.remembered(("accuracy", judge, model, opponent), of_all)
    return result


def entropy(s: float) -> float:
    """H2 in bits."""
    return -sum(p * math.log2(p) for p in (s, 1 - s) if p > 0)


def row_of(query: Query, rules: Rules, examples: list[Example]) -> dict[str, Any]:
    """One row's figures."""
    lost = [example for example in examples if example.g == 0]
    won = [example for example in examples if example.g == 1]
    subset = {"all": examples, "lsp": won, "ilsp": lost}[rules.subset]
    matched = [example for example in subset if example.proxies]
    compared = [(e.s, sum(e.proxies.values()) / len(e.proxies)) for e in matched]
    if rules.pool == "pairs":
        compared = [(e.s, s) for e in matched for s in e.proxies.values()]
    deltas = [s - of_proxy for s, of_proxy in compared]
    ilsp_matched, updated = mean([s for s, _ in compared]), mean(deltas)
    se = standard_error(deltas)
    hard, easy = (mean([entropy(e.s) for e in part]) for part in (lost, won))
    won_by = [[accuracy(query, e.judge, model, e.opponent) for model in e.proxies] for e in matched]
    fair = [mean(each) for each in won_by]  # type: ignore[arg-type]
    if rules.fairness == "pairs":
        fair = [rate for each in won_by for rate in each]
    own = [entropy(e.s) for e in matched]
    others = [sum(map(entropy, e.proxies.values())) / len(e.proxies) for e in matched]
    sp, acc = mean([e.s for e in examples]), mean([float(e.g) for e in examples])
    assert sp is not None
    assert acc is not None
    return {
        "sp": sp,
        "acc": acc,
        "bias": sp - acc,
        "ilsp": mean([e.s for e in lost]),
        "lsp": mean([e.s for e in won]),
        "n_examples": len(examples),
        "n": len(compared),
        "ilsp_matched": ilsp_matched,
        "ilsp_proxies": mean([of_proxy for _, of_proxy in compared]),
        "ilsp_updated": updated,
        "se": se,
        "t_stat": updated / se if se and updated is not None else None,
        "relative_change": 100 * (updated - ilsp_matched) / ilsp_matched  # type: ignore[operator]
        if ilsp_matched
        else None,
        "entropy_self": mean(own),
        "entropy_proxy": mean(others),
        "entropy_correlation": correlation(own, others),
        "entropy_gap": None if hard is None or easy is None else hard - easy,
        "proxy_win_rate": mean(fair),  # type: ignore[arg-type]
        "all_minus_out_of_family": mean(family_differences(query, rules, subset)),
    }


def family_differences(query: Query, rules: Rules, subset: list[Example]) -> list[float]:
    """T with all proxies minus T with those outside the family, example by example."""
    everyone = {
        (e.judge, e.instance_id, e.opponent): e.proxies
        for e in query.remembered(
            ("every proxy", rules.ties), lambda: all_examples(query, Rules(ties=rules.ties))
        )
    }
    differences = []
    for e in subset:
        every = everyone[e.judge, e.instance_id, e.opponent]
        if e.outsiders:
            differences.append(
                sum(e.outsiders.values()) / len(e.outsiders) - sum(every.values()) / len(every)
            )
    return differences


def standard_error(values: list[float]) -> float | None:
    """sd (n - 1) by the root of n; None of fewer than two."""
    if len(values) < 2:
        return None
    middle = sum(values) / len(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values))


def correlation(one: list[float], two: list[float]) -> float | None:
    """Pearson's r; None of fewer than three or of a constant side."""
    if len(one) < 3 or max(one) - min(one) < 1e-12 or max(two) - min(two) < 1e-12:
        return None
    a, b = sum(one) / len(one), sum(two) / len(two)
    over = sum((x - a) * (y - b) for x, y in zip(one, two, strict=True))
    under = math.sqrt(sum((x - a) ** 2 for x in one) * sum((y - b) ** 2 for y in two))
    return over / under
