"""Order of pairs, by plain loops (MEASURES section 14, `order-effect`).

Readings: it uses pairs with an answer in both orders. Shares of the first shown and of ties are of
answers (two for each pair), flips of pairs whose two answers both name a winner, flips to the first of
flips, the firm share of pairs. An answer is the choice, or without one that which a probability without
p_tie says (1/2: a tie). Rows already resolved have no order and count as `order_missing`. Without a
variant asked for, every variant has its rows.
"""

from typing import Any

from plain.asking import Query, ask, is_shown, mean, models, rows_asked
from plain.filters import instance_is_kept
from plain.pairs import RESOLVED, UNKNOWN, merged_order, put_in_orientation
from plain.study import PlainStudy, Row

Fields = dict[str, Any]


def order_effect(study: PlainStudy, **options: Any) -> tuple[list[Fields], dict[str, int]]:
    """Section 14, for pairs: a row for each judge and variant."""
    variants = [options.pop("variant")] if options.get("variant") else None
    options.pop("paradigm", None)
    present = {row["variant"] for row in study.judgments if row["paradigm"] == "pairwise"}
    rows: list[Fields] = []
    left_out: dict[str, int] = {}
    for variant in variants or sorted(present):
        query = ask(study, paradigm="pairwise", variant=variant, **options)
        rows += order_effect_rows(query)
        for code, number in query.left_out.items():
            left_out[code] = left_out.get(code, 0) + number
    return rows, left_out


def order_effect_rows(query: Query) -> list[Fields]:
    """The rows of one variant."""
    place = {model: i for i, model in enumerate(models(query))}
    pairs: dict[Any, dict[Any, list[Row]]] = {}
    for row in rows_asked(query):
        if not is_shown(query, row) or not instance_is_kept(query, row["instance_id"]):
            continue
        if row["status"] != "ok":
            query.left_out[row["status"]] += 1
            continue
        one, two = sorted((row["generator"], row["opponent"]), key=place.__getitem__)
        oriented = put_in_orientation(row, one)
        if oriented["first"] in ((UNKNOWN,), (RESOLVED,)):
            query.left_out["order_missing"] += 1
            continue
        pair = pairs.setdefault((row["judge"], row["instance_id"], one, two), {})
        pair.setdefault(oriented["first"], []).append(oriented)
    by_judge: dict[str, list[tuple[Any, Any]]] = {}
    for (judge, _instance, one, two), by_order in pairs.items():
        answers = answered_orders(query, by_order, one, two)
        if answers is not None:
            by_judge.setdefault(judge, []).append(answers)
    return [order_effect_row(query, judge, by_judge[judge]) for judge in models(query) if judge in by_judge]


def answered_orders(query: Query, by_order: dict[Any, list[Row]], one: str, two: str) -> Any:
    """(choice, p) with `one` first and with `two` first, both seen from `one`; None if one is missing."""
    answers = {}
    for shown, rows in by_order.items():
        merged = merged_order(query, rows)
        choice = merged.choice
        if choice is None and merged.p is not None and merged.p_tie is None:
            choice = 0 if abs(merged.p - 0.5) < 1e-9 else 1 if merged.p > 0.5 else -1
        query.left_out["merged"] += len(rows) - (choice is not None)
        if choice is not None:
            answers[shown] = (choice, merged.p)
    if len(answers) == 2:
        return answers[one], answers[two]
    query.left_out["order_missing"] += len(answers)
    return None


def order_effect_row(query: Query, judge: str, pairs: list[Any]) -> Fields:
    """The effect of order on a judge's pairs."""
    firsts = ties = flips = to_first = firm = decided = 0
    shifts = []
    for (early, p_early), (late, p_late) in pairs:
        firsts += (early == 1) + (late == -1)
        ties += (early == 0) + (late == 0)
        if early != 0 and late != 0:
            decided += 1
            firm += early == late
            flips += early != late
            to_first += early == 1 and late == -1
        if p_early is not None and p_late is not None:
            shifts.append(abs(p_early - p_late))
    return {
        "judge": judge,
        "variant": query.variant,
        "n_pairs": len(pairs),
        "first_share": firsts / (2 * len(pairs)),
        "flip_rate": flips / decided if decided else None,
        "flip_to_first": to_first / flips if flips else None,
        "firm_share": firm / len(pairs),
        "tie_share": ties / (2 * len(pairs)),
        "probability_shift": mean(shifts),
    }
