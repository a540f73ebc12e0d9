"""Ranks in lists of responses, by plain loops.

Readings:
 1. A list is the set of models in `ordering`, of one instance; a judge's rank of a response in it is the mean
    over the orders in which all its responses have a rank, repeats of one order averaged before.
 2. pick: the share of those orders in which the response has rank 1.
 3. An own response counts where a judge outside the author's family ranked it in the same list; those judges'
    ranks are averaged, each counting once.
"""

import json
from statistics import fmean
from typing import Any

import numpy as np

from plain.study import PlainStudy

Cell = tuple[str, frozenset[str], str]


def ranks(study: PlainStudy, transform: str = "none") -> dict[str, dict[Cell, tuple[float, float]]]:
    """Judge -> (instance, list, generator) -> (mean rank, share of orders in which it is first)."""
    given: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    for row in study.judgments:
        if row["paradigm"] == "listwise" and row["status"] == "ok" and row["transform"] == transform:
            key = (row["judge"], row["instance_id"], row["ordering"])
            given.setdefault(key, {}).setdefault(row["generator"], []).append(row["score"])
    orders: dict[str, dict[Cell, list[tuple[float, float]]]] = {}
    for (judge, instance, ordering), by_model in given.items():
        members = frozenset(json.loads(ordering))
        if set(by_model) != members:
            continue
        for model, scores in by_model.items():
            entry = (fmean(scores), fmean([score == 1 for score in scores]))
            orders.setdefault(judge, {}).setdefault((instance, members, model), []).append(entry)
    return {
        judge: {
            cell: (fmean(rank for rank, _ in entries), fmean(pick for _, pick in entries))
            for cell, entries in cells.items()
        }
        for judge, cells in orders.items()
    }


def list_ranks(study: PlainStudy, judge: str, transform: str = "none") -> dict[str, Any]:
    """The row of a judge; None if no outside judge ranked a response of its own."""
    family = {row["model"]: row["family"] for row in study.models}
    every = ranks(study, transform)
    own, outside = [], []
    for cell, mine in every.get(judge, {}).items():
        others = [
            cells[cell] for other, cells in every.items() if family[other] != family[judge] and cell in cells
        ]
        if cell[2] == judge and others:
            own.append(mine)
            outside.append(tuple(map(fmean, zip(*others, strict=True))))
    row: dict[str, Any] = {"n": len(own)}
    for place, name in enumerate(("rank", "pick")):
        mine, theirs = ([entry[place] for entry in entries] for entries in (own, outside))
        row[f"{name}_own"] = fmean(mine) if own else None
        row[f"{name}_outside"] = fmean(theirs) if own else None
        row[f"{name}_gap"] = fmean(a - b for a, b in zip(mine, theirs, strict=True)) if own else None
    return row


def robustness(study: PlainStudy, paradigm: str, transform: str, judge: str) -> dict[str, Any]:
    """A judge's row of `robustness` for rubric verdicts, scores of responses, or pairs in both orders.

    Readings: own are cases of the judge's own response, other those of generators outside its family. Of
    pairs whose one response alone was changed (`beside` is `plain`) that response is the case's; else the
    judge's own, and the rise is taken of own cases only. A response beside itself has as cases its answers,
    the same where they are ties.
    """
    family = {row["model"]: row["family"] for row in study.models}
    beside = next((r["beside"] for r in study.responses if r["transform"] == transform), None)
    cases = _cases(study, paradigm, transform, judge, beside)
    row: dict[str, Any] = {}
    for side in ("own", "other"):
        here = [
            (same, rise)
            for generator, same, rise in cases
            if (generator == judge if side == "own" else family[generator] != family[judge])
        ]
        row[f"n_{side}"] = len(here)
        row[f"robustness_{side}"] = fmean(same for same, _ in here) if here else None
        rises = [rise for _, rise in here if rise is not None]
        row[f"lift_{side}"] = fmean(rises) if rises else None
    own, other = row["robustness_own"], row["robustness_other"]
    row["difference"] = None if None in (own, other) else own - other
    return row


