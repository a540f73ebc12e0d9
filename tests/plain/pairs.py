"""Pairs judged in both orders (MEASURES section 4)."""

from typing import Any, NamedTuple

from plain.asking import Query, first_of_repeats, is_shown, mean, models, most_frequent, rows_asked
from plain.filters import instance_is_kept
from plain.scores import Comparison, sign, true_score
from plain.study import Row
from plain.truth import NO_REFERENCE, REFERENCE_TIE

UNKNOWN, RESOLVED = "order unknown", "already resolved"


class Order(NamedTuple):
    """The answer in one order about (one, two): a choice (+1, 0, -1) and probabilities; any may be None."""

    choice: int | None
    p: float | None
    p_tie: float | None


Pair = tuple[str, str, str, str]


def put_in_orientation(row: Row, one: str) -> Row:
    """The row as if `one` were its generator: choice +1 if `one` was chosen, `first` a model's name."""
    target_is_one = row["generator"] == one
    other = row["opponent"] if target_is_one else row["generator"]
    choice = {"generator": 1, "tie": 0, "opponent": -1, None: None}[row["choice"]]
    p = row["p_generator"]
    if not target_is_one:
        choice = None if choice is None else -choice
        p = None if p is None else 1 - p
    shown_first = {
        "generator": row["generator"],
        "opponent": row["opponent"],
        "unknown": (UNKNOWN,),
        None: (RESOLVED,),
    }[row["first"]]
    return {
        **row,
        "generator": one,
        "opponent": other,
        "choice": choice,
        "p_generator": p,
        "first": shown_first,
    }


def merged_order(query: Query, rows: list[Row]) -> Order:
    """Repeats of one order: the choice made most often, the mean probabilities (or the first row's)."""
    used = [first_of_repeats(rows)] if query.repeats == "first" else rows
    return Order(
        most_frequent([row["choice"] for row in used if row["choice"] is not None]),
        mean([row["p_generator"] for row in used if row["p_generator"] is not None]),
        mean([row["p_tie"] for row in used if row["p_tie"] is not None]),
    )


def is_forced_choice(order: Order) -> bool:
    """Whether an order holds a probability and no probability of a tie."""
    return order.p is not None and order.p_tie is None


def outcome(orders: list[Order]) -> int | None:
    """The outcome of one resolved row or of two orders; None if one of them has no choice."""
    if all(is_forced_choice(order) for order in orders):
        return sign(sum(order.p or 0.0 for order in orders) / len(orders) - 0.5)
    choices = [order.choice for order in orders]
    if None in choices:
        return None
    winners = {choice for choice in choices if choice != 0}
    return winners.pop() if len(winners) == 1 else 0


def resolved_pairs(query: Query) -> list[Comparison]:
    """The counted pairs, with the reference's outcome; all others are counted in `query.left_out`."""
    order_of_models = {model: place for place, model in enumerate(models(query))}
    pairs: dict[Pair, dict[Any, list[Row]]] = {}
    for row in rows_asked(query):
        if not is_shown(query, row) or not instance_is_kept(query, row["instance_id"]):
            continue
        if row["status"] != "ok":
            query.left_out[row["status"]] += 1
            continue
        reason = missing_reference(query, row)
        if reason is not None:
            query.left_out[reason] += 1
            continue
        one, two = sorted((row["generator"], row["opponent"]), key=order_of_models.__getitem__)
        oriented = put_in_orientation(row, one)
        pair = pairs.setdefault((row["judge"], row["instance_id"], one, two), {})
        pair.setdefault(oriented["first"], []).append(oriented)
    comparisons = []
    for pair_key, by_order in pairs.items():
        judged = resolve(query, pair_key, by_order)
        if judged is not None:
            comparisons.append(Comparison(*pair_key, judged, true_outcome(query, pair_key)))
    return only_common_pairs(query, comparisons)


def missing_reference(query: Query, row: Row) -> str | None:
    """The reason why the reference does not order the row's two responses; None if it does."""
    truths = [
        true_score(query, row["judge"], row["instance_id"], generator)
        for generator in (row["generator"], row["opponent"])
    ]
    return next((reason for reason in (NO_REFERENCE, REFERENCE_TIE) if reason in truths), None)


def true_outcome(query: Query, pair: Pair) -> int:
    """The sign of the difference of the reference's scores, which must be there."""
    judge, instance_id, one, two = pair
    scores = [true_score(query, judge, instance_id, generator) for generator in (one, two)]
    assert isinstance(scores[0], float)
    assert isinstance(scores[1], float)
    return sign(scores[0] - scores[1])


def resolve(query: Query, pair: Pair, by_order: dict[Any, list[Row]]) -> int | None:
    """The outcome of a pair from its rows, by the order in which they showed it."""
    _judge, _instance_id, one, two = pair
    unknown = by_order.get((UNKNOWN,), [])
    query.left_out["order_missing"] += len(unknown)
    in_orders = [by_order[shown] for shown in (one, two) if shown in by_order]
    already = by_order.get((RESOLVED,), [])
    if already:
        judged = outcome([merged_order(query, already)])
        query.left_out["merged"] += len(already) - (judged is not None)
        if judged is not None:
            query.left_out["merged"] += sum(len(rows) for rows in in_orders)
            return judged
    return resolve_orders(query, in_orders)


def resolve_orders(query: Query, in_orders: list[list[Row]]) -> int | None:
    """The outcome of two orders with an answer; otherwise none."""
    speaking = []
    for rows in in_orders:
        order = merged_order(query, rows)
        speaks = order.choice is not None or is_forced_choice(order)
        query.left_out["merged"] += len(rows) - speaks
        if speaks:
            speaking.append(order)
    judged = outcome(speaking) if len(speaking) == 2 else None
    if judged is None:
        query.left_out["order_missing"] += len(speaking)
    return judged


def only_common_pairs(query: Query, comparisons: list[Comparison]) -> list[Comparison]:
    """With `common`, the pairs whose two (instance, generator) cells all judges with a pair share."""
    if not query.common:
        return comparisons
    cells: dict[str, set[tuple[str, str]]] = {}
    for c in comparisons:
        cells.setdefault(c.judge, set()).update([(c.instance_id, c.first), (c.instance_id, c.second)])
    every = set().union(*cells.values()) if cells else set()
    shared = set.intersection(*cells.values()) if cells else set()
    query.left_out["not_common"] = len(every - shared)
    return [
        c for c in comparisons if (c.instance_id, c.first) in shared and (c.instance_id, c.second) in shared
    ]
