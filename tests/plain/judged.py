"""Judged pairs by the rules of sections 9 to 11, and the seeded draws.

Readings:
 1. An order names whom its choice names; a forced choice without a stored choice names the likelier response.
 2. Firm: both orders name the same response; a resolved row is firm where it has a winner.
 3. `structured`: repeats of one dimension are merged first; an order needs all five dimensions.
 4. A draw takes the pairs with the lowest keys (`key`), which depend on the seed and on who is compared
    where, and on nothing else, so that other slices and judges do not change it.
"""

from typing import Any, NamedTuple

from plain.asking import Query, is_shown, models, rows_asked
from plain.filters import instance_is_kept
from plain.pairs import RESOLVED, UNKNOWN, Order, is_forced_choice, merged_order, outcome, put_in_orientation
from plain.scores import sign
from plain.study import PlainStudy, Row

DIMENSIONS = ("relevance", "accuracy", "depth", "logic", "clarity")
NULL, CONTRAST, ORDER, PROXY = 1, 2, 3, 4
MASK = 2**64 - 1


class Pair(NamedTuple):
    """A judge's answers on two responses to one instance; `one` is the earlier model.

    `orders` holds an order by the model shown first, or by the marks of `plain.pairs`; None: nothing is ok.
    """

    judge: str
    instance_id: str
    one: str
    two: str
    orders: dict[Any, Order | None]

    def turned_to(self, target: str) -> int:
        """+1 where the target is `one`, -1 where it is `two`."""
        return 1 if target == self.one else -1


def preferred_variant(study: PlainStudy, *names: str) -> str:
    """The first of the variants with a pairwise row; else the last."""
    present = {row["variant"] for row in study.judgments if row["paradigm"] == "pairwise"}
    return next((name for name in names if name in present), names[-1])


def all_pairs(query: Query) -> list[Pair]:
    """Every pair with a stored row in the slice, of any status."""
    place = {model: n for n, model in enumerate(models(query))}
    groups: dict[tuple[str, ...], dict[Any, list[Row]]] = {}
    for row in rows_asked(query):
        if not is_shown(query, row) or not instance_is_kept(query, row["instance_id"]):
            continue
        one, two = sorted((row["generator"], row["opponent"]), key=place.__getitem__)
        oriented = put_in_orientation(row, one)
        group = groups.setdefault((row["judge"], row["instance_id"], one, two), {})
        group.setdefault(oriented["first"], []).append(oriented)
    pairs = []
    for (judge, instance_id, one, two), by_order in groups.items():
        orders = {shown: answer(query, rows) for shown, rows in by_order.items()}
        pairs.append(Pair(judge, instance_id, one, two, orders))
    return pairs


def answer(query: Query, rows: list[Row]) -> Order | None:
    """The combined answer of the rows of one order; None if none is ok."""
    rows = [row for row in rows if row["status"] == "ok"]
    if query.variant == "structured":
        return structured_answer(query, rows)
    return merged_order(query, rows) if rows else None


def structured_answer(query: Query, rows: list[Row]) -> Order | None:
    """The response chosen on at least three of the five dimensions; else a tie."""
    choices = []
    for dimension in DIMENSIONS:
        of_it = [row for row in rows if row["rubric_id"] == dimension]
        choice = merged_order(query, of_it).choice if of_it else None
        if choice is None:
            return None
        choices.append(choice)
    majority = next((side for side in (1, -1) if choices.count(side) >= 3), 0)
    return Order(majority, None, None)


def speaks(order: Order | None) -> bool:
    """Whether an order holds a choice, or a probability where no tie was offered."""
    return order is not None and (order.choice is not None or is_forced_choice(order))


def orders_of(pair: Pair, heard: Any = speaks) -> list[Order] | None:
    """The resolved row, or else both orders; None if one is missing."""
    already = pair.orders.get((RESOLVED,))
    if heard(already):
        assert already is not None
        return [already]
    both = [pair.orders.get(shown) for shown in (pair.one, pair.two)]
    return [order for order in both if order is not None] if all(heard(order) for order in both) else None


def outcome_of(pair: Pair) -> int | None:
    """Section 4's outcome, seen from `one`."""
    orders = orders_of(pair)
    return None if orders is None else outcome(orders)


def names(order: Order) -> int | None:
    """The response that one order names."""
    if order.choice is not None:
        return order.choice
    return sign((order.p or 0.0) - 0.5) if is_forced_choice(order) else None


def firm_choice(pair: Pair) -> int:
    """+1 or -1 for the response chosen in both orders, 0 for none; for a pair with an outcome."""
    orders = orders_of(pair)
    assert orders is not None
    if len(orders) == 1:
        return outcome(orders) or 0
    first, second = (names(order) for order in orders)
    return first if first == second and first is not None else 0


def single_answer(query: Query, pair: Pair, seed: int) -> int | None:
    """The single answer that discriminability uses, seen from `one`; None if it is not ok."""
    already = pair.orders.get((RESOLVED,))
    if speaks(already):
        assert already is not None
        return outcome([already])
    stored = [shown for shown in (pair.one, pair.two) if shown in pair.orders]
    if len(stored) == 2:
        drawn = key(query, seed, ORDER, pair.judge, pair.instance_id, pair.one, pair.two) & 1
        stored = [stored[drawn]]
    elif not stored and (UNKNOWN,) in pair.orders:
        stored = [(UNKNOWN,)]  # type: ignore[list-item]
    chosen = pair.orders[stored[0]] if stored else None
    return names(chosen) if speaks(chosen) and chosen is not None else None


def key(query: Query, seed: int, purpose: int, judge: str, instance_id: str, *others: str) -> int:
    """A pseudo-random number of 64 bits: splitmix64 over the positions in their tables."""
    places = query.remembered("places", lambda: {model: n for n, model in enumerate(models(query))})
    instances = query.remembered(
        "instance places", lambda: {row["instance_id"]: n for n, row in enumerate(query.study.instances)}
    )
    state = seed
    for number in (purpose, places[judge], instances[instance_id], *(places[other] for other in others)):
        state = (state + 0x9E3779B97F4A7C15 * (number + 1)) & MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
        state ^= state >> 31
    return state