def _cases(
    study: PlainStudy, paradigm: str, transform: str, judge: str, beside: str | None
) -> list[tuple[str, bool, float | None]]:
    """The generator, whether the verdict was unchanged, and its rise, for each case of a judge."""
    rows = [
        row
        for row in study.judgments
        if row["judge"] == judge and row["paradigm"] == paradigm and row["status"] == "ok"
    ]
    if beside == "itself":
        return [(r["generator"], r["choice"] == "tie", None) for r in rows if r["transform"] == transform]
    if paradigm == "pairwise":
        return _pair_cases(rows, transform, judge, beside)
    points = {(row["instance_id"], row["rubric_id"]): row["points"] for row in study.rubrics}
    given: dict[tuple[str, str, str | None], dict[str, float]] = {}
    for row in rows:
        key = (row["instance_id"], row["generator"], row["rubric_id"])
        value = row["score"]
        if row["met"] is not None:
            value = float(row["met"] == (points[key[0], key[2]] >= 0))
        given.setdefault(key, {})[row["transform"]] = value
    return [
        (key[1], values["none"] == values[transform], values[transform] - values["none"])
        for key, values in given.items()
        if {"none", transform} <= set(values)
    ]


def _pair_cases(
    rows: list[Any], transform: str, judge: str, beside: str | None
) -> list[tuple[str, bool, float | None]]:
    votes: dict[tuple[str, frozenset[str]], dict[str, list[Any]]] = {}
    for row in rows:
        key = (row["instance_id"], frozenset((row["generator"], row["opponent"])))
        votes.setdefault(key, {}).setdefault(row["transform"], []).append(row)
    cases: list[tuple[str, bool, float | None]] = []
    for (_, models), by_transform in votes.items():
        two = [by_transform.get(name, []) for name in ("none", transform)]
        if any({row["first"] for row in each} != {"generator", "opponent"} for each in two):
            continue
        target = two[1][0]["generator"] if beside == "plain" or judge not in models else judge
        if judge in models - {target}:
            continue
        before, after = (_outcome(each, target) for each in two)
        rise = (after - before) / 2 if beside == "plain" or target == judge else None
        cases.append((target, before == after, rise))
    return cases


def _outcome(rows: list[Any], target: str) -> int:
    """+1, 0 or -1 for the target over both orders: a winner beats a tie (section 4)."""
    total = 0
    for row in rows:
        if row["choice"] != "tie":
            total += 1 if row[row["choice"]] == target else -1
    return (total > 0) - (total < 0)


def recognition(study: PlainStudy, judge: str) -> dict[str, Any]:
    """A judge's row of `recognition-score`.

    Readings: a pair counts with an answer in both orders; its score is the mean of p_generator of the own
    response where both have one, else the share of its answers that name the own. The vote for the own in
    the same pair is of the paradigm pairwise, variant default: 1, .5 or 0 over both orders (section 4).
    """
    scores, votes = {}, {}
    for paradigm, values in (("recognition", scores), ("pairwise", votes)):
        by_pair: dict[tuple[str, str], dict[str, Any]] = {}
        for row in study.judgments:
            own = judge in (row["generator"], row["opponent"])
            if row["judge"] == judge and row["paradigm"] == paradigm and row["status"] == "ok" and own:
                other = row["opponent"] if row["generator"] == judge else row["generator"]
                shown = row["generator"] if row["first"] == "generator" else row["opponent"]
                by_pair.setdefault((row["instance_id"], other), {})[shown] = row
        for pair, two in by_pair.items():
            if len(two) < 2:
                continue
            rows = list(two.values())
            if paradigm == "pairwise":
                values[pair] = (1 + _outcome(rows, judge)) / 2
                continue
            right = fmean(row[row["choice"]] == judge for row in rows)
            p = [row["p_generator"] for row in rows]
            if None in p:
                values[pair] = (right, right)
                continue
            ps = [x if row["generator"] == judge else 1 - x for x, row in zip(p, rows, strict=True)]
            values[pair] = (fmean(ps), right)
    both = [(scores[pair][0], votes[pair]) for pair in scores if pair in votes]
    return {
        "n": len(scores),
        "recognition": fmean(score for score, _ in scores.values()) if scores else None,
        "share_right": fmean(right for _, right in scores.values()) if scores else None,
        "n_preference": len(both),
        "pairs": both,
    }


