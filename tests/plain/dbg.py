"""The DBG score by plain loops (MEASURES section 11).

Readings:
 1. dbg_soft: pairs with probabilities in both orders (or resolved), a tie offered or not; p is of the two
    responses alone. The gold vote is the mean over sources, not thresholded.
 2. flip_rate: pairs judged in two orders, each of which names a winner; a resolved row has none.
 3. Decided: J's outcome is no tie. `ties` is a count.
 4. `ties = drop`: an order with a probability names the likelier response, whatever its choice; pairs with
    probabilities in both orders are won by the likelier on average.
 5. Rows: the pooled one of a judge first, then its opponents in the order of models.
"""

import math
from itertools import combinations
from typing import Any

from plain.asking import Query, ask, mean, models
from plain.gold import agreed_win, gold_win, votes_for
from plain.judged import Pair, all_pairs, names, orders_of, outcome_of, preferred_variant
from plain.pairs import Order
from plain.study import PlainStudy

Item = dict[str, Any]
WON = {"mean": gold_win, "agreeing": agreed_win}


def dbg(
    study: PlainStudy,
    gold: tuple[str, ...] = (),
    length_ratio: float | None = None,
    response_length: tuple[float, float] | None = None,
    gold_rule: str = "mean",
    ties: str = "keep",
    **options: Any,
) -> dict[tuple[str, str | None], dict[str, Any]]:
    """The rows of `dbg` by judge and opponent (None: pooled)."""
    options.setdefault("variant", preferred_variant(study, "forced", "default"))
    query = ask(study, **{**options, "paradigm": "pairwise"})
    items = []
    for stored in all_pairs(query):
        pair = stored if ties == "keep" else without_ties(stored)
        shown = is_matched(query, pair, length_ratio) and is_within(query, pair, response_length)
        if pair.judge in (pair.one, pair.two) and shown:
            items += [item] if (item := item_of(query, pair, gold, gold_rule)) is not None else []
    rows = {}
    for judge in models(query):
        mine = [item for item in items if item["judge"] == judge]
        for opponent in (None, *models(query)):
            against = [item for item in mine if opponent in (None, item["opponent"])]
            if against:
                rows[judge, opponent] = row_of(against, gold_rule)
    return rows


def without_ties(pair: Pair) -> Pair:
    """The pair as if no tie had been offered in the orders that have a probability."""
    return pair._replace(orders={first: forced(order) for first, order in pair.orders.items()})


def forced(order: Order | None) -> Order | None:
    """The order as a forced choice if it has a probability."""
    if order is None or order.p is None:
        return order
    likelier = 0 if abs(order.p - 0.5) < 1e-9 else 1 if order.p > 0.5 else -1
    choice = order.choice if order.p_tie is None else likelier
    return order._replace(choice=choice, p_tie=None)


def is_matched(query: Query, pair: Pair, length_ratio: float | None) -> bool:
    """Whether the two responses have similar length, if that is requested."""
    if length_ratio is None:
        return True
    words = [len((text or "").split()) for text in texts_of(query, pair)]
    return 0 not in words and abs(math.log(words[0] / words[1])) <= length_ratio + 1e-9


def is_within(query: Query, pair: Pair, bounds: tuple[float, float] | None) -> bool:
    """Whether both responses have a length within the bounds, in characters."""
    if bounds is None:
        return True
    return all(text is not None and bounds[0] <= len(text) <= bounds[1] for text in texts_of(query, pair))


def texts_of(query: Query, pair: Pair) -> list[str | None]:
    """The texts of the two responses; None for one that is not stored."""
    stored = {
        row["generator"]: row["text"]
        for row in query.study.responses
        if row["instance_id"] == pair.instance_id and row["transform"] == query.transform
    }
    return [stored.get(pair.one), stored.get(pair.two)]


def item_of(query: Query, pair: Pair, gold: tuple[str, ...], gold_rule: str) -> Item | None:
    """Judge's and gold's votes on a pair, seen from the judge's own response; None if either has none."""
    outcome = outcome_of(pair)
    opponent = pair.two if pair.judge == pair.one else pair.one
    votes = votes_for(query, pair.judge, pair.instance_id, pair.judge, opponent)
    if gold:
        votes = {source: vote for source, vote in votes.items() if source in gold}
    won = WON[gold_rule](votes)
    if outcome is None or won is None:
        return None
    orders, side = orders_of(pair), pair.turned_to(pair.judge)
    assert orders is not None
    p = None
    if all(order.p is not None for order in orders):
        p = sum((order.p if side == 1 else 1 - order.p) for order in orders) / len(orders)  # type: ignore[operator, misc]
    winners = [names(order) for order in orders] if len(orders) == 2 else [None]
    return {
        "judge": pair.judge,
        "opponent": opponent,
        "win": (1 + side * outcome) / 2,
        "gold": won,
        "votes": votes,
        "p": p,
        "flipped": None if None in winners or 0 in winners else winners[0] != winners[1],
    }


def row_of(items: list[Item], gold_rule: str) -> dict[str, Any]:
    """One row's figures."""
    decided = [item for item in items if item["win"] != 0.5]
    soft = [item for item in items if item["p"] is not None]
    win, gold = share(items, "win"), share(items, "gold")
    win_decided, gold_decided = share(decided, "win"), share(decided, "gold")
    softly = [item["p"] - sum(item["votes"].values()) / len(item["votes"]) for item in soft]
    subsets = of_subsets(items, gold_rule)
    return {
        "win_rate": win,
        "gold_win_rate": gold,
        "dbg": None if win is None or gold is None else win - gold,
        "win_rate_decided": win_decided,
        "gold_win_rate_decided": gold_decided,
        "dbg_decided": None if win_decided is None or gold_decided is None else win_decided - gold_decided,
        "dbg_soft": mean(softly),
        "flip_rate": mean([float(item["flipped"]) for item in items if item["flipped"] is not None]),
        "win_share": mean([float(item["win"] == 1) for item in items]),
        "tie_share": mean([float(item["win"] == 0.5) for item in items]),
        "lose_share": mean([float(item["win"] == 0) for item in items]),
        "ties": sum(item["win"] == 0.5 for item in items),
        "n": len(items),
        "n_decided": len(decided),
        "n_soft": len(soft),
        "dbg_least": min(subsets),
        "dbg_greatest": max(subsets),
        "_by_panel": sorted(subsets),
    }


def share(items: list[Item], name: str) -> float | None:
    """The mean of one of the items' values."""
    return mean([item[name] for item in items])


def of_subsets(items: list[Item], gold_rule: str) -> list[float]:
    """DBG under every subset of the gold judges, each over the items it has votes on."""
    sources = sorted({source for item in items for source in item["votes"]})
    means = []
    for size in range(1, len(sources) + 1):
        for subset in combinations(sources, size):
            biases = []
            for item in items:
                votes = {source: vote for source, vote in item["votes"].items() if source in subset}
                won = WON[gold_rule](votes)
                if won is not None:
                    biases.append(item["win"] - won)
            if biases:
                means.append(sum(biases) / len(biases))
    return means