def familiarity(study: PlainStudy, judge: str, paradigm: str) -> dict[str, Any]:
    """A judge's row of `familiarity-score`, its slopes by NumPy's least squares.

    Readings: the gap is over instances where the judge's own response and one from outside its family have a
    log-probability. A case is a response (`direct_assessment`) or a pair (`pairwise`) of its own and outside
    generators, with a log-probability of each, a verdict of the judge, and one of a judge outside its family
    and those of the generators; what the judge says less their mean is explained. Responses of one instance
    are taken less their mean, and one alone is no case.
    """
    family = {row["model"]: row["family"] for row in study.models}
    known = {
        (row["instance_id"], row["generator"]): row["score"]
        for row in study.judgments
        if row["judge"] == judge and row["paradigm"] == "familiarity" and row["status"] == "ok"
    }
    counted = {name for name in family if name == judge or family[name] != family[judge]}
    instances = [row["instance_id"] for row in study.instances]
    gaps = []
    for instance in instances:
        others = [known[instance, name] for name in counted - {judge} if (instance, name) in known]
        if others and (instance, judge) in known:
            gaps.append(known[instance, judge] - fmean(others))
    beyond = _beyond_pairs if paradigm == "pairwise" else _beyond_scores
    cases = beyond(study, judge, family, known, counted)
    o, f, v = (np.array([case[place] for case in cases]) for place in range(3))
    alone = np.linalg.lstsq(o[:, None], v, rcond=None)[0]
    held = np.linalg.lstsq(np.stack([o, f], axis=1), v, rcond=None)[0]
    return {
        "familiarity_gap": fmean(gaps),
        "n_own": len(gaps),
        "n_cases": len(cases),
        "own_effect": alone[0],
        "own_effect_held": held[0],
        "explained": alone[0] - held[0],
        "familiarity_effect": held[1],
        "cases": cases,
    }


def _beyond_scores(
    study: PlainStudy, judge: str, family: dict[str, str], known: dict[Any, float], counted: set[str]
) -> list[tuple[float, float, float]]:
    given: dict[tuple[str, str], dict[str, float]] = {}
    for row in study.judgments:
        if row["paradigm"] == "direct_assessment" and row["status"] == "ok":
            given.setdefault((row["instance_id"], row["generator"]), {})[row["judge"]] = row["score"]
    cases = []
    for instance in [row["instance_id"] for row in study.instances]:
        here = []
        for name in counted:
            scores = given.get((instance, name), {})
            outside = [
                score for other, score in scores.items() if family[other] not in (family[judge], family[name])
            ]
            if judge in scores and outside and (instance, name) in known:
                here.append((float(name == judge), known[instance, name], scores[judge] - fmean(outside)))
        if len(here) > 1:
            means = [fmean(case[place] for case in here) for place in range(3)]
            cases += [tuple(x - mean for x, mean in zip(case, means, strict=True)) for case in here]
    return cases


def _beyond_pairs(
    study: PlainStudy, judge: str, family: dict[str, str], known: dict[Any, float], counted: set[str]
) -> list[tuple[float, float, float]]:
    given: dict[tuple[str, str, str], dict[str, list[Any]]] = {}
    for row in study.judgments:
        if row["paradigm"] == "pairwise" and row["status"] == "ok":
            one, two = sorted((row["generator"], row["opponent"]))
            pair = given.setdefault((row["instance_id"], one, two), {})
            pair.setdefault(row["judge"], []).append(row)
    cases = []
    for (instance, one, two), by_judge in given.items():
        votes = {who: (1 + _outcome(rows, one)) / 2 for who, rows in by_judge.items() if len(rows) == 2}
        related = {family[judge], family[one], family[two]}
        outside = [vote for who, vote in votes.items() if family[who] not in related]
        sides = [known.get((instance, name)) for name in (one, two)]
        if judge in votes and outside and {one, two} <= counted and None not in sides:
            own = float(one == judge) - float(two == judge)
            cases.append((own, sides[0] - sides[1], votes[judge] - fmean(outside)))
    return cases
